//! `/save`: the conversation as a scenario, with its snapshot.

use std::path::{Component, Path, PathBuf};

use crate::cli::new::with_schema;
use crate::cli::terminal::cut;
use crate::scaffold::File;
use crate::scenario::snapshot;
use crate::syntax::Format;
use crate::workspace::{Problem, SNAPSHOTS, files, snapshots_of};

use super::Chat;

/// Bytes in the name of a file or a folder, at most, as file systems have it.
const LONGEST_NAME: usize = 255;

impl Chat<'_, '_> {
    /// Writes the conversation to a file, and its snapshot: both or neither, and nothing is overwritten.
    pub fn save(&mut self, rest: &str) -> Result<(), Problem> {
        let (file, name) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        if file.is_empty() {
            return Err(Problem::new("`/save` needs a file, such as `/save talk.yaml what it shows`"));
        }
        if Format::of_path(file) != Some(Format::Yaml) {
            return Err(Problem::new(format!("{}: a scenario is saved as YAML: name it *.yaml", cut(file.to_owned()))));
        }
        if Path::new(file).iter().any(|piece| piece.len() > LONGEST_NAME) {
            let message = format!("a name in it is longer than {LONGEST_NAME} bytes");
            return Err(Problem::new(format!("{}: {message}", cut(file.to_owned()))));
        }
        let path = self.place(Path::new(file))?;
        let shown = self.workspace.shown(&path);
        let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().replace(['_', '-'], " "));
        let name = if name.trim().is_empty() { stem.as_str() } else { name.trim() };
        let own = self.workspace.home(&shown).is_some_and(|home| home == self.name);
        let written = self
            .conversation
            .written(name, if own { None } else { Some(self.name.as_str()) })
            .map_err(|why| Problem::new(format!("{shown}: not written: {why}")))?;
        let text = with_schema(self.workspace, &File { path: shown.clone(), kind: "scenario", text: written.text });
        let mut all = vec![(path.clone(), shown.clone(), text)];
        let fingerprint = &self.registry.pack().fingerprint;
        for kept in snapshots_of(&path, &[&written.name]) {
            let text = snapshot::file(&shown, &written.name, fingerprint, &written.transcript);
            all.push((kept.clone(), self.workspace.shown(&kept), text));
        }
        let made = files::create(&all)?;
        let mut lines: Vec<String> = Vec::new();
        for folder in made.iter().filter(|folder| made.iter().all(|other| other.parent() != Some(folder.as_path()))) {
            lines.push(format!("made {}/", self.workspace.shown(folder)));
        }
        lines.extend(all.iter().map(|(_, shown, _)| format!("wrote {shown}")));
        if let Some(call) = self.conversation.due() {
            lines.push(format!(
                "the call to `{}`, whose outcome is due, is written as one that stays open",
                self.port(call)
            ));
        }
        if !self.known() {
            lines.push(format!("`segue replay --pack {} {shown}` replays it", self.workspace.shown(self.folder)));
        }
        self.note(&lines.join("\n"));
        Ok(())
    }

    /// Whether the pack is the one that the workspace knows by its name.
    fn known(&self) -> bool {
        self.workspace.folder_of(&self.name).is_ok_and(|folder| files::real(&folder) == files::real(self.folder))
    }

    /// The path of a file as it was typed. A name without a folder lies with the scenarios of the pack, where it is one of the workspace.
    fn place(&self, file: &Path) -> Result<PathBuf, Problem> {
        let root = self.workspace.root();
        let bare = file.components().count() == 1;
        let mut at = match bare && self.known() {
            true => files::real(&root.join(self.workspace.scenarios_folder()).join(&self.name)),
            false => files::real(&files::here()?),
        };
        for piece in file.components() {
            match piece {
                Component::CurDir => {}
                Component::ParentDir => _ = at.pop(),
                // What is not there yet has no links to follow.
                other => at = files::real(&at.join(other)),
            }
        }
        let shown = self.workspace.shown(&at);
        let Ok(inside) = at.strip_prefix(root) else {
            let message = "lies outside the workspace, and nothing is written there";
            return Err(Problem::new(format!(
                "{shown}: {message}; a name without a folder lies with the scenarios of the pack"
            )));
        };
        let mut pieces = inside.iter().map(|piece| piece.to_string_lossy()).peekable();
        while let Some(piece) = pieces.next() {
            let unread = match () {
                () if piece.starts_with('.') => "begins with a dot",
                () if piece == SNAPSHOTS => "holds snapshots",
                () if pieces.peek().is_some() && Format::of_path(&piece).is_some() => "is named like a file",
                () => continue,
            };
            let message = format!("no scenario is looked for there: `{}` {unread}", files::visible(&piece));
            return Err(Problem::new(format!("{shown}: {message}")));
        }
        Ok(at)
    }
}
