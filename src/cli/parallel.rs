//! Work on several threads. What comes of it does not depend on how many there are, or on which of them is first.

use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::jobs::Job;

/// The room for what a thread calls: that of the first thread of a process, and once more for what it takes up while it waits.
const STACK: usize = 16 << 20;

/// Threads that work at the same time.
pub struct Workers(Option<ThreadPool>);

impl Workers {
    /// So many threads, or else one a processor. Where the system has none to give all is done by the thread that asks for it.
    pub fn new(threads: Option<NonZeroUsize>) -> Self {
        let threads = threads.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
        let pool = (threads > 1).then(|| ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build());
        Self(pool.and_then(Result::ok))
    }

    /// Does two jobs at the same time, where a thread has nothing else to do.
    pub fn both(&self, one: Job<'_>, other: Job<'_>) {
        match &self.0 {
            Some(pool) => _ = pool.install(|| rayon::join(one, other)),
            None => {
                one();
                other();
            }
        }
    }

    /// Does a job that nothing waits for, beside what is done next.
    pub fn aside(&self, job: impl FnOnce() + Send + 'static) {
        match &self.0 {
            Some(pool) => pool.spawn(job),
            None => job(),
        }
    }

    /// What `work` makes of each item, in the order of the items, which are begun in that order.
    pub fn map<T: Sync, R: Send>(&self, items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
        let Some(pool) = &self.0 else { return items.iter().map(work).collect() };
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
        pool.scope(|scope| (0..pool.current_num_threads().min(items.len())).for_each(|_| scope.spawn(|_| take())));
        let mut done = done.into_inner().unwrap_or_default();
        done.sort_by_key(|(at, _)| *at);
        done.into_iter().map(|(_, made)| made).collect()
    }
}
