//! The lexicon: endings, parts, signals with their forms, fillers and commands.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::diag::{Code, Diagnostic, quoted, suggest};
use crate::language;
use crate::lexicon::{
    Atom, MAX_VARIANTS, check_pattern, expand, fits, fold_text, fold_word, parse_phrase, print_of, prints,
};
use crate::maps::HashMap;
use crate::model::ids::InputId;
use crate::model::lexicon::{
    Elem, EndingSet, Form, Lexicon, Many, Part, PartRule, Piece, Rule, RuleValue, Signal, Slot,
};
use crate::model::schema::Type;
use crate::model::value::Value;
use crate::model::{Completion, Component, InputKind};
use crate::source::Span;
use crate::syntax::{Field, Kind, Node, Table};

use super::cx::{Cx, Item, poisoned};
use super::literals::{Sigil, sigil};
use super::merge::Sections;

/// Whose names a `{name}` in a phrase may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slots {
    /// None.
    Nobody,
    /// Parts.
    Parts,
    /// Signals.
    Signals,
}

/// The names of signals, with their types.
pub(super) fn signals(cx: &mut Cx<'_>, sections: &Sections<'_>) {
    let mut slots = 0;
    for item in sections.of("signal") {
        cx.check_name("a signal", item.name, item.key);
        let Some(table) = cx.table(item.node, "a signal") else { continue };
        cx.allow(table, &language::SIGNAL);
        let ty = cx.read_type(table, item.key, item.name);
        let doc = cx.doc(table);
        cx.add_input(item.name, ty, InputKind::Signal, doc, item.key);
        if table.get("values").is_some() || table.get("rule").is_some() {
            cx.signal_slots.insert(item.name.to_owned(), slots);
            slots += 1;
        }
    }
}

/// `input.command`, `input.command_rest` and `input.tag`, where the pack has commands and tags.
pub(super) fn engine_inputs(cx: &mut Cx<'_>, sections: &Sections<'_>, tags: &[(String, Span)]) {
    let commands = sections.of("command");
    if let Some(first) = commands.first() {
        let values = commands.iter().map(|item| cx.intern(item.name)).collect();
        if let Some(id) = cx.add_enum("input.command", values, first.key) {
            let doc = "The command at the start of the text.".to_owned();
            cx.add_input("command", Type::Enum(id), InputKind::Command, doc, first.key);
            let doc = "The text after the command.".to_owned();
            cx.add_input("command_rest", Type::Text, InputKind::Command, doc, first.key);
        }
    }
    if let Some((_, span)) = tags.first() {
        let names: BTreeSet<&String> = tags.iter().map(|(tag, _)| tag).collect();
        let values = names.into_iter().map(|tag| cx.intern(tag)).collect();
        if let Some(id) = cx.add_enum("input.tag", values, *span) {
            let doc = "The tag of the alternative that matched.".to_owned();
            cx.add_input("tag", Type::Enum(id), InputKind::Tag, doc, *span);
        }
    }
}

/// The lexicon as it is read, and what the pack keeps beside it.
#[derive(Debug, Default)]
pub(super) struct Words {
    pub lexicon: Lexicon,
    pub signal_inputs: Vec<InputId>,
    pub completions: Vec<Completion>,
    /// Ending sets by name, for phrases in triggers.
    pub endings: BTreeMap<String, usize>,
    parts: BTreeMap<String, usize>,
}

