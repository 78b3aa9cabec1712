//! Whole packs, and what is said of typical mistakes.
