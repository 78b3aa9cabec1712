//! Repository chores.
fn main() {
    println!("usage: cargo xtask tidy");
}
