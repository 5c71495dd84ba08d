//! Sets up an empty bus for a test, with helper functions to ask questions, start workers and read the streams.

use bus::memory::MemoryBus;
use bus::topology::Topology;
use bus::{Bus, BusError, CoreMessage, Headers, Publish, StoredMessage, Stream, Subscription};
use bus_nats::{self as nats, NatsBus};
use envelope::{Subject, Terminal, TurnId};
use serde_json::Value;
use settings::TimeSpan;
use std::any::Any;
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long anything that must happen may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(40);
/// After how long without a message a stream is read again, because its messages may have aged away.
const SILENCE: Duration = Duration::from_secs(1);
/// After how long an unanswered delivery is made again.
pub(crate) const ACK_WAIT: TimeSpan = TimeSpan::from_secs(2);

/// Which bus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum On {
    Memory,
    Nats,
}

/// A bus, and what keeps it running.
pub(crate) struct World {
    pub(crate) bus: Arc<dyn Bus>,
    pub(crate) topology: Topology,
    /// The same bus by its concrete type, where there is a server.
    pub(crate) nats: Option<Arc<NatsBus>>,
    _server: Option<Box<dyn Any>>,
}

/// Streams with a short ack wait.
pub(crate) fn topology() -> Topology {
    Topology {
        ack_wait: ACK_WAIT,
        ..Topology::default()
    }
}

impl World {
    pub(crate) async fn new(on: On) -> World {
        World::with(on, |_| {}).await
    }

    /// A world with other sizes or times.
    pub(crate) async fn with(on: On, change: impl FnOnce(&mut Topology)) -> World {
        let mut topology = topology();
        change(&mut topology);
        if on == On::Memory {
            return World {
                bus: MemoryBus::new(&topology),
                topology,
                nats: None,
                _server: None,
            };
        }
        let server = testkit::nats::server().await;
        World::set_up(topology, server.url(), Box::new(server)).await
    }

    /// A world on three servers that replicate each other.
    pub(crate) async fn cluster() -> World {
        let mut topology = topology();
        topology.replicas = 3;
        let cluster = testkit::nats::cluster().await;
        World::set_up(topology, cluster.url(), Box::new(cluster)).await
    }

    async fn set_up(topology: Topology, url: String, server: Box<dyn Any>) -> World {
        let options = nats::Options {
            url,
            ..nats::Options::default()
        };
        let bus = NatsBus::connect(options).await.unwrap();
        // A cluster on a busy machine may still be choosing its leaders; setting up may be repeated.
        let begun = Instant::now();
        while let Err(error) = nats::setup(&bus, &topology).await {
            let is_away = matches!(error, BusError::Away(_));
            assert!(is_away && begun.elapsed() < PATIENCE, "{error}");
        }
        World {
            bus: bus.clone(),
            topology,
            nats: Some(bus),
            _server: Some(server),
        }
    }

    /// Publishes a question as any client does; returns the id that it gets when it names none.
    pub(crate) async fn ask(&self, question: Value) -> TurnId {
        self.ask_with(question, Headers::default()).await
    }

    /// The same with headers.
    pub(crate) async fn ask_with(&self, question: Value, headers: Headers) -> TurnId {
        let body = serde_json::to_vec(&question).unwrap();
        let message = Publish {
            headers,
            ..Publish::new(envelope::subject::QUERY, body.into())
        };
        let sequence = self.bus.publish(message).await.unwrap();
        if let Some(id) = question["id"].as_str() {
            return turn(id);
        }
        let stored = self.all(Stream::Inbox).await;
        let stored = stored.iter().find(|m| m.sequence == sequence).unwrap();
        TurnId::derived(sequence, stored.stored_at.0)
    }

    /// Listens where answers may be sent.
    pub(crate) async fn listen(&self, reply: &str) -> Ear {
        Ear(self.bus.subscribe(reply, None).await.unwrap())
    }

    /// Every message of a stream, oldest first.
    pub(crate) async fn all(&self, stream: Stream) -> Vec<StoredMessage> {
        let all = async {
            loop {
                if let Some(all) = self.read_all(stream).await {
                    return all;
                }
            }
        };
        within("what is stored", all).await
    }

