//! Ports that a language model serves, against a server that speaks the API over real HTTP.
#![expect(clippy::disallowed_methods, reason = "these tests serve, make workspaces and start the program")]

use serde_json::{Value, json};
use snapbox::cmd::OutputAssert;

use crate::endpoint::{Does, Server, completion, good};
use crate::program::{Mini, err, out};

fn bound(server: &Server, more: &str) -> Mini {
    let mini = Mini::new();
    let url = format!("http://127.0.0.1:{}/v1", server.port);
    mini.write(
        "segue.toml",
        format!("[chat.mini.forecast]\nopenai = \"{url}\"\nmodel = \"small\"\nprompt = \"forecast\"\n{more}\n"),
    );
    mini.write(
        "transitions/mini/prompts/forecast.txt",
        "What is known of {city}? As {\"evidence\": …}, not {{city}}.\n",
    );
    mini
}

fn chat(mini: &Mini) -> OutputAssert {
    let command = mini.command(&["chat", "--numbered-ids", "--today", "2021-05-10"]).env("A_KEY", " secret-1 ");
    let proxies = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];
    proxies
        .iter()
        .fold(command, |command, name| command.env_remove(name))
        .stdin("Riga\n/state topic\n".to_owned())
        .assert()
}

/// How the call ended.
fn ended(run: &OutputAssert) -> String {
    let text = out(run);
    let call = text.lines().find_map(|line| line.split_once("forecast { city: riga } → ")).expect("the call");
    call.1.to_owned()
}

#[test]
fn a_good_answer() {
    let server = Server::new(vec![good(" {\"evidence\": \"good\"}\n")]);
    let mini = bound(&server, "system = \"manner\"\nkey = \"A_KEY\"");
    mini.write("transitions/mini/prompts/manner.txt", "You are brief.");
    let run = chat(&mini).code(0).stderr_eq("");
    assert_eq!(ended(&run), "ok { evidence: good }");
    assert!(out(&run).ends_with("city  riga\nevidence  good\nasked  1\n"), "{}", out(&run));
    let [came] = &server.requests()[..] else { panic!("one request") };
    let head = came.head.to_ascii_lowercase();
    assert!(head.starts_with("post /v1/chat/completions http/1.1\r\n"), "{head}");
    assert!(head.contains("authorization: bearer secret-1\r\n"), "{head}");
    assert!(head.contains("content-type: application/json\r\n"), "{head}");
    assert_eq!(
        came.body,
        json!({
            "model": "small",
            "messages": [
                { "role": "system", "content": "You are brief." },
                { "role": "user", "content": "What is known of riga? As {\"evidence\": …}, not {city}.\n" },
            ],
            "response_format": {
                "type": "json_schema",
                "json_schema": {
                    "name": "forecast",
                    "description": "Asks the weather service.",
                    "strict": true,
                    "schema": {
                        "type": "object",
                        "properties": { "evidence": { "type": "string", "enum": ["good", "poor"] } },
                        "required": ["evidence"],
                        "additionalProperties": false,
                    },
                },
            },
        })
    );
}

/// A strict schema asks for every field: one that is left out comes as a null.
#[test]
fn a_null_is_a_field_that_is_left_out() {
    for (answer, ends) in [
        ("{\"evidence\": \"good\", \"sun\": null, \"more\": [null, 1]}", "ok { evidence: good, more: [null, 1] }"),
        (
            "{\"evidence\": null, \"sun\": 1, \"more\": null}",
            "ok { sun: 1 }; it breaks the port's declaration: `evidence`: is null, and it is mandatory",
        ),
    ] {
        let server = Server::new(vec![good(answer)]);
        let mini = bound(&server, "");
        let field = "response = { evidence = { enum = \"evidence\" }";
        let more = ", sun = { type = \"int\", optional = true }, more = { type = \"document\", optional = true }";
        mini.edit("transitions/mini/pack.toml", field, &format!("{field}{more}"));
        assert_eq!(ended(&chat(&mini).code(0)), ends);
    }
}

/// What is no answer ends the call at once: it is not asked again, and nothing of it is applied.
#[test]
fn answers_that_are_none() {
    let answers = |body: String| Does::Answers(200, "", body);
    let said =
        |message: Value| answers(json!({ "choices": [{ "message": message, "finish_reason": "stop" }] }).to_string());
    for (does, wanted) in [
        (
            good("{\"evidence\": \"fair\"}"),
            "ok { evidence: fair }; it breaks the port's declaration: `evidence`: expected one of good, poor, found `\"fair\"`",
        ),
        (
            good("{\"evi"),
            "failed: its answer is none: a JSON object is due, and this is no JSON: EOF while parsing a string at line 1 column 5",
        ),
        (
            good("Sure! {}"),
            "failed: its answer is none: a JSON object is due, and this is no JSON: expected value at line 1 column 1",
        ),
        (
            answers(completion("{\"evidence\": \"go", "length")),
            "failed: the answer is cut off: it is longer than the model may write",
        ),
        (answers(completion("", "content_filter")), "failed: the answer was held back by the endpoint's filter"),
        (
            said(json!({ "content": null, "refusal": "I would rather not." })),
            "failed: the model refuses: I would rather not.",
        ),
        (said(json!({})), "failed: the endpoint sends no answer of the model"),
        (answers("<html>".into()), "failed: the endpoint sends no JSON"),
        (
            Does::Answers(401, "", json!({ "error": { "message": "no such key" } }).to_string()),
            "failed: the endpoint answers 401: no such key",
        ),
        (Does::Answers(404, "", "nothing here".into()), "failed: the endpoint answers 404"),
        (Does::Answers(307, "location: http://127.0.0.1:1/\r\n", String::new()), "failed: the endpoint answers 307"),
    ] {
        let server = Server::new(vec![does]);
        let run = chat(&bound(&server, "")).code(0).stderr_eq("");
        assert_eq!(ended(&run), wanted);
        assert!(out(&run).contains("reason   no_forecast\n") && out(&run).ends_with("asked  0\n"), "{}", out(&run));
        assert_eq!(server.requests().len(), 1, "{wanted}");
    }
}

