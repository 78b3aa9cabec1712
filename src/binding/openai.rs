//! Ports that a language model serves: requests to an endpoint that speaks the chat completions of OpenAI, and what its answers mean.

use core::time::Duration;

use serde_json::{Map, Value as Json, json};

use crate::engine::CallOut;
use crate::model::Pack;
use crate::model::ids::PortId;
use crate::registry::Registry;

use super::answer::{AnswerSchema, of_port};
use super::prompt::Prompt;

/// The first pause before another attempt; each one after it is twice as long.
const PAUSE: Duration = Duration::from_millis(500);
/// The most characters of an endpoint's own words that are told.
const TOLD: usize = 200;

/// A model that serves a port, as `segue.toml` says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenAi {
    /// The base URL: `https://host/v1`.
    pub url: String,
    /// The model.
    pub model: String,
    /// The environment variable that holds the key, where one is needed.
    pub key: Option<String>,
    /// The prompt: `prompts/NAME.txt` of the pack.
    pub prompt: String,
    /// The prompt that comes before it as that of the system, where there is one.
    pub system: Option<String>,
    /// After how many seconds a call has timed out, all attempts together.
    pub timeout: u64,
    /// How often an attempt may be repeated.
    pub retries: u32,
}

/// A model that is ready to be asked.
#[derive(Debug, Clone)]
pub struct Model {
    of: OpenAi,
    key: Option<String>,
    prompt: Prompt,
    system: Option<Prompt>,
    name: String,
    about: String,
    answer: AnswerSchema,
}

/// A request.
#[derive(Debug, Clone, Copy)]
pub struct Post<'a> {
    /// Where it goes.
    pub url: &'a str,
    /// The key that it bears.
    pub key: Option<&'a str>,
    /// Its body, JSON.
    pub body: &'a str,
    /// How long it may take.
    pub within: Duration,
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// How many seconds the endpoint asks to wait.
    pub retry_after: Option<u64>,
    /// The body.
    pub body: String,
}

/// Why nothing whole came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lost {
    /// It took too long.
    Timeout,
    /// The connection could not be made, or broke.
    Broken(String),
    /// The request cannot be sent at all.
    Unsendable(String),
}

/// The way to an endpoint, with its clock. The one that is real lies behind the door.
pub trait Wire {
    /// Sends a request and waits for what comes back.
    ///
    /// # Errors
    /// [`Lost`].
    fn post(&mut self, post: &Post<'_>) -> Result<Response, Lost>;
    /// How long the call has taken so far.
    fn elapsed(&self) -> Duration;
    /// Waits.
    fn wait(&mut self, pause: Duration);
}

/// What asking came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// The model's answer, a text that should be JSON.
    Text(String),
    /// There is none, and why.
    Failed(String),
    /// It took too long.
    Timeout,
}

impl Model {
    /// A model with its key and prompts, for the answers of a port.
    #[must_use]
    pub fn new(
        of: OpenAi,
        key: Option<String>,
        prompt: Prompt,
        system: Option<Prompt>,
        registry: &Registry,
        port: PortId,
    ) -> Self {
        let pack = registry.pack();
        let declared = &pack.ports[port.index()];
        let name = pack.names.text(declared.name).to_owned();
        let answer = of_port(pack, port);
        Self { of, key, prompt, system, name, about: declared.doc.clone(), answer }
    }

    /// The body of the request for a call.
    #[must_use]
    pub fn body(&self, pack: &Pack, call: &CallOut) -> Json {
        let message = |role: &str, prompt: &Prompt| json!({ "role": role, "content": prompt.fill(pack, call) });
        let mut messages: Vec<Json> = self.system.iter().map(|prompt| message("system", prompt)).collect();
        messages.push(message("user", &self.prompt));
        let mut wanted = Map::new();
        // Endpoints take letters, digits, `_` and `-`.
        let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' };
        wanted.insert("name".into(), self.name.chars().take(64).map(plain).collect::<String>().into());
        if !self.about.is_empty() {
            wanted.insert("description".into(), self.about.trim().into());
        }
        wanted.insert("strict".into(), self.answer.strict.into());
        wanted.insert("schema".into(), self.answer.schema.clone());
        json!({
            "model": self.of.model,
            "messages": messages,
            "response_format": { "type": "json_schema", "json_schema": wanted },
        })
    }

    /// Asks for the outcome of a call. An endpoint that is busy (429), that fails (5xx) or whose connection breaks is asked again,
    /// as often and as long as the binding allows.
    pub fn ask(&self, pack: &Pack, call: &CallOut, wire: &mut dyn Wire) -> Asked {
        let url = format!("{}/chat/completions", self.of.url.trim_end_matches('/'));
        let body = self.body(pack, call).to_string();
        let whole = Duration::from_secs(self.of.timeout);
        let mut pause = PAUSE;
        for attempt in 1.. {
            let Some(within) = whole.checked_sub(wire.elapsed()).filter(|left| !left.is_zero()) else {
                return Asked::Timeout;
            };
            let post = Post { url: &url, key: self.key.as_deref(), body: &body, within };
            let (why, asked_pause) = match wire.post(&post) {
                Ok(response) if response.status == 429 || response.status >= 500 => {
                    (refusal(&response), response.retry_after)
                }
                Ok(response) if (200..300).contains(&response.status) => return said(&response.body),
                Ok(response) => return Asked::Failed(refusal(&response)),
                Err(Lost::Timeout) => return Asked::Timeout,
                Err(Lost::Unsendable(why)) => return Asked::Failed(why),
                Err(Lost::Broken(why)) => (why, None),
            };
            let due = asked_pause.map_or(pause, |seconds| pause.max(Duration::from_secs(seconds)));
            if attempt > self.of.retries || wire.elapsed() + due >= whole {
                let attempts = if attempt == 1 { "1 attempt".to_owned() } else { format!("{attempt} attempts") };
                return Asked::Failed(format!("{why} ({attempts})"));
            }
            wire.wait(due);
            pause *= 2;
        }
        Asked::Timeout
    }
}

