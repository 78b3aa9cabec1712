//! What is established over all states and events that a pack admits: proofs, and witnesses that the engine has stepped.

mod after;
mod answered;
mod apart;
mod arena;
mod build;
mod demand;
mod document;
mod domain;
mod encode;
mod gaps;
mod gather;
mod guard;
mod heard;
mod inputs;
mod instances;
mod led;
mod moment;
mod operators;
pub mod overlap;
pub mod redundant;
mod sat;
mod show;
mod situation;
mod smaller;
mod stage;
mod term;
pub mod texts;
mod told;
mod values;
mod witness;

pub use guard::Taker;
pub use show::given;
pub use situation::Situation;
pub use witness::Witness;

use crate::diag::Diagnostics;
use crate::registry::Registry;

/// Looks for overlaps in what is left of a pack, between classes that nothing which was taken out precedes.
pub fn check_rest(registry: &Registry, shadowed: &[bool], diagnostics: &Diagnostics) {
    let mut seeker = witness::Seeker::new(registry);
    overlap::check_with(&mut seeker, registry, shadowed, diagnostics);
}

/// Looks for overlaps and for links of precedence that nothing needs, and reports them: what is shown of a situation is what the
/// engine has made of it.
pub fn check(registry: &Registry, diagnostics: &Diagnostics) {
    let mut seeker = witness::Seeker::new(registry);
    overlap::check_with(&mut seeker, registry, &[], diagnostics);
    redundant::check_with(&mut seeker, registry, diagnostics);
    gaps::check_with(&mut seeker, registry, diagnostics);
}
