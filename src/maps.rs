//! Hash maps for what is looked up very often: a quick hash, the same in every run. Their keys are made here, or there is a
//! bound on how many come out of files.

/// What makes the hashes.
pub type Hashes = foldhash::fast::FixedState;
/// A map.
pub type HashMap<K, V> = std::collections::HashMap<K, V, Hashes>;
/// A set.
pub type HashSet<T> = std::collections::HashSet<T, Hashes>;
