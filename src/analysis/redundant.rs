//! Links of precedence without which nothing would overlap.

use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::maps::HashSet;
use crate::model::ids::ClassId;
use crate::registry::Registry;
use crate::source::Span;

use super::arena::Arena;
use super::overlap::{Finding, pair};
use super::witness::{Seeker, Seen, Witness};

/// A link of precedence, two neighbours in a chain, and what becomes of the pack without it.
#[derive(Debug, Clone)]
pub struct Link {
    /// Where its second, weaker end is written.
    pub span: Span,
    /// The pairs of classes that it joins: several where an end is a group.
    pub joins: Vec<(ClassId, ClassId)>,
    /// What overlaps without it, with a witness that the engine has stepped under the precedence that is left, or what could
    /// not be decided. Nothing where the link is redundant.
    pub needed: Option<Finding>,
}

/// Each link of precedence, in the order written, with what overlaps without it.
#[must_use]
pub fn links(registry: &Registry) -> Vec<Link> {
    links_with(&mut Seeker::new(registry), registry)
}

pub(super) fn links_with(seeker: &mut Seeker<'_>, registry: &Registry) -> Vec<Link> {
    let pack = registry.pack();
    let mut links: Vec<Link> = Vec::new();
    for (from, to, span) in &pack.chains {
        match links.iter_mut().find(|link| link.span == *span) {
            Some(link) => link.joins.push((*from, *to)),
            None => links.push(Link { span: *span, joins: vec![(*from, *to)], needed: None }),
        }
    }
    // Situations that have shown one link to be needed often show others.
    let mut known: Vec<Witness> = Vec::new();
    // Those of which no situation enables both, whatever precedence says.
    let mut never: HashSet<(ClassId, ClassId)> = HashSet::default();
    for link in &mut links {
        let without = registry.with_precedence(closure_without(registry, link.span));
        let mut freed = freed(registry, &without, link);
        freed.retain(|(a, b)| !never.contains(&(*a, *b)));
        link.needed = needed(seeker, &Arena::new(&without), &freed, &mut known, &mut never);
    }
    links
}

/// Precedence without one link.
fn closure_without(registry: &Registry, span: Span) -> Vec<Vec<bool>> {
    let pack = registry.pack();
    let count = pack.classes.len();
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (from, to, of) in &pack.chains {
        if *of != span {
            next[from.index()].push(to.index());
        }
    }
    let mut precedes = vec![vec![false; count]; count];
    for (start, row) in precedes.iter_mut().enumerate() {
        let mut queue = next[start].clone();
        while let Some(at) = queue.pop() {
            if !std::mem::replace(&mut row[at], true) {
                queue.extend(&next[at]);
            }
        }
    }
    precedes
}

/// The pairs that nothing orders once the link is gone; those that it joins first.
fn freed(registry: &Registry, without: &Registry, link: &Link) -> Vec<(ClassId, ClassId)> {
    let count = registry.pack().classes.len();
    let is_freed = |a: ClassId, b: ClassId| registry.precedes(a, b) && !without.precedes(a, b);
    let mut freed: Vec<(ClassId, ClassId)> = link.joins.iter().copied().filter(|(a, b)| is_freed(*a, *b)).collect();
    let first = freed.len();
    for a in (0..count).map(ClassId::at) {
        for b in (0..count).map(ClassId::at) {
            if is_freed(a, b) && !freed[..first].contains(&(a, b)) {
                freed.push((a, b));
            }
        }
    }
    freed
}

fn needed(
    seeker: &mut Seeker<'_>,
    without: &Arena<'_>,
    freed: &[(ClassId, ClassId)],
    known: &mut Vec<Witness>,
    never: &mut HashSet<(ClassId, ClassId)>,
) -> Option<Finding> {
    for witness in known.iter() {
        let (a, b) = (witness.takers.0.class(), witness.takers.1.class());
        if (freed.contains(&(a, b)) || freed.contains(&(b, a)))
            && without.unordered(&witness.situation, witness.takers) == Seen::Confirmed
        {
            let (one, other) = witness.takers;
            return Some(Finding { one, other, found: Ok(Box::new(witness.clone())) });
        }
    }
    let mut unknown = None;
    for (a, b) in freed {
        if !seeker.may_meet(*a, *b) {
            never.insert((*a, *b));
            continue;
        }
        let found = pair(seeker, without, *a, *b);
        match &found {
            Some(Finding { found: Ok(witness), .. }) => {
                known.push((**witness).clone());
                return found;
            }
            Some(Finding { found: Err(_), .. }) => unknown = unknown.or(found),
            None => {}
        }
    }
    unknown
}

/// Reports links that are not needed.
pub(super) fn check_with(seeker: &mut Seeker<'_>, registry: &Registry, diagnostics: &Diagnostics) {
    let pack = registry.pack();
    for link in links_with(seeker, registry) {
        let Some((from, to)) = link.joins.first() else { continue };
        let name = |class: &ClassId| pack.names.text(pack.classes[class.index()].id);
        match &link.needed {
            Some(Finding { found: Ok(_), .. }) => {}
            None => diagnostics.push(
                Diagnostic::warning(
                    Code::RedundantPrecedence,
                    link.span,
                    format!("no situation needs `{}` to stand before `{}`", name(from), name(to)),
                )
                .label("without this link of the chain nothing overlaps")
                .help("end the chain here and begin the next one with this name, or leave it out"),
            ),
            Some(Finding { found: Err(why), .. }) => diagnostics.push(
                Diagnostic::warning(
                    Code::OverlapUnknown,
                    link.span,
                    format!("whether any situation needs `{}` to stand before `{}` is not known", name(from), name(to)),
                )
                .label(why.clone()),
            ),
        }
    }
}
