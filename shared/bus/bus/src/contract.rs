//! The contract of the bus: the operations that the system needs from JetStream, and no others.
//!
//! Three features of JetStream are left out on purpose: dedup ids (creating a subject only once is a stronger
//! guarantee), server-side back-off, and work-queue retention for messages that a join or a redelivery reads. Only
//! the stream of documents to be indexed is a queue: a document is removed when every consumer has acked it.

use crate::sizes::told;
use crate::stream::{ConsumerProgress, ConsumerSpec, Stream, StreamState};
use bytes::Bytes;
use envelope::{Class, Classify, UnixMs};
use futures_util::future::BoxFuture;
use std::time::Duration;

/// What the bus answers to a call, or why it could not.
pub type BusFuture<'a, T> = BoxFuture<'a, Result<T, BusError>>;

/// Message headers in order of insertion; names as in [`envelope::header`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Headers(pub Vec<(String, String)>);

impl Headers {
    /// The first value of `name`, ignoring case.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(n, _)| n.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// Adds a header.
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.0.push((name.into(), value.into()));
        self
    }
}

/// The condition under which a message is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriteCondition {
    /// There is no condition: the newest version wins.
    Unconditional,
    /// Nothing may be stored at the message's own subject.
    Absent,
    /// Nothing may be stored at any subject that matches this wildcard.
    AbsentAcross(String),
    /// The newest message over all subjects that match this wildcard has this sequence; 0 for none. A writer that
    /// always expects its own last message notices when another one writes there too.
    LastIs(String, u64),
}

/// When a stored schedule fires, and under which subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    /// When.
    pub at: UnixMs,
    /// The subject under which the fired message is stored, in the same stream.
    pub target: String,
    /// How long the fired message is kept; absent means as long as the stream keeps messages.
    pub ttl: Option<Duration>,
}

/// A message to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Publish {
    /// Where.
    pub subject: String,
    /// Headers.
    pub headers: Headers,
    /// Body.
    pub body: Bytes,
    /// The condition under which it is stored.
    pub condition: WriteCondition,
    /// How long it is kept, in whole seconds (rounded up); absent means as long as its stream keeps.
    pub ttl: Option<Duration>,
    /// Set for schedules.
    pub schedule: Option<Schedule>,
}

impl Publish {
    /// A message without conditions.
    pub fn new(subject: impl ToString, body: Bytes) -> Self {
        Publish {
            subject: subject.to_string(),
            headers: Headers::default(),
            body,
            condition: WriteCondition::Unconditional,
            ttl: None,
            schedule: None,
        }
    }
}

/// A message as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredMessage {
    /// Where.
    pub subject: String,
    /// Headers.
    pub headers: Headers,
    /// Body.
    pub body: Bytes,
    /// Its place in the stream, from 1.
    pub sequence: u64,
    /// When it was stored.
    pub stored_at: UnixMs,
}

/// One delivery of a stored message to a consumer.
pub struct Delivery {
    /// The message.
    pub message: StoredMessage,
    /// Which delivery of it this is, from 1.
    pub delivered: u64,
    /// How it is answered.
    pub ack: Box<dyn Ack>,
}

/// How a delivery is answered.
pub trait Ack: Send + Sync {
    /// Acks the message. Where the ack deletes it, this returns when the server has confirmed that; elsewhere at once, and an
    /// ack that is lost with its connection costs one more delivery.
    fn ack(&self) -> BusFuture<'_, ()>;
    /// Asks the server to deliver the message again after `delay`; a nak always has a delay.
    fn nak(&self, delay: Duration) -> BusFuture<'_, ()>;
    /// Tells the server that the work goes on, so that the ack time-out starts anew.
    fn in_progress(&self) -> BusFuture<'_, ()>;
}

/// A consumer's deliveries.
pub trait Puller: Send {
    /// The next delivery. Never more than `free` messages are on their way to this process. May be
    /// dropped and called again without losing a message.
    fn next(&mut self, free: usize) -> BusFuture<'_, Delivery>;
    /// Stops pulling, and returns the deliveries that it has not handed out yet.
    fn close(self: Box<Self>) -> BoxFuture<'static, Vec<Delivery>>;
}

/// A message of core NATS: it is not stored, and is delivered at most once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoreMessage {
    /// Where.
    pub subject: String,
    /// The subject to which a reply is sent, if one is awaited.
    pub reply: Option<String>,
    /// Headers.
    pub headers: Headers,
    /// Body.
    pub body: Bytes,
}

impl CoreMessage {
    /// A message without headers that awaits no reply.
    pub fn new(subject: impl ToString, body: impl Into<Bytes>) -> Self {
        CoreMessage {
            subject: subject.to_string(),
            reply: None,
            headers: Headers::default(),
            body: body.into(),
        }
    }
}

