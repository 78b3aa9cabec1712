//! The manifest, frames, carryover, and the order of precedence.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::diag::{Aspect, Code, Diagnostic, did_you_mean, quoted, round, suggest};
use crate::language::{self, Shape};
use crate::model::cond::{Cond, Op, Operand, Path, Place};
use crate::model::ids::{ClassId, EnumId, FrameId, FrameSet, Slot};
use crate::model::schema::{Carryover, FACTS, Field as Column, Frame, Invariant, Keyed, Type};
use crate::model::value::Value;
use crate::model::{SAVED_KEYS, WhileOpen};
use crate::source::Span;
use crate::syntax::{Entry, Field, Kind, Node};

use super::cx::{Cx, poisoned};
use super::merge::{Sections, twice};
use super::paths::{Scope, heads};
use super::types::Beside;

/// The settings under `[pack]`.
#[derive(Debug, Default)]
pub(super) struct Manifest {
    pub id: String,
    pub title: String,
    pub aggregate: String,
    pub owners: Vec<String>,
    pub while_open: WhileOpen,
    pub step_limit: u32,
}

/// Reads `[pack]`, all but `decide`, `precedence` and `ended`, which need other names.
pub(super) fn manifest(cx: &mut Cx<'_>, sections: &Sections<'_>, place: Span) -> Manifest {
    let mut manifest = Manifest { step_limit: 16, ..Manifest::default() };
    let Some(header) = sections.header("pack") else {
        if cx.partial.get() {
            return manifest;
        }
        cx.error_help(
            Code::NoManifest,
            place,
            "the pack has no manifest",
            "write a section `[pack]` with `id`, `title`, `aggregate` and `owner`",
        );
        // What else stands in the file of the manifest may be missing as well.
        cx.partial.set(true);
        return manifest;
    };
    cx.settings(sections, "pack", &language::MANIFEST);
    let need = |key: &str| {
        let node = sections.setting("pack", &language::MANIFEST, key);
        if node.is_none() && !cx.partial.get() {
            cx.error_help(
                Code::MissingKey,
                header,
                format!("the manifest lacks the key `{key}`"),
                format!("add the key `{key}`"),
            );
        }
        node
    };
    let word = |key: &str| need(key).and_then(|node| cx.word(node)).unwrap_or_default().to_owned();
    manifest.id = word("id");
    manifest.title = word("title");
    manifest.aggregate = word("aggregate");
    if let Some(node) = sections.setting("pack", &language::MANIFEST, "aggregate")
        && SAVED_KEYS.contains(&manifest.aggregate.as_str())
    {
        let message = format!("a saved session has a key {} of its own", quoted(&manifest.aggregate));
        cx.error_help(Code::ReservedName, node.span, message, "give the aggregate another name");
    }
    let owners = need("owner").and_then(|node| cx.list(node, "owners")).unwrap_or_default();
    for node in owners {
        let Some(owner) = cx.word(node) else { continue };
        if manifest.owners.iter().any(|known| known == owner) {
            let first = owners.iter().find(|node| super::paths::text_of(node) == Some(owner));
            let message = format!("owner {} is named twice", quoted(owner));
            let found = Diagnostic::error(Code::DuplicateName, node.span, message);
            cx.out.push(found.also(first.map_or(node.span, |node| node.span), "named here").help("keep one of them"));
        } else if cx.check_form("an owner", owner, node.span) {
            manifest.owners.push(owner.to_owned());
        }
    }
    super::extends::written(cx, sections);
    if let Some(node) = sections.setting("pack", &language::MANIFEST, "while_open") {
        let words = [("cancel", WhileOpen::Cancel), ("refuse", WhileOpen::Refuse), ("allow", WhileOpen::Allow)];
        manifest.while_open = Field::new(node, cx.out).one_of(&words).unwrap_or_default();
    }
    if let Some(node) = sections.setting("pack", &language::MANIFEST, "step_limit") {
        match Field::new(node, cx.out).int() {
            Some(limit @ 1..=10_000) => manifest.step_limit = u32::try_from(limit).unwrap_or(16),
            Some(_) => cx.error_help(
                Code::OutOfRange,
                node.span,
                "the limit is out of range",
                "write a number from 1 to 10000",
            ),
            None => {}
        }
    }
    cx.while_open = manifest.while_open;
    cx.owners = manifest.owners.iter().cloned().collect();
    manifest
}

