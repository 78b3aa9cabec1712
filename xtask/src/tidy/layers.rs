//! Imports point one way. The order is declared here and nowhere else; ARCHITECTURE.md tells it to people.

use super::Finding;
use super::rust::{self, Token};
use crate::tree::TextFile;

/// The modules of the crate, lowest first. A module imports only from modules above it in this list. An entry may name a module
/// inside another (`report::replay`) that stands elsewhere than its parent.
pub const LAYERS: &[&str] = &[
    "source",
    "digest",
    "maps",
    "jobs",
    "diag",
    "report",
    "language",
    "syntax",
    "model",
    "contract",
    "lexicon",
    "declare",
    "check",
    "registry",
    "state",
    "engine",
    "compose",
    "session",
    "load",
    "analysis",
    "scenario",
    "stats",
    "explain",
    "recorded",
    "binding",
    "audit",
    "format",
    "scaffold",
    "schema",
    "workspace",
    "store",
    "telemetry",
    "cli",
];

/// The first module outside the pure core.
pub const DOOR: &str = "workspace";

/// What the core does not touch: text in, value out.
const IMPURE: &[&str] = &["env", "fs", "io", "net", "os", "process", "thread", "time"];

/// Macros that write to the terminal.
const PRINTING: &[&str] = &["print", "println", "eprint", "eprintln"];

/// Checks each module of `src` against the order.
pub fn check(files: &[TextFile], findings: &mut Vec<Finding>) {
    for file in files {
        let Some(module) = module_of(&file.path) else { continue };
        let tokens = rust::tokens(&file.text);
        let tokens = rust::without_tests(&tokens);
        if file.path == "src/lib.rs" {
            declared(file, &tokens, findings);
        }
        let Some(own) = rank(&module) else { continue };
        imports(file, &module, own, &tokens, findings);
        if own < door() {
            purity(file, &tokens, findings);
        }
    }
}

/// The module path of a file of the library (`src/engine/mod.rs` is `engine`); `None` for other files and for tests.
fn module_of(path: &str) -> Option<Vec<&str>> {
    let parts: Vec<&str> = path.strip_prefix("src/")?.strip_suffix(".rs")?.split('/').collect();
    match parts[..] {
        ["main"] => None,
        ["lib"] => Some(Vec::new()),
        _ if parts.contains(&"tests") => None,
        [ref inside @ .., "mod"] => Some(inside.to_vec()),
        _ => Some(parts),
    }
}

/// The place of a module path in the order, by its longest beginning that is listed.
fn rank(path: &[&str]) -> Option<usize> {
    (1..=path.len()).rev().find_map(|length| {
        let name = path[..length].join("::");
        LAYERS.iter().position(|layer| *layer == name)
    })
}

fn door() -> usize {
    LAYERS.iter().position(|layer| *layer == DOOR).expect("the door is listed")
}

/// Each module that lib.rs declares is listed, and the other way round.
fn declared(file: &TextFile, tokens: &[Token<'_>], findings: &mut Vec<Finding>) {
    let modules = || tokens.windows(2).filter(|pair| pair[0].text == "mod");
    for layer in LAYERS.iter().filter(|layer| !layer.contains("::")) {
        if !modules().any(|pair| pair[1].text == *layer) {
            findings.push(Finding::new(
                file,
                1,
                format!("`{layer}` is in `LAYERS` and is no module: take it out there"),
            ));
        }
    }
    for pair in modules() {
        if rank(&[pair[1].text]).is_none() {
            let message = format!(
                "module `{}` has no place in the layers: add it to `LAYERS` in xtask/src/tidy/layers.rs",
                pair[1].text
            );
            findings.push(Finding::new(file, pair[1].line, message));
        }
    }
}

fn imports(file: &TextFile, module: &[&str], own: usize, tokens: &[Token<'_>], findings: &mut Vec<Finding>) {
    let absolute = rust::paths(tokens, "crate").into_iter();
    let relative = rust::paths(tokens, "super").into_iter().map(|(path, line)| {
        let ups = 1 + path.iter().take_while(|part| **part == "super").count();
        let base = &module[..module.len().saturating_sub(ups)];
        ([base, &path[ups - 1..]].concat(), line)
    });
    for (path, line) in absolute.chain(relative) {
        match rank(&path) {
            Some(other) if other > own => {
                let message = format!(
                    "`{}` imports `{}`, which stands above it: imports point one way",
                    LAYERS[own], LAYERS[other]
                );
                findings.push(Finding::new(file, line, message));
            }
            _ => {}
        }
    }
}

fn purity(file: &TextFile, tokens: &[Token<'_>], findings: &mut Vec<Finding>) {
    for (path, line) in rust::paths(tokens, "std") {
        if let Some(name) = path.first().filter(|name| IMPURE.contains(name)) {
            let message =
                format!("`std::{name}` in the core: only `{DOOR}` and what stands above it touches the outside");
            findings.push(Finding::new(file, line, message));
        }
    }
    for pair in tokens.windows(2).filter(|pair| pair[1].text == "!" && PRINTING.contains(&pair[0].text)) {
        findings.push(Finding::new(file, pair[0].line, format!("`{}!` in the core: give a value back", pair[0].text)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        let mut findings = Vec::new();
        check(&[TextFile::new(path, text)], &mut findings);
        findings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_import_upwards_is_found() {
        assert_eq!(found("src/engine/mod.rs", "use crate::model::Pack;\nuse super::state;"), [""; 0]);
        let up = found("src/model/cond.rs", "\nfn f() { crate::engine::step() }");
        assert_eq!(up, ["src/model/cond.rs:2: `model` imports `engine`, which stands above it: imports point one way"]);
        assert_eq!(found("src/model/cond.rs", "use super::super::{source, engine::step};").len(), 1);
        assert_eq!(found("src/model/cond.rs", "#[cfg(test)] use crate::engine::step;"), [""; 0]);
    }

    #[test]
    fn the_outside_in_the_core_is_found() {
        assert_eq!(
            found("src/load.rs", "use std::{sync::Arc, fs};\nfn f() { std::env::var(\"x\"); println!(); }").len(),
            3
        );
        assert_eq!(found("src/workspace.rs", "use std::fs;"), [""; 0]);
    }

    #[test]
    fn a_module_without_a_place_is_found() {
        let all: String = LAYERS.iter().map(|layer| format!("pub mod {layer};\n")).collect();
        assert_eq!(found("src/lib.rs", &all), [""; 0]);
        assert_eq!(found("src/lib.rs", &format!("{all}pub mod sundry;")).len(), 1);
        assert_eq!(found("src/lib.rs", &all.replace("pub mod engine;", "")).len(), 1);
    }
}
