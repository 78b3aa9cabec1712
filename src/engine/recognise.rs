//! From an event to inputs: host signals, recognised signals, triggers that fired, and what is worked out per candidate.

use smallvec::SmallVec;

use crate::lexicon::{Meaning, Normalised, Occurrence, PartialPiece, Resolved, Scan, Scratch, meaning, resolve, shown};
use crate::model::class::By;
use crate::model::cond::Operand;
use crate::model::ids::{ClassId, EventId, InputId};
use crate::model::json::{parse_text, set_of};
use crate::model::period::Period;
use crate::model::schema::Type;
use crate::model::value::Value;
use crate::model::{Component, Derivation, InputKind};
use crate::registry::Registry;

use super::eval::{Inputs, Shared, View};
use super::trace::Said;

/// What an input event brought, before any candidate looks at it. Its buffers are used again by the next event.
#[derive(Debug, Default)]
pub struct Heard {
    pub inputs: Shared,
    /// Trigger forms that matched: form, number of tokens of the longest match.
    pub fired: Vec<(usize, u32)>,
    /// Partial values.
    pub partial: Vec<(InputId, Vec<PartialPiece>)>,
    /// What the text says of the signals that are ambiguous, in text order.
    pub ambiguous: Vec<(InputId, Vec<Meaning>)>,
    /// The signals that were given or recognised.
    pub said: Vec<Said>,
    pub text: Option<String>,
}

impl Heard {
    /// Whether the text says something of a signal that is not one whole value.
    fn half_said(&self, input: InputId) -> bool {
        self.inputs.partial.contains(&input) || self.inputs.ambiguous.contains(&input)
    }

    fn begin(&mut self, inputs: usize, given: &[(InputId, Value)]) {
        self.inputs.begin(inputs, given);
        self.fired.clear();
        self.partial.clear();
        self.ambiguous.clear();
        self.said.clear();
        self.text = None;
    }
}

/// What an event gives, and what was heard in its text.
#[derive(Debug, Clone, Copy)]
pub struct Hearing<'h> {
    pub given: &'h [(InputId, Value)],
    pub heard: &'h Heard,
}

impl<'h> Hearing<'h> {
    /// The value of an input, the same for all candidates.
    fn get(self, input: InputId) -> &'h Value {
        self.heard.inputs.get(self.given, input)
    }
}

/// What a text is heard with: the normalised text, what was found in it, and the buffers of the search.
#[derive(Debug, Default)]
pub struct Ear {
    text: Normalised,
    scan: Scan,
    scratch: Scratch,
}

/// Hears an event: types are those of the declarations, host signals win over recognised ones.
pub fn hear<'h>(
    registry: &Registry,
    event: EventId,
    given: &'h [(InputId, Value)],
    trace: bool,
    ear: &mut Ear,
    heard: &'h mut Heard,
) -> Hearing<'h> {
    let pack = registry.pack();
    heard.begin(pack.inputs.len(), given);
    for (input, value) in given {
        if registry.is_signal(*input) {
            heard.said.push(Said {
                input: *input,
                value: value.clone(),
                span: None,
                overruled: false,
                ambiguous: false,
                partial: false,
            });
        }
    }
    if let Some(input) = pack.events[event.index()].text {
        let last = given.iter().rev().find(|(field, _)| *field == input);
        if let Some((_, Value::Text(text))) = last {
            listen(registry, text, given, trace, ear, heard);
        }
    }
    Hearing { given, heard }
}

fn listen(registry: &Registry, text: &str, given: &[(InputId, Value)], trace: bool, ear: &mut Ear, heard: &mut Heard) {
    let pack = registry.pack();
    let Ear { text: normalised, scan, scratch } = ear;
    normalised.set(text);
    registry.scan_into(normalised, scratch, scan);
    if let Some((command, rest)) = &scan.command {
        for (index, input) in pack.inputs.iter().enumerate() {
            if input.kind == InputKind::Command {
                let value = match input.ty {
                    Type::Text => Value::text(&text[rest.clone()]),
                    _ => Value::Sym(pack.lexicon.commands[*command].0),
                };
                heard.inputs.hear(InputId::at(index), value);
            }
        }
    }
    for fired in &scan.fired {
        // Matches come by trigger.
        let tokens = fired.tokens.1 - fired.tokens.0;
        match heard.fired.last_mut() {
            Some((form, longest)) if *form == fired.trigger => *longest = (*longest).max(tokens),
            _ => heard.fired.push((fired.trigger, tokens)),
        }
    }
    let mut at = 0;
    while at < scan.signals.len() {
        // Occurrences come by place; a signal's are gathered at its first one.
        let signal = scan.signals[at].signal;
        if !scan.signals[..at].iter().any(|earlier| earlier.signal == signal) {
            let occurrences: Vec<&Occurrence> = scan.signals.iter().filter(|o| o.signal == signal).collect();
            settle_signal(registry, signal, &occurrences, given, heard);
        }
        at += 1;
    }
    if trace {
        heard.text = Some(normalised.padded().trim().to_owned());
    }
}

