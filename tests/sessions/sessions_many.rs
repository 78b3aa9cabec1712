//! Two processes on one store, with threads of their own, each killed again and again: what stands in the sessions at the end is what a
//! lonely run of each comes to (S1 IRW-REQ-03, IRW-REQ-05).

use crate::stores::many::{self, WHOLE};
use tempfile::TempDir;

#[test]
fn two_processes_that_are_killed_come_to_what_lonely_runs_come_to() {
    let folder = TempDir::new().expect("a folder");
    let place = folder.path().join("sessions.db");
    let place = place.to_str().expect("a name");
    let (turns, sessions) = many::two_processes_that_are_killed_come_to_what_lonely_runs_come_to(&WHOLE, place);
    assert!(sessions == 64 && turns >= 10_000, "{sessions} sessions, {turns} turns");
}
