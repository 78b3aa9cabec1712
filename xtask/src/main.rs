//! `cargo xtask`: the chores of this repository, each also run by a test.

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask <chore>

  peers [N]...            compare with the benchmark in ../shared/peers, at tables of N transitions (10): answers, then speed
  schemas [--check]       write the schemas for editors into schemas/, or say whether they are up to date
  tidy                    check layers, file heads and sizes, words and links
  transitions [--check]   write the transition table of each pack into docs, or say whether it is up to date
";

fn main() -> ExitCode {
    #[expect(clippy::disallowed_methods, reason = "a program reads its own arguments")]
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let root = xtask::root();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["peers", ref sizes @ ..] => peers(&root, sizes),
        ["schemas"] => report(xtask::schemas::write(&root)),
        ["schemas", "--check"] => report(xtask::schemas::check(&xtask::tree::read(&root))),
        ["tidy"] => tidy(&root),
        ["transitions"] => report(xtask::transitions::write(&root)),
        ["transitions", "--check"] => report(xtask::transitions::check(&xtask::tree::read(&root))),
        _ => {
            eprint!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn peers(root: &std::path::Path, sizes: &[&str]) -> ExitCode {
    let Ok(sizes) = sizes.iter().map(|size| size.parse()).collect::<Result<Vec<usize>, _>>() else {
        eprint!("{USAGE}");
        return ExitCode::from(2);
    };
    match xtask::peers::run(root, if sizes.is_empty() { &[10] } else { &sizes }) {
        Ok(right) => ExitCode::from(u8::from(!right)),
        Err(why) => {
            eprintln!("{why}");
            ExitCode::from(2)
        }
    }
}

fn tidy(root: &std::path::Path) -> ExitCode {
    let findings = xtask::tidy::run(&xtask::tree::read(root));
    for finding in &findings {
        eprintln!("{finding}");
    }
    if findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn report(outcome: Result<String, String>) -> ExitCode {
    match outcome {
        Ok(message) => {
            println!("{message}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
