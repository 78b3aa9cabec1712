//! Where a server of PostgreSQL is: what a URL says of it, and what of that may be shown.

use std::fmt;
use std::net::IpAddr;

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

use crate::session::StoreError;
use crate::workspace::files;

/// How such a URL is written.
const FORM: &str = "postgres://USER@HOST:PORT/DATABASE, where each sign that is no letter or digit is written %XX";
/// The options that may stand behind `?`.
const OPTIONS: [&str; 16] = [
    "application_name",
    "channel_binding",
    "connect_timeout",
    "host",
    "hostaddr",
    "keepalives",
    "keepalives_idle",
    "keepalives_interval",
    "keepalives_retries",
    "load_balance_hosts",
    "options",
    "port",
    "sslmode",
    "sslrootcert",
    "target_session_attrs",
    "tcp_user_timeout",
];

/// A server and a database of it. What is shown of it holds no password.
pub struct Address {
    /// What the driver is told.
    pub config: Config,
    /// The certificates that are trusted, where the connection is one of TLS.
    pub tls: Option<Trust>,
}

/// Who is trusted to say that a server is who it is.
pub enum Trust {
    /// Those whom browsers trust.
    Public,
    /// The certificates in this text, in PEM form.
    These(String),
}

impl Address {
    /// Reads a URL. The password is the one in it, or else this one.
    pub fn of(url: &str, password: Option<&str>) -> Result<Self, StoreError> {
        let Some(rest) = ["postgres://", "postgresql://"].iter().find_map(|scheme| url.strip_prefix(scheme)) else {
            return Err(failed(format!("it is no URL of PostgreSQL; due is {FORM}")));
        };
        // What stands before the last `@` may be a password: nothing of it is ever told.
        let told = rest.rfind('@').map_or(0, |at| at + 1);
        let (before, options) = match rest[told..].find('?') {
            Some(at) => (&rest[..told + at], &rest[told + at + 1..]),
            None => (rest, ""),
        };
        if before.matches('@').count() > 1 {
            return Err(failed(format!("its URL has more than one `@`, which a password has as %40; due is {FORM}")));
        }
        let (mut kept, mut mode, mut roots) = (Vec::new(), None, None);
        for option in options.split('&').filter(|option| !option.is_empty()) {
            let (key, value) = option.split_once('=').unwrap_or((option, ""));
            match key {
                "sslmode" => mode = Some(safe(value)?),
                "sslrootcert" => roots = Some(decoded(value)?),
                key if OPTIONS.contains(&key) => kept.push(option),
                "user" | "password" | "dbname" => {
                    return Err(failed(format!("`{key}` stands before the `?` of the URL; due is {FORM}")));
                }
                key => {
                    let known = OPTIONS.join(", ");
                    return Err(failed(format!("its URL has the option `{key}`, which is none; there are {known}")));
                }
            }
        }
        let plain = format!("postgres://{before}?{}", kept.join("&"));
        let mut config: Config = plain.parse().map_err(|error| {
            // Which of the options is wrong may be told, and nothing else of what stands there.
            let wrong = text_of(&error);
            let at = OPTIONS.iter().find(|option| wrong.ends_with(&format!("invalid value for option `{option}`")));
            match at {
                Some(option) => failed(format!("what its URL says of `{option}` is none; due is {FORM}")),
                None => failed(format!("its URL cannot be read; due is {FORM}")),
            }
        })?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err(failed(format!("its URL names no host; due is {FORM}")));
        }
        if let (None, Some(password)) = (config.get_password(), password) {
            config.password(password);
        }
        if config.get_application_name().is_none() {
            config.application_name("segue");
        }
        // Over a network nothing goes in the open unless that is asked for.
        let tls = mode.unwrap_or(roots.is_some() || !here(&config));
        config.ssl_mode(if tls { SslMode::Require } else { SslMode::Disable });
        let trust = match roots {
            _ if !tls => None,
            Some(file) => {
                let text = files::read(file.as_ref(), &file).map_err(|problem| failed(problem.to_string()))?;
                Some(Trust::These(text.to_string()))
            }
            None => Some(Trust::Public),
        };
        Ok(Self { config, tls: trust })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hosts = self.config.get_hosts().iter().map(|host| match host {
            Host::Tcp(name) => name.clone(),
            #[cfg(unix)]
            Host::Unix(path) => path.display().to_string(),
        });
        let hosts: Vec<String> = match self.config.get_hosts() {
            [] => self.config.get_hostaddrs().iter().map(IpAddr::to_string).collect(),
            _ => hosts.collect(),
        };
        let ports = self.config.get_ports();
        for (at, host) in hosts.iter().enumerate() {
            let port = ports.get(at).or(ports.first()).copied().unwrap_or(5432);
            let comma = if at > 0 { "," } else { "" };
            match host.contains(':') {
                true => write!(f, "{comma}[{host}]:{port}")?,
                false => write!(f, "{comma}{host}:{port}")?,
            }
        }
        Ok(())
    }
}

