//! What is held against the class of a turn, and the counts that scores are made of.

use std::collections::{BTreeMap, HashMap};

use crate::diag::{did_you_mean, listed, quoted, suggest};
use crate::model::Pack;
use crate::model::ids::ClassId;
use crate::model::recording::{Expected, Label};
use crate::stats::numbers::share;
use crate::syntax::{Kind, Node};

use super::read::{At, shown};
use super::{Fault, class_id};

/// The labels of a form, by name, with the classes that are right for each.
pub struct Key<'a> {
    expected: &'a Expected,
    by_name: HashMap<&'a str, Label>,
    classes: usize,
    groups: Vec<(Vec<Label>, Vec<bool>)>,
}

/// What a record wants of a turn.
pub struct Wanted {
    pub label: Label,
    pub accept: Vec<Label>,
    /// For each of the form's `by` the value in this turn.
    pub by: Vec<Option<String>>,
}

/// How a turn came out.
pub struct Verdict {
    class: ClassId,
    label: usize,
    pub strict: bool,
    pub lenient: bool,
    /// For each class whether the record admits it.
    admits: Vec<bool>,
    /// For each group that the label is in, whether it is right strictly and leniently.
    groups: Vec<Option<(bool, bool)>>,
}

/// Whether all labelled turns of a dialogue are right so far.
#[derive(Debug, Clone, Copy)]
pub struct Right {
    labelled: bool,
    strict: bool,
    lenient: bool,
}

/// How often something was expected, and how often it was right.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Turns.
    pub n: u64,
    /// Of these, right.
    pub strict: u64,
    /// Of these, right or accepted.
    pub lenient: u64,
}

impl Counts {
    fn add(&mut self, strict: bool, lenient: bool) {
        self.n += 1;
        self.strict += u64::from(strict);
        self.lenient += u64::from(lenient);
    }
}

/// The counts of a label.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LabelCounts {
    /// Turns that are expected to be it.
    pub own: Counts,
    /// Labelled turns that admit none of its classes.
    pub others: u64,
    /// Of these, those that one of its classes took.
    pub fired: u64,
}

/// Counts over some turns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scores {
    /// All labelled turns.
    pub all: Counts,
    /// By label: the classes of the pack, then the labels that the form declares.
    pub labels: Vec<LabelCounts>,
    /// By group of labels.
    pub groups: Vec<Counts>,
    /// For each label, how many of its turns each class took.
    pub confusion: Vec<Vec<u64>>,
}

/// The scores of a recording.
#[derive(Debug, Clone, Default)]
pub struct Scored {
    /// The names of the labels: the classes of the pack, then the labels that the form declares.
    pub labels: Vec<String>,
    /// The names of the groups.
    pub groups: Vec<String>,
    /// Over all labelled turns.
    pub scores: Scores,
    /// Dialogues with a labelled turn, and how many are right from end to end.
    pub dialogues: Counts,
    /// The scores by the source that a record names; empty where the form has none.
    pub sources: BTreeMap<String, Scores>,
    /// For each text of a turn that the form names under `by`: the scores by its value.
    pub by: Vec<(String, BTreeMap<String, Scores>)>,
}

impl<'a> Key<'a> {
    pub fn of(pack: &'a Pack, expected: &'a Expected) -> Self {
        let mut by_name: HashMap<&str, Label> = HashMap::new();
        for at in 0..pack.classes.len() {
            by_name.insert(class_id(pack, ClassId::at(at)), Label::Class(ClassId::at(at)));
        }
        for (at, (name, _)) in expected.labels.iter().enumerate() {
            by_name.insert(name, Label::Named(at));
        }
        let mut key = Self { expected, by_name, classes: pack.classes.len(), groups: Vec::new() };
        for (_, members) in &expected.groups {
            let mut right = vec![false; key.classes];
            members.iter().for_each(|label| key.mark(*label, &mut right));
            key.groups.push((members.clone(), right));
        }
        key
    }

