//! Visitors over everything a class reads, and the two summaries of a class that loading fills in: `needs` and `reads`.

use super::class::{Answer, By, Class, On};
use super::cond::{Cond, Op, Operand, Path, Place, Step};
use super::effect::{Effect, Expr, Take, Verb};
use super::ids::{ClassId, FrameId, FrameSet, InputId, Slot};
use super::lexicon::{Elem, Form, Slot as PhraseSlot};
use super::{Derivation, Pack};

/// Where in a class something stands. Numbers are positions in the lists of [`Class`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum At {
    /// The class's `requires`.
    Requires,
    /// A trigger's `requires`.
    TriggerRequires(usize),
    /// The class's `entry`.
    Entry,
    /// A trigger's `entry`.
    TriggerEntry(usize),
    /// A value under `bind`.
    Bind(usize),
    /// The `unless` of a `preserve` item.
    Unless(usize),
    /// The `equals` of a `preserve` item.
    Equals(usize),
    /// An item of `do`.
    Do(usize, Part),
    /// The `when` of a settle row.
    Settle(usize),
    /// An item of the `do` of a settle row: the row, the item.
    SettleDo(usize, usize, Part),
    /// The `when` of an answer row.
    Answer(usize),
    /// A `never` row.
    Never(usize),
}

impl At {
    /// Whether it only chooses or verifies, so that it may test every frame.
    #[must_use]
    pub fn is_guard(self) -> bool {
        !matches!(self, At::Bind(_) | At::Do(..) | At::Settle(_) | At::SettleDo(..) | At::Answer(_))
    }
}

/// Which part of an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Its `when`; reads the state after carry.
    When,
    /// A value it writes into the state; reads the state after carry.
    Value,
    /// An argument of a call, what the call keeps, or a field of a message; reads the state after the last effect.
    With,
}

/// How a path is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// A condition looks at it.
    Test,
    /// A plain `$path`: it must be there.
    Plain,
    /// It may be absent: `$path?`, an item of `first` that is not the last, the last one if written `$path?`.
    Optional,
}

/// A path, and the paths of map keys in it, the path itself first.
pub fn path_paths<'a>(path: &'a Path, see: &mut dyn FnMut(&'a Path)) {
    see(path);
    for step in &path.steps {
        if let Step::Lookup(key) = step {
            path_paths(key, see);
        }
    }
}

/// Each test of a condition, those on the entries of collections included.
pub fn tests<'a>(cond: &'a Cond, see: &mut dyn FnMut(&'a Path, &'a Op)) {
    match cond {
        Cond::All(of) | Cond::Any(of) => of.iter().for_each(|cond| tests(cond, see)),
        Cond::Not(cond) => tests(cond, see),
        Cond::Test { path, op, .. } => {
            see(path, op);
            if let Op::Exists(cond) | Op::Every(cond) | Op::Count(cond, _) = op {
                tests(cond, see);
            }
        }
    }
}

/// The operands of a test, those of conditions on entries not included.
#[must_use]
pub fn operands(op: &Op) -> &[Operand] {
    match op {
        Op::Eq(of) | Op::Differs(of) | Op::Contains(of) => std::slice::from_ref(of),
        Op::SubsetOf(of) | Op::SameSet(of) | Op::Disjoint(of) | Op::CoveredBy(of) => of,
        Op::In(_) | Op::Order { .. } | Op::Present(_) | Op::Empty(_) => &[],
        Op::Size(op) | Op::Count(_, op) => operands(op),
        Op::Exists(_) | Op::Every(_) => &[],
    }
}

/// Each path that a condition looks at: what is tested, what it is compared with, keys of maps.
pub fn cond_paths<'a>(cond: &'a Cond, see: &mut dyn FnMut(&'a Path)) {
    tests(cond, &mut |path, op| {
        path_paths(path, see);
        for operand in operands(op) {
            if let Operand::Path(path) = operand {
                path_paths(path, see);
            }
        }
    });
}

/// Each path that an expression reads. Of `first` all items but the last may be absent, and the last if it says so.
/// A key of a map lookup is used like the path it is in.
pub fn expr_paths<'a>(expr: &'a Expr, see: &mut dyn FnMut(Use, &'a Path)) {
    expr_uses(expr, false, see);
}