impl Cx<'_> {
    /// Reports what is no setting of a section of settings, and a `doc` that is no text.
    pub fn settings(&self, sections: &Sections<'_>, section: &str, shape: &Shape) {
        for item in sections.of(section).iter().filter(|item| !shape.has(item.name)) {
            let found = super::cx::unknown("key", item.name, item.key, shape.names());
            let message = format!("unknown key {} in {}", quoted(item.name), shape.what);
            self.out.push(Diagnostic { code: Code::UnknownKey, message, ..found });
        }
        sections.get(section, "doc").map(|node| self.text(node));
    }

    /// An owner of the manifest.
    pub fn owner(&self, node: &Node) -> Option<String> {
        let name = self.text(node)?;
        if self.owners.contains(name) {
            return Some(name.to_owned());
        }
        // Without a list of owners that has been reported already.
        if !self.owners.is_empty() {
            self.unknown("owner", name, node.span, self.owners.iter().map(String::as_str));
        }
        None
    }

    /// A list of frames as a set, for carryover.
    pub fn frame_set(&self, node: &Node) -> FrameSet {
        let items = self.list(node, "frames").unwrap_or_default();
        items.iter().filter_map(|item| self.unkeyed(item)).collect()
    }

    /// A frame that is reset as a whole, which instances are not.
    pub fn unkeyed(&self, node: &Node) -> Option<FrameId> {
        let frame = self.frame(node)?;
        if self.frames[frame.index()].keyed.is_some() {
            let message =
                format!("{} is a keyed frame: it is not carried, and no fate is decided for it", node.describe());
            let help = "leave it out: its instances stay until a class closes them";
            self.error_help(Code::OutsideCarryover, node.span, message, help);
            return None;
        }
        Some(frame)
    }
}

/// In the saved form the fields of a frame that is called as its owner stand beside the other frames of that owner.
fn fields_beside_frames(cx: &Cx<'_>) {
    for inline in cx.frames.iter().filter(|frame| frame.seed == frame.owner) {
        for frame in cx.frames.iter().filter(|frame| frame.owner == inline.owner) {
            if let Some(slot) = inline.fields().find(|slot| cx.slots[slot.index()].name == frame.seed) {
                let found =
                    twice("name in saved state", &cx.text_of(frame.seed), frame.span, cx.slots[slot.index()].span);
                cx.out.push(found);
            }
        }
    }
}

/// Notes which frames are keyed: types may name them before frames are read.
pub(super) fn keyed_names(cx: &mut Cx<'_>, sections: &Sections<'_>) {
    let keyed = sections.of("frame").iter().filter(|item| match &item.node.kind {
        Kind::Table(table) => table.entry("keyed").is_some(),
        _ => false,
    });
    cx.keyed_names = keyed.map(|item| item.name.to_owned()).collect();
}

/// What is said of the instances of a frame. The fields follow from `first` on.
fn keyed(cx: &Cx<'_>, entry: &Entry, frame: &str, first: u16) -> Keyed {
    let mut keyed = Keyed {
        at: cx.frames.iter().filter(|frame| frame.keyed.is_some()).count(),
        prefix: String::new(),
        max_open: 0,
        keep_closed: 0,
        closed_as: EnumId(u16::MAX),
        fields: first..first,
    };
    if cx.table_names.contains_key(frame) {
        let message = format!("a table is called {} too, so `key_of` could mean either", quoted(frame));
        cx.error_help(Code::DuplicateName, entry.key_span, message, "give one of them another name");
    }
    let Some(table) = cx.table(&entry.value, "`keyed`: `{ prefix, max_open, keep_closed, closed_as }`") else {
        return keyed;
    };
    cx.allow(table, &language::KEYED);
    let need = |key: &str| cx.need(table, entry.value.span, "`keyed`", key);
    let number = |key: &str, least: i64, most: i64| {
        let node = need(key)?;
        let number = Field::new(node, cx.out).int()?;
        if !(least..=most).contains(&number) {
            let message = format!("`{key}` is out of range");
            cx.error_help(Code::OutOfRange, node.span, message, format!("write a number from {least} to {most}"));
        }
        usize::try_from(number).ok()
    };
    if let Some(node) = need("prefix")
        && let Some(prefix) = cx.word(node)
        && cx.check_form("a key", prefix, node.span)
    {
        keyed.prefix = prefix.to_owned();
    }
    keyed.max_open = number("max_open", 1, 64).unwrap_or_default();
    keyed.keep_closed = number("keep_closed", 0, 256).unwrap_or_default();
    let ended = need("closed_as").and_then(|node| cx.values_in_place(node, &format!("{frame}_closed_as")));
    keyed.closed_as = ended.unwrap_or(EnumId(u16::MAX));
    keyed
}

