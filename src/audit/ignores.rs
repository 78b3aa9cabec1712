//! `# segue: ignore[code] reason`: comments that keep a finding on their line, or on the next one, from being shown.

use std::ops::Range;

use memchr::memmem;

use crate::diag::{Code, Diagnostic, Diagnostics, quoted};
use crate::source::{FileId, SourceMap, Span};
use crate::syntax::{Format, comments};

use super::settings::unknown;

/// How such a comment begins, after its sign.
const MARK: &str = "segue:";
/// What it is told to do.
const IGNORE: &str = "ignore";
/// How it is written.
const FORM: &str = "write `# segue: ignore[code] why`, on the line of the finding or on the line before";

/// One code that one comment ignores.
#[derive(Debug)]
pub(super) struct Ignore {
    code: Code,
    /// Where the code stands in the comment.
    span: Span,
    /// The line whose findings are meant, from 1.
    line: usize,
    used: bool,
}

/// The ignores in all files. What is wrong with their comments goes to `out`.
pub(super) fn ignores(sources: &SourceMap, out: &Diagnostics) -> Vec<Ignore> {
    let mut all = Vec::new();
    for file in sources.files() {
        let text = sources.text(file);
        let Some(format) =
            Format::of_path(sources.name(file)).filter(|_| memmem::find(text.as_bytes(), MARK.as_bytes()).is_some())
        else {
            continue;
        };
        let comments = comments(text, format);
        for (at, comment) in comments.iter().enumerate() {
            let Some(words) = directive(text, comment) else { continue };
            let alone = is_blank(text[..comment.start].rsplit('\n').next().unwrap_or_default());
            let meant = if alone { after(text, &comments[at..]) } else { comment.start };
            let line = sources.start(span(file, &(meant..meant))).line;
            read(text, file, words, line, &mut all, out);
        }
    }
    all
}

/// Where something else stands after comments that follow each other.
fn after(text: &str, comments: &[Range<usize>]) -> usize {
    let mut at = 0;
    for comment in comments {
        if at > 0 && comment.start != at {
            break;
        }
        let rest = &text[comment.end..];
        at = comment.end + (rest.len() - rest.trim_start().len());
    }
    at
}

fn is_blank(text: &str) -> bool {
    text.trim_matches('\u{feff}').trim().is_empty()
}

fn span(file: FileId, at: &Range<usize>) -> Span {
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span { file, start: offset(at.start), end: offset(at.end) }
}

/// What a comment tells the check: the words after its mark, in bytes. A comment that only begins with the word is one for
/// people.
fn directive(text: &str, comment: &Range<usize>) -> Option<Range<usize>> {
    let words = text.get(comment.clone())?.trim_start_matches('#').trim_start().strip_prefix(MARK)?.trim_start();
    let start = comment.end - words.len();
    let word = words.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let meant = word == IGNORE || words[word.len()..].trim_start().starts_with('[');
    meant.then_some(start..start + words.trim_end().len())
}

/// Reads `ignore[code, code] reason`.
fn read(text: &str, file: FileId, words: Range<usize>, line: usize, all: &mut Vec<Ignore>, out: &Diagnostics) {
    let said = &text[words.clone()];
    let place = span(file, &words);
    let list = said.strip_prefix(IGNORE).and_then(|rest| rest.trim_start().strip_prefix('['));
    let Some((codes, reason)) = list.and_then(|list| list.split_once(']')) else {
        let message = format!("the comment {} is not understood", quoted(said));
        out.push(Diagnostic::warning(Code::BadIgnore, place, message).help(FORM));
        return;
    };
    let reasoned = reason.contains(char::is_alphanumeric);
    let mut at = words.end - list.map_or(0, str::len);
    for written in codes.split(',') {
        let name = written.trim();
        let start = at + (written.len() - written.trim_start().len());
        at += written.len() + 1;
        let own = span(file, &(start..start + name.len()));
        match Code::find(name) {
            _ if name.is_empty() => {
                out.push(Diagnostic::warning(Code::BadIgnore, place, "the comment names no code").help(FORM));
            }
            None => out.push(unknown(name, own)),
            Some(code) if !code.is_adjustable() => {
                let found = Diagnostic::warning(Code::FixedLevel, own, format!("{} cannot be ignored", quoted(name)));
                out.push(found.help("remove it, and mend what is found: with such a finding nothing loads"));
            }
            // Of one without a reason that much is said first.
            Some(code) => all.push(Ignore { code, span: own, line, used: !reasoned }),
        }
    }
    if !reasoned {
        let found = Diagnostic::warning(Code::IgnoreWithoutReason, place, "the comment gives no reason");
        out.push(found.help("write after the bracket why what is found here is right"));
    }
}

