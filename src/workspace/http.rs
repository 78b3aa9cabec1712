//! The way to an endpoint over HTTP.
#![expect(clippy::disallowed_methods, reason = "this is the door")]

use std::time::{Duration, Instant};

use ureq::http::StatusCode;
use ureq::{Agent, Error};

use super::Problem;
use crate::binding::{Lost, Post, Response, Wire};

/// The most bytes that are taken of a response.
const MOST: u64 = 4 * 1024 * 1024;

/// What an environment variable holds that is no one else's business, such as a key.
///
/// # Errors
/// It is not there, is empty, or holds what no header may.
pub fn secret(name: &str) -> Result<String, Problem> {
    let value = std::env::var(name).unwrap_or_default();
    let value = value.trim();
    if value.is_empty() {
        return Err(Problem::new(format!(
            "the environment variable `{name}` holds no key: set it, or leave out `key` in segue.toml"
        )));
    }
    match value.chars().all(|c| c.is_ascii_graphic()) {
        true => Ok(value.to_owned()),
        false => Err(Problem::new(format!("the environment variable `{name}` holds what no key is made of"))),
    }
}

/// A wire for one call; its clock begins when it is made.
pub struct Http {
    agent: Agent,
    since: Instant,
}

impl Http {
    /// A wire. Proxies are those that the environment names.
    #[must_use]
    pub fn new() -> Self {
        // A redirect would carry the key elsewhere: it is an answer like any other.
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("segue/", env!("CARGO_PKG_VERSION")));
        Self { agent: config.build().new_agent(), since: Instant::now() }
    }
}

impl Default for Http {
    fn default() -> Self {
        Self::new()
    }
}

impl Wire for Http {
    fn post(&mut self, post: &Post<'_>) -> Result<Response, Lost> {
        let mut request = self.agent.post(post.url).header("content-type", "application/json");
        if let Some(key) = post.key {
            request = request.header("authorization", format!("Bearer {key}"));
        }
        let request = request.config().timeout_global(Some(post.within)).build();
        let mut response = request.send(post.body).map_err(lost)?;
        let status: StatusCode = response.status();
        let retry_after = response.headers().get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok());
        let body = response.body_mut().with_config().limit(MOST).lossy_utf8(true).read_to_string().map_err(lost)?;
        Ok(Response { status: status.as_u16(), retry_after, body })
    }

    fn elapsed(&self) -> Duration {
        self.since.elapsed()
    }

    fn wait(&mut self, pause: Duration) {
        std::thread::sleep(pause);
    }
}

fn lost(error: Error) -> Lost {
    match error {
        Error::Timeout(_) => Lost::Timeout,
        Error::BadUri(_) | Error::Http(_) | Error::InvalidProxyUrl | Error::BodyExceedsLimit(_) | Error::Tls(_) => {
            Lost::Unsendable(error.to_string())
        }
        error => Lost::Broken(format!("the connection broke: {error}")),
    }
}