/// The facts of a keyed frame, as fields behind the declared ones.
fn facts(cx: &mut Cx<'_>, frame: FrameId, closed_as: EnumId, span: Span) {
    let types = [
        (Type::Id, Value::Absent),
        (Type::Bool, Value::Bool(false)),
        (Type::Bool, Value::Bool(false)),
        (Type::Enum(closed_as), Value::Absent),
        (Type::Int, Value::Int(0)),
        (Type::Id, Value::Absent),
    ];
    for (name, (ty, default)) in FACTS.iter().zip(types) {
        if cx.room(cx.slots.len(), "fields", span).is_none() {
            return;
        }
        let name = cx.intern(name);
        let (cleared, doc) = (default.clone(), String::new());
        let column =
            Column { name, frame, ty, default, cleared, given: false, set_once: false, for_host: true, doc, span };
        cx.slots.push(column);
    }
}

/// Frames and their fields, the defaults included.
pub(super) fn frames(cx: &mut Cx<'_>, sections: &Sections<'_>) {
    let mut defaults: Vec<Option<&Node>> = Vec::new();
    let mut seeds: BTreeMap<String, Span> = BTreeMap::new();
    for item in sections.of("frame") {
        cx.check_name("a frame", item.name, item.key);
        if cx.frames.len() >= FrameSet::MAX {
            cx.partial.set(true);
            let message = format!("a pack has at most {} frames", FrameSet::MAX);
            cx.error_help(Code::LimitExceeded, item.key, message, "put fields that belong together into one frame");
            break;
        }
        let at = u16::try_from(cx.frames.len()).unwrap_or(0);
        cx.frame_names.insert(item.name.to_owned(), at);
        let first = u16::try_from(cx.slots.len()).unwrap_or(u16::MAX);
        let mut frame = Frame {
            name: cx.intern(item.name),
            seed: cx.intern(item.name),
            owner: cx.intern(""),
            doc: String::new(),
            slots: first..first,
            keyed: None,
            span: item.key,
        };
        if let Some(table) = cx.table(item.node, "a frame") {
            cx.allow(table, &language::FRAME);
            frame.doc = cx.doc(table);
            if let Some(owner) = cx.need(table, item.key, "a frame", "owner").and_then(|node| cx.owner(node)) {
                frame.owner = cx.intern(&owner);
            }
            if let Some(node) = table.get("seed")
                && let Some(seed) = cx.word(node)
            {
                frame.seed = cx.intern(seed);
            }
            let seed = cx.text_of(frame.seed);
            if let Some(first) = seeds.get(&seed) {
                cx.out.push(twice("seed", &seed, item.key, *first));
            }
            seeds.insert(seed, item.key);
            let instances = table.entry("keyed").map(|entry| (entry, keyed(cx, entry, item.name, first)));
            let beside = if instances.is_some() { Beside::Keyed } else { Beside::Frame };
            if instances.is_some() && frame.seed == frame.owner {
                let message = "the instances of a keyed frame need a name of their own in saved state";
                cx.error_help(Code::BadValue, item.key, message, "write a `seed` that is not the owner");
            }
            if let Some(fields) = cx.need(table, item.key, "a frame", "field").and_then(|node| cx.table(node, "fields"))
            {
                for entry in fields {
                    let fact = instances.is_some() && FACTS.contains(&entry.key.as_str());
                    if fact {
                        let message = format!("{} is a fact that the engine keeps of instances", quoted(&entry.key));
                        cx.error_help(Code::ReservedName, entry.key_span, message, "choose another name");
                    }
                    let good = !fact && cx.check_name("a field", &entry.key, entry.key_span);
                    let typed = cx.typed(&entry.key, entry, beside, "a field of a frame");
                    if cx.room(cx.slots.len(), "fields", entry.key_span).is_none() {
                        break;
                    }
                    let name = cx.intern(&entry.key);
                    cx.slots.push(Column {
                        name,
                        frame: FrameId(at),
                        ty: if good { typed.ty } else { super::cx::POISON },
                        default: Value::Absent,
                        cleared: Value::Absent,
                        given: !typed.optional && typed.default.is_none(),
                        set_once: typed.set_once,
                        for_host: typed.for_host,
                        doc: typed.doc,
                        span: entry.key_span,
                    });
                    defaults.push(typed.default);
                }
            }
            if let Some((entry, mut instances)) = instances {
                let end = u16::try_from(cx.slots.len()).unwrap_or(first);
                instances.fields = first..end;
                facts(cx, FrameId(at), instances.closed_as, entry.key_span);
                defaults.resize(cx.slots.len(), None);
                frame.keyed = Some(instances);
            }
        }
        frame.slots = first..u16::try_from(cx.slots.len()).unwrap_or(first);
        cx.frames.push(frame);
    }
    fields_beside_frames(cx);
    for (at, default) in defaults.into_iter().enumerate() {
        if let Some(node) = default {
            let value = cx.literal(node, &cx.slots[at].ty).unwrap_or_default();
            let keyed = cx.frames[cx.slots[at].frame.index()].keyed.is_some();
            cx.slots[at].cleared = value.clone();
            // At rest no instance is bound.
            cx.slots[at].default = if keyed { Value::Absent } else { value };
        }
    }
}

