//! Packs that use packs, as they are loaded: what is wrong with `uses` and `serve` is found at its place.

use std::path::Path;

use segue::audit::{Config, audit};
use segue::declare::{Options, SourceText};
use segue::diag::Severity;
use segue::load::{Loaded, load};
use segue::registry::Registry;
use segue::report;
use segue::workspace::Workspace;

fn workspace() -> Workspace {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/uses");
    Workspace::of(&root).expect("a workspace")
}

fn files() -> Vec<SourceText> {
    workspace().pack("desk").expect("a pack")
}

fn found(files: &[SourceText]) -> Vec<String> {
    let Loaded { sources, diagnostics, .. } = load(files, &Options::default());
    report::short(&sources, &diagnostics).lines().map(str::to_owned).collect()
}

fn registry(files: &[SourceText]) -> Registry {
    load(files, &Options::default()).registry.unwrap_or_else(|| panic!("{:#?}", found(files)))
}

/// What is found with one text replaced, which stands once in the files of a pack.
fn edited(pack: &str, from: &str, to: &str) -> Vec<String> {
    found(&replaced(pack, from, to))
}

fn replaced(pack: &str, from: &str, to: &str) -> Vec<SourceText> {
    let mut files = files();
    let of = format!("transitions/{pack}/pack.toml");
    let file = files.iter_mut().find(|file| file.name == of).expect("the pack is there");
    assert_eq!(file.text.matches(from).count(), 1, "`{from}` stands there once");
    file.text = file.text.replace(from, to).into();
    files
}

/// One finding: its place and code, and a part of its message.
#[track_caller]
fn one(found: &[String], place: &str, message: &str) {
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].starts_with(place) && found[0].contains(message), "{found:#?}");
}

#[test]
fn the_three_packs_load_as_one() {
    assert_eq!(found(&files()), [""; 0]);
    let registry = registry(&files());
    let pack = registry.pack();
    let names: Vec<_> = pack.all().map(|at| pack.name_at(at).unwrap_or("").to_owned()).collect();
    assert_eq!(names, ["", "gate", "gate/vault"]);
    let served: Vec<String> = pack
        .all()
        .flat_map(|at| {
            let ports = pack.at(at).ports.iter().enumerate();
            ports.map(move |(port, of)| (at, segue::model::ids::PortId::at(port), of))
        })
        .filter_map(|(at, id, port)| {
            let by = pack.served(at, id)?;
            Some(format!("{} by {}", pack.qualified(at, pack.at(at).names.text(port.name)), pack.name_at(by.by)?))
        })
        .collect();
    assert_eq!(served, ["screen by gate", "gate/allow by gate/vault", "gate/record by gate/vault"]);
    // The parameter that is given here.
    let param = &registry.used()[0].pack().params[0];
    assert_eq!(param.value, segue::model::value::Value::Int(2));
}

#[test]
fn the_fingerprint_is_over_all() {
    let whole = registry(&files()).pack().fingerprint.clone();
    let mut turned = files();
    turned.reverse();
    assert_eq!(registry(&turned).pack().fingerprint, whole);
    let inner = replaced("vault", "max = 4", "max = 5");
    assert_ne!(registry(&inner).pack().fingerprint, whole);
    let param = replaced("desk", "most_hints = 2", "most_hints = 3");
    assert_ne!(registry(&param).pack().fingerprint, whole);
}

