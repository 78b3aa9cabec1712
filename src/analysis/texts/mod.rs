//! Texts: whether some text matches these trigger forms and not those, and says these signals and not those.

mod around;
mod characters;
mod forms;
mod hearing;
mod labels;
mod numbered;
mod question;
mod search;
#[cfg(test)]
mod tests;
mod tokens;
mod trigger;

use std::cell::RefCell;
use std::collections::BTreeSet;

use crate::lexicon::{MAX_TEXT, Meaning, Normalised, Resolved, Scan, Scratch, meaning, resolve};
use crate::maps::HashMap;
use crate::model::lexicon::{Form, TriggerForm};
use crate::registry::Registry;

use forms::{Automaton, Vocabulary};
use labels::Rules;
use question::{Settled, question};
use search::search;

/// What is asked of a text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Demand {
    /// Trigger forms, in the registry's order, that match.
    pub matched: Vec<usize>,
    /// Trigger forms that do not.
    pub unmatched: Vec<usize>,
    /// Signals of the lexicon of which the text says nothing.
    pub unsaid: Vec<usize>,
    /// Signals of the lexicon of which the text says two different values, so that they are ambiguous.
    pub ambiguous: Vec<usize>,
    /// Signals of the lexicon of which the text says one thing, and that with a missing part.
    pub partial: Vec<usize>,
    /// The command of the lexicon that the text begins with; it begins with none where none is asked for. What is asked of
    /// forms and signals is asked of the rest after the command: nothing else is looked at there.
    pub command: Option<usize>,
}

/// What a search for a text came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// This text does what is asked; the scanner says so.
    Text(String),
    /// There is no such text.
    No,
    /// It could not be decided, for this reason.
    Unknown(String),
}

/// The texts of a registry, prepared for many questions.
pub struct Texts<'r> {
    registry: &'r Registry,
    triggers: Vec<&'r TriggerForm>,
    vocabulary: Vocabulary,
    /// By form.
    forms: Vec<Automaton>,
    /// By signal: its rules, as far as it matters whether something is said.
    rules: Vec<Rules>,
    /// By signal: its rules, with what they mean.
    meanings: Vec<Rules>,
    fillers: Automaton,
    /// The spellings of commands, word by word.
    commands: Vec<Vec<u32>>,
    command_words: Vec<u32>,
    bench: RefCell<Bench>,
    /// What was asked before.
    found: RefCell<HashMap<Demand, Found>>,
}

/// A word that is hoped to be in no lexicon.
pub const UNHEARD: &str = "хм-хм";

/// What a text is scanned with.
#[derive(Default)]
struct Bench {
    text: Normalised,
    scratch: Scratch,
    scan: Scan,
}

impl Demand {
    /// What this asks and another, too.
    fn under(&self, other: &Demand) -> Demand {
        let both = |a: &[usize], b: &[usize]| -> Vec<usize> {
            let all: BTreeSet<usize> = a.iter().chain(b).copied().collect();
            all.into_iter().collect()
        };
        Demand {
            matched: both(&self.matched, &other.matched),
            unmatched: both(&self.unmatched, &other.unmatched),
            unsaid: both(&self.unsaid, &other.unsaid),
            ambiguous: both(&self.ambiguous, &other.ambiguous),
            partial: both(&self.partial, &other.partial),
            command: self.command.or(other.command),
        }
    }
}

