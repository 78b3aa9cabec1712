//! Conversations with the queries that they come to, and what is not understood.

use tempfile::TempDir;

use super::super::database::Database;
use super::super::making;
use super::super::vocabulary::Vocabulary;
use super::read;

/// New questions, and below each what is said after it (`>`).
const CONVERSATIONS: &str = include_str!("conversations.txt");

struct Shop(Database, Vocabulary, #[expect(dead_code, reason = "the folder lives as long")] TempDir);

impl Shop {
    fn new() -> Self {
        let folder = TempDir::new().expect("a folder");
        let shop = Database::open(folder.path(), "ecommerce").expect("the shop");
        let vocabulary = Vocabulary::read(&shop).expect("its words");
        Self(shop, vocabulary, folder)
    }

    fn made(&self, text: &str, current: Option<&str>) -> Result<String, String> {
        let today = self.0.day()?;
        match current {
            None => making::generate(&read(text, None, &self.1, today)?),
            Some(query) => making::refine(query, &read(text, Some(making::current(query)?), &self.1, today)?),
        }
    }
}

/// What every conversation comes to; every query that is made can be run.
#[test]
fn conversations() {
    let mut shop = Shop::new();
    let (mut current, mut told) = (None, String::new());
    for line in CONVERSATIONS.lines() {
        told.push_str(line);
        told.push('\n');
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let made = match line.strip_prefix("> ") {
            Some(feedback) => shop.made(feedback, current.as_deref()),
            None => shop.made(line, None),
        };
        match made {
            Ok(query) => {
                shop.0.run(&query).unwrap_or_else(|why| panic!("{line}: {query}: {why}"));
                told.push_str(&format!("  {query}\n"));
                current = Some(query);
            }
            Err(why) => told.push_str(&format!("  ! {why}\n")),
        }
    }
    insta::assert_snapshot!(told);
}

/// A word that is not known is never passed over: wherever it stands, there is no query.
#[test]
fn no_word_is_passed_over() {
    let shop = Shop::new();
    for line in CONVERSATIONS.lines().filter(|line| !line.is_empty() && !line.starts_with([' ', '#', '>'])) {
        let words: Vec<&str> = line.split(' ').collect();
        // What follows `named` may be anything.
        let free = |at: usize| {
            at > 0
                && ["named", "with"].contains(&words[at - 1])
                && ["named", "starts with"].iter().any(|of| line.contains(of))
        };
        for at in (0..=words.len()).filter(|at| !free(*at)) {
            let mut words = words.clone();
            words.insert(at, "frobnicated");
            let text = words.join(" ");
            let said = shop.made(&text, None);
            assert!(said.is_err(), "{text}: {said:?}");
        }
    }
}

/// Queries that others have made are refined where they are of the demonstration's kind.
#[test]
fn queries_of_others() {
    let shop = Shop::new();
    for (query, feedback, made) in [
        (
            "select name from Users where city='Riga' or city='Oslo'",
            "only from Latvia",
            Ok("SELECT name FROM Users WHERE (city = 'Riga' OR city = 'Oslo') AND country = 'Latvia';"),
        ),
        ("SELECT * FROM users u", "only from Riga", Err(making::NOT_OURS)),
        ("SELECT * FROM users UNION SELECT * FROM users", "only from Riga", Err(making::NOT_OURS)),
        ("SELECT * FROM (SELECT * FROM users)", "only from Riga", Err(making::NOT_OURS)),
        ("WITH x AS (SELECT 1) SELECT * FROM users", "only from Riga", Err(making::NOT_OURS)),
        ("SELECT * FROM shop", "only from Riga", Err(making::NOT_OURS)),
    ] {
        let said = shop.made(feedback, Some(query));
        assert_eq!(said.as_deref().map_err(String::as_str), made, "{query}");
    }
}