/// `[carryover]`, and `decide` of the manifest.
pub(super) fn carryover(cx: &mut Cx<'_>, sections: &Sections<'_>) {
    if let Some(node) = sections.setting("pack", &language::MANIFEST, "decide") {
        let names = cx.list(node, "frames");
        let frames: Vec<Option<FrameId>> = names.unwrap_or_default().iter().map(|node| cx.unkeyed(node)).collect();
        cx.undecided = names.is_none() || frames.contains(&None);
        cx.decide = frames.into_iter().flatten().collect::<BTreeSet<_>>().into_iter().collect();
    }
    let Some(header) = sections.header("carryover") else { return };
    cx.settings(sections, "carryover", &language::CARRYOVER);
    let need = |key: &str| {
        let node = sections.setting("carryover", &language::CARRYOVER, key);
        if node.is_none() && !cx.partial.get() {
            cx.error_help(
                Code::MissingKey,
                header,
                format!("carryover lacks the key `{key}`"),
                format!("add the key `{key}`"),
            );
        }
        node
    };
    let universe = need("universe").map_or(FrameSet::EMPTY, |node| cx.frame_set(node));
    let (mut depths, mut spans) = (Vec::new(), Vec::new());
    if let Some(table) = need("depth").and_then(|node| cx.table(node, "depths: names of sets of frames")) {
        for entry in table {
            cx.check_form("a depth", &entry.key, entry.key_span);
            let frames = cx.frame_set(&entry.value);
            if let Some(outside) = frames.minus(universe).iter().next().filter(|_| !universe.is_empty()) {
                let name = cx.text_of(cx.frames[outside.index()].name);
                let message = format!("the depth {} holds `{name}`, which is not in the universe", quoted(&entry.key));
                cx.error_help(
                    Code::OutsideCarryover,
                    entry.value.span,
                    message,
                    "add the frame to `universe`, or leave it out here",
                );
            }
            depths.push((cx.intern(&entry.key), frames));
            spans.push(entry.key_span);
        }
    }
    let limit = sections.setting("carryover", &language::CARRYOVER, "limit").and_then(|node| limit(cx, node, &depths));
    cx.carryover = Some(Carryover { universe, depths, spans, limit });
}

