//! The names and the specifications of streams and consumers.

use envelope::Role;
use std::time::Duration;

/// A stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stream {
    /// Questions as they were published.
    Inbox,
    /// Steps, scatter records and parts of one shard.
    Steps(u16),
    /// Schedules and late listeners.
    Timers,
    /// Terminal events.
    Answers,
    /// The logs of conversations.
    Conversations,
    /// What people say of answers.
    Feedback,
    /// Documents that wait to be indexed.
    Documents,
    /// The corpus.
    Chunks,
    /// Dead letters.
    Dead,
}

impl Stream {
    /// Every stream of a fleet with one shard.
    pub const ALL: [Stream; 9] = [
        Stream::Inbox,
        Stream::Steps(0),
        Stream::Timers,
        Stream::Answers,
        Stream::Conversations,
        Stream::Feedback,
        Stream::Documents,
        Stream::Chunks,
        Stream::Dead,
    ];

    /// Its name on the server.
    pub fn name(self) -> String {
        match self {
            Stream::Inbox => "ARGOSY_INBOX".into(),
            Stream::Steps(shard) => format!("ARGOSY_STEPS_{shard}"),
            Stream::Timers => "ARGOSY_TIMERS".into(),
            Stream::Answers => "ARGOSY_ANSWERS".into(),
            Stream::Conversations => "ARGOSY_CONVERSATIONS".into(),
            Stream::Feedback => "ARGOSY_FEEDBACK".into(),
            Stream::Documents => "ARGOSY_DOCUMENTS".into(),
            Stream::Chunks => "ARGOSY_CHUNKS".into(),
            Stream::Dead => "ARGOSY_DEAD".into(),
        }
    }

    /// The subjects it stores.
    pub fn subjects(self) -> Vec<String> {
        let all: &[&str] = match self {
            Stream::Inbox => &[envelope::subject::QUERY, envelope::subject::TENANT_QUERIES],
            Stream::Steps(shard) => {
                return vec![
                    format!("argosy.step.{shard}.>"),
                    format!("argosy.part.{shard}.>"),
                ];
            }
            Stream::Timers => &[
                "argosy.timer.>",
                "argosy.due.>",
                "argosy.listen.>",
                "argosy.sweep.>",
                envelope::subject::SNAPSHOTS,
            ],
            Stream::Answers => &["argosy.answer.*", "argosy.clarified.*"],
            Stream::Conversations => &[envelope::subject::CONVERSATIONS],
            Stream::Feedback => &[envelope::subject::FEEDBACK],
            Stream::Documents => &[envelope::subject::DOCUMENTS, envelope::subject::REINDEX],
            Stream::Chunks => &[
                envelope::subject::CHUNKS,
                envelope::subject::EDITION,
                envelope::subject::ACCESS,
            ],
            Stream::Dead => &["argosy.dead.>"],
        };
        all.iter().map(|s| (*s).to_owned()).collect()
    }
}

/// What happens when a stream is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retention {
    /// New messages are refused, so that nothing unread is lost.
    RefuseNew,
    /// The oldest messages are dropped: for messages that can be made again, or that people only look at.
    DropOld,
}

/// The specification of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamSpec {
    /// Which.
    pub stream: Stream,
    /// What happens when it is full.
    pub retention: Retention,
    /// How long messages are kept; zero means for ever.
    pub max_age: Duration,
    /// How many bytes it may hold.
    pub max_bytes: u64,
    /// How many messages a subject may hold; `None` means any number.
    pub max_per_subject: Option<u64>,
    /// Whether messages may be schedules.
    pub schedules: bool,
    /// Whether a message is deleted when every consumer of its subject has acked it; a message without a consumer
    /// is not kept at all.
    pub is_queue: bool,
}

/// Room and positions of a stream.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StreamState {
    /// Messages in it.
    pub messages: u64,
    /// Bytes in it.
    pub bytes: u64,
    /// Bytes it may hold.
    pub max_bytes: u64,
    /// Sequence of its oldest message; `last + 1` when it is empty.
    pub first: u64,
    /// Sequence of the newest message ever stored.
    pub last: u64,
    /// When it was made, in Unix milliseconds; distinguishes a stream from one that replaced it.
    pub created_ms: u64,
}

impl StreamState {
    /// How full it is, 0 to 1.
    pub fn fill(&self) -> f64 {
        if self.max_bytes == 0 {
            0.0
        } else {
            self.bytes as f64 / self.max_bytes as f64
        }
    }
}

/// How far a durable consumer is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ConsumerProgress {
    /// Messages that were never delivered.
    pub pending: u64,
    /// Messages that were delivered and are not answered.
    pub ack_pending: u64,
    /// No message up to this sequence waits for its first delivery.
    pub delivered_to: u64,
    /// Every message up to this sequence is acked.
    pub acked_to: u64,
}

/// A durable consumer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsumerSpec {
    /// The stream that it consumes.
    pub stream: Stream,
    /// Its durable name; for a thinking role, the role's word.
    pub name: String,
    /// The subjects that it takes.
    pub filters: Vec<String>,
    /// After how long an unanswered delivery is made again.
    pub ack_wait: Duration,
    /// How many deliveries of all processes together may be unanswered.
    pub max_ack_pending: u32,
    /// After how long without anybody who pulls the server deletes it; `None` means never. A bus in one process keeps
    /// it.
    pub idle_max: Option<Duration>,
}

impl ConsumerSpec {
    /// The consumer of a thinking role.
    pub(crate) fn of_role(
        role: Role,
        shard: u16,
        ack_wait: Duration,
        max_ack_pending: u32,
    ) -> Self {
        ConsumerSpec {
            stream: Stream::Steps(shard),
            name: role.as_str().into(),
            filters: vec![envelope::subject::steps_of(shard, role)],
            ack_wait,
            max_ack_pending,
            idle_max: None,
        }
    }
}