#[test]
fn what_is_not_there() {
    let mut there = files();
    there.retain(|file| file.pack.as_deref() != Some("vault"));
    one(&found(&there), "transitions/gatekeeper/pack.toml:9:8: error[unknown-name]", "no pack `vault` beside this one");
    let wrong = edited("desk", "by = \"gate\"", "by = \"gat\"");
    one(&wrong, "transitions/desk/pack.toml:15:6: error[unknown-name]", "there is no used pack `gat`");
    let wrong = edited("desk", "port = \"screen\"", "port = \"scren\"");
    one(&wrong, "transitions/desk/pack.toml:14:8: error[unknown-name]", "there is no port `scren`");
    let wrong = edited("desk", "port = \"screen\"", "port = \"gate/classfy\"");
    one(&wrong, "transitions/desk/pack.toml:14:8: error[unknown-name]", "there is no port `classfy`");
    let wrong = edited("desk", "event = \"question\"", "event = \"questoin\"");
    one(&wrong, "transitions/desk/pack.toml:16:9: error[unknown-name]", "event of the used pack `questoin`");
    let wrong = edited("desk", "passed = \"ok\"", "pased = \"ok\"");
    one(&wrong, "transitions/desk/pack.toml:17:11: error[unknown-name]", "message of the used pack `pased`");
    let wrong = edited("desk", "passed = \"ok\"", "passed = \"okay\"");
    one(&wrong, "transitions/desk/pack.toml:17:20: error[", "okay");
    let wrong = edited("desk", "most_hints = 2", "most_hint = 2");
    one(&wrong, "transitions/desk/pack.toml:10:23: error[unknown-name]", "no parameter `most_hint`");
    let wrong = edited("desk", "most_hints = 2", "most_hints = 20");
    one(&wrong, "transitions/desk/pack.toml:10:24: error[parameter-range]", "out of range");
    let wrong = edited("desk", "pack = \"gatekeeper\"", "pack = \"../gatekeeper\"");
    assert!(wrong[0].starts_with("transitions/desk/pack.toml:9:8: error[bad-value]"), "{wrong:#?}");
}

#[test]
fn a_pack_that_is_not_there_may_be_meant_otherwise() {
    let mut there = replaced("desk", "pack = \"gatekeeper\"", "pack = \"gatekeper\"");
    there.push(SourceText::no_pack("gatekeper", "did you mean `gatekeeper`?"));
    let Loaded { diagnostics, .. } = load(&there, &Options::default());
    assert_eq!(diagnostics.len(), 1);
    assert_eq!(diagnostics[0].help.as_deref(), Some("did you mean `gatekeeper`?"));
}

#[test]
fn what_crosses_the_border_fits() {
    let port = "request = { text = { type = \"text\" } }\nresponse = { verdict";
    let wrong = edited(
        "desk",
        port,
        &port.replace("{ text = { type = \"text\" } }", "{ text = { type = \"text\", optional = true } }"),
    );
    one(&wrong, "transitions/desk/pack.toml:16:9: error[missing-argument]", "demands `text`");
    let more = port.replace("{ text =", "{ number = { type = \"int\", optional = true }, text =");
    one(&edited("desk", port, &more), "transitions/desk/pack.toml:16:9: error[unknown-name]", "has no field `number`");
    let event = "[event.question]\nfield = { text = { type = \"text\" } }";
    let other = event.replace("{ type = \"text\" }", "{ enum = [\"why\", \"how\"] }");
    let wrong = edited("gatekeeper", event, &other);
    assert!(
        wrong.iter().any(|found| found.contains("16:9: error[wrong-type]") && found.contains("takes one of why, how")),
        "{wrong:#?}"
    );
    let answer = "response = { verdict = { enum = [\"passed\", \"asks\"] }";
    let wrong =
        edited("desk", answer, "response = { by = { type = \"text\" }, verdict = { enum = [\"passed\", \"asks\"] }");
    assert_eq!(wrong.len(), 2, "{wrong:#?}");
    assert!(wrong[0].contains("17:11: error[missing-argument]") && wrong[0].contains("may lack `by`"), "{wrong:#?}");
    let wrong = edited("gatekeeper", "const = { verdict = \"passed\" }", "const = { verdict = \"through\" }");
    one(
        &wrong,
        "transitions/desk/pack.toml:17:11: error[wrong-type]",
        "the constant `verdict` of the message `passed` is \"through\"",
    );
    let wrong = edited(
        "gatekeeper",
        "field = { hint = { type = \"text\" } }\ndoc",
        "field = { hint = { type = \"narrative\" } }\ndoc",
    );
    assert!(
        wrong.iter().any(|found| found.contains("error[wrong-type]") && found.contains("the field `hint`")),
        "{wrong:#?}"
    );
}

