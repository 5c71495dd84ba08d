//! Tests every command that needs a fleet on a fleet: its output as JSON is valid, and a reader who closes the pipe
//! causes no error.

use crate::binary::argosy;
use crate::fleet::{Fleet, PATIENCE, connect, signal};
use crate::model;
use crate::turns::QUESTION;
use argosy::cli::Cli;
use bus::Bus;
use bus::topology::Topology;
use clap::CommandFactory;
use envelope::Role;
use serde_json::Value;
use std::collections::BTreeSet;
use std::process::Stdio;
use std::time::Duration;
use testkit::node::FakeNodeBehaviour;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::timeout;

/// The commands that take the fleet's address, without the one that is part of a fleet.
fn of_a_fleet() -> BTreeSet<String> {
    fn walk(path: &str, command: &clap::Command, found: &mut BTreeSet<String>) {
        for inner in command.get_subcommands().filter(|c| !c.is_hide_set()) {
            let path = format!("{path} {}", inner.get_name());
            walk(&path, inner, found);
            if inner.get_arguments().any(|arg| arg.get_id() == "server") {
                found.insert(path.trim_start().to_owned());
            }
        }
    }
    let mut found = BTreeSet::new();
    walk("", &Cli::command(), &mut found);
    // They serve until they are stopped.
    for serves in ["run", "serve", "mcp"] {
        found.remove(serves);
    }
    // For people; what it says is seen in tests/edge.
    found.remove("chat");
    found
}

/// Runs commands, and remembers which ones.
struct Runs<'a> {
    fleet: &'a Fleet,
    of_a_fleet: BTreeSet<String>,
    done: BTreeSet<String>,
}

