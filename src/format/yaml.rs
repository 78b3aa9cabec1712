//! Spacing and quotes of YAML, token by token. Nothing is moved, and what lies inside block scalars and texts of several lines is
//! not touched.

use std::ops::Range;

use granit_parser::{ScalarStyle, Scanner, StrInput, TokenType};

use crate::syntax::{Format, comments};

/// A replacement of a piece of the text.
type Edit = (Range<usize>, String);

/// What a token is, for the space around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Open { braces: bool },
    Close { braces: bool },
    Comma,
    Colon,
    Dash,
    Word,
    Comment,
    Other,
}

/// The canonical form of a YAML text without carriage returns and byte-order mark, which parses.
pub(super) fn tidy(text: &str) -> String {
    let mut edits: Vec<Edit> = Vec::new();
    let mut kept: Vec<Range<usize>> = Vec::new();
    let mut last: Option<(Sort, usize)> = None;
    // A list or table of its own begins before the next token: what is below it is indented as far as it is.
    let mut opens = false;
    let mut block: Option<usize> = None;
    let Some(tokens) = tokens(text) else { return text.to_owned() };
    for (range, kind) in tokens {
        let sort = match &kind {
            None => Sort::Comment,
            Some(TokenType::BlockSequenceStart | TokenType::BlockMappingStart) => {
                opens = true;
                continue;
            }
            Some(kind) => sort(kind),
        };
        let Some(range) = place(text, sort, range) else { continue };
        if let Some(start) = block.take() {
            kept.push(start..range.start);
        }
        let mut folded = false;
        if let Some(TokenType::Scalar(style, _)) = &kind {
            let written = &text[range.clone()];
            folded = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
            match style {
                // From its header on: the line ends before the first word may be its own.
                ScalarStyle::Literal | ScalarStyle::Folded => block = Some(last.map_or(0, |(_, end)| end)),
                _ if written.contains('\n') => kept.push(range.clone()),
                ScalarStyle::SingleQuoted => {
                    let inner = written.get(1..written.len() - 1).unwrap_or_default();
                    if !inner.contains(['\\', '"', '\'']) {
                        edits.push((range.clone(), format!("\"{inner}\"")));
                    }
                }
                _ => {}
            }
        }
        if let Some((before, end)) = last
            && end <= range.start
            && text[end..range.start].bytes().all(|byte| byte == b' ')
            && !folded
            && let Some(space) = space(before, sort, opens)
            && text[end..range.start] != *space
        {
            edits.push((end..range.start, space.to_owned()));
        }
        opens = false;
        last = Some((sort, range.end));
    }
    if let Some(start) = block {
        kept.push(start..text.len() + 1);
    }
    edits.extend(line_edits(text, &kept));
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    apply(text, &edits)
}

/// The tokens of a text, and between them its comments, which are none; nothing where it cannot be read.
fn tokens(text: &str) -> Option<Vec<(Range<usize>, Option<TokenType<'_>>)>> {
    let mut all = Vec::new();
    let mut comments = comments(text, Format::Yaml).into_iter().peekable();
    for token in Scanner::new(StrInput::new(text)) {
        let (span, kind) = token.ok()?.into_parts();
        let Some(range) = span.byte_range() else { continue };
        // The comment beside the sign of a text of several lines belongs before the text, also where that is empty.
        let lines = matches!(kind, TokenType::Scalar(ScalarStyle::Literal | ScalarStyle::Folded, _));
        let start = if lines { range.end } else { range.start };
        while let Some(comment) = comments.next_if(|comment| comment.start < start) {
            all.push((comment, None));
        }
        all.push((range, Some(kind)));
    }
    all.extend(comments.map(|comment| (comment, None)));
    Some(all)
}

fn sort(kind: &TokenType<'_>) -> Sort {
    match kind {
        TokenType::FlowSequenceStart => Sort::Open { braces: false },
        TokenType::FlowSequenceEnd => Sort::Close { braces: false },
        TokenType::FlowMappingStart => Sort::Open { braces: true },
        TokenType::FlowMappingEnd => Sort::Close { braces: true },
        TokenType::FlowEntry => Sort::Comma,
        TokenType::Value => Sort::Colon,
        TokenType::BlockEntry => Sort::Dash,
        TokenType::Scalar(..) => Sort::Word,
        _ => Sort::Other,
    }
}

/// Where a token stands, of which the scanner only says where it was found: at a colon, or after a dash.
fn place(text: &str, sort: Sort, found: Range<usize>) -> Option<Range<usize>> {
    match sort {
        Sort::Colon => text[found.start..].starts_with(':').then_some(found.start..found.start + 1),
        Sort::Dash if text[found.start..].starts_with('-') => Some(found.start..found.start + 1),
        Sort::Dash => {
            let before = text[..found.start].trim_end_matches(' ');
            before.ends_with('-').then_some(before.len() - 1..before.len())
        }
        _ => Some(found).filter(|range| !range.is_empty()),
    }
}

/// The same for a text of which only white space at the ends of lines and empty lines are looked at.
pub(super) fn tidy_lines(text: &str) -> String {
    apply(text, &line_edits(text, &[]))
}

fn apply(text: &str, edits: &[Edit]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (range, with) in edits {
        out.push_str(&text[at..range.start]);
        out.push_str(with);
        at = range.end;
    }
    out.push_str(&text[at..]);
    out
}

/// The space between two tokens of one line, where there is one way to write it.
fn space(before: Sort, after: Sort, opens: bool) -> Option<&'static str> {
    match (before, after) {
        (Sort::Open { .. }, Sort::Close { .. }) => Some(""),
        (Sort::Open { .. }, Sort::Comment) => Some(" "),
        (Sort::Open { braces }, _) | (_, Sort::Close { braces }) => Some(if braces { " " } else { "" }),
        (_, Sort::Comma) | (Sort::Word, Sort::Colon) => Some(""),
        (Sort::Comma, _) => Some(" "),
        (Sort::Colon | Sort::Dash, _) if !opens => Some(" "),
        _ => None,
    }
}

/// White space at the ends of lines, all but one of several empty lines, empty lines at both ends, and the last line end.
fn line_edits(text: &str, kept: &[Range<usize>]) -> Vec<Edit> {
    // Both go from the start to the end.
    let mut kept = kept.iter().peekable();
    let mut is_kept = |at: usize| {
        while kept.next_if(|range| range.end <= at).is_some() {}
        kept.peek().is_some_and(|range| range.contains(&at))
    };
    let mut edits = Vec::new();
    // Empty lines since the last one that says something, as one range.
    let mut blank: Option<Range<usize>> = None;
    let mut start = 0;
    let mut begun = false;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let body = line.strip_suffix('\n').unwrap_or(line);
        let line_end = start + body.len();
        let seen = body.trim_end_matches([' ', '\t']);
        if is_kept(line_end) {
            blank = None;
            begun = true;
        } else if seen.is_empty() {
            blank = Some(blank.map_or(start, |blank| blank.start)..end);
        } else {
            if let Some(blank) = blank.take() {
                let with = if begun { "\n" } else { "" };
                if text[blank.clone()] != *with {
                    edits.push((blank, with.to_owned()));
                }
            }
            if seen.len() < body.len() {
                edits.push((start + seen.len()..line_end, String::new()));
            }
            if end == line_end {
                edits.push((end..end, "\n".to_owned()));
            }
            begun = true;
        }
        start = end;
    }
    if let Some(blank) = blank {
        edits.push((blank, String::new()));
    }
    edits
}
