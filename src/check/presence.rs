//! A plain `$path` is surely there wherever it is used.

use std::rc::Rc;

use crate::diag::Diagnostics;
use crate::model::Pack;
use crate::model::class::{By, Class, On, Trigger};
use crate::model::cond::{Cond, Op, Operand, Path, Place, Step};
use crate::model::effect::{Call, Effect, Expr, Verb};
use crate::model::ids::{ClassId, FrameId, InputId, PortId, Slot};
use crate::model::lexicon::{Elem, Form, Many, Piece, RuleValue, Slot as PhraseSlot};
use crate::model::names::Sym;
use crate::model::value::Value;
use crate::model::walk::{self, At, Part};
use crate::model::{InputKind, WhileOpen, class::Base};

use super::allowance::Allowance;
use super::carryover;
use super::facts::{Facts, Ground, Kind, bare, is_true, surely_kept};
use super::presence_finding::{Missing, Unopened, diagnostic, unopened_diagnostic};

/// Checks every plain `$path` of every class.
pub fn check(pack: &Pack, out: &Diagnostics) {
    let ground = Ground::of(pack);
    for id in (0..pack.classes.len()).map(ClassId::at) {
        let allowance = Allowance::of(pack, id);
        let class = &pack.classes[id.index()];
        let (found, unopened) = (Vec::new(), Vec::new());
        let mut checker = Checker { ground: &ground, allowance: &allowance, id, class, found, unopened };
        checker.class();
        out.extend(checker.found.iter().map(|missing| diagnostic(pack, class, missing)));
        out.extend(checker.unopened.iter().map(|found| unopened_diagnostic(pack, class, found)));
    }
}

/// One way in which the effects of a class come to be done: the trigger, and what is known then.
struct World<'a> {
    trigger: usize,
    facts: Facts<'a>,
}

struct Checker<'a> {
    ground: &'a Ground<'a>,
    allowance: &'a Allowance<'a>,
    id: ClassId,
    class: &'a Class,
    found: Vec<Missing>,
    unopened: Vec<Unopened>,
}