/// What the endpoint says where it does not answer.
fn refusal(response: &Response) -> String {
    let body: Json = serde_json::from_str(&response.body).unwrap_or_default();
    let words = body["error"]["message"].as_str().or(body["error"].as_str()).unwrap_or_default();
    let words: String = words.chars().take(TOLD).collect();
    let colon = if words.is_empty() { "" } else { ": " };
    format!("the endpoint answers {}{colon}{words}", response.status)
}

/// What the model says, in the body of a good response.
fn said(body: &str) -> Asked {
    let failed = |why: &str| Asked::Failed(why.to_owned());
    let Ok(body) = serde_json::from_str::<Json>(body) else { return failed("the endpoint sends no JSON") };
    let choice = &body["choices"][0];
    if let Some(refusal) = choice["message"]["refusal"].as_str().filter(|words| !words.is_empty()) {
        return Asked::Failed(format!("the model refuses: {}", refusal.chars().take(TOLD).collect::<String>()));
    }
    match choice["finish_reason"].as_str() {
        Some("length") => return failed("the answer is cut off: it is longer than the model may write"),
        Some("content_filter") => return failed("the answer was held back by the endpoint's filter"),
        _ => {}
    }
    match choice["message"]["content"].as_str() {
        Some(text) => Asked::Text(text.to_owned()),
        None => failed("the endpoint sends no answer of the model"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::testing::files;
    use crate::declare::{Options, declare};
    use crate::diag::Diagnostics;
    use crate::source::FileId;

    /// A wire on which nothing takes time but waiting.
    #[derive(Default)]
    struct Played {
        answers: Vec<Result<Response, Lost>>,
        within: Vec<Duration>,
        waited: Vec<Duration>,
    }

    impl Wire for Played {
        fn post(&mut self, post: &Post<'_>) -> Result<Response, Lost> {
            self.within.push(post.within);
            if self.answers.is_empty() { Err(Lost::Broken("gone".into())) } else { self.answers.remove(0) }
        }
        fn elapsed(&self) -> Duration {
            self.waited.iter().sum()
        }
        fn wait(&mut self, pause: Duration) {
            self.waited.push(pause);
        }
    }

    fn asked(timeout: u64, retries: u32, answers: Vec<Result<Response, Lost>>) -> (Asked, Vec<u128>, Vec<u128>) {
        let pack = declare(&files(), &Options::default()).pack.expect("a pack");
        let registry = Registry::compile(pack).expect("it compiles");
        let (pack, port) = (registry.pack(), PortId::at(0));
        let out = Diagnostics::new();
        let prompt = Prompt::read(pack, port, FileId(0), "Say it.", &out).expect("a prompt");
        let of = OpenAi {
            url: "http://localhost/v1/".into(),
            model: "m".into(),
            key: None,
            prompt: "p".into(),
            system: None,
            timeout,
            retries,
        };
        let model = Model::new(of, None, prompt, None, &registry, port);
        let call = CallOut { id: "call-1".into(), site: pack.id, port, with: Vec::new() };
        let mut wire = Played { answers, ..Played::default() };
        let asked = model.ask(pack, &call, &mut wire);
        let millis = |all: &[Duration]| all.iter().map(Duration::as_millis).collect();
        (asked, millis(&wire.within), millis(&wire.waited))
    }

    fn answer(status: u16, retry_after: Option<u64>) -> Result<Response, Lost> {
        Ok(Response { status, retry_after, body: String::new() })
    }

    #[test]
    fn pauses_double_and_the_time_is_that_of_all_attempts() {
        let (ended, within, waited) = asked(10, 3, Vec::new());
        assert_eq!(ended, Asked::Failed("gone (4 attempts)".into()));
        assert_eq!((within, waited), (vec![10_000, 9_500, 8_500, 6_500], vec![500, 1_000, 2_000]));
        // There is no time for another pause.
        let (ended, _, waited) = asked(3, 10, Vec::new());
        assert_eq!(ended, Asked::Failed("gone (3 attempts)".into()));
        assert_eq!(waited, [500, 1_000]);
    }

    #[test]
    fn what_the_endpoint_asks_for_is_waited_for_where_there_is_time() {
        let (ended, _, waited) = asked(30, 2, vec![answer(429, Some(3)), answer(503, None), answer(400, None)]);
        assert_eq!(ended, Asked::Failed("the endpoint answers 400".into()));
        assert_eq!(waited, [3_000, 1_000]);
        let (ended, _, waited) = asked(30, 2, vec![answer(429, Some(60))]);
        assert_eq!(ended, Asked::Failed("the endpoint answers 429 (1 attempt)".into()));
        assert!(waited.is_empty());
    }

    #[test]
    fn a_timeout_and_what_cannot_be_sent_are_not_repeated() {
        assert_eq!(asked(30, 2, vec![Err(Lost::Timeout)]).0, Asked::Timeout);
        let (ended, within, _) = asked(30, 2, vec![Err(Lost::Unsendable("no such host".into()))]);
        assert_eq!((ended, within.len()), (Asked::Failed("no such host".into()), 1));
    }
}
