//! From documents to a checked pack: every name resolved, every type known, all findings at once.

mod carry;
mod classes;
mod conditions;
mod contracts;
mod cx;
mod derive;
mod document;
mod effects;
mod expand;
mod extends;
mod fingerprint;
mod kept;
mod literals;
mod lost_lines;
mod manifest;
mod mend;
mod merge;
mod metrics;
mod migrations;
mod paths;
mod port_reads;
mod port_rules;
mod ports;
mod recordings;
mod rest;
mod slips;
mod triggers;
mod types;
mod unused;
mod uses;
mod values;
mod vocabulary;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::diag::{Code, Diagnostic, Diagnostics, quoted};
use crate::jobs::{self, Both, in_turn};
use crate::model::ids::{ClassId, FrameId};
use crate::model::{Pack, walk};
use crate::source::{FileId, SourceMap, Span};
use crate::syntax::{Kind, Node};

pub use crate::source::SourceText;
pub use contracts::contract_name;
pub use cx::RESERVED;
pub use fingerprint::together;
pub use mend::Mended;
pub use rest::{LeftOut, Rest, words};
pub use slips::{meant, named_otherwise, places};
pub use uses::{Use, used_folders};

use classes::Outline;
use cx::Cx;
use document::Document;
use manifest::Member;
use merge::Sections;
use paths::text_of;
use triggers::items;

/// What a load is told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// Parameters and their values, as texts; of equal names the last counts.
    pub params: Vec<(String, String)>,
}

/// What came of a load.
#[derive(Debug)]
pub struct Declared {
    /// The texts, by the ids that spans speak of.
    pub sources: SourceMap,
    /// All findings.
    pub diagnostics: Diagnostics,
    /// The pack; only when there is no error.
    pub pack: Option<Pack>,
}

/// How many classes a pack may have: precedence is kept for each pair.
const MOST_CLASSES: usize = 16_384;

/// What stays wrong whatever stands where a pack is not taken in, in files that cannot be read. All else is not reported
/// beside them: a name that seems unknown may be declared there.
const CERTAIN: &[Code] = &[
    Code::UnknownKey,
    Code::WrongType,
    Code::MissingKey,
    Code::MissingPart,
    Code::DuplicateName,
    Code::ReservedName,
    Code::BadValue,
    Code::BadName,
    Code::BadNever,
    Code::BadPath,
    Code::BadPattern,
    Code::BadPhrase,
    Code::DuplicateItem,
    Code::LimitExceeded,
    Code::MatchesNothing,
    Code::NoManifest,
    Code::NoStartValue,
    Code::OneOfSeveral,
    Code::OutOfRange,
    Code::PrecedenceCycle,
    Code::SaysNothing,
    Code::TooLarge,
    Code::TwoBoundaries,
    Code::TwoValues,
];

/// The name under which parameters given from outside appear in messages.
const OUTSIDE: &str = "<parameters>";

/// Reads a pack out of its files. Their order and how the pack is split over them change nothing.
#[must_use]
pub fn declare(files: &[SourceText], options: &Options) -> Declared {
    let documents = Documents::read(files, options);
    let (diagnostics, pack) = documents.declared();
    Declared { sources: documents.sources, diagnostics, pack }
}

/// The files of a pack, and of those that it uses, as documents.
#[derive(Debug)]
pub struct Documents {
    /// The texts, by the ids that spans speak of: those of the pack come first.
    pub sources: SourceMap,
    /// By the ids of the files.
    read: Vec<Document>,
    overrides: Vec<(String, Node)>,
    /// The folders of used packs that are not there, each with what to do about it.
    missing: BTreeMap<String, String>,
    /// The folder of the pack that this one extends.
    base: Option<String>,
    /// With one: the documents as they are written.
    plain: Option<Vec<Document>>,
    /// What is wrong about extending it.
    found: Vec<Diagnostic>,
    /// Whether it cannot be told what it declares.
    rootless: bool,
}

impl Documents {
    /// Reads files, in the order of their names.
    #[must_use]
    pub fn read(files: &[SourceText], options: &Options) -> Self {
        Self::read_by(files, options, &in_turn)
    }

