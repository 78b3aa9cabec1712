//! Laws of packs that use packs, on packs and events at random: a cascade is what a host would do by hand that steps each pack by itself
//! and passes the JSON on; it is the same each time; and a session that is saved and read back goes on as it was.

use std::collections::{BTreeMap, VecDeque};

use serde_json::{Value as Json, json};

use crate::support::env::env;
use crate::support::joint::{Part, World, call, emit, log, on, outcome};
use crate::support::{self, Dice};
use segue::engine::{Event, IdSource, NumberedIds, Step, restore, step};
use segue::model::Status;
use segue::model::ids::FrameId;
use segue::model::uses::PackAt;
use segue::registry::Registry;
use segue::state::SessionState;

/// One of the packs, as a host has it that knows nothing of cascades.
struct Alone {
    registry: Registry,
    state: SessionState,
}

/// A call between packs, as that host keeps it in mind.
struct Waits {
    caller: usize,
    call: String,
    by: usize,
    open: Vec<String>,
}

/// The host: the outermost pack calls the second by `next`, that one the third.
struct Host {
    packs: Vec<Alone>,
    waits: Vec<Waits>,
    ids: NumberedIds,
    turn: u32,
    told: Vec<String>,
    /// Calls whose end is known and not told yet.
    ending: Vec<String>,
}

struct Shared<'i>(&'i mut NumberedIds);

impl IdSource for Shared<'_> {
    fn fresh(&mut self, prefix: &str) -> std::sync::Arc<str> {
        self.0.fresh(prefix)
    }
}

const SERVED: [&str; 2] = ["next", "tell"];

impl Host {
    fn new(parts: &[Part]) -> Self {
        let alone = |part: &Part| {
            let registry = support::joint::registry(part, &[]);
            Alone { state: SessionState::new(registry.pack()), registry }
        };
        let packs = parts.iter().map(alone).collect();
        let (waits, told, ending) = (Vec::new(), Vec::new(), Vec::new());
        Self { packs, waits, ids: NumberedIds::default(), turn: 0, told, ending }
    }

    fn step(&mut self, at: usize, event: &Event) -> Step {
        let mut ids = Shared(&mut self.ids);
        let mut env = env(self.turn, &mut ids);
        let Alone { registry, state } = &self.packs[at];
        let made = step(registry, state, event, &mut env).expect("no boundary fails here");
        self.packs[at].state = made.state.clone();
        made
    }

    fn is_open(&self, at: usize, call: &str) -> bool {
        self.packs[at].state.open_calls().iter().any(|open| &*open.id == call)
    }

    fn name(&self, at: usize, step: &Step) -> String {
        let pack = self.packs[at].registry.pack();
        let class =
            step.class.map(|class| pack.classes[class.index()].id).or(step.refused).expect("a class or a refusal");
        format!("{}{}", ["", "gate/", "gate/deep/"][at], pack.names.text(class))
    }

    /// Forgets a call, and all that was called for it. The serving pack is told that they have failed, and what it makes of that is
    /// thrown away: all that is kept of it is that they are open no more.
    fn forget(&mut self, at: usize, call: &str) {
        let Some(of) = self.waits.iter().position(|waits| waits.caller == at && waits.call == call) else { return };
        let Waits { by, open, .. } = self.waits.remove(of);
        for call in open {
            let saved = self.packs[by].state.to_json(self.packs[by].registry.pack());
            self.packs[by].state = without(&self.packs[by], saved, &call);
            self.forget(by, &call);
        }
    }