impl<'a> Checker<'a> {
    fn pack(&self) -> &'a Pack {
        self.ground.pack
    }

    fn class(&mut self) {
        let class = self.class;
        let mut plain = false;
        walk::paths(class, &mut |_, how, _| plain |= how == walk::Use::Plain);
        let pack = self.pack();
        if !pack.keyed.is_empty() {
            walk::effects(class, &mut |_, effect| plain |= written_instance(pack, effect).is_some());
        }
        if !plain {
            return;
        }
        self.binds();
        let worlds = self.worlds();
        for world in &worlds {
            self.effects(&class.effects, &world.facts, &|item, part| At::Do(item, part), Some(world.trigger));
        }
        for row in 0..class.settle.len() {
            for facts in self.settled(&worlds, row, &mut Vec::new()) {
                self.effects(&class.settle[row].effects, &facts, &|item, part| At::SettleDo(row, item, part), None);
            }
        }
    }

    /// Checks what the instances are bound by: nothing is known then but what the event brings.
    fn binds(&mut self) {
        let (pack, class) = (self.pack(), self.class);
        for (at, trigger) in class.triggers.iter().enumerate() {
            let (kind, given): (Kind, Vec<Path>) = match trigger.on {
                On::Event(event) => {
                    let fields = pack.events[event.index()].fields.iter().filter(|(_, must)| *must);
                    (Kind::Event(event), fields.map(|(field, _)| bare(Place::Input(*field))).collect())
                }
                On::Boundary => (Kind::Any, Vec::new()),
                On::Outcome { .. } => continue,
            };
            let mut facts = Facts::new(self.ground, self.allowance, kind);
            facts.assume_all(&[], &given);
            for (bind, (_, expr)) in class.bind.iter().enumerate() {
                self.expr(expr, &facts, At::Bind(bind), Some(at));
            }
        }
    }

    /// Each way in which the class is chosen, with the facts its effects start from.
    fn worlds(&self) -> Vec<World<'a>> {
        let mut worlds: Vec<World<'a>> = Vec::new();
        for (at, trigger) in self.class.triggers.iter().enumerate() {
            for facts in self.triggered(trigger) {
                let facts = match trigger.on {
                    On::Event(_) | On::Boundary => facts.carried(self.class),
                    On::Outcome { base: Base::Selected, .. } => facts,
                    // The state is another one than the guards saw.
                    On::Outcome { base: Base::Before, .. } => facts.elsewhere(),
                };
                if !worlds.iter().any(|world| world.facts == facts) {
                    worlds.push(World { trigger: at, facts });
                }
            }
        }
        worlds
    }

    fn triggered(&self, trigger: &Trigger) -> Vec<Facts<'a>> {
        let pack = self.pack();
        let kind = match trigger.on {
            On::Event(event) => Kind::Event(event),
            On::Outcome { port, ok, .. } => Kind::Outcome(port.map_or_else(|| answering(pack), |port| vec![port]), ok),
            On::Boundary => Kind::Any,
        };
        let mut facts = Facts::new(self.ground, self.allowance, kind);
        if self.id == pack.boundary {
            facts = match (trigger.reason, trigger.on) {
                (Some(reason), _) => facts.with_reasons(vec![reason], true),
                (None, on) => facts.with_reasons(boundary_reasons(pack), on == On::Boundary),
            };
        }
        let given: Vec<Path> = match trigger.on {
            On::Event(event) => {
                let fields = pack.events[event.index()].fields.iter().filter(|(_, must)| *must);
                fields.map(|(field, _)| bare(Place::Input(*field))).collect()
            }
            On::Outcome { .. } => match &facts.kind {
                Kind::Outcome(ports, _) => {
                    self.ground.kept(ports).into_iter().map(|kept| bare(Place::Kept(kept))).collect()
                }
                _ => Vec::new(),
            },
            On::Boundary => Vec::new(),
        };
        let guards = [&self.class.requires, &trigger.requires, &self.class.entry, &trigger.entry];
        facts.assume_all(&guards, &given);
        if trigger.any.is_empty() {
            return vec![facts];
        }
        let tag = pack.inputs.iter().position(|input| input.kind == InputKind::Tag);
        let mut each: Vec<Facts<'a>> = Vec::new();
        for alternative in &trigger.any {
            let mut facts = facts.clone();
            if let By::Signal { input, is } = &alternative.by {
                let path = bare(Place::Input(*input));
                let ty = &pack.inputs[input.index()].ty;
                if is.is_empty() {
                    if !may_stay_partial(pack, *input) {
                        facts.assume_present(&path);
                    }
                } else if ty.is_collection() {
                    facts.assume_present(&path);
                } else {
                    facts.assume_value(&path, ty, is.clone());
                }
            }
            if let By::Ambiguous(input) = &alternative.by {
                facts.assume_present(&bare(Place::Candidates(*input)));
            }
            for (input, _) in alternative.sets.iter().filter(|(input, _)| !may_be_half_said(pack, *input)) {
                facts.assume_present(&bare(Place::Input(*input)));
            }
            if let Some(tag) = tag.map(InputId::at) {
                facts.assume_only(tag, alternative.tag.map(Value::Sym));
                // Where two alternatives match that differ in it, there is no tag.
                if let Some(name) = alternative.tag
                    && trigger.any.iter().all(|other| other.tag == Some(name))
                {
                    facts.assume_value(&bare(Place::Input(tag)), &pack.inputs[tag.index()].ty, vec![Value::Sym(name)]);
                }
            }
            if !each.contains(&facts) {
                each.push(facts);
            }
        }
        each
    }

    /// Each way in which a settle row comes to be done, with the facts its effects start from.
    fn settled(&self, worlds: &[World<'a>], row: usize, visiting: &mut Vec<usize>) -> Vec<Facts<'a>> {
        let class = self.class;
        let on = class.settle[row].on;
        let mut each: Vec<Facts<'a>> = Vec::new();
        let others = self.calls() > 1;
        // Where inputs are taken meanwhile, any class may have written anything.
        let meanwhile = self.pack().while_open == WhileOpen::Allow;
        let mut add = |facts: Facts<'a>, call: &Call, owners: &[Slot]| {
            let disturbed = |slot| meanwhile || (others && self.disturbed(slot));
            let mut later = facts.later(Kind::Outcome(vec![call.port], None), &disturbed);
            // The instance that a call belongs to is open, or there would be no outcome.
            owners.iter().for_each(|open| later.assume(&is_true(*open)));
            surely_kept(call).into_iter().for_each(|kept| later.assume_present(&bare(Place::Kept(kept))));
            if !later.fails(&class.settle[row].when) {
                later.assume(&class.settle[row].when);
                if !each.contains(&later) {
                    each.push(later);
                }
            }
        };
        for (item, effect) in class.effects.iter().enumerate() {
            if let Verb::Call(call) = &effect.verb
                && call.id == on
            {
                for world in worlds.iter().filter(|world| !world.facts.fails(&effect.when)) {
                    let owners = self.owners(&class.effects, item, &world.facts);
                    add(done(&world.facts, &class.effects, &effect.when), call, &owners);
                }
            }
        }
        visiting.push(row);
        for (earlier, settle) in class.settle.iter().enumerate() {
            for (item, effect) in settle.effects.iter().enumerate() {
                let Verb::Call(call) = &effect.verb else { continue };
                if call.id != on {
                    continue;
                }
                if visiting.contains(&earlier) {
                    // A loop of calls: nothing is known but what always is.
                    add(Facts::new(self.ground, self.allowance, Kind::Any), call, &[]);
                    continue;
                }
                for facts in self.settled(worlds, earlier, visiting) {
                    if !facts.fails(&effect.when) {
                        let owners = self.owners(&settle.effects, item, &facts);
                        add(done(&facts, &settle.effects, &effect.when), call, &owners);
                    }
                }
            }
        }
        visiting.pop();
        each
    }

    /// Of which keyed frames an instance is surely open where an item of a list is done, as their facts `open`.
    fn owners(&self, effects: &[Effect], item: usize, start: &Facts<'a>) -> Vec<Slot> {
        let pack = self.pack();
        let each = pack.keyed.iter().filter(|frame| surely_open(pack, effects, item, **frame, start));
        each.filter_map(|frame| pack.frames[frame.index()].keyed.as_ref().map(|keyed| keyed.open())).collect()
    }

    /// How many calls the class can have open.
    fn calls(&self) -> usize {
        let pack = self.pack();
        let settled = self.class.settle.iter().flat_map(|row| &row.effects);
        let replies =
            |effect: &&Effect| matches!(&effect.verb, Verb::Call(call) if pack.ports[call.port.index()].replies);
        self.class.effects.iter().chain(settled).filter(replies).count()
    }

    /// Whether another outcome of the turn may change a field before a given one comes.
    fn disturbed(&self, slot: Slot) -> bool {
        let mut disturbed = self.ground.written_on_outcome(slot);
        for effect in self.class.settle.iter().flat_map(|row| &row.effects) {
            walk::targets(self.pack(), &effect.verb, &mut |target| disturbed |= target == slot);
        }
        disturbed
    }

    /// Checks a list of effects that starts from these facts.
    fn effects(
        &mut self,
        effects: &'a [Effect],
        start: &Facts<'a>,
        at: &dyn Fn(usize, Part) -> At,
        from: Option<usize>,
    ) {
        let mut all_done: Vec<(&'a Cond, Rc<Facts<'a>>)> = Vec::new();
        for (item, effect) in effects.iter().enumerate() {
            if let Some(frame) = written_instance(self.pack(), effect)
                && !start.fails(&effect.when)
                && !self.unopened.iter().any(|known| known.span == effect.span)
                && !surely_open(self.pack(), effects, item, frame, start)
            {
                self.unopened.push(Unopened { frame, span: effect.span, trigger: from });
            }
            let mut exprs = Vec::new();
            walk::exprs(&effect.verb, &mut |part, expr| exprs.push((part, expr)));
            exprs.retain(|(_, expr)| has_plain(expr));
            if exprs.is_empty() || start.fails(&effect.when) {
                continue;
            }
            let facts = if exprs.iter().any(|(part, _)| *part == Part::With) {
                match all_done.iter().find(|(when, _)| **when == effect.when) {
                    Some((_, facts)) => Rc::clone(facts),
                    None => {
                        let facts = Rc::new(done(start, effects, &effect.when));
                        all_done.push((&effect.when, Rc::clone(&facts)));
                        facts
                    }
                }
            } else {
                let mut facts = start.clone();
                facts.assume(&effect.when);
                Rc::new(facts)
            };
            for (part, expr) in exprs {
                self.expr(expr, &facts, at(item, part), from);
            }
        }
    }

    fn expr(&mut self, expr: &'a Expr, facts: &Facts<'a>, at: At, from: Option<usize>) {
        match expr {
            Expr::Value(_) | Expr::NewId(_) => {}
            Expr::Path { optional: true, .. } => {}
            Expr::Path { path, .. } => self.path(path, facts, at, from),
            Expr::First(of) => {
                if !of.iter().any(|expr| is_there(expr, facts))
                    && let Some(last) = of.last()
                {
                    self.expr(last, facts, at, from);
                }
            }
            Expr::Join { of, .. } | Expr::List(of) => of.iter().for_each(|expr| self.expr(expr, facts, at, from)),
            Expr::Record(of) => of.iter().for_each(|(_, expr)| self.expr(expr, facts, at, from)),
            Expr::Map(of) => {
                for (key, expr) in of {
                    self.expr(key, facts, at, from);
                    self.expr(expr, facts, at, from);
                }
            }
            Expr::Pick(pick) if pick.optional => {}
            Expr::Pick(pick) => self.path(&pick.from, facts, at, from),
        }
    }

    fn path(&mut self, path: &'a Path, facts: &Facts<'a>, at: At, trigger: Option<usize>) {
        for step in &path.steps {
            if let Step::Lookup(key) = step {
                self.path(key, facts, at, trigger);
            }
        }
        let unread = !carryover::may_read(self.pack(), self.class, self.allowance, at, path);
        let told = self.found.iter().any(|missing| missing.path.span == path.span);
        if !unread && !told && !facts.is_present(path) {
            self.found.push(Missing { path: path.clone(), at, trigger });
        }
    }
}