/// Reads the whole lexicon.
pub(super) fn lexicon(cx: &Cx<'_>, sections: &Sections<'_>) -> Words {
    let mut words = Words::default();
    for item in sections.of("ending") {
        cx.check_form("a set of endings", item.name, item.key);
        let mut endings = Vec::new();
        for node in cx.list(item.node, "endings").unwrap_or_default() {
            if let Some(text) = cx.text(node) {
                endings.push(fold_word(text));
            }
        }
        words.endings.insert(item.name.to_owned(), words.lexicon.endings.len());
        words.lexicon.endings.push(EndingSet { name: item.name.to_owned(), endings });
    }
    for (at, item) in sections.of("part").iter().enumerate() {
        cx.check_form("a part", item.name, item.key);
        words.parts.insert(item.name.to_owned(), at);
    }
    for item in sections.of("part") {
        let part = part(cx, &words, item);
        words.lexicon.parts.push(part);
    }
    for item in sections.of("signal") {
        let Some(input) = cx.input_names.get(item.name).map(|at| InputId(*at)) else { continue };
        if let Kind::Table(table) = &item.node.kind {
            signal(cx, &mut words, item, table, input);
        }
    }
    cx.settings(sections, "lexicon", &language::LEXICON);
    let fillers = sections.get("lexicon", "filler").and_then(|node| cx.list(node, "fillers")).unwrap_or_default();
    words.lexicon.fillers = fillers.iter().filter_map(|node| cx.phrase(node, &words, Slots::Nobody)).collect();
    for item in sections.of("command") {
        let mut spellings = Vec::new();
        for node in cx.list(item.node, "spellings of a command").unwrap_or_default() {
            if let Some(text) = cx.word(node) {
                spellings.push(fold_text(text));
            }
        }
        words.lexicon.commands.push((cx.intern(item.name), spellings));
    }
    words
}

impl Cx<'_> {
    /// A phrase. What is wrong is reported at its place inside the text.
    pub fn phrase(&self, node: &Node, words: &Words, slots: Slots) -> Option<Vec<Elem>> {
        let text = self.text(node)?;
        let missing: RefCell<Option<String>> = RefCell::new(None);
        let slot = |name: &str| {
            let found = match slots {
                Slots::Nobody => None,
                Slots::Parts => {
                    words.parts.get(name).map(|at| Slot::Part(*at)).inspect(|_| self.note_use("part", name))
                }
                Slots::Signals => self.signal_slots.get(name).map(|at| Slot::Signal(*at)),
            };
            if found.is_none() {
                let near = match slots {
                    Slots::Nobody => Some("no `{name}` may stand here".to_owned()),
                    Slots::Parts => suggest(name, words.parts.keys()).map(|near| format!("did you mean `{{{near}}}`?")),
                    Slots::Signals if self.input_names.contains_key(name) => {
                        Some("only a signal with `values` or rules can be recognised in a text".to_owned())
                    }
                    Slots::Signals => {
                        suggest(name, self.signal_slots.keys()).map(|near| format!("did you mean `{{{near}}}`?"))
                    }
                };
                *missing.borrow_mut() = near;
            }
            found
        };
        let ending = |name: &str| {
            let found = words.endings.get(name).copied().inspect(|_| self.note_use("set of endings", name));
            if found.is_none() {
                *missing.borrow_mut() =
                    suggest(name, words.endings.keys()).map(|near| format!("did you mean `~{near}`?"));
            }
            found
        };
        match parse_phrase(text, slot, ending) {
            Ok(elems) if fits(&elems, &words.lexicon.endings) => Some(elems),
            Ok(_) => {
                let message = format!("the phrase stands for more than {MAX_VARIANTS} sequences of words");
                self.error_help(Code::TooLarge, node.span, message, "split it into several phrases");
                None
            }
            Err(error) => {
                let span = self.inside(node, error.at.start, error.at.end);
                let found = Diagnostic::error(error.code, span, error.message);
                self.out.push(found.help_opt(error.help).help_opt(missing.into_inner()));
                None
            }
        }
    }

    /// A phrase or a pattern out of a table that holds one of them.
    pub fn form(&self, table: &Table, words: &Words, slots: Slots) -> Option<Form> {
        match (table.get("phrase"), table.get("pattern")) {
            (Some(node), None) => self.phrase(node, words, slots).map(Form::Phrase),
            (None, Some(node)) => self.pattern(node),
            (Some(_), Some(pattern)) => {
                self.error_help(
                    Code::OneOfSeveral,
                    pattern.span,
                    "a rule has a phrase or a pattern, not both",
                    "write two rules",
                );
                None
            }
            (None, None) => None,
        }
    }

    /// A regular expression. What is wrong is reported at its place inside the text.
    pub fn pattern(&self, node: &Node) -> Option<Form> {
        let text = self.word(node)?;
        if let Err(error) = check_pattern(text) {
            let span = error.at.map_or(node.span, |at| self.inside(node, at.start, at.end));
            self.out.push(Diagnostic::error(error.code, span, error.message).help_opt(error.help));
            return None;
        }
        Some(Form::Pattern(text.to_owned()))
    }
}