fn limit(cx: &Cx<'_>, node: &Node, depths: &[(crate::model::names::Sym, FrameSet)]) -> Option<Slot> {
    let slot = cx.slot(node)?;
    let field = &cx.slots[slot.index()];
    let Type::Enum(id) = &field.ty else {
        let found =
            Diagnostic::error(Code::WrongType, node.span, format!("the limit is {}, not an enum", cx.shown(&field.ty)));
        cx.out.push(found.also(field.span, "declared here").help("its values are names of depths"));
        return None;
    };
    if poisoned(&field.ty) {
        return None;
    }
    if cx.frames[field.frame.index()].keyed.is_some() {
        let message = "an instance of a keyed frame limits nothing: which one is meant is not said here";
        cx.error_help(Code::OutsideCarryover, node.span, message, "name a field of a frame that is not keyed");
        return None;
    }
    for value in cx.values_of(*id) {
        if !depths.iter().any(|(name, _)| *name == value) {
            let name = cx.text_of(value);
            let message = format!("the limit can be {}, which is no depth", quoted(&name));
            let found = Diagnostic::error(Code::UnknownName, node.span, message).also(field.span, "the field");
            let others = depths.iter().map(|(depth, _)| *depth).filter(|depth| !cx.values_of(*id).contains(depth));
            let others: Vec<String> = others.map(|depth| cx.text_of(depth)).collect();
            cx.out.push(match suggest(&name, others.iter().map(String::as_str)) {
                Some(near) => found.about(Aspect::Depth).help(did_you_mean(&name, near)),
                None => found.help("add it to `depth`, or leave it out of the enum"),
            });
        }
    }
    Some(slot)
}

/// When the session has ended, once all names are known.
pub(super) fn ended(cx: &Cx<'_>, sections: &Sections<'_>) -> Option<Cond> {
    let node = sections.setting("pack", &language::MANIFEST, "ended")?;
    Some(cx.cond(node, &Scope::new(heads::FRAMES, "in `ended`: it speaks of frames only")))
}

/// Invariants of frames and of the pack, once all names are known.
pub(super) fn invariants(cx: &Cx<'_>, sections: &Sections<'_>) -> Vec<Invariant> {
    let mut invariants: Vec<Invariant> = Vec::new();
    let mut seen: BTreeMap<String, Span> = BTreeMap::new();
    for (at, item) in sections.of("frame").iter().enumerate().take(cx.frames.len()) {
        let Kind::Table(table) = &item.node.kind else { continue };
        let Some(list) = table.get("invariant") else { continue };
        for node in cx.list(list, "invariants").unwrap_or_default() {
            let scope = Scope::new(heads::FRAMES, "in an invariant of a frame: it speaks of frames only");
            invariants.extend(invariant(cx, node, Some(FrameId::at(at)), &scope, &mut seen));
        }
    }
    for node in &sections.invariants {
        let scope = Scope::new(heads::ALL, "here");
        invariants.extend(invariant(cx, node, None, &scope, &mut seen));
    }
    invariants
}

fn invariant(
    cx: &Cx<'_>,
    node: &Node,
    frame: Option<FrameId>,
    scope: &Scope<'_>,
    seen: &mut BTreeMap<String, Span>,
) -> Option<Invariant> {
    let table = cx.table(node, "an invariant")?;
    if let Some(entry) = table.entry("repair").filter(|_| frame.is_none()) {
        let message = "an invariant of the whole pack has no repair";
        cx.error_help(
            Code::UnknownKey,
            entry.key_span,
            message,
            "write it as an invariant of a frame: `[[frame.NAME.invariant]]`",
        );
    }
    cx.allow(table, &language::FRAME_INVARIANT);
    let id = cx.need(table, node.span, "an invariant", "id");
    let when = table.get("when").map(|node| cx.cond(node, scope));
    let then = cx.need(table, node.span, "an invariant", "then").map(|node| cx.cond(node, scope));
    let repair = match table.get("repair").filter(|_| frame.is_some()) {
        Some(node) => {
            let scope = Scope::new(heads::FRAMES, "in a repair");
            let effects = cx.effects(node, &scope);
            for effect in &effects {
                use crate::model::effect::Verb;
                if !matches!(effect.verb, Verb::Set(_) | Verb::ClearFrame(_) | Verb::ClearField(_)) {
                    cx.error_help(
                        Code::BadValue,
                        effect.span,
                        "a repair only sets and clears",
                        "write `set` or `clear`",
                    );
                }
            }
            effects
        }
        None => Vec::new(),
    };
    let id_node = id?;
    let id = cx.word(id_node)?;
    match seen.get(id) {
        Some(first) => cx.out.push(twice("invariant", id, id_node.span, *first)),
        None => {
            seen.insert(id.to_owned(), id_node.span);
        }
    }
    cx.check_form("an invariant", id, id_node.span);
    let mut when = when.unwrap_or(crate::model::cond::Cond::TRUE);
    // An invariant of a keyed frame speaks of each of its instances, so only where one is bound.
    if let Some(keyed) = frame.and_then(|frame| cx.frames[frame.index()].keyed.as_ref()) {
        let path = Path { place: Place::Field(keyed.known()), steps: Vec::new(), span: id_node.span };
        let op = Op::Eq(Operand::Value(Value::Bool(true)));
        let bound = Cond::Test { path, ty: Type::Bool, op, span: id_node.span };
        when = super::conditions::both(&bound, when);
    }
    Some(Invariant { id: cx.intern(id), frame, when, then: then?, repair, doc: cx.doc(table), span: id_node.span })
}