/// The facts after a list of effects, when a condition held at its start.
fn done<'a>(start: &Facts<'a>, effects: &[Effect], when: &Cond) -> Facts<'a> {
    let mut known = start.clone();
    known.assume(when);
    let mut after = known.clone();
    after.begin_effects();
    for effect in effects.iter().filter(|effect| !known.fails(&effect.when)) {
        let sure = known.holds(&effect.when);
        match &effect.verb {
            Verb::Set(of) => {
                for (slot, expr) in of {
                    after.changed(*slot);
                    if sure && is_there(expr, &known) {
                        let path = bare(Place::Field(*slot));
                        match expr {
                            Expr::Value(value) => {
                                let ty = after.slot_type(*slot).clone();
                                let op = Op::Eq(Operand::Value(value.clone()));
                                after.learn(&Cond::Test { path: path.clone(), ty, op, span: path.span });
                            }
                            _ => after.add_present(&path),
                        }
                    }
                }
            }
            Verb::Open { frame, with } => {
                let pack = after.ground_pack();
                walk::targets(pack, &effect.verb, &mut |slot| after.lost(slot));
                if let (true, Some(keyed)) = (sure, &pack.frames[frame.index()].keyed) {
                    after.learn(&is_true(keyed.open()));
                    for (slot, _) in with.iter().filter(|(_, expr)| is_there(expr, &known)) {
                        after.add_present(&bare(Place::Field(*slot)));
                    }
                }
            }
            Verb::Close { .. } | Verb::ClearFrame(_) | Verb::ClearField(_) => {
                let pack = after.ground_pack();
                walk::targets(pack, &effect.verb, &mut |slot| after.lost(slot));
            }
            Verb::Append(_) | Verb::Remove(_) | Verb::Increment(_) | Verb::Merge(_) => {
                let pack = after.ground_pack();
                walk::targets(pack, &effect.verb, &mut |slot| after.changed(slot));
                if let (true, Verb::Append(of) | Verb::Merge(of)) = (sure, &effect.verb) {
                    for (slot, _) in of.iter().filter(|(_, expr)| is_there(expr, &known)) {
                        after.add_present(&bare(Place::Field(*slot)));
                    }
                }
            }
            Verb::Call(_) | Verb::Emit { .. } => {}
        }
    }
    after.close();
    after
}

