//! Runs one server process: writes its configuration file, starts it and ends it.

use super::{ServerError, io, probe};
use serde::Deserialize;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long a server may take until it takes messages, and until it has ended after SIGTERM.
const LIMIT: Duration = Duration::from_secs(10);
/// How often is looked.
const LOOK: Duration = Duration::from_millis(5);
/// Bytes that streams may be promised where nothing else is said.
const FILE_STORE_MAX: u64 = 4 << 40;
/// The log message of a server whose port is taken.
pub(crate) const PORT_TAKEN: &str = "address already in use";
/// How much of the log an error quotes, in lines.
const LOG_LINES: usize = 8;

/// How a server is run.
#[derive(Debug, Clone)]
pub struct Options {
    /// The binary: see [`find`](super::find).
    pub binary: PathBuf,
    /// The folder of its streams, its configuration and its log. Made if missing.
    pub store_dir: PathBuf,
    /// Where clients connect. Default: any free port.
    pub port: Option<u16>,
    /// Whether every message is flushed to disk before it is confirmed. Default no: messages are flushed every 100 ms,
    /// so they survive the crash of a process, and a power cut loses those of the last 100 ms.
    pub sync_always: bool,
    /// Most bytes that all its streams together may reserve. Default 4 TB, which is more than any topology needs: the
    /// streams' own limits bound the disk.
    pub file_store_max: u64,
    /// Its name. Default `argosy`.
    pub name: String,
    /// From how much memory on its collector works harder, as Go's `GOMEMLIMIT` says it; `None` leaves that to the
    /// environment. Default `None`.
    pub memory: Option<String>,
    /// Set for a member of a cluster.
    pub routes: Option<Routes>,
    /// More lines of configuration, as they are.
    pub extra: String,
}

/// The addresses by which a member finds the others of its cluster.
#[derive(Debug, Clone)]
pub struct Routes {
    /// The port on which it listens for other members.
    pub port: u16,
    /// The ports on which the members listen, including its own.
    pub all: Vec<u16>,
}

impl Options {
    /// A server on any free port that keeps its streams in `store_dir`.
    pub fn new(binary: impl Into<PathBuf>, store_dir: impl Into<PathBuf>) -> Self {
        Options {
            binary: binary.into(),
            store_dir: store_dir.into(),
            port: None,
            sync_always: false,
            file_store_max: FILE_STORE_MAX,
            name: "argosy".into(),
            memory: None,
            routes: None,
            extra: String::new(),
        }
    }

    /// The configuration file. JetStream compares the sum of what streams may hold with
    /// `max_file_store`.
    fn config(&self) -> String {
        let Options {
            name,
            extra,
            file_store_max: store_max,
            ..
        } = self;
        let port = self.port.map_or(-1, i32::from);
        let store = self.store_dir.display();
        let sync = if self.sync_always { "always" } else { "100ms" };
        let cluster = self.routes.as_ref().map_or(String::new(), |routes| {
            let all: Vec<String> = routes
                .all
                .iter()
                .map(|port| format!("\"nats://127.0.0.1:{port}\""))
                .collect();
            format!(
                "cluster {{ name: argosy, listen: \"127.0.0.1:{}\", routes: [{}] }}\n",
                routes.port,
                all.join(", ")
            )
        });
        format!(
            "server_name: \"{name}\"\nlisten: \"127.0.0.1:{port}\"\nhttp: \"127.0.0.1:-1\"\n\
             ports_file_dir: \"{store}\"\n\
             jetstream {{ store_dir: \"{store}\", sync_interval: {sync}, max_file_store: {store_max} }}\n\
             {cluster}{extra}\n"
        )
    }
}

/// A running server; dropping it kills it.
#[derive(Debug)]
pub struct Server {
    options: Options,
    child: Child,
    monitor: SocketAddr,
    client: SocketAddr,
}

/// What the server writes about the ports it chose.
#[derive(Deserialize)]
struct Ports {
    nats: Vec<String>,
    monitoring: Vec<String>,
}

impl Server {
    /// Starts a server and waits, at most ten seconds, until JetStream accepts messages. A member of a cluster is ready
    /// only when the cluster has a leader, so start all members at the same time.
    pub async fn start(options: Options) -> Result<Server, ServerError> {
        std::fs::create_dir_all(&options.store_dir)
            .map_err(io(format!("create `{}`", options.store_dir.display())))?;
        let child = spawn(&options)?;
        // From here on an early return drops the server, and with it the child.
        let nowhere = SocketAddr::from(([127, 0, 0, 1], 0));
        let mut server = Server {
            options,
            child,
            monitor: nowhere,
            client: nowhere,
        };
        server.ready().await?;
        Ok(server)
    }

    /// Where clients connect.
    pub fn url(&self) -> String {
        format!("nats://{}", self.client)
    }

    /// The port clients connect to.
    pub fn port(&self) -> u16 {
        self.client.port()
    }

    /// The address of its monitoring endpoints.
    pub fn monitor(&self) -> SocketAddr {
        self.monitor
    }

