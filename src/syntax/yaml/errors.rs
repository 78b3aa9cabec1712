//! What YAML syntax errors mean and what to write instead.

use granit_parser::ErrorKind;

use crate::diag::{Code, quoted};

/// The bracket that is left open above an item of a list that cannot stand where it is.
pub(super) fn open_bracket(kind: &ErrorKind, text: &str, at: usize) -> Option<usize> {
    const MOST_LINES: usize = 200;
    if !matches!(kind, ErrorKind::BlockSequenceEntryNotAllowed | ErrorKind::BlockEntryInFlowCollection) {
        return None;
    }
    let mut end = text.get(..at)?.rfind('\n')?;
    for _ in 0..MOST_LINES {
        let start = text[..end].rfind('\n').map_or(0, |before| before + 1);
        if let Some(open) = unmatched(&text[start..end]) {
            return Some(start + open);
        }
        end = start.checked_sub(1)?;
    }
    None
}

/// The last bracket of a line that is opened and not closed in it; brackets in quotes and comments are none.
fn unmatched(line: &str) -> Option<usize> {
    let mut open = Vec::new();
    let mut quote = None;
    let mut before = ' ';
    for (at, sign) in line.char_indices() {
        match (quote, sign) {
            (Some(with), _) if sign == with && before != '\\' => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') if !before.is_alphanumeric() => quote = Some(sign),
            (None, '#') if before == ' ' => break,
            (None, '{' | '[') => open.push(at),
            (None, '}' | ']') => _ = open.pop(),
            _ => {}
        }
        before = sign;
    }
    open.pop()
}

/// Where a text in quotes begins that ends on another line, with more text behind it: most likely its own closing quote is missing.
pub(super) fn left_open(kind: &ErrorKind, text: &str, at: usize) -> Option<usize> {
    let quote = match kind {
        ErrorKind::InvalidTrailingSingleQuotedScalar => '\'',
        ErrorKind::InvalidTrailingDoubleQuotedScalar => '"',
        _ => return None,
    };
    let close = text.get(..at)?.rfind(quote)?;
    let open = text[..close].rfind(quote)?;
    text[open..close].contains('\n').then_some(open)
}

