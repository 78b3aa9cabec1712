//! Laws of the engine: it does what the reference evaluator does, and what the design promises of every step.

mod agree;
mod carry;
mod packs;
mod steps;

use std::cell::RefCell;
use std::collections::BTreeMap;

use proptest::prelude::any;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

/// A runner that tries the same cases on every run.
fn runner(cases: u32) -> TestRunner {
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 0, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

/// Tries a law on some seeds, the same on every run.
fn for_seeds(cases: u32, law: impl Fn(u64) -> Result<(), String>) {
    let tried = runner(cases).run(&any::<u64>(), |seed| law(seed).map_err(TestCaseError::fail));
    if let Err(error) = tried {
        panic!("{error}");
    }
}

/// What was met, with how often: a law that never meets what it speaks of says nothing.
#[derive(Default)]
struct Met(RefCell<BTreeMap<String, usize>>);

impl Met {
    fn count(&self, what: &str) {
        *self.0.borrow_mut().entry(what.to_owned()).or_default() += 1;
    }

    fn times(&self, what: &str) -> usize {
        self.0.borrow().get(what).copied().unwrap_or_default()
    }

    #[track_caller]
    fn demand(&self, names: &[&str]) {
        let missing: Vec<&&str> = names.iter().filter(|name| self.times(name) == 0).collect();
        assert!(missing.is_empty(), "never met: {missing:?}; met: {:?}", self.0.borrow());
    }
}
