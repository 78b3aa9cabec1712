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

pub use serves::{UsedAs, composed};
pub use show::path;

use crate::diag::Diagnostics;
use crate::lexicon::{Automata, Matcher};
use crate::model::Pack;

/// Runs every check. The pack must be filled by [`walk::fill`](crate::model::walk::fill). Where its matcher was compiled for them it
/// comes back, so that [`Registry::compile_with`](crate::registry::Registry::compile_with) need not compile it again.
pub fn check(pack: &Pack, automata: &Automata, out: &Diagnostics) -> Option<Matcher> {
    carryover::check(pack, out);
    owners::check(pack, out);
    instances::check(pack, out);
    presence::check(pack, out);
    prose::check(pack, out);
    cycles::check(pack, out);
    answers::check(pack, out);
    examples::check(pack, automata, out)
}
