//! Each `must not` and `must preserve` of S3, broken on purpose. With the guarding declarations in place the mutant does not
//! load, or its step is refused; with them taken out as well, a scenario fails.

use std::path::Path;

use segue::declare::{Options, SourceText};
use segue::diag::Severity;
use segue::load::load;
use segue::registry::Registry;
use segue::report::human;
use segue::scenario::{Scenario, play, replay, script};
use segue::source::SourceMap;
use segue::workspace::Workspace;

/// A replacement of text in one file of the pack.
type Edit = (&'static str, &'static str, &'static str);

/// A pack that breaks one sentence of S3.
struct Mutant {
    /// The sentence.
    sentence: &'static str,
    /// What breaks it.
    breaks: &'static [Edit],
    /// What takes its guards out.
    guards: &'static [Edit],
}

const MUTANTS: &[Mutant] = &[
    Mutant {
        sentence: "T1 must not inherit stale focus_object",
        breaks: &[("T1.toml", "keep = []", "keep = [\"object\"]")],
        guards: &[
            ("T1.toml", "forbid = [\"root\", \"object\", \"meta\"]", "forbid = [\"root\", \"meta\"]"),
            ("T1.toml", "object.focus_object_ref = { present = true }", "object.focus_object_ref = \"none\""),
        ],
    },
    Mutant {
        sentence: "T2 must preserve root domain",
        breaks: &[("T2.toml", "clear = [\"coverage_gate\", ", "clear = [\"coverage_gate\", \"root.domain_id\", ")],
        guards: &[
            ("T2.toml", "  \"root.domain_id\", ", "  "),
            (
                "state.toml",
                "then = { root.domain_id = { present = true } }",
                "then = { root.frame_status = \"active\" }",
            ),
        ],
    },
    Mutant {
        sentence: "T2 must preserve organization scope if not explicitly changed",
        breaks: &[(
            "T2.toml",
            "[[do]]\nset.root = {",
            "[[do]]\nclear = [\"root.organization_scope\"]\n[[do]]\nset.root = {",
        )],
        guards: &[("T2.toml", "{ field = \"root.organization_scope\", unless = \"input.organization_scope\" }, ", "")],
    },
    Mutant {
        sentence: "T2 must not downgrade into unknown if supported root route exists",
        breaks: &[
            ("T2.toml", "clear = [\"coverage_gate\", ", "clear = [\"coverage_gate\", \"root.root_route_id\", "),
            ("T2.toml", "with = { route = \"$root.root_route_id\"", "with = { route = \"$input.target_route\""),
            ("T2.toml", "keep = { route = \"$root.root_route_id\"", "keep = { route = \"$input.target_route\""),
        ],
        guards: &[
            ("T2.toml", "root.root_route_id = { present = false }\n", "root.root_route_id = \"item_sale\"\n"),
            (
                "T2.toml",
                "  { field = \"root.root_route_id\", unless = { before.root.root_route_id = { present = false } } },\n",
                "",
            ),
        ],
    },
    Mutant {
        sentence: "T3 must preserve source result set",
        breaks: &[("T3.toml", "source_result_set_id = \"$root.root_result_set_id\", ", "")],
        guards: &[(
            "T3.toml",
            "  { field = \"object.source_result_set_id\", equals = \"$before.root.root_result_set_id\" }, ",
            "  ",
        )],
    },
    Mutant {
        sentence: "T3 must preserve compatible temporal ceiling",
        breaks: &[(
            "T3.toml",
            "first = [\"$input.date_scope?\", \"$root.date_scope?\"]",
            "first = [\"$input.date_scope?\"]",
        )],
        guards: &[(
            "T3.toml",
            "object.temporal_ceiling = { differs = \"$before.root.date_scope\" }",
            "object.temporal_ceiling = \"1901\"",
        )],
    },
    Mutant {
        sentence: "T4 must not fall into generic chat",
        breaks: &[("T4.toml", "confirmed = \"exact_item\"", "confirmed = \"chat\"")],
        guards: &[("T4.toml", "answer.mode = [\"chat\", \"data_scope\"]", "answer.mode = \"data_scope\"")],
    },
    Mutant {
        sentence: "T4 must not fall into data-scope selection",
        breaks: &[(
            "T4.toml",
            "set.living_mode = { living_mode = \"address_data\"",
            "set.living_mode = { living_mode = \"assistant_data_scope\"",
        )],
        guards: &[(
            "T4.toml",
            "living_mode.living_mode = [\"chat\", \"assistant_data_scope\"]",
            "living_mode.living_mode = \"chat\"",
        )],
    },
    Mutant {
        sentence: "T4 must not lose selected object because the wording is short",
        breaks: &[(
            "T4.toml",
            "do = [ { use = \"object_settled\" } ]",
            "do = [ { use = \"object_settled\" }, { clear = [\"object\"] } ]",
        )],
        guards: &[
            ("T4.toml", "  \"object.focus_object_ref\", ", "  "),
            ("T4.toml", "  \"object.focus_object_kind\",\n", ""),
            ("T4.toml", "  \"object.source_result_set_id\",\n", ""),
            ("T4.toml", "  \"object.compatible_route_family\",\n", ""),
            ("T4.toml", "  { field = \"object.temporal_ceiling\", unless = \"input.date_scope\" },\n", ""),
            ("T4.toml", "\nobject.focus_object_ref = { present = false }", "\nobject.focus_object_ref = \"none\""),
        ],
    },
    Mutant {
        sentence: "T5 must not degrade full object anchor into vague semantic noise",
        breaks: &[(
            "T5.toml",
            "with = { route = \"$input.object_route\", object = \"$object.focus_object_ref\", ",
            "with = { route = \"$input.object_route\", ",
        )],
        guards: &[(
            "T5.toml",
            "call.item.object = { differs = \"$before.object.focus_object_ref\" }",
            "call.item.object = \"none\"",
        )],
    },
    Mutant {
        sentence: "T6 must preserve organization root scope",
        breaks: &[(
            "T6.toml",
            "fields = [\"root.organization_scope\", \"root.date_scope\"]",
            "fields = [\"root.date_scope\"]",
        )],
        guards: &[(
            "T6.toml",
            "  { field = \"root.organization_scope\", unless = \"input.organization_scope\" },\n",
            "",
        )],
    },
    Mutant {
        sentence: "T6 must preserve date root scope",
        breaks: &[(
            "T6.toml",
            "fields = [\"root.organization_scope\", \"root.date_scope\"]",
            "fields = [\"root.organization_scope\"]",
        )],
        guards: &[("T6.toml", "  { field = \"root.date_scope\", unless = \"input.date_scope\" },\n", "")],
    },
    Mutant {
        sentence: "T6 drops the object context",
        breaks: &[("T6.toml", "keep = []", "keep = [\"object\"]")],
        guards: &[
            ("T6.toml", "forbid = [\"object\", \"meta\"]", "forbid = [\"meta\"]"),
            ("T6.toml", "object.focus_object_ref = { present = true }", "object.focus_object_ref = \"none\""),
        ],
    },
    Mutant {
        sentence: "T6 must not replay object route into another domain",
        breaks: &[("T6.toml", "root_route_id = \"$input.target_route\"", "root_route_id = \"item_sale\"")],
        guards: &[("T6.toml", "call.run.port = \"route_execute\"\n", "call.run.port = \"meta_answer\"\n")],
    },
    Mutant {
        sentence: "T7 must not forget the suspended target route",
        breaks: &[
            ("T7.toml", "root_route_id = \"$clarification.resume_target_route\"", "root_route_id = \"stock_on_date\""),
            (
                "T7.toml",
                "with = { route = \"$before.clarification.resume_target_route\"",
                "with = { route = \"stock_on_date\"",
            ),
        ],
        guards: &[
            (
                "T7.toml",
                "root.root_route_id = { differs = \"$before.clarification.resume_target_route\" }",
                "root.root_route_id = { present = false }",
            ),
            (
                "T7.toml",
                "call.run.route = { differs = \"$before.clarification.resume_target_route\" }",
                "call.run.route = { present = false }",
            ),
        ],
    },
    Mutant {
        sentence: "T8 must not blindly replay exact route",
        breaks: &[(
            "T8.toml",
            "[[settle]]\n",
            "[[do]]\nwhen = { answer_context.route_id = { present = true } }\ncall = \"route_execute\"\nid = \"replay\"\nwith = { route = \"$answer_context.route_id\" }\nkeep = { route = \"$answer_context.route_id\" }\n[[settle]]\n",
        )],
        guards: &[(
            "T8.toml",
            "call.port = { contains = \"route_execute\" }",
            "call.port = { contains = \"route_execute\" }\nanswer.mode = \"chat\"",
        )],
    },
    Mutant {
        sentence: "T9 must not invent conversation memory",
        breaks: &[("T9.toml", "answer_context.grounded = true\n", "answer_context.grounded = [true, false]\n")],
        guards: &[
            (
                "T9.toml",
                "answer_context.grounded = false\n",
                "answer_context.grounded = false\nanswer.mode = \"chat\"\n",
            ),
            (
                "invariants.toml",
                "then = { answer_context.grounded = true }",
                "then = { answer_context.grounded = [true, false] }",
            ),
        ],
    },
    Mutant {
        sentence: "T10 must not masquerade blocked execution as confirmed factual answer",
        breaks: &[(
            "T10.toml",
            "when = { reason = \"evidence_blocked\", coverage_gate.truth_mode = \"unsupported\" }\nmode = \"bounded\"",
            "when = { reason = \"evidence_blocked\", coverage_gate.truth_mode = \"unsupported\" }\nmode = \"exact_route\"",
        )],
        guards: &[
            ("T10.toml", "answer.claims = \"confirmed\"\n", "answer.claims = \"confirmed\"\nreason = \"small_talk\"\n"),
            (
                "invariants.toml",
                "then = { answer.claims = { not = \"confirmed\" } }",
                "then = { coverage_gate.coverage_status = \"blocked\" }",
            ),
            (
                "invariants.toml",
                "when = { answer.claims = \"confirmed\" }",
                "when = { answer.claims = \"confirmed\", reason = \"small_talk\" }",
            ),
        ],
    },
];

fn workspace() -> Workspace {
    Workspace::of(Path::new(env!("CARGO_MANIFEST_DIR"))).expect("the repository is a workspace")
}

fn edited(files: &[SourceText], edits: &[Edit]) -> Vec<SourceText> {
    let mut files = files.to_vec();
    for (name, old, new) in edits {
        let file = files.iter_mut().find(|file| file.name.ends_with(&format!("/{name}"))).expect("the file is there");
        assert!(file.text.contains(old), "`{old}` does not stand in {name}");
        file.text = file.text.replacen(old, new, 1).into();
    }
    files
}

/// The scenarios of the main pack, in the order of their files.
fn corpus() -> Vec<Scenario> {
    let workspace = workspace();
    let folder = workspace.root().join("scenarios/assistant");
    let corpus = workspace.corpus(&[folder]).expect("the scenarios can be read");
    corpus.cases.into_iter().map(|case| case.scenario).collect()
}

/// Whether a step of some scenario was refused, or could not be taken.
fn refuses(registry: &Registry, corpus: &[Scenario]) -> bool {
    corpus.iter().any(|scenario| {
        let Ok(script) = script(registry, scenario) else { return false };
        let played = play(registry, &script, script.turns.len());
        let mut steps = played.turns.iter().flat_map(|turn| &turn.steps);
        steps.any(|step| step.result.as_ref().map_or(true, |step| !step.failures.is_empty()))
    })
}

#[test]
fn the_unmutated_pack_breaks_nothing() {
    let files = workspace().pack("assistant").expect("the main pack can be read");
    let registry = load(&files, &Options::default()).registry.expect("it loads");
    let corpus = corpus();
    assert!(corpus.len() > 100, "{} scenarios", corpus.len());
    assert!(!refuses(&registry, &corpus));
}

#[test]
fn guards_refuse_each_mutant_and_scenarios_catch_it_without_them() {
    let files = workspace().pack("assistant").expect("the main pack can be read");
    let corpus = corpus();
    let mut wrong = Vec::new();
    for Mutant { sentence, breaks, guards } in MUTANTS {
        let broken = edited(&files, breaks);
        let loaded = load(&broken, &Options::default());
        let refused = loaded.diagnostics.iter().any(|found| found.severity == Severity::Error)
            || loaded.registry.as_ref().is_some_and(|registry| refuses(registry, &corpus));
        if !refused {
            wrong.push(format!("{sentence}: neither loading nor a step refuses the mutant"));
        }
        let unguarded = load(&edited(&broken, guards), &Options::default());
        match &unguarded.registry {
            None => wrong.push(format!(
                "{sentence}: without its guards it does not load\n{}",
                shown(&unguarded.sources, &unguarded.diagnostics)
            )),
            Some(registry) => {
                let caught = corpus.iter().filter(|scenario| !replay(registry, scenario).failures.is_empty()).count();
                if caught == 0 {
                    wrong.push(format!("{sentence}: no scenario fails"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

fn shown(sources: &SourceMap, found: &[segue::diag::Diagnostic]) -> String {
    human(sources, found, false)
}