/// The keyed frame of which an effect changes the bound instance.
fn written_instance(pack: &Pack, effect: &Effect) -> Option<FrameId> {
    match &effect.verb {
        Verb::Open { .. } => None,
        Verb::Close { frame, .. } => Some(*frame),
        verb => {
            let mut found = None;
            walk::targets(pack, verb, &mut |slot| {
                found = found.or(pack.keyed_at(slot).map(|_| pack.slots[slot.index()].frame));
            });
            found
        }
    }
}

/// Whether an instance of a frame is surely bound and open where an item of a list is done.
fn surely_open(pack: &Pack, effects: &[Effect], item: usize, frame: FrameId, start: &Facts<'_>) -> bool {
    let Some(keyed) = &pack.frames[frame.index()].keyed else { return false };
    let mut known = start.clone();
    known.assume(&effects[item].when);
    for earlier in effects[..item].iter().rev().filter(|earlier| !known.fails(&earlier.when)) {
        match earlier.verb {
            Verb::Open { frame: of, .. } if of == frame && known.holds(&earlier.when) => return true,
            Verb::Close { frame: of, .. } if of == frame => return false,
            _ => {}
        }
    }
    known.holds(&is_true(keyed.open()))
}

/// Whether an expression reads anything that must be there.
fn has_plain(expr: &Expr) -> bool {
    let mut plain = false;
    walk::expr_paths(expr, &mut |how, _| plain |= how == walk::Use::Plain);
    plain
}