    /// The name of a label.
    pub fn name<'n>(&'n self, pack: &'n Pack, label: Label) -> &'n str {
        match label {
            Label::Class(class) => class_id(pack, class),
            Label::Named(at) => &self.expected.labels[at].0,
        }
    }

    /// The classes that are right for a label.
    fn right(&self, label: &Label) -> Vec<ClassId> {
        match label {
            Label::Class(class) => vec![*class],
            Label::Named(at) => self.expected.labels[*at].1.clone(),
        }
    }

    fn mark(&self, label: Label, into: &mut [bool]) {
        self.right(&label).into_iter().for_each(|class| into[class.index()] = true);
    }

    fn index(&self, label: Label) -> usize {
        match label {
            Label::Class(class) => class.index(),
            Label::Named(at) => self.classes + at,
        }
    }

    /// What the record wants of a turn; nothing where it has no label, or is none of those that are scored.
    pub fn wanted(&self, pack: &Pack, at: &At<'_>, turn: &Node) -> Result<Option<Wanted>, Fault> {
        for (way, values) in &self.expected.only {
            let text = at.text(turn, way)?.map(|(_, text)| text);
            if !text.is_some_and(|text| values.iter().any(|value| value == text)) {
                return Ok(None);
            }
        }
        let Some((node, label)) = at.text(turn, &self.expected.class)? else { return Ok(None) };
        let label = self.label(pack, at, node, label)?;
        let mut accept = Vec::new();
        if let Some(way) = &self.expected.accept
            && let Some(node) = at.value(turn, way)?
        {
            let Kind::List(items) = &node.kind else {
                return Err(at.fault(node, format!("`{way}`: expected a list of labels, found {}", shown(node))));
            };
            for item in items.iter() {
                accept.push(self.label(pack, at, item, at.as_text(item, way)?)?);
            }
        }
        let by = self.expected.by.iter().map(|way| Ok(at.text(turn, way)?.map(|(_, text)| text.to_owned())));
        Ok(Some(Wanted { label, accept, by: by.collect::<Result<_, Fault>>()? }))
    }

    fn label(&self, pack: &Pack, at: &At<'_>, node: &Node, name: &str) -> Result<Label, Fault> {
        self.by_name.get(name).copied().ok_or_else(|| {
            let classes = (0..self.classes).map(|at| class_id(pack, ClassId::at(at)));
            let known: Vec<&str> = classes.chain(self.expected.labels.iter().map(|(name, _)| name.as_str())).collect();
            let mut fault = at.fault(node, format!("{} is no class and no label of the recording", quoted(name)));
            fault.help = Some(match suggest(name, known.iter().copied()) {
                Some(near) => did_you_mean(name, near),
                None => format!("known are {}; declare others under `expected.label`", listed(&known)),
            });
            fault
        })
    }

    /// Holds the class of a turn against what is wanted of it.
    pub fn judge(&self, wanted: &Wanted, class: ClassId) -> Verdict {
        let mut right = vec![false; self.classes];
        self.mark(wanted.label, &mut right);
        let mut admits = right.clone();
        let mut accepted = vec![false; self.classes];
        if !self.expected.strict.contains(&wanted.label) {
            wanted.accept.iter().for_each(|label| self.mark(*label, &mut accepted));
            admits.iter_mut().zip(&accepted).for_each(|(admits, accepted)| *admits |= *accepted);
        }
        let groups = self.groups.iter().map(|(members, right)| {
            let strict = right[class.index()];
            members.contains(&wanted.label).then_some((strict, strict || accepted[class.index()]))
        });
        Verdict {
            class,
            label: self.index(wanted.label),
            strict: right[class.index()],
            lenient: admits[class.index()],
            groups: groups.collect(),
            admits,
        }
    }
}

impl Default for Right {
    fn default() -> Self {
        Self { labelled: false, strict: true, lenient: true }
    }
}

impl Right {
    pub fn turn(&mut self, verdict: &Verdict) {
        self.labelled = true;
        self.strict &= verdict.strict;
        self.lenient &= verdict.lenient;
    }
}