fn expr_uses<'a>(expr: &'a Expr, within_optional: bool, see: &mut dyn FnMut(Use, &'a Path)) {
    match expr {
        Expr::Value(_) | Expr::NewId(_) => {}
        Expr::Path { path, optional } => {
            let how = if *optional || within_optional { Use::Optional } else { Use::Plain };
            path_paths(path, &mut |path| see(how, path));
        }
        Expr::First(of) => {
            for (at, expr) in of.iter().enumerate() {
                expr_uses(expr, within_optional || at + 1 < of.len(), see);
            }
        }
        Expr::Join { of, .. } | Expr::List(of) => of.iter().for_each(|expr| expr_uses(expr, within_optional, see)),
        Expr::Record(of) => of.iter().for_each(|(_, expr)| expr_uses(expr, within_optional, see)),
        Expr::Map(of) => {
            for (key, expr) in of {
                expr_uses(key, within_optional, see);
                expr_uses(expr, within_optional, see);
            }
        }
        Expr::Pick(pick) => {
            let how = if pick.optional || within_optional { Use::Optional } else { Use::Plain };
            path_paths(&pick.from, &mut |path| see(how, path));
            cond_paths(&pick.only, &mut |path| see(Use::Optional, path));
            let taken = pick.take.iter().flat_map(Take::paths);
            taken.for_each(|take| path_paths(take, &mut |path| see(Use::Optional, path)));
        }
    }
}

/// Each value that an effect computes.
pub fn exprs<'a>(verb: &'a Verb, see: &mut dyn FnMut(Part, &'a Expr)) {
    match verb {
        Verb::Set(of) | Verb::Append(of) | Verb::Remove(of) | Verb::Merge(of) => {
            of.iter().for_each(|(_, expr)| see(Part::Value, expr));
        }
        Verb::Open { with, .. } => with.iter().for_each(|(_, expr)| see(Part::Value, expr)),
        Verb::ClearFrame(_) | Verb::ClearField(_) | Verb::Increment(_) | Verb::Close { .. } => {}
        Verb::Call(call) => {
            call.with.iter().for_each(|(_, expr)| see(Part::With, expr));
            call.keep.iter().for_each(|(_, expr)| see(Part::With, expr));
        }
        Verb::Emit { with, .. } => with.iter().for_each(|(_, expr)| see(Part::With, expr)),
    }
}

/// Each field that an effect changes; of a frame that it clears every field.
pub fn targets(pack: &Pack, verb: &Verb, see: &mut dyn FnMut(Slot)) {
    match verb {
        Verb::Set(of) | Verb::Append(of) | Verb::Remove(of) | Verb::Merge(of) => {
            of.iter().for_each(|(slot, _)| see(*slot));
        }
        Verb::ClearFrame(frames) => {
            frames.iter().flat_map(|frame| pack.frames[frame.index()].fields()).for_each(see);
        }
        Verb::ClearField(slots) => slots.iter().for_each(|slot| see(*slot)),
        Verb::Increment(of) => of.iter().for_each(|(slot, _)| see(*slot)),
        Verb::Open { frame, .. } => pack.frames[frame.index()].fields().for_each(see),
        Verb::Close { frame, .. } => {
            let keyed = pack.frames[frame.index()].keyed.as_ref();
            let facts = keyed.map(|keyed| [keyed.open(), keyed.ended(), keyed.open_count(), keyed.only()]);
            facts.into_iter().flatten().for_each(see);
        }
        Verb::Call(_) | Verb::Emit { .. } => {}
    }
}

/// Each effect of a class, with the place of its `when`.
pub fn effects<'a>(class: &'a Class, see: &mut dyn FnMut(At, &'a Effect)) {
    for (item, effect) in class.effects.iter().enumerate() {
        see(At::Do(item, Part::When), effect);
    }
    for (row, settle) in class.settle.iter().enumerate() {
        for (item, effect) in settle.effects.iter().enumerate() {
            see(At::SettleDo(row, item, Part::When), effect);
        }
    }
}

