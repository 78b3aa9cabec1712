//! The same document in an untidy hand: other order of keys, odd spacing, other quotes, comments everywhere. Each comment says which
//! key it stands at.

use segue::syntax::{Kind, Node, Table};

use crate::support::Dice;

fn one_of(dice: &mut Dice, texts: &[&'static str]) -> &'static str {
    texts[dice.below(texts.len())]
}

/// Writes a document as TOML. `shuffle`: keys stand in any order.
pub struct Toml<'d> {
    pub dice: &'d mut Dice,
    pub shuffle: bool,
    pub out: String,
    count: usize,
}

impl<'d> Toml<'d> {
    pub fn write(dice: &'d mut Dice, shuffle: bool, root: &Node) -> String {
        let Kind::Table(table) = &root.kind else { panic!("a document is a table") };
        let mut own = Self { dice, shuffle, out: String::new(), count: 0 };
        if own.dice.chance(50) {
            own.out.push_str("#:schema ../x.json\n");
        }
        own.table(table, &mut Vec::new());
        if own.dice.chance(30) {
            own.out.push_str("\n\n# the end, of no key");
        }
        own.out
    }

    fn space(&mut self) -> &'static str {
        one_of(self.dice, &["", " ", " ", "  ", "\t"])
    }

    fn line_end(&mut self) {
        self.out.push_str(one_of(self.dice, &["", "", " ", "\t  "]));
        self.out.push_str(if self.dice.chance(30) { "\r\n" } else { "\n" });
    }

    fn blank(&mut self) {
        for _ in 0..self.dice.below(3) {
            self.line_end();
        }
    }

    fn comment(&mut self, about: &str) {
        self.count += 1;
        self.out.push_str(&format!("# {} {about}", self.count));
    }

    /// Comments on lines of their own above a key.
    fn above(&mut self, key: &str) {
        if self.dice.chance(15) {
            self.blank();
            for _ in 0..=self.dice.below(2) {
                let space = self.space();
                self.out.push_str(space);
                self.comment(&format!("above {key}"));
                self.line_end();
            }
        } else if self.dice.chance(10) {
            self.blank();
        }
    }

    fn behind(&mut self, key: &str) {
        if self.dice.chance(15) {
            let space = self.space();
            self.out.push_str(space);
            self.comment(&format!("behind {key}"));
        }
        self.line_end();
    }

    fn order<'t>(&mut self, table: &'t Table) -> Vec<(&'t str, &'t Node)> {
        let mut entries: Vec<_> = table.iter().map(|entry| (entry.key.as_str(), &entry.value)).collect();
        if self.shuffle {
            for at in (1..entries.len()).rev() {
                entries.swap(at, self.dice.below(at + 1));
            }
        }
        entries
    }

    fn table(&mut self, table: &Table, path: &mut Vec<String>) {
        let entries = self.order(table);
        let mut later = Vec::new();
        for (key, value) in entries {
            let header = match &value.kind {
                Kind::Table(_) => self.dice.chance(50),
                Kind::List(items) => {
                    !items.is_empty()
                        && items.iter().all(|item| matches!(item.kind, Kind::Table(_)))
                        && self.dice.chance(50)
                }
                _ => false,
            };
            if header {
                later.push((key, value));
                continue;
            }
            self.above(key);
            let mut written = self.key(key);
            let mut value = value;
            // A table of one key is often written with a dot.
            while let Kind::Table(inner) = &value.kind
                && inner.len() == 1
                && self.dice.chance(50)
            {
                let only = inner.iter().next().expect("one");
                written.push_str(one_of(self.dice, &[".", " . "]));
                written.push_str(&self.key(&only.key));
                value = &only.value;
            }
            self.out.push_str(&written);
            let (before, after) = (self.space(), self.space());
            self.out.push_str(&format!("{before}={after}"));
            self.value(value, true, key == "pattern");
            self.behind(key);
        }
        for (key, value) in later {
            path.push(self.key(key));
            let header = path.join(".");
            let mut tables = Vec::new();
            match &value.kind {
                Kind::Table(inner) => tables.push((inner, format!("[{header}]"))),
                Kind::List(items) => tables.extend(items.iter().filter_map(|item| match &item.kind {
                    Kind::Table(inner) => Some((inner, format!("[[{header}]]"))),
                    _ => None,
                })),
                _ => {}
            }
            for (inner, header) in tables {
                self.blank();
                self.above(&header);
                self.out.push_str(&header);
                self.behind(&header);
                self.table(inner, path);
            }
            path.pop();
        }
    }

    fn key(&mut self, key: &str) -> String {
        let bare = !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
        match bare {
            true => key.to_owned(),
            false if !key.contains('\'') && self.dice.chance(50) => format!("'{key}'"),
            false => format!("{key:?}"),
        }
    }

    fn value(&mut self, value: &Node, breaks: bool, raw: bool) {
        match &value.kind {
            Kind::Null => panic!("no document holds nothing"),
            Kind::Bool(flag) => self.out.push_str(&flag.to_string()),
            Kind::Number(text) | Kind::Date(text) => self.out.push_str(text),
            Kind::Text(text) => {
                let plain = !text.contains(['\'', '\n', '\\']) && !text.chars().any(char::is_control);
                let quoted = match plain && (raw || self.dice.chance(30)) {
                    true => format!("'{text}'"),
                    false if text.contains('\n') => {
                        format!("\"\"\"\n{}\"\"\"", text.replace('\\', "\\\\").replace("\"\"\"", "\"\"\\\""))
                    }
                    false => format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\t', "\\t")),
                };
                self.out.push_str(&quoted);
            }
            Kind::List(items) => {
                let items: Vec<_> = items.iter().map(|item| (None, item)).collect();
                self.items(&items, ("[", "]"), breaks, raw);
            }
            Kind::Table(table) => {
                let entries: Vec<_> =
                    self.order(table).into_iter().map(|(key, value)| (Some(key.to_owned()), value)).collect();
                self.items(&entries, ("{", "}"), breaks, raw);
            }
        }
    }

    fn items(&mut self, items: &[(Option<String>, &Node)], brackets: (&str, &str), breaks: bool, raw: bool) {
        let breaks = breaks && self.dice.chance(40);
        self.out.push_str(brackets.0);
        for (at, (key, value)) in items.iter().enumerate() {
            self.gap(breaks);
            let mut raw = raw;
            if let Some(key) = key {
                raw = key == "pattern";
                let key = self.key(key);
                let (before, after) = (self.space(), self.space());
                self.out.push_str(&format!("{key}{before}={after}"));
            }
            self.value(value, breaks, raw);
            if at + 1 < items.len() || (breaks && self.dice.chance(50)) {
                let broken = breaks && self.dice.chance(20);
                self.gap(broken);
                self.out.push(',');
            }
        }
        self.gap(breaks);
        self.out.push_str(brackets.1);
    }

    fn gap(&mut self, breaks: bool) {
        let space = self.space();
        self.out.push_str(space);
        if breaks && self.dice.chance(50) {
            for _ in 0..=self.dice.below(3) {
                if self.dice.chance(30) {
                    self.comment("inside");
                }
                self.line_end();
            }
            let space = self.space();
            self.out.push_str(space);
        }
    }
}

