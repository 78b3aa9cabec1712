//! The registry: a checked pack, compiled. Classes are nodes of a graph; precedence and follow edges join them.

mod follow;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use petgraph::graph::{DiGraph, NodeIndex};

use crate::contract::{BadContract, Contracts};
use crate::lexicon::{self, Automata, Matcher, Normalised, Scan, Scratch, meaning};
use crate::model::class::{Answer, By, Class, On};
use crate::model::cond::{Cond, Path, Place};
use crate::model::ids::{ClassId, FrameSet, InputId, ModeId};
use crate::model::lexicon::TriggerForm;
use crate::model::names::Sym;
use crate::model::schema::NamedType;
use crate::model::uses::PackAt;
use crate::model::{InputKind, Pack, reason, walk};

/// An immutable, compiled pack. It can be shared between threads and sessions; it holds no session's data.
#[derive(Debug, Clone)]
pub struct Registry {
    pack: Arc<Pack>,
    /// For each class the classes that it precedes: those of the pack, unless others are tried.
    precedes: Arc<[Vec<bool>]>,
    graph: Arc<DiGraph<ClassId, Edge>>,
    pub(crate) matcher: Arc<Matcher>,
    /// For each trigger form, in the matcher's order, the alternative that it belongs to.
    pub(crate) forms: Vec<AlternativeAt>,
    /// For each event what listens to it.
    pub(crate) by_event: Vec<Listening>,
    pub(crate) on_outcome: Vec<(ClassId, usize)>,
    pub(crate) bare_trigger: usize,
    /// The frames outside the carryover universe.
    pub(crate) outside: FrameSet,
    /// For each input its place among those that are worked out per candidate.
    pub(crate) late: Vec<Option<u16>>,
    /// The inputs that are worked out per candidate, each at its place.
    pub(crate) late_inputs: Vec<InputId>,
    /// `input.tag`, in a pack that has it.
    pub(crate) tag: Option<InputId>,
    /// For each class which derived signals it needs.
    pub(crate) derived_needed: Vec<Vec<bool>>,
    pub(crate) response: Arc<[Vec<NamedType>]>,
    pub(crate) contracts: Arc<Contracts>,
    pub(crate) syms: Syms,
    pub(crate) order: Vec<ClassId>,
    pub(crate) names_answer: NamesAnswer,
    signals: Vec<bool>,
    /// The packs that are used, as the pack lists them.
    used: Arc<[Registry]>,
}

/// The triggers on one event, by what can set them off.
#[derive(Debug, Clone, Default)]
pub(crate) struct Listening {
    /// All of them, those of classes that precede first.
    pub triggers: Vec<(ClassId, usize)>,
    /// Those that can match a text without their words, as positions in `triggers`.
    pub open: Vec<usize>,
    /// For each trigger form the trigger that it is of, as a position in `triggers`; nothing for forms on other events.
    pub of_form: Vec<Option<usize>>,
}

impl Listening {
    /// `triggers` in the order in which they are looked at; `forms` as in the registry.
    fn new(pack: &Pack, triggers: Vec<(ClassId, usize)>, forms: &[AlternativeAt]) -> Self {
        let at: HashMap<(ClassId, usize), usize> = triggers.iter().copied().zip(0..).collect();
        let open = |(class, trigger): &(ClassId, usize)| {
            let any = &pack.classes[class.index()].triggers[*trigger].any;
            any.is_empty() || any.iter().any(|alternative| !matches!(alternative.by, By::Words(_)))
        };
        Self {
            open: (0..triggers.len()).filter(|at| open(&triggers[*at])).collect(),
            of_form: forms.iter().map(|(class, trigger, _)| at.get(&(*class, *trigger)).copied()).collect(),
            triggers,
        }
    }
}

/// Class, trigger, alternative: where words that set a class off are written.
pub(crate) type AlternativeAt = (ClassId, usize, usize);

/// What an edge of the registry's graph says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// The source is preferred where both can take an event; declared.
    Precedes,
    /// The target can take the next input after a turn that the source selected: what such a turn surely leaves does not
    /// rule out its required prior state. Derived.
    Follows,
}

/// Which conditions name the answer: they say nothing of a step that has none.
#[derive(Debug, Clone)]
pub(crate) struct NamesAnswer {
    /// By class, by row of `never`.
    pub never: Vec<Vec<bool>>,
    /// By invariant.
    pub invariants: Vec<bool>,
}

impl NamesAnswer {
    fn of(pack: &Pack) -> Self {
        let never = |class: &Class| class.never.iter().map(|(cond, _)| names_answer(cond)).collect();
        Self {
            never: pack.classes.iter().map(never).collect(),
            invariants: pack.invariants.iter().map(|of| names_answer(&of.when) || names_answer(&of.then)).collect(),
        }
    }
}