/// Forms that stand for two values.
fn clashes<'f, T: PartialEq + 'f>(
    cx: &Cx<'_>,
    words: &Words,
    forms: impl Iterator<Item = (&'f Form, &'f T, Span)>,
    shown: &dyn Fn(&T) -> String,
) {
    let phrase = |(form, value, span): (&'f Form, &'f T, Span)| match form {
        Form::Phrase(elems) => Some((elems, value, span)),
        Form::Pattern(_) => None,
    };
    let forms: Vec<_> = forms.filter_map(phrase).collect();
    let plain = |elems: &[Elem]| expand(elems, &words.lexicon.endings).unwrap_or_default();
    let mut seen: HashMap<u64, usize> = HashMap::default();
    for (at, (elems, value, span)) in forms.iter().enumerate() {
        for print in prints(elems, &words.lexicon.endings).unwrap_or_default() {
            let (others, other, first) = forms[*seen.entry(print).or_insert(at)];
            if other == *value {
                continue;
            }
            let Some(atoms) = plain(elems).into_iter().find(|atoms| print_of(atoms) == print) else { continue };
            if !plain(others).contains(&atoms) {
                continue;
            }
            let text: Vec<&str> =
                atoms.iter().map(|atom| if let Atom::Word(word) = atom { word } else { "{…}" }).collect();
            let message = format!("{} stands for {} and for {}", quoted(&text.join(" ")), shown(other), shown(value));
            let found = Diagnostic::error(Code::TwoValues, *span, message).also(first, "the other form");
            cx.out.push(found.help("let each form stand for one value"));
            break;
        }
    }
}

fn part(cx: &Cx<'_>, words: &Words, item: &Item<'_>) -> Part {
    let mut part = Part { name: item.name.to_owned(), rules: Vec::new() };
    let Some(table) = cx.table(item.node, "a part") else { return part };
    cx.allow(table, &language::PART);
    cx.doc(table);
    if table.get("values").is_none() && table.get("pattern").is_none() {
        cx.error_help(
            Code::MissingKey,
            item.key,
            format!("the part {} has no forms", quoted(item.name)),
            "write `values` or `pattern`",
        );
    }
    if let Some(values) = table.get("values").and_then(|node| cx.table(node, "values and their forms")) {
        for entry in values {
            for node in cx.list(&entry.value, "forms").unwrap_or_default() {
                let Some(form) = cx.phrase(node, words, Slots::Nobody).map(Form::Phrase) else { continue };
                part.rules.push(PartRule { form, value: Some(entry.key.to_string()), span: node.span });
            }
        }
    }
    let forms = part.rules.iter().filter_map(|rule| Some((&rule.form, rule.value.as_ref()?, rule.span)));
    clashes(cx, words, forms, &|value| quoted(value));
    if let Some(node) = table.get("pattern")
        && let Some(form) = cx.pattern(node)
    {
        part.rules.push(PartRule { form, value: None, span: node.span });
    }
    part
}

