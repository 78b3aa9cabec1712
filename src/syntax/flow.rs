//! Writing YAML: JSON on one line that is read back as the same.

use crate::diag::hidden;
use serde_json::Value as Json;

/// JSON on one line, as YAML that is read as the same.
#[must_use]
pub fn flow(json: &Json) -> String {
    match json {
        Json::String(text) => word(text),
        Json::Array(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Json::Object(fields) if fields.is_empty() => "{}".into(),
        Json::Object(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(key, value)| format!("{}: {}", word(key), flow(value))).collect();
            format!("{{ {} }}", fields.join(", "))
        }
        other => other.to_string(),
    }
}

/// A text as it is where it is one plain word, else in quotes.
#[must_use]
pub fn word(text: &str) -> String {
    let plain = text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-') && begins_plainly(text);
    if plain { text.to_owned() } else { quoted(text) }
}

/// A text on a line of its own: as it is where nothing in it means something to YAML.
#[must_use]
pub fn text(text: &str) -> String {
    let plain = text.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | ',' | '!' | '?'))
        && begins_plainly(text)
        && !text.ends_with(' ');
    if plain { text.to_owned() } else { quoted(text) }
}

fn begins_plainly(text: &str) -> bool {
    const TAKEN: [&str; 10] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n", "~"];
    text.starts_with(char::is_alphabetic) && !TAKEN.iter().any(|taken| taken.eq_ignore_ascii_case(text))
}

/// In double quotes, on one line: what YAML would not read, or would take for the end of the line, and what cannot be seen is written out.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    for c in Json::from(text).to_string().chars() {
        match c {
            '\u{7f}'..='\u{a0}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                quoted.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c if hidden::is_hidden(c) && u32::from(c) > 0xffff => quoted.push_str(&format!("\\U{:08x}", u32::from(c))),
            c if hidden::is_hidden(c) => quoted.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::diag::Diagnostics;
    use crate::source::FileId;
    use crate::syntax::{Format, Kind, parse};

    fn read(line: &str) -> String {
        let out = Diagnostics::new();
        let node = parse(FileId(0), line, Format::Yaml, &out);
        let Some(Kind::Table(table)) = node.map(|node| node.kind) else { panic!("{line}: {:?}", out.into_sorted()) };
        match table.get("a").map(|node| &node.kind) {
            Some(Kind::Text(text)) => text.to_string(),
            other => panic!("{line}: {other:?}"),
        }
    }

    proptest! {
        #[test]
        fn a_text_is_read_back(said in "\\PC{0,12}|[\u{200b}\u{202e}\u{e0001}a ]{0,5}|[\u{0}-\u{ff}\u{2027}-\u{202f}\u{feff} :#'\"\\\\-]{0,8}") {
            prop_assert_eq!(&read(&format!("a: {}", text(&said))), &said);
            prop_assert_eq!(&read(&format!("{{ a: {} }}", word(&said))), &said);
            prop_assert!(!text(&said).contains(hidden::is_hidden), "{}", text(&said).escape_unicode());
        }
    }
}