#[test]
fn a_port_is_served_once_and_says_how_it_ends() {
    let whole = "[[serve]]\nport = \"screen\"";
    let again = "[[serve]]\nport = \"gate/allow\"\nby = \"gate/vault\"\nevent = \"ask\"\nreply = { yes = \"ok\" }\n\n";
    let wrong = edited("desk", whole, &format!("{again}{whole}"));
    one(&wrong, "transitions/desk/pack.toml:14:8: error[duplicate-name]", "`gate/allow` is served twice");
    let own =
        "[[serve]]\nport = \"gate/classify\"\nby = \"gate\"\nevent = \"question\"\nreply = { passed = \"ok\" }\n\n";
    let wrong = edited("desk", whole, &format!("{own}{whole}"));
    one(&wrong, "transitions/desk/pack.toml:15:6: error[leads-back]", "`gate` would serve a port of its own");
    let wrong = edited("desk", "reply = { passed = \"ok\", asks = \"ok\", refused = \"failed\" }", "");
    one(&wrong, "transitions/desk/pack.toml:13:1: error[missing-key]", "which messages end a call of `screen`");
    let wrong = edited("gatekeeper", "event = \"note\"\n", "event = \"note\"\nreply = { yes = \"ok\" }\n");
    one(&wrong, "transitions/gatekeeper/pack.toml:21:1: error[no-reply]", "no outcome comes from the port `record`");
    let wrong = edited("desk", "reply = { passed = \"ok\", asks = \"ok\", refused = \"failed\" }", "reply = {}");
    one(&wrong, "transitions/desk/pack.toml:17:1: error[says-nothing]", "no message ends a call of `screen`");
}

#[test]
fn messages_that_nobody_sends_end_nothing() {
    let unsent = "[message.lost]\nchannel = \"log\"\nlevel = \"debug\"\ndoc = \"Never sent.\"\n[message.no]";
    let mut files = replaced("vault", "[message.no]", unsent);
    let gate = files.iter_mut().find(|file| file.name.contains("gatekeeper")).expect("the gate");
    gate.text = gate.text.replace("reply = { yes = \"ok\", no = \"ok\" }", "reply = { lost = \"failed\" }").into();
    one(&found(&files), "transitions/gatekeeper/pack.toml:15:1: error[no-reply]", "no class of `vault` ever sends");
}

#[test]
fn a_pack_uses_itself_by_no_way() {
    let around = "[uses.desk]\npack = \"gatekeeper\"\n\n[frame.book]";
    let wrong = edited("vault", "[frame.book]", around);
    one(&wrong, "transitions/vault/pack.toml:9:8: error[leads-back]", "gatekeeper → vault → gatekeeper");
}

#[test]
fn errors_of_a_used_pack_are_told_once_in_its_own_file() {
    let twice = "[uses.other]\npack = \"gatekeeper\"\n\n[uses.gate]";
    let mut files = replaced("desk", "[uses.gate]", twice);
    let vault = files.iter_mut().find(|file| file.name.contains("vault")).expect("the vault");
    vault.text = vault.text.replace("claims = \"nothing\"", "claims = \"something\"").into();
    let wrong = found(&files);
    one(&wrong, "transitions/vault/pack.toml:", "something");
    // The pack itself is checked all the same.
    let audit = audit(&files, &[], &Config::default());
    let errors = audit.diagnostics.iter().filter(|found| found.severity == Severity::Error).count();
    assert_eq!(errors, 1, "{:#?}", audit.diagnostics);
    assert!(audit.registry.is_none());
}

#[test]
fn slips_of_a_used_pack_are_told_where_it_is_checked_itself() {
    let unused = "[enum]\nidle = [\"a\", \"b\"]\n\n[frame.book]";
    let files = replaced("vault", "[frame.book]", unused);
    let audit = audit(&files, &[], &Config::default());
    let of_vault = |found: &&segue::diag::Diagnostic| audit.sources.name(found.primary.span.file).contains("vault");
    assert_eq!(audit.diagnostics.iter().find(of_vault), None);
    assert!(audit.registry.is_some());
}

#[test]
fn two_uses_of_one_pack_are_two_packs() {
    let twice = "[uses.other]\npack = \"gatekeeper\"\n\n[uses.gate]";
    let registry = registry(&replaced("desk", "[uses.gate]", twice));
    let pack = registry.pack();
    let names: Vec<_> = pack.all().filter_map(|at| pack.name_at(at).map(str::to_owned)).collect();
    assert_eq!(names, ["gate", "gate/vault", "other", "other/vault"]);
    let by: Vec<_> = pack.all().map(|at| pack.served(at, pack.at(at).port("allow")?).map(|serve| serve.by.0)).collect();
    // `allow` of each gate goes to its own vault.
    assert_eq!(by, [None, Some(2), None, Some(4), None]);
}
