//! Scanning one text: literals, patterns, parts, signals, triggers, in this order.

use std::cmp::Reverse;
use std::sync::Arc;

use aho_corasick::Anchored;
use aho_corasick::automaton::Automaton;

use super::automata::Words;
use super::matcher::{Fired, Matcher, Occurrence, Recognised, RuleKind, Scan, Target};
use super::normalise::{Normalised, SENTENCE, Token};
use super::shape::{Chart, Entry, small};

/// Buffers that scans reuse. One for each thread; holds nothing between scans that matters.
#[derive(Debug, Clone, Default)]
pub struct Scratch {
    runs: Vec<(u32, u32)>,
    parts: Vec<Entry>,
    signals: Vec<RawSignal>,
    fills: Vec<Option<u32>>,
    chart: Vec<Entry>,
    triggers: Vec<RawTrigger>,
    slots: Vec<u32>,
    fillers: Vec<(u32, u32)>,
    /// Patterns of which a literal was seen.
    flagged: Vec<u32>,
    /// For each pattern of which of its sets a literal was seen, one bit a set.
    seen: Vec<u8>,
    path: Vec<u32>,
    /// For each token: bit 1, a filler or the end of a sentence; bit 2, in a recognised value.
    skip: Vec<u8>,
    /// For each token: how many tokens before it are not fillers, and how many neither fillers nor recognised.
    said: Vec<(u32, u32)>,
}

#[derive(Debug, Clone, Copy)]
struct RawSignal {
    signal: u32,
    rule: u32,
    start: u32,
    end: u32,
    /// Where its fills begin, if the form has slots.
    fills: Option<u32>,
}

#[derive(Debug, Clone, Copy)]
struct RawTrigger {
    trigger: u32,
    start: u32,
    end: u32,
    slots: (u32, u32),
}

const FILLER: u8 = 1;
const VALUE: u8 = 2;

impl Matcher {
    /// What a text holds: recognised values, triggers that match, a command at its start.
    ///
    /// Of the occurrences of one signal the leftmost stay, of those that begin together the longest; the same for each
    /// trigger, once `whole` and `starts` are tested. Occurrences of different signals may overlap. The result depends on
    /// nothing but the matcher and the text.
    #[must_use]
    pub fn scan(&self, text: &Normalised, scratch: &mut Scratch) -> Scan {
        let mut scan = Scan::default();
        self.scan_into(text, scratch, &mut scan, |_| true);
        scan
    }

    /// As [`Matcher::scan`], into a scan that is kept, and an occurrence that `accept` refuses is none. It has won its place
    /// before it is asked about, so that no shorter reading of the same words comes up instead; then it is gone, and no
    /// trigger sees it.
    pub fn scan_into(
        &self,
        text: &Normalised,
        scratch: &mut Scratch,
        scan: &mut Scan,
        accept: impl FnMut(&Occurrence) -> bool,
    ) {
        scan.clear();
        scratch.clear();
        let first = self.command(text, scan);
        self.find_words(text, first, scratch);
        self.find_patterns(text, first, scratch);
        self.sort_parts(text, scratch);
        self.find_signal_shapes(scratch);
        self.resolve_signals(text, scratch, scan);
        scan.signals.retain(accept);
        self.find_trigger_shapes(scratch, scan);
        self.resolve_triggers(text, first, scratch, scan);
    }

    /// Whether nothing stands in a text beside values of one signal and fillers. The text is the one that was scanned last.
    #[must_use]
    pub fn says_only(&self, text: &Normalised, scratch: &Scratch, scan: &Scan, signal: usize) -> bool {
        let said = scan.signals.iter().filter(|said| said.signal == signal).map(|said| said.tokens);
        let runs: Vec<(u32, u32)> = scratch.fillers.iter().copied().chain(said).collect();
        let covered = |token: u32| runs.iter().any(|(start, end)| (*start..*end).contains(&token));
        let skipped = |token: usize| text.word(token) == SENTENCE || covered(small(token));
        scan.command.is_none() && (0..text.tokens().len()).all(skipped)
    }

    /// Finds a command and says which token is the first after it.
    fn command(&self, text: &Normalised, scan: &mut Scan) -> usize {
        let Some((spelling, command)) = self.commands.iter().find(|(spelling, _)| text.padded().starts_with(spelling))
        else {
            return 0;
        };
        let first = text.token_at(spelling.len());
        let original = text.original();
        let after = text.tokens()[first - 1].end as usize;
        let rest = without_parting(&original[after..]);
        let start = if rest.is_empty() { original.len() } else { original.len() - rest.len() };
        let rest = rest.trim_end();
        scan.command = Some((*command, start..start + rest.len()));
        first
    }

