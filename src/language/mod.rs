//! The keys of every table of the data language, what each means and what may stand there: the one source of "unknown key" findings,
//! "did you mean" and the schemas for editors.
//!
//! A [`Shape`] is one kind of table. The readers of packs, scenarios and `segue.toml` take from it which keys they accept; the
//! schemas are written from it. What a value means stays with its reader.

mod class;
mod conditions;
mod config;
mod effects;
mod lexicon;
mod metric;
mod migration;
mod missing;
mod pack;
mod recording;
mod scenario;
mod sections;
mod types;

pub use class::{
    ALTERNATIVE, ANSWER, ANSWER_ROW, CLASS, CLASS_CARRYOVER, FOR_EACH, PRESERVE, SETTLE_ROW, TRIGGER, UNMET,
};
pub use conditions::{CONDITION, COUNT, ENTRY_CONDITION, NUMBER, TEST, meant_test};
pub use config::{BINDING, CHECK, LEVELS, SESSION, WORKSPACE};
pub use effects::{EFFECT, FIRST, JOIN, NEW_ID, PICK};
pub use lexicon::{COMPLETE, DERIVED, LEXICON, MEMBERS, PART, RULE, SIGNAL};
pub use metric::METRIC;
pub use migration::{MIGRATION, PUT, RENAMED};
pub use missing::{list_key, table_key};
pub use pack::{
    ADDED, ANSWER_MODE, BLOCK, CARRYOVER, EVENT, FRAME, FRAME_INVARIANT, INVARIANT, KEYED, MANIFEST, MESSAGE, PARAM,
    PORT, PORT_CHECK, PORT_CONTRACT, READING, RECORD, RELATIVE, RETRY, ROW, SERVE, TABLE, USE,
};
pub use recording::{EXPECTED, RECORDING};
pub use scenario::{CALL, ENDING, ENV, EXPECT, INPUT, OUTCOME, SCENARIO, SCENARIOS, SCRIPT, TURN};
pub use sections::SECTIONS;
pub use types::{COLUMN, FRAME_FIELD, ITEM, MAP, PAYLOAD_FIELD, TYPE};

/// One kind of table: its keys, and what else may stand in it.
#[derive(Debug)]
pub struct Shape {
    /// Its name in schemas: one word, unique.
    pub name: &'static str,
    /// What findings call it, with its article, such as "a trigger".
    pub what: &'static str,
    /// What it is for, in one sentence.
    pub doc: &'static str,
    /// Its keys, in the order in which they are best written.
    pub keys: &'static [&'static [Key]],
    /// What stands under keys of the author's choice, where there may be such.
    pub rest: Option<Rest>,
    /// Ways to write it of which each has a key of its own: where there are any, it is written in exactly one of them.
    pub forms: &'static [Form],
    /// Of each of these groups of keys at least one must be there; a key of the author's choice counts as well.
    pub some: &'static [&'static [&'static str]],
    /// Keys that only stand beside another.
    pub beside: &'static [(&'static str, &'static str)],
    /// Whether it may be split over several places, so that none of them need hold all of it.
    pub split: bool,
}

/// A key of a table.
#[derive(Debug)]
pub struct Key {
    /// How it is written.
    pub name: &'static str,
    /// Whether it must be there.
    pub needed: bool,
    /// What stands under it.
    pub value: Value,
    /// What it means.
    pub doc: &'static str,
}

/// Keys of the author's choice.
#[derive(Debug)]
pub struct Rest {
    /// What such a key is, such as "a field of the frame".
    pub doc: &'static str,
    /// What may be written as one.
    pub names: Names,
    /// What stands under it.
    pub value: &'static Value,
}

/// What may be a key of the author's choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// A name that is declared here: letters, digits, `_` and `-`.
    Declared,
    /// Any text: a name that is declared elsewhere, or a value.
    Any,
    /// A code of findings, by its id or its name.
    Codes,
}

/// One way to write a table.
#[derive(Debug)]
pub struct Form {
    /// The key that says it is this one.
    pub key: &'static str,
    /// Keys that only stand beside it (or beside another form that has them too).
    pub with: &'static [&'static str],
    /// Those of them that must.
    pub needs: &'static [&'static str],
}

