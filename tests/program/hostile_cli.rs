//! Hostile files, met by the program itself: each is a clear finding, within a bound on memory, and every other file is checked all the
//! same. `hostile.rs` holds the same of the library.
#![expect(clippy::disallowed_methods, reason = "these tests make workspaces and start the program")]

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Output};

use crate::program::Mini;

/// What a check may take, in KiB of address space.
const MEMORY: u32 = 2 << 20;
/// How deep things are nested.
const DEEP: usize = 20_000;

/// A workspace with a mistake in a class and one in a scenario, which must be found beside whatever else there is.
fn mistaken() -> Mini {
    let mini = Mini::new();
    mini.edit("transitions/mini/T1.yaml", "owner:", "ownr:");
    mini.edit("scenarios/mini/weather.yaml", "covers: T1", "cover: T1");
    mini
}

/// Runs the program in a workspace; on Linux within a bound on its memory.
fn bounded(mini: &Mini, verb: &str) -> Output {
    let program = snapbox::cmd::cargo_bin!("segue");
    let mut command = if cfg!(target_os = "linux") {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("ulimit -v {MEMORY} && exec \"$0\" \"$@\"")]).arg(program);
        shell
    } else {
        Command::new(program)
    };
    let args: &[&str] = if verb == "check" { &["check", "--format", "short"] } else { &[verb] };
    command.args(args).current_dir(mini.path("")).env("CI", "true").output().expect("the program runs")
}

/// The findings of a check, which must end with exit code 1 and hold those of the two mistakes; the others come back.
#[track_caller]
fn others(mini: &Mini) -> Vec<String> {
    let run = bounded(mini, "check");
    let text = String::from_utf8(run.stdout).expect("UTF-8");
    let err = String::from_utf8_lossy(&run.stderr);
    assert_eq!((run.status.code(), err.as_ref()), (Some(1), ""), "{text}");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for known in [
        "transitions/mini/T1.yaml:4:1: error[unknown-key]: unknown key `ownr` in a transition class",
        "scenarios/mini/weather.yaml:3:5: error[unknown-key]: unknown key `cover` in a scenario",
    ] {
        let at = lines.iter().position(|line| line == known).unwrap_or_else(|| panic!("{known}\n{text}"));
        lines.remove(at);
    }
    lines
}

/// One finding in a file: its place and code as given, its message with these words in it.
#[track_caller]
fn holds(mini: &Mini, place: &str, words: &str) {
    let found = others(mini);
    assert!(found.len() == 1 && found[0].starts_with(place) && found[0].contains(words), "{place} {words}\n{found:#?}");
}

/// Each of these, in a file of the pack and in one of scenarios, is one finding that has these words.
#[track_caller]
fn in_any_file(mini: &Mini, text: &[u8], endings: &[&str], words: &str) {
    for ending in endings {
        for folder in ["transitions", "scenarios"] {
            // A pack is not written in JSON.
            if *ending == "json" && folder == "transitions" {
                continue;
            }
            let name = format!("{folder}/mini/hostile.{ending}");
            mini.write(&name, text);
            holds(mini, &format!("{name}:"), words);
            fs::remove_file(mini.path(&name)).expect("removed");
        }
    }
}

#[test]
fn bytes_that_are_no_text() {
    let mini = mistaken();
    let all = &["yaml", "toml", "json"];
    in_any_file(&mini, b"# caf\xe9\n", all, "error[unreadable-file]: the file is not UTF-8: the byte 0xE9");
    in_any_file(&mini, b"a\0b", all, "error[syntax-error]: a NUL character is not allowed");
    let utf_16 = |mark: &str| -> Vec<u8> {
        format!("{mark}scenario: x\nturns: []\n").encode_utf16().flat_map(u16::to_le_bytes).collect()
    };
    in_any_file(&mini, &utf_16("\u{feff}"), all, "error[unreadable-file]: the file is UTF-16, not UTF-8");
    in_any_file(&mini, &utf_16(""), all, "error[unreadable-file]: the file is UTF-16, not UTF-8");
}

#[test]
fn very_large_files() {
    let mini = mistaken();
    for name in ["transitions/mini/x.yaml", "transitions/mini/x.toml", "scenarios/mini/x.json"] {
        let file = File::create(mini.path(name)).expect("a file");
        file.set_len(100 << 20).expect("a sparse file");
        holds(&mini, &format!("{name}:1:1: error[unreadable-file]"), "larger than the limit of 8388608 bytes");
        fs::remove_file(mini.path(name)).expect("removed");
    }
}

/// FB-14: lists, tables, conditions and inline tables 20,000 deep.
#[test]
fn fb_14_deep_nesting() {
    let mini = mistaken();
    let nested = |before: &str, open: &str, inner: &str, close: &str| {
        format!("{before}{}{inner}{}\n", open.repeat(DEEP), close.repeat(DEEP))
    };
    let deep = "error[limit-exceeded]: lists and tables are nested more than 64 deep";
    for (text, ending) in [
        (nested("", "[", "", "]"), "yaml"),
        (nested("", "{a: ", "1", "}"), "yaml"),
        (nested("", "- ", "a", ""), "yaml"),
        (nested("condition: { x: ", "{not: ", "{}", "}").replace("\n", "}\n"), "yaml"),
        (nested("a = ", "[", "", "]"), "toml"),
        (nested("a = ", "{a = ", "1", "}"), "toml"),
        (nested("condition.x = ", "{not = ", "{}", "}"), "toml"),
        (nested("", "[", "", "]"), "json"),
        (nested("", "{\"a\":", "1", "}"), "json"),
        (nested("{\"given\":", "{\"not\":", "{}", "}").replace("\n", "}\n"), "json"),
    ] {
        in_any_file(&mini, text.as_bytes(), &[ending], deep);
    }
}