/// How many pairs chains of precedence may order directly.
const MOST_LINKS: usize = 1_000_000;

/// A class as precedence sees it: its id and the groups it is in.
#[derive(Debug, Clone)]
pub(super) struct Member {
    pub id: String,
    pub groups: Vec<String>,
    pub span: Span,
}

/// What precedence says.
pub(super) struct Order {
    pub precedes: Vec<Vec<bool>>,
    pub chains: Vec<(ClassId, ClassId, Span)>,
    /// For each class whether one that was taken out precedes it.
    pub shadowed: Vec<bool>,
}

/// Reads the chains of precedence over ids and groups. `ghosts`: classes that were taken out; with them what nothing bears the
/// name of is one of them as well.
pub(super) fn precedence(cx: &Cx<'_>, sections: &Sections<'_>, members: &[Member], ghosts: Option<&[Member]>) -> Order {
    let classes = members.len();
    let all: Vec<Member>;
    let members = match ghosts {
        Some(ghosts) => {
            let known: BTreeSet<&str> = members
                .iter()
                .flat_map(|member| member.groups.iter().chain([&member.id]))
                .map(String::as_str)
                .collect();
            let ghosts = ghosts.iter().filter(|ghost| !known.contains(ghost.id.as_str()));
            let mut with: Vec<Member> = members.iter().chain(ghosts).cloned().collect();
            let mut known: BTreeSet<String> =
                with.iter().flat_map(|member| member.groups.iter().chain([&member.id])).cloned().collect();
            for (name, span) in named_in_chains(sections) {
                if known.insert(name.to_owned()) {
                    with.push(Member { id: name.to_owned(), groups: Vec::new(), span });
                }
            }
            all = with;
            all.as_slice()
        }
        None => members,
    };
    let mut order = chains(cx, sections, members);
    order.shadowed =
        (0..classes).map(|class| (classes..members.len()).any(|ghost| order.precedes[ghost][class])).collect();
    order.precedes.truncate(classes);
    order.precedes.iter_mut().for_each(|row| row.truncate(classes));
    order.chains.retain(|(from, to, _)| from.index() < classes && to.index() < classes);
    order
}

/// The names in chains of precedence.
fn named_in_chains<'n>(sections: &Sections<'n>) -> Vec<(&'n str, Span)> {
    fn items(node: &Node) -> &[Node] {
        match &node.kind {
            Kind::List(items) => items,
            _ => &[],
        }
    }
    let chains = sections.setting("pack", &language::MANIFEST, "precedence").map_or(&[][..], items);
    let links = chains.iter().flat_map(items);
    links.filter_map(|link| Some((super::paths::text_of(link)?, link.span))).collect()
}

