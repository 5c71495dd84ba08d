//! Webhooks: endpoints are told of the ends of turns, once each where they take it, and as long as it is worth it where they
//! do not. Nobody is told of what is another's, and nobody inside is called for somebody outside.

use crate::endpoint::{Does, Endpoint};
use crate::stand::{ANSWER, QUESTION, Stand, open_counted};
use bus::memory::MemoryBus;
use bus::topology::Topology;
use bus::{Bus, StoredMessage, Stream};
use door::{Options, WebhookFile};
use envelope::{Outcome, TenantId, Terminal, TurnId, UnixMs, header};
use serde_json::{Value, json};
use settings::TimeSpan;
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use telemetry::Registry;
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

const SECRET: &str = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX";
const OTHER_SECRET: &str = "whsec_FxYVFBMSERAPDg0MCwoJCAcGBQQDAgEA";
/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long is waited for what must not happen.
const NEVER: Duration = Duration::from_millis(700);

/// A webhook of the tenant `default` on this machine.
fn webhook(name: &str, url: &str) -> Value {
    json!({"name": name, "tenant": "default", "url": url, "secrets": [SECRET], "allow_private": true, "added": 0})
}

fn write(path: &Path, webhooks: &[Value]) {
    std::fs::write(path, json!({ "webhooks": webhooks }).to_string()).unwrap();
    // What is refused here would only be told in the log of the door.
    WebhookFile::read(path).unwrap();
}

fn options(path: &Path) -> Options {
    Options {
        webhooks: Some(path.to_owned()),
        webhook_tries: 3,
        webhook_delay: TimeSpan::from_millis(20),
        ..Options::default()
    }
}

/// Doors of one fleet, in which nobody answers but the test.
struct Hooked {
    bus: Arc<dyn Bus>,
    doors: Vec<(SocketAddr, CancellationToken, JoinHandle<()>)>,
    /// What the last door counts.
    registry: Registry,
    dir: TempDir,
}

impl Hooked {
    async fn with(doors: usize, webhooks: &[Value]) -> Hooked {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("webhooks.json");
        write(&path, webhooks);
        let bus: Arc<dyn Bus> = MemoryBus::new(&Topology::default());
        let (mut opened, mut registry) = (Vec::new(), Registry::new());
        for _ in 0..doors {
            registry = Registry::new();
            opened.push(open_counted(bus.clone(), options(&path), &registry).await);
        }
        Hooked {
            bus,
            doors: opened,
            registry,
            dir,
        }
    }

    /// Ends a turn, as a gateway does.
    async fn end_turn(&self, turn: &str, tenant: &str) {
        let (turn, tenant) = (TurnId::new(turn).unwrap(), TenantId::new(tenant).unwrap());
        let ended = Terminal::bare(turn, tenant, Outcome::Answered, self.bus.now());
        self.store(&ended).await;
    }

    async fn store(&self, ended: &Terminal) {
        let message = streams::outbox::terminal(ended, None).unwrap();
        self.bus.publish(message).await.unwrap();
    }

    /// The dead letter of a turn.
    async fn letter(&self, turn: &str) -> StoredMessage {
        let until = Instant::now() + PATIENCE;
        let subject = format!("argosy.dead.webhook.{turn}.hook");
        loop {
            if let Some(letter) = self.bus.last(Stream::Dead, &subject).await.unwrap() {
                return letter;
            }
            assert!(Instant::now() < until, "no letter at {subject}");
            sleep(Duration::from_millis(10)).await;
        }
    }

    async fn end(self) {
        for (_, stop, served) in self.doors {
            stop.cancel();
            served.await.unwrap();
        }
    }
}

