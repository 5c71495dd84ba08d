//! Tests doors over a fleet: one is killed in the middle of many event streams, and each client takes its stream up at
//! another one, without an event lost or told twice.

use crate::binary::argosy;
use crate::fleet::{Fleet, PATIENCE};
use crate::model;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::task::JoinSet;
use tokio::time::timeout;

/// How many streams there are, if `ARGOSY_STREAMS` does not say.
const STREAMS: usize = 60;

/// A door process that this test started.
pub(crate) struct DoorProcess {
    pub(crate) at: SocketAddr,
    pub(crate) child: Child,
}

impl DoorProcess {
    pub(crate) async fn start(fleet: &Fleet) -> DoorProcess {
        let args = ["serve", "--listen", "127.0.0.1:0", "-o", "json"];
        DoorProcess::of(fleet.line(&args)).await
    }

    pub(crate) async fn of(mut line: Command) -> DoorProcess {
        let mut child = line.stdout(Stdio::piped()).spawn().expect("a door");
        let mut said = BufReader::new(child.stdout.take().expect("its output")).lines();
        let mut text = String::new();
        while serde_json::from_str::<Value>(&text).is_err() {
            let next = timeout(PATIENCE, said.next_line()).await.expect("in time");
            text += &next.expect("readable").expect("an address");
        }
        let said: Value = serde_json::from_str(&text).expect("JSON");
        let url = said["url"].as_str().expect("an address");
        let at = url
            .trim_start_matches("http://")
            .parse()
            .expect("an address");
        DoorProcess { at, child }
    }
}

/// What a client has seen of its turn.
#[derive(Default)]
struct Seen {
    turn: Option<String>,
    ids: Vec<String>,
    ended: Option<Value>,
}

type Stream = Lines<BufReader<TcpStream>>;

async fn follow(at: SocketAddr, request: String) -> std::io::Result<Stream> {
    let mut stream = TcpStream::connect(at).await?;
    stream.write_all(request.as_bytes()).await?;
    Ok(BufReader::new(stream).lines())
}