/// Each condition of a class.
pub fn conds<'a>(class: &'a Class, see: &mut dyn FnMut(At, &'a Cond)) {
    see(At::Requires, &class.requires);
    see(At::Entry, &class.entry);
    for (at, trigger) in class.triggers.iter().enumerate() {
        see(At::TriggerRequires(at), &trigger.requires);
        see(At::TriggerEntry(at), &trigger.entry);
    }
    for (at, preserve) in class.carry.preserve.iter().enumerate() {
        if let Some(unless) = &preserve.unless {
            see(At::Unless(at), unless);
        }
    }
    for (at, settle) in class.settle.iter().enumerate() {
        see(At::Settle(at), &settle.when);
    }
    effects(class, &mut |at, effect| see(at, &effect.when));
    if let Answer::Rows(rows) = &class.answer {
        for (at, (when, ..)) in rows.iter().enumerate() {
            see(At::Answer(at), when);
        }
    }
    for (at, (never, _)) in class.never.iter().enumerate() {
        see(At::Never(at), never);
    }
}

/// Each path that a class reads, in conditions and in values. Fields that stand without a path, those of `preserve`
/// and of `answer.by`, are not among them, nor are the sources of the inputs it reads.
pub fn paths<'a>(class: &'a Class, see: &mut dyn FnMut(At, Use, &'a Path)) {
    for (at, (_, expr)) in class.bind.iter().enumerate() {
        expr_paths(expr, &mut |how, path| see(At::Bind(at), how, path));
    }
    conds(class, &mut |at, cond| cond_paths(cond, &mut |path| see(at, Use::Test, path)));
    for (at, preserve) in class.carry.preserve.iter().enumerate() {
        if let Some(equals) = &preserve.equals {
            path_paths(equals, &mut |path| see(At::Equals(at), Use::Test, path));
        }
    }
    effects(class, &mut |at, effect| {
        exprs(&effect.verb, &mut |part, expr| {
            expr_paths(expr, &mut |how, path| see(at.with_part(part), how, path));
        });
    });
}

impl At {
    fn with_part(self, part: Part) -> Self {
        match self {
            At::Do(item, _) => At::Do(item, part),
            At::SettleDo(row, item, _) => At::SettleDo(row, item, part),
            other => other,
        }
    }
}

/// The paths from which the value of an input is computed: the sources of its derivation, and those of its completions.
/// Empty for an input that is only given.
#[must_use]
pub fn derived_sources(pack: &Pack, input: InputId) -> Vec<&Path> {
    let mut found = Vec::new();
    let mut add = |path| path_paths(path, &mut |path| found.push(path));
    for derived in pack.derived.iter().filter(|derived| derived.input == input) {
        match &derived.rule {
            Derivation::Lookup { wher, .. } => {
                for (_, operand) in wher {
                    if let Operand::Path(path) = operand {
                        add(path);
                    }
                }
            }
            Derivation::Members { of, at, maps, .. } => {
                add(of);
                at.iter().flat_map(|(_, paths)| paths).for_each(&mut add);
                maps.iter().for_each(&mut add);
            }
            Derivation::FirstOf(paths) => paths.iter().for_each(&mut add),
        }
    }
    for completion in pack.completions.iter().filter(|completion| completion.input == input) {
        completion.from.iter().for_each(&mut add);
    }
    found
}

/// The input that a path starts from, its facets (`.ambiguous`, `.candidates`, `.partial`) included.
#[must_use]
pub fn input_of(path: &Path) -> Option<InputId> {
    match path.place {
        Place::Input(input) | Place::Ambiguous(input) | Place::Candidates(input) | Place::Partial(input) => Some(input),
        _ => None,
    }
}

/// The field that a path starts from, before the step or after.
#[must_use]
pub fn slot_of(path: &Path) -> Option<Slot> {
    match path.place {
        Place::Field(slot) | Place::Before(slot) => Some(slot),
        _ => None,
    }
}

/// The frame of the field that a path starts from.
#[must_use]
pub fn frame_of(pack: &Pack, path: &Path) -> Option<FrameId> {
    slot_of(path).map(|slot| pack.slots[slot.index()].frame)
}

/// The recognised signals that stand in a phrase, by their place in the lexicon.
pub fn phrase_signals(form: &Form, see: &mut dyn FnMut(usize)) {
    fn elems(of: &[Elem], see: &mut dyn FnMut(usize)) {
        for elem in of {
            match elem {
                Elem::Slot(PhraseSlot::Signal(signal)) => see(*signal),
                Elem::Choice { of, .. } => of.iter().for_each(|elems_of| elems(elems_of, see)),
                Elem::Slot(PhraseSlot::Part(_)) | Elem::Word(_) | Elem::Stem { .. } => {}
            }
        }
    }
    if let Form::Phrase(of) = form {
        elems(of, see);
    }
}

