//! Overlaps in words: where the two are written, what to write instead, and a scenario in which both hold.

use crate::diag::{Code, Diagnostic, listed};
use crate::model::ids::ClassId;
use crate::registry::Registry;

use super::arena::Arena;
use super::guard::Taker;
use super::overlap::{Finding, Judge};
use super::show;
use super::situation::Situation;
use super::smaller::smaller;
use super::stage::staged;
use super::witness::{Seeker, Seen, Witness};

/// What is reported of a class that stands in no chain of precedence and overlaps with several others: one finding, with one witness.
pub fn loose(
    seeker: &mut Seeker<'_>,
    registry: &Registry,
    class: ClassId,
    all: Vec<(Taker, Taker, Box<Witness>)>,
) -> Diagnostic {
    let own = |one: Taker, other: Taker| if one.class() == class { (one, other) } else { (other, one) };
    let others: Vec<Taker> = all.iter().map(|(one, other, _)| own(*one, *other).1).collect();
    let mut all = all.into_iter();
    let (one, other, witness) = all.next().expect("it overlaps with several");
    let (one, other, shown) = shown(seeker, registry, one, other, &witness);
    let own = own(one, other).0;
    let class = name(registry, class);
    let names = || others.iter().map(|other| name(registry, other.class()));
    let message =
        format!("`{class}` stands in no chain of precedence and can take the same event as {}", listed(names()));
    let boundary = registry.pack().boundary;
    let place = if own.class() == boundary {
        "at its end: it is the boundary, which takes what is left".to_owned()
    } else if others.iter().any(|other| other.class() == boundary) {
        format!(
            "before the classes that it is stronger than, and at least before the boundary class `{}`, which takes what is left",
            name(registry, boundary)
        )
    } else {
        "before the classes that it is stronger than".to_owned()
    };
    let help = format!(
        "put `{class}` into a chain of `precedence`, {place}\nboth `{}` and `{}` hold here:\n{shown}",
        name(registry, one.class()),
        name(registry, other.class()),
    );
    let found = Diagnostic::error(Code::Overlap, own.span(registry), message)
        .label(format!("this {} of `{class}` holds", what(own)));
    let found = others.iter().fold(found, |found, other| {
        let label = format!("where this {} of `{}` can hold too", what(*other), name(registry, other.class()));
        found.also(other.span(registry), label)
    });
    found.help(help)
}

/// The smallest situation in which two hold, as a scenario, and which two those are.
fn shown(
    seeker: &mut Seeker<'_>,
    registry: &Registry,
    one: Taker,
    other: Taker,
    witness: &Witness,
) -> (Taker, Taker, String) {
    let arena = Arena::new(registry);
    let judge = Judge::new(&arena, witness.takers);
    let least = judge.see(&witness.situation);
    let mut holds =
        |tried: &Situation| judge.see(tried) == Seen::Confirmed || least == Seen::Failed && judge.see(tried) == least;
    let small = smaller(registry, &witness.situation, &[one, other], &mut holds);
    let (one, other) = arena.actual(&small, witness.takers);
    let both = name_of(registry, one, other);
    let remark = format!("until it is decided: {}", meant(registry, one, other));
    let shown = match small.state.open_calls().first() {
        None => show::scenario(registry, &both, &small, &remark),
        Some(_) => match staged(seeker, registry, &small, &mut holds) {
            Some(stage) => show::staged(registry, &both, &stage, &remark),
            None => show::outcome(registry, &small),
        },
    };
    (one, other, shown)
}