    fn find_words(&self, text: &Normalised, first: usize, scratch: &mut Scratch) {
        scratch.seen.resize(self.patterns.len(), 0);
        match self.automaton.as_deref() {
            Some(Words::Few(automaton)) => self.walk(automaton, |literal| literal, text, first, scratch),
            Some(Words::Many(automaton)) => self.walk(automaton, |literal| literal, text, first, scratch),
            Some(Words::Plain(sorted)) => {
                for token in first..text.tokens().len() {
                    let Token { at, to, .. } = text.tokens()[token];
                    let (from, end) = (at as usize - 1, to as usize + 1);
                    for literal in sorted.beginning(&text.padded()[from..], &text.padded()[from..end]) {
                        self.found(literal, small(token) + self.literal_tokens[literal], scratch);
                    }
                }
                if let Some(pieces) = &sorted.pieces {
                    self.walk(pieces, |at| sorted.piece[at] as usize, text, first, scratch);
                }
            }
            None => {}
        }
    }

    /// Finds every literal at every place, in one pass over the bytes of the text.
    fn walk(
        &self,
        automaton: &impl Automaton,
        literal: impl Fn(usize) -> usize,
        text: &Normalised,
        first: usize,
        scratch: &mut Scratch,
    ) {
        let Ok(mut state) = automaton.start_state(Anchored::No) else { return };
        // How many tokens have ended; the space before the first one ends none.
        let mut ended = small(first);
        let mut bytes = text.padded().as_bytes()[base(text, first)..].iter();
        if let Some(space) = bytes.next() {
            state = automaton.next_state(Anchored::No, state, *space);
        }
        for byte in bytes {
            state = automaton.next_state(Anchored::No, state, *byte);
            ended += u32::from(*byte == b' ');
            if automaton.is_special(state) && automaton.is_match(state) {
                for index in 0..automaton.match_len(state) {
                    self.found(literal(automaton.match_pattern(state, index).as_usize()), ended, scratch);
                }
            }
        }
    }

    /// Notes for all that a literal belongs to that it stands where so many tokens have ended.
    fn found(&self, literal: usize, ended: u32, scratch: &mut Scratch) {
        for target in self.targets.get(literal) {
            if let Target::Pattern { pattern, set } = target {
                let seen = &mut scratch.seen[*pattern as usize];
                if *seen == 0 {
                    scratch.flagged.push(*pattern);
                }
                *seen |= 1 << set;
            } else {
                scratch.hit(*target, ended - self.literal_tokens[literal], ended);
            }
        }
    }

    fn find_patterns(&self, text: &Normalised, first: usize, scratch: &mut Scratch) {
        let mut flagged = std::mem::take(&mut scratch.flagged);
        flagged.retain(|pattern| {
            let seen = std::mem::take(&mut scratch.seen[*pattern as usize]);
            seen.count_ones() as usize == self.patterns[*pattern as usize].0.required.len()
        });
        flagged.extend(&self.always);
        flagged.sort_unstable();
        let base = base(text, first);
        for index in &flagged {
            let (pattern, target) = &self.patterns[*index as usize];
            pattern.find(&text.padded()[base..], |start, end| {
                scratch.hit(*target, small(text.token_at(base + start)), small(text.token_at(base + end + 1)));
            });
        }
        scratch.flagged = flagged;
    }

    /// The value of a part at one place: what its rule says, or the folded words themselves.
    fn part_value<'v>(&'v self, text: &'v Normalised, entry: Entry) -> &'v str {
        match &self.parts[entry.slot as usize][entry.id as usize] {
            Some(value) => value,
            None => text.words(entry.start as usize..entry.end as usize),
        }
    }

    fn sort_parts(&self, text: &Normalised, scratch: &mut Scratch) {
        scratch.runs.sort_unstable();
        scratch.parts.sort_unstable();
        let mut kept = 0;
        for index in 0..scratch.parts.len() {
            let entry = scratch.parts[index];
            let same_place =
                |other: &Entry| (other.slot, other.start, other.end) == (entry.slot, entry.start, entry.end);
            let mut before = scratch.parts[..kept].iter().rev().take_while(|other| same_place(other));
            let value = self.part_value(text, entry);
            if !before.any(|other| self.part_value(text, *other) == value) {
                scratch.parts[kept] = entry;
                kept += 1;
            }
        }
        scratch.parts.truncate(kept);
    }