    /// The process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Where it keeps its streams.
    pub fn store_dir(&self) -> &Path {
        &self.options.store_dir
    }

    /// Kills it (SIGKILL) and waits for its end; [`restart`](Server::restart) brings it back.
    pub fn kill(&mut self) -> Result<(), ServerError> {
        self.child.kill().map_err(io("kill nats-server"))?;
        self.child.wait().map_err(io("wait for nats-server"))?;
        Ok(())
    }

    /// Asks it to end (SIGTERM) and waits; kills it after ten seconds.
    pub async fn stop(&mut self) -> Result<(), ServerError> {
        if self.ended()?.is_some() {
            return Ok(());
        }
        Command::new("kill")
            .args(["-TERM", &self.pid().to_string()])
            .status()
            .map_err(io("run `kill`"))?;
        let start = Instant::now();
        while self.ended()?.is_none() {
            if start.elapsed() > LIMIT {
                return self.kill();
            }
            sleep(LOOK).await;
        }
        Ok(())
    }

    /// Starts the server again on the same port and store; if it still runs, it is killed first. If another connection
    /// has taken the port meanwhile, this waits for the port, at most as long as a start may last.
    pub async fn restart(&mut self) -> Result<(), ServerError> {
        self.kill()?;
        self.options.port = Some(self.client.port());
        let start = Instant::now();
        loop {
            self.child = spawn(&self.options)?;
            match self.ready().await {
                Err(ServerError::Ended { log, .. })
                    if log.contains(PORT_TAKEN) && start.elapsed() < LIMIT =>
                {
                    sleep(LOOK).await;
                }
                done => return done,
            }
        }
    }

    async fn ready(&mut self) -> Result<(), ServerError> {
        let start = Instant::now();
        loop {
            if let Some(status) = self.ended()? {
                return Err(ServerError::Ended {
                    status: status.to_string(),
                    log: self.log(),
                });
            }
            let lacks = match self.ports() {
                None => "no ports file".to_owned(),
                Some((client, monitor)) => {
                    (self.client, self.monitor) = (client, monitor);
                    match probe::get(monitor, "/healthz").await {
                        Ok(_) => return Ok(()),
                        Err(said) => said,
                    }
                }
            };
            if start.elapsed() > LIMIT {
                return Err(ServerError::NotReady {
                    after: LIMIT,
                    what: lacks,
                    log: self.log(),
                });
            }
            sleep(LOOK).await;
        }
    }

    /// Client and monitoring address, once the server has written them down.
    fn ports(&self) -> Option<(SocketAddr, SocketAddr)> {
        let program = self.options.binary.file_name()?.to_str()?;
        let file = format!("{program}_{}.ports", self.pid());
        let text = std::fs::read_to_string(self.options.store_dir.join(file)).ok()?;
        let ports: Ports = serde_json::from_str(&text).ok()?;
        let address = |urls: &[String]| urls.first()?.split_once("://")?.1.parse().ok();
        Some((address(&ports.nats)?, address(&ports.monitoring)?))
    }

    /// How it ended, if it has.
    pub fn ended(&mut self) -> Result<Option<ExitStatus>, ServerError> {
        self.child.try_wait().map_err(io("look at nats-server"))
    }

    /// The last lines of its log.
    fn log(&self) -> String {
        let log = std::fs::read_to_string(self.options.store_dir.join("server.log"));
        let log = log.unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(LOG_LINES)..].join("\n")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.kill();
    }
}

fn spawn(options: &Options) -> Result<Child, ServerError> {
    let config = options.store_dir.join("server.conf");
    std::fs::write(&config, options.config())
        .map_err(io(format!("write `{}`", config.display())))?;
    let log = std::fs::File::options()
        .create(true)
        .append(true)
        .open(options.store_dir.join("server.log"))
        .map_err(io("open the log of nats-server"))?;
    let log_too = log.try_clone().map_err(io("open the log of nats-server"))?;
    Command::new(&options.binary)
        .envs(options.memory.iter().map(|memory| ("GOMEMLIMIT", memory)))
        .arg("-c")
        .arg(&config)
        .stdin(Stdio::null())
        .stdout(log)
        .stderr(log_too)
        .spawn()
        .map_err(io(format!("start `{}`", options.binary.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configuration_stays_on_this_machine() {
        let mut options = Options::new("nats-server", "/tmp/store");
        options.routes = Some(Routes {
            port: 7001,
            all: vec![7001, 7002],
        });
        let text = options.config();
        assert!(text.contains("listen: \"127.0.0.1:-1\""), "{text}");
        assert!(text.contains("sync_interval: 100ms"), "{text}");
        assert!(text.contains("nats://127.0.0.1:7002"), "{text}");
        assert!(!text.contains("0.0.0.0"), "{text}");
        options.sync_always = true;
        options.port = Some(4222);
        let text = options.config();
        assert!(text.contains("sync_interval: always"), "{text}");
        assert!(text.contains("127.0.0.1:4222"), "{text}");
    }
}
