//! The occurrences of one signal in a text, as the matcher resolves them: of those that match the leftmost stay, of those that
//! begin together the longest, and then those are gone that the type cannot read.
//!
//! Which ones stay is guessed at each place between tokens, and the guess is held to account: what would have matched
//! earlier or longer must come to nothing.

use super::forms::{Automaton, Letter};
use super::labels::{Label, Rules, Surely};
use super::numbered::Numbered;
use crate::maps::HashMap;

/// What is asked of a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ask {
    /// Nothing; it fills slots or stands around a trigger.
    Nothing,
    /// Nothing is said of it.
    Unsaid,
    /// Two different things are said.
    Ambiguous,
    /// One thing is said, with a missing part: everywhere, in the first place, or in the last.
    Partial,
    PartialFirst,
    PartialLast,
}

/// What has been said so far, as far as it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Said {
    Nothing,
    /// One thing, and which it is where that is known.
    One(Option<u32>),
    /// What was asked for.
    Enough,
    /// Not what was asked for, unless more is said.
    Other,
}

/// Between two tokens.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Place {
    /// What must come to nothing: for each token that something could have begun at, how far that has come.
    forbidden: Vec<u32>,
    /// The occurrence that stands open, and whether the type will read it.
    open: Option<(u32, bool)>,
    said: Said,
}

/// One way to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Way {
    pub to: u32,
    /// An occurrence that was read ends here.
    pub closed: bool,
    /// An occurrence that will be read begins here.
    pub opened: bool,
}

/// A signal in one question.
pub struct Hearing<'r> {
    rules: &'r Rules,
    ask: Ask,
    /// Everything that matches counts: it is asked that nothing does.
    silent: bool,
    places: Numbered<Place>,
    ways: HashMap<(u32, usize), Vec<Way>>,
    threads: Threads,
    /// What can begin at a token, and what of it the matcher surely sees.
    starts_all: u32,
    starts_sure: u32,
}

/// Sets of places in the automaton, each with a number; 0 is the empty one.
#[derive(Default)]
struct Threads {
    sets: Numbered<Vec<u32>>,
    next: HashMap<(u32, usize), u32>,
}

impl Threads {
    fn step(&mut self, of: u32, automaton: &Automaton, at: usize, letter: &Letter) -> u32 {
        if of == 0 {
            return 0;
        }
        if let Some(next) = self.next.get(&(of, at)) {
            return *next;
        }
        let next = automaton.step(&self.sets[of], letter);
        let next = self.sets.number(next);
        self.next.insert((of, at), next);
        next
    }
}

impl<'r> Hearing<'r> {
    pub fn new(rules: &'r Rules, ask: Ask) -> Self {
        let silent = ask == Ask::Unsaid && rules.all_read();
        let mut threads = Threads::default();
        threads.sets.number(Vec::new());
        let starts_all = threads.sets.number(rules.automaton.starts(true));
        let starts_sure = threads.sets.number(rules.automaton.starts(silent));
        Self {
            rules,
            ask,
            silent,
            places: Numbered::default(),
            ways: HashMap::default(),
            threads,
            starts_all,
            starts_sure,
        }
    }

    /// Whether it is asked that no words of it stand in the text at all.
    pub fn is_silent(&self) -> bool {
        self.silent
    }

    /// The ways in which a text can begin.
    pub fn begin(&mut self) -> Vec<Way> {
        let said = if self.ask == Ask::PartialLast { Said::Other } else { Said::Nothing };
        self.between(Vec::new(), said, false)
    }

    /// Whether an occurrence that will be read stands open.
    pub fn is_open(&self, place: u32) -> bool {
        matches!(self.places[place].open, Some((_, true)))
    }

    /// Whether the text may end here.
    pub fn may_end(&self, place: u32) -> bool {
        let place = &self.places[place];
        place.open.is_none()
            && match self.ask {
                Ask::Nothing | Ask::Unsaid => true,
                Ask::Ambiguous | Ask::PartialFirst | Ask::PartialLast => place.said == Said::Enough,
                Ask::Partial => matches!(place.said, Said::One(_)),
            }
    }

    /// The ways on from a place where nothing stands open: to begin an occurrence here, or not to.
    fn between(&mut self, forbidden: Vec<u32>, said: Said, closed: bool) -> Vec<Way> {
        let mut ways = Vec::new();
        let gap = Place { forbidden: with(&forbidden, self.starts_sure), open: None, said };
        ways.push(Way { to: self.places.number(gap), closed, opened: false });
        if !self.silent && self.starts_all != 0 {
            for read in [true, false] {
                if (read && self.ask == Ask::Unsaid) || (!read && self.rules.all_read()) {
                    continue;
                }
                let open = Some((self.starts_all, read));
                let place = Place { forbidden: forbidden.clone(), open, said };
                ways.push(Way { to: self.places.number(place), closed, opened: read });
            }
        }
        ways
    }

    /// The ways on over a token; `at` is its number.
    pub fn ways(&mut self, place: u32, at: usize, letter: &Letter) -> &[Way] {
        if !self.ways.contains_key(&(place, at)) {
            let ways = self.work_out(place, at, letter);
            self.ways.insert((place, at), ways);
        }
        &self.ways[&(place, at)]
    }

