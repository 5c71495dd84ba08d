//! Starts the processes of one test, watches them through their logs and admin endpoints, kills, restarts and drains
//! them.

use crate::binary::{argosy, found};
use crate::http;
use argosy::fleet::{FleetPlan, Member};
use bus_nats::{NatsBus, Options};
use envelope::Role;
use serde_json::Value;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Output, Stdio};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tempfile::TempDir;
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep};

/// How long anything that has to happen by itself may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);
/// How often to look.
const LOOK: Duration = Duration::from_millis(25);
/// How many lines of a log a failure shows.
const LOG_LINES: usize = 25;

/// The binary with stubs and with crashes at named points.
pub(crate) fn bench() -> &'static Path {
    static FOUND: OnceLock<PathBuf> = OnceLock::new();
    FOUND.get_or_init(|| found("argosy-bench"))
}

/// A process with the folder that its log is in.
pub(crate) struct Process {
    pub(crate) member: Member,
    log: PathBuf,
}

/// Every process of a test and what they have in common.
pub(crate) struct Fleet {
    pub(crate) plan: FleetPlan,
    pub(crate) processes: Vec<Process>,
    /// Roles that run with `--stub-ms 0`. At first this is the retriever, which then finds the same for every
    /// question.
    pub(crate) stubbed: Vec<Role>,
    /// The point at which processes started from now on crash, in the form of `--fault`.
    pub(crate) fault: Option<&'static str>,
    dir: TempDir,
    started: usize,
}

/// Waits until `look` finds something; panics with `what` when it takes too long.
pub(crate) async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(start.elapsed() < PATIENCE, "waited {PATIENCE:?} for {what}");
        sleep(LOOK).await;
    }
}

/// A connection of the test itself.
pub(crate) async fn connect(url: String) -> Arc<NatsBus> {
    let options = Options {
        url,
        name: "argosy-tests".into(),
        ..Options::default()
    };
    NatsBus::connect(options).await.expect("a connection")
}

/// Sends a signal to a command that this test started.
pub(crate) async fn signal(child: &Child, which: &str) {
    let pid = child.id().expect("it runs").to_string();
    let sent = Command::new("kill").args([which, &pid]).status().await;
    assert!(sent.expect("it runs").success());
}

impl Process {
    /// The address of the process' admin endpoints, once its log states it.
    pub(crate) async fn admin(&self) -> SocketAddr {
        let what = format!("the admin address in `{}`", self.log.display());
        until(&what, async || {
            let log = std::fs::read_to_string(&self.log).ok()?;
            let lines = log.lines().filter_map(|l| serde_json::from_str(l).ok());
            let mut addresses =
                lines.filter_map(|line: Value| line.get("local_addr")?.as_str()?.parse().ok());
            addresses.next_back()
        })
        .await
    }

    /// The process' report on its readiness, as soon as there is one.
    pub(crate) async fn health(&self) -> Value {
        let admin = self.admin().await;
        until("an answer of /readyz", async || {
            let (_, body) = http::get(admin, "/readyz").await?;
            serde_json::from_str(&body).ok()
        })
        .await
    }

    /// Waits until the process is ready.
    pub(crate) async fn ready(&self) {
        let what = format!("the {} to be ready", self.member.role);
        until(&what, async || {
            (self.health().await["ready"] == true).then_some(())
        })
        .await
    }

    /// Waits until one condition of readiness is met or not, and returns the reason why not.
    pub(crate) async fn condition(&self, name: &str, met: bool) -> String {
        let what = format!("`{name}` of the {} to be {met}", self.member.role);
        until(&what, async || {
            let condition = &self.health().await["conditions"][name];
            let reason = condition["reason"].as_str().unwrap_or_default().to_owned();
            (condition["ready"] == met).then_some(reason)
        })
        .await
    }

    /// The sum of a counter over the series that hold every one of these labels.
    pub(crate) async fn counter(&self, family: &str, labels: &[&str]) -> u64 {
        let admin = self.admin().await;
        let (_, text) = http::get(admin, "/metrics").await.expect("metrics");
        let lines = text.lines().filter(|line| {
            line.starts_with(family) && labels.iter().all(|label| line.contains(label))
        });
        lines
            .filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok())
            .sum::<f64>() as u64
    }

    /// How the process ended, once it has.
    pub(crate) async fn ended(&mut self) -> ExitStatus {
        let role = self.member.role;
        let member = &mut self.member;
        until(&format!("the end of the {role}"), async || member.ended()).await
    }

    /// The first line of the process' log whose message begins so.
    pub(crate) fn said(&self, beginning: &str) -> Option<Value> {
        let log = std::fs::read_to_string(&self.log).ok()?;
        let lines = log.lines().filter_map(|l| serde_json::from_str(l).ok());
        let begins = |line: &Value| {
            line["message"]
                .as_str()?
                .starts_with(beginning)
                .then_some(())
        };
        lines.into_iter().find(|line| begins(line).is_some())
    }
}

