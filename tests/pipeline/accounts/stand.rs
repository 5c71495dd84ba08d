//! A server with accounts, a fleet whose processes are logins of their own, and clients that listen.

use crate::binary::argosy;
use crate::fleet::{Fleet, PATIENCE};
use crate::model;
use bus::{Bus, CoreMessage, Publish, PublishError, Subscription};
use bus_nats::{NatsBus, Options};
use envelope::{Role, Terminal, subject};
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use testkit::nats::TestServer;
use testkit::node::FakeNode;
use tokio::time::timeout;

/// Long enough for a server on this machine to pass anything on.
pub(super) const SOON: Duration = Duration::from_millis(400);

/// A server with accounts, and a fleet that may be run on it.
pub(super) struct Shared {
    pub(super) server: TestServer,
    pub(super) keys: TempDir,
    pub(super) node: FakeNode,
    pub(super) fleet: Fleet,
}

impl Shared {
    /// One for the tenants `acme` and `bolt`, with more lines of the server's configuration and options of all clients.
    pub(super) async fn new(extra: &str, set: Vec<String>) -> Shared {
        let keys = TempDir::with_prefix("argosy-keys-").expect("a folder");
        let config = format!("{}{extra}", printed(keys.path()));
        let server = testkit::nats::server_with(|options| options.extra = config).await;
        let node = model::node(Duration::ZERO).await;
        let set = [model::options(&node), set].concat();
        let mut fleet = Fleet::new(server.url(), set);
        fleet.stubbed.clear();
        let mut shared = Shared {
            server,
            keys,
            node,
            fleet,
        };
        shared.log_in("operator").fleet.setup().await;
        shared
    }

    /// From now on commands and processes are of this login.
    pub(super) fn log_in(&mut self, login: &str) -> &mut Shared {
        let set = &mut self.fleet.plan.set;
        set.retain(|option| !option.starts_with("nats.nkey="));
        set.push(format!(
            "nats.nkey={}",
            self.keys.path().join(format!("{login}.nk")).display()
        ));
        self
    }

    pub(super) async fn json(&mut self, login: &str, args: &[&str]) -> Value {
        self.log_in(login).fleet.json(args).await
    }

    pub(super) async fn start_all(&mut self) {
        for role in Role::ALL {
            self.log_in(role.as_str()).fleet.start(role);
        }
        self.fleet.ready().await;
    }

    pub(super) fn options(&self, login: &str) -> Options {
        Options {
            url: self.server.url(),
            nkey: Some(self.keys.path().join(format!("{login}.nk"))),
            name: "argosy-tests".into(),
            ..Options::default()
        }
    }

    pub(super) async fn connect(&self, login: &str) -> Arc<NatsBus> {
        NatsBus::connect(self.options(login))
            .await
            .expect("a connection")
    }

    /// What the server refused.
    pub(super) fn violations(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.server.store_dir().join("server.log"));
        let log = log.expect("the server's log");
        let lines = log
            .lines()
            .filter(|line| line.to_lowercase().contains("violation"));
        lines.map(str::to_owned).collect()
    }
}

/// The accounts, with keys for all of their logins.
pub(super) fn printed(keys: &Path) -> String {
    let mut command = Command::new(argosy());
    command.args(["permissions", "--tenants", "acme,bolt", "--quiet", "--keys"]);
    let ran = command.arg(keys).output().expect("it runs");
    assert!(ran.status.success() && ran.stderr.is_empty(), "{ran:?}");
    String::from_utf8(ran.stdout).expect("text")
}

/// Listens to all that one login can hear.
pub(super) struct Ear(Box<dyn Subscription>);

impl Ear {
    pub(super) async fn of(bus: &NatsBus, subject: &str) -> Ear {
        Ear(bus.subscribe(subject, None).await.expect("an ear"))
    }

    pub(super) async fn next(&mut self) -> CoreMessage {
        let heard = timeout(PATIENCE, self.0.next()).await;
        heard.expect("a message in time").expect("a message")
    }

    pub(super) async fn terminal(&mut self) -> Terminal {
        envelope::decode(&self.next().await.body).expect("a terminal event")
    }

    /// What has come, once nothing more does.
    pub(super) async fn all(&mut self) -> Vec<(String, Value)> {
        let mut all = Vec::new();
        while let Ok(Some(heard)) = timeout(SOON, self.0.next()).await {
            let body = serde_json::from_slice(&heard.body).unwrap_or_default();
            all.push((heard.subject, body));
        }
        all
    }
}

pub(super) async fn ask(bus: &NatsBus, body: &Value) -> Result<u64, PublishError> {
    bus.publish(Publish::new(subject::QUERY, body.to_string().into()))
        .await
}

/// The event that ends the question, which has the inbox `reply` for that.
pub(super) async fn asked(bus: &NatsBus, mut body: Value) -> Terminal {
    let reply = format!("{}.{}", bus.inbox(), fastrand::u64(..));
    let mut ear = Ear::of(bus, &reply).await;
    body["reply_to"] = reply.into();
    ask(bus, &body).await.expect("it is stored");
    ear.terminal().await
}

/// A request on a core subject.
pub(super) async fn requested(bus: &NatsBus, at: &str, body: Value) -> Value {
    let reply = format!("{}.{}", bus.inbox(), fastrand::u64(..));
    let mut ear = Ear::of(bus, &reply).await;
    let request = CoreMessage {
        reply: Some(reply),
        ..CoreMessage::new(at, body.to_string())
    };
    bus.broadcast(request).await.expect("it is sent");
    serde_json::from_slice(&ear.next().await.body).expect("JSON")
}

pub(super) fn sources(found: &Value) -> Vec<&str> {
    let passages = found["passages"].as_array().expect("passages");
    passages
        .iter()
        .filter_map(|one| one["source"].as_str())
        .collect()
}

/// One document of each tenant, which say the same.
pub(super) async fn index(shared: &mut Shared) {
    for tenant in ["acme", "bolt"] {
        let docs = shared.fleet.dir().join(tenant);
        std::fs::create_dir(&docs).expect("a folder");
        let text =
            format!("# Of {tenant}\n\nThe notice period of the Osterby agreement is 90 days.\n");
        std::fs::write(docs.join(format!("{tenant}.md")), text).expect("a document");
        // Too large for a message: it goes through the store of files.
        let long = format!(
            "# Long\n\n{}",
            "Another sentence of this long text.\n\n".repeat(16_000)
        );
        std::fs::write(docs.join(format!("{tenant}-long.md")), long).expect("a document");
        let docs = docs.to_string_lossy().into_owned();
        let indexed = shared
            .json("writer", &["index", &docs, "--tenant", tenant])
            .await;
        assert_eq!(indexed["indexed"], 2, "{indexed}");
    }
}