    /// [`read`](Self::read), in which `both` reads files at the same time.
    #[must_use]
    pub fn read_by(files: &[SourceText], options: &Options, both: Both<'_>) -> Self {
        let mut sources = SourceMap::default();
        let is_missing = |file: &&SourceText| file.is_missing_pack();
        let mut missing = BTreeMap::new();
        for file in files.iter().filter(is_missing) {
            let help = file.fault.as_ref().map_or_else(String::new, |fault| fault.help.clone());
            missing.extend(file.pack.clone().map(|pack| (pack, help)));
        }
        let mut sorted: Vec<&SourceText> = files.iter().filter(|file| !is_missing(file)).collect();
        sorted.sort_by(|a, b| (&a.pack, &a.name, &a.text).cmp(&(&b.pack, &b.name, &b.text)));
        if sorted.is_empty() {
            // Spans need a file.
            sources.add("<no files>", "");
        }
        let placed: Vec<_> =
            sorted.into_iter().map(|file| (sources.add(&file.name, Arc::clone(&file.text)), file)).collect();
        let read = jobs::each(both, &placed, |_, (id, file)| Document::read(*id, file));
        let overrides = overrides(&mut sources, &options.params);
        Self::plainly(sources, read, overrides, missing).extended()
    }

    fn plainly(
        sources: SourceMap,
        read: Vec<Document>,
        overrides: Vec<(String, Node)>,
        missing: BTreeMap<String, String>,
    ) -> Self {
        Self { sources, read, overrides, missing, base: None, plain: None, found: Vec::new(), rootless: false }
    }

    /// The used pack in a folder, as the pack that is meant, loaded with these parameters. What its files hold keeps its places.
    ///
    /// # Errors
    /// There is no such pack: what to do about it.
    pub fn used(&self, folder: &str, params: &[(String, Node)]) -> Result<Self, String> {
        let used = self.plain(folder)?;
        Ok(Self { overrides: params.to_vec(), ..used }.extended())
    }

    /// The folder of the pack that this one extends.
    #[must_use]
    pub fn base(&self) -> Option<&str> {
        self.base.as_deref()
    }

    /// The pack that this one extends, by itself.
    #[must_use]
    pub fn alone(&self) -> Option<Self> {
        // Of one that extends itself that much is said.
        let leads_back = self.found.iter().any(|found| found.code == Code::LeadsBack);
        let read = self.plain.clone().filter(|_| !leads_back)?;
        let written = Self::plainly(self.sources.clone(), read, Vec::new(), self.missing.clone());
        written.used(self.base()?, &[]).ok()
    }

    /// The folder of the used pack that a file is of; `None` where it is of the pack itself.
    #[must_use]
    pub fn folder(&self, file: FileId) -> Option<&str> {
        self.read.get(file.0 as usize)?.pack.as_deref()
    }

    /// The pack in a folder, as the pack that is meant, and nothing taken in.
    fn plain(&self, folder: &str) -> Result<Self, String> {
        let is_of = |document: &&Document| document.pack.as_deref() == Some(folder);
        if !self.read.iter().any(|document| is_of(&document)) {
            return Err(self.missing.get(folder).cloned().unwrap_or_default());
        }
        let read = self.read.iter().map(|document| match document.pack.as_deref() == Some(folder) {
            true => Document { pack: None, ..document.clone() },
            // The pack that is meant is none that this one uses: its files are known under its folder as well.
            false if document.pack.is_none() => Document::absent(),
            false => document.clone(),
        });
        Ok(Self::plainly(self.sources.clone(), read.collect(), Vec::new(), self.missing.clone()))
    }

    /// How many files are of the pack itself: they come first. Those of a pack that it extends are not among them.
    #[must_use]
    pub fn own_files(&self) -> usize {
        self.read.iter().filter(|document| document.pack.is_none() && !document.base).count()
    }

    /// Whether a file is of another pack, that this one may use.
    fn is_used(&self, file: FileId) -> bool {
        self.read.get(file.0 as usize).is_some_and(|document| document.pack.is_some())
    }

    /// Those that are of the pack itself.
    fn own(&self) -> impl Iterator<Item = &Document> + Clone {
        self.read.iter().filter(|document| document.pack.is_none())
    }

    /// The documents of `files`, where these are the ones that were read but for what is written in them.
    #[must_use]
    pub fn again(&self, were: &[SourceText], files: &[SourceText]) -> Option<Self> {
        let stands = |file: &SourceText| !file.is_missing_pack();
        let is_same = |(was, is): (&SourceText, &SourceText)| {
            was == is || stands(was) && stands(is) && (&was.name, &was.pack) == (&is.name, &is.pack)
        };
        let same = were.len() == files.len() && were.iter().zip(files).all(is_same);
        let changed = were.iter().zip(files).filter(|(was, is)| was != is).map(|(_, is)| is.clone());
        same.then(|| self.with(&changed.collect::<Vec<_>>()))
    }