fn ask(at: SocketAddr, n: usize) -> String {
    let body =
        json!({ "question": format!("What is the notice period of contract {n}?") }).to_string();
    format!(
        "POST /api/turns HTTP/1.1\r\nHost: {at}\r\nAccept: text/event-stream\r\nIdempotency-Key: stream-{n}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn again(at: SocketAddr, turn: &str, last: &str) -> String {
    format!("GET /api/turns/{turn}/events HTTP/1.1\r\nHost: {at}\r\nLast-Event-ID: {last}\r\n\r\n")
}

impl Seen {
    /// Reads until the answer or until the stream breaks off.
    async fn read(&mut self, mut stream: Stream, steps: &AtomicUsize) {
        let mut event = String::new();
        let mut id = None;
        while let Ok(Some(line)) = stream.next_line().await {
            if let Some(name) = line.strip_prefix("event: ") {
                (event, id) = (name.to_owned(), None);
            } else if let Some(of) = line.strip_prefix("id: ") {
                id = Some(of.to_owned());
            } else if let Some(data) = line.strip_prefix("data: ") {
                let Ok(data) = serde_json::from_str::<Value>(data) else {
                    // Cut in the middle: it was not told.
                    continue;
                };
                if event == "turn" {
                    self.turn = data["turn"].as_str().map(str::to_owned);
                }
                if let Some(id) = id.take() {
                    self.ids.push(id);
                    steps.fetch_add(1, Ordering::Relaxed);
                }
                if event == "answer" {
                    self.ended = Some(data);
                    return;
                }
            }
        }
    }
}

/// A client that goes to the other door as often as it takes. Returns whether its stream broke off.
async fn client(doors: [SocketAddr; 2], n: usize, steps: Arc<AtomicUsize>) -> bool {
    let mut seen = Seen::default();
    let mut tries = 0;
    while seen.ended.is_none() {
        let at = doors[tries.min(1)];
        let request = match &seen.turn {
            Some(turn) => again(at, turn, seen.ids.last().map_or("", String::as_str)),
            None => ask(at, n),
        };
        if let Ok(stream) = follow(at, request).await {
            seen.read(stream, &steps).await;
        }
        tries += 1;
        assert!(tries < 10, "stream {n} does not end");
    }
    let ended = seen.ended.expect("its end");
    assert_eq!(ended["outcome"], "answered", "{ended}");
    let trail = ended["trail"].as_array().expect("a trail");
    let path = trail.iter().filter(|entry| entry.get("index").is_none());
    let path = path.map(|entry| (entry["hop"].as_u64().expect("a hop") + 1).to_string());
    let path: Vec<_> = path.chain(["end".to_owned()]).collect();
    assert_eq!(seen.ids, path, "stream {n}, after {tries} tries");
    tries > 1
}

/// Tells it to stop; it has to end well.
pub(crate) async fn end(mut door: DoorProcess) {
    crate::fleet::signal(&door.child, "-TERM").await;
    let ended = timeout(PATIENCE, door.child.wait()).await.expect("in time");
    assert!(ended.expect("its end").success());
}

/// The status and the JSON of a request without a body, or with this question.
pub(crate) async fn call(at: SocketAddr, line: &str, question: Option<Value>) -> (u16, Value) {
    let body = question.map_or(String::new(), |question| question.to_string());
    let request = format!(
        "{line} HTTP/1.1\r\nHost: {at}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut lines = follow(at, request).await.expect("a connection");
    let mut all = String::new();
    while let Some(line) = lines.next_line().await.expect("text") {
        all += &line;
        all.push('\n');
    }
    let status = all.split(' ').nth(1).and_then(|status| status.parse().ok());
    let body = all.split_once("\n\n").map_or("", |(_, body)| body);
    (
        status.expect("a status"),
        serde_json::from_str(body).unwrap_or_default(),
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_folder_that_is_served_keeps_its_conversations() {
    let dir = tempfile::tempdir().expect("a folder");
    let corpus = dir.path().join("docs");
    std::fs::create_dir(&corpus).expect("a folder");
    std::fs::write(
        corpus.join("lease.md"),
        "# Lease\n\nThe lease of the hall ends on 3 May 2031.\n",
    )
    .expect("a file");
    let serve = async || {
        let mut line = Command::new(argosy());
        line.args([
            "serve",
            "--corpus",
            "docs",
            "--listen",
            "127.0.0.1:0",
            "-o",
            "json",
        ]);
        line.args(["--set", "model.model=offline-extractive"]);
        line.current_dir(dir.path())
            .stdin(Stdio::null())
            .kill_on_drop(true);
        DoorProcess::of(line).await
    };
    let door = serve().await;
    let asked = json!({"question": "When does the lease of the hall end?", "conversation": "c1"});
    let (status, answered) = call(door.at, "POST /api/turns", Some(asked)).await;
    assert_eq!(status, 200, "{answered}");
    assert!(answered.to_string().contains("3 May 2031"), "{answered}");
    end(door).await;

    let door = serve().await;
    let (_, listed) = call(door.at, "GET /api/conversations", None).await;
    assert_eq!(listed["conversations"][0]["conversation"], "c1", "{listed}");
    let (_, talk) = call(door.at, "GET /api/conversations/c1", None).await;
    assert_eq!(talk["turns"][0]["turn"], answered["turn"], "{talk}");
    let asked = json!({"question": "And of which hall is it?", "conversation": "c1"});
    assert_eq!(call(door.at, "POST /api/turns", Some(asked)).await.0, 200);
    let (_, talk) = call(door.at, "GET /api/conversations/c1", None).await;
    assert_eq!(talk["turns"].as_array().map(Vec::len), Some(2), "{talk}");
    let (status, fork) = call(
        door.at,
        "POST /api/conversations/c1/fork",
        Some(json!({"after": answered["turn"]})),
    )
    .await;
    assert_eq!(status, 201, "{fork}");
    assert_eq!(
        call(door.at, "DELETE /api/conversations/c1", None).await.0,
        204
    );
    end(door).await;

    let door = serve().await;
    let (_, talk) = call(door.at, "GET /api/conversations/c1", None).await;
    assert!(!talk.to_string().contains("hall"), "{talk}");
    // The fork is a conversation of its own.
    let fork = format!(
        "GET /api/conversations/{}",
        fork["conversation"].as_str().expect("an id")
    );
    let (_, talk) = call(door.at, &fork, None).await;
    assert_eq!(talk["turns"].as_array().map(Vec::len), Some(1), "{talk}");
    let (status, file) = call(door.at, "GET /api/file?source=lease.md", None).await;
    // No JSON: only that it is there.
    assert_eq!((status, file), (200, Value::Null));
    end(door).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_door_costs_its_clients_nothing() {
    let streams = settings::sources::variable("ARGOSY_STREAMS");
    let number = |said: std::ffi::OsString| said.to_str()?.parse().ok();
    let streams = streams.and_then(number).unwrap_or(STREAMS);
    let server = testkit::nats::server().await;
    let node = model::node(Duration::from_millis(20)).await;
    let mut fleet = Fleet::new(server.url(), model::options(&node));
    fleet.setup().await;
    fleet.start_all().await;
    let mut first = DoorProcess::start(&fleet).await;
    let second = DoorProcess::start(&fleet).await;
    let steps = Arc::new(AtomicUsize::new(0));
    let mut clients = JoinSet::new();
    for n in 0..streams {
        clients.spawn(client([first.at, second.at], n, steps.clone()));
    }
    // In the middle: each has seen two of its five events.
    let middle = async {
        while steps.load(Ordering::Relaxed) < streams * 2 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    timeout(PATIENCE, middle).await.expect("events");
    first.child.kill().await.expect("a kill");
    let mut broken = 0;
    while let Some(done) = clients.join_next().await {
        broken += usize::from(done.expect("a client whose events are whole"));
    }
    println!("{broken} of {streams} streams broke off");
    assert!(
        broken * 4 >= streams,
        "{broken} of {streams} streams broke off"
    );
    end(second).await;
    fleet.drain().await;
}