/// Symbols the engine itself needs.
#[derive(Debug, Clone)]
pub(crate) struct Syms {
    pub no_transition: Sym,
    pub ambiguous: Sym,
    pub carryover_blocked: Sym,
    pub verification_failed: Sym,
    pub step_limit: Sym,
    pub busy: Sym,
    pub stale_outcome: Sym,
    pub unused_signal: Sym,
    pub statuses: [Sym; 4],
    pub claims: [Sym; 3],
    /// The answer is not of the declared type.
    pub type_breach: Sym,
    /// The contract does not admit it.
    pub schema_breach: Sym,
}

/// A pack that cannot be compiled although each of its parts is well formed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CompileError {
    /// Which kind of finding it is.
    pub code: crate::diag::Code,
    /// Where.
    pub span: Option<crate::source::Span>,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
}

impl Registry {
    /// Compiles a checked pack.
    ///
    /// # Errors
    /// What the lexicon's compiler refuses: a pattern that does not compile or is too large, a phrase with too many variants.
    pub fn compile(pack: Pack) -> Result<Self, Vec<CompileError>> {
        Self::compile_with(pack, None)
    }

    /// Compiles a checked pack, with the matcher of its lexicon and triggers where that is compiled already.
    ///
    /// # Errors
    /// As [`Registry::compile`].
    pub fn compile_with(mut pack: Pack, matcher: Option<Matcher>) -> Result<Self, Vec<CompileError>> {
        let syms = Syms::of(&mut pack);
        let mut forms = Vec::new();
        let mut texts: Vec<TriggerForm> = Vec::new();
        let mut by_event = vec![Vec::new(); pack.events.len()];
        let mut on_outcome = Vec::new();
        let mut bare_trigger = 0;
        for (index, class) in pack.classes.iter().enumerate() {
            let id = ClassId::at(index);
            for (at, trigger) in class.triggers.iter().enumerate() {
                match trigger.on {
                    On::Event(event) => by_event[event.index()].push((id, at)),
                    On::Outcome { .. } => on_outcome.push((id, at)),
                    On::Boundary => bare_trigger = at,
                }
                for (alternative, any) in trigger.any.iter().enumerate() {
                    if let By::Words(form) = &any.by {
                        forms.push((id, at, alternative));
                        texts.push(form.clone());
                    }
                }
            }
        }
        let compile = || Matcher::compile(&pack.lexicon, &texts, &Automata::default());
        let matcher = matcher.map_or_else(compile, Ok).map_err(|errors| {
            errors
                .into_iter()
                .map(|error| CompileError {
                    code: error.code,
                    span: match error.which {
                        lexicon::Place::Part { part, rule } => Some(pack.lexicon.parts[part].rules[rule].span),
                        lexicon::Place::Signal { signal, rule } => Some(pack.lexicon.signals[signal].rules[rule].span),
                        lexicon::Place::Trigger(form) => {
                            let (class, trigger, alternative) = forms[form];
                            Some(pack.classes[class.index()].triggers[trigger].any[alternative].span)
                        }
                        _ => None,
                    },
                    message: error.message,
                    help: error.help,
                })
                .collect::<Vec<_>>()
        })?;
        let contracts = Contracts::compile(&pack).map_err(|bad| {
            let error = |bad: BadContract| CompileError {
                code: crate::diag::Code::BadValue,
                span: Some(bad.span),
                message: bad.message,
                help: bad.help,
            };
            bad.into_iter().map(error).collect::<Vec<_>>()
        })?;
        let late_inputs = late_inputs(&pack);
        let mut late = vec![None; pack.inputs.len()];
        for (place, input) in (0..).zip(&late_inputs) {
            late[input.index()] = Some(place);
        }
        let tag = pack.inputs.iter().position(|input| input.kind == InputKind::Tag).map(InputId::at);
        let response = pack.ports.iter().map(|port| port.answer(&pack)).collect();
        let derived_needed = derived_needed(&pack);
        let order = strongest_first(&pack.precedes);
        let by_event = listening(&pack, by_event, &order, &forms);
        let graph = graph_of(&pack);
        let signals = pack.inputs.iter().map(|input| input.kind == InputKind::Signal).collect();
        let names_answer = NamesAnswer::of(&pack);
        let outside = pack.outside();
        Ok(Self {
            precedes: Arc::clone(&pack.precedes),
            pack: Arc::new(pack),
            graph: Arc::new(graph),
            matcher: Arc::new(matcher),
            forms,
            by_event,
            on_outcome,
            bare_trigger,
            outside,
            late,
            late_inputs,
            tag,
            derived_needed,
            response,
            contracts: Arc::new(contracts),
            syms,
            order,
            names_answer,
            signals,
            used: Arc::default(),
        })
    }