    /// One event of one pack, and everything after it. `end`: the call for which it is taken.
    fn take(&mut self, at: usize, event: &Event, end: Option<String>) {
        let made = self.step(at, event);
        let name = self.name(at, &made);
        self.told.push(name);
        if let Event::Outcome { call, .. } = event {
            self.waits
                .iter_mut()
                .filter(|waits| waits.by == at)
                .for_each(|waits| waits.open.retain(|open| *open != **call));
        }
        for call in &made.closed {
            self.forget(at, call);
        }
        // Those whose last call this has closed, and that it is not taken for.
        let mut lost = Vec::new();
        for waits in self.waits.iter_mut().filter(|waits| waits.by == at) {
            let before = waits.open.len();
            waits.open.retain(|open| !made.closed.iter().any(|closed| **closed == *open));
            if before > 0 && waits.open.is_empty() && end.as_ref() != Some(&waits.call) {
                lost.push(waits.call.clone());
            }
        }
        let open: Vec<String> =
            made.calls.iter().map(|call| call.id.to_string()).filter(|call| self.is_open(at, call)).collect();
        if let Some(waits) = self.waits.iter_mut().find(|waits| Some(&waits.call) == end.as_ref()) {
            waits.open.extend(open);
        }
        let pack = self.packs[at].registry.pack().clone();
        let waited =
            end.as_ref().filter(|end| self.waits.iter().any(|waits| waits.call == **end) && !self.ending.contains(end));
        let message =
            |sent: &segue::engine::MessageOut| pack.names.text(pack.messages[sent.message.index()].name).to_owned();
        let reply =
            waited.and_then(|_| made.messages.iter().position(|sent| ["ok", "no"].contains(&message(sent).as_str())));
        let ended = reply.map(|place| {
            let sent = &made.messages[place];
            let field = sent.fields.first().map(|(_, value)| segue::model::json::to_json(&pack.names, value));
            if message(sent) == "ok" {
                (Status::Ok, field, None)
            } else {
                (Status::Failed, None, Some(field.unwrap_or(json!("no"))))
            }
        });
        self.ending.extend(end.clone().filter(|_| ended.is_some()));
        for (_, sent) in made.messages.iter().enumerate().filter(|(place, _)| Some(*place) != reply) {
            self.told.push(format!("{} says {}", ["outer", "gate", "deep"][at], message(sent)));
        }
        for call in lost {
            self.end(&call, Status::Cancelled, None, None);
        }
        for call in &made.calls {
            let port = pack.names.text(pack.ports[call.port.index()].name);
            if !SERVED.contains(&port) || at == 2 {
                continue;
            }
            let replies = pack.ports[call.port.index()].replies;
            if replies && !self.is_open(at, &call.id) {
                continue;
            }
            let with: BTreeMap<String, Json> = call
                .with
                .iter()
                .map(|(name, value)| {
                    (pack.names.text(*name).to_owned(), segue::model::json::to_json(&pack.names, value))
                })
                .collect();
            let event = Event::input(&self.packs[at + 1].registry, "on", &json!(with), &json!({})).expect("an event");
            if replies {
                self.waits.push(Waits { caller: at, call: call.id.to_string(), by: at + 1, open: Vec::new() });
            }
            self.take(at + 1, &event, replies.then(|| call.id.to_string()));
        }
        let Some(end) = end else { return };
        match ended {
            Some((status, field, error)) => {
                let error = error.map(|error| error.as_str().expect("a text").to_owned());
                self.end(&end, status, field, error);
            }
            None if self.ending.contains(&end) => {}
            None if self.waits.iter().any(|waits| waits.call == end && waits.open.is_empty()) => {
                let error = if made.refused.is_some() { "busy" } else { "no_reply" };
                self.end(&end, Status::Failed, None, Some(error.to_owned()));
            }
            None => {}
        }
    }

    /// A call between packs has ended.
    fn end(&mut self, call: &str, status: Status, what: Option<Json>, error: Option<String>) {
        let Some(of) = self.waits.iter().position(|waits| waits.call == call) else { return };
        let caller = self.waits.remove(of).caller;
        let value = (status == Status::Ok).then(|| what.map_or_else(|| json!({}), |what| json!({ "what": what })));
        let event = Event::Outcome { call: call.into(), status, value, error: error.map(Into::into) };
        let end = self.waits.iter().find(|waits| waits.by == caller && waits.open.iter().any(|open| open == call));
        let end = end.map(|waits| waits.call.clone());
        self.take(caller, &event, end);
    }

    /// An outside event.
    fn outside(&mut self, event: &Event) -> Vec<String> {
        self.turn += 1;
        self.told.clear();
        self.ending.clear();
        let at = match event {
            Event::Outcome { call, .. } => (0..3).find(|at| self.is_open(*at, call)).unwrap_or(0),
            Event::Input { .. } => 0,
        };
        let end = match event {
            Event::Outcome { call, .. } => {
                let waits =
                    self.waits.iter().find(|waits| waits.by == at && waits.open.iter().any(|open| *open == **call));
                waits.map(|waits| waits.call.clone())
            }
            Event::Input { .. } => None,
        };
        self.take(at, event, end);
        std::mem::take(&mut self.told)
    }

    fn frames(&self) -> Vec<Json> {
        self.packs.iter().map(|of| of.state.frame_json(of.registry.pack(), FrameId(0))).collect()
    }
}