#[test]
fn aliases_that_repeat_each_other() {
    let mini = mistaken();
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for at in 1..20 {
        let all = vec![format!("*a{}", at - 1); 9].join(", ");
        bomb.push_str(&format!("a{at}: &a{at} [{all}]\n"));
    }
    in_any_file(&mini, bomb.as_bytes(), &["yaml"], "error[limit-exceeded]: aliases add more than 10000 values");
}

#[test]
fn folders_that_are_no_files() {
    let mini = mistaken();
    for name in ["transitions/mini/x.yaml", "scenarios/mini/x.toml"] {
        fs::create_dir(mini.path(name)).expect("a folder");
        holds(&mini, &format!("{name}:1:1: error[unreadable-file]"), "this is a folder");
        fs::remove_dir(mini.path(name)).expect("removed");
    }
    for top in ["transitions/mini", "scenarios/mini"] {
        let deep = format!("{top}/{}", vec!["d"; 40].join("/"));
        mini.write(&format!("{deep}/x.yaml"), "a: [");
        let found = others(&mini);
        assert!(found.len() == 1 && found[0].contains("folders are nested more than 32 deep"), "{found:#?}");
        fs::remove_dir_all(mini.path(&format!("{top}/d"))).expect("removed");
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_plain_file() {
    use std::os::unix::fs::symlink;

    let mini = mistaken();
    let kept = |name: &str, words: &str| {
        holds(&mini, &format!("{name}:1:1: error[unreadable-file]"), words);
        fs::remove_file(mini.path(name)).expect("removed");
    };
    for name in ["transitions/mini/x.toml", "scenarios/mini/x.yaml"] {
        if pipe(&mini.path(name)) {
            kept(name, "this is a pipe, a socket or a device");
        }
        symlink("/dev/zero", mini.path(name)).expect("a link");
        kept(name, "this is a pipe, a socket or a device");
        symlink("nowhere", mini.path(name)).expect("a link");
        kept(name, "the link leads to nothing");
        let itself = Path::new(name).file_name().expect("a name");
        symlink(itself, mini.path(name)).expect("a link");
        kept(name, "the link leads to nothing");
    }
    for name in ["transitions/mini/loop", "scenarios/mini/loop"] {
        symlink("..", mini.path(name)).expect("a link");
        kept(name, "the link leads back to a folder above it");
    }
    // Settings in a pipe: a finding for a check, and nothing runs for another verb.
    fs::remove_file(mini.path("segue.toml")).expect("removed");
    if pipe(&mini.path("segue.toml")) {
        holds(&mini, "segue.toml:1:1: error[unreadable-file]", "this is a pipe");
        let run = bounded(&mini, "replay");
        let err = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.code() == Some(2) && err.starts_with("error: segue.toml: this is a pipe"), "{err}");
    }
}

/// Makes a pipe with a name, where the system can.
#[cfg(unix)]
fn pipe(path: &Path) -> bool {
    let made = Command::new("mkfifo").arg(path).status().is_ok_and(|status| status.success());
    if !made {
        eprintln!("skipped: no mkfifo, so nothing is said of pipes");
    }
    made
}

#[cfg(unix)]
#[test]
fn files_that_may_not_be_read() {
    use std::os::unix::fs::PermissionsExt;

    let mini = mistaken();
    for name in ["transitions/mini/x.toml", "scenarios/mini/x.yaml"] {
        mini.write(name, "");
        fs::set_permissions(mini.path(name), fs::Permissions::from_mode(0o000)).expect("the mode is set");
        if fs::read(mini.path(name)).is_ok() {
            eprintln!("skipped: whoever runs this may read everything, so no file can be kept from being read");
            return;
        }
        holds(&mini, &format!("{name}:1:1: error[unreadable-file]"), "the file cannot be read: permission denied");
        fs::remove_file(mini.path(name)).expect("removed");
    }
}

#[test]
fn names_with_a_misspelt_ending() {
    let mini = mistaken();
    for name in ["transitions/mini/more.tmol", "transitions/mini/more.yaaml", "scenarios/mini/more.ymal"] {
        mini.write(name, "id = 1\n");
    }
    // Whatever else lies there is left alone, but for a copy of a file that is not there.
    for name in ["notes.txt", "more.xml", "more.yaml~", "more.toml.bak", "more.html", "README.md"] {
        mini.write(&format!("transitions/mini/{name}"), "x");
        mini.write(&format!("scenarios/mini/{name}"), "x");
    }
    mini.write("transitions/mini/pack.toml.bak", "x");
    let told = |name: &str, ending: &str| {
        format!("{name}:1:1: error[unreadable-file]: no file is read whose name ends in `.{ending}`")
    };
    let copy = |folder: &str| {
        let message = "this is called like a backup of `more.toml`, which is not there";
        format!("{folder}/mini/more.toml.bak:1:1: error[unreadable-file]: {message}")
    };
    let mut found = others(&mini);
    found.sort();
    assert_eq!(
        found,
        [
            copy("scenarios"),
            told("scenarios/mini/more.ymal", "ymal"),
            told("transitions/mini/more.tmol", "tmol"),
            copy("transitions"),
            told("transitions/mini/more.yaaml", "yaaml")
        ]
    );
}