fn signal(cx: &Cx<'_>, words: &mut Words, item: &Item<'_>, table: &Table, input: InputId) {
    let ty = cx.input_type(input).clone();
    let many_words = [("ambiguous", Many::Ambiguous), ("first", Many::First), ("last", Many::Last), ("all", Many::All)];
    let many = table.get("many").and_then(|node| Field::new(node, cx.out).one_of(&many_words)).unwrap_or_default();
    let recognised = cx.signal_slots.contains_key(item.name);
    for key in ["many", "complete"] {
        if let Some(entry) = table.entry(key).filter(|_| !recognised) {
            let message = format!("`{key}` means nothing for a signal that only the host gives");
            cx.error_help(Code::UnknownKey, entry.key_span, message, "leave it out, or write `values` or rules");
        }
    }
    if !recognised {
        return;
    }
    let one = match (&ty, many) {
        (Type::List { of, .. } | Type::Set { of, .. }, Many::All) => (**of).clone(),
        (Type::List { .. } | Type::Set { .. }, _) if !poisoned(&ty) => {
            cx.error_help(
                Code::BadValue,
                item.key,
                format!("the signal {} holds many values", quoted(item.name)),
                "write `many = \"all\"`",
            );
            return;
        }
        (_, Many::All) if !poisoned(&ty) => {
            let span = table.entry("many").map_or(item.key, |entry| entry.value.span);
            cx.error_help(
                Code::WrongType,
                span,
                "`all` is for signals that are lists or sets",
                "write `list = { … }` or `set = { … }`",
            );
            return;
        }
        _ => ty.clone(),
    };
    if matches!(one, Type::Record(_) | Type::Map { .. } | Type::Narrative | Type::Document { .. }) {
        let message = format!("a signal that is {} cannot be recognised in a text", cx.shown(&one));
        cx.error_help(Code::WrongType, item.key, message, "leave its forms out: the host gives it");
        return;
    }
    let mut rules: Vec<Rule> = Vec::new();
    let shown = |value: &Value| match value {
        Value::Sym(sym) => quoted(&cx.text_of(*sym)),
        Value::Text(text) => quoted(text),
        Value::Period(period) => quoted(&period.display(&cx.names.borrow()).to_string()),
        _ => "another value".to_owned(),
    };
    if let Some(values) = table.get("values").and_then(|node| cx.table(node, "values and their forms")) {
        for entry in values {
            let value = cx.key(&entry.key, entry.key_span, &one);
            for node in cx.list(&entry.value, "forms").unwrap_or_default() {
                let Some(form) = cx.phrase(node, words, Slots::Nobody).map(Form::Phrase) else { continue };
                let Some(value) = value.clone() else { continue };
                rules.push(Rule { form, value: RuleValue::Const(value), span: node.span });
            }
        }
    }
    let mut partial: BTreeMap<usize, Span> = BTreeMap::new();
    for node in table.get("rule").and_then(|node| cx.list(node, "rules")).unwrap_or_default() {
        let Some(table) = cx.table(node, "a rule") else { continue };
        cx.allow(table, &language::RULE);
        if table.get("phrase").is_none() && table.get("pattern").is_none() {
            cx.error_help(Code::MissingKey, node.span, "a rule without words", "write `phrase` or `pattern`");
            continue;
        }
        let form = cx.form(table, words, Slots::Parts);
        let value = match table.get("value") {
            None => Some(RuleValue::Matched),
            Some(node) => rule_value(cx, words, node, &one),
        };
        let (Some(form), Some(value)) = (form, value) else { continue };
        if let RuleValue::Template(pieces) = &value {
            let given = always(&form);
            for piece in pieces {
                if let Piece::Part(part) = piece
                    && !given.contains(part)
                {
                    partial.entry(*part).or_insert(node.span);
                }
            }
        }
        rules.push(Rule { form, value, span: node.span });
    }
    let forms = rules.iter().filter_map(|rule| match &rule.value {
        RuleValue::Const(value) => Some((&rule.form, value, rule.span)),
        RuleValue::Matched | RuleValue::Template(_) => None,
    });
    clashes(cx, words, forms, &shown);
    complete(cx, words, item, table, input, &ty, &partial);
    words.signal_inputs.push(input);
    words.lexicon.signals.push(Signal { name: cx.intern(item.name), many, rules });
}

/// The parts that each way to say a form holds.
fn always(form: &Form) -> BTreeSet<usize> {
    fn of(elems: &[Elem]) -> BTreeSet<usize> {
        let mut held = BTreeSet::new();
        for elem in elems {
            match elem {
                Elem::Slot(Slot::Part(part)) => {
                    held.insert(*part);
                }
                Elem::Choice { optional: false, of: choices } => {
                    let mut each = choices.iter().map(|choice| of(choice));
                    let first = each.next().unwrap_or_default();
                    held.extend(each.fold(first, |all, next| all.intersection(&next).copied().collect()));
                }
                _ => {}
            }
        }
        held
    }
    match form {
        Form::Phrase(elems) => of(elems),
        Form::Pattern(_) => BTreeSet::new(),
    }
}