/// Decides what the occurrences of one signal come to, by its `many`.
fn settle_signal(
    registry: &Registry,
    signal: usize,
    occurrences: &[&Occurrence],
    given: &[(InputId, Value)],
    heard: &mut Heard,
) {
    let pack = registry.pack();
    let input = pack.signal_inputs[signal];
    let mut meanings = Vec::with_capacity(occurrences.len());
    let mut spans = Vec::with_capacity(occurrences.len());
    for occurrence in occurrences {
        if let Some(meaning) = meaning(pack, occurrence) {
            meanings.push(meaning);
            spans.push(occurrence.span);
        }
    }
    let overruled = heard.inputs.get(given, input).is_present();
    let mut said = |value: Value, at: usize, ambiguous, partial| {
        heard.said.push(Said { input, value, span: Some(spans[at]), overruled, ambiguous, partial });
    };
    match resolve(pack.lexicon.signals[signal].many, &meanings) {
        Resolved::Nothing => {}
        Resolved::One(at) => match meanings.swap_remove(at) {
            Meaning::Value(value) => {
                said(value.clone(), at, false, false);
                if !overruled {
                    heard.inputs.hear(input, value);
                }
            }
            Meaning::Partial(pieces) => {
                said(Value::text(&shown(pack, &pieces)), at, false, true);
                if !overruled {
                    heard.inputs.partial.push(input);
                    heard.partial.push((input, pieces));
                }
            }
        },
        Resolved::All(different) => {
            let mut values: Vec<Value> = Vec::new();
            for at in different {
                // A signal with `all` has no partial values: loading refuses them.
                if let Meaning::Value(value) = &meanings[at] {
                    said(value.clone(), at, false, false);
                    values.push(value.clone());
                }
            }
            if !overruled {
                let set = matches!(pack.inputs[input.index()].ty, Type::Set { .. });
                heard.inputs.hear(input, Value::List(if set { set_of(values) } else { values }.into()));
            }
        }
        Resolved::Ambiguous(different) => {
            let values = different.iter().map(|at| match &meanings[*at] {
                Meaning::Value(value) => value.clone(),
                Meaning::Partial(pieces) => Value::text(&shown(pack, pieces)),
            });
            said(Value::List(values.collect()), 0, true, false);
            if !overruled {
                heard.inputs.ambiguous.push(input);
                heard.ambiguous.push((input, different.into_iter().map(|at| meanings[at].clone()).collect()));
            }
        }
    }
}

/// The alternatives of a trigger that matched, in declared order.
pub type Matched = SmallVec<[usize; 8]>;

/// Whether a trigger matches; when it does, the alternatives that matched.
pub fn triggered(registry: &Registry, class: ClassId, trigger: usize, hearing: Hearing<'_>) -> Option<Matched> {
    let heard = hearing.heard;
    let declared = &registry.pack().classes[class.index()].triggers[trigger];
    let matches = |alternative: &usize| match &declared.any[*alternative].by {
        By::Ambiguous(input) => heard.inputs.ambiguous.contains(input),
        By::Words(_) => heard.fired.iter().any(|(form, _)| registry.forms[*form] == (class, trigger, *alternative)),
        By::Signal { input, is } => {
            let value = hearing.get(*input);
            let there = value.is_present() || (is.is_empty() && heard.inputs.partial.contains(input));
            there
                && (is.is_empty()
                    || match value {
                        Value::List(items) => items.iter().any(|item| is.contains(item)),
                        value => is.contains(value),
                    })
        }
    };
    let mut matched = Matched::new();
    for alternative in (0..declared.any.len()).filter(matches) {
        matched.push(alternative);
    }
    (declared.any.is_empty() || !matched.is_empty()).then_some(matched)
}

/// Works out the inputs that differ by candidate: values set by the alternatives that matched, the tag, completions of
/// partial values, derived signals. `view` says what the candidate may read; `late` is room to reuse.
pub fn work_out<'h>(
    view: &View<'_>,
    class: ClassId,
    trigger: usize,
    matched: &[usize],
    hearing: Hearing<'h>,
    mut late: Vec<Value>,
) -> Inputs<'h> {
    let Hearing { given, heard } = hearing;
    let registry = view.registry;
    let pack = registry.pack();
    late.clear();
    late.extend(registry.late_inputs.iter().map(|input| hearing.get(*input).clone()));
    let candidates = heard.ambiguous.iter().map(|(input, of)| (*input, candidates(view, *input, of))).collect();
    let mut inputs = Inputs { given, shared: &heard.inputs, late, candidates };
    let place = |input: InputId| registry.late[input.index()].map(usize::from).unwrap_or(usize::MAX);
    let declared = &pack.classes[class.index()].triggers[trigger];
    for alternative in matched {
        for (input, value) in &declared.any[*alternative].sets {
            let slot = place(*input);
            if !inputs.late[slot].is_present() && !heard.half_said(*input) {
                inputs.late[slot] = value.clone();
            }
        }
    }
    if let Some(tag) = registry.tag {
        inputs.late[place(tag)] = tag_of(registry, class, trigger, matched, heard);
    }
    for (input, pieces) in &heard.partial {
        if let Some(late) = inputs.late.get_mut(place(*input))
            && !late.is_present()
        {
            *late = complete(view, *input, pieces).unwrap_or_default();
        }
    }
    for (index, derived) in pack.derived.iter().enumerate() {
        if registry.derived_needed[class.index()][index] {
            let value = derive(&View { inputs: Some(&inputs), ..*view }, &derived.rule);
            inputs.late[place(derived.input)] = value;
        }
    }
    inputs
}

