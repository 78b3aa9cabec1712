//! A server of PostgreSQL that the tests start for themselves, as an ordinary user, on this machine alone.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, geteuid};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

/// Who may do everything there, and the password, with signs that mean something in a URL.
const OWNER: &str = "owner";
pub const PASSWORD: &str = "s3cret@/?:% x";
const WRITTEN: &str = "s3cret%40%2F%3F%3A%25%20x";
/// The user that a test of the superuser runs the server as: `nobody`.
const NOBODY: u32 = 65534;

/// A server. It lives as long as this process, however that ends: another one stops it then, and takes its files away.
pub struct Server {
    folder: PathBuf,
    programs: PathBuf,
    port: Mutex<u16>,
    /// Waits for the end of this process.
    _keeper: Child,
}

static SERVER: OnceLock<Result<Server, String>> = OnceLock::new();
static IN_USE: RwLock<()> = RwLock::new(());

/// The server, while nobody stops it.
pub struct Calm {
    server: &'static Server,
    _in_use: RwLockReadGuard<'static, ()>,
}

/// The server, for one test alone, which may stop it.
pub struct Alone {
    server: &'static Server,
    _in_use: RwLockWriteGuard<'static, ()>,
}

impl std::ops::Deref for Calm {
    type Target = Server;

    fn deref(&self) -> &Server {
        self.server
    }
}

impl std::ops::Deref for Alone {
    type Target = Server;

    fn deref(&self) -> &Server {
        self.server
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        // The others go on, whatever has come of this test.
        self.server.start();
    }
}

/// The server, which others use as well; nothing where there can be none, which is said.
pub fn calm() -> Option<Calm> {
    let server = server()?;
    Some(Calm { server, _in_use: IN_USE.read().unwrap_or_else(PoisonError::into_inner) })
}

/// The server for one test alone.
pub fn alone() -> Option<Alone> {
    let server = server()?;
    Some(Alone { server, _in_use: IN_USE.write().unwrap_or_else(PoisonError::into_inner) })
}

fn server() -> Option<&'static Server> {
    match SERVER.get_or_init(Server::new) {
        Ok(server) => Some(server),
        Err(why) => {
            // Also where the output of tests that pass is not shown.
            let _ = writeln!(std::io::stderr(), "NOT RUN: a test on a server of PostgreSQL: {why}");
            None
        }
    }
}

/// The folder of `initdb` and `pg_ctl`.
fn programs() -> Result<PathBuf, String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let config = Command::new("pg_config").arg("--bindir").output();
    folders.extend(config.ok().map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim())));
    let found = folders.into_iter().find(|folder| ["initdb", "pg_ctl"].iter().all(|name| folder.join(name).is_file()));
    found.ok_or_else(|| "`initdb` and `pg_ctl` are neither in PATH nor where `pg_config --bindir` says".to_owned())
}

/// A program, run as an ordinary user: a server of PostgreSQL takes no other.
fn command(program: &Path) -> Command {
    if !geteuid().is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command
        .arg(format!("--reuid={NOBODY}"))
        .arg(format!("--regid={NOBODY}"))
        .args(["--clear-groups", "--"])
        .arg(program);
    command
}

