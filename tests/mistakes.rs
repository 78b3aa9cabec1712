//! Single mistakes, each made by itself in a copy of a shipped pack or of its scenarios, in both formats: every one is found on its line,
//! with what to write instead, and without a train of findings that are none.
//!
//! The mistakes are made out of what stands in the files. There are some hundred thousand; of each kind some are taken, spread evenly
//! over files and formats, the same ones on every run.

#[path = "mistakes/body.rs"]
mod body;
#[path = "mistakes/convert.rs"]
mod convert;
#[path = "mistakes/edit.rs"]
mod edit;
#[path = "mistakes/judge.rs"]
mod judge;
#[path = "mistakes/pack.rs"]
mod pack;
#[path = "mistakes/scenes.rs"]
mod scenes;

use std::collections::{BTreeMap, BTreeSet};

use edit::Mistake;
use judge::Copy;
use segue::syntax::Format;

/// How many mistakes of a kind are made at least, where there are as many.
const OF_A_KIND: usize = 15;
/// Of these more, because they are of many sorts.
const OF_MANY_SORTS: &[&str] = &["deleted declaration", "renamed declaration"];
/// Kinds that there are fewer than fifteen of.
const RARE: &[&str] = &["scenario: misspelt root"];

/// Some of the mistakes of one kind in one copy, spread over the files: `turn` says with which file to begin.
fn spread(all: Vec<Mistake>, most: usize, turn: usize) -> Vec<Mistake> {
    let mut files: BTreeMap<usize, Vec<Mistake>> = BTreeMap::new();
    for mistake in all {
        files.entry(mistake.doc).or_default().push(mistake);
    }
    let files: Vec<Vec<Mistake>> = files.into_values().collect();
    let mut taken: BTreeSet<(usize, usize)> = BTreeSet::new();
    for round in 0..most * 8 {
        let file = (turn + round * files.len().div_ceil(most)) % files.len();
        taken.insert((file, (turn + round * 7) % files[file].len()));
        if taken.len() == most {
            break;
        }
    }
    // Where there are few, all of them.
    let rest = (0..files.len()).flat_map(|file| (0..files[file].len()).map(move |at| (file, at)));
    for place in rest.collect::<Vec<_>>() {
        if taken.len() < most {
            taken.insert(place);
        }
    }
    taken.into_iter().map(|(file, at)| files[file][at].clone()).collect()
}

fn all_of(copies: &[Copy], made: impl Fn(&Copy) -> Vec<Mistake> + Sync, least: usize) {
    let mut kinds: BTreeMap<&str, Vec<(&Copy, Vec<Mistake>)>> = BTreeMap::new();
    let mut first = BTreeMap::new();
    for copy in copies {
        let mut here: BTreeMap<&str, Vec<Mistake>> = BTreeMap::new();
        for mistake in made(copy) {
            first.entry((copy.name.clone(), mistake.doc)).or_insert_with(|| (copy, mistake.clone()));
            here.entry(mistake.kind).or_default().push(mistake);
        }
        here.into_iter().for_each(|(kind, all)| kinds.entry(kind).or_default().push((copy, all)));
    }
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut files = BTreeSet::new();
    let mut work: Vec<(&Copy, Mistake)> = Vec::new();
    for (turn, (kind, of)) in kinds.into_iter().enumerate() {
        let wanted = if OF_MANY_SORTS.contains(&kind) { OF_A_KIND * 2 } else { OF_A_KIND };
        let (mut rest, mut copies) = (wanted, of.len());
        let mut of = of;
        // Where there are few the other copies give more.
        of.sort_by_key(|(_, all)| all.len());
        for (copy, all) in of {
            let count = counts.entry(kind).or_default();
            count.0 += all.len();
            let taken = spread(all, rest.div_ceil(copies), turn);
            (rest, copies) = (rest.saturating_sub(taken.len()), copies - 1);
            count.1 += taken.len();
            for mistake in taken {
                files.insert((copy.name.clone(), mistake.doc));
                work.push((copy, mistake));
            }
        }
    }
    // A file that the sample leaves out gives one more.
    work.extend(first.into_iter().filter(|(file, _)| files.insert(file.clone())).map(|(_, one)| one));
    let failures: Vec<String> = std::thread::scope(|scope| {
        let half = |from: usize| {
            let work = &work;
            scope.spawn(move || {
                let mine = work.iter().skip(from).step_by(2);
                mine.filter_map(|(copy, mistake)| copy.judge(mistake).err()).collect::<Vec<_>>()
            })
        };
        let halves = [half(0), half(1)];
        halves.into_iter().flat_map(|half| half.join().expect("no panic")).collect()
    });
    let table: String = counts.iter().map(|(kind, (all, tried))| format!("{kind:50} {all:6} {tried:4}\n")).collect();
    println!("{table}{} mistakes", work.len());
    assert!(
        failures.is_empty(),
        "{}\n{} of {} mistakes are missed\n",
        failures.join("\n\n"),
        failures.len(),
        work.len()
    );
    for (kind, (_, tried)) in &counts {
        assert!(*tried >= 15 || RARE.contains(kind), "only {tried} mistakes of the kind `{kind}`");
    }
    assert!(counts.len() >= least, "only {} kinds of mistakes", counts.len());
    let every: usize = copies.iter().map(|copy| copy.docs.len()).sum();
    assert_eq!(files.len(), every, "a file in which no mistake was made");
}

fn copies(of: fn(&str, Format) -> Copy) -> Vec<Copy> {
    let packs = ["assistant", "booking"];
    packs.into_iter().flat_map(|pack| [Format::Toml, Format::Yaml].map(|format| of(pack, format))).collect()
}

/// Every copy loads, whatever its format, and means the same.
#[test]
fn the_copies_have_no_mistakes_and_mean_the_same() {
    for pair in copies(Copy::of_pack).chunks(2) {
        assert_eq!(pair[0].fingerprint(), pair[1].fingerprint());
    }
    for copy in copies(Copy::of_scenarios) {
        assert_eq!(copy.findings(), "", "{}", copy.name);
    }
}

#[test]
fn every_mistake_in_a_pack_is_found_on_its_line() {
    all_of(&copies(Copy::of_pack), |copy| copy.mistakes_of_pack(), 55);
}

#[test]
fn every_mistake_in_a_scenario_is_found_on_its_line() {
    all_of(&copies(Copy::of_scenarios), |copy| copy.mistakes_of_scenarios(), 20);
}