impl Runs<'_> {
    /// The output of a command that has to end with this code: one value, which is no error.
    async fn json(&mut self, exit: i32, args: &[&str]) -> Value {
        let ran = self
            .fleet
            .command(&[args, &["--output", "json"]].concat())
            .await;
        assert_eq!(ran.status.code(), Some(exit), "{args:?}: {ran:?}");
        let said = serde_json::from_slice::<Value>(&ran.stdout);
        let said = said.unwrap_or_else(|e| panic!("{args:?}: no JSON ({e}): {ran:?}"));
        // A dead letter has an error of its own, in words.
        assert!(said["error"]["code"].is_null(), "{args:?}: {said:#}");
        let line = format!("{} ", args.join(" "));
        let named = self
            .of_a_fleet
            .iter()
            .filter(|name| line.starts_with(&format!("{name} ")));
        let named = named.max_by_key(|name| name.len());
        self.done
            .insert(named.expect("a command of a fleet").clone());
        said
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_command_of_a_fleet_says_json_when_asked() {
    let server = testkit::nats::server().await;
    let node = model::node(Duration::ZERO).await;
    let gone = FakeNodeBehaviour::Status(404, "no such model".into(), None);
    node.script([FakeNodeBehaviour::Answer, gone]);
    let mut fleet = Fleet::new(server.url(), model::options(&node));
    fleet.stubbed.clear();
    fleet.setup().await;
    fleet.start_all().await;
    let docs = fleet.dir().join("docs");
    std::fs::create_dir(&docs).expect("a folder");
    for name in ["one.md", "two.md", "three.md"] {
        let text = format!("# {name}\n\nThe notice period of the Osterby agreement is 90 days.\n");
        std::fs::write(docs.join(name), text).expect("a document");
    }
    let docs = docs.to_string_lossy().into_owned();

    let mut runs = Runs {
        fleet: &fleet,
        of_a_fleet: of_a_fleet(),
        done: BTreeSet::new(),
    };
    runs.json(0, &["setup", "--check"]).await;
    let indexed = runs.json(0, &["index", &docs]).await;
    let seq = indexed["corpus_seq"].to_string();
    let answered = runs.json(0, &["ask", QUESTION, "--min-seq", &seq]).await;
    let turn = answered["turn"].as_str().expect("a turn").to_owned();
    // The retriever that answered has all of it.
    runs.json(0, &["search", "notice period"]).await;
    runs.json(0, &["show", "one.md"]).await;
    let catalog = runs.json(0, &["catalog"]).await;
    assert_eq!(catalog["buckets"][0]["documents"], 3, "{catalog}");
    runs.json(0, &["ask", QUESTION, "--conversation", "talk"])
        .await;
    let listed = runs.json(0, &["conversation", "ls"]).await;
    assert_eq!(listed["conversations"][0]["conversation"], "talk");
    let shown = runs.json(0, &["conversation", "show", "talk"]).await;
    assert_eq!(shown["turns"][0]["question"], QUESTION);
    let exported = runs.json(0, &["conversation", "export", "talk"]).await;
    assert_eq!(exported["events"].as_array().map(Vec::len), Some(2));
    let forked = runs
        .json(0, &["conversation", "fork", "talk", "--as", "branch"])
        .await;
    assert_eq!(forked["turns"], 1);
    let file = fleet.dir().join("talk.json");
    std::fs::write(&file, exported.to_string()).expect("a file");
    let file = file.to_string_lossy().into_owned();
    let read = runs
        .json(0, &["conversation", "import", &file, "--as", "copy"])
        .await;
    assert_eq!(
        (&read["turns"], &read["written"]),
        (&1.into(), &true.into())
    );
    let erased = runs.json(0, &["conversation", "rm", "talk", "--yes"]).await;
    assert_eq!(erased["conversations"][0]["erased"], true);
    runs.json(0, &["answer", &turn]).await;
    runs.json(0, &["trace", &turn, "--follow"]).await;
    runs.json(0, &["replay", &turn, "--from", "reducer"]).await;
    runs.json(0, &["cancel", &turn]).await;
    runs.json(0, &["status", "--turn", &turn]).await;
    runs.json(0, &["top", "--count", "1"]).await;
    runs.json(0, &["nodes"]).await;
    let listed = runs.json(0, &["dead", "ls"]).await;
    let number = listed["letters"][0]["number"].to_string();
    runs.json(0, &["dead", "show", &number]).await;
    runs.json(0, &["dead", "retry", &number, "--yes"]).await;
    runs.json(0, &["dead", "drop", &number, "--yes"]).await;
    rules(&mut runs).await;
    runs.json(0, &["feedback", "ls"]).await;
    runs.json(0, &["edition", "ls"]).await;
    runs.json(0, &["edition", "begin", "small"]).await;
    runs.json(0, &["edition", "switch", "small", "--force"])
        .await;
    runs.json(0, &["edition", "switch", "main", "--force"])
        .await;
    runs.json(0, &["edition", "drop", "small"]).await;
    runs.json(0, &["config", "show"]).await;
    // It warns of what a fleet in a test lacks, which is no failure of it.
    runs.json(0, &["doctor"]).await;
    assert_eq!(runs.done, runs.of_a_fleet, "left: what was run");

    goes_on_until_nobody_reads(&fleet).await;
    fleet.drain().await;
}

/// Rules of who may read what are stored, shown, and soon hold in the retriever.
async fn rules(runs: &mut Runs<'_>) {
    let file = runs.fleet.dir().join("access.json");
    std::fs::write(&file, r#"[{"path": "one.md", "groups": ["hr"]}]"#).expect("a file");
    let file = file.to_string_lossy().into_owned();
    let set = runs.json(0, &["access", "set", &file]).await;
    assert_eq!(set["rules"], 1, "{set}");
    let listed = runs.json(0, &["access", "ls"]).await;
    assert_eq!(listed[0]["groups"][0], "hr", "{listed}");
    let as_law = ["catalog", "--groups", "law"];
    for _ in 0..100 {
        let catalog = runs.json(0, &as_law).await;
        if catalog["buckets"][0]["documents"] == 2 {
            let all = runs.json(0, &["catalog"]).await;
            assert_eq!(all["buckets"][0]["documents"], 3, "{all}");
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the rule does not hold");
}

fn lines(child: &mut Child) -> Lines<BufReader<ChildStdout>> {
    BufReader::new(child.stdout.take().expect("a pipe")).lines()
}

async fn line(lines: &mut Lines<BufReader<ChildStdout>>) -> String {
    let line = timeout(PATIENCE, lines.next_line()).await;
    let line = line.expect("a line in time").expect("text");
    line.expect("one more line")
}

/// How a command ended, and its stderr.
async fn end(mut child: Child) -> (Option<i32>, String) {
    let ended = timeout(PATIENCE, child.wait()).await;
    let mut said = String::new();
    let mut stderr = child.stderr.take().expect("a pipe");
    stderr.read_to_string(&mut said).await.expect("text");
    (ended.expect("an end in time").expect("an end").code(), said)
}

/// A command that shows the same thing again and again writes one object a line, and ends when its reader has gone.
async fn goes_on_until_nobody_reads(fleet: &Fleet) {
    for args in [["top", "--every", "1"], ["nodes", "--watch", "1"]] {
        for output in ["json", "text"] {
            let args = [&args[..], &["--output", output]].concat();
            let mut child = fleet.begun(&args);
            let mut lines = lines(&mut child);
            for _ in 0..2 {
                let line = line(&mut lines).await;
                let is_json = serde_json::from_str::<Value>(&line).is_ok();
                assert_eq!(is_json, output == "json", "{args:?}: {line}");
            }
            drop(lines);
            assert_eq!(end(child).await, (Some(0), String::new()), "{args:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_missing_is_said_and_the_rest_is_shown() {
    let server = testkit::nats::server().await;
    let fleet = Fleet::new(server.url(), Vec::new());
    fleet.setup().await;
    let bus = connect(server.url()).await;
    let reducer = Topology::default().consumer(Role::Reducer);
    bus.drop_consumer(&reducer).await.expect("a deletion");
    let place = Role::ALL.iter().position(|role| *role == Role::Reducer);
    let place = place.expect("a reducer");
    for args in [&["status"][..], &["top", "--count", "1"]] {
        let shown = fleet.json(args).await;
        let row = &shown["roles"][place];
        assert_eq!(row["role"], "reducer");
        assert!(row.get("pending").is_some_and(Value::is_null), "{row}");
        assert_eq!(shown["roles"][0]["pending"], 0, "{shown:#}");
        let text = fleet.command(args).await;
        assert_eq!(text.status.code(), Some(0), "{text:?}");
        assert!(text.stderr.is_empty(), "nobody runs: {text:?}");
        let text = String::from_utf8_lossy(&text.stdout).into_owned();
        assert!(text.contains("reducer: a consumer of it is missing"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_goes_away_is_no_answer() {
    let mut server = testkit::nats::server().await;
    let fleet = Fleet::new(server.url(), Vec::new());
    let mut child = fleet.begun(&["nodes", "--watch", "1", "--output", "json"]);
    let mut lines = lines(&mut child);
    assert_eq!(line(&mut lines).await, "[]");
    server.kill().expect("a kill");
    let mut last = line(&mut lines).await;
    while last == "[]" {
        last = line(&mut lines).await;
    }
    let last: Value = serde_json::from_str(&last).expect("JSON");
    assert_eq!(last["error"]["code"], "cannot_connect", "{last}");
    assert_eq!(end(child).await.0, Some(4));
}

/// As in `argosy up | tee`, where Ctrl-C ends `tee` as well.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fleet_of_one_command_is_drained_though_nobody_reads_it() {
    let dir = tempfile::tempdir().expect("a folder");
    for is_log_read in [true, false] {
        let mut command = Command::new(argosy());
        command
            .args(["up", "--port", "0", "--log", "info", "--set"])
            .arg(format!("data_dir={}", dir.path().display()))
            .args(["--set", &format!("model.model={}", argosy::model::OFFLINE)])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        let mut child = command.spawn().expect("it runs");
        let mut out = lines(&mut child);
        while !line(&mut out).await.starts_with("Ctrl-C") {}
        let log = child.stderr.take().expect("a pipe");
        let mut log = BufReader::new(log).lines();
        let mut says = async |word: &str| {
            let line = timeout(PATIENCE, log.next_line()).await.expect("in time");
            let line = line.expect("text");
            line.map(|line| usize::from(line.contains(word)))
        };
        let mut running = 0;
        while running < Role::ALL.len() {
            running += says("\"running\"").await.expect("one more line");
        }
        drop(out);
        if is_log_read {
            signal(&child, "-INT").await;
            let mut drained = 0;
            while let Some(more) = says("\"drained\"").await {
                drained += more;
            }
            assert_eq!(drained, Role::ALL.len());
        } else {
            drop(log);
            signal(&child, "-INT").await;
        }
        let status = timeout(PATIENCE, child.wait()).await.expect("an end");
        assert_eq!(status.expect("a status").code(), Some(0), "{is_log_read}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fleet_of_one_command_ends_with_its_server() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(argosy());
    command
        .args(["up", "--port", "0", "--quiet", "--output", "json"])
        .args(["--set", "door.listen=127.0.0.1:0", "--set"])
        .arg(format!("data_dir={}", dir.path().display()))
        .args(["--set", &format!("model.model={}", argosy::model::OFFLINE)])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    let mut child = command.spawn().expect("it runs");
    let mut lines = lines(&mut child);
    let running: Value = serde_json::from_str(&line(&mut lines).await).expect("JSON");
    let server = running["nats"]["pid"].as_u64().expect("a process");
    let killed = std::process::Command::new("kill")
        .args(["-KILL", &server.to_string()])
        .status();
    assert!(killed.expect("it runs").success());
    let last: Value = serde_json::from_str(&line(&mut lines).await).expect("JSON");
    let told = last["error"]["message"].as_str().unwrap_or_default();
    assert!(told.contains("nats-server ended"), "{last}");
    assert_eq!(end(child).await.0, Some(1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fleet_of_one_command_tells_programs_what_runs() {
    let dir = tempfile::tempdir().expect("a folder");
    let data = format!("data_dir={}", dir.path().display());
    let docs = dir.path().join("docs");
    std::fs::create_dir(&docs).expect("a folder");
    std::fs::write(docs.join("cat.md"), "The cat sat on the mat.\n").expect("a document");
    let mut command = Command::new(argosy());
    command
        .args(["up", "--port", "0", "--quiet", "--output", "json"])
        .args(["--set", &data, "--set"])
        .arg(format!("model.model={}", argosy::model::OFFLINE))
        .arg("--corpus")
        .arg(&docs)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    let mut child = command.spawn().expect("it runs");
    let mut lines = lines(&mut child);
    let running: Value = serde_json::from_str(&line(&mut lines).await).expect("JSON");
    let processes = running["processes"].as_array().expect("processes");
    let roles: Vec<_> = processes.iter().map(|one| one["role"].as_str()).collect();
    assert_eq!(roles, Role::ALL.map(|role| Some(role.as_str())));
    assert!(processes.iter().all(|one| one["pid"].as_u64() > Some(0)));
    assert_eq!(running["corpus"]["indexed"], 1, "{running:#}");
    let url = running["nats"]["url"].as_str().expect("a URL").to_owned();
    connect(url).await;
    signal(&child, "-TERM").await;
    let more = timeout(PATIENCE, lines.next_line()).await;
    assert_eq!(more.expect("an end in time").expect("text"), None);
    assert_eq!(end(child).await, (Some(0), String::new()), "quiet is quiet");
}