/// A state without an open call, by way of its saved form.
fn without(of: &Alone, mut saved: Json, call: &str) -> SessionState {
    let calls = saved["turn"]["calls"].as_array().expect("a turn is under way");
    let rest: Vec<Json> = calls.iter().filter(|open| open["id"] != call).cloned().collect();
    if rest.is_empty() {
        saved.as_object_mut().expect("a table").remove("turn");
    } else {
        saved["turn"]["calls"] = json!(rest);
    }
    SessionState::from_json(of.registry.pack(), &saved).expect("a state")
}

/// Effects at random; `level`: which of the packs, `late`: in a settle row, where little is called.
fn effects(dice: &mut Dice, level: usize, late: bool) -> (Json, Vec<(String, bool)>) {
    let classes = ["C", "D", "E", "nobody"];
    let (mut all, mut sites) = (Vec::new(), Vec::new());
    for at in 0..dice.below(4) {
        let site = format!("{}{at}", if late { "l" } else { "s" });
        match dice.below(if late { 5 } else { 8 }) {
            0 => all.push(log(&format!("{at}"))),
            1 if level > 0 => all.push(emit("ok", "fine")),
            2 if level > 0 => all.push(emit("no", "bad")),
            1 | 2 => all.push(emit("say", "word")),
            3 => all.push(json!({ "increment": { "f": { "n": 1 } } })),
            4 if !late => {
                all.push(call("host", &site, "x"));
                sites.push((site, true));
            }
            5 | 6 => {
                let id = classes[dice.below(classes.len())];
                all.push(call("next", &site, id));
                sites.push((site, true));
            }
            7 => {
                let id = classes[dice.below(classes.len())];
                all.push(call("tell", &site, id));
                sites.push((site, false));
            }
            _ => all.push(emit("say", "word")),
        }
    }
    (json!(all), sites)
}

fn part(dice: &mut Dice, level: usize) -> Part {
    let mut classes = Vec::new();
    for id in ["C", "D", "E"] {
        let (first, sites) = effects(dice, level, false);
        let mut parts = json!({ "do": first });
        if !sites.is_empty() {
            let answered = |(site, _): &(String, bool)| {
                let any = dice.chance(40);
                let (then, _) = effects(dice, level, true);
                let row = on(site, then.clone());
                if any { json!({ "on": site, "when": {}, "do": then }) } else { row }
            };
            let rows: Vec<Json> = sites.iter().filter(|site| site.1).map(answered).collect();
            parts["settle"] = json!(rows);
        }
        classes.push((id, parts));
    }
    let part = Part::new(&classes).set("while_open", json!(*dice.pick(&["cancel", "cancel", "refuse"])));
    // Something may end each call.
    match level {
        0 => part.set("step_limit", json!(1000)),
        _ => part.set("step_limit", json!(1000)).boundary(json!([emit("say", "lost"), { "when": { "f": { "n": { "gte": 3 } } }, "emit": "ok", "with": {} }, { "when": { "f": { "n": { "gte": 4 } } }, "emit": "no", "with": {} }])),
    }
}

fn joined(part: &Part, name: &str) -> Part {
    part.clone().using_as(name, name, &SERVED)
}

/// An event for a session that stands like this.
fn event(dice: &mut Dice, world: &World) -> Event {
    let open = world.state.host_calls(world.registry.pack());
    if open.is_empty() || dice.chance(35) {
        let id = ["C", "D", "E", "nobody"][dice.below(4)];
        return world.event(id);
    }
    let call = open[dice.below(open.len())].1.id.to_string();
    match dice.below(5) {
        0 => outcome(&call, Status::Timeout, None),
        1 => outcome(&call, Status::Ok, Some(json!({ "what": "said" }))),
        2 => outcome("call-1", Status::Ok, Some(json!({}))),
        _ => outcome(&call, Status::Ok, Some(json!({}))),
    }
}

