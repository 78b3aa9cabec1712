//! One question put together: which signals and forms have to be looked at, and which tokens are worth trying.

use std::collections::{BTreeMap, BTreeSet};

use crate::lexicon::SENTENCE;
use crate::maps::HashSet;
use crate::model::lexicon::{Form, Many};

use super::characters::Row;
use super::forms::{Automaton, Letter};
use super::hearing::{Ask, Hearing};
use super::labels::{Rules, Surely};
use super::tokens::is_token;
use super::trigger::Trigger;
use super::{Demand, Texts};

/// How many different tokens are told apart.
const MAX_LETTERS: usize = 4_000;

/// Tokens of which one is hoped to be in no lexicon.
const UNHEARD: [&str; 8] = ["так-то", "хм", "ъъ", "so-so", "zz", "ъхъ", "zzz", "0ъ0"];

/// What has to be searched.
pub struct Question<'r> {
    pub letters: Vec<Letter>,
    /// The signals, by number, and what is asked of them.
    pub hearings: Vec<(usize, Hearing<'r>)>,
    /// The forms, and whether they are to match.
    pub triggers: Vec<(Trigger<'r>, bool)>,
    pub fillers: Option<&'r Automaton>,
    /// Any word may be in a value of a signal that is not looked at.
    pub loose: bool,
    /// Why a text that is found may not do after all.
    pub vague: Option<String>,
}

/// Why there is nothing to search.
pub enum Settled {
    /// No text does what is asked.
    No,
    Unknown(String),
}

struct Part<'r> {
    automaton: &'r Automaton,
    /// Tokens of its own serve: it is to match, or to be said.
    wanted: bool,
    /// Tokens of its own serve only where others have a use for some of them.
    joins: bool,
}

/// What a word does in an automaton.
type Effect = Vec<(u32, u32)>;