    /// Reads all messages; `None` when some of them were dropped meanwhile, because the last message then never
    /// comes.
    async fn read_all(&self, stream: Stream) -> Option<Vec<StoredMessage>> {
        let mut all = Vec::new();
        if self.bus.state(stream).await.unwrap().messages == 0 {
            return Some(all);
        }
        let mut reader = self.bus.read(stream, ">", 1).await.unwrap();
        loop {
            let next = tokio::time::timeout(SILENCE, reader.next()).await.ok()?;
            let (message, after) = next.unwrap();
            all.push(message);
            if after == 0 {
                return Some(all);
            }
        }
    }

    /// The subjects of the steps, scatter records and parts of a turn, sorted, without what is the
    /// same in all of them: `planner 0`, `scatter 2`, `mapper 3.0`, `part 3.0`.
    pub(crate) async fn steps(&self, turn: &TurnId) -> Vec<String> {
        let mut steps: Vec<String> = self
            .all(Stream::Steps(0))
            .await
            .iter()
            .filter_map(|message| short(&message.subject, turn))
            .collect();
        steps.sort();
        steps
    }

    /// One message of the steps stream by its short name.
    pub(crate) async fn step(&self, turn: &TurnId, name: &str) -> Option<StoredMessage> {
        let all = self.all(Stream::Steps(0)).await;
        all.into_iter()
            .find(|message| short(&message.subject, turn).as_deref() == Some(name))
    }

    /// Waits until a message of that short name is stored.
    pub(crate) async fn step_stored(&self, turn: &TurnId, name: &str) -> StoredMessage {
        until(name, async || self.step(turn, name).await.is_some()).await;
        self.step(turn, name).await.unwrap()
    }

    /// The terminal event of a turn, if there is one.
    pub(crate) async fn ended(&self, turn: &TurnId) -> Option<Terminal> {
        let subject = Subject::Answer { turn: turn.clone() }.to_string();
        let stored = self.bus.last(Stream::Answers, &subject).await.unwrap();
        stored.map(|m| envelope::decode(&m.body).unwrap())
    }

    /// Waits for the terminal event of a turn.
    pub(crate) async fn end(&self, turn: &TurnId) -> Terminal {
        let ended = async {
            loop {
                if let Some(terminal) = self.ended(turn).await {
                    return terminal;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let Ok(terminal) = tokio::time::timeout(PATIENCE, ended).await else {
            let (steps, dead) = (self.steps(turn).await, self.all(Stream::Dead).await);
            panic!("no terminal event of {turn}; stored are {steps:?}, and dead letters: {dead:?}");
        };
        terminal
    }

    /// How many terminal events a turn has.
    pub(crate) async fn ends(&self, turn: &TurnId) -> usize {
        let subject = Subject::Answer { turn: turn.clone() }.to_string();
        let all = self.all(Stream::Answers).await;
        all.iter().filter(|m| m.subject == subject).count()
    }

    /// Leaves time for what must not happen. It cannot make a test fail that should pass.
    pub(crate) async fn quiet(&self) {
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
}

fn short(subject: &str, turn: &TurnId) -> Option<String> {
    match Subject::parse(subject).unwrap() {
        Subject::Step {
            role,
            turn: of,
            hop,
            index,
            ..
        } if of == *turn => Some(match index {
            None => format!("{role} {hop}"),
            Some(i) => format!("{role} {hop}.{i}"),
        }),
        Subject::Scatter { turn: of, hop, .. } if of == *turn => Some(format!("scatter {hop}")),
        Subject::Part {
            turn: of,
            hop,
            index,
            ..
        } if of == *turn => Some(format!("part {hop}.{index}")),
        _ => None,
    }
}

/// A listener.
pub(crate) struct Ear(Box<dyn Subscription>);

impl Ear {
    pub(crate) async fn hear(&mut self) -> CoreMessage {
        within("a message on a reply subject", self.0.next())
            .await
            .unwrap()
    }

    pub(crate) async fn terminal(&mut self) -> Terminal {
        envelope::decode(&self.hear().await.body).unwrap()
    }

    /// Asserts that nothing more was said.
    pub(crate) async fn silent(&mut self) {
        let heard = tokio::time::timeout(Duration::from_millis(300), self.0.next()).await;
        assert!(heard.is_err(), "heard {heard:?}");
    }
}

pub(crate) fn turn(id: &str) -> TurnId {
    TurnId::new(id).unwrap()
}

/// Waits for something that must come in time.
pub(crate) async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(PATIENCE, future).await {
        Ok(came) => came,
        Err(_) => panic!("{what} did not come in time"),
    }
}

/// Checks again and again until something holds.
pub(crate) async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let look = async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    within(what, look).await;
}