    /// The declarations.
    #[must_use]
    pub fn pack(&self) -> &Pack {
        &self.pack
    }

    /// The declarations, to be shared.
    #[must_use]
    pub(crate) fn shared(&self) -> &Arc<Pack> {
        &self.pack
    }

    /// The same pack with the registries of those that it uses, in the order in which it lists them.
    #[must_use]
    pub(crate) fn using(self, used: Vec<Registry>) -> Self {
        Self { used: used.into(), ..self }
    }

    /// The registries of the packs that it uses, as [`Composed::packs`](crate::model::uses::Composed::packs) lists them.
    #[must_use]
    pub fn used(&self) -> &[Registry] {
        &self.used
    }

    /// The registry of one of the packs that are put together here.
    #[must_use]
    pub fn at(&self, at: PackAt) -> &Registry {
        match at.index().checked_sub(1) {
            Some(used) => &self.used[used],
            None => self,
        }
    }

    /// The graph: classes, declared precedence (transitively closed), derived "can come next".
    #[must_use]
    pub fn graph(&self) -> &DiGraph<ClassId, Edge> {
        &self.graph
    }

    /// The classes, those that precede first; unordered ones by id.
    #[must_use]
    pub fn strongest_first(&self) -> &[ClassId] {
        &self.order
    }

    /// What finds the words of its lexicon and its triggers.
    #[must_use]
    pub fn matcher(&self) -> &Matcher {
        &self.matcher
    }

    /// The trigger forms, in the matcher's order.
    pub(crate) fn trigger_forms(&self) -> impl Iterator<Item = &TriggerForm> {
        self.forms.iter().filter_map(|(class, trigger, alternative)| {
            match &self.pack.classes[class.index()].triggers[*trigger].any[*alternative].by {
                By::Words(form) => Some(form),
                By::Signal { .. } | By::Ambiguous(_) => None,
            }
        })
    }

    /// Whether nothing stands in the text that was scanned last beside values of one signal and fillers.
    pub(crate) fn says_only(&self, text: &Normalised, scratch: &Scratch, scan: &Scan, signal: usize) -> bool {
        self.matcher.says_only(text, scratch, scan, signal)
    }

    /// Scans a text. What the type of its signal cannot read is no occurrence.
    pub(crate) fn scan_into(&self, text: &Normalised, scratch: &mut Scratch, scan: &mut Scan) {
        self.matcher.scan_into(text, scratch, scan, |occurrence| meaning(&self.pack, occurrence).is_some());
    }

    /// Whether an input is a signal that a host may give.
    #[must_use]
    pub fn is_signal(&self, input: InputId) -> bool {
        self.signals[input.index()]
    }

    /// The same pack under another precedence: for each class the classes it precedes, transitively.
    #[must_use]
    pub(crate) fn with_precedence(&self, precedes: Vec<Vec<bool>>) -> Self {
        let order = strongest_first(&precedes);
        let by_event = self.by_event.iter().map(|listening| listening.triggers.clone()).collect();
        let by_event = listening(&self.pack, by_event, &order, &self.forms);
        Self { precedes: precedes.into(), order, by_event, ..self.clone() }
    }

    /// The same pack, in which one trigger never passes.
    #[must_use]
    pub(crate) fn without_trigger(&self, class: ClassId, trigger: usize) -> Self {
        let mut other = self.clone();
        Arc::make_mut(&mut other.pack).classes[class.index()].triggers[trigger].entry = Cond::Any(Vec::new());
        other
    }

    /// The same pack with a boundary that takes every event and breaks nothing.
    #[must_use]
    pub(crate) fn with_idle_boundary(&self) -> Self {
        let mut other = self.clone();
        let pack = Arc::make_mut(&mut other.pack);
        pack.invariants.clear();
        let boundary = &mut pack.classes[pack.boundary.index()];
        boundary.effects.clear();
        boundary.never.clear();
        boundary.carry.preserve.clear();
        boundary.carry.forbid = FrameSet::EMPTY;
        boundary.carry.forbid_fields.clear();
        boundary.answer = Answer::Mode(ModeId(0));
        other
    }

    pub(crate) fn precedes(&self, a: ClassId, b: ClassId) -> bool {
        self.precedes[a.index()][b.index()]
    }
}

impl Syms {
    fn of(pack: &mut Pack) -> Self {
        let mut sym = |text: &str| pack.names.intern(text);
        Self {
            no_transition: sym(reason::NO_TRANSITION),
            ambiguous: sym(reason::AMBIGUOUS),
            carryover_blocked: sym(reason::CARRYOVER_BLOCKED),
            verification_failed: sym(reason::VERIFICATION_FAILED),
            step_limit: sym(reason::STEP_LIMIT),
            busy: sym(reason::BUSY),
            stale_outcome: sym(reason::STALE_OUTCOME),
            unused_signal: sym(reason::UNUSED_SIGNAL),
            statuses: reason::STATUSES.map(&mut sym),
            claims: reason::CLAIMS.map(&mut sym),
            type_breach: sym(reason::TYPE),
            schema_breach: sym(reason::SCHEMA),
        }
    }
}