/// Puts a question together. `loose`: any word may pass for a value that stands around a trigger; what is found may not do.
pub fn question<'r>(texts: &'r Texts<'_>, demand: &Demand, loose: bool) -> Result<Question<'r>, Settled> {
    let pack = texts.registry.pack();
    let asks = asks(texts, demand)?;
    let triggers = &texts.triggers;
    let placed = |form: &usize| triggers[*form].whole || triggers[*form].starts;
    let whole = |form: &usize| triggers[*form].whole;
    let forms = || demand.matched.iter().chain(&demand.unmatched);
    let fillers = forms().any(placed).then_some(&texts.fillers);
    let wanted: BTreeSet<usize> = demand.matched.iter().flat_map(|form| texts.forms[*form].signals()).collect();
    let mut signals: BTreeMap<usize, Ask> = asks;
    let slots = forms().flat_map(|form| texts.forms[*form].signals());
    let whole_matters = forms().any(whole);
    let around = (0..pack.lexicon.signals.len()).filter(|_| whole_matters && !loose);
    for signal in slots.chain(around) {
        signals.entry(signal).or_insert(Ask::Nothing);
    }
    let rules = |signal: usize, ask: Ask| -> &'r Rules {
        if matches!(ask, Ask::Nothing | Ask::Unsaid) { &texts.rules[signal] } else { &texts.meanings[signal] }
    };
    let mut parts = Vec::new();
    for form in &demand.matched {
        parts.push(Part { automaton: &texts.forms[*form], wanted: true, joins: false });
    }
    for form in &demand.unmatched {
        parts.push(Part { automaton: &texts.forms[*form], wanted: false, joins: false });
    }
    if let Some(fillers) = fillers {
        let joins = demand.matched.iter().any(placed);
        parts.push(Part { automaton: fillers, wanted: false, joins });
    }
    for (signal, ask) in &signals {
        let rules = rules(*signal, *ask);
        let said = matches!(ask, Ask::Ambiguous | Ask::Partial | Ask::PartialFirst | Ask::PartialLast);
        let silent = *ask == Ask::Unsaid && rules.all_read();
        let joins = !silent && (*ask == Ask::Unsaid || demand.matched.iter().any(whole));
        parts.push(Part { automaton: &rules.automaton, wanted: said || wanted.contains(signal), joins });
    }
    let letters = letters(texts, &parts)?;
    let mut vague = None;
    let mut hearings = Vec::new();
    for (signal, ask) in &signals {
        let rules = rules(*signal, *ask);
        let can = rules.automaton.can_end(&letters, &|_| true);
        match ask {
            Ask::Nothing | Ask::Unsaid if !can => continue,
            Ask::Nothing | Ask::Unsaid => {}
            _ if !can => return Err(Settled::No),
            _ => {}
        }
        let hearing = Hearing::new(rules, *ask);
        let meanings = !matches!(ask, Ask::Nothing | Ask::Unsaid);
        let loose = |label: &super::labels::Label| {
            label.read == Surely::Perhaps || !label.seen || (meanings && label.meaning.is_none())
        };
        if !hearing.is_silent() && rules.labels.iter().any(loose) {
            let name = pack.names.text(pack.lexicon.signals[*signal].name);
            vague.get_or_insert_with(|| {
                format!("what words of `{name}` come to depends on more than the words themselves")
            });
        }
        hearings.push((*signal, hearing));
    }
    if hearings.len() > 64 {
        return Err(Settled::Unknown("more than 64 signals have to be looked at together".into()));
    }
    let mut forms = Vec::new();
    for (form, matched) in
        demand.matched.iter().map(|form| (form, true)).chain(demand.unmatched.iter().map(|form| (form, false)))
    {
        let automaton = &texts.forms[*form];
        if !automaton.can_end(&letters, &|signal| hearings.iter().any(|(of, _)| *of == signal)) {
            if matched {
                return Err(Settled::No);
            }
            continue;
        }
        if placed(form)
            && let Form::Pattern(_) = triggers[*form].form
            && !automaton.sees_all()
        {
            vague.get_or_insert_with(|| {
                "a pattern over several words, with `whole` or `starts`, can be found in several ways".to_owned()
            });
            if !matched {
                continue;
            }
        }
        forms.push((Trigger::new(automaton, triggers[*form]), matched));
    }
    Ok(Question { letters, hearings, triggers: forms, fillers, vague, loose: loose && whole_matters })
}

/// What is asked of each signal that something is asked of.
fn asks(texts: &Texts<'_>, demand: &Demand) -> Result<BTreeMap<usize, Ask>, Settled> {
    let pack = texts.registry.pack();
    let many = |signal: usize| pack.lexicon.signals[signal].many;
    let mut asks = BTreeMap::new();
    if demand.matched.iter().any(|form| demand.unmatched.contains(form)) {
        return Err(Settled::No);
    }
    let unsaid = demand.unsaid.iter().map(|signal| (*signal, Some(Ask::Unsaid)));
    let ambiguous = demand.ambiguous.iter().map(|signal| {
        let can = many(*signal) == Many::Ambiguous;
        (*signal, can.then_some(Ask::Ambiguous))
    });
    let partial = demand.partial.iter().map(|signal| {
        let ask = match many(*signal) {
            Many::Ambiguous => Some(Ask::Partial),
            Many::First => Some(Ask::PartialFirst),
            Many::Last => Some(Ask::PartialLast),
            Many::All => None,
        };
        (*signal, ask)
    });
    for (signal, ask) in unsaid.chain(ambiguous).chain(partial) {
        let Some(ask) = ask else { return Err(Settled::No) };
        if asks.insert(signal, ask).is_some_and(|other| other != ask) {
            return Err(Settled::No);
        }
    }
    Ok(asks)
}

