//! Scanning short utterances with a lexicon of about two thousand forms.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use segue::lexicon::{Automata, Matcher, Normalised, Scratch, parse_phrase};
use segue::model::lexicon::{
    EndingSet, Form, Lexicon, Many, Part, PartRule, Piece, Rule, RuleValue, Signal, Slot, TriggerForm,
};
use segue::model::names::Sym;
use segue::model::value::Value;
use segue::source::{FileId, Span};

const NOWHERE: Span = Span { file: FileId(0), start: 0, end: 0 };
const SYLLABLES: [&str; 8] = ["ка", "лон", "пер", "сти", "ду", "вор", "мин", "за"];

fn phrase(text: &str) -> Form {
    let slot = |name: &str| match name {
        "month" => Some(Slot::Part(0)),
        "year" => Some(Slot::Part(1)),
        "date" => Some(Slot::Signal(0)),
        _ => None,
    };
    Form::Phrase(parse_phrase(text, slot, |_| Some(0)).expect("a good phrase"))
}

fn part(name: &str, forms: &[(&str, Option<&str>)]) -> Part {
    let form = |text: &str| match text.strip_prefix('/') {
        Some(pattern) => Form::Pattern(pattern.to_owned()),
        None => phrase(text),
    };
    let rule = |(text, value): &(&str, Option<&str>)| PartRule {
        form: form(text),
        value: value.map(str::to_owned),
        span: NOWHERE,
    };
    Part { name: name.to_owned(), rules: forms.iter().map(rule).collect() }
}

fn made_up(n: usize) -> String {
    (0..4).map(|at| SYLLABLES[(n >> (3 * at)) % 8]).collect()
}

fn lexicon(words: usize) -> (Lexicon, Vec<TriggerForm>) {
    let date = |text: &str| Rule {
        form: phrase(text),
        value: RuleValue::Template(vec![Piece::Part(1), Piece::Text("-".into()), Piece::Part(0)]),
        span: NOWHERE,
    };
    let word = |n: usize| Rule {
        form: phrase(&if n.is_multiple_of(4) { format!("[по] {}~e", made_up(n)) } else { made_up(n) }),
        value: RuleValue::Const(Value::Int(i64::try_from(n).unwrap_or(0))),
        span: NOWHERE,
    };
    let mut signals = vec![Signal {
        name: Sym(0),
        many: Many::Ambiguous,
        rules: vec![date("{month} {year} [года|г]"), date("{month}")],
    }];
    signals.push(Signal { name: Sym(1), many: Many::First, rules: (0..words).map(word).collect() });
    let endings = ["", "а", "у", "ом", "е", "ы", "ов", "ам", "ами", "ах"].map(str::to_owned).to_vec();
    let lexicon = Lexicon {
        endings: vec![EndingSet { name: "e".into(), endings }],
        parts: vec![
            part("month", &[("март~e", Some("03")), ("апрел~e", Some("04"))]),
            part("year", &[("/20[0-9]{2}", None)]),
        ],
        signals,
        fillers: Vec::new(),
        commands: vec![(Sym(2), vec!["/new".to_owned()])],
    };
    let trigger = |form: Form, whole, starts| TriggerForm { form, whole, starts };
    let mut triggers = vec![
        trigger(phrase("а (на|за) {date}"), false, true),
        trigger(phrase("мы это обсуждали"), false, false),
        trigger(phrase("покажи"), true, false),
    ];
    triggers.extend((0..200).map(|n| trigger(phrase(&format!("где {} за {{date}}", made_up(n))), false, false)));
    (lexicon, triggers)
}

fn bench(criterion: &mut Criterion) {
    let (lexicon, triggers) = lexicon(2_000);
    criterion.bench_function("compile", |bencher| {
        bencher.iter(|| Matcher::compile(&lexicon, &triggers, &Automata::default()))
    });
    let matcher = Matcher::compile(&lexicon, &triggers, &Automata::default()).expect("a good lexicon");
    let mut scratch = Scratch::default();
    let texts = [
        ("nothing", "Спасибо, это всё, что я хотел узнать!"),
        ("date", "А на март 2020 года?"),
        ("recap", "Погоди, а мы это обсуждали за апрель? Покажи ещё раз, пожалуйста."),
    ];
    let mut normalised = Normalised::default();
    for (name, text) in texts {
        criterion.bench_function(&format!("normalise {name}"), |bencher| {
            bencher.iter(|| normalised.set(black_box(text)));
        });
        normalised.set(text);
        criterion.bench_function(&format!("scan {name}"), |bencher| {
            bencher.iter(|| matcher.scan(black_box(&normalised), &mut scratch));
        });
    }
    normalised.set(&"Покажи остатки за март 2020 и ещё раз по ней. ".repeat(800));
    criterion.bench_function("scan 64 KB", |bencher| bencher.iter(|| matcher.scan(&normalised, &mut scratch)));
}

criterion_group!(benches, bench);
criterion_main!(benches);