/// What may be better the next time is asked again, as often as the binding says.
#[test]
fn attempts_are_repeated() {
    let busy = || Does::Answers(429, "", json!({ "error": { "message": "slow down" } }).to_string());
    let down = || Does::Answers(500, "", String::new());
    let fine = || good("{\"evidence\": \"good\"}");
    let half = || Does::CutsBody(completion("{\"evidence\": \"good\"}", "stop"));
    for (does, ends) in [
        (vec![busy(), fine()], "ok { evidence: good }"),
        (vec![down(), fine()], "ok { evidence: good }"),
        (vec![Does::Cuts, fine()], "ok { evidence: good }"),
        (vec![half(), fine()], "ok { evidence: good }"),
        (vec![busy(), busy()], "failed: the endpoint answers 429: slow down (2 attempts)"),
        (vec![down(), down()], "failed: the endpoint answers 500 (2 attempts)"),
    ] {
        let (count, server) = (does.len(), Server::new(does));
        let run = chat(&bound(&server, "retries = 1")).code(0).stderr_eq("");
        assert_eq!(ended(&run), ends);
        assert_eq!(server.requests().len(), count, "{ends}");
    }
    for does in [vec![Does::Cuts, Does::Cuts], vec![half(), half()]] {
        let server = Server::new(does);
        let run = chat(&bound(&server, "retries = 1")).code(0).stderr_eq("");
        let ended = ended(&run);
        assert!(ended.starts_with("failed: the connection broke: ") && ended.ends_with(" (2 attempts)"), "{ended}");
    }
    // Nobody listens, and one attempt is all there is.
    let server = Server::new(Vec::new());
    let mini = bound(&server, "retries = 0");
    drop(server);
    std::thread::yield_now();
    let ended = ended(&chat(&mini).code(0).stderr_eq(""));
    assert!(ended.starts_with("failed: the connection broke: ") && ended.ends_with(" (1 attempt)"), "{ended}");
}

/// A call never takes longer than the binding says, and is not put off beyond that.
#[test]
fn a_hang_is_a_timeout() {
    let server = Server::new(vec![Does::Hangs]);
    assert_eq!(ended(&chat(&bound(&server, "timeout = 1")).code(0).stderr_eq("")), "timeout");
    let server = Server::new(vec![Does::Answers(429, "retry-after: 60\r\n", String::new())]);
    let ended = ended(&chat(&bound(&server, "timeout = 5")).code(0).stderr_eq(""));
    assert_eq!(ended, "failed: the endpoint answers 429 (1 attempt)");
}

#[test]
fn bindings_that_cannot_be() {
    let server = Server::new(Vec::new());
    let told = |mini: &Mini| err(&chat(mini).code(2).stdout_eq(""));
    let mini = bound(&server, "");
    mini.write("transitions/mini/prompts/forecast.txt", "It is\n  {ctiy} { } {day}\n");
    let unknown = told(&mini);
    assert!(
        unknown.contains("transitions/mini/prompts/forecast.txt:2:3") && unknown.contains("did you mean `{city}`?"),
        "{unknown}"
    );
    assert!(unknown.contains("`day` is no argument of the port") && unknown.contains("2 errors"), "{unknown}");
    mini.write("transitions/mini/prompts/forecast.txt", " \n");
    assert!(told(&mini).contains("the prompt is empty"));
    std::fs::remove_file(mini.path("transitions/mini/prompts/forecast.txt")).expect("removed");
    assert_eq!(told(&mini), "error: transitions/mini/prompts/forecast.txt: no such file\n");
    assert!(told(&bound(&server, "key = \"NO_SUCH_KEY\"")).contains("`NO_SUCH_KEY` holds no key"));
    assert!(told(&bound(&server, "system = \"../x\"")).contains("`../x` is no name of a prompt"));
    assert!(told(&bound(&server, "retries = 11")).contains("11 is no number of retries"));
    let mini = Mini::new();
    mini.write("segue.toml", "[chat.mini.forecast]\nopenai = \"localhost:1\"\nmodel = \"m\"\nprompt = \"p\"\n");
    assert!(told(&mini).contains("`localhost:1` is no base URL"));
    mini.write("segue.toml", "[chat.mini.forecast]\nopenai = \"http://localhost:1\"\nmodel = \"m\"\n");
    assert!(told(&mini).contains("the binding lacks the key `prompt`"));
}
