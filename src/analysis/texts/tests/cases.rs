//! Cases by hand.

use super::super::Found;
use super::{ask, registry};

#[test]
fn two_phrases_are_said_in_two_sentences() {
    let registry = registry("", &["phrase = \"где посылка\"", "phrase = \"сколько ждать\""]);
    let Found::Text(text) = ask(&registry, &[0, 1], &[], &[]) else { panic!() };
    assert!(text.contains("где посылка") && text.contains("сколько ждать"), "{text}");
    assert_eq!(ask(&registry, &[0], &[0], &[]), Found::No);
}
