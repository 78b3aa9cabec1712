//! Tests of the lexicon at work: a small notation for lexicons, and what a scan gives.

mod errors;
mod matching;
mod normalising;
mod oracle;
mod random;

use crate::model::lexicon::{
    Elem, EndingSet, Form, Lexicon, Many, Part, PartRule, Piece, Rule, RuleValue, Signal, Slot, TriggerForm,
};
use crate::model::names::Sym;
use crate::model::value::Value;
use crate::source::{FileId, Span};

use super::{Automata, Matcher, Normalised, Recognised, Scan, Scratch, parse_phrase};

const NOWHERE: Span = Span { file: FileId(0), start: 0, end: 0 };

/// A lexicon in the making. Forms between slashes are patterns, others phrases; values with `{part}` are templates, `=`
/// is the matched text, numbers and words are constants.
#[derive(Default)]
struct Lex {
    lexicon: Lexicon,
    triggers: Vec<TriggerForm>,
    names: Vec<String>,
}

impl Lex {
    fn endings(mut self, name: &str, endings: &[&str]) -> Self {
        let endings = endings.iter().map(|ending| (*ending).to_owned()).collect();
        self.lexicon.endings.push(EndingSet { name: name.into(), endings });
        self
    }

    fn part(mut self, name: &str, rules: &[(&str, &str)]) -> Self {
        let rules = rules
            .iter()
            .map(|(form, value)| PartRule {
                form: self.form(form),
                value: (*value != "=").then(|| (*value).to_owned()),
                span: NOWHERE,
            })
            .collect();
        self.lexicon.parts.push(Part { name: name.into(), rules });
        self
    }

    fn signal(mut self, name: &str, rules: &[(&str, &str)]) -> Self {
        let rules = rules.iter().map(|(form, value)| self.rule(form, value)).collect();
        let sym = Sym(u32::try_from(self.names.len()).unwrap());
        self.names.push(name.into());
        self.lexicon.signals.push(Signal { name: sym, many: Many::Ambiguous, rules });
        self
    }

    fn fillers(mut self, phrases: &[&str]) -> Self {
        self.lexicon.fillers = phrases.iter().map(|phrase| self.phrase(phrase)).collect();
        self
    }

    fn command(mut self, spellings: &[&str]) -> Self {
        let spellings = spellings.iter().map(|spelling| super::fold_text(spelling)).collect();
        self.lexicon.commands.push((Sym(0), spellings));
        self
    }

    fn trigger(self, form: &str) -> Self {
        self.placed(form, false, false)
    }

    fn placed(mut self, form: &str, whole: bool, starts: bool) -> Self {
        let form = self.form(form);
        self.triggers.push(TriggerForm { form, whole, starts });
        self
    }

    fn phrase(&self, text: &str) -> Vec<Elem> {
        parse_phrase(text, |name| self.slot(name), |name| self.ending_set(name)).unwrap()
    }

    fn slot(&self, name: &str) -> Option<Slot> {
        let signal = || self.names.iter().position(|signal| signal == name).map(Slot::Signal);
        self.lexicon.parts.iter().position(|part| part.name == name).map(Slot::Part).or_else(signal)
    }

    fn ending_set(&self, name: &str) -> Option<usize> {
        self.lexicon.endings.iter().position(|set| set.name == name)
    }

    fn form(&self, text: &str) -> Form {
        match text.strip_prefix('/').and_then(|text| text.strip_suffix('/')) {
            Some(pattern) => Form::Pattern(pattern.to_owned()),
            None => Form::Phrase(self.phrase(text)),
        }
    }

    fn rule(&self, form: &str, value: &str) -> Rule {
        let value = if value == "=" {
            RuleValue::Matched
        } else if value.contains('{') {
            let mut pieces = Vec::new();
            for piece in value.split_inclusive('}') {
                let (text, part) = piece.split_once('{').unwrap_or((piece, ""));
                if !text.is_empty() {
                    pieces.push(Piece::Text(text.to_owned()));
                }
                if let Some(Slot::Part(part)) = self.slot(part.trim_end_matches('}')) {
                    pieces.push(Piece::Part(part));
                }
            }
            RuleValue::Template(pieces)
        } else {
            RuleValue::Const(Value::text(value))
        };
        Rule { form: self.form(form), value, span: NOWHERE }
    }

    fn compile(&self) -> Matcher {
        Matcher::compile(&self.lexicon, &self.triggers, &Automata::default()).unwrap()
    }

    fn scan(&self, text: &str) -> Scan {
        self.compile().scan(&Normalised::new(text), &mut Scratch::default())
    }

    /// The recognised values in order: `signal=value@text`.
    fn said(&self, text: &str) -> Vec<String> {
        let scan = self.scan(text);
        let show = |occurrence: &super::Occurrence| {
            let rule = &self.lexicon.signals[occurrence.signal].rules[occurrence.rule];
            let value = match (&occurrence.value, &rule.value) {
                (Recognised::Const, RuleValue::Const(Value::Text(text))) => text.to_string(),
                (Recognised::Matched(text), RuleValue::Matched) => text.to_string(),
                (Recognised::Template(fills), RuleValue::Template(pieces)) => {
                    let mut fills = fills.iter();
                    let text = |piece: &Piece| match piece {
                        Piece::Text(text) => text.clone(),
                        Piece::Part(_) => fills.next().unwrap().as_deref().unwrap_or("?").to_owned(),
                    };
                    pieces.iter().map(text).collect()
                }
                other => panic!("{other:?}"),
            };
            let (start, end) = occurrence.span;
            format!("{}={value}@{}", self.names[occurrence.signal], &text[start as usize..end as usize])
        };
        scan.signals.iter().map(show).collect()
    }

    /// The original text of each match of the first trigger.
    fn fired<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let slice = |span: (u32, u32)| &text[span.0 as usize..span.1 as usize];
        self.scan(text).fired.iter().filter(|fired| fired.trigger == 0).map(|fired| slice(fired.span)).collect()
    }
}
