//! Cases by hand.

use super::super::{Demand, Found, Texts};
use super::{ask, registry, signal};

fn text(found: Found) -> String {
    let Found::Text(text) = found else { panic!("{found:?}") };
    text
}

#[test]
fn two_phrases_are_said_in_two_sentences() {
    let registry = registry("", &["phrase = \"где посылка\"", "phrase = \"сколько ждать\""]);
    let both = text(ask(&registry, &[0, 1], &[], &[]));
    assert!(both.contains("где посылка") && both.contains("сколько ждать"), "{both}");
    assert_eq!(ask(&registry, &[0], &[0], &[]), Found::No);
}

#[test]
fn two_beginnings_need_words_that_both_begin_with() {
    let any = ["phrase = \"еще раз\", starts = true", "phrase = \"ещё пожалуйста\", starts = true"];
    let plain = registry("", &any);
    assert_eq!(ask(&plain, &[0, 1], &[], &[]), Found::No);
    // What may stand before the beginning makes room for both.
    let filled = registry("[lexicon]\nfiller = [\"еще\", \"раз\"]", &any);
    assert_eq!(text(ask(&filled, &[0, 1], &[], &[])).matches("еще").count(), 2);
}

#[test]
fn nothing_but_fillers_stands_beside_a_whole_form() {
    let any = ["phrase = \"стоп\", whole = true", "phrase = \"привет\"", "phrase = \"ну\""];
    let registry = registry("[lexicon]\nfiller = [\"ну\"]", &any);
    assert_eq!(ask(&registry, &[0, 1], &[], &[]), Found::No);
    let found = text(ask(&registry, &[0, 2], &[], &[]));
    assert!(found.contains("ну") && found.contains("стоп"), "{found}");
}

#[test]
fn stems_meet_the_words_that_they_make() {
    let lexicon = "[ending]\nnoun = [\"\", \"а\", \"у\"]";
    let registry =
        registry(lexicon, &["phrase = \"склад~noun\", whole = true", "phrase = \"складу\"", "phrase = \"склады\""]);
    assert_eq!(text(ask(&registry, &[0, 1], &[], &[])), "складу");
    assert_eq!(ask(&registry, &[0, 2], &[], &[]), Found::No);
}

#[test]
fn patterns_and_phrases_are_held_against_each_other() {
    let any = ["pattern = \"[0-9]{4}\"", "phrase = \"2020\"", "pattern = \"20[0-9]{2}\"", "pattern = \"[^.]*конец\""];
    let registry = registry("", &any);
    assert_eq!(ask(&registry, &[1], &[0], &[]), Found::No, "each 2020 is four digits");
    assert_ne!(text(ask(&registry, &[0], &[1, 2], &[])), "2020");
    assert_eq!(ask(&registry, &[2], &[0], &[]), Found::No);
    assert!(text(ask(&registry, &[3, 0], &[], &[])).contains("конец"));
}

#[test]
fn words_that_say_a_signal_in_every_variant_cannot_leave_it_unsaid() {
    let lexicon = "[signal.city]\nenum = [\"riga\"]\ndoc = \"A city.\"\nvalues = { riga = [\"рига\", \"ригу\"] }";
    let any = ["phrase = \"(рига|ригу) ждет\"", "phrase = \"[рига] ждет\", starts = true"];
    let registry = registry(lexicon, &any);
    assert_eq!(ask(&registry, &[0], &[], &["city"]), Found::No);
    assert_eq!(text(ask(&registry, &[1], &[0], &["city"])), "ждет");
}

#[test]
fn a_signal_is_ambiguous_by_two_meanings_and_not_by_two_words() {
    let lexicon = "
[signal.city]
enum = [\"riga\", \"oslo\"]
doc = \"A city.\"
values = { riga = [\"рига\", \"ригу\"], oslo = [\"осло\"] }
[signal.country]
enum = [\"latvia\"]
doc = \"A country.\"
values = { latvia = [\"латвия\", \"латвию\"] }";
    let registry = registry(lexicon, &["phrase = \"{city}\", whole = true", "phrase = \"{country}\""]);
    let texts = Texts::new(&registry);
    let ambiguous = |name| vec![signal(&registry, name)];
    let demand = Demand { matched: vec![0], ambiguous: ambiguous("city"), ..Demand::default() };
    let found = text(texts.find(&demand));
    assert!(found.contains("риг") && found.contains("осло"), "{found}");
    let demand = Demand { ambiguous: ambiguous("country"), ..Demand::default() };
    assert_eq!(texts.find(&demand), Found::No);
}

#[test]
fn what_cannot_be_read_keeps_shorter_readings_away() {
    let lexicon = "
[part.day]
values = { 30 = [\"30\"], 31 = [\"31\"] }
[part.month]
values = { 04 = [\"апреля\"] }
[signal.date]
type = \"date_range\"
doc = \"A day.\"
rule = [ { phrase = \"{day} {month}\", value = \"2020-{month}-{day}\" }, { phrase = \"{month}\", value = \"2020-{month}\" } ]";
    let registry = registry(lexicon, &["phrase = \"апреля\"", "phrase = \"30 апреля\"", "phrase = \"{date}\""]);
    assert_eq!(text(ask(&registry, &[0], &[], &["date"])), "31 апреля");
    assert_eq!(ask(&registry, &[1], &[], &["date"]), Found::No);
    assert_eq!(ask(&registry, &[2], &[], &["date"]), Found::No);
}
