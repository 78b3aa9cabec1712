//! Reading a record: JSON with places, ways through its objects, and which of the declared forms it has.

use serde_json::{Map, Value as Json};

use crate::diag::{Code, Diagnostics, quoted};
use crate::model::Pack;
use crate::model::recording::{Members, Recording};
use crate::source::{SourceMap, Span};
use crate::syntax::{self, Kind, Node, Table};

use super::Fault;

/// A line, read as a JSON object.
pub struct Record<'t> {
    pub line: usize,
    pub node: Node,
    text: &'t str,
}

/// Where something is in a recording, for messages.
pub struct At<'r> {
    pub record: &'r Record<'r>,
    /// The dialogue.
    pub id: &'r str,
    /// The turn, from 1.
    pub turn: Option<usize>,
}

impl<'t> Record<'t> {
    pub fn read(line: usize, text: &'t str) -> Result<Self, Fault> {
        let out = Diagnostics::new();
        let mut sources = SourceMap::default();
        let file = sources.add("", text);
        let node = syntax::data(file, text, &out);
        let mut found = out.into_sorted().into_iter();
        // A record that is cut off says so first, wherever that shows.
        if let Some(found) = found.next() {
            let column = sources.start(found.primary.span).column;
            let message = match found.code {
                Code::SyntaxError => format!("the record is no JSON: {}", found.message),
                _ => format!("the record cannot be read: {}", found.message),
            };
            return Err(Fault { line, column, message, help: found.help });
        }
        let empty = Node { span: Span { file, start: 0, end: 0 }, kind: Kind::Null };
        let record = Self { line, node: node.unwrap_or(empty), text };
        match &record.node.kind {
            Kind::Table(_) => Ok(record),
            _ => {
                let message = format!("the record is no object: found {}", shown(&record.node));
                Err(record.fault(&record.node, message, Some("one JSON object stands on each line".into())))
            }
        }
    }

    /// A fault at a node.
    pub fn fault(&self, node: &Node, message: String, help: Option<String>) -> Fault {
        let mut sources = SourceMap::default();
        let file = sources.add("", self.text);
        let column = sources.start(Span { file, ..node.span }).column;
        Fault { line: self.line, column, message, help }
    }

    /// The name of the dialogue: a text or a number.
    pub fn id(&self, way: &Members) -> Result<String, Fault> {
        let lost = |node: &Node, message: String| {
            let help = "the form of the recording says where the dialogue's name is, under `id`";
            self.fault(node, message, Some(help.into()))
        };
        match find(&self.node, way) {
            Ok(Some(Node { kind: Kind::Text(text) | Kind::Number(text), .. })) => Ok(text.to_string()),
            Ok(Some(node)) => Err(lost(node, format!("`{way}`: expected a text, found {}", shown(node)))),
            Ok(None) => Err(lost(&self.node, format!("`{way}` is missing: the dialogue has no name"))),
            Err(Blocked { node, name }) => {
                Err(lost(node, format!("{name}: expected an object, found {}", shown(node))))
            }
        }
    }

    /// The turns of the dialogue.
    pub fn turns(&self, form: &Recording, id: &str) -> Result<&[Node], Fault> {
        let Some(way) = &form.turns else { return Ok(std::slice::from_ref(&self.node)) };
        let at = At { record: self, id, turn: None };
        match at.find(&self.node, way)? {
            Some(Node { kind: Kind::List(turns), .. }) => Ok(turns),
            Some(node) => Err(at.fault(node, format!("`{way}`: expected a list of turns, found {}", shown(node)))),
            None => Err(at.fault(&self.node, format!("`{way}` is missing: the dialogue has no turns"))),
        }
    }
}

impl At<'_> {
    /// A fault of this turn.
    pub fn fault(&self, node: &Node, message: String) -> Fault {
        let turn = self.turn.map_or_else(String::new, |turn| format!(", turn {turn}"));
        self.record.fault(node, format!("dialogue {}{turn}: {message}", quoted(self.id)), None)
    }

    /// What a way leads to; a null counts.
    pub fn find<'n>(&self, node: &'n Node, way: &Members) -> Result<Option<&'n Node>, Fault> {
        find(node, way).map_err(|Blocked { node, name }| {
            self.fault(node, format!("{name}: expected an object, found {}", shown(node)))
        })
    }

    /// What a way leads to; a null is nothing.
    pub fn value<'n>(&self, node: &'n Node, way: &Members) -> Result<Option<&'n Node>, Fault> {
        Ok(self.find(node, way)?.filter(|node| node.kind != Kind::Null))
    }

    /// The object that a way leads to, if there is one.
    pub fn object<'n>(&self, node: &'n Node, way: &Members) -> Result<Option<&'n Table>, Fault> {
        match self.value(node, way)? {
            None => Ok(None),
            Some(Node { kind: Kind::Table(table), .. }) => Ok(Some(table)),
            Some(node) => Err(self.fault(node, format!("`{way}`: expected an object, found {}", shown(node)))),
        }
    }

    /// The text that a way leads to, if there is one.
    pub fn text<'n>(&self, node: &'n Node, way: &Members) -> Result<Option<(&'n Node, &'n str)>, Fault> {
        match self.value(node, way)? {
            None => Ok(None),
            Some(node) => self.as_text(node, way).map(|text| Some((node, text))),
        }
    }

    /// A text that a way has led to.
    pub fn as_text<'n>(&self, node: &'n Node, way: &Members) -> Result<&'n str, Fault> {
        match &node.kind {
            Kind::Text(text) => Ok(text),
            _ => Err(self.fault(node, format!("`{way}`: expected a text, found {}", shown(node)))),
        }
    }
}

