//! A text as words, and a place among them.

/// Words in lower case, and where they are read.
pub struct Words {
    low: Vec<String>,
    raw: Vec<String>,
    at: usize,
}

const NUMBERS: [&str; 21] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
];

fn thousands(before: &str, after: &str) -> bool {
    let digits = after.chars().take_while(char::is_ascii_digit).count();
    digits == 3 && !before.is_empty() && before.chars().all(|c| c.is_ascii_digit())
}

impl Words {
    /// The words of a text. What stands in quotes is one word, as it is; punctuation is none.
    pub fn of(text: &str) -> Self {
        let mut raw: Vec<String> = Vec::new();
        let (mut word, mut quote) = (String::new(), None);
        for (at, c) in text.char_indices() {
            match (c, quote) {
                // 1,000 is one number.
                (',', None) if thousands(&word, &text[at + 1..]) => {}
                (_, Some(end)) if c == end => {
                    raw.push(format!("\"{}", std::mem::take(&mut word)));
                    quote = None;
                }
                (_, Some(_)) => word.push(c),
                ('"' | '«' | '“', None) => {
                    if !word.is_empty() {
                        raw.push(std::mem::take(&mut word));
                    }
                    quote = Some(match c {
                        '«' => '»',
                        '“' => '”',
                        other => other,
                    });
                }
                ('\'', None) if word.is_empty() => quote = Some('\''),
                _ if c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '\'' | '’' | '@' | '<' | '>' | '=') => {
                    word.push(c)
                }
                _ if !word.is_empty() => raw.push(std::mem::take(&mut word)),
                _ => {}
            }
        }
        if !word.is_empty() {
            raw.push(word);
        }
        let raw: Vec<String> = raw
            .iter()
            .map(|word| word.trim_end_matches(['.', '-', '\'']).replace('’', "'"))
            .filter(|word| !word.is_empty())
            .collect();
        let low = raw.iter().map(|word| word.to_lowercase()).collect();
        Self { low, raw, at: 0 }
    }

    /// Whether all are read.
    pub fn done(&self) -> bool {
        self.at >= self.low.len()
    }

    /// The place.
    pub fn place(&self) -> usize {
        self.at
    }

    /// Goes back to a place.
    pub fn back(&mut self, place: usize) {
        self.at = place;
    }

    /// The words from here on.
    pub fn rest(&self) -> &[String] {
        &self.low[self.at.min(self.low.len())..]
    }

    /// The next word.
    pub fn next(&mut self) -> Option<String> {
        let word = self.low.get(self.at).cloned();
        self.at += usize::from(word.is_some());
        word
    }

    /// The next word as it was written, without quotes.
    pub fn next_raw(&mut self) -> Option<String> {
        let word = self.raw.get(self.at).map(|word| word.trim_start_matches('"').to_owned());
        self.at += usize::from(word.is_some());
        word
    }

    /// The word before, articles left out.
    pub fn before(&self) -> Option<String> {
        let plain = |word: &&String| !matches!(word.as_str(), "the" | "a" | "an" | "all" | "any" | "every");
        self.low[..self.at].iter().rev().find(plain).cloned()
    }

    /// Skips words.
    pub fn skip(&mut self, count: usize) {
        self.at = (self.at + count).min(self.low.len());
    }

    /// The longest of several phrases that stands here, `this|that one`; it is read then.
    pub fn take_one<'p>(&mut self, phrases: &'p str) -> Option<&'p str> {
        let found = self.peek_one(phrases)?;
        self.skip(found.split(' ').count());
        Some(found)
    }

    /// The longest of several phrases that stands here.
    pub fn peek_one<'p>(&self, phrases: &'p str) -> Option<&'p str> {
        let here = self.rest();
        let stands = |phrase: &&str| {
            let mut words = phrase.split(' ').enumerate();
            words.all(|(at, word)| here.get(at).is_some_and(|there| there == word))
        };
        phrases.split('|').filter(stands).max_by_key(|phrase| phrase.split(' ').count())
    }

    /// Whether one of several phrases stands here; the longest is read then.
    pub fn take(&mut self, phrases: &str) -> bool {
        self.take_one(phrases).is_some()
    }

    /// A whole number in digits or letters.
    pub fn number(&mut self) -> Option<u32> {
        let word = self.low.get(self.at)?;
        let spelt = NUMBERS.iter().position(|number| number == word).and_then(|at| u32::try_from(at).ok());
        let number = spelt.or_else(|| word.parse().ok())?;
        self.at += 1;
        Some(number)
    }

    /// A number as SQL writes it.
    pub fn decimal(&mut self) -> Option<String> {
        let word = self.low.get(self.at)?.clone();
        if let Some(number) = self.number() {
            return Some(number.to_string());
        }
        let plain =
            word.chars().all(|c| c.is_ascii_digit() || c == '.') && word.starts_with(|c: char| c.is_ascii_digit());
        plain.then(|| word.parse::<f64>().ok())??;
        self.at += 1;
        Some(word)
    }
}
