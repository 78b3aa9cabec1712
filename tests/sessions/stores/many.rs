//! Two processes on one store, with threads of their own, each killed again and again.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use jiff::civil::Date;
use segue::engine::{Env, Event, IdSource};
use segue::model::Status;
use segue::registry::Registry;
use segue::session::{Live, Memory, SessionError, Store, StoreError};
use segue::store::Access;

use super::laws::faults;
use super::{context, open};
use crate::support::corpus::Corpus;
use crate::support::env::shipped;
use crate::support::events::{input_event, outcome_event, utterance};
use crate::support::{Dice, small_pack};

/// What is done.
pub struct Plan {
    name: &'static str,
    /// The packs, how many sessions there are of each, and how many turns a session has.
    packs: &'static [(&'static str, usize, u64)],
    /// How often one of the two processes is killed.
    kills: usize,
    /// After how many commits at most.
    after: usize,
}

/// All of it: more than 10,000 turns.
pub const WHOLE: Plan = Plan {
    name: "whole",
    packs: &[("mini", 54, 172), ("refinement", 8, 90), ("joined", 2, 50)],
    kills: 12,
    after: 1400,
};
/// Less of it.
pub const PART: Plan =
    Plan { name: "part", packs: &[("mini", 12, 60), ("refinement", 4, 40), ("joined", 1, 25)], kills: 6, after: 300 };

impl Plan {
    fn turns(&self, name: &str) -> u64 {
        self.packs.iter().find(|(pack, ..)| *pack == name).expect("a pack").2
    }

    /// The sessions of a pack, each with its number.
    fn sessions(&self, name: &str) -> Vec<(String, u64)> {
        let of = self.packs.iter().position(|(pack, ..)| *pack == name).expect("a pack");
        (0..self.packs[of].1).map(|at| (format!("{name}-{at}"), (of * 1000 + at) as u64)).collect()
    }
}

fn pack(name: &str) -> Registry {
    if name != "mini" {
        return shipped(name, &[]);
    }
    small_pack()
}

/// What is said in sessions of a pack. A session that has ended says nothing more, so nobody ends one.
fn said(name: &str) -> Corpus {
    if name == "mini" {
        return Corpus::default();
    }
    let mut corpus = Corpus::of(name);
    corpus.said.retain(|(text, _)| !text.starts_with("/exit") && !text.starts_with("/quit"));
    corpus
}

/// Ids that follow from where the session stands, whichever process takes it on from there.
struct Counted {
    revision: u64,
    given: u64,
}

impl IdSource for Counted {
    fn fresh(&mut self, prefix: &str) -> Arc<str> {
        self.given += 1;
        format!("{}-{}-{}", prefix.trim_end_matches('-'), self.revision, self.given).into()
    }
}

/// How far a session is taken: its script follows from its number and from where it stands.
fn over<S: Store>(live: &Live<'_, S>, turns: u64) -> bool {
    live.head().turns >= turns && live.pending().is_empty()
}

/// What comes next in a session that stands here; `tried` events were refused.
fn next(registry: &Registry, live: &Live<'_, impl Store>, number: u64, tried: u64, corpus: &Corpus) -> Event {
    let mut dice = Dice(number << 40 | live.head().revision << 8 | tried);
    let open = live.state().host_calls(registry.pack());
    if !open.is_empty() && dice.chance(90) {
        let (at, call) = *dice.pick(&open);
        return outcome_event(registry.pack().at(at), call, &mut dice, corpus);
    }
    if dice.chance(5) {
        return Event::Outcome { call: "gone".into(), status: Status::Ok, value: None, error: None };
    }
    if corpus.said.is_empty() {
        return input_event(registry, &mut dice);
    }
    let (text, signals) = dice.pick(&corpus.said);
    utterance(registry, text, signals)
}

