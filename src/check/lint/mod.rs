//! What works and yet is surely a slip. `segue check` shows it; loading does not ask.

mod contracts;
mod fields;
mod letters;
mod lookups;
mod maybe;
mod outcomes;
mod reasons;
mod thresholds;
mod unused;
mod words;

pub use letters::check as letters;
pub use outcomes::untaken;

use crate::diag::Diagnostics;
use crate::lexicon::Matcher;
use crate::model::Pack;

/// Looks for slips in a pack that loads, of which this is the matcher.
pub fn check(pack: &Pack, matcher: &Matcher, out: &Diagnostics) {
    unused::check(pack, out);
    contracts::check(pack, out);
    fields::check(pack, out);
    lookups::check(pack, out);
    outcomes::check(pack, out);
    reasons::check(pack, out);
    thresholds::check(pack, out);
    words::check(pack, matcher, out);
}
