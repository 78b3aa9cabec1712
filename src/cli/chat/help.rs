//! `/help`: what can be typed, in a conversation and where an outcome is due.

use crate::model::Pack;
use crate::model::json::describe;
use crate::model::schema::{NamedType, Type};
use crate::scenario::live::OUTCOME;

use super::Chat;
use super::commands::{About, COMMANDS, Command, payload};
use super::human::ENDS;
use super::serve::Due;

/// What is wider stands on a line of its own, above what is said of it.
const WIDEST: usize = 26;
/// How many records inside each other are spelt out.
const DEEPEST: usize = 3;

impl Chat<'_, '_> {
    /// What can be typed in a conversation.
    pub fn help(&mut self) {
        let pack = self.registry.pack();
        let mut rows = self.commands(|_| true);
        rows.push((
            format!("/{OUTCOME} {{…}}"),
            "the outcome of a call that was left open: { \"call\": …, \"returns\": {…} }".into(),
        ));
        for (_, spellings) in &pack.lexicon.commands {
            let own: Vec<&str> = spellings.iter().filter(|word| word.starts_with('/')).map(String::as_str).collect();
            if !own.is_empty() && pack.said().is_some() {
                rows.push((own.join(", "), "is said to the pack, which hears it as a command".into()));
            }
        }
        for event in &pack.events {
            let key = format!("/{} {}", pack.names.text(event.turn), payload(pack, event));
            rows.push((key, event.doc.trim().to_owned()));
        }
        let text = format!(
            "a line is what the user says; `//x` says `/x`\n{}\nwhere the outcome of a call is due, `/help` says what can be typed there",
            table(&rows)
        );
        self.note(&text);
    }

    /// Some of the commands, and what they do.
    fn commands(&self, which: impl Fn(Command) -> bool) -> Vec<(String, String)> {
        // That a word may be the pack's is said where one is.
        let shadowed = COMMANDS.iter().any(|about| self.hears(about.word));
        let shown = |about: &&About| which(about.command) && (shadowed || about.command != Command::Chat);
        let row = |about: &About| (format!("/{} {}", self.word(about.word), about.rest), about.what.to_owned());
        COMMANDS.iter().filter(shown).map(row).collect()
    }

    /// What can be typed where the outcome of a call is due.
    pub fn help_here(&mut self, call: Due<'_>) {
        let registry = self.registry.at(call.0);
        let pack = registry.pack();
        let port = call.1.port.index();
        let (fields, doc) = (&registry.response[port], pack.ports[port].doc.trim());
        let mut lines = vec![format!("the outcome of `{}` is due", self.port(call))];
        if !doc.is_empty() {
            lines.push(doc.to_owned());
        }
        let mut rows: Vec<(String, String)> = fields.iter().map(|field| about(pack, field)).collect();
        lines.push(match rows.is_empty() {
            true => "its answer has no fields: an empty line says that it is done".into(),
            false => format!("a line for each field, one after the other:\n{}", table(&rows)),
        });
        lines.push("or, at once (what stands in [ ] may be left out):".into());
        rows.clear();
        rows.push((object(pack, fields, |_| "…".into()), "the whole answer, as JSON".into()));
        rows.push((ENDS.join(", "), "no answer; with `!open` the call stays open".into()));
        lines.push(table(&rows));
        lines.push("`//x` is the value `/x`; commands are these, and then the outcome is asked for again:".into());
        let here = |command| !matches!(command, Command::Event | Command::Undo | Command::Quit);
        let mut rows = self.commands(here);
        rows.push((format!("/{}", self.word("undo")), "take this turn back, calls and all".into()));
        rows.push((format!("/{}", self.word("quit")), "the end; the call stays open".into()));
        lines.push(table(&rows));
        self.note(&lines.join("\n"));
    }
}

/// A field of an answer: its name, and what it may be.
fn about(pack: &Pack, field: &NamedType) -> (String, String) {
    let mut text = spelt(pack, &field.ty, 0);
    if field.optional || field.default.is_some() {
        text.push_str("; an empty line leaves it out");
    }
    if !field.doc.trim().is_empty() {
        text.push_str(&format!("\n{}", field.doc.trim()));
    }
    (pack.names.text(field.wire).to_owned(), text)
}

/// What a value of a type is; records are spelt out as JSON.
fn spelt(pack: &Pack, ty: &Type, depth: usize) -> String {
    match ty {
        Type::Record(id) if depth < DEEPEST => {
            object(pack, &pack.records[id.index()].fields, |ty| spelt(pack, ty, depth + 1))
        }
        Type::List { of, .. } | Type::Set { of, .. } => format!("[{}, …]", spelt(pack, of, depth)),
        Type::Map { of, .. } => format!("{{KEY: {}, …}}", spelt(pack, of, depth)),
        ty => describe(pack, ty),
    }
}

/// The fields of a JSON object, each with its value; what may be left out stands in brackets.
fn object(pack: &Pack, fields: &[NamedType], value: impl Fn(&Type) -> String) -> String {
    let field = |field: &NamedType| {
        let shown = format!("\"{}\": {}", pack.names.text(field.wire), value(&field.ty));
        if field.optional || field.default.is_some() { format!("[{shown}]") } else { shown }
    };
    format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
}

/// Two columns. What is too wide for the first one has a line of its own.
fn table(rows: &[(String, String)]) -> String {
    let wide = |key: &str| key.chars().count();
    let width = rows.iter().map(|(key, _)| wide(key)).filter(|width| *width <= WIDEST).max().unwrap_or(0);
    let mut lines = Vec::new();
    for (key, text) in rows {
        let (key, mut text) = (key.trim_end(), text.lines());
        let beside = if wide(key) <= width { text.next().unwrap_or_default() } else { "" };
        lines.push(format!("  {key:<width$}  {beside}").trim_end().to_owned());
        lines.extend(text.map(|line| format!("  {:width$}  {}", "", line.trim())));
    }
    lines.join("\n")
}
