//! Normalising: tokens, folding and places in the original text.

use proptest::prelude::*;

use super::super::{Normalised, fold_word};

fn padded(text: &str) -> String {
    Normalised::new(text).padded().to_owned()
}

/// Each token with the text it came from.
fn origins(text: &str) -> Vec<(String, String)> {
    let normalised = Normalised::new(text);
    let tokens = normalised.tokens().iter().enumerate();
    tokens
        .map(|(at, token)| (normalised.word(at).to_owned(), text[token.start as usize..token.end as usize].to_owned()))
        .collect()
}

#[test]
fn words_are_padded_with_single_spaces() {
    assert_eq!(padded("Мы это обсуждали."), " мы это обсуждали . ");
    assert_eq!(padded("  «А ПО\tНЕЙ»,\u{a0}да "), " а по ней да ");
    assert_eq!(padded(""), " ");
    assert_eq!(padded("?!… "), " ");
}

#[test]
fn ends_of_sentences_are_one_token() {
    assert_eq!(padded("Да?! Нет…\r\n\r\nНу"), " да . нет . ну ");
    assert_eq!(padded("\nодин\nдва;три"), " один . два . три ");
    assert_eq!(padded("т.е. да\u{37e}нет"), " т . е . да . нет ");
}

#[test]
fn inner_marks_belong_to_words() {
    assert_eq!(padded("что–то кто‑то a—b don’t -нет- a--b"), " что-то кто-то a-b don't нет a b ");
    assert_eq!(padded("05.03.2020, 12:30; 1.10 1,5 2020−03"), " 05.03.2020 12:30 . 1.10 1,5 2020-03 ");
    assert_eq!(padded("2020-02-01/2020-02-15 и/или"), " 2020-02-01/2020-02-15 и или ");
    assert_eq!(padded("'x' rock’n’roll ʼoʼneil"), " x rock'n'roll o'neil ");
}

#[test]
fn commands_keep_their_slash_only_at_the_start() {
    assert_eq!(padded(" \n/New query"), " /new query ");
    assert_eq!(padded("a /new"), " a new ");
    assert_eq!(padded("«/new»"), " new ");
    assert_eq!(padded("/ new"), " new ");
}

#[test]
fn folding_goes_both_ways_and_spans_point_into_the_original() {
    assert_eq!(padded("Ещё ЕЩЁ еще"), " еще еще еще ");
    let decomposed = "Е\u{308}лка ней\u{306} Какои\u{306}";
    let words = [("елка", "Е\u{308}лка"), ("ней\u{306}", "ней\u{306}"), ("какой", "Какои\u{306}")];
    assert_eq!(origins(decomposed), words.map(|(word, origin)| (word.to_owned(), origin.to_owned())));
    let expansions = "Straße ﬁn İl ΟΔΟΣ x";
    let words = [("strasse", "Straße"), ("fin", "ﬁn"), ("i\u{307}l", "İl"), ("οδοσ", "ΟΔΟΣ"), ("x", "x")];
    assert_eq!(origins(expansions), words.map(|(word, origin)| (word.to_owned(), origin.to_owned())));
    assert_eq!(padded("οδος ẞ"), " οδοσ ss ");
}

#[test]
fn invisible_characters_are_not_there() {
    assert_eq!(padded("по\u{200b} не\u{ad}й\u{200f}"), " по ней ");
    assert_eq!(origins("х не\u{ad}й\u{200f}!")[1].1, "не\u{ad}й");
    assert_eq!(padded("что-\u{200b}то \u{feff}1\u{200d}.\u{2060}5"), " что-то 1.5 ");
}

#[test]
fn emoji_separate_words() {
    assert_eq!(padded("да👍🏽нет ❤️ 1️⃣ 👨‍👩‍👧 ок"), " да нет 1 ок ");
}

#[test]
fn a_mark_alone_is_nothing() {
    assert_eq!(padded("\u{301} а\u{301} \u{301}б"), " а\u{301} б ");
}

#[test]
fn long_texts_are_kept_whole() {
    let text = "Ещё раз по ней\u{306}? ".repeat(2_000);
    let normalised = Normalised::new(&text);
    assert_eq!(normalised.tokens().len(), 10_000);
    assert_eq!(normalised.word(9_998), "ней\u{306}");
    assert_eq!(normalised.words(9_995..9_998), "еще раз по");
    assert_eq!(padded(&"-\u{200b}".repeat(30_000)), " ");
    assert_eq!(padded(&format!("е{}", "\u{308}".repeat(30_000))), " е ");
}

#[test]
fn folding_every_character_twice_changes_nothing() {
    for c in ('\0'..'\u{20000}').filter(|c| *c != 'ŉ') {
        let once = fold_word(c.encode_utf8(&mut [0; 4]));
        assert_eq!(fold_word(&once), once, "U+{:04X}", c as u32);
        assert_eq!(padded(padded(&format!("x{c}y")).trim()).trim(), padded(&format!("x{c}y")).trim());
    }
}

proptest! {
    #[test]
    fn normalising_is_stable_and_spans_are_in_order(text in "[а-еёйЁЕ\u{301}\u{306}\u{308}\u{327}a-cßİ .,!'’\\-–/0-9\u{200b}\n]{0,40}") {
        let normalised = Normalised::new(&text);
        let mut end = 0;
        for token in normalised.tokens() {
            prop_assert!(token.start >= end && token.end > token.start);
            prop_assert!(text.get(token.start as usize..token.end as usize).is_some());
            end = token.end;
        }
        let composed = icu_normalizer::ComposingNormalizerBorrowed::new_nfc().normalize(&text);
        let decomposed = icu_normalizer::DecomposingNormalizerBorrowed::new_nfd().normalize(&text);
        let again = Normalised::new(normalised.padded());
        prop_assert_eq!(again.padded(), normalised.padded());
        prop_assert_eq!(padded(&composed), normalised.padded());
        prop_assert_eq!(padded(&decomposed), normalised.padded());
    }
}