    /// The same with some files written differently; only these are read anew.
    #[must_use]
    pub fn with(&self, files: &[SourceText]) -> Self {
        let mut sources = SourceMap::default();
        let mut read = Vec::new();
        let plain = self.plain.as_ref().unwrap_or(&self.read);
        for id in self.sources.files() {
            let name = self.sources.name(id);
            let of = plain.get(id.0 as usize).map(|document| &document.pack);
            match files.iter().find(|file| file.name == name && Some(&file.pack) == of) {
                Some(file) => read.push(Document::read(sources.add(name, Arc::clone(&file.text)), file)),
                _ => {
                    sources.share(&self.sources, id);
                    read.extend(plain.get(id.0 as usize).cloned());
                }
            }
        }
        Self::plainly(sources, read, self.overrides.clone(), self.missing.clone()).extended()
    }

    /// What one file holds, where that can be told.
    #[must_use]
    pub fn node(&self, file: FileId) -> Option<&Node> {
        self.read.get(file.0 as usize)?.node.as_ref()
    }

    /// All of the pack itself that can be read.
    fn nodes(&self) -> impl Iterator<Item = &Node> + Clone {
        self.own().filter_map(|document| document.node.as_ref())
    }

    /// Whether something is wrong with a file as a document.
    fn is_broken(&self, file: FileId) -> bool {
        self.read.get(file.0 as usize).is_some_and(|document| !document.faults.is_empty())
    }

    /// Reads the pack out of them, with all that is found; without errors there is a pack.
    #[must_use]
    pub fn declared(&self) -> (Diagnostics, Option<Pack>) {
        let (found, pack, mended) = self.declared_or_mended();
        if let Some(mended) = mended {
            mended.found.extend(mended.told);
            return (mended.found, None);
        }
        (found, pack)
    }

    /// The same, with the pack in which slips that have many findings are put right, where there are such: what is found then is
    /// what is told of them and what is found in that pack.
    #[must_use]
    pub fn declared_or_mended(&self) -> (Diagnostics, Option<Pack>, Option<Mended>) {
        let (found, pack) = self.as_written();
        let mended = if found.has_errors() { self.mended(&found) } else { None };
        (found, pack, mended)
    }

    /// What is wrong whatever the pack that this one extends declares.
    #[must_use]
    pub fn certain(&self) -> Diagnostics {
        let Some(read) = self.plain.clone() else { return self.declared().0 };
        let (sources, overrides, missing) = (self.sources.clone(), self.overrides.clone(), self.missing.clone());
        let extended = Self::plainly(sources, read, overrides, missing).extended();
        Self { rootless: true, found: Vec::new(), ..extended }.as_written().0
    }

    /// What is found in them as they are written.
    fn as_written(&self) -> (Diagnostics, Option<Pack>) {
        let diagnostics = Diagnostics::new();
        diagnostics.extend(self.own().flat_map(|document| document.faults.iter().cloned()));
        let found = Diagnostics::new();
        let nodes: Vec<&Node> = self.nodes().collect();
        let broken = self.rootless || !diagnostics.is_empty();
        let unread = Unread::of(self);
        // What is replaced may be declared in a file that cannot be read.
        let certain = |found: &&Diagnostic| self.rootless || !broken || unread.admits(found, self);
        let mut extending: Vec<Diagnostic> = self.found.iter().filter(certain).cloned().collect();
        let mut loaded = load(&self.sources, &nodes, &self.overrides, (broken, None), &found);
        // What is missing was to be declared in a file in which nothing is.
        let open = |found: &Diagnostic| found.is_error() && meant(found).is_none() && !unread.admits(found, self);
        let blank: Vec<Diagnostic> = self.blank().collect();
        let is_open = || found.clone().into_iter().chain(extending.iter().cloned()).any(|found| open(&found));
        let found = match !blank.is_empty() && is_open() {
            true => {
                extending.retain(|found| unread.admits(found, self));
                let found = Diagnostics::new();
                loaded = load(&self.sources, &nodes, &self.overrides, (true, None), &found);
                found.extend(blank);
                found
            }
            false => found,
        };
        diagnostics.extend(extending);
        let Loaded { pack, partial, .. } = loaded;
        diagnostics.extend(found.into_iter().filter(|found| !partial || unread.admits(found, self)));
        (diagnostics, pack.filter(|_| !partial))
    }
}