/// A subscription to core messages.
pub trait Subscription: Send {
    /// The next message; `None` when the subscription ended.
    fn next(&mut self) -> BoxFuture<'_, Option<CoreMessage>>;
}

/// A stream read in order from a sequence on, without a durable consumer.
pub trait Reader: Send {
    /// The next message, with the number of matching messages after it. Waits for the message if there is none yet.
    fn next(&mut self) -> BusFuture<'_, (StoredMessage, u64)>;
}

/// The operations on JetStream that the system needs.
pub trait Bus: Send + Sync + 'static {
    /// The time.
    fn now(&self) -> UnixMs;
    /// Stores a message; returns its sequence when the stream has confirmed it.
    fn publish(&self, message: Publish) -> BoxFuture<'_, Result<u64, PublishError>>;
    /// The newest message at a subject, which may have wildcards. The stream's leader answers.
    fn last<'a>(&'a self, stream: Stream, subject: &'a str)
    -> BusFuture<'a, Option<StoredMessage>>;
    /// The number of matching subjects that have a message. The stream's leader answers.
    fn count<'a>(&'a self, stream: Stream, filter: &'a str) -> BusFuture<'a, u64>;
    /// The newest message of each matching subject, for at most 1,024 subjects. A follower that lags may answer.
    fn last_of_each<'a>(
        &'a self,
        stream: Stream,
        filters: &'a [String],
    ) -> BusFuture<'a, Vec<StoredMessage>>;
    /// Reads a stream from sequence `from` on.
    fn read<'a>(
        &'a self,
        stream: Stream,
        filter: &'a str,
        from: u64,
    ) -> BusFuture<'a, Box<dyn Reader>>;
    /// Room and positions of a stream.
    fn state(&self, stream: Stream) -> BusFuture<'_, StreamState>;
    /// The oldest message at a subject, which may have wildcards, from sequence `from` on. The stream's leader
    /// answers.
    fn first<'a>(
        &'a self,
        stream: Stream,
        subject: &'a str,
        from: u64,
    ) -> BusFuture<'a, Option<StoredMessage>>;
    /// The progress of a durable consumer. The consumer's leader answers.
    fn progress<'a>(&'a self, consumer: &'a ConsumerSpec) -> BusFuture<'a, ConsumerProgress>;
    /// Opens a durable consumer that [`setup`](crate::topology) has made; fails when it is missing
    /// or different.
    fn consume<'a>(&'a self, consumer: &'a ConsumerSpec) -> BusFuture<'a, Box<dyn Puller>>;
    /// Makes a durable consumer, which also gets the messages that are stored already. An existing consumer is
    /// changed to the specification. Only setting up, the management of editions and doors with webhooks call this,
    /// never a worker.
    fn add_consumer<'a>(&'a self, consumer: &'a ConsumerSpec) -> BusFuture<'a, ()>;
    /// Deletes a durable consumer, and with it the messages of a queue that waited for no other consumer. It is no
    /// error if there is none.
    fn drop_consumer<'a>(&'a self, consumer: &'a ConsumerSpec) -> BusFuture<'a, ()>;
    /// The message with this sequence, if it is stored. The stream's leader answers.
    fn message(&self, stream: Stream, sequence: u64) -> BusFuture<'_, Option<StoredMessage>> {
        Box::pin(async move {
            let first = self.first(stream, ">", sequence).await?;
            Ok(first.filter(|stored| stored.sequence == sequence))
        })
    }
    /// Like [`Bus::message`], but any replica answers, which is cheaper. A replica that lags may lack a message that
    /// is stored, or still have one that was deleted.
    fn message_anywhere(
        &self,
        stream: Stream,
        sequence: u64,
    ) -> BusFuture<'_, Option<StoredMessage>> {
        self.message(stream, sequence)
    }
    /// Deletes the message with this sequence and overwrites its bytes; false when it was not stored. With several
    /// replicas, their Raft log keeps the message until the log is compacted.
    fn erase(&self, stream: Stream, sequence: u64) -> BusFuture<'_, bool>;
    /// Deletes every message of a stream that matches; returns how many. Their bytes stay in the server's files until
    /// those are written anew.
    fn purge<'a>(&'a self, stream: Stream, filter: &'a str) -> BusFuture<'a, u64>;
    /// What the subjects begin with at which this client may listen for replies. Default `_INBOX`.
    fn inbox(&self) -> &str {
        "_INBOX"
    }
    /// Publishes without storing: at most once, and possibly without a listener.
    fn broadcast(&self, message: CoreMessage) -> BusFuture<'_, ()>;
    /// Listens without storing; with a queue group, each message goes to one of the group.
    fn subscribe<'a>(
        &'a self,
        subject: &'a str,
        queue: Option<&'a str>,
    ) -> BusFuture<'a, Box<dyn Subscription>>;
    /// Keeps bytes that are too large for a message under a name, and replaces older ones. They are deleted after
    /// [`FILES_KEPT`](crate::topology::FILES_KEPT) at the latest.
    fn put_file<'a>(&'a self, name: &'a str, bytes: Bytes) -> BusFuture<'a, ()>;
    /// The bytes under a name, if there are any; an error when they are larger than `max_bytes`.
    fn get_file<'a>(&'a self, name: &'a str, max_bytes: u64) -> BusFuture<'a, Option<Bytes>>;
    /// The share of the files' room that is in use, from 0 to 1; 0 if that is not known.
    fn files_taken(&self) -> BusFuture<'_, f64> {
        Box::pin(std::future::ready(Ok(0.0)))
    }
    /// Deletes the bytes under a name. It is no error if there are none.
    fn delete_file<'a>(&'a self, name: &'a str) -> BusFuture<'a, ()>;
    /// Whether the connection is up.
    fn connected(&self) -> bool;
}