/// The code, the message and the help of a syntax error.
pub(super) fn explain(kind: &ErrorKind, max_depth: usize) -> (Code, String, &'static str) {
    use ErrorKind as E;
    let (message, help): (&str, &str) = match kind {
        E::RecursionLimitExceeded => {
            let message = format!("lists and tables are nested more than {max_depth} deep");
            return (Code::LimitExceeded, message, "write what is deep inside as a declaration of its own");
        }
        E::UnexpectedCharacter { character: '`' } => {
            return (Code::SyntaxError, "text cannot begin with a backtick".to_owned(), "quote the text");
        }
        E::UnexpectedCharacter { character } => {
            let message = format!("text cannot begin with {}", quoted(character.encode_utf8(&mut [0; 4])));
            return (Code::SyntaxError, message, "quote the text");
        }
        E::MismatchedFlowCollectionEnd { open, close } => {
            let message = format!("`{close}` does not close `{open}`");
            return (Code::SyntaxError, message, "close the brackets in the order in which they were opened");
        }
        E::UnclosedFlowCollection { open } => {
            let close = if *open == '{' { '}' } else { ']' };
            let message = format!("`{open}` has no `{close}`");
            return (Code::SyntaxError, message, "close the bracket");
        }
        E::TabInBlockIndentation | E::TabInIndentation | E::TabNotAllowed | E::TabAtBlockScalarStart => {
            ("a tab cannot indent", "indent with spaces")
        }
        E::TabInPlainScalar => ("a tab inside unquoted text", "write a space, or quote the text"),
        E::UnclosedQuotedScalar => ("text without its closing quote", "close the quote on this line or the next ones"),
        E::InvalidTrailingSingleQuotedScalar | E::InvalidTrailingDoubleQuotedScalar => {
            ("more text follows a closing quote", "put all of the text inside the quotes")
        }
        E::UnknownQuotedScalarEscape => {
            ("unknown escape in double quotes", "write `\\\\` for a backslash, or use single quotes")
        }
        E::InvalidQuotedScalarHexEscape => {
            ("an escape lacks hexadecimal digits", "write `\\xXX`, `\\uXXXX` or `\\UXXXXXXXX`")
        }
        E::InvalidLowSurrogateHexEscape | E::InvalidLowSurrogate | E::MissingLowSurrogate | E::UnpairedLowSurrogate => {
            ("half of a surrogate pair", "write the character itself")
        }
        E::InvalidUnicodeEscape => ("an escape names no character", "write the character itself"),
        E::MappingValueNotAllowed | E::InvalidColonPlacement => {
            ("`:` cannot stand here", "quote the text if it holds a colon, or check the indentation and the line above")
        }
        E::SimpleKeyExpected | E::InvalidSimpleKey | E::MappingKeyNotAllowed => {
            ("expected `key: value`", "write a `:` after the key, or indent the text under its key")
        }
        E::InvalidMappingValueWhitespace | E::FlowMappingValueAdjacentCollection => {
            ("`:` needs a space after it", "write a space after `:`")
        }
        E::ExpectedBlockMappingKey => ("expected a key", "align it with the other keys of the table"),
        E::ExpectedBlockSequenceEntry => {
            ("expected `- `", "align the items of the list, and keep keys apart from items")
        }
        E::BlockSequenceEntryNotAllowed | E::BlockEntryInFlowCollection => {
            ("`- ` cannot stand here", "put the list under its key, one item a line, or quote the text")
        }
        E::InvalidBlockEntryWhitespace => ("`-` needs a space after it", "write `- item`"),
        E::ExpectedFlowMappingSeparator | E::UnexpectedEofFlowMapping => {
            ("expected `,` or `}`", "close the table, and quote text that holds a comma, a colon or a bracket")
        }
        E::ExpectedFlowSequenceSeparator | E::UnexpectedEofFlowSequence => {
            ("expected `,` or `]`", "close the list, and quote text that holds a comma, a colon or a bracket")
        }
        E::UnexpectedEofImplicitFlowMapping | E::ExpectedNodeContent => {
            ("expected a value", "write a value, or remove the extra comma")
        }
        E::MisplacedFlowCollectionEnd => ("a closing bracket without its opening one", "remove it, or quote the text"),
        E::PlainScalarStartsWithDashFlowIndicator => ("text cannot begin with `-` here", "quote the text"),
        E::InvalidIndentation
        | E::InvalidFlowScalarIndent
        | E::InvalidQuotedScalarIndent
        | E::InvalidBlockScalarIndent => ("wrong indentation", "align with the line above, or indent further"),
        E::InvalidBlockScalarHeader | E::ZeroBlockScalarIndent => {
            ("unknown sign after `|` or `>`", "write `|` or `>`, and the text on the next lines")
        }
        E::CommentInterceptedScalar | E::CommentNotSeparated => {
            ("a comment interrupts the text", "write a space before `#`, or quote the text")
        }
        E::DocumentIndicatorInQuotedScalar => ("`---` or `...` inside quoted text", "indent the text"),
        E::BomInsideDocument => ("a byte-order mark inside the file", "remove it"),
        E::MissingAnchorOrAliasName => ("`&` or `*` without a name", "quote the text"),
        E::ExpectedDocumentStart | E::InvalidDocumentEnd => {
            ("more text after the end of the document", "check the indentation")
        }
        E::UnexpectedEof
        | E::UnexpectedEofBlockMapping
        | E::UnexpectedEofBlockSequence
        | E::UnexpectedEndOfPlainScalar => ("the file ends too early", "complete the last line"),
        E::UndeclaredTagHandle
        | E::ExpectedTagBang
        | E::InvalidGlobalTagCharacter
        | E::InvalidTagTerminator
        | E::MissingTagUri
        | E::UnclosedVerbatimTag
        | E::InvalidTagEscape
        | E::InvalidTagUtf8LeadingByte
        | E::InvalidTagUtf8TrailingByte
        | E::InvalidTagUtf8 => {
            let help = "remove the tag, or quote the text if it begins with `!`";
            return (Code::UnsupportedYaml, "tags are not read".to_owned(), help);
        }
        E::UnsupportedYamlMajorVersion => {
            return (Code::UnsupportedYaml, "only YAML 1.2 is read".to_owned(), "remove the `%YAML` line");
        }
        _ => ("this is not valid YAML", "quote text that holds special characters, and check the indentation"),
    };
    (Code::SyntaxError, message.to_owned(), help)
}