impl<'r> Texts<'r> {
    /// Prepares the lexicon and the triggers of a registry.
    #[must_use]
    pub fn new(registry: &'r Registry) -> Self {
        let pack = registry.pack();
        let lexicon = &pack.lexicon;
        let mut vocabulary = Vocabulary::default();
        let triggers: Vec<&TriggerForm> = registry.trigger_forms().collect();
        let automaton = |forms: &mut dyn Iterator<Item = &Form>, vocabulary: &mut Vocabulary| {
            let mut automaton = Automaton::default();
            forms.for_each(|form| automaton.add(form, 0, vocabulary, lexicon));
            automaton.finish();
            automaton
        };
        let forms = triggers.iter().map(|form| automaton(&mut [&form.form].into_iter(), &mut vocabulary)).collect();
        let fillers: Vec<Form> = lexicon.fillers.iter().map(|filler| Form::Phrase(filler.clone())).collect();
        let fillers = automaton(&mut fillers.iter(), &mut vocabulary);
        let mut rules = |meanings| -> Vec<Rules> {
            (0..lexicon.signals.len()).map(|signal| Rules::new(pack, signal, meanings, &mut vocabulary)).collect()
        };
        let (rules, meanings) = (rules(false), rules(true));
        let spellings = lexicon.commands.iter().flat_map(|(_, spellings)| spellings);
        let commands: Vec<Vec<u32>> =
            spellings.map(|spelling| spelling.split(' ').map(|word| vocabulary.word(word)).collect()).collect();
        let command_words = commands.concat();
        let (bench, found) = (RefCell::default(), RefCell::default());
        Self { registry, triggers, vocabulary, forms, rules, meanings, fillers, commands, command_words, bench, found }
    }

    /// How many trigger forms there are.
    #[must_use]
    pub fn forms(&self) -> usize {
        self.forms.len()
    }

    /// Looks for a text that does what is asked.
    ///
    /// What is wanted is looked for piece by piece first: where there is no text for one piece there is none for all, and often
    /// the texts of the pieces, one sentence each, do it together. Else all is searched at once.
    #[must_use]
    pub fn find(&self, demand: &Demand) -> Found {
        if let Some(found) = self.found.borrow().get(demand) {
            return found.clone();
        }
        let found = self.settle(demand);
        self.found.borrow_mut().insert(demand.clone(), found.clone());
        found
    }

