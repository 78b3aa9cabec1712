//! Random small lexicons and forms, and all texts up to a few tokens.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::lexicon::{Automata, Matcher, expand};
use crate::model::class::By;
use crate::model::lexicon::{
    Elem, EndingSet, Form, Lexicon, Many, Part, PartRule, Piece, Rule, RuleValue, Signal, Slot, TriggerForm,
};
use crate::model::value::Value;
use crate::registry::Registry;
use crate::source::{FileId, Span};

use super::super::{Demand, Found, Texts};
use super::registry;

const NOWHERE: Span = Span { file: FileId(0), start: 0, end: 0 };
const SIGNALS: usize = 3;
const PARTS: usize = 2;
const FORMS: usize = 3;

/// How many tokens the texts have that are all looked at.
const LENGTH: u32 = 4;
const WORDS: [&str; 6] = ["а", "б", "в", "слова", "ъ", "."];

fn word() -> impl Strategy<Value = Elem> {
    prop::sample::select(vec!["а", "а", "б", "б", "в", "."]).prop_map(|word| Elem::Word(word.into()))
}

fn phrase(slots: usize, slot: fn(usize) -> Slot) -> impl Strategy<Value = Vec<Elem>> {
    let stem = Just(Elem::Stem { stem: "слов".into(), endings: 0 });
    let leaf = match slots {
        0 => prop_oneof![6 => word(), 1 => stem].boxed(),
        _ => prop_oneof![6 => word(), 1 => stem, 4 => (0..slots).prop_map(move |of| Elem::Slot(slot(of)))].boxed(),
    };
    let elem = leaf.prop_recursive(1, 4, 2, |inner| {
        let of = prop::collection::vec(prop::collection::vec(inner, 1..3), 1..3);
        (any::<bool>(), of).prop_map(|(optional, of)| Elem::Choice { optional, of })
    });
    let fits = |elems: &Vec<Elem>| {
        let endings = [EndingSet { name: String::new(), endings: vec![String::new(), "а".into()] }];
        !crate::lexicon::may_be_empty(elems) && expand(elems, &endings).is_some_and(|all| all.len() < 24)
    };
    prop::collection::vec(elem, 1..4).prop_filter("stands for words", fits)
}

/// Patterns over the words; those over several tokens can be found in several ways.
fn pattern() -> impl Strategy<Value = Form> {
    prop::sample::select(vec![
        "[аб]",
        "слов[а-я]",
        "[а-я]",
        "[^.]",
        "а( б)*",
        "(а|а б)",
        "[аб] [бв]",
        "[а-я]+ \\.",
        "б.*в",
    ])
    .prop_map(|pattern| Form::Pattern(pattern.into()))
}

fn form(patterns: bool, slots: usize, slot: fn(usize) -> Slot) -> BoxedStrategy<Form> {
    let phrase = phrase(slots, slot).prop_map(Form::Phrase);
    if patterns { prop_oneof![2 => phrase, 1 => pattern()].boxed() } else { phrase.boxed() }
}

fn rule(patterns: bool) -> impl Strategy<Value = Rule> {
    let template = || {
        prop::sample::select(vec![
            vec![Piece::Part(0), Piece::Text("-".into()), Piece::Part(1)],
            vec![Piece::Part(0)],
            vec![Piece::Text("1".into())],
        ])
    };
    let value = prop_oneof![
        2 => (0..2_i64).prop_map(|value| RuleValue::Const(Value::Int(value))),
        2 => template().prop_map(RuleValue::Template),
    ];
    (form(patterns, PARTS, Slot::Part), value).prop_map(|(form, value)| Rule { form, value, span: NOWHERE })
}

fn lexicon(patterns: bool) -> impl Strategy<Value = Lexicon> {
    let value = prop::sample::select(vec!["1", "2", "x"]);
    let part_rule = (form(patterns, 0, Slot::Part), value).prop_map(|(form, value)| PartRule {
        form,
        value: Some(value.to_owned()),
        span: NOWHERE,
    });
    let parts = prop::collection::vec(prop::collection::vec(part_rule, 0..3), PARTS);
    let many = prop::sample::select(vec![Many::Ambiguous, Many::Ambiguous, Many::First, Many::Last]);
    let signals = prop::collection::vec((prop::collection::vec(rule(patterns), 0..3), many), SIGNALS);
    let fillers = prop::collection::vec(phrase(0, Slot::Part), 0..3);
    let commands = prop::sample::select(vec![vec![], vec!["а"], vec!["а б", "а"]]);
    (parts, signals, fillers, commands).prop_map(|(parts, signals, fillers, commands)| Lexicon {
        endings: vec![EndingSet { name: "e".into(), endings: vec![String::new(), "а".into()] }],
        parts: parts.into_iter().map(|rules| Part { name: String::new(), rules }).collect(),
        signals: signals
            .into_iter()
            .map(|(rules, many)| Signal { name: crate::model::names::Sym(0), many, rules })
            .collect(),
        fillers,
        commands: commands
            .into_iter()
            .map(|spelling| (crate::model::names::Sym(0), vec![spelling.to_owned()]))
            .collect(),
    })
}