/// Takes the next event of a session that is written.
fn advance<S: Store>(
    registry: &Registry,
    live: &mut Live<'_, S>,
    number: u64,
    corpus: &Corpus,
) -> Result<(), SessionError> {
    let revision = live.head().revision;
    for tried in 0.. {
        let event = next(registry, live, number, tried, corpus);
        let mut ids = Counted { revision, given: 0 };
        match live.take(&event, &mut env(revision, &mut ids)) {
            Ok(_) if live.head().revision > revision => break,
            Ok(_) | Err(SessionError::Step(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Time goes on with the session, not with who takes it.
fn env(revision: u64, ids: &mut dyn IdSource) -> Env<'_> {
    Env {
        now: format!("2021-05-10T12:{:02}:{:02}Z", revision / 60 % 60, revision % 60).into(),
        today: Date::constant(2021, 5, 10),
        session_id: "s-1".into(),
        turn_id: format!("t-{revision}").into(),
        ids,
        trace: false,
        probe: None,
    }
}

fn opened<'r, S: Store>(registry: &'r Registry, store: S, id: &str) -> Result<Live<'r, S>, SessionError> {
    Live::open(registry, store, id, context(), "2021-05-10T12:00:00Z")
}

fn resumed<'r, S: Store>(registry: &'r Registry, store: S, id: &str) -> Result<Live<'r, S>, SessionError> {
    let mut ids = Counted { revision: 0, given: 0 };
    Live::resume(registry, store, id, &mut env(0, &mut ids)).map(|resumed| resumed.live)
}

/// Takes all sessions of a pack to their ends, a few events at a time, now this one and now that: whoever else does the same.
fn works(plan: &Plan, name: &str, place: &str, seed: u64) {
    let turns = plan.turns(name);
    let store = open(place, Access::Write);
    let mut dice = Dice(seed);
    let mut todo = plan.sessions(name);
    // What is over needs no pack.
    todo.retain(|(id, _)| match store.read(id) {
        Ok(kept) => kept.head.turns < turns || !kept.pending.is_empty(),
        Err(_) => true,
    });
    if todo.is_empty() {
        return;
    }
    let (registry, corpus) = (pack(name), said(name));
    while !todo.is_empty() {
        // Among few, so that two often meet.
        let at = dice.below(todo.len().min(4));
        let (id, number) = &todo[at];
        let live = match resumed(&registry, &*store, id) {
            Err(SessionError::Store(StoreError::Missing { .. })) => opened(&registry, &*store, id),
            live => live,
        };
        let mut live = match live {
            Ok(live) => live,
            // The other one was first, or writes and writes.
            Err(SessionError::Store(StoreError::Exists { .. } | StoreError::Locked { .. })) => continue,
            Err(error) => panic!("{error}"),
        };
        for _ in 0..=dice.below(16) {
            if over(&live, turns) {
                todo.remove(at);
                break;
            }
            match advance(&registry, &mut live, *number, &corpus) {
                Ok(()) => tell("written"),
                Err(SessionError::Store(StoreError::Conflict { .. })) => {
                    tell("conflict");
                    break;
                }
                Err(SessionError::Store(StoreError::Locked { .. })) => break,
                Err(error) => panic!("{error}"),
            }
        }
    }
}

/// Who reads may be gone: then this process is about to be.
fn tell(what: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(format!("{what}\n").as_bytes()).and_then(|()| out.flush());
}

const CHILD: &str = "stores::many::a_process_that_works";
const STORE: &str = "SEGUE_TEST_STORE";
const SEED: &str = "SEGUE_TEST_SEED";
const PLAN: &str = "SEGUE_TEST_PLAN";

#[test]
#[ignore = "runs as a process of its own, which another test kills"]
fn a_process_that_works() {
    let (Ok(place), Ok(seed), Ok(plan)) = (std::env::var(STORE), std::env::var(SEED), std::env::var(PLAN)) else {
        return;
    };
    let plan = [WHOLE, PART].into_iter().find(|one| one.name == plan).expect("a plan");
    let seed: u64 = seed.parse().expect("a number");
    std::thread::scope(|scope| {
        for (at, (name, ..)) in plan.packs.iter().enumerate() {
            let (plan, place) = (&plan, &place);
            scope.spawn(move || works(plan, name, place, seed * 16 + at as u64));
        }
    });
    tell("\ndone");
}