/// Fills [`Class::needs`] and [`Class::reads`] of every class.
pub fn fill(pack: &mut Pack) {
    let closure = input_closure(pack);
    let filled: Vec<_> = (0..pack.classes.len())
        .map(ClassId::at)
        .map(|id| (needs(pack, id), reads(pack, &closure, &pack.classes[id.index()])))
        .collect();
    for (class, (needs, reads)) in pack.classes.iter_mut().zip(filled) {
        class.needs = needs;
        class.reads = reads;
    }
}

/// For each input the inputs that its value comes from, itself included, in order.
fn input_closure(pack: &Pack) -> Vec<Vec<InputId>> {
    (0..pack.inputs.len())
        .map(InputId::at)
        .map(|input| {
            let mut found = vec![input];
            let mut next = 0;
            while let Some(input) = found.get(next).copied() {
                next += 1;
                for source in derived_sources(pack, input).into_iter().filter_map(input_of) {
                    if !found.contains(&source) {
                        found.push(source);
                    }
                }
            }
            found
        })
        .collect()
}

fn reads(pack: &Pack, closure: &[Vec<InputId>], class: &Class) -> Vec<InputId> {
    let mut found: Vec<InputId> = Vec::new();
    let mut add = |input: InputId| {
        for input in &closure[input.index()] {
            if !found.contains(input) {
                found.push(*input);
            }
        }
    };
    for trigger in &class.triggers {
        // Words and recognised signals come out of the text.
        if let On::Event(event) = trigger.on {
            pack.events[event.index()].text.into_iter().for_each(&mut add);
        }
        for alternative in &trigger.any {
            match &alternative.by {
                By::Signal { input, .. } | By::Ambiguous(input) => add(*input),
                By::Words(words) => phrase_signals(&words.form, &mut |signal| add(pack.signal_inputs[signal])),
            }
        }
    }
    paths(class, &mut |_, _, path| {
        input_of(path).into_iter().for_each(&mut add);
    });
    found.sort_unstable();
    found
}

fn needs(pack: &Pack, id: ClassId) -> FrameSet {
    // The boundary is never cut.
    if id == pack.boundary {
        return FrameSet::EMPTY;
    }
    let class = &pack.classes[id.index()];
    let written = surely_set(&class.effects);
    let mut needs = FrameSet::EMPTY;
    let mut add = |slot: Slot| needs.insert(pack.slots[slot.index()].frame);
    paths(class, &mut |at, how, path| {
        let counts = match at {
            At::Requires | At::TriggerRequires(_) | At::Entry | At::TriggerEntry(_) => true,
            At::Unless(_) | At::Equals(_) => true,
            // What the class has just written there is not carried.
            At::Do(_, Part::With) | At::SettleDo(..) => {
                let own = matches!(path.place, Place::Field(slot) if written.contains(&slot));
                how == Use::Plain && !own
            }
            At::Do(..) | At::Bind(_) => how == Use::Plain,
            At::Settle(_) | At::Answer(_) | At::Never(_) => false,
        };
        if counts {
            slot_of(path).into_iter().for_each(&mut add);
        }
    });
    class.carry.preserve.iter().flat_map(|preserve| &preserve.slots).copied().for_each(&mut add);
    needs.intersection(class.carry.frames)
}

/// The fields that a list of effects sets whatever happens, to a value that cannot be left out.
#[must_use]
pub fn surely_set(effects: &[Effect]) -> Vec<Slot> {
    let mut found = Vec::new();
    for effect in effects.iter().filter(|effect| effect.when.is_true()) {
        if let Verb::Set(of) = &effect.verb {
            found.extend(of.iter().filter(|(_, expr)| !may_be_left_out(expr)).map(|(slot, _)| *slot));
        }
    }
    found
}

/// Whether an expression as a whole may have no value.
#[must_use]
pub fn may_be_left_out(expr: &Expr) -> bool {
    match expr {
        Expr::Path { optional, .. } => *optional,
        Expr::Pick(pick) => pick.optional,
        Expr::First(of) => of.last().is_none_or(may_be_left_out),
        _ => false,
    }
}