/// Whether a comment ignores a finding.
pub(super) fn ignored(found: &Diagnostic, all: &mut [Ignore], sources: &SourceMap) -> bool {
    let place = found.primary.span;
    let mut ignored = false;
    for ignore in all.iter_mut().filter(|ignore| ignore.code == found.code && ignore.span.file == place.file) {
        if ignore.line == sources.start(place).line {
            ignore.used = true;
            ignored = true;
        }
    }
    ignored
}

/// Reports the ignores that ignored nothing, in the files that were looked at for everything.
pub(super) fn unused(all: &[Ignore], whole: impl Fn(FileId) -> bool, out: &Diagnostics) {
    for ignore in all.iter().filter(|ignore| !ignore.used && whole(ignore.span.file)) {
        let message = format!("nothing is found here that {} would ignore", quoted(ignore.code.slug()));
        let found = Diagnostic::warning(Code::UnusedIgnore, ignore.span, message);
        out.push(found.help("remove it"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::short;

    const CODE: Code = Code::UnusedIgnore;

    /// What is said of the comments of a file, and the lines on which findings of [`CODE`] are ignored.
    fn lines(name: &str, text: &str) -> (String, Vec<usize>) {
        let mut sources = SourceMap::default();
        let file = sources.add(name, text);
        let out = Diagnostics::new();
        let mut all = ignores(&sources, &out);
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
        let found = starts.map(|at| Diagnostic::warning(CODE, span(file, &(at..at)), "found"));
        let ignored = found.filter(|found| ignored(found, &mut all, &sources));
        let lines = ignored.map(|found| sources.start(found.primary.span).line).collect();
        unused(&all, |_| true, &out);
        (short(&sources, &out.into_sorted()), lines)
    }

    #[track_caller]
    fn clean(name: &str, text: &str) -> Vec<usize> {
        let (said, lines) = lines(name, text);
        assert_eq!(said, "");
        lines
    }

    #[test]
    fn on_its_line_or_before_it() {
        let toml = "a = 1 # segue: ignore[SG503] known\r\n# segue: ignore[unused-ignore] известно\r\n\r\n# why\r\nb = \"# segue: ignore[x]\"\r\nc = 2\r\n";
        assert_eq!(clean("f.toml", toml), [1, 5]);
        let yaml = "\u{feff}# segue: ignore[unused-ignore] the first line\na: 1\nб: '# segue: ignore[x]' #segue:ignore[ SG503 ] same line\nt: |\n  # segue: ignore[x]\nn:\n  # segue: ignore[unused-ignore]: inside\n  - 1\n";
        assert_eq!(clean("f.yaml", yaml), [2, 3, 8]);
        assert_eq!(clean("f.json", "{ \"a\": \"# segue: ignore[x]\" }"), [0; 0]);
        // Words for people.
        assert_eq!(clean("f.yaml", "# segue: the engine\n# segue [x]\n# ignore[x]\na: 1\n"), [0; 0]);
        assert_eq!(clean("f.toml", "\"a # segue: ignore[x]\" = '''\n# segue: ignore[x]\n'''\n"), [0; 0]);
    }

    #[test]
    fn what_is_wrong_with_a_comment_is_found() {
        let text = "a: 1 # segue: ignore[unused-ignor] x\nb: 2 # segue: ignore[unknown-key] x\n# segue: ignore[unused-ignore, SG503]\nc: 3\nd: 4 # segue: ignore unused-ignore\ne: 5 # segue: ingore[SG503] x\nf: 6 # segue: ignore[] x\n# segue: ignore[bad-ignore] nothing follows\n";
        let (said, lines) = lines("f.yaml", text);
        assert_eq!(lines, [4]);
        let wanted = [
            "f.yaml:1:22: error[unknown-code]: there is no code `unused-ignor`",
            "f.yaml:2:22: warning[fixed-level]: `unknown-key` cannot be ignored",
            "f.yaml:3:10: warning[ignore-without-reason]: the comment gives no reason",
            "f.yaml:5:15: warning[bad-ignore]: the comment `ignore unused-ignore` is not understood",
            "f.yaml:6:15: warning[bad-ignore]: the comment `ingore[SG503] x` is not understood",
            "f.yaml:7:15: warning[bad-ignore]: the comment names no code",
            "f.yaml:8:17: warning[unused-ignore]: nothing is found here that `bad-ignore` would ignore",
        ];
        assert_eq!(said.lines().collect::<Vec<_>>(), wanted);
    }
}
