//! Loading the packs that a pack uses, each by its own rules.

use std::sync::Arc;

use crate::check::{UsedAs, composed};
use crate::declare::{Documents, Use, together};
use crate::diag::{Code, Diagnostic, Diagnostics, listed, quoted};
use crate::jobs;
use crate::model::Pack;
use crate::registry::Registry;

use super::{Means, load_inside};

/// How many packs may be put together.
const MOST: usize = 256;

/// A pack that is used, by its name here and its folder; `None` = it does not load.
type Loaded = (String, String, Option<Registry>);

/// The packs that a pack uses.
pub(super) struct Used {
    pub packs: Vec<Loaded>,
    /// What is wrong with them, in their own files.
    pub found: Vec<Diagnostic>,
}

impl Used {
    /// Loads them. `above`: the folders of the packs that lead to the one that uses them.
    pub fn load(documents: &Documents, means: Means<'_>, above: &[String]) -> Self {
        let loaded = jobs::each(means.both, &documents.uses(), |_, of| {
            let out = Diagnostics::new();
            let registry = one(documents, means, of, above, &out);
            ((of.name.0.clone(), of.pack.0.clone(), registry), out)
        });
        let (packs, found): (Vec<_>, Vec<_>) = loaded.into_iter().unzip();
        Self { packs, found: found.into_iter().flatten().collect() }
    }
}

fn one(documents: &Documents, means: Means<'_>, of: &Use, above: &[String], out: &Diagnostics) -> Option<Registry> {
    let (folder, span) = &of.pack;
    if let Some(first) = above.iter().position(|other| other == folder) {
        let way: Vec<&str> = above[first..].iter().map(String::as_str).chain([folder.as_str()]).collect();
        let message = format!("a pack uses itself: {}", way.join(" → "));
        let found = Diagnostic::error(Code::LeadsBack, *span, message);
        out.push(found.help("take one of these uses out: what packs share is a pack of its own"));
        return None;
    }
    if documents.base() == Some(folder) {
        let message = format!("{} is extended and used", quoted(folder));
        out.push(Diagnostic::error(Code::Contradiction, *span, message).help("a pack is extended or used, not both"));
        return None;
    }
    let used = match documents.used(folder, &of.params) {
        Ok(used) => used,
        Err(help) => {
            let message = format!("there is no pack {} beside this one", quoted(folder));
            out.push(Diagnostic::error(Code::UnknownName, *span, message).help(if help.is_empty() {
                "write the name of a folder beside that of this pack".to_owned()
            } else {
                help
            }));
            return None;
        }
    };
    let way: Vec<String> = above.iter().cloned().chain([folder.clone()]).collect();
    let (found, registry) = load_inside(&used, means, &way);
    // Slips are told where that pack is checked by itself.
    out.extend(found.into_iter().filter(Diagnostic::is_error));
    registry
}

/// Puts a pack together with those that it uses. They come back in the order in which the pack has them, where all of them load.
pub(super) fn together_with(pack: &mut Pack, used: Vec<Loaded>, out: &Diagnostics) -> Vec<Registry> {
    let shared = |registry: &Registry| Arc::clone(registry.shared());
    let named = |(name, folder, of): &Loaded| (name.clone(), folder.clone(), of.as_ref().map(shared));
    let packs: Vec<UsedAs> = used.iter().map(named).collect();
    let Some(composed) = composed(pack, &packs, out) else { return Vec::new() };
    if composed.packs.len() > MOST {
        let names: Vec<&str> = packs.iter().map(|(name, ..)| name.as_str()).collect();
        let message = format!("{} packs are put together, at most {MOST} may be", composed.packs.len());
        let place = pack.classes[pack.boundary.index()].span;
        out.push(
            Diagnostic::error(Code::LimitExceeded, place, message).help(format!("use fewer than {}", listed(&names))),
        );
        return Vec::new();
    }
    let each = packs.iter().filter_map(|(name, _, of)| Some((name.as_str(), of.as_ref()?.fingerprint.as_str())));
    pack.fingerprint = together(&pack.fingerprint, each);
    pack.composed = Some(Arc::new(composed));
    let mut all = Vec::new();
    for registry in used.into_iter().filter_map(|(.., of)| of) {
        let inner = registry.used().to_vec();
        all.push(registry);
        all.extend(inner);
    }
    all
}
