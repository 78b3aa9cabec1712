//! A language model that makes the query, where an endpoint is named.
#![expect(clippy::disallowed_methods, reason = "the endpoint is named by the environment")]

use std::path::Path;

use segue::binding::{Asked, Model, OpenAi, Prompt};
use segue::declare::Options;
use segue::diag::Diagnostics;
use segue::engine::CallOut;
use segue::load::load;
use segue::model::ids::PortId;
use segue::model::json::fields_from_wire;
use segue::source::SourceMap;
use segue::workspace::{Http, Workspace, secret};
use serde_json::Value as Json;

use super::database::Database;

/// The environment variables: the base URL of the endpoint, the model, and the key, where it needs one.
const ENDPOINT: &str = "TEXT_TO_SQL_OPENAI";
const MODEL: &str = "TEXT_TO_SQL_MODEL";
const KEY: &str = "TEXT_TO_SQL_KEY";
/// The pack whose ports are served.
const PACK: &str = "refinement";
/// For how many seconds the model may think, and how often it is asked again.
const TIMEOUT: u64 = 120;
const RETRIES: u32 = 2;

/// The endpoint that is named, and the model.
pub fn named() -> Result<Option<(String, String)>, String> {
    let var = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    match (var(ENDPOINT), var(MODEL)) {
        (None, _) => Ok(None),
        (Some(url), Some(model)) => Ok(Some((url, model))),
        (Some(_), None) => Err(format!("{ENDPOINT} names an endpoint, and {MODEL} no model")),
    }
}

/// What the model answers to a call of a port: an object with `query` and what else the port takes. It gets the question or the query
/// with what is to be changed of it, and the declarations of the tables; never a row.
///
/// # Errors
/// The endpoint fails, or its answer is none.
pub fn ask((url, model): (String, String), port: &str, with: &Json, database: &Database) -> Result<Json, String> {
    let texts = Workspace::of(Path::new("."))
        .and_then(|workspace| workspace.pack(PACK))
        .map_err(|problem| problem.to_string())?;
    let loaded = load(&texts, &Options::default());
    let registry = loaded.registry.ok_or_else(|| format!("the pack {PACK} does not load"))?;
    let pack = registry.pack();
    let port = pack
        .ports
        .iter()
        .position(|of| pack.names.text(of.name) == port)
        .map(PortId::at)
        .ok_or("there is no such port")?;
    let template = match pack.names.text(pack.ports[port.index()].name) {
        "generate" => include_str!("prompts/generate.txt"),
        _ => include_str!("prompts/refine.txt"),
    };
    let prompt = |name: &str, text: &str| {
        let (mut sources, out) = (SourceMap::default(), Diagnostics::new());
        let prompt = Prompt::read(pack, port, sources.add(name, text), text, &out);
        prompt.ok_or_else(|| format!("the prompt {name} is none"))
    };
    let system = include_str!("prompts/system.txt").replace("{{tables}}", database.tables());
    let (main, system) = (prompt("query", template)?, prompt("system", &system)?);
    let key = std::env::var_os(KEY).map(|_| secret(KEY)).transpose().map_err(|problem| problem.to_string())?;
    let of = OpenAi { url, model, key: None, prompt: "query".into(), system: None, timeout: TIMEOUT, retries: RETRIES };
    let fields =
        fields_from_wire(pack, &pack.ports[port.index()].request, false, with).map_err(|error| error.to_string())?;
    let call = CallOut { id: "call".into(), site: pack.id, port, with: fields.fields };
    match Model::new(of, key, main, Some(system), &registry, port).ask(pack, &call, &mut Http::new()) {
        Asked::Text(text) => match serde_json::from_str(text.trim()) {
            Ok(answer @ Json::Object(_)) => Ok(answer),
            _ => Err("the model answers with no JSON object".into()),
        },
        Asked::Failed(why) => Err(why),
        Asked::Timeout => Err(format!("the model takes longer than {TIMEOUT} s")),
    }
}