/// The tag of the longest phrase that matched; absent when two of that length have different tags. An alternative without
/// words is as short as can be.
fn tag_of(registry: &Registry, class: ClassId, trigger: usize, matched: &[usize], heard: &Heard) -> Value {
    let declared = &registry.pack().classes[class.index()].triggers[trigger];
    let length = |alternative: usize| {
        let form = |form: usize| registry.forms[form] == (class, trigger, alternative);
        heard.fired.iter().find(|(fired, _)| form(*fired)).map_or(0, |(_, tokens)| *tokens)
    };
    let longest = matched.iter().map(|alternative| length(*alternative)).max();
    let longest = matched.iter().filter(|alternative| Some(length(**alternative)) == longest);
    let mut tags = longest.filter_map(|alternative| declared.any[*alternative].tag);
    match tags.next() {
        Some(tag) if tags.all(|other| other == tag) => Value::Sym(tag),
        _ => Value::Absent,
    }
}

/// A value with what is missing taken of the first source that is there; `None` where it stays incomplete.
pub(super) fn complete(view: &View<'_>, input: InputId, pieces: &[PartialPiece]) -> Option<Value> {
    let pack = view.registry.pack();
    let mut text = String::new();
    for piece in pieces {
        match piece {
            PartialPiece::Known(known) => text.push_str(known),
            PartialPiece::Missing(part) => {
                let completion = pack.completions.iter().find(|c| c.input == input && c.part == *part)?;
                let source = completion.from.iter().map(|path| view.get(path)).find(|value| value.is_present())?;
                text.push_str(&component(view, &source, completion.component)?);
            }
        }
    }
    parse_text(pack, &pack.inputs[input.index()].ty, &text)
}

/// The values that an ambiguous signal can have for the candidate: each once, in text order, partial ones completed. One that
/// cannot be completed is no value.
fn candidates(view: &View<'_>, input: InputId, meanings: &[Meaning]) -> Value {
    let mut values: Vec<Value> = Vec::new();
    for meaning in meanings {
        let value = match meaning {
            Meaning::Value(value) => Some(value.clone()),
            Meaning::Partial(pieces) => complete(view, input, pieces),
        };
        values.extend(value.filter(|value| !values.contains(value)));
    }
    Value::List(values.into())
}

/// A component of the last day of a period.
fn component(view: &View<'_>, source: &Value, component: Component) -> Option<String> {
    let Value::Period(period) = source else { return None };
    let Value::Period(Period::Day(today)) = view.env.today else { return None };
    let (_, last) = period.interval(today, &view.registry.pack().relative)?;
    Some(match component {
        Component::Year => format!("{:04}", last.year()),
        Component::Month => format!("{:02}", last.month()),
    })
}

fn derive(view: &View<'_>, rule: &Derivation) -> Value {
    match rule {
        Derivation::Lookup { table, wher } => {
            let table = &view.registry.pack().tables[table.index()];
            let mut wanted = Vec::with_capacity(wher.len());
            for (column, operand) in wher {
                let value = match operand {
                    Operand::Value(value) => value.clone(),
                    Operand::Path(path) => view.get(path).into_owned(),
                };
                if !value.is_present() {
                    return Value::Absent;
                }
                wanted.push((*column, value));
            }
            let mut fits = table.rows.iter().filter(|row| {
                wanted.iter().all(|(column, value)| match column {
                    Some(column) => row.cells[*column] == *value,
                    None => Value::Sym(row.key) == *value,
                })
            });
            match (fits.next(), fits.next()) {
                (Some(row), None) => Value::Sym(row.key),
                _ => Value::Absent,
            }
        }
        Derivation::Members { of, at, maps, lacking } => {
            let Value::List(members) = &*view.get(of) else { return Value::Absent };
            let there = |member: &Value| {
                let placed = at.iter().find(|(name, _)| name == member);
                placed.is_some_and(|(_, paths)| paths.iter().any(|path| view.get(path).is_present()))
                    || maps.iter().any(|path| match &*view.get(path) {
                        Value::Map(entries) => entries.iter().any(|(key, _)| key == member),
                        Value::List(items) => items.contains(member),
                        _ => false,
                    })
            };
            let found: Vec<Value> = members.iter().filter(|member| there(member) != *lacking).cloned().collect();
            Value::List(set_of(found).into())
        }
        Derivation::FirstOf(paths) => paths
            .iter()
            .map(|path| view.get(path))
            .find(|value| value.is_present())
            .map_or(Value::Absent, std::borrow::Cow::into_owned),
    }
}
