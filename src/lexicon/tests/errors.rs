//! Errors: what phrases, patterns and lexicons are refused, where, and with what advice.

use crate::model::lexicon::{Elem, Slot};

use super::super::{Automata, Matcher, Place, parse_forms, parse_phrase};
use super::Lex;

fn parse(text: &str) -> Result<Vec<Elem>, (String, String)> {
    let slot = |name: &str| (name == "date").then_some(Slot::Signal(0));
    let endings = |name: &str| (name == "noun").then_some(0);
    parse_phrase(text, slot, endings).map_err(|error| (text[error.at].to_owned(), error.message))
}

fn word(text: &str) -> Elem {
    Elem::Word(text.to_owned())
}

#[test]
fn phrases_are_read() {
    let stem = |stem: &str| Elem::Stem { stem: stem.to_owned(), endings: 0 };
    assert_eq!(
        parse("А (на|за) {date}!").unwrap(),
        [
            word("а"),
            Elem::Choice { optional: false, of: vec![vec![word("на")], vec![word("за")]] },
            Elem::Slot(Slot::Signal(0)),
        ]
    );
    assert_eq!(parse("помнишь[,] о чём").unwrap(), [word("помнишь"), word("о"), word("чем")]);
    assert_eq!(
        parse("[ещё|а (и|или) так] Остатк~noun, да").unwrap(),
        [
            Elem::Choice {
                optional: true,
                of: vec![
                    vec![word("еще")],
                    vec![
                        word("а"),
                        Elem::Choice { optional: false, of: vec![vec![word("и")], vec![word("или")]] },
                        word("так"),
                    ],
                ],
            },
            stem("остатк"),
            word("да"),
        ]
    );
    assert_eq!(parse("да (,|и) нет").unwrap()[1], Elem::Choice { optional: true, of: vec![vec![word("и")]] });
    assert_eq!(parse("что-то 2020-03").unwrap(), [word("что-то"), word("2020-03")]);
}

#[test]
fn phrases_are_refused_with_the_place() {
    let refused = [
        ("", "", "the phrase has no words"),
        ("?!", "?!", "the phrase has no words"),
        ("[а] [б]", "[а] [б]", "every word of the phrase may be left out"),
        ("и [а|б", "[а|б", "the bracket is not closed"),
        ("и {date", "{date", "the bracket is not closed"),
        ("и [а)", "[а)", "`)` where `]` is expected"),
        ("и а)", ")", "`)` closes nothing"),
        ("и а}", "}", "`}` closes nothing"),
        ("и (а}", "}", "`}` closes nothing"),
        ("а|б", "|", "`|` stands outside of brackets"),
        ("и (|а)", "|", "an alternative has no words"),
        ("и (а|)", ")", "an alternative has no words"),
        ("и []", "]", "an alternative has no words"),
        ("и {что}", "{что}", "nothing is called `что` here"),
        ("и { }", "{ }", "the slot has no name"),
        ("на{date}", "{date}", "a slot stands for whole words"),
        ("позици[я|и]", "[я|и]", "a bracket holds whole words"),
        ("ост~noun", "ост", "a stem has at least 4 letters"),
        ("остатк~verb", "verb", "no ending set is called `verb`"),
        ("остатк~", "~", "`~` without the name of an ending set"),
        ("остатк ~noun", "~", "`~` without a stem before it"),
        ("остатк*", "*", "`*` means nothing in a phrase"),
        (r"\bа", r"\", r"`\` means nothing in a phrase"),
        ("((((((( а )))))))", "(", "brackets nest more than 6 deep"),
    ];
    for (text, at, message) in refused {
        assert_eq!(parse(text), Err((at.to_owned(), message.to_owned())), "{text}");
    }
    let many = "[а|б|в|г] ".repeat(6) + "да";
    assert!(parse(&many).unwrap_err().1.starts_with("too many variants"));
    let forms = parse_forms(["да", "(а", "нет", "б)"], |_| None, |_| None);
    assert_eq!(forms.unwrap_err().iter().map(|(index, _)| *index).collect::<Vec<_>>(), [1, 3]);
}

#[test]
fn patterns_are_refused_with_advice() {
    let refused = [
        ("По ней", "`П` never stands in the text that patterns see"),
        ("счёт", "`ё` never stands in the text that patterns see"),
        ("да[Ё]", "`Ё` never stands in the text that patterns see"),
        ("[А-Я]+", "none of the characters of a class stands in the text that patterns see"),
        ("да, нет", "`да, нет` never stands in the text that patterns see"),
        ("по  ней", "`по  ней` never stands in the text that patterns see"),
        ("что\\?", "`?` never stands in the text that patterns see"),
        ("^по ней", "`^` inside a pattern"),
        ("по ней$", "`$` inside a pattern"),
        (r"по\b ней", r"`\b` inside a pattern"),
        (r"по\Bней", r"`\B` inside a pattern"),
        ("по ", "the pattern begins or ends with a space"),
        ("(", "the pattern cannot be read: unclosed group"),
        ("а*", "the pattern can match nothing at all"),
        ("((((а{100}){100}){100}){100})", "the pattern is too large"),
        ("\\w{1000}", "the pattern is too large"),
    ];
    for (pattern, message) in refused {
        let mut lex = Lex::default().signal("a", &[("да", "1")]).trigger("да");
        lex.triggers[0].form = crate::model::lexicon::Form::Pattern(pattern.to_owned());
        let errors = Matcher::compile(&lex.lexicon, &lex.triggers, &Automata::default()).unwrap_err();
        assert_eq!(errors.len(), 1, "{pattern}");
        assert_eq!((errors[0].which, errors[0].message.as_str()), (Place::Trigger(0), message), "{pattern}");
    }
    for pattern in ["[а-яё]+", r"\b(да|нет)\b", r"\bда\b|\bнет\b", "(?i)Да", r"\w+", "20[0-9]{2}", "[0-9]+[.,][0-9]+"]
    {
        Lex::default().trigger(&format!("/{pattern}/")).compile();
    }
}

#[test]
fn every_error_of_a_lexicon_is_reported() {
    let slot = |slot| crate::model::lexicon::Form::Phrase(vec![Elem::Slot(slot)]);
    let endings: Vec<String> = (0..70).map(|n| n.to_string()).collect();
    let endings: Vec<&str> = endings.iter().map(String::as_str).collect();
    let mut lex = Lex::default()
        .endings("big", &endings)
        .part("p", &[("да", "1")])
        .signal("a", &[("стол~big стул~big", "1"), ("да", "2")])
        .trigger("да");
    lex.lexicon.parts[0].rules[0].form = slot(Slot::Part(0));
    lex.lexicon.signals[0].rules[1].form = slot(Slot::Signal(0));
    lex.triggers[0].form = slot(Slot::Signal(7));
    let errors = Matcher::compile(&lex.lexicon, &lex.triggers, &Automata::default()).unwrap_err();
    let places: Vec<Place> = errors.iter().map(|error| error.which).collect();
    let signal = |rule| Place::Signal { signal: 0, rule };
    assert_eq!(places, [Place::Part { part: 0, rule: 0 }, signal(0), signal(1), Place::Trigger(0)]);
}