    fn find_signal_shapes(&self, scratch: &mut Scratch) {
        let Scratch { runs, parts, signals, fills, path, .. } = scratch;
        let chart = Chart { runs, run_tokens: &self.run_tokens, entries: parts };
        self.signal_shapes.find(chart, path, &mut |shape, start, end, path| {
            let (signal, rule) = shape.owner;
            signals.push(RawSignal { signal, rule, start, end, fills: Some(small(fills.len())) });
            fills.extend(shape.fill.iter().map(|slot| slot.map(|slot| path[slot as usize])));
        });
    }

    fn resolve_signals(&self, text: &Normalised, scratch: &mut Scratch, scan: &mut Scan) {
        let Scratch { signals, fills, parts, .. } = scratch;
        let fills_of = |raw: &RawSignal| {
            let mentions = match self.rules[raw.signal as usize][raw.rule as usize].kind {
                RuleKind::Template(mentions) => mentions,
                RuleKind::Const | RuleKind::Matched => 0,
            };
            raw.fills.map_or(&[] as &[Option<u32>], |at| &fills[at as usize..(at + mentions) as usize])
        };
        signals.sort_unstable_by(|a, b| {
            let key = |raw: &RawSignal| (raw.signal, raw.start, Reverse(raw.end), raw.rule);
            key(a).cmp(&key(b)).then_with(|| fills_of(a).cmp(fills_of(b)))
        });
        let fill = |raw: &RawSignal, index: u32| {
            let part = fills_of(raw).get(index as usize).copied().flatten()?;
            Some(parts[part as usize])
        };
        let same_value = |a: &RawSignal, b: &RawSignal| {
            let rule = |raw: &RawSignal| &self.rules[raw.signal as usize][raw.rule as usize];
            let value = |raw: &RawSignal, index| fill(raw, index).map(|part| self.part_value(text, part));
            rule(a).same == rule(b).same
                && match rule(a).kind {
                    RuleKind::Template(mentions) => (0..mentions).all(|index| value(a, index) == value(b, index)),
                    RuleKind::Const | RuleKind::Matched => true,
                }
        };
        let mut kept = 0;
        for index in 0..signals.len() {
            let raw = signals[index];
            let of_signal = signals[..kept].iter().rev().take_while(|other| other.signal == raw.signal);
            // The kept ones do not overlap, so only the last place can be in the way.
            let mut in_the_way = of_signal.take_while(|other| other.end > raw.start).peekable();
            let same_place = in_the_way.peek().is_none_or(|other| (other.start, other.end) == (raw.start, raw.end));
            if same_place && !in_the_way.any(|other| same_value(other, &raw)) {
                signals[kept] = raw;
                kept += 1;
            }
        }
        signals.truncate(kept);
        signals.sort_by_key(|raw| (raw.start, raw.end, raw.signal, raw.rule));
        scan.signals.extend(signals.iter().map(|raw| {
            let tokens = raw.start as usize..raw.end as usize;
            let span = text.span(tokens);
            let value = match self.rules[raw.signal as usize][raw.rule as usize].kind {
                RuleKind::Const => Recognised::Const,
                RuleKind::Matched => Recognised::Matched(Arc::from(&text.original()[span.0 as usize..span.1 as usize])),
                RuleKind::Template(mentions) => Recognised::Template(
                    (0..mentions).map(|index| Some(self.shared(text, fill(raw, index)?))).collect(),
                ),
            };
            Occurrence {
                signal: raw.signal as usize,
                rule: raw.rule as usize,
                value,
                span,
                tokens: (raw.start, raw.end),
            }
        }));
    }

    fn shared(&self, text: &Normalised, part: Entry) -> Arc<str> {
        match &self.parts[part.slot as usize][part.id as usize] {
            Some(value) => value.clone(),
            None => Arc::from(self.part_value(text, part)),
        }
    }

    fn find_trigger_shapes(&self, scratch: &mut Scratch, scan: &Scan) {
        let Scratch { runs, chart, triggers, slots, path, .. } = scratch;
        chart.extend(scan.signals.iter().enumerate().map(|(index, occurrence)| Entry {
            slot: small(occurrence.signal),
            start: occurrence.tokens.0,
            end: occurrence.tokens.1,
            id: small(index),
        }));
        chart.sort_unstable();
        chart.dedup_by_key(|entry| (entry.slot, entry.start, entry.end));
        let entries = chart.as_slice();
        let chart = Chart { runs, run_tokens: &self.run_tokens, entries };
        self.trigger_shapes.find(chart, path, &mut |shape, start, end, path| {
            let from = small(slots.len());
            slots.extend(path.iter().map(|entry| entries[*entry as usize].id));
            let slots = (from, small(slots.len()));
            triggers.push(RawTrigger { trigger: shape.owner.0, start, end, slots });
        });
    }