impl LabelCounts {
    /// The harmonic mean of how many of its turns were taken by its classes and how many of the turns that they took were
    /// its; nothing where neither can be asked.
    #[must_use]
    pub fn f1(&self) -> Option<f64> {
        share(2 * self.own.strict, self.own.n + self.own.strict + self.fired)
    }
}

impl Scores {
    fn new(key: &Key<'_>) -> Self {
        let labels = key.classes + key.expected.labels.len();
        Self {
            all: Counts::default(),
            labels: vec![LabelCounts::default(); labels],
            groups: vec![Counts::default(); key.groups.len()],
            confusion: vec![vec![0; key.classes]; labels],
        }
    }

    fn turn(&mut self, key: &Key<'_>, verdict: &Verdict) {
        self.all.add(verdict.strict, verdict.lenient);
        self.labels[verdict.label].own.add(verdict.strict, verdict.lenient);
        self.confusion[verdict.label][verdict.class.index()] += 1;
        for (counts, right) in self.groups.iter_mut().zip(&verdict.groups) {
            if let Some((strict, lenient)) = right {
                counts.add(*strict, *lenient);
            }
        }
        let classes = (0..key.classes).map(|at| Label::Class(ClassId::at(at)));
        let all = classes.chain((0..key.expected.labels.len()).map(Label::Named));
        for (label, counts) in all.zip(&mut self.labels) {
            let own = key.right(&label);
            if !own.iter().any(|class| verdict.admits[class.index()]) {
                counts.others += 1;
                counts.fired += u64::from(own.contains(&verdict.class));
            }
        }
    }

    /// The mean over the labels that are expected somewhere of [`LabelCounts::f1`].
    #[must_use]
    pub fn macro_f1(&self) -> Option<f64> {
        let of: Vec<f64> = self.labels.iter().filter(|label| label.own.n > 0).filter_map(LabelCounts::f1).collect();
        (!of.is_empty()).then(|| of.iter().sum::<f64>() / of.len() as f64)
    }

    /// The mean over the labels that are expected somewhere of how often each is right: strictly and leniently.
    #[must_use]
    pub fn means(&self) -> Option<(f64, f64)> {
        let expected: Vec<&Counts> = self.labels.iter().map(|label| &label.own).filter(|own| own.n > 0).collect();
        let mean = |of: &dyn Fn(&Counts) -> u64| {
            let sum: f64 = expected.iter().filter_map(|own| share(of(own), own.n)).sum();
            sum / expected.len() as f64
        };
        (!expected.is_empty()).then(|| (mean(&|own| own.strict), mean(&|own| own.lenient)))
    }
}

impl Scored {
    pub(super) fn new(key: &Key<'_>) -> Self {
        let mut labels: Vec<(usize, String)> =
            key.by_name.iter().map(|(name, label)| (key.index(*label), (*name).to_owned())).collect();
        labels.sort();
        Self {
            labels: labels.into_iter().map(|(_, name)| name).collect(),
            groups: key.expected.groups.iter().map(|(name, _)| name.clone()).collect(),
            scores: Scores::new(key),
            dialogues: Counts::default(),
            sources: BTreeMap::new(),
            by: key.expected.by.iter().map(|way| (way.to_string(), BTreeMap::new())).collect(),
        }
    }

    pub(super) fn turn(&mut self, key: &Key<'_>, verdict: &Verdict, wanted: &Wanted, source: Option<&str>) {
        self.scores.turn(key, verdict);
        if let Some(source) = source {
            let scores = self.sources.entry(source.to_owned()).or_insert_with(|| Scores::new(key));
            scores.turn(key, verdict);
        }
        for ((_, values), value) in self.by.iter_mut().zip(&wanted.by) {
            if let Some(value) = value {
                values.entry(value.clone()).or_insert_with(|| Scores::new(key)).turn(key, verdict);
            }
        }
    }

    pub(super) fn dialogue(&mut self, right: &Right) {
        if right.labelled {
            self.dialogues.add(right.strict, right.lenient);
        }
    }
}
