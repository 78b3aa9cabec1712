//! The `segue` binary.

fn main() -> std::process::ExitCode {
    segue::cli::main()
}
