//! The search for texts on the shipped packs: every question about two trigger forms, or a form and a signal, is decided.

use crate::support;

use segue::analysis::texts::{Demand, Found, Texts};
use segue::registry::Registry;

/// All packs of the repository.
fn packs() -> Vec<(String, Registry)> {
    let workspace = support::workspace();
    let packs = workspace.packs().into_iter();
    packs.map(|name| (name.clone(), support::loaded(&workspace.pack(&name).unwrap()))).collect()
}

/// Whether there is such a text; it is an error when that cannot be said.
fn is_there(texts: &Texts, demand: &Demand) -> bool {
    match texts.find(demand) {
        Found::Text(_) => true,
        Found::No => false,
        Found::Unknown(why) => panic!("{demand:?}: {why}"),
    }
}

#[test]
fn every_pair_of_forms_is_decided() {
    for (name, registry) in packs() {
        let texts = Texts::new(&registry);
        for a in 0..texts.forms() {
            let form = Demand { matched: vec![a], ..Demand::default() };
            assert!(is_there(&texts, &form), "{name}: form {a} matches no text");
            for b in (0..texts.forms()).filter(|b| *b != a) {
                let both = is_there(&texts, &Demand { matched: vec![a, b], ..Demand::default() });
                let alone = is_there(&texts, &Demand { unmatched: vec![b], ..form.clone() });
                assert!(both || alone, "{name}: form {a} matches texts neither with form {b} nor without it");
            }
        }
    }
}

#[test]
fn every_form_with_every_signal_is_decided() {
    for (_, registry) in packs() {
        let texts = Texts::new(&registry);
        for a in 0..texts.forms() {
            let form = Demand { matched: vec![a], ..Demand::default() };
            for signal in 0..registry.pack().lexicon.signals.len() {
                is_there(&texts, &Demand { unsaid: vec![signal], ..form.clone() });
                is_there(&texts, &Demand { ambiguous: vec![signal], ..form.clone() });
                is_there(&texts, &Demand { partial: vec![signal], ..form.clone() });
            }
        }
    }
}