fn shown(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

impl Server {
    fn new() -> Result<Self, String> {
        let programs = programs()?;
        if geteuid().is_root() && Command::new("setpriv").arg("--version").output().is_err() {
            return Err("this is the superuser, and there is no `setpriv` to start it as another one".to_owned());
        }
        // A short name: that of a socket has an end.
        let folder = TempDir::with_prefix("pg").expect("a folder").keep();
        fs::write(folder.join("password"), PASSWORD).expect("written");
        certify(&folder);
        if geteuid().is_root() {
            let inside = fs::read_dir(&folder).expect("a folder").map(|file| file.expect("a file").path());
            for path in inside.chain([folder.clone()]) {
                chown(path, Some(NOBODY), Some(NOBODY)).expect("it is given away");
            }
        }
        let stop = command(&programs.join("pg_ctl"));
        let mut keeper = Command::new("sh");
        keeper.arg("-c").arg(
            "cat > /dev/null; folder=$1; shift; \"$@\" stop -w -m immediate -D \"$folder/data\"; rm -rf \"$folder\"",
        );
        keeper.arg("sh").arg(&folder).arg(stop.get_program()).args(stop.get_args());
        let keeper = keeper.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let server = Self { folder, programs, port: Mutex::new(0), _keeper: keeper.expect("sh starts") };
        let (folder, programs) = (&server.folder, &server.programs);
        let mut init = command(&programs.join("initdb"));
        init.arg("--pgdata").arg(folder.join("data")).arg("--pwfile").arg(folder.join("password")).args([
            "--username",
            OWNER,
            "--auth",
            "scram-sha-256",
            "--encoding",
            "UTF8",
            "--locale",
            "C",
            "--no-sync",
        ]);
        let output = init.current_dir(folder).output().expect("initdb starts");
        assert!(output.status.success(), "{}", shown(&output));
        server.start();
        Ok(server)
    }

    fn ctl(&self, args: &[&str]) -> Output {
        let mut ctl = command(&self.programs.join("pg_ctl"));
        ctl.arg("--pgdata").arg(self.folder.join("data")).args(args);
        ctl.stdin(Stdio::null()).current_dir(&self.folder).output().expect("pg_ctl starts")
    }

    /// Starts it, where it does not run; it takes connections when this comes back.
    pub fn start(&self) {
        if self.ctl(&["status"]).status.success() {
            return;
        }
        let mut port = self.port.lock().unwrap_or_else(PoisonError::into_inner);
        let log = self.folder.join("log");
        let mut tried = 0;
        loop {
            // Once it has a port it keeps it: stores know it.
            let free = match *port {
                0 => TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a port").port(),
                port => port,
            };
            let options = format!(
                "-c listen_addresses=127.0.0.1 -c port={free} -c unix_socket_directories='{0}' -c ssl={1} \
                 -c ssl_cert_file='{0}/server.crt' -c ssl_key_file='{0}/server.key' -c fsync=off",
                self.folder.display(),
                if self.certificate().is_some() { "on" } else { "off" },
            );
            let output = self.ctl(&["start", "-w", "-l", log.to_str().expect("a name"), "-o", &options]);
            if output.status.success() {
                *port = free;
                return;
            }
            // Somebody else may have taken the port.
            tried += 1;
            let log = fs::read_to_string(&log).unwrap_or_default();
            assert!(tried < 20, "{}\n{log}", shown(&output));
        }
    }

    /// Stops it: `fast`, or `immediate` as when the machine goes down.
    pub fn stop(&self, mode: &str) {
        let output = self.ctl(&["stop", "-w", "-m", mode]);
        assert!(output.status.success(), "{}", shown(&output));
    }

    /// Ends it as when the machine goes down, where it runs.
    pub fn crash(&self) {
        if self.ctl(&["status"]).status.success() {
            self.stop("immediate");
        }
    }

    /// Kills a process that serves a store, as a system does that has no memory left: the server ends the others then.
    pub fn kill(&self) {
        let serving = "SELECT pid FROM pg_stat_activity WHERE application_name = 'segue'";
        let number = self.sql("postgres", serving)[0][0].as_ref().and_then(|number| number.parse().ok());
        kill(Pid::from_raw(number.expect("a number")), Signal::SIGKILL).expect("it is killed");
    }

    pub fn port(&self) -> u16 {
        *self.port.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The certificate by which it is known, where `openssl` has made one.
    pub fn certificate(&self) -> Option<PathBuf> {
        Some(self.folder.join("server.crt")).filter(|path| path.is_file())
    }

    /// The folder of its socket.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The URL of a database.
    pub fn url(&self, database: &str) -> String {
        self.url_of(OWNER, WRITTEN, database)
    }

    pub fn url_of(&self, user: &str, password: &str, database: &str) -> String {
        format!("postgres://{user}:{password}@127.0.0.1:{}/{database}", self.port())
    }

    /// Makes a database; its URL.
    pub fn database(&self, name: &str) -> String {
        self.sql("postgres", &format!("CREATE DATABASE {name}"));
        self.url(name)
    }

    /// Does something in a database; the rows that come of it.
    pub fn sql(&self, database: &str, sql: &str) -> Vec<Vec<Option<String>>> {
        self.session(database).sql(sql)
    }

    /// A connection of somebody else.
    pub fn session(&self, database: &str) -> Session {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let client = runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(&self.url(database), NoTls).await.expect("a connection");
            tokio::spawn(connection);
            client
        });
        Session { runtime, client }
    }
}

/// A connection of somebody else.
pub struct Session {
    runtime: Runtime,
    client: Client,
}