/// The tokens worth trying. A token that nothing wanted has a use for does no better than one that nobody knows.
fn letters(texts: &Texts<'_>, parts: &[Part<'_>]) -> Result<Vec<Letter>, Settled> {
    let vocabulary = &texts.vocabulary;
    let mut used: BTreeSet<usize> = (0..parts.len()).filter(|part| parts[*part].wanted).collect();
    let words = |used: &BTreeSet<usize>| -> BTreeSet<u32> {
        used.iter().flat_map(|part| parts[*part].automaton.words()).collect()
    };
    let patterned = |used: &BTreeSet<usize>| used.iter().any(|part| !parts[*part].automaton.patterns.is_empty());
    // The end of a sentence serves in place of what is only there to be skipped, unless somebody looks for it.
    let sentence = vocabulary.known(SENTENCE);
    let ends_matter = parts.iter().any(|part| {
        !part.automaton.patterns.is_empty() || sentence.is_some_and(|word| !part.automaton.effect(word).is_empty())
    });
    let mut known = words(&used);
    loop {
        let before = (known.len(), used.len());
        for (at, part) in parts.iter().enumerate().filter(|(_, part)| part.joins) {
            if ends_matter || patterned(&used) {
                known.extend(part.automaton.words());
                used.insert(at);
            } else {
                known.extend(part.automaton.words_beside(&known));
            }
        }
        if before == (known.len(), used.len()) {
            break;
        }
    }
    let patterns: BTreeSet<usize> = parts.iter().flat_map(|part| part.automaton.patterns.iter().copied()).collect();
    let mut letters = Vec::new();
    let unheard = |patterns: &BTreeSet<usize>| {
        UNHEARD.iter().find(|text| {
            vocabulary.known(text).is_none()
                && is_token(text, false)
                && vocabulary.patterns.row(patterns, text).is_empty()
        })
    };
    let wild = patterned(&used);
    match unheard(&patterns) {
        Some(text) if !wild => {
            letters.push(Letter { text: (*text).to_owned(), word: None, row: Vec::new(), first: false, ends: false });
        }
        _ => {
            let all: BTreeSet<u32> = parts.iter().flat_map(|part| part.automaton.words()).collect();
            let mine: BTreeSet<usize> =
                used.iter().flat_map(|part| parts[*part].automaton.patterns.iter().copied()).collect();
            let mine = if wild { &mine } else { &patterns };
            let text = |word: &u32| vocabulary.words[*word as usize].as_str();
            known.extend(all.iter().filter(|word| !vocabulary.patterns.row(mine, text(word)).is_empty()));
            let all: Vec<&str> = all.iter().map(text).collect();
            let Some(kinds) = vocabulary.patterns.kinds(&patterns, &all) else {
                return Err(Settled::Unknown("the patterns tell too many kinds of words apart".into()));
            };
            letters.extend(kinds.into_iter().map(|kind| Letter {
                text: kind.text,
                word: None,
                row: kind.row,
                first: kind.first,
                ends: false,
            }));
        }
    }
    let row = vocabulary.patterns.row(&patterns, SENTENCE);
    letters.push(Letter { text: SENTENCE.to_owned(), word: sentence, row, first: false, ends: true });
    let mut alike: HashSet<(Vec<Effect>, Row, bool)> = HashSet::default();
    for word in known.into_iter().chain(texts.command_words.iter().copied().collect::<BTreeSet<u32>>()) {
        let text = &vocabulary.words[word as usize];
        if Some(word) == sentence {
            continue;
        }
        let first = !is_token(text, false);
        if first && !is_token(text, true) {
            continue;
        }
        let row = vocabulary.patterns.row(&patterns, text);
        let effects: Vec<Effect> = parts.iter().map(|part| part.automaton.effect(word).to_vec()).collect();
        if texts.command_words.contains(&word) || alike.insert((effects, row.clone(), first)) {
            letters.push(Letter { text: text.clone(), word: Some(word), row, first, ends: false });
        }
    }
    if letters.len() > MAX_LETTERS {
        return Err(Settled::Unknown(format!("more than {MAX_LETTERS} different words have to be tried")));
    }
    Ok(letters)
}
