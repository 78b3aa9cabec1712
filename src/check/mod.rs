//! Semantic checks over a resolved pack: what each class may read, write and rely on. Every finding is collected.

mod allowance;
mod answers;
mod carryover;
mod carryover_finding;
mod cycles;
mod examples;
mod facts;
mod instances;
pub mod lint;
mod owners;
mod presence;
mod presence_finding;
mod prose;
mod same;
mod serves;
mod show;

pub use serves::{UsedAs, composed, fits};
pub use show::path;

use crate::diag::Diagnostics;
use crate::jobs::{Both, joined};
use crate::lexicon::{Automata, Matcher};
use crate::model::Pack;

/// Runs every check, in which `both` does what can be done at the same time. The pack must be filled by [`walk::fill`](crate::model::walk::fill). Where its matcher was compiled for them it
/// comes back, so that [`Registry::compile_with`](crate::registry::Registry::compile_with) need not compile it again.
pub fn check(pack: &Pack, automata: &Automata, both: Both<'_>, out: &Diagnostics) -> Option<Matcher> {
    const ALL: [fn(&Pack, &Diagnostics); 7] = [
        carryover::check,
        owners::check,
        instances::check,
        presence::check,
        prose::check,
        cycles::check,
        answers::check,
    ];
    let rules = || {
        let found = Diagnostics::new();
        ALL.iter().for_each(|check| check(pack, &found));
        found
    };
    let texts = || {
        let found = Diagnostics::new();
        (examples::check(pack, automata, &found), found)
    };
    let (found, (matcher, heard)) = joined(both, rules, texts);
    out.extend(found);
    out.extend(heard);
    matcher
}
