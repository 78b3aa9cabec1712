//! Work on several threads. What comes of it does not depend on how many there are, or on which of them is first.

use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, Builder};

use crate::jobs::Job;

/// The room for what a thread calls, as the first thread of a process has it.
const STACK: usize = 8 << 20;

/// How many threads work at the same time where nobody says so.
pub fn usual() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// Does two jobs at the same time; one after the other where the system has no thread to give.
pub fn both(one: Job<'_>, other: Job<'_>) {
    let beside = thread::scope(|scope| {
        let beside = Builder::new().stack_size(STACK).spawn_scoped(scope, &mut *other);
        one();
        beside.is_ok()
    });
    if !beside {
        other();
    }
}

/// What `work` makes of each item, in the order of the items, on so many threads at most.
pub fn map<T: Sync, R: Send>(items: &[T], threads: usize, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::with_capacity(items.len()));
    let take = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { break };
            let made = work(item);
            if let Ok(mut done) = done.lock() {
                done.push((at, made));
            }
        }
    };
    thread::scope(|scope| {
        // This thread works as well; where the system has no other to give it does all of it.
        for _ in 1..threads.min(items.len()) {
            if Builder::new().stack_size(STACK).spawn_scoped(scope, take).is_err() {
                break;
            }
        }
        take();
    });
    let mut done = done.into_inner().unwrap_or_default();
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, made)| made).collect()
}
