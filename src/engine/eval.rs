//! What conditions and values see at one moment of a step, and what values come to.

use std::borrow::Cow;
use std::sync::Arc;

use smol_str::SmolStrBuilder;

use crate::model::cond::{Path, Place, Step};
use crate::model::effect::Expr;
use crate::model::ids::{FrameId, FrameSet, InputId, KeptId, ModeId, Slot, SlotSet};
use crate::model::json::{scalar_text, set_of};
use crate::model::names::Sym;
use crate::model::period::Period;
use crate::model::schema::Type;
use crate::model::value::{RecordValue, Value};
use crate::model::{Pack, Status};
use crate::registry::Registry;

use super::CallOut;
use super::event::{Env, IdSource};
use super::probe::Marks;
use super::readings::ReadText;

/// The inputs of an event: the same for all candidates, and those that are worked out for one candidate.
#[derive(Debug, Clone)]
pub struct Inputs<'h> {
    /// What the event gives.
    pub given: &'h [(InputId, Value)],
    pub shared: &'h Shared,
    /// In the registry's order of late inputs.
    pub late: Vec<Value>,
    /// For each ambiguous signal the values it can have.
    pub candidates: Vec<(InputId, Value)>,
}

/// The inputs that are the same for all candidates.
#[derive(Debug, Default)]
pub struct Shared {
    /// By input.
    origins: Vec<Origin>,
    /// The values that were heard in the text.
    heard: Vec<Value>,
    pub ambiguous: Vec<InputId>,
    pub partial: Vec<InputId>,
}

/// Where the value of an input is.
#[derive(Debug, Clone, Copy)]
enum Origin {
    Nowhere,
    /// The event gives it, at this position.
    Given(usize),
    /// It was heard, as this one.
    Heard(usize),
}

impl Shared {
    /// Begins with what an event gives; of two values for one input the later one counts.
    pub fn begin(&mut self, inputs: usize, given: &[(InputId, Value)]) {
        self.origins.clear();
        self.origins.resize(inputs, Origin::Nowhere);
        for (at, (input, _)) in given.iter().enumerate() {
            self.origins[input.index()] = Origin::Given(at);
        }
        self.heard.clear();
        self.ambiguous.clear();
        self.partial.clear();
    }

    /// Adds a value that was heard.
    pub fn hear(&mut self, input: InputId, value: Value) {
        self.origins[input.index()] = Origin::Heard(self.heard.len());
        self.heard.push(value);
    }

    /// The value of an input; absent where there is none.
    pub fn get<'h>(&'h self, given: &'h [(InputId, Value)], input: InputId) -> &'h Value {
        match self.origins[input.index()] {
            Origin::Nowhere => &ABSENT,
            Origin::Given(at) => &given[at].1,
            Origin::Heard(at) => &self.heard[at],
        }
    }
}

impl Inputs<'_> {
    pub fn get(&self, registry: &Registry, input: InputId) -> &Value {
        let late = registry.late[input.index()].and_then(|late| self.late.get(usize::from(late)));
        late.unwrap_or_else(|| self.shared.get(self.given, input))
    }
}

/// An outcome, read by its port's declaration.
#[derive(Debug, Clone)]
pub struct OutcomeView {
    pub site: Sym,
    pub port: Sym,
    pub status: Status,
    pub error: Value,
    /// What an answer broke that came as ok.
    pub breach: Value,
    pub value: Vec<Value>,
    /// The texts of the answer that the lexicon has read.
    pub read: Vec<ReadText>,
    pub kept: Vec<(KeptId, Value)>,
}

impl OutcomeView {
    /// What an answer broke that came as ok.
    pub fn breach(&self) -> Option<Sym> {
        match self.breach {
            Value::Sym(breach) => Some(breach),
            _ => None,
        }
    }
}

/// The parts of the state that a class may read when signals are derived for it, and in its values. All else is absent.
#[derive(Debug, Clone, Copy)]
pub struct Readable<'a> {
    pub frames: FrameSet,
    /// Of frames of the universe only these fields.
    pub fields: Option<&'a SlotSet>,
    /// Fields of frames of the universe that are forbidden.
    pub forbidden: &'a [Slot],
    pub universe: FrameSet,
    /// Fields that may be read whatever their frame: those that the step itself has written.
    pub own: Option<&'a SlotSet>,
}

