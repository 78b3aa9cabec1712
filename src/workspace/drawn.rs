//! What a session of a host takes from the outside: the clock, its id, and ids that nobody can guess.
#![expect(clippy::disallowed_methods, reason = "this is the door")]

use std::sync::Arc;
use std::time::SystemTime;

use jiff::Timestamp;

use super::Problem;
use crate::engine::IdSource;

/// The clock of the system.
///
/// # Errors
/// It stands outside of the years that can be written.
pub fn now() -> Result<Timestamp, Problem> {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok();
    let now = since.and_then(|since| Timestamp::from_millisecond(i64::try_from(since.as_millis()).ok()?).ok());
    now.ok_or_else(|| Problem::new("the clock of the system stands at no instant that can be written"))
}

/// Ids that nobody can guess: the prefix, and 128 bits from the random source of the system as 32 hexadecimal digits.
#[derive(Debug, Clone, Copy)]
pub struct DrawnIds(());

impl DrawnIds {
    /// The source.
    ///
    /// # Errors
    /// The system gives no random bytes.
    pub fn new() -> Result<Self, Problem> {
        match getrandom::u64() {
            Ok(_) => Ok(Self(())),
            Err(error) => Err(Problem::new(format!("the system gives no random bytes: {error}"))),
        }
    }

    /// The id of a new session: a UUID of version 4 (S1 IRW-REQ-06, "Unique session ID generated (UUID)").
    #[must_use]
    pub fn session(&self) -> String {
        uuid::Builder::from_random_bytes(self.bytes()).into_uuid().to_string()
    }

    fn bytes(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).expect("a system that has given random bytes gives more");
        bytes
    }
}

impl IdSource for DrawnIds {
    fn fresh(&mut self, prefix: &str) -> Arc<str> {
        format!("{}-{:032x}", prefix.trim_end_matches('-'), u128::from_be_bytes(self.bytes())).into()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn sessions_have_uuids_and_differ() {
        let ids = DrawnIds::new().expect("random bytes");
        let all: BTreeSet<String> = (0..1000).map(|_| ids.session()).collect();
        assert_eq!(all.len(), 1000);
        for id in all {
            let read = uuid::Uuid::parse_str(&id).expect("a UUID");
            assert_eq!((read.get_version_num(), read.get_variant()), (4, uuid::Variant::RFC4122), "{id}");
        }
    }

    #[test]
    fn ids_have_128_bits_and_differ() {
        let mut ids = DrawnIds::new().expect("random bytes");
        let all: BTreeSet<Arc<str>> = (0..1000).map(|_| ids.fresh("r-")).collect();
        assert_eq!(all.len(), 1000);
        let digits = |id: &Arc<str>| id.strip_prefix("r-").map(str::to_owned).expect("a prefix");
        assert!(all.iter().map(digits).all(|id| id.len() == 32 && id.chars().all(|c| c.is_ascii_hexdigit())));
        // Each of the 128 bits is set in some and not set in others.
        let numbers: Vec<u128> =
            all.iter().map(|id| u128::from_str_radix(&digits(id), 16).expect("a number")).collect();
        assert_eq!(numbers.iter().fold(0, |all, id| all | id), u128::MAX);
        assert_eq!(numbers.iter().fold(u128::MAX, |all, id| all & id), 0);
    }
}