/// What `sslmode` says: whether the connection is one of TLS.
fn safe(mode: &str) -> Result<bool, StoreError> {
    match mode {
        "disable" => Ok(false),
        "require" | "verify-full" => Ok(true),
        mode => Err(failed(format!(
            "its URL says `sslmode={mode}`; due is `verify-full` (TLS, the server's certificate is checked) or `disable` (no TLS)"
        ))),
    }
}

/// Whether the server is on this machine, whichever of its addresses is taken.
fn here(config: &Config) -> bool {
    let named = config.get_hosts().iter().all(|host| match host {
        Host::Tcp(name) => name == "localhost" || name.parse().is_ok_and(|address: IpAddr| address.is_loopback()),
        #[cfg(unix)]
        Host::Unix(_) => true,
    });
    match config.get_hostaddrs() {
        [] => named,
        addresses => addresses.iter().all(IpAddr::is_loopback),
    }
}

/// A value of a URL: `%XX` is a byte.
fn decoded(value: &str) -> Result<String, StoreError> {
    let mut bytes = Vec::new();
    let mut rest = value.as_bytes();
    while let [first, after @ ..] = rest {
        let hex = after.get(..2).filter(|_| *first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        let byte = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).map_err(|_| failed(format!("its URL says `sslrootcert={value}`, which is no text")))
}

/// An error of the driver, with what has caused it.
pub fn text_of(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    text
}

fn failed(why: String) -> StoreError {
    StoreError::Failed { why }
}

#[cfg(test)]
mod tests {
    use super::{Address, Trust};

    #[test]
    fn nothing_goes_over_a_network_in_the_open_unless_that_is_said() {
        for (url, safe) in [
            ("postgres://u@localhost/d", false),
            ("postgres://u@127.0.0.9:5433/d", false),
            ("postgres://u@[::1]/d", false),
            ("postgres://u@%2Frun%2Fpostgresql/d", false),
            ("postgres://u@localhost,127.0.0.1/d", false),
            ("postgres://u@db.example/d", true),
            ("postgres://u@192.0.2.1/d", true),
            ("postgres://u@localhost,db.example/d", true),
            ("postgres://u@localhost/d?hostaddr=192.0.2.1", true),
            ("postgres://u@db.example/d?sslmode=disable", false),
            ("postgres://u@localhost/d?sslmode=require", true),
            ("postgres://u@localhost/d?sslmode=verify-full", true),
        ] {
            let address = Address::of(url, None).unwrap_or_else(|error| panic!("{url}: {error}"));
            assert_eq!(matches!(address.tls, Some(Trust::Public)), safe, "{url}");
            assert_eq!(address.tls.is_some(), safe, "{url}");
        }
    }

    #[test]
    fn the_password_of_the_url_comes_first_and_is_not_shown() {
        let password = |url: &str| {
            let address = Address::of(url, Some("beside")).unwrap_or_else(|error| panic!("{url}: {error}"));
            assert_eq!(address.to_string(), "h:5432,[::1]:7", "{url}");
            address.config.get_password().map(|password| String::from_utf8_lossy(password).into_owned())
        };
        assert_eq!(password("postgres://u:a%40b@h,[::1]:7/d").as_deref(), Some("a@b"));
        assert_eq!(password("postgresql://u@h:5432,[::1]:7/d").as_deref(), Some("beside"));
    }
}
