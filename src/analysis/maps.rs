//! Hash maps for what is looked up very often: a quick hash, the same in every run. Their keys are made here, not by who writes files.

/// A map.
pub type HashMap<K, V> = std::collections::HashMap<K, V, foldhash::fast::FixedState>;
/// A set.
pub type HashSet<T> = std::collections::HashSet<T, foldhash::fast::FixedState>;
