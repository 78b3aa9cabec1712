//! A TOML document as it is written: every key, value and comment, with what the writer chose of their layout.

/// A document.
#[derive(Debug, Default)]
pub(super) struct Document {
    /// The comments that head the file.
    pub head: Vec<Line>,
    /// The root and the tables with a header, in source order.
    pub blocks: Vec<Block>,
    /// The comments that end the file.
    pub tail: Vec<Line>,
}

/// A line that is no statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Line {
    /// One or several empty lines.
    Blank,
    /// A comment, from its `#` to its last visible character.
    Comment(String),
}

/// Whether a comment says something to `segue` about the line that it stands on, or the next one with something on it.
pub(super) fn is_told(comment: &str) -> bool {
    comment.trim_start_matches('#').trim_start().starts_with("segue:")
}

/// A comment behind something on the same line.
#[derive(Debug, Clone)]
pub(super) struct Behind {
    /// How many spaces stand before it.
    pub spaces: usize,
    /// The comment.
    pub text: String,
}

/// A piece of the path of a table.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Piece {
    /// The key.
    pub name: String,
    /// The key as it is written.
    pub text: String,
    /// Which item it is, where the key holds a list of tables.
    pub item: Option<usize>,
}

/// The root, or a table with its header.
#[derive(Debug)]
pub(super) struct Block {
    /// Its path; empty for the root.
    pub path: Vec<Piece>,
    /// Whether the header is that of a list of tables.
    pub many: bool,
    /// What stands before the header.
    pub before: Vec<Line>,
    /// The comment behind the header.
    pub behind: Option<Behind>,
    /// Comments right below the header that belong to it.
    pub below: Vec<Line>,
    /// Its keys and values.
    pub entries: Vec<Entry>,
}

/// A key outside of brackets, with its value.
#[derive(Debug)]
pub(super) struct Entry {
    /// What stands before it.
    pub before: Vec<Line>,
    /// The key.
    pub key: Vec<Key>,
    /// The value.
    pub value: Value,
    /// The comment behind it.
    pub behind: Option<Behind>,
    /// Comments right below it that belong to it.
    pub below: Vec<Line>,
}

/// One part of a dotted key.
#[derive(Debug, Clone)]
pub(super) struct Key {
    /// What it says.
    pub name: String,
    /// How it is written.
    pub text: String,
}

/// A value.
#[derive(Debug)]
pub(super) enum Value {
    /// As it is written.
    Scalar(String),
    /// A list in brackets.
    List(Items),
    /// A table in braces.
    Table(Items),
}

/// What stands in brackets or braces.
#[derive(Debug, Default)]
pub(super) struct Items {
    /// The items; those of a table have keys.
    pub items: Vec<Item>,
    /// Whether they stand on lines of their own.
    pub broken: bool,
    /// The comment behind the opening bracket.
    pub behind: Option<Behind>,
    /// The comments before the closing bracket.
    pub end: Vec<Line>,
}

/// An item of a list, or a key of a table in braces.
#[derive(Debug)]
pub(super) struct Item {
    /// What stands before it.
    pub before: Vec<Line>,
    /// Whether it starts a line, where the items stand on lines of their own.
    pub starts: bool,
    /// The key, in a table.
    pub key: Vec<Key>,
    /// The value.
    pub value: Value,
    /// The comment behind it.
    pub behind: Option<Behind>,
}
