//! Carryover is a lattice of frame sets, and narrowing the gate never lets more through.

use proptest::prelude::any;

use segue::model::ids::{FrameId, FrameSet, Slot};
use segue::model::json::to_json;
use segue::state::SessionState;

use super::{Met, for_seeds, runner};
use crate::support::corpus::Corpus;
use crate::support::events::session;
use crate::support::pair::{engine_step, fields_json};
use crate::support::{Dice, main_pack};

#[test]
fn frame_sets_are_a_lattice() {
    let three = (any::<u64>(), any::<u64>(), any::<u64>());
    let tried = runner(256).run(&three, |(a, b, c)| {
        let (a, b, c) = (FrameSet(a), FrameSet(b), FrameSet(c));
        assert_eq!(a.union(b), b.union(a));
        assert_eq!(a.intersection(b), b.intersection(a));
        assert_eq!(a.union(b.union(c)), a.union(b).union(c));
        assert_eq!(a.intersection(b.intersection(c)), a.intersection(b).intersection(c));
        assert_eq!(a.union(a), a);
        assert_eq!(a.intersection(a), a);
        assert_eq!(a.union(a.intersection(b)), a);
        assert_eq!(a.intersection(a.union(b)), a);
        assert_eq!(a.intersection(b.union(c)), a.intersection(b).union(a.intersection(c)));
        assert_eq!(a.is_subset(b), a.union(b) == b);
        assert_eq!(a.is_subset(b), a.intersection(b) == a);
        assert!(a.minus(b).intersection(b).is_empty());
        assert_eq!(a.minus(b).union(a.intersection(b)), a);
        assert_eq!(a.iter().collect::<FrameSet>(), a);
        assert!((0..64).map(FrameId).all(|frame| a.has(frame) == FrameSet::of(frame).is_subset(a)));
        Ok(())
    });
    tried.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn the_depths_of_the_main_pack_meet_as_s3_says() {
    let registry = main_pack();
    let pack = registry.pack();
    let carryover = pack.carryover.as_ref().expect("the main pack has carryover");
    let depth = |name: &str| {
        let found = carryover.depths.iter().find(|(depth, _)| pack.names.text(*depth) == name);
        found.unwrap_or_else(|| panic!("{name} is a depth")).1
    };
    for one in ["root_only", "object_only", "meta_only"] {
        for other in ["root_only", "object_only", "meta_only"] {
            assert_eq!(depth(one).intersection(depth(other)).is_empty(), one != other, "{one}, {other}");
        }
        assert_eq!(depth("full").intersection(depth(one)), depth(one));
        assert!(depth("none").intersection(depth(one)).is_empty());
    }
    assert_eq!(depth("full"), carryover.universe);
}

#[test]
fn a_narrower_gate_never_adds_a_carried_frame() {
    let registry = main_pack();
    let corpus = Corpus::read();
    let pack = registry.pack();
    let carryover = pack.carryover.as_ref().expect("the main pack has carryover");
    let limit: Slot = carryover.limit.expect("the main pack has a gate");
    let gate = pack.frame("coverage_gate").expect("it is the gate's frame");
    let met = Met::default();
    for_seeds(50, |seed| {
        session(&registry, &corpus, &mut Dice(seed), 8, |moment| {
            let Ok(step) = moment.result else { return Ok(()) };
            if !moment.before.open_calls().is_empty() || step.class.is_none() {
                return Ok(());
            }
            let seen = match moment.before.get(limit) {
                segue::model::value::Value::Sym(depth) => {
                    carryover.depths.iter().find(|(name, _)| name == depth).expect("a depth").1
                }
                _ => carryover.universe,
            };
            for (depth, frames) in carryover.depths.iter().filter(|(_, frames)| frames.is_subset(seen)) {
                let mut state = fields_json(pack, moment.before);
                let name = pack.names.text(pack.slots[limit.index()].name);
                state[pack.names.text(pack.frames[gate.index()].name)][name] =
                    to_json(&pack.names, &segue::model::value::Value::Sym(*depth));
                let Ok(narrower) = SessionState::from_frames(pack, &state) else { continue };
                let taken = engine_step(&registry, &narrower, moment.event, moment.turn, &mut moment.ids.clone());
                let Ok(taken) = taken else { continue };
                if taken.class != step.class || taken.class == Some(pack.boundary) {
                    continue;
                }
                met.count("compared");
                if !taken.carried.is_subset(step.carried.intersection(*frames)) {
                    return Err(format!("{:?} under {frames:?}, {:?} under {seen:?}", taken.carried, step.carried));
                }
            }
            Ok(())
        })
    });
    assert!(met.times("compared") > 50, "{:?}", met.0);
}
