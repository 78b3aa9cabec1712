//! Findings as SARIF 2.1.0, for tools that show and keep them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::diag::{Code, Diagnostic, Label, Severity};
use crate::digest::Digest;
use crate::source::{SourceMap, Span};

/// The schema that the document follows.
const SCHEMA: &str = "https://raw.githubusercontent.com/oasis-tcs/sarif-spec/master/Schemata/sarif-schema-2.1.0.json";
/// What relative paths begin at. GitHub knows it by this name.
const ROOT: &str = "%SRCROOT%";

/// One SARIF document. `below` is put before relative paths: the folder of the workspace as seen from the root of the sources,
/// empty or ending in `/`.
#[must_use]
pub fn sarif(sources: &SourceMap, diagnostics: &[Diagnostic], below: &str) -> Value {
    let codes: BTreeSet<Code> = diagnostics.iter().map(|found| found.code).collect();
    let rules: Vec<Value> = codes.iter().map(|code| rule(*code)).collect();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let results: Vec<Value> = diagnostics
        .iter()
        .map(|found| {
            let print = fingerprint(sources, found);
            let nth = seen.entry(print.clone()).or_default();
            *nth += 1;
            let mut text = found.message.clone();
            if let Some(help) = &found.help {
                text.push_str(&format!("\nhelp: {help}"));
            }
            let mut result = json!({
                "ruleId": found.code.id(),
                "ruleIndex": codes.iter().position(|code| *code == found.code),
                "level": level(found.severity),
                "message": { "text": text },
                "locations": [location(sources, &found.primary, below, None)],
                "partialFingerprints": { "segue/v1": format!("{print}:{nth}") },
            });
            if !found.secondary.is_empty() {
                let related = found.secondary.iter().enumerate();
                let related = related.map(|(at, label)| location(sources, label, below, Some(at + 1)));
                result["relatedLocations"] = related.collect();
            }
            result
        })
        .collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": {
                    "name": "segue",
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                    "rules": rules,
                },
            },
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": { ROOT: { "description": { "text": "The root of the sources." } } },
            "results": results,
        }],
    })
}

fn rule(code: Code) -> Value {
    json!({
        "id": code.id(),
        "name": code.slug(),
        "shortDescription": { "text": code.about() },
        "help": {
            "text": format!("{} `segue explain {}` says more.", code.about(), code.id()),
            "markdown": super::page(code),
        },
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

fn location(sources: &SourceMap, label: &Label, below: &str, id: Option<usize>) -> Value {
    let (start, end) = sources.range(label.span);
    let name = sources.name(label.span.file);
    let place = match name.strip_prefix('/') {
        Some(_) => json!({ "uri": format!("file://{}", encoded(name)) }),
        None => json!({ "uri": encoded(&format!("{below}{name}")), "uriBaseId": ROOT }),
    };
    let mut location = json!({
        "physicalLocation": {
            "artifactLocation": place,
            "region": {
                "startLine": start.line, "startColumn": start.column, "endLine": end.line, "endColumn": end.column,
            },
        },
    });
    if let Some(id) = id {
        location["id"] = id.into();
    }
    if !label.message.is_empty() {
        location["message"] = json!({ "text": label.message });
    }
    location
}

/// A path as a URI has it.
fn encoded(path: &str) -> String {
    let mut text = String::new();
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => text.push(char::from(byte)),
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

/// What tells a finding from others and stays the same when lines are put in before it: its code, its file, and what is written
/// there, whatever the spacing.
fn fingerprint(sources: &SourceMap, found: &Diagnostic) -> String {
    let Span { file, start, .. } = found.primary.span;
    let text = sources.text(file);
    let from = text.get(..start as usize).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let line = text.get(from..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    let mut digest = Digest::default();
    digest.text(b'c', found.code.id());
    digest.text(b'f', sources.name(file));
    for words in [line, sources.slice(found.primary.span)] {
        let words: Vec<&str> = words.split_whitespace().collect();
        digest.text(b'w', &words.join(" "));
    }
    digest.hex()
}
