//! What has been declared so far, by name, and the small readers that all parts of the loader share.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use crate::diag::{Aspect, Code, Diagnostic, Diagnostics, did_you_mean, listed, quoted, round, suggest};
use crate::language::Shape;
use crate::model::ids::{EnumId, FrameId, InputId, KeptId, OutcomeId, PortId, RecordId, Slot};
use crate::model::names::{Names, Sym};
use crate::model::period::RelativePeriod;
use crate::model::schema::{
    Carryover, Enum, Field as Column, Frame, NamedType, Param, Record, Table as Vocabulary, Type,
};
use crate::model::{Contract, Event, Input, Message, Mode, Port, WhileOpen};
use crate::source::{SourceMap, Span};
use crate::syntax::{Entry, Field, Kind, Node, Table};

/// The type of what was declared wrongly: nothing more is said about it.
pub(super) const POISON: Type = Type::Enum(EnumId(u16::MAX));

/// Names that no frame, field, signal, parameter or call may bear.
pub const RESERVED: &[&str] = &[
    "input",
    "outcome",
    "before",
    "answer",
    "reason",
    "call",
    "env",
    "any",
    "all",
    "not",
    "is",
    "in",
    "gt",
    "gte",
    "lt",
    "lte",
    "present",
    "empty",
    "size",
    "contains",
    "subset_of",
    "same_set",
    "disjoint",
    "covered_by",
    "exists",
    "every",
    "count",
    "differs",
    "key",
    "value",
    "boundary",
];

/// Names that no column, field of a record, argument or field of an answer may bear: tests that may stand beside them.
const RESERVED_INSIDE: &[&str] = &["not", "in", "present", "differs"];

/// Whether a type was declared wrongly.
pub(super) fn poisoned(ty: &Type) -> bool {
    match ty {
        Type::Enum(EnumId(u16::MAX)) => true,
        Type::List { of, .. } | Type::Set { of, .. } => poisoned(of),
        Type::Map { key, of, .. } => poisoned(key) || poisoned(of),
        _ => false,
    }
}

/// A named declaration of a section.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item<'n> {
    pub name: &'n str,
    pub key: Span,
    pub node: &'n Node,
}

/// The enums of words that the engine knows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Words {
    pub status: EnumId,
    pub claims: EnumId,
    pub modes: EnumId,
    pub ports: EnumId,
    pub calls: EnumId,
    pub reasons: EnumId,
    pub breaches: EnumId,
}

impl Words {
    fn none() -> Self {
        let none = EnumId(u16::MAX);
        Self { status: none, claims: none, modes: none, ports: none, calls: none, reasons: none, breaches: none }
    }
}

/// Positions by name.
pub(super) type ByName = BTreeMap<String, u16>;

/// All that is declared, filled phase by phase.
pub(super) struct Cx<'a> {
    pub out: &'a Diagnostics,
    pub sources: &'a SourceMap,
    /// Whether something of the pack was not taken in, be it a file that cannot be read or more of something than there may
    /// be: what is not here may stand there.
    pub partial: Cell<bool>,
    /// Of what there is more than there may be.
    full: RefCell<BTreeSet<String>>,
    pub names: RefCell<Names>,
    pub enums: RefCell<Vec<Enum>>,
    /// Lists of records of which no two bear the same value: the records, the field and where that is said.
    pub unique: RefCell<Vec<(RecordId, Sym, Span)>>,
    pub enum_names: ByName,
    pub tables: Vec<Vocabulary>,
    pub table_names: ByName,
    pub records: Vec<Record>,
    pub record_names: ByName,
    pub relative: Vec<RelativePeriod>,
    pub params: Vec<Param>,
    pub param_names: ByName,
    pub frames: Vec<Frame>,
    pub frame_names: ByName,
    pub slots: Vec<Column>,
    /// What an input does while calls are open.
    pub while_open: WhileOpen,
    /// Names of keyed frames, known before any type is read.
    pub keyed_names: BTreeSet<String>,
    pub events: Vec<Event>,
    pub event_names: ByName,
    pub inputs: Vec<Input>,
    pub input_names: ByName,
    pub ports: Vec<Port>,
    pub port_names: ByName,
    pub contracts: Vec<Contract>,
    pub contract_names: ByName,
    pub outcomes: Vec<NamedType>,
    pub outcome_names: ByName,
    pub kept: Vec<(Sym, Type, Span)>,
    pub kept_names: ByName,
    pub messages: Vec<Message>,
    pub message_names: ByName,
    pub modes: Vec<Mode>,
    pub mode_names: ByName,
    pub carryover: Option<Carryover>,
    pub decide: Vec<FrameId>,
    pub owners: BTreeSet<String>,
    pub words: Words,
    pub conditions: BTreeMap<&'a str, Item<'a>>,
    pub blocks: BTreeMap<&'a str, Item<'a>>,
    /// For each id of a call in any class the ports it is made on.
    pub calls: BTreeMap<String, BTreeSet<PortId>>,
    /// Where each signal was declared that a phrase may name, and its position in the lexicon.
    pub signal_slots: BTreeMap<String, usize>,
    /// Events whose text is not known, because its field was declared wrongly: whether they carry signals is not judged.
    pub deaf: BTreeSet<u16>,
    /// Places of keys that were reported as unknown: what they were meant to be is not reported as missing.
    flagged: RefCell<BTreeSet<Span>>,
    /// Whether a class has no id: a class of any name may be the one that is meant.
    pub unnamed: Cell<bool>,
    /// Whether `decide` names a frame that is not there: classes may say what becomes of it.
    pub undecided: bool,
    /// Texts that spell a path, and where.
    pub unmarked: RefCell<BTreeSet<(Span, String)>>,
    /// Named conditions and blocks that were written out somewhere.
    pub used: RefCell<BTreeSet<Span>>,
    /// What was named somewhere, by what it was looked up as.
    named: RefCell<BTreeMap<&'static str, BTreeSet<String>>>,
    /// Rings of named conditions and blocks that were told, each from its first name on.
    rings: RefCell<BTreeSet<Vec<String>>>,
    /// How many conditions and effects were written out of named ones so far.
    pub inlined: Cell<usize>,
    /// The places of paths that begin with nothing that there is.
    pub wrong: RefCell<BTreeSet<Span>>,
}