    fn work_out(&mut self, place: u32, at: usize, letter: &Letter) -> Vec<Way> {
        let Place { forbidden, open, said } = self.places[place].clone();
        let automaton = &self.rules.automaton;
        let mut next = Vec::new();
        for threads in forbidden {
            let threads = self.threads.step(threads, automaton, at, letter);
            if !automaton.ends(&self.threads.sets[threads]).is_empty() {
                return Vec::new();
            }
            next = with(&next, threads);
        }
        let forbidden = next;
        let Some((threads, read)) = open else { return self.between(forbidden, said, false) };
        let threads = self.threads.step(threads, automaton, at, letter);
        let ends = automaton.ends(&self.threads.sets[threads]);
        let going = automaton.open(&self.threads.sets[threads]);
        // Nothing longer may come of what began here; where the matcher may not see it, it may.
        let sure = automaton.sure(&going);
        let (going, sure) = (self.threads.sets.number(going), self.threads.sets.number(sure));
        let mut ways = Vec::new();
        if going != 0 {
            let place = Place { forbidden: forbidden.clone(), open: Some((going, read)), said };
            ways.push(Way { to: self.places.number(place), closed: false, opened: false });
        }
        if !ends.is_empty() {
            let labels: Vec<Label> = ends.iter().map(|end| self.rules.labels[*end as usize]).collect();
            for said in self.after(said, &labels, read) {
                ways.extend(self.between(with(&forbidden, sure), said, read));
            }
        }
        ways
    }

    /// What may have been said after an occurrence that comes to these labels; nothing where it cannot be.
    fn after(&self, said: Said, labels: &[Label], read: bool) -> Vec<Said> {
        // Several ends at one place are several values of the same words, and each is there; one that may not be seen or
        // not be read need not be.
        let sure = |label: &&Label| label.read == Surely::Yes && label.seen;
        if !read {
            let gone = labels.iter().any(|label| label.read != Surely::Yes) && !labels.iter().any(|label| sure(&label));
            return if gone { vec![said] } else { Vec::new() };
        }
        let there: Vec<&Label> = labels.iter().filter(sure).collect();
        let maybe: Vec<&Label> = labels.iter().filter(|label| label.read != Surely::No && !sure(label)).collect();
        if there.is_empty() && maybe.is_empty() {
            return Vec::new();
        }
        let heard: Vec<&Label> = there.iter().chain(&maybe).copied().collect();
        // Of several values of the same words the outermost rule's counts; where it is not sure that it is there, any.
        let may_be_partial = |outermost: Option<&&Label>| {
            let sure = maybe.is_empty() && outermost.is_some();
            heard.iter().any(|label| label.partial && (!sure || outermost.is_some_and(|of| of.rule == label.rule)))
        };
        match self.ask {
            Ask::Nothing | Ask::Unsaid => vec![said],
            Ask::Ambiguous => {
                let mut now = said;
                for label in there.iter().chain(&maybe) {
                    now = match now {
                        Said::Nothing => Said::One(label.meaning),
                        Said::One(Some(one)) if label.meaning == Some(one) => Said::One(Some(one)),
                        _ => Said::Enough,
                    };
                }
                // One occurrence that may mean one thing or another is one thing.
                vec![now]
            }
            Ask::PartialFirst => vec![match said {
                Said::Nothing if may_be_partial(heard.iter().min_by_key(|label| label.rule)) => Said::Enough,
                Said::Nothing => return Vec::new(),
                said => said,
            }],
            Ask::PartialLast => {
                let partial = may_be_partial(heard.iter().max_by_key(|label| label.rule));
                vec![if partial { Said::Enough } else { Said::Other }]
            }
            Ask::Partial => {
                let heard = if there.is_empty() { &maybe } else { &there };
                let partial: Vec<Option<u32>> =
                    heard.iter().filter(|label| label.partial).map(|label| label.meaning).collect();
                if partial.is_empty() || (!there.is_empty() && there.iter().any(|label| !label.partial)) {
                    return Vec::new();
                }
                let mut meanings: Vec<Option<u32>> = match said {
                    Said::One(Some(one)) => vec![Some(one)],
                    _ if there.is_empty() => partial.clone(),
                    _ => vec![partial.iter().flatten().next().copied()],
                };
                if !there.is_empty() {
                    meanings.retain(|meaning| {
                        partial.iter().all(|other| other.is_none() || meaning.is_none() || other == meaning)
                    });
                } else {
                    meanings.retain(|meaning| {
                        partial.iter().any(|other| other.is_none() || meaning.is_none() || other == meaning)
                    });
                }
                meanings.into_iter().map(Said::One).collect()
            }
        }
    }
}

/// A sorted list with one more number in it; 0 stands for nothing.
fn with(all: &[u32], one: u32) -> Vec<u32> {
    let mut all = all.to_vec();
    if one != 0
        && let Err(at) = all.binary_search(&one)
    {
        all.insert(at, one);
    }
    all
}
