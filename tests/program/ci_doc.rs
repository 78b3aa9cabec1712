//! docs/ci.md and the hooks of pre-commit: the YAML is YAML, hooks and commands are those that there are.
#![expect(clippy::disallowed_methods, reason = "the page and the hooks are read")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::program::{Mini, err};

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("a file of the repository")
}

/// The block of the page that is called so.
fn block(name: &str) -> Value {
    let page = read("docs/ci.md");
    let block =
        page.split(&format!("```yaml {name}\n")).nth(1).expect("the block").split("```").next().expect("its end");
    serde_yaml::from_str(block).expect("YAML")
}

fn hooks() -> BTreeMap<String, Value> {
    let hooks: Vec<Value> = serde_yaml::from_str(&read(".pre-commit-hooks.yaml")).expect("YAML");
    hooks.into_iter().map(|hook| (hook["id"].as_str().expect("an id").to_owned(), hook)).collect()
}

/// What comes of a command in a workspace is what was asked, or not: it can always be run.
fn runs(command: &str) {
    let words = command.split(" > ").next().unwrap_or(command).split_whitespace().collect::<Vec<_>>();
    let ["segue", args @ ..] = words.as_slice() else { panic!("{command}") };
    let run = Mini::new().run(args);
    assert!(matches!(run.get_output().status.code(), Some(0 | 1)), "{command}\n{}", err(&run));
}

#[test]
fn each_command_of_the_workflow_runs() {
    let workflow = block("workflow");
    let steps = workflow["jobs"]["packs"]["steps"].as_array().expect("steps").clone();
    let commands: Vec<&str> = steps.iter().filter_map(|step| step["run"].as_str()).collect();
    for wanted in ["fmt --check", "check --deny warnings --format github", "--format sarif", "--format junit"] {
        assert!(commands.iter().any(|command| command.contains(wanted)), "{wanted}");
    }
    commands.into_iter().filter(|command| command.starts_with("segue")).for_each(runs);
}

#[test]
fn each_hook_runs_and_is_named_on_the_page() {
    let hooks = hooks();
    assert_eq!(hooks.keys().collect::<Vec<_>>(), ["segue-check", "segue-fmt"]);
    for hook in hooks.values() {
        assert!(hook["pass_filenames"] == false && hook["language"] == "rust" && hook["name"].is_string(), "{hook}");
        runs(hook["entry"].as_str().expect("a command"));
    }
    let named = block("pre-commit")["repos"][0]["hooks"].clone();
    let mut named: Vec<&str> = named.as_array().expect("hooks").iter().filter_map(|hook| hook["id"].as_str()).collect();
    named.sort_unstable();
    assert_eq!(named, ["segue-check", "segue-fmt"]);
}