fn trigger(patterns: bool) -> impl Strategy<Value = TriggerForm> {
    let often_not = || prop::sample::select(vec![false, false, true]);
    (form(patterns, SIGNALS, Slot::Signal), often_not(), often_not()).prop_map(|(form, whole, starts)| TriggerForm {
        form,
        whole,
        starts,
    })
}

/// What is wanted of each form and of each signal: 0 nothing.
fn wants() -> impl Strategy<Value = (Vec<usize>, Vec<usize>, bool)> {
    let form = prop::sample::select(vec![0, 1, 1, 2]);
    let signal = prop::sample::select(vec![0, 0, 1, 1, 2, 3]);
    let command = prop::sample::select(vec![false, false, false, true]);
    (prop::collection::vec(form, FORMS), prop::collection::vec(signal, SIGNALS), command)
}

fn with(lexicon: &Lexicon, forms: &[TriggerForm]) -> Option<Registry> {
    let base = registry(
        r#"
[enum]
seen = ["1-1", "1-2", "2-1", "1"]
[signal.one]
enum = "seen"
doc = "A signal."
values = { 1-1 = ["вася"] }
[signal.two]
type = "int"
doc = "A signal."
rule = [ { phrase = "петя", value = 1 } ]
[signal.three]
type = "text"
doc = "A signal."
values = { x = ["коля"] }
"#,
        &["phrase = \"один\"", "phrase = \"два\"", "phrase = \"три\""],
    );
    let mut pack = base.pack().clone();
    let names: Vec<_> = pack.lexicon.signals.iter().map(|signal| signal.name).collect();
    let mut lexicon = lexicon.clone();
    lexicon.signals.iter_mut().zip(names).for_each(|(signal, name)| signal.name = name);
    pack.lexicon = lexicon;
    let class = pack.classes.iter_mut().find(|class| class.triggers.iter().any(|trigger| !trigger.any.is_empty()));
    let any = &mut class?.triggers[0].any;
    any.iter_mut().zip(forms).for_each(|(alternative, form)| alternative.by = By::Words(form.clone()));
    Matcher::compile(&pack.lexicon, forms, &Automata::default()).ok()?;
    Registry::compile(pack).ok()
}

fn all_texts() -> Vec<String> {
    let mut all: Vec<Vec<&str>> = vec![Vec::new()];
    let mut last = all.clone();
    for _ in 0..LENGTH {
        last = last.iter().flat_map(|head| WORDS.iter().map(|word| [head.as_slice(), &[*word]].concat())).collect();
        last.retain(|words| words.first() != Some(&".") && !words.windows(2).any(|pair| pair == [".", "."]));
        all.extend(last.clone());
    }
    all.into_iter().map(|words| words.join(" ")).collect()
}

fn demand(forms: &[usize], signals: &[usize], command: Option<usize>) -> Demand {
    let which = |of: &[usize], want: usize| (0..of.len()).filter(|at| of[*at] == want).collect();
    Demand {
        matched: which(forms, 1),
        unmatched: which(forms, 2),
        unsaid: which(signals, 1),
        ambiguous: which(signals, 2),
        partial: which(signals, 3),
        command,
    }
}

fn check(
    patterns: bool,
    lexicon: &Lexicon,
    forms: &[TriggerForm],
    wants: &[(Vec<usize>, Vec<usize>, bool)],
) -> Result<(), TestCaseError> {
    let Some(registry) = with(lexicon, forms) else { return Err(TestCaseError::reject("does not compile")) };
    let texts = Texts::new(&registry);
    let all = all_texts();
    for (forms, signals, command) in wants {
        let demand = demand(forms, signals, (*command && !lexicon.commands.is_empty()).then_some(0));
        let some = || all.iter().find(|text| texts.does(text, &demand));
        match texts.find(&demand) {
            Found::Text(text) => prop_assert!(texts.does(&text, &demand), "{demand:?} {text}"),
            Found::No => {
                let some = some();
                prop_assert!(some.is_none(), "{demand:?} {some:?}");
            }
            Found::Unknown(why) => {
                prop_assert!(patterns, "{demand:?} {why} {:?}", some());
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, rng_seed: RngSeed::Fixed(41), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn texts_of_phrases_are_found_or_there_are_none(
        lexicon in lexicon(false),
        forms in prop::collection::vec(trigger(false), FORMS),
        wants in prop::collection::vec(wants(), 4),
    ) {
        check(false, &lexicon, &forms, &wants)?;
    }

    #[test]
    fn texts_of_patterns_are_found_or_there_are_none(
        lexicon in lexicon(true),
        forms in prop::collection::vec(trigger(true), FORMS),
        wants in prop::collection::vec(wants(), 4),
    ) {
        check(true, &lexicon, &forms, &wants)?;
    }
}
