//! A real model server from outside the project: llama-cpp-python, with a tiny model of random weights made by
//! `tools/tiny-gguf`. It speaks the protocol as servers do; its text means nothing.
//!
//! The first use on a machine builds it, which takes minutes of all cores. So it is for tests that are started by
//! name, not for a plain `cargo test`. Nothing here skips a test when there is no server: it panics with the reason
//! and the fix.

mod install;

use std::fs::File;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout};

pub use install::VERSION;

/// The name that the server knows its model by.
pub const MODEL: &str = "tiny-random";

/// Writes the model: seeded, so that it is the same everywhere.
const MAKER: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tools/tiny-gguf/tiny_gguf.py"
);
/// How long a server may take until it answers: Python imports much.
const LIMIT: Duration = Duration::from_secs(60);
/// How often is looked, and how long one look may take.
const LOOK: Duration = Duration::from_millis(50);
const LOOK_MAX: Duration = Duration::from_secs(2);
/// How much of the log a panic quotes, in lines.
const LOG_LINES: usize = 12;

/// How a server is run.
#[derive(Debug, Clone)]
pub struct Options {
    /// Most tokens of prompt and answer together. Default 4,096.
    pub context_tokens: u32,
    /// Further arguments of `python3 -m llama_cpp.server`. Default: none.
    pub args: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            context_tokens: 4_096,
            args: Vec::new(),
        }
    }
}

/// A running server; dropping it kills it.
#[derive(Debug)]
pub struct ModelServer {
    options: Options,
    python: install::Python,
    address: SocketAddr,
    child: Child,
    /// Its model and its log.
    folder: TempDir,
}

/// Starts a server on a free port of this machine.
///
/// # Panics
/// When there is no server to be had, or it does not start.
pub async fn server() -> ModelServer {
    server_with(Options::default()).await
}

/// The same with other options than the default ones.
///
/// # Panics
/// As [`server()`].
pub async fn server_with(options: Options) -> ModelServer {
    let python = tokio::task::spawn_blocking(install::python).await;
    let python = match python {
        Ok(Ok(python)) => python,
        Ok(Err(why)) => panic!("no model server: {why}"),
        Err(error) => panic!("no model server: the search failed: {error}"),
    };
    let started = ModelServer::start(options, python).await;
    started.unwrap_or_else(|why| panic!("no model server: {why}"))
}

impl ModelServer {
    async fn start(options: Options, python: install::Python) -> Result<ModelServer, String> {
        let folder = tempfile::Builder::new()
            .prefix("argosy-llama-")
            .tempdir()
            .map_err(|error| format!("no folder for it: {error}"))?;
        python.run(&[MAKER], &folder.path().join("model.gguf"))?;
        let address = free_address().map_err(|error| format!("no free port: {error}"))?;
        let child = spawn(&options, &python, address, folder.path())?;
        // From here on an early return drops the server, and with it the child.
        let mut server = ModelServer {
            options,
            python,
            address,
            child,
            folder,
        };
        server.ready().await?;
        Ok(server)
    }

    /// Where it listens: `http://127.0.0.1:port`.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Kills it (SIGKILL) and waits for its end; [`restart`](ModelServer::restart) brings it back.
    ///
    /// # Panics
    /// When it cannot be killed.
    pub fn kill(&mut self) {
        let killed = self.child.kill().and_then(|()| self.child.wait());
        killed.unwrap_or_else(|error| panic!("the model server is not killed: {error}"));
    }

    /// Starts it again at the same address and waits until it answers; kills it first if it still runs.
    ///
    /// # Panics
    /// When it does not start.
    pub async fn restart(&mut self) {
        self.kill();
        let started = spawn(
            &self.options,
            &self.python,
            self.address,
            self.folder.path(),
        );
        let ready = match started {
            Ok(child) => {
                self.child = child;
                self.ready().await
            }
            Err(why) => Err(why),
        };
        ready.unwrap_or_else(|why| panic!("the model server does not come back: {why}"));
    }

    /// The end of the server's log, for messages.
    pub fn log(&self) -> String {
        let log = std::fs::read(log_file(self.folder.path())).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(LOG_LINES)..].join("\n")
    }

    async fn ready(&mut self) -> Result<(), String> {
        let began = Instant::now();
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                let log = self.log();
                return Err(format!("it ended with {status}; its log ends with:\n{log}"));
            }
            if matches!(timeout(LOOK_MAX, answers(self.address)).await, Ok(Ok(true))) {
                return Ok(());
            }
            if began.elapsed() > LIMIT {
                let log = self.log();
                return Err(format!(
                    "it does not answer after {LIMIT:?}; its log ends with:\n{log}"
                ));
            }
            sleep(LOOK).await;
        }
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn spawn(
    options: &Options,
    python: &install::Python,
    address: SocketAddr,
    folder: &Path,
) -> Result<Child, String> {
    let log = File::options()
        .create(true)
        .append(true)
        .open(log_file(folder))
        .and_then(|log| Ok((log.try_clone()?, log)));
    let (out, err) = log.map_err(|error| format!("no log for it: {error}"))?;
    let mut command = Command::new(python.program());
    python.prepare(&mut command);
    command
        .args(["-m", "llama_cpp.server", "--model_alias", MODEL])
        .arg("--model")
        .arg(folder.join("model.gguf"))
        .args(["--host", &address.ip().to_string()])
        .args(["--port", &address.port().to_string()])
        .args(["--n_ctx", &options.context_tokens.to_string()])
        // The model is so small that a second thread would only wait for the first.
        .args(["--n_threads", "1", "--n_threads_batch", "1"])
        .args(&options.args)
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(err);
    command
        .spawn()
        .map_err(|error| format!("`{}` does not run: {error}", python.program().display()))
}

fn log_file(folder: &Path) -> std::path::PathBuf {
    folder.join("server.log")
}

/// A port that was free a moment ago.
fn free_address() -> io::Result<SocketAddr> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()
}

/// Whether a server there lists models.
async fn answers(address: SocketAddr) -> io::Result<bool> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(b"GET /v1/models HTTP/1.0\r\n\r\n").await?;
    let mut said = Vec::new();
    stream.read_to_end(&mut said).await?;
    Ok(said.starts_with(b"HTTP/1.1 200")
        && said.windows(MODEL.len()).any(|w| w == MODEL.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::ids::fnv1a_64;

    #[test]
    fn the_model_is_the_same_on_every_machine() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("model.gguf");
        let made = Command::new("python3").arg(MAKER).arg(&file).status();
        assert!(made.unwrap().success());
        let model = std::fs::read(file).unwrap();
        assert!(model.starts_with(b"GGUF") && model.len() < 1_000_000);
        assert_eq!(fnv1a_64(&model), 0x9140_8935_4528_add7);
    }
}
