//! The `segue` binary.

/// A run makes very many small values, and most of them on two threads: the usual allocator takes a good part of its time. It is
/// built without large pages: twice as much memory would be cleared, and where a machine has none at hand that takes most of a run.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    segue::cli::main()
}