impl<'a> Cx<'a> {
    pub fn new(out: &'a Diagnostics, sources: &'a SourceMap, partial: bool) -> Self {
        Self {
            out,
            sources,
            partial: Cell::new(partial),
            full: RefCell::default(),
            names: RefCell::default(),
            enums: RefCell::default(),
            unique: RefCell::default(),
            enum_names: ByName::new(),
            tables: Vec::new(),
            table_names: ByName::new(),
            records: Vec::new(),
            record_names: ByName::new(),
            relative: Vec::new(),
            params: Vec::new(),
            param_names: ByName::new(),
            frames: Vec::new(),
            frame_names: ByName::new(),
            slots: Vec::new(),
            while_open: WhileOpen::default(),
            keyed_names: BTreeSet::new(),
            events: Vec::new(),
            event_names: ByName::new(),
            inputs: Vec::new(),
            input_names: ByName::new(),
            ports: Vec::new(),
            port_names: ByName::new(),
            contracts: Vec::new(),
            contract_names: ByName::new(),
            outcomes: Vec::new(),
            outcome_names: ByName::new(),
            kept: Vec::new(),
            kept_names: ByName::new(),
            messages: Vec::new(),
            message_names: ByName::new(),
            modes: Vec::new(),
            mode_names: ByName::new(),
            carryover: None,
            decide: Vec::new(),
            owners: BTreeSet::new(),
            words: Words::none(),
            conditions: BTreeMap::new(),
            blocks: BTreeMap::new(),
            calls: BTreeMap::new(),
            signal_slots: BTreeMap::new(),
            deaf: BTreeSet::new(),
            flagged: RefCell::default(),
            unnamed: Cell::new(false),
            undecided: false,
            unmarked: RefCell::default(),
            used: RefCell::default(),
            named: RefCell::default(),
            rings: RefCell::default(),
            inlined: Cell::new(0),
            wrong: RefCell::default(),
        }
    }

    pub fn intern(&self, text: &str) -> Sym {
        self.names.borrow_mut().intern(text)
    }

    pub fn text_of(&self, sym: Sym) -> String {
        self.names.borrow().text(sym).to_owned()
    }

    pub fn error_help(&self, code: Code, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.out.push(Diagnostic::error(code, span, message).help(help));
    }