impl Session {
    pub fn sql(&self, sql: &str) -> Vec<Vec<Option<String>>> {
        let told =
            self.runtime.block_on(self.client.simple_query(sql)).unwrap_or_else(|error| panic!("{sql}: {error:?}"));
        let rows = told.into_iter().filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some((0..row.len()).map(|at| row.get(at).map(str::to_owned)).collect()),
            _ => None,
        });
        rows.collect()
    }
}

/// A certificate for a server on this machine, which vouches for itself, where there is a program that makes one.
fn certify(folder: &Path) {
    let mut command = Command::new("openssl");
    command.args([
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "36500",
    ]);
    command.args(["-subj", "/CN=localhost", "-extensions", "v3"]);
    let config =
        "[req]\ndistinguished_name=dn\n[dn]\n[v3]\nsubjectAltName=DNS:localhost\nbasicConstraints=critical,CA:FALSE\n";
    fs::write(folder.join("openssl.cnf"), config).expect("written");
    command.arg("-config").arg(folder.join("openssl.cnf"));
    command.arg("-keyout").arg(folder.join("server.key")).arg("-out").arg(folder.join("server.crt"));
    let made = command.stdin(Stdio::null()).output().is_ok_and(|output| output.status.success());
    if !made {
        let _ = fs::remove_file(folder.join("server.crt"));
    }
}

/// A server whose disk is small. It lives as long as this does, or this process.
pub struct Small {
    port: u16,
    keeper: Child,
    told: BufReader<ChildStdout>,
}

/// A disk that this script and its server see alone; then what it is told to do, until nobody tells it anything more.
const SMALL: &str = r#"
    set -e; folder=$1; port=$2; shift 2; as="setpriv --reuid=65534 --regid=65534 --clear-groups --"
    mount -t tmpfs -o size=64m none "$folder"; chown 65534:65534 "$folder"; cd "$folder"
    $as "$1" -D data -U owner --auth=trust -E UTF8 --locale=C --no-sync > /dev/null
    $as "$2" -D data -w -l log -o "-c listen_addresses=127.0.0.1 -c port=$port -c unix_socket_directories=" start > /dev/null
    echo up
    while read -r what; do
        case $what in
            fill) $as sh -c 'cat /dev/zero > ballast' 2> /dev/null || true ;;
            free) rm ballast ;;
        esac
        echo "$what"
    done
    $as "$2" -D data -w -m immediate stop > /dev/null; cd /; umount "$folder"; rmdir "$folder"
"#;

impl Small {
    /// A server on a small disk; nothing where there can be none, which is said.
    pub fn new() -> Option<Self> {
        let able = Command::new("unshare").args(["-m", "mount", "-t", "tmpfs", "none", "/mnt"]).output();
        let why = match programs() {
            Err(why) => Some(why),
            Ok(_) if !geteuid().is_root() || !able.is_ok_and(|output| output.status.success()) => {
                Some("`unshare -m mount -t tmpfs` is not allowed here".to_owned())
            }
            Ok(_) => None,
        };
        if let Some(why) = why {
            let _ = writeln!(std::io::stderr(), "NOT RUN: a server of PostgreSQL whose disk is full: {why}");
            return None;
        }
        let programs = programs().expect("they are there");
        let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a port").port();
        let mut command = Command::new("unshare");
        command.args(["-m", "sh", "-c", SMALL, "sh"]).arg(TempDir::with_prefix("pg").expect("a folder").keep());
        command.arg(port.to_string()).args([programs.join("initdb"), programs.join("pg_ctl")]);
        let mut keeper = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        let told = BufReader::new(keeper.stdout.take().expect("its output"));
        let mut small = Self { port, keeper, told };
        small.hear("up");
        Some(small)
    }

    pub fn url(&self) -> String {
        format!("postgres://owner@127.0.0.1:{}/postgres", self.port)
    }

    fn hear(&mut self, word: &str) {
        let mut line = String::new();
        self.told.read_line(&mut line).expect("its output");
        assert_eq!(line.trim_end(), word);
    }

    fn tell(&mut self, word: &str) {
        let to = self.keeper.stdin.as_mut().expect("its input");
        to.write_all(format!("{word}\n").as_bytes()).expect("it reads");
        self.hear(word);
    }

    /// Puts something in the way, up to the last byte.
    pub fn fill(&mut self) {
        self.tell("fill");
    }

    pub fn make_room(&mut self) {
        self.tell("free");
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}
