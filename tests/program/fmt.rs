//! `segue fmt` on the program itself: what it selects, writes, shows and refuses.
#![expect(clippy::disallowed_methods, reason = "files are made and looked at")]

use std::fs;

use crate::program::{Mini, err, out};

const UNTIDY: &str = "claims='nothing'\r\n";

/// A workspace with one file that is not in its form.
fn untidy() -> Mini {
    let mini = Mini::new();
    assert_eq!(mini.run(&["fmt"]).get_output().status.code(), Some(0));
    mini.write("transitions/mini/more.toml", format!("[answer_mode.odd]\r\ndoc = 'x'\r\n{UNTIDY}"));
    mini
}

const TIDY: &str = "[answer_mode.odd]\nclaims = \"nothing\"\ndoc = \"x\"\n";

#[test]
fn what_is_not_in_its_form_is_written() {
    let mini = untidy();
    let run = mini.run(&["fmt"]).code(0);
    assert_eq!(out(&run), "formatted transitions/mini/more.toml\n");
    assert_eq!(err(&run), "1 file formatted, 6 files left as they were\n");
    assert_eq!(fs::read_to_string(mini.path("transitions/mini/more.toml")).expect("a file"), TIDY);
    let run = mini.run(&["fmt"]).code(0);
    assert_eq!((out(&run).as_str(), err(&run).as_str()), ("", "0 files formatted, 7 files left as they were\n"));
    mini.run(&["replay"]).code(0);
}

#[test]
fn looking_writes_nothing() {
    let mini = untidy();
    let before = mini.files();
    let run = mini.run(&["fmt", "--check"]).code(1);
    assert_eq!(out(&run), "would change transitions/mini/more.toml\n");
    let run = mini.run(&["fmt", "--diff", "transitions"]).code(1);
    assert!(out(&run).starts_with("--- transitions/mini/more.toml\n+++ transitions/mini/more.toml (formatted)\n@@ "));
    assert!(out(&run).contains("+claims = \"nothing\"\n"), "{}", out(&run));
    assert_eq!(mini.files(), before);
    mini.run(&["fmt", "--check", "--diff", "scenarios", "segue.toml"]).code(0);
}

#[test]
fn a_file_with_an_error_of_syntax_costs_itself() {
    let mini = untidy();
    mini.write("transitions/mini/broken.toml", "[signal.x\ntype='id'\n");
    mini.write("transitions/mini/latin.toml", b"# caf\xe9\n".as_slice());
    let run = mini.run(&["fmt"]).code(2);
    assert_eq!(out(&run), "formatted transitions/mini/more.toml\n");
    let said = err(&run);
    assert!(said.contains("transitions/mini/broken.toml:1:1"), "{said}");
    assert!(said.contains("not UTF-8"), "{said}");
    assert!(said.ends_with("1 file formatted, 6 files left as they were, 2 files not formatted\n"), "{said}");
    assert_eq!(fs::read(mini.path("transitions/mini/broken.toml")).expect("a file"), b"[signal.x\ntype='id'\n");
}

#[test]
fn paths_that_are_no_files_are_told() {
    let mini = untidy();
    for (path, said) in [("nowhere", "no such file or folder"), ("scenarios/mini/snapshots", "nothing to format")] {
        let run = mini.run(&["fmt", path]).code(2);
        assert!(err(&run).contains(said), "{}", err(&run));
    }
    mini.write("transitions/mini/notes.txt", "x");
    assert!(err(&mini.run(&["fmt", "transitions/mini/notes.txt"]).code(2)).contains("neither TOML, YAML nor JSON"));
    // What lies in the workspace beside its packs and scenarios is of another kind.
    mini.write("Other.toml", "a=1");
    mini.run(&["fmt", "."]).code(0);
    assert_eq!(fs::read(mini.path("Other.toml")).expect("a file"), b"a=1");
}

