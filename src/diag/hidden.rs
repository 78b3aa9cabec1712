//! Characters that cannot be seen, and how messages show them.

/// Characters that have a name in messages.
const NAMES: &[(char, &str)] = &[
    ('\u{85}', "next line"),
    ('\u{a0}', "no-break space"),
    ('\u{ad}', "soft hyphen"),
    ('\u{61c}', "Arabic letter mark"),
    ('\u{180e}', "Mongolian vowel separator"),
    ('\u{2002}', "en space"),
    ('\u{2003}', "em space"),
    ('\u{2007}', "figure space"),
    ('\u{2009}', "thin space"),
    ('\u{200a}', "hair space"),
    ('\u{200b}', "zero width space"),
    ('\u{200c}', "zero width non-joiner"),
    ('\u{200d}', "zero width joiner"),
    ('\u{200e}', "left-to-right mark"),
    ('\u{200f}', "right-to-left mark"),
    ('\u{2028}', "line separator"),
    ('\u{2029}', "paragraph separator"),
    ('\u{202a}', "left-to-right embedding"),
    ('\u{202b}', "right-to-left embedding"),
    ('\u{202c}', "pop directional formatting"),
    ('\u{202d}', "left-to-right override"),
    ('\u{202e}', "right-to-left override"),
    ('\u{202f}', "narrow no-break space"),
    ('\u{205f}', "medium mathematical space"),
    ('\u{2060}', "word joiner"),
    ('\u{2066}', "left-to-right isolate"),
    ('\u{2067}', "right-to-left isolate"),
    ('\u{2068}', "first strong isolate"),
    ('\u{2069}', "pop directional isolate"),
    ('\u{3000}', "ideographic space"),
    ('\u{feff}', "byte-order mark"),
];

/// Whether a character shows nothing, and is neither a space nor one of the marks that belong to a letter before them.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    // Nearly all characters are below or between these.
    c >= '\u{ad}'
        && !('\u{400}'..'\u{61c}').contains(&c)
        && matches!(
            c,
            '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// Whether a byte of UTF-8 that is not one of ASCII belongs to a character from U+0400 to U+047F, unless a byte which does not
/// stands before it.
#[must_use]
pub fn is_cyrillic_byte(byte: u8) -> bool {
    matches!(byte, 0x80..0xc0 | 0xd0 | 0xd1)
}

/// Whether a character is a space, and not one of ASCII.
#[must_use]
pub fn is_wide_space(c: char) -> bool {
    c.is_whitespace() && !c.is_ascii() && !is_hidden(c)
}

/// Whether a character turns the direction in which text is shown, so that a line reads otherwise than it is.
#[must_use]
pub fn turns_direction(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A character as `U+200B`, with its name where it has one.
#[must_use]
pub fn named(c: char) -> String {
    match NAMES.iter().find(|(known, _)| *known == c) {
        Some((_, name)) => format!("U+{:04X} ({name})", u32::from(c)),
        None => format!("U+{:04X}", u32::from(c)),
    }
}