/// Writes a document as YAML.
pub struct Yaml<'d> {
    dice: &'d mut Dice,
    out: String,
}

impl<'d> Yaml<'d> {
    pub fn write(dice: &'d mut Dice, root: &Node) -> String {
        let mut own = Self { dice, out: String::new() };
        own.block(root, 0);
        own.out
    }

    fn space(&mut self) -> &'static str {
        one_of(self.dice, &[" ", " ", "  ", "    "])
    }

    fn line_end(&mut self) {
        let comment = if self.dice.chance(10) { "  # a comment: { x,y }" } else { "" };
        self.out.push_str(comment);
        self.out.push_str(one_of(self.dice, &["\n", "\n", " \n", "\r\n"]));
        if self.dice.chance(10) {
            self.out.push_str(one_of(self.dice, &["\n\n\n", "  \n", "# 'above'  \n", "\n"]));
        }
    }

    /// A list or table on lines of its own.
    fn block(&mut self, node: &Node, indent: usize) {
        let before = " ".repeat(indent);
        match &node.kind {
            Kind::Table(table) => {
                for entry in table {
                    let key = self.key(&entry.key);
                    self.out.push_str(&format!("{before}{key}:"));
                    self.inside(&entry.value, indent);
                }
            }
            Kind::List(items) => {
                for item in items.iter() {
                    self.out.push_str(&format!("{before}-"));
                    self.inside(item, indent);
                }
            }
            _ => unreachable!("only what has lines"),
        }
    }

    fn inside(&mut self, value: &Node, indent: usize) {
        let has_lines = match &value.kind {
            Kind::Table(table) => !table.is_empty(),
            Kind::List(items) => !items.is_empty(),
            Kind::Text(text) => return self.text(text, indent),
            _ => false,
        };
        if has_lines && self.dice.chance(60) {
            self.line_end();
            let deeper = indent + 1 + self.dice.below(3);
            return self.block(value, deeper);
        }
        let space = self.space();
        self.out.push_str(space);
        self.flow(value);
        self.line_end();
    }

    /// A text below a key, sometimes as a block.
    fn text(&mut self, text: &str, indent: usize) {
        let blocks = !text.is_empty() && text.trim() == text && !text.contains('\r') && self.dice.chance(20);
        let space = self.space();
        self.out.push_str(space);
        if blocks {
            let before = " ".repeat(indent + 2);
            self.out.push_str(&format!("|-\n{before}{}\n", text.replace('\n', &format!("\n{before}"))));
            self.out.push_str(one_of(self.dice, &["", "\n", "\n\n"]));
        } else {
            self.scalar(text);
            self.line_end();
        }
    }

    fn key(&mut self, key: &str) -> String {
        let bare = !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_');
        if bare { key.to_owned() } else { format!("{key:?}") }
    }

    fn scalar(&mut self, text: &str) {
        let single = !text.contains('\n') && !text.chars().any(char::is_control) && self.dice.chance(50);
        match single {
            true => self.out.push_str(&format!("'{}'", text.replace('\'', "''"))),
            false => self.out.push_str(&serde_json::to_string(text).expect("a text")),
        }
    }

    fn flow(&mut self, value: &Node) {
        let odd = |dice: &mut Dice| one_of(dice, &["", " ", "  "]);
        match &value.kind {
            Kind::Null => panic!("no document holds nothing"),
            Kind::Bool(flag) => self.out.push_str(&flag.to_string()),
            Kind::Number(text) => self.out.push_str(text),
            Kind::Date(text) | Kind::Text(text) => self.scalar(text),
            Kind::List(items) => {
                self.out.push('[');
                for (at, item) in items.iter().enumerate() {
                    let (before, after) = (odd(self.dice), odd(self.dice));
                    self.out.push_str(before);
                    self.flow(item);
                    self.out.push_str(after);
                    if at + 1 < items.len() {
                        self.out.push(',');
                    }
                }
                self.out.push(']');
            }
            Kind::Table(table) => {
                self.out.push('{');
                for (at, entry) in table.iter().enumerate() {
                    let (before, after) = (odd(self.dice), odd(self.dice));
                    let key = self.key(&entry.key);
                    let space = self.space();
                    self.out.push_str(&format!("{before}{key}:{space}"));
                    self.flow(&entry.value);
                    self.out.push_str(after);
                    if at + 1 < table.len() {
                        self.out.push(',');
                    }
                }
                self.out.push('}');
            }
        }
    }
}