impl Readable<'_> {
    fn has(&self, slot: Slot, frame: FrameId) -> bool {
        let narrowed = || self.fields.is_some_and(|fields| !fields.has(slot)) || self.forbidden.contains(&slot);
        self.frames.has(frame) && !(self.universe.has(frame) && narrowed())
    }
}

/// Everything a condition or a value can name, at one moment of a step.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub registry: &'a Registry,
    pub now: &'a [Value],
    pub before: &'a [Value],
    pub inputs: Option<&'a Inputs<'a>>,
    pub outcome: Option<&'a OutcomeView>,
    pub answer: Option<ModeId>,
    pub reason: Option<Sym>,
    pub calls: &'a [CallOut],
    /// What the call was sent with whose answer is checked.
    pub request: &'a [(Sym, Value)],
    pub env: &'a EnvView<'a>,
    pub readable: Option<Readable<'a>>,
    pub entry: Option<Entry<'a>>,
}

/// An entry of a collection, inside `exists`, `every`, `count`.
#[derive(Clone, Copy)]
pub struct Entry<'a> {
    pub key: Option<&'a Value>,
    pub value: &'a Value,
    pub key_type: Option<&'a Type>,
    pub value_type: Option<&'a Type>,
}

/// The readable part of the environment.
pub struct EnvView<'e> {
    pub today: Value,
    now: &'e Arc<str>,
    pub turn: &'e Arc<str>,
    session: &'e Arc<str>,
}

impl<'e> EnvView<'e> {
    /// The readable part of an environment; its ids, which are taken, and its probe.
    pub fn of(env: &'e mut Env<'_>) -> (Self, &'e mut dyn IdSource, Marks<'e>) {
        let Env { now, today, session_id, turn_id, ids, trace: _, probe } = env;
        let today = Value::Period(Period::Day(*today));
        (Self { today, now, turn: turn_id, session: session_id }, &mut **ids, Marks::of(probe))
    }
}

static ABSENT: Value = Value::Absent;
static TEXT: Type = Type::Text;
static PERIOD: Type = Type::Period;

impl<'a> View<'a> {
    /// A state before any event is looked at.
    pub fn plain(registry: &'a Registry, now: &'a [Value], before: &'a [Value], env: &'a EnvView<'a>) -> Self {
        Self {
            registry,
            now,
            before,
            inputs: None,
            outcome: None,
            answer: None,
            reason: None,
            calls: &[],
            request: &[],
            env,
            readable: None,
            entry: None,
        }
    }

