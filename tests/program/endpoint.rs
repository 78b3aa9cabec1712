//! A server that speaks the chat completions of OpenAI over real HTTP, and does with each request what it is told to.
#![expect(clippy::disallowed_methods, reason = "a server runs in a thread")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};

use serde_json::{Value, json};

/// What the server does with a request.
#[derive(Clone)]
pub enum Does {
    /// It answers: a status, further header lines, a body.
    Answers(u16, &'static str, String),
    /// It closes the connection without a word.
    Cuts,
    /// It closes it in the middle of the body.
    CutsBody(String),
    /// It says nothing until the other side goes.
    Hangs,
}

/// A request that came: its head and its body.
pub struct Came {
    pub head: String,
    pub body: Value,
}

pub struct Server {
    pub port: u16,
    came: Receiver<Came>,
}

impl Server {
    /// A server that does these things, one for each request.
    pub fn new(all: Vec<Does>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let (sender, came) = channel();
        std::thread::spawn(move || {
            for does in all {
                let (stream, _) = listener.accept().expect("a connection");
                serve(stream, &does, &sender);
            }
        });
        Self { port, came }
    }

    pub fn requests(&self) -> Vec<Came> {
        self.came.try_iter().collect()
    }
}

fn serve(stream: TcpStream, does: &Does, sender: &Sender<Came>) {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).expect("a head");
        if line.trim().is_empty() {
            break;
        }
        if let Some((_, value)) = line.split_once(':').filter(|(name, _)| name.eq_ignore_ascii_case("content-length")) {
            length = value.trim().parse().expect("a length");
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("a body");
    sender.send(Came { head, body: serde_json::from_slice(&body).expect("JSON") }).expect("the test waits");
    let mut stream = reader.into_inner();
    match does {
        Does::Answers(status, more, body) => {
            let head =
                format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n{more}\r\n", body.len());
            stream.write_all(format!("{head}{body}").as_bytes()).expect("written");
        }
        Does::CutsBody(body) => {
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
            stream.write_all(format!("{head}{}", &body[..body.len() / 2]).as_bytes()).expect("written");
        }
        Does::Cuts => {}
        Does::Hangs => {
            let _ = stream.read(&mut [0]);
        }
    }
}

/// A completion with this text as the model's answer.
pub fn completion(text: &str, finish: &str) -> String {
    let message = json!({ "role": "assistant", "content": text });
    json!({ "id": "x", "object": "chat.completion", "choices": [{ "index": 0, "message": message, "finish_reason": finish }] })
        .to_string()
}

pub fn good(text: &str) -> Does {
    Does::Answers(200, "content-type: application/json\r\n", completion(text, "stop"))
}
