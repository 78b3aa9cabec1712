//! Shapes: phrases with slots, as steps over literal runs and recognised spans, and how one is found.

/// How many steps are tried to find one phrase with slots at one token. More are needed only when a text has very many
/// overlapping values of one part; what they would find is not seen.
pub const MAX_SEARCH: usize = 2_048;

/// Several lists in one allocation.
#[derive(Debug, Clone, Default)]
pub(super) struct Grouped<T> {
    ends: Vec<u32>,
    items: Vec<T>,
}

impl<T> Grouped<T> {
    pub fn new(groups: impl IntoIterator<Item = Vec<T>>) -> Self {
        let mut grouped = Grouped { ends: Vec::new(), items: Vec::new() };
        for group in groups {
            grouped.items.extend(group);
            grouped.ends.push(small(grouped.items.len()));
        }
        grouped
    }

    pub fn get(&self, index: usize) -> &[T] {
        let end = self.ends[index] as usize;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.items[start..end]
    }
}

/// An index as it is kept. Indexes of lexicons and of tokens are far below four billion.
pub(super) fn small(index: usize) -> u32 {
    u32::try_from(index).expect("an index is below four billion")
}

/// One step of a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// A run of words, by its index.
    Run(u32),
    /// A recognised span: of a part in the shapes of signals, of a signal in those of triggers.
    Slot(u32),
}

/// One plain sequence of a phrase with slots.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    /// The signal and the rule, or the trigger and 0.
    pub owner: (u32, u32),
    pub steps: Box<[Step]>,
    /// For each part that the rule's template mentions, which slot of the shape fills it.
    pub fill: Box<[Option<u8>]>,
}

/// Shapes, by what has to be in a text for them to be worth a try.
#[derive(Debug, Clone, Default)]
pub(super) struct Shapes {
    pub all: Vec<Shape>,
    /// By the longest run of a shape.
    pub by_run: Grouped<u32>,
    /// Shapes without words, by their first slot.
    pub by_slot: Grouped<u32>,
}

/// A recognised span that a slot can take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    pub slot: u32,
    pub start: u32,
    pub end: u32,
    /// The rule of a part; the index of an occurrence of a signal.
    pub id: u32,
}

/// What was found in a text so far.
#[derive(Clone, Copy)]
pub(super) struct Chart<'c> {
    /// Each run that stands in the text and the token it begins at, sorted.
    pub runs: &'c [(u32, u32)],
    /// How many tokens each run has.
    pub run_tokens: &'c [u32],
    /// Recognised spans, sorted.
    pub entries: &'c [Entry],
}

impl<'c> Chart<'c> {
    fn starts_of_run(&self, run: u32) -> &'c [(u32, u32)] {
        let from = self.runs.partition_point(|(other, _)| *other < run);
        let rest = &self.runs[from..];
        &rest[..rest.partition_point(|(other, _)| *other == run)]
    }

    fn slots(&self, slot: u32, start: Option<u32>) -> std::ops::Range<usize> {
        let key = |entry: &Entry| (entry.slot, entry.start);
        match start {
            Some(start) => {
                let from = self.entries.partition_point(|entry| key(entry) < (slot, start));
                from..from + self.entries[from..].partition_point(|entry| key(entry) == (slot, start))
            }
            None => {
                let from = self.entries.partition_point(|entry| entry.slot < slot);
                from..from + self.entries[from..].partition_point(|entry| entry.slot == slot)
            }
        }
    }
}

impl Shapes {
    /// Calls `hit` with shape, first token, one past the last token and the chart entries of the slots, for each reading
    /// of each shape. `path` is a buffer.
    pub fn find(&self, chart: Chart, path: &mut Vec<u32>, hit: &mut impl FnMut(&Shape, u32, u32, &[u32])) {
        if self.all.is_empty() {
            return;
        }
        let mut before = None;
        for (run, _) in chart.runs {
            if before.replace(*run) != Some(*run) {
                for shape in self.by_run.get(*run as usize) {
                    self.all[*shape as usize].find(chart, path, hit);
                }
            }
        }
        let mut before = None;
        for entry in chart.entries {
            if before.replace(entry.slot) != Some(entry.slot) {
                for shape in self.by_slot.get(entry.slot as usize) {
                    self.all[*shape as usize].find(chart, path, hit);
                }
            }
        }
    }
}

impl Shape {
    fn find(&self, chart: Chart, path: &mut Vec<u32>, hit: &mut impl FnMut(&Shape, u32, u32, &[u32])) {
        path.clear();
        match self.steps[0] {
            Step::Run(run) => {
                for (_, start) in chart.starts_of_run(run) {
                    let mut left = MAX_SEARCH;
                    let to = start + chart.run_tokens[run as usize];
                    self.walk(1, chart, to, path, &mut left, &mut |end, path| hit(self, *start, end, path));
                }
            }
            Step::Slot(slot) => {
                let (mut left, mut from) = (MAX_SEARCH, None);
                for index in chart.slots(slot, None) {
                    let entry = chart.entries[index];
                    if from.replace(entry.start) != Some(entry.start) {
                        left = MAX_SEARCH;
                    }
                    path.push(small(index));
                    self.walk(1, chart, entry.end, path, &mut left, &mut |end, path| hit(self, entry.start, end, path));
                    path.pop();
                }
            }
        }
    }

    fn walk(
        &self,
        step: usize,
        chart: Chart,
        at: u32,
        path: &mut Vec<u32>,
        left: &mut usize,
        hit: &mut impl FnMut(u32, &[u32]),
    ) {
        if *left == 0 {
            return;
        }
        *left -= 1;
        match self.steps.get(step) {
            None => hit(at, path),
            Some(Step::Run(run)) => {
                if chart.runs.binary_search(&(*run, at)).is_ok() {
                    self.walk(step + 1, chart, at + chart.run_tokens[*run as usize], path, left, hit);
                }
            }
            Some(Step::Slot(slot)) => {
                for index in chart.slots(*slot, Some(at)) {
                    path.push(small(index));
                    self.walk(step + 1, chart, chart.entries[index].end, path, left, hit);
                    path.pop();
                }
            }
        }
    }
}
