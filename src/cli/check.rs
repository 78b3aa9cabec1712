//! `segue check`: everything that is wrong with packs and scenarios, in one run.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use clap::ValueEnum;

use crate::audit::{Audited, Findings, audit_again};
use crate::binding::{By, Prompt};
use crate::diag::{Code, Diagnostic, Diagnostics, Severity, did_you_mean, quoted, suggest};
use crate::jobs::{Both, Job};
use crate::lexicon::Automata;
use crate::model::ids::PortId;
use crate::model::uses::PackAt;
use crate::registry::Registry;
use crate::report::{self, count, plural};
use crate::scenario::outcomes;
use crate::source::{SourceMap, Span};
use crate::syntax::{self, Format};
use crate::workspace::{Choice, Chosen, Problem, Workspace, files};

use super::parallel::Workers;
use super::reading::{folder_at, start};
use super::terminal::Terminal;
use super::watch::{self, Reads};
use super::{FAILED, PASSED};

/// Find everything that is wrong with packs and scenarios, without running a scenario.
///
/// Exit codes: 0 = nothing was found, 1 = something was (an error; with `--deny warnings` a warning too), 2 = it could not be
/// run, or there was nothing to check.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Packs with all of their scenarios (the folder, or a file in it), or scenario files, or folders of these [default: the
    /// workspace].
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The form of the report.
    #[arg(long, value_enum, default_value = "human")]
    format: Form,
    /// What fails the run besides errors.
    #[arg(long, value_enum, value_name = "WHAT")]
    deny: Option<Deny>,
    /// Check the pack in this folder, or of this name in the workspace; then PATH are scenarios of it, wherever they lie.
    #[arg(long, value_name = "FOLDER")]
    pack: Option<PathBuf>,
    /// Check again whenever something is saved; with a form for people only. Ctrl-C ends it.
    #[arg(long)]
    watch: bool,
}

/// The form of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// For people: the lines at fault, and what to write.
    Human,
    /// One line for each finding.
    Short,
    /// One JSON document.
    Json,
    /// One SARIF 2.1.0 document.
    Sarif,
    /// Annotations of a GitHub workflow: the ten worst findings; the rest goes to the summary of the job.
    Github,
    /// One JUnit document: a test case for each file.
    Junit,
}

/// What fails a run besides errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Deny {
    /// Warnings.
    Warnings,
}

pub fn run(args: &Args, terminal: &mut Terminal) -> u8 {
    let reads = Reads { paths: &args.paths, pack: args.pack.as_deref() };
    let for_people = matches!(args.format, Form::Human | Form::Short);
    let forms = (!for_people).then_some("`--format human` or `short`");
    let mut known = Known { audits: Vec::new(), automata: Automata::plain(), workers: Workers::new(None) };
    let code =
        watch::run(args.watch.then_some(&reads), forms, terminal, |_, terminal| check(args, &mut known, terminal));
    // The process ends here: to take the packs apart one by one would cost more than to give all of it back at once.
    std::mem::forget(known);
    code
}

/// What is kept from one check for the next.
struct Known {
    /// Of each pack.
    audits: Vec<(Option<String>, Arc<Audited>)>,
    /// Those that were built for any of them.
    automata: Automata,
    workers: Workers,
}

/// Checks, and keeps what is `known` for the next time.
fn check(args: &Args, known: &mut Known, terminal: &mut Terminal) -> Result<u8, Problem> {
    let first = start(&args.paths, "check")?;
    let mut findings = Findings::default();
    let mut mistaken = false;
    let mut mark = SourceMap::default();
    let workspace = match Workspace::open(&first) {
        Ok(opened) => {
            mistaken = !opened.diagnostics.is_empty();
            findings.add_all(&opened.sources, opened.diagnostics.into_iter().chain(opened.doubts));
            mark = opened.sources;
            opened.workspace
        }
        Err(_) if args.pack.is_some() => Workspace::plain(&files::here()?),
        Err(problem) => return Err(problem),
    };
    let both = |one: Job<'_>, other: Job<'_>| known.workers.both(one, other);
    let choice = match choice(args, &workspace, &both) {
        // What is wrong with the settings may be why.
        Err(_) if !findings.is_empty() => Choice::default(),
        choice => choice?,
    };
    choice.stray.iter().for_each(|file| findings.add_unread(file));
    if choice.chosen.is_empty() && choice.stray.is_empty() && !mistaken {
        return Err(Problem::new(format!(
            "nothing to check: no pack and no scenario file (*.yaml, *.yml, *.toml, *.json) in {}",
            choice.looked
        )));
    }
    let packs = choice.chosen.iter().filter(|chosen| !chosen.pack.is_empty()).count();
    let scenarios = choice.chosen.iter().map(|chosen| chosen.scenarios.len()).sum();
    // The largest pack first: nothing waits for it then.
    let size = |of: &Chosen| of.pack.iter().map(|file| file.text.len()).sum::<usize>();
    let mut order: Vec<(usize, &Chosen)> = choice.chosen.iter().enumerate().collect();
    order.sort_by_key(|(_, chosen)| std::cmp::Reverse(size(chosen)));
    let mut audits = known.workers.map(&order, |(at, chosen)| {
        let name = chosen.config.place.as_ref().and_then(|place| place.pack.clone());
        let before = known.audits.iter().find(|(of, _)| *of == name).map(|(_, before)| before);
        let Chosen { pack, scenarios, config } = chosen;
        (*at, name, audit_again(before, pack, scenarios, config, &known.automata, &both))
    });
    audits.sort_by_key(|(at, ..)| *at);
    let audits = audits.into_iter().map(|(_, name, audited)| (name, audited)).collect();
    let gone = std::mem::replace(&mut known.audits, audits);
    for (name, audited) in &known.audits {
        findings.add(&audited.audit);
        if let Some((name, registry)) = name.as_deref().zip(audited.audit.registry.as_ref()) {
            bound(&workspace, &mark, (name, registry), &mut findings);
        }
    }
    let (sources, found) = findings.sorted();
    let checked = format!("{}, {}", plural(packs, "pack"), plural(scenarios, "scenario file"));
    let closing = format!("{checked}: {}\n", report::summary(&found));
    let deny = args.deny == Some(Deny::Warnings) || workspace.settings().deny_warnings;
    match args.format {
        Form::Human => {
            terminal.out(&report::human(&sources, &found, terminal.color_out()));
            terminal.out(&closing);
        }
        Form::Short => terminal.out(&report::short(&sources, &found)),
        Form::Json => terminal.out(&format!("{:#}\n", report::json(&sources, &found))),
        Form::Sarif => {
            let below = files::below_repository(workspace.root());
            terminal.out(&format!("{:#}\n", report::sarif(&sources, &found, &below)));
        }
        Form::Junit => match report::junit(&sources, &found, deny) {
            Ok(document) => terminal.out(&document),
            Err(error) => return Err(Problem::new(error.to_string())),
        },
        Form::Github => {
            let annotated = report::github(&sources, &found, &files::below_repository(workspace.root()));
            terminal.out(&annotated.log);
            terminal.out(&closing);
            if let Some(path) = files::step_summary().filter(|_| !annotated.summary.is_empty()) {
                files::append(&path, &annotated.summary)?;
            }
        }
    }
    known.workers.aside(move || drop(gone));
    let denied = deny && count(&found, Severity::Warning) > 0;
    Ok(if denied || count(&found, Severity::Error) > 0 { FAILED } else { PASSED })
}