/// What may stand in files that cannot be read.
struct Unread<'d> {
    /// All words in them.
    words: BTreeSet<&'d str>,
    /// Whether they may hold any other as well.
    any: bool,
}

impl<'d> Unread<'d> {
    fn of(documents: &'d Documents) -> Self {
        let mut unread = Self { words: BTreeSet::new(), any: documents.rootless };
        for (file, document) in documents.sources.files().zip(&documents.read) {
            unread.any |= document.pack.is_none() && document.blank;
            if document.pack.is_none() && !document.faults.is_empty() {
                unread.words.extend(rest::words(documents.sources.text(file)));
                unread.words.extend(contracts::contract_name(documents.sources.name(file)));
                let told = |found: &Diagnostic| matches!(found.code, Code::SyntaxError | Code::DuplicateKey);
                unread.any |= !document.faults.iter().all(told);
            }
        }
        unread.any |= unread.words.is_empty() || unread.words.contains("for_each");
        unread
    }

    /// Whether something is wrong whatever stands there.
    fn admits(&self, found: &Diagnostic, documents: &Documents) -> bool {
        match found.code {
            Code::MissingKey | Code::MissingPart => !documents.is_broken(found.primary.span.file),
            Code::UnknownName | Code::UnknownSlot | Code::UnknownValue => {
                let mut named = rest::words(documents.sources.slice(found.primary.span));
                !self.any
                    && !documents.is_broken(found.primary.span.file)
                    && named.all(|word| !self.words.contains(word))
            }
            code => CERTAIN.contains(&code),
        }
    }
}

fn overrides(sources: &mut SourceMap, params: &[(String, String)]) -> Vec<(String, Node)> {
    if params.is_empty() {
        return Vec::new();
    }
    let mut text = String::new();
    let mut spans = Vec::new();
    for (name, value) in params {
        let start = text.len();
        text.push_str(&format!("{name}={value}"));
        spans.push((start, text.len()));
        text.push('\n');
    }
    let file = sources.add(OUTSIDE, text);
    let nodes = params.iter().zip(spans).map(|((name, value), (start, end))| {
        let at = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
        (name.clone(), literals::told(value, Span { file, start: at(start), end: at(end) }))
    });
    nodes.collect()
}

/// What came of documents.
struct Loaded {
    /// The pack; only when there is no error.
    pack: Option<Pack>,
    /// Whether something was not taken in.
    partial: bool,
    /// For each class whether one that was taken out precedes it.
    shadowed: Vec<bool>,
}