    fn resolve_triggers(&self, text: &Normalised, first: usize, scratch: &mut Scratch, scan: &mut Scan) {
        if scratch.triggers.is_empty() {
            return;
        }
        let placed = |raw: &RawTrigger| {
            let info = self.triggers[raw.trigger as usize];
            info.whole || info.starts
        };
        if scratch.triggers.iter().any(placed) {
            scratch.measure(text, first, scan);
        }
        let Scratch { triggers, slots, said, .. } = scratch;
        triggers.retain(|raw| {
            let info = self.triggers[raw.trigger as usize];
            let starts = !info.starts || said[raw.start as usize].0 == 0;
            let before = |token: u32| said[token as usize].1;
            let whole =
                !info.whole || (before(raw.start) == 0 && before(raw.end) == before(small(text.tokens().len())));
            starts && whole
        });
        let slots_of = |raw: &RawTrigger| &slots[raw.slots.0 as usize..raw.slots.1 as usize];
        triggers.sort_unstable_by(|a, b| {
            let key = |raw: &RawTrigger| (raw.trigger, raw.start, Reverse(raw.end));
            key(a).cmp(&key(b)).then_with(|| slots_of(a).cmp(slots_of(b)))
        });
        for raw in triggers.iter() {
            let trigger = raw.trigger as usize;
            if scan.fired.last().is_some_and(|last| last.trigger == trigger && last.tokens.1 > raw.start) {
                continue;
            }
            scan.fired.push(Fired {
                trigger,
                span: text.span(raw.start as usize..raw.end as usize),
                tokens: (raw.start, raw.end),
                slots: slots_of(raw).to_vec(),
            });
        }
    }
}

/// A text after a command without what parts it from the command: white space, commas, ends of sentences, a dash between spaces.
fn without_parting(mut text: &str) -> &str {
    loop {
        let rest = text.trim_start_matches(|c: char| c.is_whitespace() || ",;:.!?…—–".contains(c));
        let rest = rest.strip_prefix('-').filter(|rest| rest.starts_with(char::is_whitespace)).unwrap_or(rest);
        if rest.len() == text.len() {
            return rest;
        }
        text = rest;
    }
}

/// Where the padded text of the tokens from `first` on begins: at the space before them.
fn base(text: &Normalised, first: usize) -> usize {
    first.checked_sub(1).map_or(0, |last| text.tokens()[last].to as usize)
}

impl Scratch {
    fn clear(&mut self) {
        self.runs.clear();
        self.parts.clear();
        self.signals.clear();
        self.fills.clear();
        self.chart.clear();
        self.triggers.clear();
        self.slots.clear();
        self.fillers.clear();
        self.flagged.clear();
    }

    fn hit(&mut self, target: Target, start: u32, end: u32) {
        match target {
            Target::Part { part, rule } => self.parts.push(Entry { slot: part, start, end, id: rule }),
            Target::Signal { signal, rule } => {
                self.signals.push(RawSignal { signal, rule, start, end, fills: None });
            }
            Target::Trigger(trigger) => self.triggers.push(RawTrigger { trigger, start, end, slots: (0, 0) }),
            Target::Filler => self.fillers.push((start, end)),
            Target::Run(run) => self.runs.push((run, start)),
            Target::Pattern { .. } => {}
        }
    }

    /// Works out which tokens may be skipped, and how many before each token may not.
    fn measure(&mut self, text: &Normalised, first: usize, scan: &Scan) {
        let tokens = text.tokens().len();
        self.skip.clear();
        self.skip.resize(tokens, 0);
        for (token, skip) in self.skip.iter_mut().enumerate() {
            if token < first {
                *skip = FILLER | VALUE;
            } else if text.word(token) == SENTENCE {
                *skip = FILLER;
            }
        }
        for (start, end) in &self.fillers {
            self.skip[*start as usize..*end as usize].iter_mut().for_each(|skip| *skip |= FILLER);
        }
        for occurrence in &scan.signals {
            let (start, end) = occurrence.tokens;
            self.skip[start as usize..end as usize].iter_mut().for_each(|skip| *skip |= VALUE);
        }
        self.said.clear();
        let mut said = (0, 0);
        self.said.push(said);
        for skip in &self.skip {
            said.0 += u32::from(skip & FILLER == 0);
            said.1 += u32::from(*skip == 0);
            self.said.push(said);
        }
    }
}
