//! The matcher against the oracle, on random lexicons and texts over a tiny vocabulary.

use std::collections::HashSet;

use proptest::prelude::*;

use crate::model::lexicon::{
    Elem, EndingSet, Form, Lexicon, Many, Part, PartRule, Piece, Rule, RuleValue, Signal, Slot, TriggerForm,
};
use crate::model::names::Sym;
use crate::model::value::Value;

use super::super::expand::{expand, may_be_empty, print_of, prints, variants};
use super::super::{Automata, Matcher, Normalised, Scratch};
use super::{NOWHERE, oracle};

const PARTS: usize = 2;
const SIGNALS: usize = 3;

fn word() -> impl Strategy<Value = Elem> {
    prop::sample::select(vec!["а", "б", "в", "слово", "слов", "."]).prop_map(|word| Elem::Word(word.into()))
}

/// A phrase whose slots are made by `slot` from an index below `slots`.
fn phrase(slots: usize, slot: fn(usize) -> Slot) -> impl Strategy<Value = Vec<Elem>> {
    let stem = Just(Elem::Stem { stem: "слов".into(), endings: 0 });
    let leaf = match slots {
        0 => prop_oneof![4 => word(), 1 => stem].boxed(),
        _ => prop_oneof![3 => word(), 1 => stem, 3 => (0..slots).prop_map(move |of| Elem::Slot(slot(of)))].boxed(),
    };
    let elem = leaf.prop_recursive(2, 8, 3, |inner| {
        let of = prop::collection::vec(prop::collection::vec(inner, 1..3), 1..3);
        (any::<bool>(), of).prop_map(|(optional, of)| Elem::Choice { optional, of })
    });
    prop::collection::vec(elem, 1..4)
        .prop_filter("stands for words, not for too many", |elems| !may_be_empty(elems) && variants(elems, |_| 3) < 512)
}

fn form(slots: usize, slot: fn(usize) -> Slot) -> impl Strategy<Value = Form> {
    let pattern = prop::sample::select(vec!["слов[оа]", "[аб]", r"\b[а-я]\b"]);
    prop_oneof![
        5 => phrase(slots, slot).prop_map(Form::Phrase),
        1 => pattern.prop_map(|pattern| Form::Pattern(pattern.into())),
    ]
}

fn rule() -> impl Strategy<Value = Rule> {
    let piece = prop_oneof![
        3 => (0..PARTS).prop_map(Piece::Part),
        1 => Just(Piece::Text("-".into())),
    ];
    let value = prop_oneof![
        3 => (0..2_i64).prop_map(|value| RuleValue::Const(Value::Int(value))),
        1 => Just(RuleValue::Matched),
        3 => prop::collection::vec(piece, 1..4).prop_map(RuleValue::Template),
    ];
    (form(PARTS, Slot::Part), value).prop_map(|(form, value)| Rule { form, value, span: NOWHERE })
}

fn lexicon() -> impl Strategy<Value = Lexicon> {
    let value = prop::sample::select(vec![None, Some("1"), Some("а")]);
    let part_rule = (form(0, Slot::Part), value).prop_map(|(form, value)| {
        let value = value.map(str::to_owned);
        PartRule { form, value, span: NOWHERE }
    });
    let parts = prop::collection::vec(prop::collection::vec(part_rule, 0..4), PARTS);
    let signals = prop::collection::vec(prop::collection::vec(rule(), 0..4), SIGNALS);
    let fillers = prop::collection::vec(phrase(0, Slot::Part), 0..3);
    let commands = prop::sample::select(vec![vec![], vec!["/н"], vec!["/н", "/н а", "слово"]]);
    (parts, signals, fillers, commands).prop_map(|(parts, signals, fillers, commands)| Lexicon {
        endings: vec![EndingSet { name: "e".into(), endings: vec![String::new(), "о".into(), "ам".into()] }],
        parts: parts.into_iter().map(|rules| Part { name: String::new(), rules }).collect(),
        signals: signals.into_iter().map(|rules| Signal { name: Sym(0), many: Many::All, rules }).collect(),
        fillers,
        commands: commands.into_iter().map(|spelling| (Sym(0), vec![spelling.to_owned()])).collect(),
    })
}

fn trigger() -> impl Strategy<Value = TriggerForm> {
    (form(SIGNALS, Slot::Signal), any::<bool>(), any::<bool>()).prop_map(|(form, whole, starts)| TriggerForm {
        form,
        whole,
        starts,
    })
}

fn text() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec!["а", "а", "б", "В", "в,", "слово", "«Слов»", "словам", "слова", ".", "что-а"]);
    let start = prop::sample::select(vec!["", "", " ", "/Н ", "/н", "/н-"]);
    (start, prop::collection::vec(word, 0..9)).prop_map(|(start, words)| format!("{start}{}", words.join(" ")))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// The prints are those of the sequences, in their order, and of different sequences they are different.
    #[test]
    fn prints_tell_sequences_apart(elems in phrase(PARTS, Slot::Part)) {
        let endings = [EndingSet { name: "e".into(), endings: vec![String::new(), "о".into(), "ам".into()] }];
        let sequences = expand(&elems, &endings).unwrap();
        let mut seen = HashSet::new();
        let once: Vec<u64> = prints(&elems, &endings).unwrap().into_iter().filter(|print| seen.insert(*print)).collect();
        prop_assert_eq!(once, sequences.iter().map(|sequence| print_of(sequence)).collect::<Vec<_>>());
    }

    #[test]
    fn the_matcher_and_the_oracle_agree(
        lexicon in lexicon(),
        triggers in prop::collection::vec(trigger(), 0..5),
        texts in prop::collection::vec(text(), 1..12),
    ) {
        let matcher = Matcher::compile(&lexicon, &triggers, &Automata::default()).unwrap();
        let plain = Matcher::compile(&lexicon, &triggers, &Automata::plain()).unwrap();
        let mut scratch = Scratch::default();
        for text in texts {
            let text = Normalised::new(&text);
            let found = matcher.scan(&text, &mut scratch);
            prop_assert_eq!(&found, &oracle::scan(&lexicon, &triggers, &text), "{}", text.padded());
            prop_assert_eq!(&found, &matcher.scan(&text, &mut Scratch::default()));
            prop_assert_eq!(&found, &plain.scan(&text, &mut Scratch::default()), "however it is built");
        }
    }
}
