//! Single mistakes, each made by itself in a copy of a shipped pack or of its scenarios, in both formats: every one is found on its line,
//! with what to write instead, and without a train of findings that are none.
//!
//! The mistakes are made out of what stands in the files. There are some hundred thousand; of each kind some are taken, spread evenly
//! over files and formats, the same ones on every run.

mod body;
mod convert;
mod edit;
mod judge;
mod pack;
mod pairs;
mod renamed;
mod scenes;
mod whole_pack;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{LazyLock, Mutex};

use edit::Mistake;
use judge::Copy;
use segue::syntax::Format;

/// How many mistakes of a kind are made at least, where there are as many.
const OF_A_KIND: usize = 15;
/// Of these more, because they are of many sorts.
const OF_MANY_SORTS: &[&str] = &["deleted declaration", "renamed declaration"];
/// Of so many mistakes in a pack one goes through a whole audit, the others as far as loading finds mistakes.
const AUDITED: usize = 61;
/// How many pairs of mistakes are made in one copy of a pack.
const PAIRS: usize = 2;
/// Kinds that there are fewer than fifteen of.
const RARE: &[&str] = &["scenario: misspelt root", "emptied file of the manifest"];

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
    let work: Vec<(usize, (&Copy, Mistake))> = work.into_iter().enumerate().collect();
    let failures = in_halves(&work, |(at, (copy, mistake))| copy.judge(mistake, at % AUDITED == 0).err());
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

/// What fails of some work, which two threads do.
fn in_halves<T: Sync>(work: &[T], fails: impl Fn(&T) -> Option<String> + Sync) -> Vec<String> {
    std::thread::scope(|scope| {
        let half = |from: usize| {
            let fails = &fails;
            scope.spawn(move || work.iter().skip(from).step_by(2).filter_map(fails).collect::<Vec<_>>())
        };
        let halves = [half(0), half(1)];
        halves.into_iter().flat_map(|half| half.join().expect("no panic")).collect()
    })
}

/// The copies of the packs, and those of their scenarios; loaded once for all tests.
static PACKS: LazyLock<Vec<Copy>> = LazyLock::new(|| copies(Copy::of_pack));
static SCENARIOS: LazyLock<Vec<Copy>> = LazyLock::new(|| copies(Copy::of_scenarios));

fn copies(of: fn(&str, Format) -> Copy) -> Vec<Copy> {
    let packs = ["assistant", "booking"];
    packs.into_iter().flat_map(|pack| [Format::Toml, Format::Yaml].map(|format| of(pack, format))).collect()
}

/// Nothing is found only because two mistakes are made at once; and two in different classes give what each of them gives.
#[test]
fn two_mistakes_are_found_as_each_is_alone() {
    let mut work = Vec::new();
    for (turn, copy) in PACKS.iter().enumerate() {
        let all = copy.mistakes_of_pack();
        for at in 0..PAIRS {
            let one = &all[(at * all.len() / PAIRS + turn * 37) % all.len()];
            let mut next = (at * 7919 + turn * 104_729 + all.len() / 2) % all.len();
            while all[next].doc == one.doc {
                next = (next + 101) % all.len();
            }
            work.push((copy, one.clone(), all[next].clone()));
        }
    }
    let lost = Mutex::new((0, 0));
    let failures = in_halves(&work, |(copy, one, other)| {
        let (few, all) = match pairs::judge(copy, one, other) {
            Ok(counts) => counts,
            Err(why) => return Some(why),
        };
        let mut lost = lost.lock().expect("no panic");
        *lost = (lost.0 + few, lost.1 + all);
        None
    });
    assert!(failures.is_empty(), "{}\n{} of {} pairs", failures.join("\n"), failures.len(), work.len());
    // Elsewhere what hangs on a declaration that is wrong cannot be judged.
    let (lost, all) = lost.into_inner().expect("no panic");
    assert!(lost * 5 <= all && all > work.len(), "{lost} of {all} findings are not found beside another mistake");
}

/// Every copy loads, whatever its format, and means the same.
#[test]
fn the_copies_have_no_mistakes_and_mean_the_same() {
    for pair in PACKS.chunks(2) {
        assert_eq!(pair[0].fingerprint(), pair[1].fingerprint());
    }
    for copy in SCENARIOS.iter() {
        assert_eq!(copy.findings(), "", "{}", copy.name);
    }
}

#[test]
fn every_mistake_in_a_pack_is_found_on_its_line() {
    all_of(&PACKS, |copy| copy.mistakes_of_pack(), 65);
}

#[test]
fn every_mistake_in_a_scenario_is_found_on_its_line() {
    all_of(&SCENARIOS, |copy| copy.mistakes_of_scenarios(), 26);
}