fn says(status: u16) -> Does {
    Does::Says(status, String::new())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endpoint_is_told_how_a_turn_ended() {
    let endpoint = Endpoint::new([]).await;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("webhooks.json");
    // By a name, which is looked up.
    let url = endpoint.url().replace("127.0.0.1", "localhost");
    let mut all = webhook("hook", &url);
    // Who asks without a login has all groups.
    all["groups"] = json!(["*"]);
    write(&path, &[all]);
    let stand = Stand::start(options(&path)).await;
    let answered = stand
        .post("/api/turns", &[], &json!({ "question": QUESTION }))
        .await
        .json();
    let told = endpoint.after(1).await.remove(0);
    assert!(told.is_signed_with(SECRET) && !told.is_signed_with(OTHER_SECRET));
    assert_eq!(
        told.id,
        format!("turn-{}", answered["turn"].as_str().unwrap())
    );
    let event = told.json();
    assert_eq!(event["type"], "turn.ended");
    assert_eq!(event["data"], answered);
    assert!(
        event["data"]["answer"].as_str().unwrap().contains(ANSWER),
        "{event}"
    );
    assert!(
        event["timestamp"].as_str().unwrap().ends_with('Z'),
        "{event}"
    );
    stand.end().await;
    assert_eq!(endpoint.told().len(), 1);
}

#[tokio::test]
async fn what_was_not_taken_is_told_again_under_the_same_id() {
    let endpoint = Endpoint::new([says(500), says(400)]).await;
    let mut twice = webhook("hook", &endpoint.url());
    twice["secrets"] = json!([OTHER_SECRET, SECRET]);
    let hooked = Hooked::with(1, &[twice]).await;
    hooked.end_turn("t1", "default").await;
    let told = endpoint.after(3).await;
    for one in &told {
        assert_eq!((one.id.as_str(), &one.body), ("turn-t1", &told[0].body));
        assert_eq!(one.signatures.len(), 2);
        assert!(one.is_signed_with(SECRET) && one.is_signed_with(OTHER_SECRET));
    }
    sleep(NEVER).await;
    assert_eq!(endpoint.told().len(), 3);
    hooked.end().await;
}

#[tokio::test]
async fn what_is_given_up_becomes_a_dead_letter_without_the_answer() {
    let endpoint = Endpoint::new([says(500), says(503), says(500)]).await;
    let hooked = Hooked::with(1, &[webhook("hook", &endpoint.url())]).await;
    hooked.end_turn("t1", "default").await;
    let letter = hooked.letter("t1").await;
    let header = |name| letter.headers.get(name).unwrap();
    assert_eq!(header(header::DEAD_REASON), "status");
    assert_eq!(header(header::DEAD_ERROR), "it answered with status 500");
    assert_eq!(header(header::DEAD_SUBJECT), "argosy.answer.t1");
    assert_eq!(header(header::DEAD_ORIGIN), "ARGOSY_ANSWERS/1");
    assert_eq!(header(header::DEAD_DELIVERED), "3");
    assert!(letter.body.is_empty());
    // The next one is told.
    hooked.end_turn("t2", "default").await;
    let told = endpoint.after(4).await;
    assert_eq!(told[3].id, "turn-t2");
    hooked.end().await;
}

#[tokio::test]
async fn an_endpoint_that_is_gone_is_called_once_for_each_turn() {
    let endpoint = Endpoint::new([says(410)]).await;
    let hooked = Hooked::with(1, &[webhook("hook", &endpoint.url())]).await;
    hooked.end_turn("t1", "default").await;
    let letter = hooked.letter("t1").await;
    assert_eq!(letter.headers.get(header::DEAD_REASON), Some("gone"));
    sleep(NEVER).await;
    assert_eq!(endpoint.told().len(), 1);
    hooked.end().await;
}

#[tokio::test]
async fn nobody_is_told_of_what_is_anothers_or_was_before() {
    let endpoint = Endpoint::new([]).await;
    let mut late = webhook("hook", &endpoint.url());
    late["added"] = json!(1_000);
    let hooked = Hooked::with(2, &[late]).await;
    for n in 0..50 {
        hooked.end_turn(&format!("acme-{n}"), "acme").await;
    }
    let turn = TurnId::new("early").unwrap();
    let tenant = TenantId::default_tenant();
    hooked
        .store(&Terminal::bare(
            turn,
            tenant,
            Outcome::Answered,
            UnixMs(999),
        ))
        .await;
    hooked.end_turn("own", "default").await;
    let told = endpoint.after(1).await;
    sleep(NEVER).await;
    assert_eq!(endpoint.told(), told);
    assert_eq!(told[0].id, "turn-own");
    hooked.end().await;
}

#[tokio::test]
async fn a_name_that_means_this_machine_is_not_called() {
    let endpoint = Endpoint::new([]).await;
    let mut inside = webhook("hook", &format!("https://localhost:{}/hook", endpoint.port));
    inside["allow_private"] = json!(false);
    let hooked = Hooked::with(1, &[inside]).await;
    hooked.end_turn("t1", "default").await;
    let letter = hooked.letter("t1").await;
    assert_eq!(
        letter.headers.get(header::DEAD_REASON),
        Some("address_refused")
    );
    let error = letter.headers.get(header::DEAD_ERROR).unwrap();
    assert!(error.contains("`allow_private`"), "{error}");
    assert!(endpoint.told().is_empty());
    hooked.end().await;
}

#[tokio::test]
async fn nobody_is_sent_elsewhere() {
    let inside = Endpoint::new([]).await;
    let moved = |status| Does::Says(status, format!("Location: {}", inside.url()));
    let endpoint = Endpoint::new([moved(307), moved(301), moved(308)]).await;
    let hooked = Hooked::with(1, &[webhook("hook", &endpoint.url())]).await;
    hooked.end_turn("t1", "default").await;
    let letter = hooked.letter("t1").await;
    assert_eq!(
        letter.headers.get(header::DEAD_ERROR),
        Some("it answered with status 308")
    );
    assert!(inside.told().is_empty());
    hooked.end().await;
}

#[tokio::test]
async fn an_endpoint_that_hangs_holds_up_nobody_else() {
    let hanging = Endpoint::new(std::iter::repeat_n(Does::Hangs, 100)).await;
    let well = Endpoint::new([]).await;
    let webhooks = [
        webhook("hanging", &hanging.url()),
        webhook("well", &well.url()),
    ];
    let hooked = Hooked::with(1, &webhooks).await;
    let turns: BTreeSet<String> = (0..30).map(|n| format!("t{n}")).collect();
    for turn in &turns {
        hooked.end_turn(turn, "default").await;
    }
    let begun = Instant::now();
    let told = well.after(30).await;
    assert!(begun.elapsed() < Duration::from_secs(5));
    let ids: BTreeSet<_> = told
        .iter()
        .map(|told| told.id.replace("turn-", ""))
        .collect();
    assert_eq!(ids, turns);
    // So many calls are under way at a time.
    assert_eq!(hanging.told().len(), 4);
    let closing = Instant::now();
    hooked.end().await;
    assert!(closing.elapsed() < Duration::from_secs(8));
}

#[tokio::test]
async fn doors_share_the_work() {
    let endpoint = Endpoint::new([]).await;
    let hooked = Hooked::with(3, &[webhook("hook", &endpoint.url())]).await;
    for n in 0..60 {
        hooked.end_turn(&format!("t{n}"), "default").await;
    }
    endpoint.after(60).await;
    sleep(NEVER).await;
    let told = endpoint.told();
    let ids: BTreeSet<_> = told.iter().map(|told| &told.id).collect();
    assert_eq!((ids.len(), told.len()), (60, 60));
    hooked.end().await;
}

#[tokio::test]
async fn a_file_that_has_changed_is_read_again() {
    let (first, second) = (Endpoint::new([]).await, Endpoint::new([]).await);
    let hooked = Hooked::with(1, &[webhook("hook", &first.url())]).await;
    let path = hooked.dir.path().join("webhooks.json");
    let is_waiting_told = || {
        let text = hooked.registry.encode();
        text.contains("argosy_door_webhook_waiting{webhook=\"hook\"}")
    };
    hooked.end_turn("t0", "default").await;
    first.after(1).await;
    // One that cannot be read changes nothing.
    std::fs::write(&path, "{").unwrap();
    sleep(Duration::from_secs(3)).await;
    hooked.end_turn("t1", "default").await;
    first.after(2).await;
    write(&path, &[webhook("hook", &second.url())]);
    sleep(Duration::from_secs(3)).await;
    hooked.end_turn("t2", "default").await;
    assert_eq!(second.after(1).await[0].id, "turn-t2");
    assert!(is_waiting_told());
    write(&path, &[]);
    sleep(Duration::from_secs(3)).await;
    assert!(!is_waiting_told());
    hooked.end_turn("t3", "default").await;
    sleep(NEVER).await;
    assert_eq!((first.told().len(), second.told().len()), (2, 1));
    hooked.end().await;
}

#[tokio::test]
async fn one_that_is_added_again_under_its_name_begins_anew() {
    let later = || Does::Says(503, "Retry-After: 1800".into());
    let old = Endpoint::new(std::iter::repeat_with(later).take(70)).await;
    let new = Endpoint::new([]).await;
    let hooked = Hooked::with(1, &[webhook("hook", &old.url())]).await;
    // More than may wait to be tried again.
    for n in 0..70 {
        hooked.end_turn(&format!("old-{n}"), "default").await;
    }
    old.after(64).await;
    sleep(NEVER).await;
    assert_eq!(old.told().len(), 64);
    let mut again = webhook("hook", &new.url());
    again["added"] = json!(hooked.bus.now().0 + 1);
    write(&hooked.dir.path().join("webhooks.json"), &[again]);
    sleep(Duration::from_secs(3)).await;
    hooked.end_turn("new", "default").await;
    assert_eq!(new.after(1).await[0].id, "turn-new");
    sleep(NEVER).await;
    assert_eq!((old.told().len(), new.told().len()), (64, 1));
    hooked.end().await;
}