/// Passages are mapped one by one, which is what most of these tests are about.
pub(crate) const MAPPED: [&str; 2] = ["planner.read_at_once=false", "reducer.assess=false"];

impl Fleet {
    /// A fleet on the server at `url` with these options; nothing is started.
    pub(crate) fn new(url: String, own: Vec<String>) -> Fleet {
        let set = MAPPED.map(str::to_owned).into_iter().chain(own).collect();
        let dir = TempDir::with_prefix("argosy-fleet-").expect("a folder");
        let plan = FleetPlan {
            binary: argosy().to_owned(),
            server: url,
            data_dir: dir.path().join("data"),
            set,
            config: None,
            args: Vec::new(),
            log: "info".into(),
            log_dir: None,
        };
        Fleet {
            plan,
            processes: Vec::new(),
            stubbed: vec![Role::Retriever],
            fault: None,
            dir,
            started: 0,
        }
    }

    /// A folder of this test.
    pub(crate) fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// One command of the binary with the options of this fleet, ready to be started.
    pub(crate) fn line(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.plan.binary);
        command.args(args).args(["--server", &self.plan.server]);
        for option in &self.plan.set {
            command.args(["--set", option]);
        }
        command.stdin(Stdio::null()).kill_on_drop(true);
        command
    }

    /// Starts the command with its output captured.
    pub(crate) fn begun(&self, args: &[&str]) -> Child {
        let mut command = self.line(args);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("it runs")
    }

    /// Runs the command to its end.
    pub(crate) async fn command(&self, args: &[&str]) -> Output {
        let output = tokio::time::timeout(PATIENCE, self.line(args).output()).await;
        output.expect("a command that ends").expect("it runs")
    }

    /// Runs a command that has to succeed and to print JSON.
    pub(crate) async fn json(&self, args: &[&str]) -> Value {
        let output = self.command(&[args, &["-o", "json"]].concat()).await;
        assert!(output.status.success(), "{args:?}: {output:?}");
        serde_json::from_slice(&output.stdout).expect("JSON")
    }

    /// Makes streams and consumers as an operator does.
    pub(crate) async fn setup(&self) {
        self.json(&["setup"]).await;
    }

    /// Starts one process with a log of its own.
    pub(crate) fn start(&mut self, role: Role) -> &mut Process {
        let process = self.spawn(role);
        self.processes.push(process);
        self.processes.last_mut().expect("just started")
    }

    /// Starts one process of every role and waits until all are ready.
    pub(crate) async fn start_all(&mut self) {
        for role in Role::ALL {
            self.start(role);
        }
        self.ready().await;
    }

    fn spawn(&mut self, role: Role) -> Process {
        self.started += 1;
        let log_dir = self.dir.path().join(format!("logs/{:03}", self.started));
        let log = log_dir.join(format!("{role}.log"));
        let mut extra = Vec::new();
        if self.stubbed.contains(&role) {
            extra.extend(["--stub-ms".to_owned(), "0".to_owned()]);
        }
        if let Some(fault) = self.fault {
            extra.extend(["--fault".to_owned(), fault.to_owned()]);
        }
        let mut plan = FleetPlan {
            log_dir: Some(log_dir),
            ..self.plan.clone()
        };
        if !extra.is_empty() {
            plan.binary = bench().to_owned();
        }
        let member = plan.start(role, &extra).expect("a process");
        Process { member, log }
    }

    /// Waits until every process is ready.
    pub(crate) async fn ready(&self) {
        for process in &self.processes {
            process.ready().await;
        }
    }

    /// The first process of a role.
    pub(crate) fn of(&mut self, role: Role) -> &mut Process {
        let found = self.processes.iter_mut().find(|p| p.member.role == role);
        found.expect("a process of the role")
    }

    /// Kills a process with SIGKILL and starts another in its place.
    pub(crate) async fn replace(&mut self, place: usize) {
        let role = self.processes[place].member.role;
        self.processes[place].member.kill().await.expect("a kill");
        self.processes[place] = self.spawn(role);
    }

    /// Drains every process; all of them have to end well.
    pub(crate) async fn drain(&mut self) {
        for process in &mut self.processes {
            process.member.terminate().await;
        }
        for process in &mut self.processes {
            let role = process.member.role;
            assert!(process.member.wait(PATIENCE).await, "{role} ended badly");
        }
        self.processes.clear();
    }

    fn print_logs(&self) {
        let mut folders: Vec<_> = std::fs::read_dir(self.dir.path().join("logs"))
            .into_iter()
            .flatten()
            .filter_map(|folder| std::fs::read_dir(folder.ok()?.path()).ok())
            .flatten()
            .filter_map(|file| Some(file.ok()?.path()))
            .collect();
        folders.sort();
        for log in folders {
            let text = std::fs::read_to_string(&log).unwrap_or_default();
            let lines: Vec<_> = text.lines().collect();
            let end = lines[lines.len().saturating_sub(LOG_LINES)..].join("\n");
            eprintln!("--- {} ({} lines)\n{end}", log.display(), lines.len());
        }
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.print_logs();
        }
    }
}