/// A way that goes through what is no object.
pub struct Blocked<'n> {
    pub node: &'n Node,
    /// What it is, in words.
    pub name: String,
}

/// What a way through objects leads to; nothing where a member is missing, or an object on the way is null.
pub fn find<'n>(node: &'n Node, way: &Members) -> Result<Option<&'n Node>, Blocked<'n>> {
    let mut at = node;
    for (depth, name) in way.names().enumerate() {
        match &at.kind {
            Kind::Table(table) => match table.get(name) {
                Some(next) => at = next,
                None => return Ok(None),
            },
            Kind::Null => return Ok(None),
            _ => {
                let names: Vec<&str> = way.names().take(depth).collect();
                let name = if names.is_empty() { "the turn".into() } else { format!("`{}`", names.join(".")) };
                return Err(Blocked { node: at, name });
            }
        }
    }
    Ok(Some(at))
}

/// A node as the JSON that was written.
pub fn json(node: &Node) -> Json {
    match &node.kind {
        Kind::Null => Json::Null,
        Kind::Bool(flag) => Json::Bool(*flag),
        // A number keeps its digits: what the reader takes for one is one.
        Kind::Number(text) => serde_json::from_str(text).unwrap_or_default(),
        Kind::Date(text) | Kind::Text(text) => Json::from(text.as_str()),
        Kind::List(items) => Json::Array(items.iter().map(json).collect()),
        Kind::Table(table) => Json::Object(object(table)),
    }
}

/// A table as the JSON object that was written.
pub fn object(table: &Table) -> Map<String, Json> {
    table.iter().map(|entry| (entry.key.to_string(), json(&entry.value))).collect()
}

/// What stands at a node, in the words of JSON.
pub fn shown(node: &Node) -> String {
    match &node.kind {
        Kind::Null => "null".into(),
        Kind::Table(_) => "an object".into(),
        _ => node.describe(),
    }
}

/// The one form of the pack that fits a record.
pub fn form_of<'p>(pack: &'p Pack, record: &Record<'_>) -> Result<&'p Recording, Fault> {
    if pack.recordings.is_empty() {
        let message = format!("the pack `{}` declares no recording", pack.names.text(pack.id));
        let help = "say in a section `[recording.NAME]` of the pack how a record is read";
        return Err(record.fault(&record.node, message, Some(help.into())));
    }
    let tried: Vec<(&Recording, Result<(), String>)> =
        pack.recordings.iter().map(|form| (form, fits(pack, form, record))).collect();
    let mut fitting = tried.iter().filter(|(_, fits)| fits.is_ok()).map(|(form, _)| *form);
    let (first, second) = (fitting.next(), fitting.next());
    let described = |fits: &Result<(), String>| match fits {
        Ok(()) => "fits".to_owned(),
        Err(why) => why.clone(),
    };
    let list: String = tried.iter().map(|(form, fits)| format!("\n  {}: {}", form.name, described(fits))).collect();
    match (first, second) {
        (Some(form), None) => Ok(form),
        (None, _) => {
            let message = format!("no recording of the pack `{}` fits the record:{list}", pack.names.text(pack.id));
            let help = "a form fits where its `turns` is a list and the first turn has all that `payload` names";
            Err(record.fault(&record.node, message, Some(help.into())))
        }
        (Some(_), Some(_)) => {
            let message =
                format!("more than one recording of the pack `{}` fits the record:{list}", pack.names.text(pack.id));
            let help = "a record must show which form it has, by `turns` and by what `payload` names";
            Err(record.fault(&record.node, message, Some(help.into())))
        }
    }
}

/// Whether a form fits a record; else what it looked for and did not find.
fn fits(pack: &Pack, form: &Recording, record: &Record<'_>) -> Result<(), String> {
    let looked = |way: &Members| find(&record.node, way).ok().flatten();
    let (turn, whose) = match &form.turns {
        None => (&record.node, "the record"),
        Some(way) => match looked(way).map(|node| &node.kind) {
            Some(Kind::List(turns)) => match turns.first() {
                Some(turn) => (turn, "the first turn"),
                None => return Err(format!("its list of turns `{way}` is empty, so no turn shows the form")),
            },
            Some(_) => return Err(format!("`{way}` is no list")),
            None => return Err(format!("the record has no list `{way}`")),
        },
    };
    let lacks: Vec<String> = form
        .payload
        .iter()
        .filter(|(_, way)| !matches!(find(turn, way), Ok(Some(_))))
        .map(|(input, way)| {
            let field = pack.names.text(pack.inputs[input.index()].name);
            format!("`{way}` (for the payload field `{field}`)")
        })
        .collect();
    if lacks.is_empty() { Ok(()) } else { Err(format!("{whose} has no {}", lacks.join(", no "))) }
}