    fn pack(&self) -> &'a Pack {
        self.registry.pack()
    }

    /// The value at a path; absent where there is none.
    pub fn get(&self, path: &'a Path) -> Cow<'a, Value> {
        let start = self.start(path.place);
        if path.steps.is_empty() {
            return start;
        }
        let mut ty = self.place_type(path.place);
        let mut value = start;
        for step in &path.steps {
            let (next, next_type) = self.follow(value, ty, step);
            value = next;
            ty = next_type;
        }
        value
    }

    fn may_read(&self, slot: Slot) -> bool {
        self.readable.as_ref().is_none_or(|readable| readable.has(slot, self.pack().slots[slot.index()].frame))
    }

    fn start(&self, place: Place) -> Cow<'a, Value> {
        let names = &self.registry.syms;
        let sym = |sym: Sym| Cow::Owned(Value::Sym(sym));
        match place {
            Place::Field(slot) => {
                let own = || self.readable.as_ref().and_then(|readable| readable.own).is_some_and(|own| own.has(slot));
                let there = self.may_read(slot) || own();
                Cow::Borrowed(if there { &self.now[slot.index()] } else { &ABSENT })
            }
            Place::Before(slot) => {
                Cow::Borrowed(if self.may_read(slot) { &self.before[slot.index()] } else { &ABSENT })
            }
            Place::Input(input) => {
                Cow::Borrowed(self.inputs.map_or(&ABSENT, |inputs| inputs.get(self.registry, input)))
            }
            Place::Ambiguous(input) => match self.inputs {
                Some(inputs) => Cow::Owned(Value::Bool(inputs.shared.ambiguous.contains(&input))),
                None => Cow::Borrowed(&ABSENT),
            },
            Place::Candidates(input) => Cow::Borrowed(self.inputs.map_or(&ABSENT, |inputs| {
                let found = inputs.candidates.iter().find(|(ambiguous, _)| *ambiguous == input);
                found.map_or(&ABSENT, |(_, values)| values)
            })),
            Place::Partial(input) => match self.inputs {
                Some(inputs) => Cow::Owned(Value::Bool(inputs.shared.partial.contains(&input))),
                None => Cow::Borrowed(&ABSENT),
            },
            Place::Outcome(id) => {
                Cow::Borrowed(self.outcome.and_then(|outcome| outcome.value.get(id.index())).unwrap_or(&ABSENT))
            }
            Place::OutcomeStatus => {
                self.outcome.map_or(Cow::Borrowed(&ABSENT), |outcome| sym(names.statuses[outcome.status as usize]))
            }
            Place::OutcomeCall => self.outcome.map_or(Cow::Borrowed(&ABSENT), |outcome| sym(outcome.site)),
            Place::OutcomePort => self.outcome.map_or(Cow::Borrowed(&ABSENT), |outcome| sym(outcome.port)),
            Place::OutcomeError => Cow::Borrowed(self.outcome.map_or(&ABSENT, |outcome| &outcome.error)),
            Place::OutcomeBreach => Cow::Borrowed(self.outcome.map_or(&ABSENT, |outcome| &outcome.breach)),
            Place::Request(_, name) => {
                let value = self.request.iter().find(|(known, _)| *known == name);
                Cow::Borrowed(value.map_or(&ABSENT, |(_, value)| value))
            }
            Place::Kept(id) => Cow::Borrowed(self.outcome.map_or(&ABSENT, |outcome| {
                outcome.kept.iter().find(|(kept, _)| *kept == id).map_or(&ABSENT, |(_, value)| value)
            })),
            Place::AnswerMode => {
                self.answer.map_or(Cow::Borrowed(&ABSENT), |mode| sym(self.pack().modes[mode.index()].name))
            }
            Place::AnswerClaims => self.answer.map_or(Cow::Borrowed(&ABSENT), |mode| {
                sym(names.claims[self.pack().modes[mode.index()].claims as usize])
            }),
            Place::Reason => self.reason.map_or(Cow::Borrowed(&ABSENT), sym),
            Place::CallPorts => {
                let mut ports: Vec<Value> =
                    self.calls.iter().map(|call| Value::Sym(self.pack().ports[call.port.index()].name)).collect();
                ports.sort();
                ports.dedup();
                Cow::Owned(Value::List(ports.into()))
            }
            Place::CallPort(site) => match self.calls.iter().find(|call| call.site == site) {
                Some(call) => sym(self.pack().ports[call.port.index()].name),
                None => Cow::Borrowed(&ABSENT),
            },
            Place::CallArg(site, arg) => {
                let call = self.calls.iter().find(|call| call.site == site);
                let value = call.and_then(|call| call.with.iter().find(|(name, _)| *name == arg));
                Cow::Borrowed(value.map_or(&ABSENT, |(_, value)| value))
            }
            Place::EnvToday => Cow::Borrowed(&self.env.today),
            Place::EnvNow => Cow::Owned(Value::Instant(self.env.now.clone())),
            Place::EnvTurn => Cow::Owned(Value::Text(self.env.turn.clone().into())),
            Place::EnvSession => Cow::Owned(Value::Text(self.env.session.clone().into())),
            Place::EntryKey => Cow::Borrowed(self.entry.and_then(|entry| entry.key).unwrap_or(&ABSENT)),
            Place::EntryValue => Cow::Borrowed(self.entry.map_or(&ABSENT, |entry| entry.value)),
        }
    }

    fn place_type(&self, place: Place) -> Option<&'a Type> {
        let pack = self.pack();
        match place {
            Place::Field(slot) | Place::Before(slot) => Some(&pack.slots[slot.index()].ty),
            Place::Input(input) => Some(&pack.inputs[input.index()].ty),
            Place::Outcome(id) => Some(&pack.outcomes[id.index()].ty),
            Place::Kept(id) => Some(&pack.kept[id.index()].1),
            Place::Request(port, name) => {
                let request = &pack.ports[port.index()].request;
                request.iter().find(|declared| declared.name == name).map(|declared| &declared.ty)
            }
            Place::CallArg(site, arg) => {
                let call = self.calls.iter().find(|call| call.site == site)?;
                let request = &pack.ports[call.port.index()].request;
                request.iter().find(|declared| declared.name == arg).map(|declared| &declared.ty)
            }
            Place::EntryKey => self.entry.and_then(|entry| entry.key_type),
            Place::EntryValue => self.entry.and_then(|entry| entry.value_type),
            Place::EnvToday => Some(&PERIOD),
            _ => Some(&TEXT),
        }
    }

    /// The types of the keys and values of a collection at a path.
    pub fn entry_types(&self, path: &'a Path) -> (Option<&'a Type>, Option<&'a Type>) {
        match path.steps.split_last() {
            Some((Step::Each(name), before)) => {
                let Some(Type::List { of, .. }) = self.type_along(path.place, before) else { return (None, None) };
                let Type::Record(id) = &**of else { return (None, None) };
                let mut fields = self.pack().records[id.index()].fields.iter();
                (None, fields.find(|field| field.name == *name).map(|field| &field.ty))
            }
            _ => match self.type_along(path.place, &path.steps) {
                Some(Type::Map { key, of, .. }) => (Some(&**key), Some(&**of)),
                Some(Type::List { of, .. } | Type::Set { of, .. }) => (None, Some(&**of)),
                _ => (None, None),
            },
        }
    }

    fn type_along(&self, place: Place, steps: &'a [Step]) -> Option<&'a Type> {
        let mut ty = self.place_type(place);
        for step in steps {
            ty = self.follow(Cow::Borrowed(&ABSENT), ty, step).1.or_else(|| match (step, ty) {
                (Step::Column(name), Some(Type::Key(table))) => {
                    let table = &self.pack().tables[table.index()];
                    table.column(*name).map(|column| &table.columns[column].ty)
                }
                _ => None,
            });
        }
        ty
    }

    fn follow(
        &self,
        value: Cow<'a, Value>,
        ty: Option<&'a Type>,
        step: &'a Step,
    ) -> (Cow<'a, Value>, Option<&'a Type>) {
        let pack = self.pack();
        match step {
            Step::Field(name) => {
                let declared = match ty {
                    Some(Type::Record(id)) => {
                        pack.records[id.index()].fields.iter().find(|field| field.name == *name).map(|field| &field.ty)
                    }
                    _ => None,
                };
                let found = match value {
                    Cow::Borrowed(Value::Record(record)) => Cow::Borrowed(record.field(*name)),
                    Cow::Owned(Value::Record(record)) => Cow::Owned(record.field(*name).clone()),
                    _ => Cow::Borrowed(&ABSENT),
                };
                (found, declared)
            }
            Step::Column(name) => {
                let Some(Type::Key(table)) = ty else { return (Cow::Borrowed(&ABSENT), None) };
                let table = &pack.tables[table.index()];
                let Value::Sym(key) = *value else { return (Cow::Borrowed(&ABSENT), None) };
                match table.column(*name) {
                    Some(column) => {
                        let cell = table.row(key).map_or(&ABSENT, |row| &row.cells[column]);
                        (Cow::Borrowed(cell), Some(&table.columns[column].ty))
                    }
                    None => (value, ty),
                }
            }
            Step::Lookup(path) => {
                let key = self.get(path);
                let of = match ty {
                    Some(Type::Map { of, .. }) => Some(&**of),
                    _ => None,
                };
                let found = match &value {
                    Cow::Borrowed(Value::Map(entries)) => Cow::Borrowed(map_get(entries, &key)),
                    Cow::Owned(Value::Map(entries)) => Cow::Owned(map_get(entries, &key).clone()),
                    _ => Cow::Borrowed(&ABSENT),
                };
                (found, of)
            }
            Step::Keys => match &*value {
                Value::Map(entries) => {
                    let keys: Vec<Value> = entries.iter().map(|(key, _)| key.clone()).collect();
                    (Cow::Owned(Value::List(keys.into())), None)
                }
                _ => (Cow::Borrowed(&ABSENT), None),
            },
            Step::Each(name) => match &*value {
                Value::List(items) => {
                    let fields = items.iter().filter_map(|item| match item {
                        Value::Record(record) => Some(record.field(*name)).filter(|field| field.is_present()),
                        _ => None,
                    });
                    (Cow::Owned(Value::List(set_of(fields.cloned().collect()).into())), None)
                }
                _ => (Cow::Borrowed(&ABSENT), None),
            },
        }
    }

    /// What a value comes to. `Ok(Absent)` for an optional path that is absent.
    ///
    /// # Errors
    /// The path of a plain `$x` that is absent: loading proves that it cannot happen.
    pub fn value(&self, expr: &'a Expr, ids: &mut dyn IdSource) -> Result<Cow<'a, Value>, &'a Path> {
        let made = match expr {
            Expr::Value(value) => return Ok(Cow::Borrowed(value)),
            Expr::Path { path, optional } => {
                let value = self.get(path);
                return if value.is_present() || *optional { Ok(value) } else { Err(path) };
            }
            Expr::First(of) => {
                let mut missing = None;
                for expr in of {
                    match self.value(expr, ids) {
                        Ok(value) if value.is_present() => return Ok(value),
                        Ok(_) => missing = None,
                        Err(path) => missing = Some(path),
                    }
                }
                return missing.map_or(Ok(Cow::Borrowed(&ABSENT)), Err);
            }
            Expr::Join { of, sep } => {
                let mut text = SmolStrBuilder::new();
                let mut between = "";
                let mut add = |item: &Value| {
                    text.push_str(std::mem::replace(&mut between, sep));
                    text.push_str(&scalar_text(&self.pack().names, item));
                };
                for expr in of {
                    match &*self.value(expr, ids)? {
                        Value::Absent => {}
                        Value::List(items) => items.iter().for_each(&mut add),
                        value => add(value),
                    }
                }
                Value::Text(text.finish())
            }
            Expr::NewId(prefix) => Value::Text(ids.fresh(prefix).into()),
            Expr::Record(fields) => {
                let mut record = RecordValue::default();
                for (name, expr) in fields {
                    let value = self.value(expr, ids)?;
                    if value.is_present() {
                        record.fields.push((*name, value.into_owned()));
                    }
                }
                Value::Record(record.into())
            }
            Expr::List(of) => {
                let mut items = Vec::new();
                for expr in of {
                    let value = self.value(expr, ids)?;
                    if value.is_present() {
                        items.push(value.into_owned());
                    }
                }
                Value::List(items.into())
            }
            Expr::Map(of) => {
                let mut entries = Vec::new();
                for (key, expr) in of {
                    let (key, value) = (self.value(key, ids)?, self.value(expr, ids)?);
                    if key.is_present() && value.is_present() {
                        entries.retain(|(other, _)| *other != *key);
                        entries.push((key.into_owned(), value.into_owned()));
                    }
                }
                entries.sort();
                Value::Map(entries.into())
            }
            Expr::Pick(pick) => {
                let found = self.get(&pick.from);
                if !found.is_present() {
                    return if pick.optional { Ok(found) } else { Err(&pick.from) };
                }
                self.picked(pick, &found)
            }
        };
        Ok(Cow::Owned(made))
    }
}

/// The value under a key of a map.
pub fn map_get<'v>(entries: &'v [(Value, Value)], key: &Value) -> &'v Value {
    entries.iter().find(|(entry, _)| entry == key).map_or(&ABSENT, |(_, value)| value)
}