    /// A table, or `None` and a wrong type.
    pub fn table<'n>(&self, node: &'n Node, what: &str) -> Option<&'n Table> {
        match &node.kind {
            Kind::Table(table) => Some(table),
            _ => self.wrong(node, &format!("{what} (a table)")),
        }
    }

    /// A list, or `None` and a wrong type.
    pub fn list<'n>(&self, node: &'n Node, what: &str) -> Option<&'n [Node]> {
        match &node.kind {
            Kind::List(items) => Some(items),
            _ => self.wrong(node, &format!("{what} (a list)")),
        }
    }

    /// Text, or `None` and a wrong type.
    pub fn text<'n>(&self, node: &'n Node) -> Option<&'n str> {
        let Kind::Text(text) = &node.kind else {
            Field::new(node, self.out).text();
            return None;
        };
        Some(text)
    }

    /// Text that is not empty.
    pub fn word<'n>(&self, node: &'n Node) -> Option<&'n str> {
        let text = self.text(node)?;
        Field::new(node, self.out).word().map(|_| text)
    }

    pub fn wrong<T>(&self, node: &Node, expected: &str) -> Option<T> {
        Field::new(node, self.out).wrong_type(expected)
    }

    /// Reports keys that a table of this kind does not have.
    pub fn allow(&self, table: &Table, shape: &Shape) {
        self.allow_only(table, shape.what, &shape.names());
    }

    /// Reports keys that do not belong here, where the place decides which ones do.
    pub fn allow_only(&self, table: &Table, what: &str, known: &[&str]) {
        for entry in table {
            if !known.contains(&entry.key.as_str()) {
                let message = format!("unknown key {} in {what}", quoted(&entry.key));
                let help = match suggest(&entry.key, known.iter().copied()) {
                    Some(name) => did_you_mean(&entry.key, name),
                    None => format!("the keys here are {}", listed(known)),
                };
                let found = Diagnostic::error(Code::UnknownKey, entry.key_span, message).about(Aspect::Stranger);
                self.out.push(found.help(help));
                self.flagged.borrow_mut().insert(entry.key_span);
            }
        }
    }

    /// Keeps what a reported key was meant to be from being reported as missing.
    pub fn flag_key(&self, key: Span) {
        self.flagged.borrow_mut().insert(key);
    }

    /// Whether a key that was reported as unknown was probably meant to be this one.
    pub fn misspelt(&self, table: &Table, key: &str) -> bool {
        self.meant(table, key).is_some()
    }

    /// The value of a key that was reported as unknown and was probably meant to be this one.
    pub fn meant<'n>(&self, table: &'n Table, key: &str) -> Option<&'n Node> {
        let flagged = self.flagged.borrow();
        let mut near = table.iter().filter(|entry| flagged.contains(&entry.key_span));
        near.find(|entry| suggest(&entry.key, [key]).is_some()).map(|entry| &entry.value)
    }

    /// The value of a key that must be there; a misspelt key is read as what it was meant to be.
    pub fn need<'n>(&self, table: &'n Table, span: Span, what: &str, key: &str) -> Option<&'n Node> {
        match table.get(key).or_else(|| self.meant(table, key)) {
            Some(node) => Some(node).filter(|node| node.kind != Kind::Null),
            None => {
                let message = format!("{what} lacks the key `{key}`");
                self.error_help(Code::MissingKey, span, message, format!("add the key `{key}`"));
                None
            }
        }
    }

    /// Reports that the last of some named conditions, or blocks, leads back to the first; each ring once, wherever one comes into it.
    pub fn ring(&self, kind: &str, names: &[String], span: Span) {
        let first = (0..names.len()).min_by_key(|at| &names[*at]).unwrap_or(0);
        let ring = [&names[first..], &names[..first]].concat();
        if self.rings.borrow_mut().insert(ring) {
            let message = format!("{kind}s in a ring: {}", round(names));
            self.error_help(Code::LeadsBack, span, message, format!("a {kind} may use others, but not itself"));
        }
    }

    /// The text under `doc`, empty where there is none.
    pub fn doc(&self, table: &Table) -> String {
        table.get("doc").and_then(|node| self.text(node)).unwrap_or_default().to_owned()
    }

    /// `true` or `false` under a key, `false` where it is not given.
    pub fn flag(&self, table: &Table, key: &str) -> bool {
        table.get(key).and_then(|node| Field::new(node, self.out).bool()).unwrap_or(false)
    }

    /// Reports a name that nothing bears.
    pub fn unknown<'s>(&self, kind: &str, name: &str, span: Span, known: impl IntoIterator<Item = &'s str>) {
        self.out.push(unknown(kind, name, span, known));
    }

    /// Remembers that something is named.
    pub fn note_use(&self, kind: &'static str, name: &str) {
        let mut named = self.named.borrow_mut();
        let names = named.entry(kind).or_default();
        if !names.contains(name) {
            names.insert(name.to_owned());
        }
    }

    /// Whether something was named so far.
    pub fn is_used(&self, kind: &str, name: &str) -> bool {
        self.named.borrow().get(kind).is_some_and(|names| names.contains(name))
    }

    /// The position of a declared name.
    pub fn find(&self, kind: &'static str, name: &str, span: Span, known: &ByName) -> Option<u16> {
        if let Some(at) = known.get(name) {
            self.note_use(kind, name);
            return Some(*at);
        }
        self.unknown(kind, name, span, known.keys().map(String::as_str));
        None
    }

    /// A frame by name.
    pub fn frame(&self, node: &Node) -> Option<FrameId> {
        let name = self.text(node)?;
        self.find("frame", name, self.inside(node, 0, name.len()), &self.frame_names).map(FrameId)
    }

    pub fn slot_of(&self, frame: FrameId, name: &str) -> Option<Slot> {
        let sym = self.names.borrow().get(name)?;
        self.frames[frame.index()].fields().find(|slot| self.slots[slot.index()].name == sym)
    }

    /// The names of a frame's fields.
    pub fn field_names(&self, frame: FrameId) -> Vec<String> {
        let names = self.names.borrow();
        let fields = self.frames[frame.index()].fields();
        fields.map(|slot| names.text(self.slots[slot.index()].name).to_owned()).collect()
    }

    /// Whether a name may be given to something: its form, and not reserved.
    pub fn check_name(&self, kind: &str, name: &str, span: Span) -> bool {
        self.check_against(RESERVED, kind, name, span)
    }

    /// Whether a name may be given to something that a path only reaches through something else.
    pub fn check_inside(&self, kind: &str, name: &str, span: Span) -> bool {
        self.check_against(RESERVED_INSIDE, kind, name, span)
    }

    fn check_against(&self, reserved: &[&str], kind: &str, name: &str, span: Span) -> bool {
        if reserved.contains(&name) {
            let message = format!("{} is a word of the language and cannot name {kind}", quoted(name));
            self.error_help(Code::ReservedName, span, message, "choose another name");
            return false;
        }
        self.check_form(kind, name, span)
    }

    /// Whether a name is made of letters, digits, `_` and `-`.
    pub fn check_form(&self, kind: &str, name: &str, span: Span) -> bool {
        let good = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
        if !good {
            let message = format!("{} cannot name {kind}", quoted(name));
            self.error_help(Code::BadName, span, message, "names are letters, digits, `_` and `-`");
        }
        good
    }

    /// The place of some bytes of a text, where it is written plainly; else of all of it.
    pub fn inside(&self, node: &Node, from: usize, to: usize) -> Span {
        let Kind::Text(text) = &node.kind else { return node.span };
        let source = self.sources.slice(node.span);
        let offset = if source == text {
            0
        } else if source.len() == text.len() + 2 && source.get(1..source.len() - 1) == Some(text) {
            1
        } else {
            return node.span;
        };
        let at = |byte: usize| node.span.start + u32::try_from(offset + byte).unwrap_or(0);
        if from >= to || to > text.len() { node.span } else { Span { start: at(from), end: at(to), ..node.span } }
    }

    /// A position for one more entry of a table of the pack.
    pub fn room(&self, len: usize, kind: &str, span: Span) -> Option<u16> {
        let at = u16::try_from(len).ok().filter(|at| *at < u16::MAX - 1);
        if at.is_none() && self.full.borrow_mut().insert(kind.to_owned()) {
            self.partial.set(true);
            let message = format!("a pack has fewer than 65,534 {kind}");
            self.error_help(Code::LimitExceeded, span, message, "split the pack in two");
        }
        at
    }

    pub fn input_type(&self, input: InputId) -> &Type {
        &self.inputs[input.index()].ty
    }

    pub fn outcome_type(&self, outcome: OutcomeId) -> &Type {
        &self.outcomes[outcome.index()].ty
    }

    pub fn kept_type(&self, kept: KeptId) -> &Type {
        &self.kept[kept.index()].1
    }
}

