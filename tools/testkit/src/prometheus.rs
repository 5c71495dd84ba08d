//! A real Prometheus per test, on loopback, from the package that has promtool.
//!
//! Nothing here skips a test when there is no Prometheus: it panics with the fix, so that alerts that were never
//! tested cannot look tested.

use crate::promtool;
use serde_json::Value;
use std::fs::File;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout};

/// How long it may take to start, and to read its configuration anew.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long it may take to answer.
const ANSWER: Duration = Duration::from_secs(10);
/// How often is looked.
const LOOK: Duration = Duration::from_millis(100);

/// A server of its own; dropping this ends it and removes its data.
pub struct Prometheus {
    child: Child,
    address: SocketAddr,
    folder: TempDir,
}

impl Prometheus {
    /// Starts a server that listens at `address`, scrapes these targets and evaluates rules, each every second. It has
    /// no rules yet.
    ///
    /// # Panics
    /// When there is no Prometheus to be had, or it does not start.
    pub async fn start(address: SocketAddr, targets: &[SocketAddr]) -> Prometheus {
        let found = tokio::task::spawn_blocking(|| promtool::program("prometheus")).await;
        let binary = found.unwrap_or_else(|error| panic!("{error}"));
        let folder = TempDir::with_prefix("argosy-prometheus-");
        let folder = folder.unwrap_or_else(|error| panic!("no folder for Prometheus: {error}"));
        write(&folder.path().join("prometheus.yml"), &config(targets));
        let mut prometheus = Prometheus {
            child: spawn(&binary, folder.path(), address),
            address,
            folder,
        };
        prometheus.ready().await;
        prometheus
    }

    /// Evaluates these rule files, and no others, from now on. The files have to stay where they are.
    ///
    /// # Panics
    /// When it does not take them.
    pub async fn rules(&self, files: &[PathBuf]) {
        let names = files
            .iter()
            .map(|file| format!("  - '{}'\n", file.display()));
        let config = self.folder.path().join("prometheus.yml");
        let text = std::fs::read_to_string(&config).unwrap_or_default();
        let rest = text.split("rule_files:").next().unwrap_or_default();
        write(
            &config,
            &format!("{rest}rule_files:\n{}", names.collect::<String>()),
        );
        signal(&self.child, "-HUP");
        let wanted: Vec<_> = files
            .iter()
            .map(|file| file.display().to_string())
            .collect();
        let begun = Instant::now();
        loop {
            let groups = self.get("/api/v1/rules").await;
            let groups = groups["data"]["groups"]
                .as_array()
                .cloned()
                .unwrap_or_default();
            let mut taken: Vec<_> = groups.iter().filter_map(|g| g["file"].as_str()).collect();
            taken.dedup();
            let all = wanted.iter().all(|file| taken.contains(&file.as_str()));
            if all && taken.iter().all(|file| wanted.iter().any(|w| w == file)) {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "no such rules: {}", self.log());
            sleep(LOOK).await;
        }
    }

    /// The answer to a GET, as JSON.
    ///
    /// # Panics
    /// When it does not answer.
    pub async fn get(&self, path: &str) -> Value {
        let fetched = timeout(ANSWER, fetch(self.address, path)).await;
        let answer = fetched.unwrap_or_else(|_| panic!("Prometheus is silent: {}", self.log()));
        let answer = answer.unwrap_or_else(|error| panic!("{path}: {error}; {}", self.log()));
        let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        serde_json::from_str(body).unwrap_or_else(|error| panic!("{path}: {error} in {answer}"))
    }

    /// The result of a query at this moment.
    ///
    /// # Panics
    /// When it is no query.
    pub async fn query(&self, expression: &str) -> Vec<Value> {
        let asked = format!("/api/v1/query?query={}", escaped(expression));
        let said = self.get(&asked).await;
        assert_eq!(said["status"], "success", "{expression}: {said}");
        said["data"]["result"]
            .as_array()
            .cloned()
            .unwrap_or_default()
    }

    /// The result of a query over the time since `since`, with a value every five seconds.
    ///
    /// # Panics
    /// When it is no query.
    pub async fn query_since(&self, expression: &str, since: SystemTime) -> Vec<Value> {
        let seconds = |time: SystemTime| {
            let since = time
                .duration_since(SystemTime::UNIX_EPOCH)
                .unwrap_or_default();
            since.as_secs()
        };
        let (from, to) = (seconds(since), seconds(SystemTime::now()));
        let query = escaped(expression);
        let asked = format!("/api/v1/query_range?query={query}&start={from}&end={to}&step=5");
        let said = self.get(&asked).await;
        assert_eq!(said["status"], "success", "{expression}: {said}");
        said["data"]["result"]
            .as_array()
            .cloned()
            .unwrap_or_default()
    }

    async fn ready(&mut self) {
        let begun = Instant::now();
        loop {
            let ended = self.child.try_wait().ok().flatten();
            assert!(ended.is_none(), "Prometheus ended: {}", self.log());
            let answer = fetch(self.address, "/-/ready").await.unwrap_or_default();
            if answer.split(' ').nth(1) == Some("200") {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "not ready: {}", self.log());
            sleep(LOOK).await;
        }
    }

    fn log(&self) -> String {
        let log = std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        let lines: Vec<_> = log.lines().collect();
        lines[lines.len().saturating_sub(8)..].join("\n")
    }
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn config(targets: &[SocketAddr]) -> String {
    let targets: Vec<_> = targets.iter().map(|one| format!("'{one}'")).collect();
    format!(
        "global: {{ scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s }}\n\
         scrape_configs:\n  - job_name: argosy\n    static_configs: [{{ targets: [{}] }}]\n\
         rule_files:\n",
        targets.join(", ")
    )
}

fn spawn(binary: &Path, folder: &Path, address: SocketAddr) -> Child {
    let log = File::create(folder.join("log"));
    let log = log.unwrap_or_else(|error| panic!("no log for Prometheus: {error}"));
    Command::new(binary)
        .arg(format!(
            "--config.file={}",
            folder.join("prometheus.yml").display()
        ))
        .arg(format!(
            "--storage.tsdb.path={}",
            folder.join("data").display()
        ))
        .arg(format!("--web.listen-address={address}"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .unwrap_or_else(|error| panic!("`{}` does not start: {error}", binary.display()))
}

fn write(path: &Path, text: &str) {
    let written = std::fs::write(path, text);
    written.unwrap_or_else(|error| panic!("`{}` cannot be written: {error}", path.display()));
}

fn signal(child: &Child, which: &str) {
    let sent = Command::new("kill")
        .args([which, &child.id().to_string()])
        .status();
    assert!(sent.is_ok_and(|status| status.success()), "kill {which}");
}

async fn fetch(address: SocketAddr, path: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    // HTTP/1.0 closes the connection after the answer, which marks its end.
    let request = format!("GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    Ok(answer)
}

/// As it may stand in an address.
fn escaped(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    let one = |byte: u8| match plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    text.bytes().map(one).collect()
}