/// Starts a process; what it tells comes with its number, and then that it tells nothing more.
fn started(plan: &Plan, place: &str, number: usize, told: &Sender<(usize, Option<String>)>) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("this test"));
    command.args(["--ignored", "--exact", CHILD, "--nocapture", "--test-threads=1"]);
    command.env(STORE, place).env(PLAN, plan.name).env(SEED, number.to_string()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let out = BufReader::new(child.stdout.take().expect("its output"));
    let told = told.clone();
    std::thread::spawn(move || {
        for line in out.lines().map_while(Result::ok) {
            if told.send((number, Some(line))).is_err() {
                return;
            }
        }
        let _ = told.send((number, None));
    });
    child
}

/// How the two processes fared.
#[derive(Debug, Default)]
struct Fared {
    written: usize,
    conflicts: usize,
    killed: usize,
}

/// Lets two processes work at the same time until both say that all is done; now and then one is killed, and another begins.
fn together(plan: &Plan, place: &str) -> Fared {
    let (tell, told): (_, Receiver<(usize, Option<String>)>) = channel();
    let mut fared = Fared::default();
    let mut dice = Dice(11);
    let mut count = 0;
    let mut start = || {
        count += 1;
        (count, started(plan, place, count, &tell))
    };
    // Each with how many commits it is told before it is killed.
    let mut at_work: Vec<(usize, Child, usize)> = Vec::new();
    for _ in 0..2 {
        let (number, child) = start();
        at_work.push((number, child, 20 + dice.below(plan.after)));
    }
    while !at_work.is_empty() {
        let (number, line) = told.recv().expect("somebody tells");
        let Some(at) = at_work.iter().position(|(of, ..)| *of == number) else { continue };
        let (_, child, rest) = &mut at_work[at];
        match line.as_deref() {
            Some("conflict") => fared.conflicts += 1,
            Some("written") => {
                fared.written += 1;
                *rest = rest.saturating_sub(1);
                if *rest == 0 && fared.killed < plan.kills {
                    child.kill().expect("it can be killed");
                    // It may have ended by itself just now.
                    fared.killed += usize::from(child.wait().expect("it has ended").signal() == Some(9));
                    let (number, child) = start();
                    at_work[at] = (number, child, 20 + dice.below(plan.after));
                }
            }
            Some("done") => {
                let (_, mut child, _) = at_work.remove(at);
                assert!(child.wait().expect("it ends").success());
            }
            Some(_) => {}
            None => panic!("process {number} has ended before all was done: {:?}", child.wait()),
        }
    }
    fared
}

/// What stands in the sessions at the end is what a lonely run of each comes to; how many turns there are, of how many sessions.
pub fn two_processes_that_are_killed_come_to_what_lonely_runs_come_to(plan: &Plan, place: &str) -> (u64, usize) {
    let lonely = Memory::default();
    let fared = std::thread::scope(|scope| {
        for (name, _, turns) in plan.packs {
            let lonely = &lonely;
            scope.spawn(move || {
                let (registry, corpus) = (pack(name), said(name));
                for (id, number) in plan.sessions(name) {
                    let mut live = opened(&registry, lonely, &id).expect("a session");
                    while !over(&live, *turns) {
                        advance(&registry, &mut live, number, &corpus).expect("nobody else is there");
                    }
                }
            });
        }
        together(plan, place)
    });
    let store = open(place, Access::Existing);
    let heads = store.list().expect("all sessions");
    assert_eq!(heads, lonely.list().expect("all sessions"));
    for head in &heads {
        assert_eq!(store.entries(&head.id), lonely.entries(&head.id), "{}", head.id);
        assert_eq!(store.read(&head.id), lonely.read(&head.id), "{}", head.id);
    }
    let turns: u64 = heads.iter().map(|head| head.turns).sum();
    let events: u64 = heads.iter().map(|head| head.revision).sum();
    assert!(fared.killed >= plan.kills && fared.conflicts > 0, "{fared:?}");
    assert!(fared.written as u64 <= events, "what was told was written: {fared:?}, {events} events");
    assert_eq!(faults(&*store), [""; 0]);
    println!("{turns} turns, {events} events, {fared:?}");
    (turns, heads.len())
}