#[test]
fn a_cascade_is_what_a_host_does_by_hand() {
    let (mut between, mut deepest, mut closed) = (0, 0, 0);
    for seed in 0..60 {
        let mut dice = Dice(seed);
        let parts = [part(&mut dice, 0), part(&mut dice, 1), part(&mut dice, 2)];
        let (outer, gate) = (joined(&parts[0], "gate"), joined(&parts[1], "deep"));
        let mut world = World::new(&outer, &[("gate", &gate), ("deep", &parts[2])]);
        let mut host = Host::new(&parts);
        let mut recent: VecDeque<Event> = VecDeque::new();
        for turn in 0..24 {
            let event = event(&mut dice, &world);
            recent.push_back(event.clone());
            let by_hand = host.outside(&event);
            let before = world.state.clone();
            let (ids, again) = (world.ids.clone(), world.try_take(&event).expect("a cascade"));
            // The same once more.
            let (state, later) = (std::mem::replace(&mut world.state, before), std::mem::replace(&mut world.ids, ids));
            world.turn -= 1;
            let done = world.try_take(&event).expect("a cascade");
            assert_eq!(support::joint::shown(&world.registry, &again), support::joint::shown(&world.registry, &done));
            assert_eq!(world.state, state);
            world.ids = later;
            assert!(done.undone.is_none(), "seed {seed}");
            let pack = world.registry.pack();
            let mut made = Vec::new();
            for taken in &done.steps {
                let own = pack.at(taken.pack);
                let class =
                    taken.step.class.map(|class| own.classes[class.index()].id).or(taken.step.refused).expect("a step");
                made.push(pack.qualified(taken.pack, own.names.text(class)));
                for (at, sent) in taken.messages() {
                    let of = pack.at(at).names.text(pack.at(at).messages[sent.message.index()].name);
                    made.push(format!("{} says {of}", ["outer", "gate", "deep"][at.index()]));
                }
                between += usize::from(!taken.pack.is_outermost());
                deepest += usize::from(taken.pack == PackAt(2));
                closed += taken.closed.len();
            }
            assert_eq!(made, by_hand, "seed {seed}, turn {turn}: {recent:?}");
            let frames: Vec<Json> = (0..3).map(|at| world.frame(PackAt(at))).collect();
            assert_eq!(frames, host.frames(), "seed {seed}, turn {turn}");
            let own: Vec<String> = pack
                .all()
                .flat_map(|at| {
                    world
                        .state
                        .at(at)
                        .expect("a state")
                        .open_calls()
                        .into_iter()
                        .map(|call| call.id.to_string())
                        .collect::<Vec<_>>()
                })
                .collect();
            let by_hand: Vec<String> = host
                .packs
                .iter()
                .flat_map(|of| of.state.open_calls().into_iter().map(|call| call.id.to_string()).collect::<Vec<_>>())
                .collect();
            assert_eq!(own, by_hand, "seed {seed}, turn {turn}");
            // What is saved is read back as it is.
            let mut ids = NumberedIds::default();
            let mut env = env(0, &mut ids);
            let read = restore(&world.registry, &world.state.to_json(pack), &mut env).expect("a session");
            assert_eq!(read.state, world.state);
        }
    }
    assert!(between > 400 && deepest > 50 && closed > 20, "{between} {deepest} {closed}");
}

#[test]
fn a_cascade_that_fails_changes_nothing() {
    // Each step of the deepest pack breaks its invariant, and so does its boundary.
    let adds = json!({ "increment": { "f": { "n": 1 } } });
    let deep = Part::new(&[("C", json!({ "do": [adds] }))]).boundary(json!([adds])).with(json!({ "invariant": [
        { "id": "none", "when": { "f": { "n": { "gte": 1 } } }, "then": { "f": { "n": { "lt": 1 } } }, "doc": "d" }] }));
    let mut undone = 0;
    for seed in 0..40 {
        let mut dice = Dice(1000 + seed);
        let parts = [part(&mut dice, 0), part(&mut dice, 1)];
        // Where nothing of it can end a call it would not load.
        let deep = Part { documents: deep.documents.clone() }.using_as("idle", "idle", &["next"]);
        let idle = Part::new(&[("C", json!({ "do": [emit("ok", "x")] }))]);
        let mut deep = deep;
        let never = json!([{ "when": { "f": { "n": { "gte": 9 } } }, "emit": "ok", "with": {} }, adds, { "when": { "f": { "n": { "gte": 9 } } }, "emit": "no", "with": {} }]);
        deep = deep.boundary(never);
        let (outer, gate) = (joined(&parts[0], "gate"), joined(&parts[1], "deep"));
        let mut world = World::new(&outer, &[("gate", &gate), ("deep", &deep), ("idle", &idle)]);
        for _ in 0..16 {
            let event = event(&mut dice, &world);
            let before = world.state.clone();
            match world.try_take(&event) {
                Ok(done) if done.undone.is_some() => {
                    undone += 1;
                    // Of the used packs nothing but calls that were closed.
                    for at in world.registry.pack().all().skip(1) {
                        let frames = |state: &SessionState| {
                            let pack = world.registry.pack().at(at);
                            state.at(at).expect("a state").frame_json(pack, FrameId(0))
                        };
                        assert_eq!(frames(&before), frames(&world.state));
                    }
                    assert_eq!(done.steps[0].pack, PackAt::OUTERMOST);
                }
                Ok(_) => {}
                Err(_) => assert_eq!(world.state, before),
            }
        }
    }
    assert!(undone > 10, "{undone}");
}
