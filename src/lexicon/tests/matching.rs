//! Matching: field bugs and the rules of overlap, slots, templates, `whole`, `starts` and commands.

use super::super::{Fired, Matcher, Normalised, Scratch};
use super::Lex;

#[test]
fn phrases_and_patterns_end_at_word_boundaries() {
    for form in ["по ней", r"/\bпо ней\b/", "/по ней/", "/(?:\\bпо) (ней\\b)/"] {
        let lex = Lex::default().trigger(form);
        for text in ["А ПО НЕЙ?", "по ней", "«по ней»", "по\u{a0}неи\u{306}", "и по ней, да"]
        {
            assert_eq!(lex.fired(text).len(), 1, "{form} in {text}");
        }
        for text in ["по нейлону", "недопо ней", "поней", "по. ней", "по\nней", ""] {
            assert!(lex.fired(text).is_empty(), "{form} in {text}");
        }
    }
    let lex = Lex::default().trigger(r"/\bто\b/");
    assert!(lex.fired("что-то").is_empty());
    assert_eq!(lex.fired("ТО то, то"), ["ТО", "то", "то"]);
}

#[test]
fn ie_and_io_are_one_letter() {
    let lex = Lex::default().trigger("еще раз по этой дате").signal("domain", &[("счёт", "account")]);
    assert_eq!(lex.fired("— Ещё раз по этой дате!"), ["Ещё раз по этой дате"]);
    assert_eq!(lex.said("Мой СЧЕТ и счёт"), ["domain=account@СЧЕТ", "domain=account@счёт"]);
    assert_eq!(Lex::default().trigger("ещё").fired("еще"), ["еще"]);
    assert_eq!(Lex::default().trigger("какой").fired("какои\u{306}"), ["какои\u{306}"]);
}

#[test]
fn texts_of_all_sorts() {
    let lex = Lex::default().trigger("don't [you] care");
    assert_eq!(lex.fired("I DON’T care 🤷\r\nDon't\u{200b} you, care"), ["DON’T care", "Don't\u{200b} you, care"]);
    assert!(lex.fired("don't. Care").is_empty());
    let lex = Lex::default().trigger("ул. ленина");
    assert_eq!(lex.fired("на ул. Ленина и ул Ленина"), ["ул. Ленина", "ул Ленина"]);
    let lex = Lex::default().trigger("помнишь[,] о чем говорили?");
    assert_eq!(lex.fired("Помнишь, о чём говорили"), ["Помнишь, о чём говорили"]);
}

#[test]
fn a_long_text() {
    let lex = Lex::default().trigger("по ней").signal("n", &[("/[0-9]+/", "=")]);
    let text = format!("{} по ней", "слово 7 ".repeat(4_600));
    let scan = lex.scan(&text);
    assert_eq!((scan.signals.len(), scan.fired.len()), (super::super::MAX_PATTERN_MATCHES, 1));
    assert_eq!(scan.fired[0].span.1 as usize, text.len());
}

#[test]
fn stems_take_the_endings_of_their_set() {
    let lex =
        Lex::default().endings("noun", &["", "и", "ов"]).signal("domain", &[("остатк~noun [склада]", "inventory")]);
    assert_eq!(lex.said("остатки склада"), ["domain=inventory@остатки склада"]);
    assert_eq!(lex.said("остатков остатк остаткам"), ["domain=inventory@остатков", "domain=inventory@остатк"]);
}

#[test]
fn the_leftmost_longest_stays_within_a_signal_only() {
    let lex = Lex::default()
        .signal("a", &[("б в", "1"), ("а б", "2"), ("а", "3"), ("в г д", "4"), ("г", "5")])
        .signal("b", &[("б", "x"), ("/б в/", "=")]);
    assert_eq!(lex.said("а б в г"), ["a=2@а б", "b=б в@б в", "a=5@г"]);
    assert_eq!(lex.said("в г д"), ["a=4@в г д"]);
}

#[test]
fn equal_words_with_different_values_are_all_kept() {
    let lex = Lex::default().signal("a", &[("мир", "peace"), ("мир", "world"), ("мир", "peace")]);
    assert_eq!(lex.said("мир"), ["a=peace@мир", "a=world@мир"]);
    let lex = Lex::default().signal("a", &[("(мир|свет)", "x"), ("свет", "x"), ("/м[а-я]+/", "=")]);
    assert_eq!(lex.said("Мир свет"), ["a=x@Мир", "a=Мир@Мир", "a=x@свет"]);
}