/// Whether an expression surely has a value. What is written plain has one, else it is a finding of its own.
fn is_there(expr: &Expr, facts: &Facts<'_>) -> bool {
    match expr {
        Expr::Value(value) => value.is_present(),
        Expr::Path { path, optional } => !optional || facts.is_present(path),
        Expr::Pick(pick) => !pick.optional || facts.is_present(&pick.from),
        Expr::First(of) => {
            let plain = |expr: &Expr| matches!(expr, Expr::Path { path, .. } if !facts.is_present(path));
            of.iter().any(|expr| !plain(expr) && is_there(expr, facts))
                || of.last().is_some_and(|last| is_there(last, facts))
        }
        Expr::Join { .. } | Expr::NewId(_) | Expr::Record(_) | Expr::List(_) | Expr::Map(_) => true,
    }
}

/// Whether a text may say something of a signal that comes to no value: then an alternative that sets it does not.
fn may_be_half_said(pack: &Pack, input: InputId) -> bool {
    let signal = pack.signal_inputs.iter().position(|of| *of == input);
    let ambiguous = signal.is_some_and(|signal| pack.lexicon.signals[signal].many == Many::Ambiguous);
    ambiguous || may_stay_partial(pack, input)
}

/// Whether a signal may have been said in part only, with nothing that completes it for sure. Then an alternative
/// `signal = …` matches though no value comes of it.
fn may_stay_partial(pack: &Pack, input: InputId) -> bool {
    let Some(signal) = pack.signal_inputs.iter().position(|of| *of == input) else { return false };
    pack.lexicon.signals[signal].rules.iter().any(|rule| {
        let RuleValue::Template(pieces) = &rule.value else { return false };
        let parts: Vec<usize> = pieces
            .iter()
            .filter_map(|piece| match piece {
                Piece::Part(part) => Some(*part),
                Piece::Text(_) => None,
            })
            .collect();
        let said = |part: usize| match &rule.form {
            Form::Phrase(elems) => elems.contains(&Elem::Slot(PhraseSlot::Part(part))),
            Form::Pattern(_) => false,
        };
        let completed = |part: usize| {
            pack.completions.iter().any(|completion| {
                let sure = completion.from.iter().any(|path| path.place == Place::EnvToday);
                completion.input == input && completion.part == part && sure
            })
        };
        let missing: Vec<usize> = parts.iter().copied().filter(|part| !said(*part)).collect();
        // A completed day may not exist: February has no 30th.
        missing.iter().any(|part| !completed(*part)) || (!missing.is_empty() && parts.len() > 2)
    })
}

/// The ports whose outcomes come.
fn answering(pack: &Pack) -> Vec<PortId> {
    (0..pack.ports.len()).map(PortId::at).filter(|port| pack.ports[port.index()].replies).collect()
}

/// What the boundary may be told when no trigger of its own gave a reason.
fn boundary_reasons(pack: &Pack) -> Vec<Sym> {
    let engine = crate::model::reason::ALL.iter().filter_map(|reason| pack.names.get(reason));
    let mut reasons: Vec<Sym> = engine.chain(pack.classes.iter().filter_map(|class| class.unmet)).collect();
    reasons.sort_unstable();
    reasons.dedup();
    reasons
}