/// By event, the triggers on it, those of stronger classes first.
fn listening(
    pack: &Pack,
    by_event: Vec<Vec<(ClassId, usize)>>,
    order: &[ClassId],
    forms: &[AlternativeAt],
) -> Vec<Listening> {
    let mut rank = vec![0; order.len()];
    order.iter().enumerate().for_each(|(at, class)| rank[class.index()] = at);
    let sorted = by_event.into_iter().map(|mut triggers| {
        triggers.sort_by_key(|(class, trigger)| (rank[class.index()], *trigger));
        Listening::new(pack, triggers, forms)
    });
    sorted.collect()
}

fn late_inputs(pack: &Pack) -> Vec<InputId> {
    let mut late = Vec::new();
    let mut mark = |input: InputId| {
        if !late.contains(&input) {
            late.push(input);
        }
    };
    for (index, input) in pack.inputs.iter().enumerate() {
        if matches!(input.kind, InputKind::Derived | InputKind::Tag) {
            mark(InputId::at(index));
        }
    }
    for completion in &pack.completions {
        mark(completion.input);
    }
    for alternative in pack.classes.iter().flat_map(|class| &class.triggers).flat_map(|trigger| &trigger.any) {
        for (input, _) in &alternative.sets {
            mark(*input);
        }
    }
    late
}

fn derived_needed(pack: &Pack) -> Vec<Vec<bool>> {
    let mut shared: Vec<InputId> = Vec::new();
    for invariant in &pack.invariants {
        for cond in [&invariant.when, &invariant.then] {
            walk::cond_paths(cond, &mut |path: &Path| {
                if let Place::Input(input) = path.place {
                    shared.push(input);
                }
            });
        }
    }
    let closed = |seeds: &[InputId]| {
        let mut wanted = vec![false; pack.inputs.len()];
        for input in seeds {
            wanted[input.index()] = true;
        }
        for derived in pack.derived.iter().rev() {
            if wanted[derived.input.index()] {
                for path in walk::derived_sources(pack, derived.input) {
                    if let Place::Input(input) = path.place {
                        wanted[input.index()] = true;
                    }
                }
            }
        }
        pack.derived.iter().map(|derived| wanted[derived.input.index()]).collect::<Vec<_>>()
    };
    pack.classes
        .iter()
        .map(|class| {
            let mut seeds = class.reads.clone();
            seeds.extend(&shared);
            closed(&seeds)
        })
        .collect()
}

fn strongest_first(precedes: &[Vec<bool>]) -> Vec<ClassId> {
    // For each class how many that precede it are not placed yet.
    let mut before = vec![0_usize; precedes.len()];
    for row in precedes {
        row.iter().zip(&mut before).for_each(|(precedes, count)| *count += usize::from(*precedes));
    }
    let mut ready: BTreeSet<usize> = (0..before.len()).filter(|class| before[*class] == 0).collect();
    let mut order = Vec::with_capacity(before.len());
    while let Some(class) = ready.pop_first() {
        order.push(ClassId::at(class));
        for (other, _) in precedes[class].iter().enumerate().filter(|(_, precedes)| **precedes) {
            before[other] -= 1;
            if before[other] == 0 {
                ready.insert(other);
            }
        }
    }
    order
}

fn graph_of(pack: &Pack) -> DiGraph<ClassId, Edge> {
    let mut graph = DiGraph::new();
    let nodes: Vec<NodeIndex> = (0..pack.classes.len()).map(|index| graph.add_node(ClassId::at(index))).collect();
    for (a, row) in pack.precedes.iter().enumerate() {
        for (b, precedes) in row.iter().enumerate() {
            if *precedes {
                graph.add_edge(nodes[a], nodes[b], Edge::Precedes);
            }
        }
    }
    let settled = follow::Settled::of(pack);
    for a in 0..pack.classes.len() {
        let left = follow::Left::of(pack, ClassId::at(a), &settled);
        for (b, next) in pack.classes.iter().enumerate() {
            if !left.rules_out(next) {
                graph.add_edge(nodes[a], nodes[b], Edge::Follows);
            }
        }
    }
    graph
}

fn names_answer(cond: &Cond) -> bool {
    let mut named = false;
    walk::cond_paths(cond, &mut |path: &Path| {
        named |= matches!(path.place, Place::AnswerMode | Place::AnswerClaims);
    });
    named
}