/// Why a message was not stored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PublishError {
    /// Its write condition does not hold: the message is stored already. For create-once that is success; for
    /// [`WriteCondition::LastIs`] another writer has stored something in between.
    #[error("another message is stored on this subject already")]
    Exists,
    /// A conflicting write is in flight (three replicas): try again shortly.
    #[error("another write to this subject is in progress")]
    Conflict,
    /// The stream has no room.
    #[error("the stream is full")]
    Full,
    /// The result is unknown: the message may be stored or not.
    #[error("NATS did not confirm that the message is stored: {0}")]
    Unconfirmed(String),
    /// The server refused it for good.
    #[error("NATS refused the message: {0}")]
    Refused(String),
}

impl PublishError {
    /// The name of the error in spans.
    pub fn code(&self) -> &'static str {
        match self {
            PublishError::Exists => "exists",
            PublishError::Conflict => "conflict",
            PublishError::Full => "full",
            PublishError::Unconfirmed(_) => "unconfirmed",
            PublishError::Refused(_) => "refused",
        }
    }
}

/// Why the bus could not do something.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BusError {
    /// No stream or consumer of that name.
    #[error("{0} does not exist; run `argosy setup`")]
    Missing(String),
    /// It exists, but is not what this release wants.
    #[error("{name} differs from what this release wants ({what}); run `argosy setup`")]
    Different {
        /// Stream or consumer.
        name: String,
        /// In what.
        what: String,
    },
    /// There is no connection, or the server did not answer in time.
    #[error("NATS cannot be reached, or did not answer in time: {0}")]
    Away(String),
    /// The server refuses these credentials.
    #[error("the server refuses these credentials: {0}")]
    Denied(String),
    /// The server has no JetStream for this account.
    #[error("nats-server {0} runs without JetStream")]
    NoJetStream(String),
    /// The streams want more room than they are offered.
    #[error("{}", no_room(*wanted, *offered, *least))]
    NoRoom {
        /// Bytes that are wanted beyond those that the streams have already.
        wanted: u64,
        /// Bytes that are offered, where that is known.
        offered: Option<u64>,
        /// The least that would have to be offered if every size gave way, where that is known.
        least: Option<u64>,
    },
    /// The server refused, or a file of the connection or an answer of the server cannot be used.
    #[error("a request to NATS failed: {0}")]
    Refused(String),
}

fn no_room(wanted: u64, offered: Option<u64>, least: Option<u64>) -> String {
    let offered = offered.map_or("less".to_owned(), told);
    let least = least.map_or(String::new(), |least| {
        format!("; as small as they can be made, they need {}", told(least))
    });
    let wanted = told(wanted);
    format!("the streams need {wanted} more storage, and the server offers {offered}{least}")
}

impl Classify for BusError {
    fn class(&self) -> Class {
        match self {
            BusError::Away(_) | BusError::NoJetStream(_) => Class::Transient,
            BusError::Missing(_)
            | BusError::Different { .. }
            | BusError::Denied(_)
            | BusError::NoRoom { .. }
            | BusError::Refused(_) => Class::Permanent,
        }
    }
    fn code(&self) -> &'static str {
        match self {
            BusError::Missing(_) => "bus_missing",
            BusError::Different { .. } => "bus_different",
            BusError::Away(_) => "bus_away",
            BusError::Denied(_) => "bus_denied",
            BusError::NoJetStream(_) => "bus_no_jetstream",
            BusError::NoRoom { .. } => "bus_no_room",
            BusError::Refused(_) => "bus_refused",
        }
    }
}
