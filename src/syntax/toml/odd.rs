//! Characters outside of texts and comments that only look like those of TOML: all that is wrong with their line comes of them.

use toml_parser::Source;
use toml_parser::lexer::TokenKind;

use crate::diag::alike::{mixed, sign, words};
use crate::syntax::slip::Slip;

/// All of them, in order.
pub(super) fn find(source: Source<'_>) -> Vec<Slip> {
    let text = source.input();
    let mut all = Vec::new();
    for token in source.lex() {
        let at = token.span().start()..token.span().end();
        let Some(written) = text.get(at.clone()).filter(|written| !written.is_ascii()) else { continue };
        match token.kind() {
            TokenKind::Atom => {
                let key = text[at.end..].trim_start_matches([' ', '\t']).starts_with(['=', '.', ']']);
                let word = words(written, false).filter(|_| key).find_map(|word| {
                    let mixed = mixed(&written[word.clone()])?;
                    let (strange, script) = (mixed.strange.first()?, mixed.script.name());
                    let message = format!("`{strange}` (U+{:04X}) is no {script} letter", u32::from(*strange));
                    let at = at.start + word.start + written[word].find(*strange)?;
                    let help = format!("write `{}`, all in {script} letters", mixed.meant);
                    Some(Slip::new(at..at + strange.len_utf8(), message, help))
                });
                all.extend(sign_in(written, at.start).or(word));
            }
            TokenKind::BasicString | TokenKind::LiteralString if is_open(written) => {
                all.extend(Slip::closing(text, at.start));
            }
            _ => {}
        }
    }
    all
}

/// The first sign, space or hidden character that is taken for another.
fn sign_in(written: &str, start: usize) -> Option<Slip> {
    written.char_indices().find_map(|(at, c)| {
        // A dash by itself stands in words, not in a name or a number.
        if sign(c) == Some('-') && written.len() == c.len_utf8() {
            return None;
        }
        Slip::odd(start + at, c)
    })
}

/// Whether a text in quotes on one line is not closed.
fn is_open(written: &str) -> bool {
    written.len() < 2 || written.chars().next() != written.chars().next_back()
}