/// `partial`: files of the pack cannot be read. Whether something is not taken in comes back with the pack. Of the rest of a
/// pack, the classes that were taken out: precedence still names them.
fn load(
    sources: &SourceMap,
    documents: &[&Node],
    overrides: &[(String, Node)],
    (partial, ghosts): (bool, Option<&[Member]>),
    out: &Diagnostics,
) -> Loaded {
    let sections = merge::merge(documents, out);
    let place = sections.place.unwrap_or(Span { file: FileId(0), start: 0, end: 0 });
    let mut class_nodes = expand::expand(&sections, out);
    if let Some(class) = class_nodes.get(MOST_CLASSES) {
        let message = format!("a pack has at most {MOST_CLASSES} transition classes");
        out.push(Diagnostic::error(Code::LimitExceeded, class.span, message));
    }
    let mut cx = Cx::new(out, sources, partial || class_nodes.len() > MOST_CLASSES);
    class_nodes.truncate(MOST_CLASSES);
    classes::set_right(&cx, &mut class_nodes);
    vocabulary::all_words(&cx, documents, &sections, &class_nodes);
    let manifest = manifest::manifest(&mut cx, &sections, place);
    contracts::contracts(&mut cx, &sections);
    manifest::keyed_names(&mut cx, &sections);
    vocabulary::names(&mut cx, &sections);
    vocabulary::params(&mut cx, &sections, overrides);
    vocabulary::bodies(&mut cx, &sections);
    manifest::frames(&mut cx, &sections);
    manifest::carryover(&mut cx, &sections);
    ports::events(&mut cx, &sections);
    ports::ports(&mut cx, &sections);
    ports::messages(&mut cx, &sections);
    ports::modes(&mut cx, &sections);
    words::signals(&mut cx, &sections);
    words::engine_inputs(&mut cx, &sections, &triggers::tags(&class_nodes));
    named(&mut cx, &sections);
    derive::names(&mut cx, &sections);
    let outlines = classes::outlines(&cx, &class_nodes);
    for outline in &outlines {
        for (id, ports) in &outline.calls {
            cx.calls.entry(id.clone()).or_default().extend(ports);
        }
    }
    let reasons = reasons(&class_nodes);
    let calls: Vec<String> = cx.calls.keys().cloned().collect();
    ports::words(&mut cx, place, &calls, &reasons, port_rules::breaches(&sections));
    kept::kept(&mut cx, &outlines);
    cx.check_unique();
    for (port, checks) in port_rules::checks(&cx, &sections).into_iter().enumerate() {
        cx.ports[port].checks = checks;
    }
    for (port, readings) in port_reads::readings(&cx, &sections).into_iter().enumerate() {
        cx.ports[port].readings = readings;
    }
    let cx = cx;
    let derived = derive::derived(&cx, &sections);
    let words = words::lexicon(&cx, &sections);
    let classes: Vec<_> = outlines.iter().filter_map(|outline| classes::class(&cx, outline, &words)).collect();
    let members: Vec<Member> = outlines
        .iter()
        .map(|outline| Member { id: outline.id.to_owned(), groups: outline.groups.clone(), span: outline.id_span })
        .collect();
    let order = manifest::precedence(&cx, &sections, &members, ghosts);
    let boundary = boundary(&cx, &sections, &outlines, place);
    let invariants = manifest::invariants(&cx, &sections);
    let ended = manifest::ended(&cx, &sections);
    let recordings = recordings::recordings(&cx, &sections, &outlines);
    let metrics = metrics::metrics(&cx, &sections, &outlines);
    let migrations = migrations::migrations(&cx, &sections);
    let serves = uses::serves(&cx, &sections);
    let mut unused = unused::inlined(&cx);
    unused.extend(unused::named(&cx, &sections, &classes));
    poison(&cx, place);
    let partial = cx.partial.get();
    let Some(boundary) = boundary.filter(|_| !out.has_errors()) else {
        return Loaded { pack: None, partial, shadowed: Vec::new() };
    };
    let told: Vec<(String, String)> = overridden(&sections, overrides);
    let fingerprint = fingerprint::fingerprint(&sections, &class_nodes, &told);
    let id = cx.intern(&manifest.id);
    let aggregate = cx.intern(&manifest.aggregate);
    let owners = manifest.owners.iter().map(|owner| cx.intern(owner)).collect();
    let reasons = reasons.iter().map(|reason| cx.intern(reason)).collect();
    let mut pack = Pack {
        id,
        title: manifest.title,
        aggregate,
        owners,
        names: cx.names.into_inner(),
        fingerprint,
        params: cx.params,
        enums: cx.enums.into_inner(),
        tables: cx.tables,
        records: cx.records,
        relative: cx.relative,
        keyed: cx
            .frames
            .iter()
            .enumerate()
            .filter(|(_, of)| of.keyed.is_some())
            .map(|(at, _)| FrameId::at(at))
            .collect(),
        frames: cx.frames,
        slots: cx.slots,
        carryover: cx.carryover,
        decide: cx.decide,
        while_open: manifest.while_open,
        step_limit: manifest.step_limit,
        ended,
        events: cx.events,
        inputs: cx.inputs,
        derived,
        completions: words.completions,
        signal_inputs: words.signal_inputs,
        ports: cx.ports,
        outcomes: cx.outcomes,
        kept: cx.kept.into_iter().map(|(name, ty, _)| (name, ty)).collect(),
        messages: cx.messages,
        modes: cx.modes,
        invariants,
        lexicon: words.lexicon,
        classes,
        precedes: order.precedes.into(),
        chains: order.chains,
        boundary,
        contracts: cx.contracts,
        breaches: cx.words.breaches,
        reasons,
        recordings,
        metrics,
        migrations,
        unused,
        serves,
        composed: None,
    };
    walk::fill(&mut pack);
    Loaded { pack: Some(pack), partial, shadowed: order.shadowed }
}

/// Named conditions and blocks, not read before they are used.
fn named<'a>(cx: &mut Cx<'a>, sections: &Sections<'a>) {
    for item in sections.of("condition") {
        cx.check_form("a condition", item.name, item.key);
        cx.conditions.insert(item.name, *item);
    }
    for item in sections.of("block") {
        cx.check_form("a block", item.name, item.key);
        cx.blocks.insert(item.name, *item);
    }
}

