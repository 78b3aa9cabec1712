//! Pieces of work of which none waits for another. The core starts no threads: whoever asks for the work may do them at the same time.

use std::sync::Mutex;

/// Something that is to be done once.
pub type Job<'j> = &'j mut (dyn FnMut() + Send);

/// Does two jobs of which neither waits for the other: one after the other, or at the same time.
pub type Both<'b> = &'b (dyn Fn(Job<'_>, Job<'_>) + Sync);

/// Does two jobs one after the other.
pub fn in_turn(one: Job<'_>, other: Job<'_>) {
    one();
    other();
}

/// Does two jobs and gives what came of them.
pub fn joined<A: Send, B: Send>(
    both: Both<'_>,
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B + Send,
) -> (A, B) {
    let (mut one, mut other) = (Some(one), Some(other));
    let (mut a, mut b) = (None, None);
    both(&mut || a = one.take().map(|one| one()), &mut || b = other.take().map(|other| other()));
    (a.expect("the first job is done"), b.expect("the second job is done"))
}

/// What `work` makes of each item, in the order of the items. Whoever has nothing to do takes the next one.
pub fn each<T: Sync, R: Send>(both: Both<'_>, items: &[T], work: impl Fn(usize, &T) -> R + Sync) -> Vec<R> {
    let next = Mutex::new(items.iter().enumerate());
    let take = || {
        let taken = || next.lock().expect("nothing fails while it is held").next();
        std::iter::from_fn(taken).map(|(at, item)| (at, work(at, item))).collect::<Vec<_>>()
    };
    let (mut done, others) = if items.len() > 1 { joined(both, take, take) } else { (take(), Vec::new()) };
    done.extend(others);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, made)| made).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_item_once_and_in_order() {
        let items: Vec<usize> = (0..100).collect();
        let backwards: Both<'_> = &|one, other| {
            other();
            one();
        };
        let threads: Both<'_> = &|one, other| {
            std::thread::scope(|scope| {
                scope.spawn(other);
                one();
            })
        };
        for both in [&in_turn as Both<'_>, backwards, threads] {
            for many in [0, 1, 2, 100] {
                let made = each(both, &items[..many], |at, item| (at, item * 2));
                assert_eq!(made, (0..many).map(|at| (at, at * 2)).collect::<Vec<_>>());
            }
        }
    }
}
