//! What the integration tests share: reading and loading packs, talking to the engine, choosing at random.

#![allow(dead_code, reason = "each test program uses its part")]

pub mod corpus;
pub mod env;
pub mod events;
pub mod joint;
pub mod kept;
pub mod keyed;
pub mod maker;
pub mod packs;
pub mod pair;
pub mod say;
pub mod shipped;
pub mod tiny;

use std::path::Path;

use segue::declare::{Options, SourceText};
use segue::diag::Diagnostic;
use segue::registry::Registry;
use segue::report::human;
use segue::scenario;
use segue::source::FileId;
use segue::syntax::Format;
use segue::workspace::Workspace;

/// The repository.
pub fn workspace() -> Workspace {
    Workspace::of(Path::new(env!("CARGO_MANIFEST_DIR"))).expect("the repository is a workspace")
}

/// The files of the main pack, in name order.
pub fn main_files() -> Vec<SourceText> {
    workspace().pack("assistant").expect("the main pack can be read")
}

/// One file of a pack.
pub fn file(name: &str, text: &str) -> SourceText {
    SourceText::new(name, text)
}

/// Loads a pack; the errors in words where there are any.
pub fn load(files: &[SourceText]) -> Result<Registry, String> {
    let loaded = segue::load::load(files, &Options::default());
    loaded.registry.ok_or_else(|| human(&loaded.sources, &loaded.diagnostics, false))
}

/// A pack that is loaded in no time.
pub fn small_pack() -> Registry {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/mini");
    loaded(&Workspace::of(&folder).and_then(|workspace| workspace.pack("mini")).expect("a pack"))
}

/// Loads a pack that must load.
pub fn loaded(files: &[SourceText]) -> Registry {
    load(files).unwrap_or_else(|errors| panic!("{errors}"))
}

/// The main pack.
pub fn main_pack() -> Registry {
    loaded(&main_files())
}

/// Choices that follow from a seed (splitmix64).
pub struct Dice(pub u64);

impl Dice {
    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(bound.max(1)).expect("small")).expect("small")
    }

    /// True in `percent` of 100.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of these.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// That the scenario in the help of a finding, where it has one, replays as it says.
pub fn replays(registry: &Registry, finding: &Diagnostic) {
    let Some((_, text)) = finding.help.as_deref().unwrap_or_default().split_once("here:\n") else { return };
    let parsed = scenario::parse(FileId(0), text, Format::Yaml);
    assert!(parsed.problems.is_empty(), "{text}\n{:?}", parsed.problems);
    let [scenario] = &parsed.scenarios[..] else { panic!("one scenario: {text}") };
    let outcome = scenario::replay(registry, scenario);
    assert!(outcome.failures.is_empty(), "{text}\n{:?}", outcome.failures);
    assert!(text.contains("expect:"), "{text}");
}