fn rule_value(cx: &Cx<'_>, words: &Words, node: &Node, ty: &Type) -> Option<RuleValue> {
    let Kind::Text(text) = &node.kind else { return cx.literal(node, ty).map(RuleValue::Const) };
    if !text.contains('{') {
        return match sigil(text) {
            Sigil::Plain(_) if !matches!(ty, Type::Bool | Type::Int | Type::Decimal) => cx.key(text, node.span, ty),
            _ => cx.literal(node, ty),
        }
        .map(RuleValue::Const);
    }
    let mut pieces = Vec::new();
    let mut from = 0;
    while let Some(open) = text[from..].find('{').map(|at| from + at) {
        let Some(close) = text[open..].find('}').map(|at| open + at) else {
            cx.error_help(Code::BadValue, cx.inside(node, open, text.len()), "the bracket is not closed", "add `}`");
            return None;
        };
        if open > from {
            pieces.push(Piece::Text(text[from..open].to_owned()));
        }
        let name = &text[open + 1..close];
        let Some(part) = words.parts.get(name) else {
            cx.unknown("part", name, cx.inside(node, open + 1, close), words.parts.keys().map(String::as_str));
            return None;
        };
        cx.note_use("part", name);
        pieces.push(Piece::Part(*part));
        from = close + 1;
    }
    if from < text.len() {
        pieces.push(Piece::Text(text[from..].to_owned()));
    }
    Some(RuleValue::Template(pieces))
}

fn complete(
    cx: &Cx<'_>,
    words: &mut Words,
    item: &Item<'_>,
    table: &Table,
    input: InputId,
    ty: &Type,
    partial: &BTreeMap<usize, Span>,
) {
    let mut completed: BTreeSet<usize> = BTreeSet::new();
    if let Some(complete) = table.get("complete").and_then(|node| cx.table(node, "parts and their sources")) {
        for entry in complete {
            let component = match entry.key.as_str() {
                "year" => Component::Year,
                "month" => Component::Month,
                _ => {
                    let message = format!("{} is no component of a period", quoted(&entry.key));
                    cx.error_help(
                        Code::BadValue,
                        entry.key_span,
                        message,
                        "a part that is completed is named `year` or `month`",
                    );
                    continue;
                }
            };
            let Some(part) = words.parts.get(entry.key.as_str()).copied() else {
                cx.unknown("part", &entry.key, entry.key_span, words.parts.keys().map(String::as_str));
                continue;
            };
            completed.insert(part);
            if *ty != Type::Period && !poisoned(ty) {
                cx.error_help(
                    Code::WrongType,
                    entry.key_span,
                    "only a `date_range` is completed",
                    "leave `complete` out",
                );
                continue;
            }
            let mut from = Vec::new();
            for node in cx.list(&entry.value, "sources").unwrap_or_default() {
                match super::derive::reference(cx, node) {
                    Some((path, found)) if cx.comparable(&found, &Type::Period) => from.push(path),
                    Some((_, found)) => {
                        let message = format!("expected a `date_range`, found {}", cx.shown(&found));
                        let help = "name a period: `\"$env.today\"`, or a field of type `date_range`";
                        cx.error_help(Code::WrongType, node.span, message, help);
                    }
                    None => {}
                }
            }
            words.completions.push(Completion { input, part, component, from });
        }
    }
    for (part, span) in partial {
        if completed.contains(part) {
            continue;
        }
        let name = &words.lexicon.parts[*part].name;
        let message = format!("the value of this rule needs {}, which its words may not hold", quoted(name));
        let help = if matches!(name.as_str(), "year" | "month") && *ty == Type::Period {
            format!("say where it comes from: `complete.{name} = [\"$env.today\"]` in `[signal.{}]`", item.name)
        } else {
            format!("put `{{{name}}}` into the phrase")
        };
        cx.error_help(Code::IncompleteValue, *span, message, help);
    }
}