fn dates() -> Lex {
    Lex::default()
        .endings("month", &["", "а", "е", "у"])
        .part("month", &[("март~month", "03"), ("апрель", "04"), ("(мая|май)", "05")])
        .part("year", &[("/20[0-9]{2}/", "=")])
        .part("day", &[("/[0-9]{1,2}/", "=")])
        .signal(
            "date",
            &[
                ("{month} {year} [года|г]", "{year}-{month}"),
                ("{month}", "{year}-{month}"),
                ("[с] {day} [{month}] по {day} {month} {year}", "{year}-{month}-{day}/{year}-{month}-{day}"),
                ("/[0-9]{4}-[0-9]{2}/", "="),
            ],
        )
        .fillers(&["а", "ну", "и так далее", "на"])
}

#[test]
fn templates_are_filled_by_the_parts_of_the_form() {
    let lex = dates();
    assert_eq!(lex.said("за МАРТ 2020 г."), ["date=2020-03@МАРТ 2020 г"]);
    assert_eq!(lex.said("в марте и в апреле, апрель"), ["date=?-03@марте", "date=?-04@апрель"]);
    assert_eq!(lex.said("с 5 марта по 7 мая 2021"), ["date=2021-03-5/2021-05-7@с 5 марта по 7 мая 2021"]);
    assert_eq!(lex.said("5 по 7 мая 2021"), ["date=2021-05-5/2021-05-7@5 по 7 мая 2021"]);
    assert_eq!(lex.said("2020–03"), ["date=2020–03@2020–03"]);
    assert_eq!(lex.said("март. 2020"), ["date=?-03@март"]);
}

#[test]
fn slots_of_triggers_take_recognised_values() {
    let lex = dates().placed("а (на|за) {date}", false, true).trigger("{date} и {date}").trigger("{date}");
    let text = "Ну а на март 2020 и апрель";
    let scan = lex.scan(text);
    let fired =
        |fired: &Fired| (fired.trigger, &text[fired.span.0 as usize..fired.span.1 as usize], fired.slots.clone());
    assert_eq!(
        scan.fired.iter().map(fired).collect::<Vec<_>>(),
        [
            (0, "а на март 2020", vec![0]),
            (1, "март 2020 и апрель", vec![0, 1]),
            (2, "март 2020", vec![0]),
            (2, "апрель", vec![1]),
        ]
    );
    assert!(lex.fired("что а на март").is_empty());
    assert!(lex.fired("март а на март").is_empty());
    assert_eq!(lex.fired("ну. А за март!"), ["А за март"]);
}

#[test]
fn whole_leaves_room_for_fillers_and_values_only() {
    let lex = dates().placed("покажи", true, false);
    for text in ["покажи", "Ну, покажи!", "Ну а покажи. На март 2020 г.", "март покажи и так далее"]
    {
        assert_eq!(lex.fired(text).len(), 1, "{text}");
    }
    for text in ["покажи что", "и покажи", "покажи и так", "что? Покажи"] {
        assert!(lex.fired(text).is_empty(), "{text}");
    }
    let lex = Lex::default().fillers(&["а"]).placed("/[а-я]+о/", true, true);
    assert_eq!(lex.fired("А, это"), ["это"]);
}

#[test]
fn commands_stand_at_the_very_start() {
    let lex = dates().command(&["/new", "/Новый"]).command(&["/new query"]).placed("покажи", false, true);
    let text = " /NEW   Покажи за март?  ";
    let scan = lex.scan(text);
    let (command, rest) = scan.command.unwrap();
    assert_eq!((command, &text[rest]), (0, "Покажи за март?"));
    assert_eq!((scan.signals[0].tokens, scan.fired[0].tokens), ((3, 4), (1, 2)));
    assert_eq!(lex.fired(text), ["Покажи"]);
    assert_eq!(lex.scan("/новый").command, Some((0, 11..11)));
    assert_eq!(lex.scan("/new query март").command, Some((1, 11..19)));
    for (text, rest) in [
        ("/new, март", "март"),
        ("/new. Март.", "Март."),
        ("/new - март", "март"),
        ("/new -5", "-5"),
        ("/new «март»", "«март»"),
        ("/new …", ""),
    ] {
        let scan = lex.scan(text);
        assert_eq!(&text[scan.command.unwrap().1], rest, "{text}");
    }
    for text in ["/newer", "/new-x", "x /new", "new", "«/new»"] {
        assert_eq!(lex.scan(text).command, None, "{text}");
    }
    let lex = dates().command(&["/март"]);
    assert!(lex.said("/март").is_empty());
}

#[test]
fn a_scratch_may_serve_several_matchers() {
    let mut scratch = Scratch::default();
    let (one, two) = (dates().trigger("/м.*т 2020/").compile(), Lex::default().trigger("да").compile());
    let text = Normalised::new("март 2020 да");
    let fresh = |matcher: &Matcher| matcher.scan(&text, &mut Scratch::default());
    for matcher in [&one, &two, &one] {
        assert_eq!(matcher.scan(&text, &mut scratch), fresh(matcher));
    }
    assert_eq!(Lex::default().compile().scan(&text, &mut scratch), super::Scan::default());
}