/// What is wrong with who serves the ports of a pack in a chat. That the files of outcomes are there is known already.
fn bound(workspace: &Workspace, mark: &SourceMap, (name, registry): (&str, &Registry), findings: &mut Findings) {
    let out = Diagnostics::new();
    let served = workspace.bindings().of(name, registry, &out);
    let _ = workspace.sessions().of(name, registry, &out);
    findings.add_all(mark, out.into_sorted());
    let mut scripts = BTreeSet::new();
    for (at, served) in registry.pack().all().zip(served) {
        for (port, by) in served.into_iter().enumerate() {
            match by {
                Some(By::Script(file)) => _ = scripts.insert(file),
                Some(By::OpenAi { prompts, .. }) => prompts.iter().for_each(|named| {
                    prompt(workspace, mark, (name, registry, at), PortId::at(port), named, findings);
                }),
                _ => {}
            }
        }
    }
    for file in scripts {
        let path = workspace.root().join(&file);
        let Some(format) = Format::of_path(&file).filter(|_| files::kind(&path) == files::Kind::File) else { continue };
        let read = files::source(&path, &file);
        findings.add_unread(&read);
        if read.fault.is_none() {
            let (mut sources, out) = (SourceMap::default(), Diagnostics::new());
            let node = syntax::parse(sources.add(&file, Arc::clone(&read.text)), &read.text, format, &out);
            let _: Option<Vec<_>> = node.and_then(|node| outcomes(registry, &node, &out));
            findings.add_all(&sources, out.into_sorted());
        }
    }
}

/// A prompt lies in the folder of its pack, and speaks of what its port is asked.
fn prompt(
    workspace: &Workspace,
    mark: &SourceMap,
    (name, registry, at): (&str, &Registry, PackAt),
    port: PortId,
    (prompt, span): &(String, Span),
    findings: &mut Findings,
) {
    let folder = workspace.folder_of(name).and_then(|folder| folder_at(workspace, &folder, registry, at));
    let Ok(folder) = folder.map(|folder| folder.join("prompts")) else { return };
    let path = folder.join(format!("{prompt}.txt"));
    let shown = workspace.shown(&path);
    if files::kind(&path) != files::Kind::File {
        let found = Diagnostic::error(Code::UnknownName, *span, format!("there is no file {}", quoted(&shown)));
        let names = files::files(&folder);
        let near = suggest(prompt, names.iter().filter_map(|name| name.strip_suffix(".txt")));
        let help = near.map_or_else(|| "write the prompt into it".to_owned(), |near| did_you_mean(prompt, near));
        findings.add_all(mark, [found.help(help)]);
        return;
    }
    let read = files::source(&path, &shown);
    findings.add_unread(&read);
    if read.fault.is_none() {
        let (mut sources, out) = (SourceMap::default(), Diagnostics::new());
        let file = sources.add(&shown, Arc::clone(&read.text));
        let _ = Prompt::read(registry.at(at).pack(), port, file, &read.text, &out);
        findings.add_all(&sources, out.into_sorted());
    }
}

fn choice(args: &Args, workspace: &Workspace, both: Both<'_>) -> Result<Choice, Problem> {
    let Some(pack) = &args.pack else { return workspace.choice_by(&args.paths, both) };
    let name = pack.to_string_lossy();
    let elsewhere = files::kind(pack) != files::Kind::Missing || name.contains(['/', '\\']);
    if !elsewhere && args.paths.is_empty() {
        return workspace.choice_named(&name);
    }
    let folder = if elsewhere { files::real(pack) } else { workspace.folder_of(&name)? };
    workspace.choice_of(&folder, &args.paths)
}