/// What may stand as a value.
#[derive(Debug)]
pub enum Value {
    /// Text, also none.
    Text,
    /// Text that says something.
    Word,
    /// Text that is a name: letters, digits, `_` and `-`.
    Name,
    /// `$path`.
    Path,
    /// One of some words.
    OneOf(&'static [&'static str]),
    /// The same in a class, where `for_each` may put a cell in place of the word.
    OneOfOrCell(&'static [&'static str]),
    /// `true` or `false`.
    Bool,
    /// `true`.
    True,
    /// A whole number between two.
    Int(i64, i64),
    /// A number or `%parameter`.
    Number,
    /// A whole number between two, or `%parameter`.
    Size(i64, i64),
    /// A day, written as a date or as text.
    Date,
    /// Text, a number or a truth value.
    Scalar,
    /// Any value that is written out.
    Literal,
    /// A value that an effect writes: a literal, `$path`, `%parameter` or a way to compute one.
    Computed,
    /// What a path is tested with: a value, a list of values, or a table of tests and further pieces of the path.
    Tested,
    /// What may be written where a list of literals, a path or (for `covered_by`) a list of those is due.
    Sets,
    /// A table.
    Table(&'static Shape),
    /// A table whose keys are the author's.
    Names(&'static Rest),
    /// A list of any length.
    List(&'static Value),
    /// A list that holds something.
    Some(&'static Value),
    /// One of them, or a list of them.
    OneOrMany(&'static Value),
    /// One of several.
    Either(&'static [Value]),
}

impl Shape {
    const fn new(name: &'static str, what: &'static str, doc: &'static str, keys: &'static [&'static [Key]]) -> Self {
        Self { name, what, doc, keys, rest: None, forms: &[], some: &[], beside: &[], split: false }
    }

    const fn forms(self, forms: &'static [Form]) -> Self {
        Self { forms, ..self }
    }

    const fn beside(self, beside: &'static [(&'static str, &'static str)]) -> Self {
        Self { beside, ..self }
    }

    const fn some(self, some: &'static [&'static [&'static str]]) -> Self {
        Self { some, ..self }
    }

    const fn rest(self, doc: &'static str, names: Names, value: &'static Value) -> Self {
        Self { rest: Some(Rest { doc, names, value }), ..self }
    }

    const fn split(self) -> Self {
        Self { split: true, ..self }
    }

    /// Its keys, in order.
    pub fn keys(&self) -> impl Iterator<Item = &'static Key> + use<> {
        self.keys.iter().flat_map(|keys| keys.iter())
    }

    /// The names of its keys, in order.
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        self.keys().map(|key| key.name).collect()
    }

    /// Whether it has a key.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.key(name).is_some()
    }

    /// One of its keys.
    #[must_use]
    pub fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys().find(|key| key.name == name)
    }

    /// The names of the keys that may stand where certain forms are written: those of the forms and those of no form. With no
    /// form all keys may.
    #[must_use]
    pub fn names_in(&self, is_written: impl Fn(&str) -> bool) -> Vec<&'static str> {
        let written: Vec<&Form> = self.forms.iter().filter(|form| is_written(form.key)).collect();
        if written.is_empty() {
            return self.names();
        }
        let of = |form: &Form, name: &str| form.key == name || form.with.contains(&name);
        let may =
            |name: &&str| written.iter().any(|form| of(form, name)) || !self.forms.iter().any(|form| of(form, name));
        self.names().into_iter().filter(may).collect()
    }
}

/// A key that must be there.
const fn need(name: &'static str, value: Value, doc: &'static str) -> Key {
    Key { name, needed: true, value, doc }
}

/// A key that may be left out.
const fn may(name: &'static str, value: Value, doc: &'static str) -> Key {
    Key { name, needed: false, value, doc }
}

/// A form that is one key.
const fn form(key: &'static str) -> Form {
    Form { key, with: &[], needs: &[] }
}

/// A form with keys that stand beside it.
const fn form_with(key: &'static str, with: &'static [&'static str], needs: &'static [&'static str]) -> Form {
    Form { key, with, needs }
}

/// Names of frames, fields, classes and the like, declared elsewhere.
const NAMES: Value = Value::List(&Value::Word);

/// The key `doc`.
const DOC: Key = may("doc", Value::Text, "What it is, for people.");

#[cfg(test)]
mod tests;
