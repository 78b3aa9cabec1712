//! What is checked again after a change comes to what a check of the same files comes to that knows nothing of them.

use std::path::Path;

use segue::audit::{Config, audit, audit_again};
use segue::jobs::in_turn;
use segue::lexicon::Automata;
use segue::source::SourceText;
use segue::workspace::Workspace;

/// A pack with its scenarios.
type Files = (Vec<SourceText>, Vec<SourceText>);

fn of(pack: &str) -> (Files, Config) {
    let workspace = Workspace::of(Path::new(env!("CARGO_MANIFEST_DIR"))).expect("the repository is a workspace");
    let chosen = workspace.choice_named(pack).expect("its files can be read").chosen.remove(0);
    ((chosen.pack, chosen.scenarios), chosen.config)
}

fn rewritten(files: &mut [SourceText], name: &str, edit: impl FnOnce(&str) -> String) {
    let file = files.iter_mut().find(|file| file.name.ends_with(name)).expect("there is such a file");
    file.text = edit(&file.text).into();
}

/// Checks after each edit, once with what is known from before and once without; each edit is one of what came of the ones before.
fn each_is_the_same(pack: &str, edits: &[&dyn Fn(&mut Files)]) {
    let ((mut files, config), automata) = (of(pack), Automata::default());
    let mut before = audit_again(None, &files.0, &files.1, &config, &automata, &in_turn);
    assert!(before.audit.diagnostics.is_empty(), "{:?}", before.audit.diagnostics);
    for (at, edit) in edits.iter().enumerate() {
        edit(&mut files);
        let again = audit_again(Some(&before), &files.0, &files.1, &config, &automata, &in_turn);
        let alone = audit(&files.0, &files.1, &config);
        assert_eq!(again.audit.diagnostics, alone.diagnostics, "edit {at}");
        let texts = |of: &segue::audit::Audit| -> Vec<(String, String)> {
            let each = of.sources.files();
            each.map(|file| (of.sources.name(file).to_owned(), of.sources.text(file).to_owned())).collect()
        };
        assert_eq!(texts(&again.audit), texts(&alone), "edit {at}");
        let fingerprint = |of: &segue::audit::Audit| of.registry.as_ref().map(|of| of.pack().fingerprint.clone());
        assert_eq!(fingerprint(&again.audit), fingerprint(&alone), "edit {at}");
        before = again;
    }
}

#[test]
fn of_a_pack_and_its_scenarios() {
    let comment = |files: &mut Files| rewritten(&mut files.0, "state.toml", |text| format!("# first\n\n{text}"));
    let slip = |files: &mut Files| rewritten(&mut files.0, "pack.toml", |text| format!("{text}\n[nothing]\nx = 1\n"));
    let mended =
        |files: &mut Files| rewritten(&mut files.0, "pack.toml", |text| text.replace("\n[nothing]\nx = 1\n", ""));
    let turn = |files: &mut Files| rewritten(&mut files.1, ".yaml", |text| text.replacen("expect", "expct", 1));
    let first = |files: &mut Files| {
        let text = files.1[0].text.replace("name:", "nam:");
        let folder = files.1[0].name.rsplit_once('/').expect("it lies in a folder").0.to_owned();
        files.1.insert(0, SourceText::new(format!("{folder}/a.yaml"), text));
    };
    let gone = |files: &mut Files| _ = files.1.pop();
    let fewer = |files: &mut Files| files.0.retain(|file| !file.name.ends_with("state.toml"));
    each_is_the_same("booking", &[&comment, &slip, &mended, &turn, &first, &gone, &fewer]);
}

#[test]
fn of_a_pack_of_others() {
    let extended =
        |files: &mut Files| rewritten(&mut files.0, "assistant/T4.toml", |text| text.replacen("[", "# one\n[", 1));
    let used =
        |files: &mut Files| rewritten(&mut files.0, "clarification/state.toml", |text| format!("{text}\n[frme.x]\n"));
    each_is_the_same("joined", &[&extended, &used]);
}