/// What is reported of a pair.
pub fn overlap(seeker: &mut Seeker<'_>, registry: &Registry, finding: Finding) -> Diagnostic {
    let Finding { one, other, found } = finding;
    match found {
        Ok(witness) => {
            let (one, other, shown) = shown(seeker, registry, one, other, &witness);
            let help = format!("{}\nboth hold here:\n{shown}", next_step(registry, one, other));
            Diagnostic::error(Code::Overlap, one.span(registry), message(registry, one, other))
                .label(format!("this {} of `{}` holds", what(one), name(registry, one.class())))
                .also(
                    other.span(registry),
                    format!("so does this {} of `{}`", what(other), name(registry, other.class())),
                )
                .help(help)
        }
        Err(why) => {
            let (a, b) = (name(registry, one.class()), name(registry, other.class()));
            let message = if one.class() == other.class() {
                format!("whether {} of class `{a}` can hold together is not known", two(one, other))
            } else {
                format!("whether `{a}` and `{b}` can take the same event is not known")
            };
            Diagnostic::warning(Code::OverlapUnknown, one.span(registry), message)
                .label(why)
                .also(other.span(registry), "and this one")
                .help(format!(
                    "let an entry condition tell them apart by a field of few values, or {}",
                    order(registry, one, other)
                ))
        }
    }
}

fn message(registry: &Registry, one: Taker, other: Taker) -> String {
    let (a, b) = (name(registry, one.class()), name(registry, other.class()));
    if one.class() == other.class() {
        format!("{} of class `{a}` can hold together", two(one, other))
    } else {
        format!("`{a}` and `{b}` can take the same event, and precedence does not order them")
    }
}

fn next_step(registry: &Registry, one: Taker, other: Taker) -> String {
    if one.class() == other.class() {
        return "let their conditions exclude each other".into();
    }
    let order = order(registry, one, other);
    format!("{order}\nor let an entry condition tell them apart")
}

/// How to order two classes: the chain to add to `precedence`, or both where only its author knows which is meant.
fn order(registry: &Registry, one: Taker, other: Taker) -> String {
    let pack = registry.pack();
    let (a, b) = (one.class(), other.class());
    if a == b {
        return "let their conditions exclude each other".into();
    }
    let chain = |a: ClassId, b: ClassId| format!("[\"{}\", \"{}\"]", name(registry, a), name(registry, b));
    if a == pack.boundary || b == pack.boundary {
        let class = if a == pack.boundary { b } else { a };
        let (boundary, class_name) = (name(registry, pack.boundary), name(registry, class));
        return format!(
            "put `{class_name}` before the boundary class `{boundary}`, which takes what is left: add to `precedence` the chain {}",
            chain(class, pack.boundary)
        );
    }
    let loose: Vec<String> = [a, b]
        .into_iter()
        .filter(|class| !pack.chains.iter().any(|(from, to, _)| from == class || to == class))
        .map(|class| format!("`{}`", name(registry, class)))
        .collect();
    let loose = match loose.len() {
        0 => String::new(),
        1 => format!(" ({} stands in no chain yet)", loose[0]),
        _ => format!(" ({} stand in no chain yet)", loose.join(" and ")),
    };
    format!("put the stronger first: add to `precedence` the chain {} or {}{loose}", chain(a, b), chain(b, a))
}

fn name_of(registry: &Registry, one: Taker, other: Taker) -> String {
    let (a, b) = (name(registry, one.class()), name(registry, other.class()));
    if a == b { format!("twice {a}") } else { format!("{a} or {b}") }
}

fn meant(registry: &Registry, one: Taker, other: Taker) -> String {
    let (a, b) = (name(registry, one.class()), name(registry, other.class()));
    if a == b { format!("which {} of {a} is meant", what(one)) } else { format!("{a} or {b}") }
}

fn name(registry: &Registry, class: ClassId) -> &str {
    let pack = registry.pack();
    pack.names.text(pack.classes[class.index()].id)
}

fn two(one: Taker, other: Taker) -> String {
    if what(one) == what(other) {
        format!("two {}s", what(one))
    } else {
        format!("a {} and a {}", what(one), what(other))
    }
}

fn what(taker: Taker) -> &'static str {
    match taker {
        Taker::Trigger(..) => "trigger",
        Taker::Row(..) => "settle row",
    }
}