/// The finding that something has no part of a name.
pub(super) fn lacks<'s>(
    owner: &str,
    kind: &str,
    name: &str,
    span: Span,
    known: impl IntoIterator<Item = &'s str>,
) -> Diagnostic {
    let found = unknown(kind, name, span, known);
    let found = Diagnostic { message: format!("{owner} has no {kind} {}", quoted(name)), ..found };
    match found.help.as_deref() {
        Some(help) if help.starts_with("the pack declares") => found.help(format!("{owner} has no {kind} at all")),
        _ => found,
    }
}

/// The finding that nothing bears a name.
pub(super) fn unknown<'s>(kind: &str, name: &str, span: Span, known: impl IntoIterator<Item = &'s str>) -> Diagnostic {
    let known: Vec<&str> = known.into_iter().collect();
    let found = Diagnostic::error(Code::UnknownName, span, format!("there is no {kind} {}", quoted(name)));
    let found = found.about(if kind == "event" { Aspect::Event } else { Aspect::Plain });
    match suggest(name, known.iter().copied()) {
        Some(near) => found.help(did_you_mean(name, near)),
        None if known.is_empty() => found.help(format!("the pack declares no {kind}")),
        None => found.help(format!("known here: {}", listed(&known))),
    }
}

/// From a key to the end of its value, where both stand in this order in one file.
pub(super) fn whole(entry: &Entry) -> Span {
    let (key, value) = (entry.key_span, entry.value.span);
    if key.file == value.file && value.end >= key.start && value.start >= key.start {
        Span { end: value.end, ..key }
    } else {
        key
    }
}
