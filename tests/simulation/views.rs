//! The invariants of the stores in which conversation workers follow the logs: their contents at the end, and that
//! neither a store nor a stream contains any text of the questions once every conversation is erased.

use crate::fleet::{Remains, all};
use crate::world::World;
use bus::topology::Topology;
use bus::{Bus, StoredMessage, Stream};
use conversation::StoreFirst;
use conversation_log::{ConversationKey, EventSource, LogEvent, Read, Store};
use envelope::Subject;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use streams::conversation::Logs;
use streams::follow::{StoreFollower, StoreReport};
use telemetry::Registry;
use testkit::conversation::MemoryStore;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// A time longer than any seed.
const KEPT: Duration = Duration::from_secs(3_600);
/// Every stream that may hold what was said.
const STREAMS: [Stream; 6] = [
    Stream::Inbox,
    Stream::Steps(0),
    Stream::Answers,
    Stream::Dead,
    Stream::Timers,
    Stream::Conversations,
];

/// The contents of a store: the position, and the events of each conversation.
#[derive(Debug, Default)]
pub(crate) struct View {
    pub(crate) sequence: u64,
    pub(crate) held: BTreeMap<String, Vec<Read>>,
}

/// Feeds the store of an instance, which outlasts each of its processes as a disk does; returns where those processes
/// read.
pub(crate) fn follow(
    world: &Arc<World>,
    instance: usize,
    bus: Arc<dyn Bus>,
    stop: CancellationToken,
    task: &mut JoinSet<()>,
) -> Arc<dyn EventSource> {
    let store = world.stores[instance].clone();
    let (told, seen) = report();
    // What a disturbed reader loses would excuse every turn; the process that follows dies often enough.
    let (own, kept) = (world.bus.clone(), store.clone());
    task.spawn(async move { following().run(&*own, &*kept, &told, &stop).await });
    Arc::new(StoreFirst::new(store, seen, Arc::new(Logs::on(bus))))
}

fn following() -> StoreFollower {
    StoreFollower {
        max_age: KEPT,
        metrics: streams::Metrics::new(&Registry::new()).expect("metrics"),
    }
}

fn report() -> (StoreReport, watch::Receiver<u64>) {
    let (seen, heard) = watch::channel(0);
    let sizes = watch::channel(None).0;
    (StoreReport { seen, sizes }, heard)
}

/// The contents of the stores.
pub(crate) async fn views(world: &World) -> Vec<View> {
    let mut views = Vec::new();
    for store in &world.stores {
        views.push(view(store).await);
    }
    views
}

async fn view(store: &MemoryStore) -> View {
    let mut view = View {
        sequence: store.position().await.expect("a position").sequence,
        held: BTreeMap::new(),
    };
    for (key, _) in store.list(None, None, 64).await.expect("a list") {
        let events = store.scan(&key, 0, 1_024).await.expect("events");
        view.held.insert(subject(&key), events);
    }
    view
}

fn subject(key: &ConversationKey) -> String {
    streams::conversation::subject(key)
}

/// Erases every conversation that has a log, lets the stores take that in, and returns what is left of the questions.
pub(crate) async fn erase_all(world: &World, topology: &Topology) -> Vec<String> {
    let logs = all(&world.bus, Stream::Conversations).await;
    let keys: BTreeMap<&str, ConversationKey> = logs
        .iter()
        .filter_map(|stored| Some((stored.subject.as_str(), key(stored)?)))
        .collect();
    let said = said(world, keys.values());
    let bus: Arc<dyn Bus> = world.bus.clone();
    let mut left = Vec::new();
    if !keys.is_empty() && holding(world, &said).await.is_empty() {
        left.push("nothing was there to be erased".to_owned());
    }
    for key in keys.values() {
        match harness::erasure::erase(&bus, topology, key).await {
            Ok(report) if report.left() == 0 => {}
            other => left.push(format!("{}: {other:?}", key.conversation)),
        }
    }
    left.extend(holding(world, &said).await);
    for store in &world.stores {
        left.extend(left_in(world, store, &said).await);
    }
    left
}

/// The messages of all streams that hold a part of it.
async fn holding(world: &World, said: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for stream in STREAMS {
        for stored in all(&world.bus, stream).await {
            let body = String::from_utf8_lossy(&stored.body);
            if said.iter().any(|said| body.contains(said)) {
                found.push(format!("{}: {body}", stored.subject));
            }
        }
    }
    found
}

/// The conversation of an event.
fn key(stored: &StoredMessage) -> Option<ConversationKey> {
    match Subject::parse(&stored.subject) {
        Ok(Subject::Conversation {
            tenant,
            conversation,
        }) => Some(ConversationKey {
            tenant,
            conversation,
        }),
        _ => None,
    }
}

/// The beginnings of the questions of these conversations; no two questions begin alike.
fn said<'a>(world: &World, keys: impl Iterator<Item = &'a ConversationKey>) -> Vec<String> {
    let within: Vec<String> = keys
        .map(|key| format!("\"conversation\":\"{}\"", key.conversation))
        .collect();
    let asks = world.plan.asks.iter();
    let asks = asks.filter(|ask| within.iter().any(|within| ask.body.contains(within)));
    asks.filter_map(|ask| {
        let body: serde_json::Value = serde_json::from_str(&ask.body).ok()?;
        let (number, _) = body["question"].as_str()?.split_once(':')?;
        Some(format!("{number}:"))
    })
    .collect()
}

/// What a store still holds of it after it has taken in everything in the stream.
async fn left_in(world: &World, store: &MemoryStore, said: &[String]) -> Vec<String> {
    let newest = world.bus.state(Stream::Conversations).await;
    let newest = newest.expect("a stream").last;
    let ((told, mut seen), stop) = (report(), CancellationToken::new());
    let following = following();
    let run = following.run(&*world.bus, store, &told, &stop);
    let enough = async {
        let came = seen.wait_for(|at| *at >= newest).await.is_ok();
        stop.cancel();
        came
    };
    let (came, ()) = tokio::join!(enough, run);
    assert!(came, "a store that follows");
    let mut left = Vec::new();
    for (subject, events) in view(store).await.held {
        let text = format!("{events:?}");
        let is_mark = events.len() == 1 && events[0].event.state.is_erased;
        if !is_mark || said.iter().any(|said| text.contains(said)) {
            left.push(format!("a store has {subject}: {text}"));
        }
    }
    left
}

/// Every store holds every event of every log at its place, and nothing else, however its processes died.
pub(crate) fn views_are_the_logs(remains: &Remains) -> Result<(), String> {
    let mut logs: BTreeMap<String, Vec<Read>> = BTreeMap::new();
    for stored in &remains.conversations {
        let sequence = stored.sequence;
        let event = LogEvent::read(&stored.body).map_err(|error| error.to_string())?;
        let log = logs.entry(stored.subject.clone()).or_default();
        log.push(Read { sequence, event });
    }
    let newest = remains.conversations.last().map_or(0, |last| last.sequence);
    for (n, view) in remains.views.iter().enumerate() {
        if view.sequence != newest {
            return Err(format!(
                "store {n} is at {}, not at {newest}",
                view.sequence
            ));
        }
        if view.held != logs {
            return Err(format!("store {n} holds something else than the logs"));
        }
    }
    Ok(())
}

/// When every conversation is erased, no stream and no store holds a word of the questions.
pub(crate) fn erased_is_nowhere(remains: &Remains) -> Result<(), String> {
    match remains.left.first() {
        Some(left) => Err(format!("{} are left; {left}", remains.left.len())),
        None => Ok(()),
    }
}