    fn settle(&self, demand: &Demand) -> Found {
        if demand.matched.iter().any(|form| demand.unmatched.iter().any(|other| self.implies(*form, *other))) {
            return Found::No;
        }
        let pieces = self.pieces(demand);
        let bare = Demand { command: demand.command, ..Demand::default() };
        let under = Demand { unmatched: demand.unmatched.clone(), unsaid: demand.unsaid.clone(), ..bare.clone() };
        let conditions = if under == bare { vec![bare] } else { vec![bare, under] };
        if pieces.is_empty() || demand.unmatched.is_empty() && demand.unsaid.is_empty() && pieces.len() == 1 {
            return self.search(demand);
        }
        for condition in &conditions {
            let asked = pieces.iter().map(|piece| piece.under(condition)).filter(|asked| asked != demand);
            if let Some(found) = self.join(demand, asked) {
                return found;
            }
        }
        // What one form keeps away it keeps away beside others, and is soon looked through.
        if demand.unmatched.len() > 1 {
            for form in &demand.unmatched {
                if self.find(&Demand { unmatched: vec![*form], ..demand.clone() }) == Found::No {
                    return Found::No;
                }
            }
        }
        if pieces.len() > 2 {
            let pairs = (0..pieces.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
            let under = conditions.last().expect("there is one");
            for (a, b) in pairs {
                if self.find(&pieces[a].under(&pieces[b].under(under))) == Found::No {
                    return Found::No;
                }
            }
        }
        self.search(demand)
    }

    /// Whether every text in which one form matches is surely one in which another does: the same words, asked for no less.
    fn implies(&self, form: usize, other: usize) -> bool {
        let (form, other) = (self.triggers[form], self.triggers[other]);
        let alike = (form.whole, form.starts) == (other.whole, other.starts);
        form.form == other.form && (alike || !other.whole && !other.starts)
    }

    /// What is wanted, each by itself; what has to stand at the beginning of the text first.
    fn pieces(&self, demand: &Demand) -> Vec<Demand> {
        let placed = |form: &usize| self.triggers[*form].whole || self.triggers[*form].starts;
        let (first, then): (Vec<usize>, Vec<usize>) = demand.matched.iter().copied().partition(placed);
        let forms = first.into_iter().chain(then).map(|form| Demand { matched: vec![form], ..Demand::default() });
        let ambiguous = demand.ambiguous.iter().map(|of| Demand { ambiguous: vec![*of], ..Demand::default() });
        let partial = demand.partial.iter().map(|of| Demand { partial: vec![*of], ..Demand::default() });
        forms.chain(ambiguous).chain(partial).collect()
    }

    /// Asks piece by piece: nothing does it all where nothing does one of them, and what the texts of all make together may.
    fn join(&self, demand: &Demand, asked: impl Iterator<Item = Demand>) -> Option<Found> {
        let mut joined = String::new();
        let mut known = true;
        for asked in asked {
            match self.find(&asked) {
                Found::No => return Some(Found::No),
                Found::Unknown(_) => known = false,
                Found::Text(text) => {
                    if self.does(&text, demand) {
                        return Some(Found::Text(text));
                    }
                    if !joined.is_empty() {
                        joined.push_str(". ");
                    }
                    joined.push_str(&text);
                }
            }
        }
        // A word that nobody knows, at either end, keeps forms from matching that nothing else may stand beside.
        let beside = [joined.clone(), format!("{joined} {UNHEARD}"), format!("{UNHEARD} {joined}")];
        beside.into_iter().find(|text| known && self.does(text, demand)).map(Found::Text)
    }

    fn search(&self, demand: &Demand) -> Found {
        let befores: Vec<&str> = match demand.command {
            None => vec![""],
            Some(command) => match self.registry.pack().lexicon.commands.get(command) {
                Some((_, spellings)) => spellings.iter().map(String::as_str).collect(),
                None => return Found::No,
            },
        };
        let mut unknown = None;
        for before in befores {
            let search = |loose| match question(self, demand, loose) {
                Ok(question) => search(self, demand, question, before),
                Err(Settled::No) => Found::No,
                Err(Settled::Unknown(why)) => Found::Unknown(why),
            };
            // A proof that looks at less is a proof; a text that does is a text.
            let whole = demand.matched.iter().chain(&demand.unmatched).any(|form| self.triggers[*form].whole);
            let found =
                if whole { Some(search(true)).filter(|found| !matches!(found, Found::Unknown(_))) } else { None };
            match found.unwrap_or_else(|| search(false)) {
                Found::Text(text) => return Found::Text(text),
                Found::No => {}
                Found::Unknown(why) => unknown = Some(why),
            }
        }
        unknown.map_or(Found::No, Found::Unknown)
    }

    /// Whether a text does what is asked, by the matcher itself.
    fn does(&self, text: &str, demand: &Demand) -> bool {
        let mut bench = self.bench.borrow_mut();
        let Bench { text: normalised, scratch, scan } = &mut *bench;
        if text.len() > MAX_TEXT {
            return false;
        }
        normalised.set(text);
        self.registry.scan_into(normalised, scratch, scan);
        let pack = self.registry.pack();
        let fired = |form: &usize| scan.fired.iter().any(|fired| fired.trigger == *form);
        let heard = |signal: usize| -> (Vec<Meaning>, Resolved) {
            let of = scan.signals.iter().filter(|occurrence| occurrence.signal == signal);
            let meanings: Vec<Meaning> = of.filter_map(|occurrence| meaning(pack, occurrence)).collect();
            let resolved = resolve(pack.lexicon.signals[signal].many, &meanings);
            (meanings, resolved)
        };
        scan.command.as_ref().map(|(command, _)| *command) == demand.command
            && demand.matched.iter().all(fired)
            && !demand.unmatched.iter().any(fired)
            && demand.unsaid.iter().all(|signal| heard(*signal).1 == Resolved::Nothing)
            && demand.ambiguous.iter().all(|signal| matches!(heard(*signal).1, Resolved::Ambiguous(_)))
            && demand.partial.iter().all(|signal| {
                let (meanings, resolved) = heard(*signal);
                matches!(resolved, Resolved::One(at) if matches!(meanings[at], Meaning::Partial(_)))
            })
    }
}