fn chains(cx: &Cx<'_>, sections: &Sections<'_>, members: &[Member]) -> Order {
    let count = members.len();
    let mut names: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, member) in members.iter().enumerate() {
        names.entry(&member.id).or_default().push(at);
    }
    let ids = names.clone();
    for (at, member) in members.iter().enumerate() {
        for group in &member.groups {
            match ids.get(group.as_str()) {
                Some(class) => cx.out.push(twice("class or group", group, member.span, members[class[0]].span)),
                None => names.entry(group).or_default().push(at),
            }
        }
    }
    let mut order = Order { precedes: vec![vec![false; count]; count], chains: Vec::new(), shadowed: Vec::new() };
    let written = sections.setting("pack", &language::MANIFEST, "precedence");
    if let Some(Node { kind: Kind::List(names), span }) = written
        && !names.is_empty()
        && names.iter().all(|name| matches!(name.kind, Kind::Text(_)))
    {
        let chain = names.iter().take(3).filter_map(super::paths::text_of).map(|name| format!("\"{name}\""));
        let chain = chain.collect::<Vec<_>>().join(", ") + if names.len() > 3 { ", …" } else { "" };
        let message = "`precedence` is a list of chains, and this is a list of names";
        cx.error_help(Code::WrongType, *span, message, format!("write the chain in brackets of its own: [[{chain}]]"));
        return order;
    }
    let chains = written.and_then(|node| cx.list(node, "chains of precedence"));
    for chain in chains.unwrap_or_default() {
        let Some(links) = cx.list(chain, "a chain: class ids and groups, strongest first") else { continue };
        let mut before: Option<Vec<usize>> = None;
        for link in links {
            let Some(name) = cx.text(link) else { continue };
            let Some(now) = names.get(name) else {
                if !cx.unnamed.get() {
                    cx.unknown("class or group", name, link.span, names.keys().copied());
                }
                continue;
            };
            if order.chains.len() + before.as_ref().map_or(0, Vec::len) * now.len() > MOST_LINKS {
                let message = format!("precedence orders more than {MOST_LINKS} pairs");
                cx.error_help(
                    Code::LimitExceeded,
                    link.span,
                    message,
                    "put a group or a class of its own between two large groups",
                );
                return order;
            }
            for from in before.iter().flatten() {
                for to in now {
                    order.chains.push((ClassId::at(*from), ClassId::at(*to), link.span));
                }
            }
            before = Some(now.clone());
        }
    }
    cycles(cx, members, &order.chains);
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (from, to, _) in &order.chains {
        next[from.index()].push(to.index());
    }
    for (start, row) in order.precedes.iter_mut().enumerate() {
        let mut queue = next[start].clone();
        while let Some(at) = queue.pop() {
            if !std::mem::replace(&mut row[at], true) {
                queue.extend(&next[at]);
            }
        }
    }
    order
}

/// Places of a long way round that are shown.
const MOST_LABELS: usize = 24;

fn cycles(cx: &Cx<'_>, members: &[Member], chains: &[(ClassId, ClassId, Span)]) {
    let mut graph: DiGraph<usize, Span> = DiGraph::new();
    for at in 0..members.len() {
        graph.add_node(at);
    }
    for (from, to, span) in chains {
        graph.add_edge(NodeIndex::new(from.index()), NodeIndex::new(to.index()), *span);
    }
    let mut rings = kosaraju_scc(&graph);
    for ring in &mut rings {
        ring.sort();
    }
    rings.sort();
    for ring in rings {
        let Some(start) = ring.first().copied() else { continue };
        if ring.len() == 1 && graph.find_edge(start, start).is_none() {
            continue;
        }
        let walk = shortest(&graph, start);
        let names: Vec<&str> = walk.iter().map(|(node, _)| members[node.index()].id.as_str()).collect();
        let message = format!("precedence goes round: {}", round(&names));
        // The link written last is the one that closes the ring.
        let Some(last) = walk.iter().map(|(_, span)| *span).max() else { continue };
        let mut found = Diagnostic::error(Code::PrecedenceCycle, last, message).label("this closes the ring");
        for (_, span) in walk.iter().filter(|(_, span)| *span != last).take(MOST_LABELS) {
            found = found.also(*span, "a link of it");
        }
        cx.out.push(found.help("precedence is transitive: take one of these links out"));
    }
}

/// The shortest way from a class back to itself: each class with the link that leaves it.
fn shortest(graph: &DiGraph<usize, Span>, start: NodeIndex) -> Vec<(NodeIndex, Span)> {
    let mut came: BTreeMap<NodeIndex, (NodeIndex, Span)> = BTreeMap::new();
    let mut queue = std::collections::VecDeque::from([start]);
    while let Some(at) = queue.pop_front() {
        let mut edges: Vec<_> = graph.neighbors(at).collect();
        edges.sort();
        for next in edges {
            let Some(span) = graph.find_edge(at, next).and_then(|edge| graph.edge_weight(edge)) else { continue };
            if next == start {
                let mut walk = vec![(at, *span)];
                let mut back = at;
                while back != start {
                    let (from, span) = came[&back];
                    walk.push((from, span));
                    back = from;
                }
                walk.reverse();
                return walk;
            }
            if let std::collections::btree_map::Entry::Vacant(slot) = came.entry(next) {
                slot.insert((at, *span));
                queue.push_back(next);
            }
        }
    }
    Vec::new()
}