/// Each reason that the pack names, by name.
fn reasons(classes: &[Node]) -> Vec<String> {
    let mut reasons = BTreeSet::new();
    for class in classes {
        let Kind::Table(table) = &class.kind else { continue };
        let unmet = table.get("unmet").into_iter();
        for node in unmet.chain(items(class, "trigger")) {
            if let Kind::Table(table) = &node.kind {
                reasons.extend(table.get("reason").and_then(text_of).map(str::to_owned));
            }
        }
    }
    reasons.into_iter().collect()
}

/// Nothing may be left without a type when nothing was found: a pack with holes would run wrongly.
fn poison(cx: &Cx<'_>, place: Span) {
    let types = cx.inputs.iter().map(|input| (&input.ty, input.span));
    let types = types.chain(cx.slots.iter().map(|slot| (&slot.ty, slot.span)));
    let types = types.chain(cx.outcomes.iter().map(|outcome| (&outcome.ty, outcome.span)));
    let mut types = types.chain(cx.kept.iter().map(|(_, ty, span)| (ty, *span)));
    if let Some((_, span)) = types.find(|(ty, _)| cx::poisoned(ty))
        && !cx.out.has_errors()
    {
        let place = if span.file == place.file || span.end > span.start { span } else { place };
        cx.error_help(Code::WrongType, place, "the type of this cannot be told", "say what it is made of by its type");
    }
}

/// The one class with a boundary trigger.
fn boundary(cx: &Cx<'_>, sections: &Sections<'_>, outlines: &[Outline<'_>], place: Span) -> Option<ClassId> {
    let mut boundaries = outlines.iter().enumerate().filter(|(_, outline)| outline.boundary);
    let Some((at, first)) = boundaries.next() else {
        if outlines.iter().any(|outline| outline.open && !outline.reasons) {
            // A trigger on nothing known may be the one that is meant.
            return None;
        }
        let span = sections.header("pack").unwrap_or(place);
        let mut found = Diagnostic::error(Code::NoBoundary, span, "no class is the boundary");
        for outline in outlines.iter().filter(|outline| outline.reasons) {
            found = found.also(outline.id_span, "this class gives reasons, as only the boundary does");
        }
        cx.out.push(found.help("one class must take what no other takes: give it `[[trigger]] event = \"boundary\"`"));
        return None;
    };
    let Some(own) = boundary_triggers(first).next() else { return Some(ClassId::at(at)) };
    for again in boundary_triggers(first).skip(1) {
        let message = format!("{} has two boundary triggers", quoted(first.id));
        let found = Diagnostic::error(Code::TwoBoundaries, again, message).also(own, "the first one");
        cx.out.push(found.help("keep one of them: it has no conditions, so a second one adds nothing"));
    }
    for (_, other) in boundaries {
        let span = boundary_triggers(other).next().unwrap_or(other.id_span);
        let message = format!("{} is a second boundary", quoted(other.id));
        let found = Diagnostic::error(Code::TwoBoundaries, span, message)
            .also(own, format!("{} is the boundary already", quoted(first.id)));
        cx.out.push(found.help("only one class takes what no other takes: give this one a trigger of its own"));
    }
    Some(ClassId::at(at))
}

/// Where a class is declared to be the boundary.
fn boundary_triggers<'n>(outline: &Outline<'n>) -> impl Iterator<Item = Span> + use<'n> {
    let triggers: &[Node] = match outline.table.get("trigger").map(|node| &node.kind) {
        Some(Kind::List(list)) => list,
        _ => &[],
    };
    triggers.iter().filter_map(|node| match &node.kind {
        Kind::Table(table) if table.get("event").and_then(text_of) == Some("boundary") => Some(node.span),
        _ => None,
    })
}

/// Parameters whose value is not the declared one.
fn overridden(sections: &Sections<'_>, overrides: &[(String, Node)]) -> Vec<(String, String)> {
    let mut told: BTreeMap<String, String> = BTreeMap::new();
    let text = |node: &Node| match &node.kind {
        Kind::Text(text) | Kind::Number(text) | Kind::Date(text) => text.to_string(),
        Kind::Bool(value) => value.to_string(),
        _ => String::new(),
    };
    for (name, node) in overrides {
        let declared = match sections.get("param", name).map(|node| &node.kind) {
            Some(Kind::Table(table)) => table.get("default").map(text),
            _ => None,
        };
        if declared.as_deref() == Some(&text(node)) {
            told.remove(name);
        } else {
            told.insert(name.clone(), text(node));
        }
    }
    told.into_iter().collect()
}

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