/// Beside its packs and scenarios, in another workspace and in none: what `check` does not take `fmt` does not write.
#[test]
fn paths_that_are_none_of_the_workspace_are_refused_as_by_check() {
    let (mini, other, nowhere) = (untidy(), untidy(), Mini::empty());
    nowhere.write("x.toml", "a=1");
    mini.write("Other.toml", "a=1");
    let at = |of: &Mini, path: &str| of.path(path).to_str().expect("a path").to_owned();
    let before = (mini.files(), other.files(), nowhere.files());
    for (paths, said) in [
        (vec!["Other.toml".to_owned()], "Other.toml is in none of transitions/, scenarios/"),
        (
            vec!["segue.toml".into(), at(&other, "transitions/mini/T1.yaml")],
            "T1.yaml is in none of transitions/, scenarios/",
        ),
        (vec!["scenarios".into(), at(&nowhere, "x.toml")], "x.toml is in none of transitions/, scenarios/"),
        (vec![at(&nowhere, "x.toml")], "no segue.toml in "),
        (vec![at(&nowhere, "")], "no segue.toml in "),
    ] {
        for verb in [&["check"][..], &["fmt"], &["fmt", "--check"]] {
            let args: Vec<&str> = verb.iter().copied().chain(paths.iter().map(String::as_str)).collect();
            let run = mini.run(&args).code(2).stdout_eq("");
            assert!(err(&run).contains(said), "{args:?}: {}", err(&run));
        }
    }
    assert_eq!((mini.files(), other.files(), nowhere.files()), before);
    // The workspace is that of the first path.
    mini.run(&["fmt", &at(&other, "transitions/mini")]).code(0);
    assert_ne!(other.files(), before.1);
}

#[test]
fn standard_input_goes_to_standard_output() {
    let mini = Mini::new();
    let stream = |args: &[&str], text: &str| mini.command(args).stdin(text).assert();
    let run = stream(&["fmt", "-", "--stdin-name", "a/T1.toml"], "name='x'\nid='T1'");
    assert_eq!((out(&run).as_str(), err(&run).as_str()), ("id = \"T1\"\nname = \"x\"\n", ""));
    assert!(out(&stream(&["fmt", "-", "--diff", "--stdin-name", "x.yaml"], "a:  1\n").code(1)).contains("+a: 1\n"));
    let broken = stream(&["fmt", "-", "--stdin-name", "x.yaml"], "a: [").code(2);
    assert!(out(&broken).is_empty() && err(&broken).contains("x.yaml:1:"), "{}", err(&broken));
    for args in
        [&["fmt", "-"][..], &["fmt", "-", "a.toml", "--stdin-name", "x.toml"], &["fmt", "--stdin-name", "x.toml"]]
    {
        stream(args, "").code(2);
    }
}

#[cfg(unix)]
#[test]
fn modes_and_links_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let mini = untidy();
    let path = mini.path("transitions/mini/more.toml");
    let real = mini.path("real.toml");
    fs::rename(&path, &real).expect("moved");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("a mode");
    symlink("../../real.toml", &path).expect("a link");
    mini.run(&["fmt"]).code(0);
    assert!(fs::symlink_metadata(&path).expect("there").is_symlink());
    assert_eq!(fs::read_to_string(&real).expect("a file"), TIDY);
    assert_eq!(fs::metadata(&real).expect("there").permissions().mode() & 0o777, 0o640);

    fs::write(&real, UNTIDY).expect("written");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o440)).expect("a mode");
    let run = mini.run(&["fmt"]).code(2);
    assert!(err(&run).contains("transitions/mini/more.toml: cannot be written: it is read-only"), "{}", err(&run));
    assert_eq!(fs::read_to_string(&real).expect("a file"), UNTIDY);
    let left: Vec<_> =
        mini.files().into_iter().filter(|(path, _)| path.to_string_lossy().contains(".segue-")).collect();
    assert!(left.is_empty(), "{left:?}");
}
