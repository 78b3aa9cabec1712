//! How long turns take, measured as the benchmark's README describes.
#![expect(clippy::disallowed_methods, reason = "a measurement reads the clock")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use super::host::{Host, HostTurn};

/// No more turns than these are timed one by one.
const MOST_TIMED: usize = 1_000_000;

/// What a run measured.
#[derive(Debug, Clone, Copy)]
pub struct Measured {
    /// The median over whole passes, with no clock inside.
    pub turns_per_s: f64,
    /// The median of a turn, a clock around each.
    pub p50_ns: u64,
    /// The 99th percentile of a turn, a clock around each.
    pub p99_ns: u64,
    /// Of a turn, the mean time that goes into making the event out of the host's strings.
    pub event_ns: f64,
}

/// Times whole passes over all sessions, then single turns, then the making of events, in this many seconds altogether.
#[must_use]
pub fn measure(host: &mut Host<'_>, sessions: &[Vec<HostTurn>], seconds: f64) -> Measured {
    let turns: usize = sessions.iter().map(Vec::len).sum();
    let part = Duration::from_secs_f64(seconds / 3.0);
    let pass = median(part, || {
        for session in sessions {
            host.begin();
            for turn in session {
                black_box(host.turn(turn));
            }
        }
    });
    let events = median(part, || {
        for turn in sessions.iter().flatten() {
            black_box(host.event(turn));
        }
    });
    let mut each = Vec::new();
    let began = Instant::now();
    while each.is_empty() || (began.elapsed() < part && each.len() < MOST_TIMED) {
        for session in sessions {
            host.begin();
            for turn in session {
                let before = Instant::now();
                black_box(host.turn(turn));
                each.push(u64::try_from(before.elapsed().as_nanos()).unwrap_or(u64::MAX));
            }
        }
    }
    each.sort_unstable();
    Measured {
        turns_per_s: turns as f64 / pass,
        p50_ns: each[(each.len() - 1) / 2],
        p99_ns: each[(each.len() - 1) * 99 / 100],
        event_ns: events * 1e9 / turns as f64,
    }
}

/// The median time of a pass, in seconds.
fn median(part: Duration, mut pass: impl FnMut()) -> f64 {
    let mut times = Vec::new();
    let began = Instant::now();
    while times.is_empty() || began.elapsed() < part {
        let before = Instant::now();
        pass();
        times.push(before.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
