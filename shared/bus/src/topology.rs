//! The list of the streams and consumers that a fleet needs. `argosy setup` makes them, workers only check them, and
//! the memory bus is built from the list.

use crate::{BusError, ConsumerSpec, Retention, StoredMessage, Stream, StreamSpec};
use envelope::subject::EDITION;
use envelope::{Edition, Editions, Role};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Sizes and times of the streams.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topology {
    /// How long after the deadline the steps of a turn are kept. Default 5 minutes.
    pub keep: Duration,
    /// How long inbox, answers and dead letters are kept. Default 24 hours.
    pub max_age: Duration,
    /// After how long an unanswered delivery is made again. Default 20 seconds.
    pub ack_wait: Duration,
    /// How long an event of a conversation is kept. Default 30 days.
    pub conversation_age: Duration,
    /// How many events of one conversation are kept: two a turn. Default 4,096.
    pub conversation_events: u64,
    /// Unanswered deliveries of one role over all its processes. Default 1,024.
    pub max_ack_pending: u32,
    /// Replicas of each stream: 1 or 3. Default 1.
    pub replicas: u8,
    /// Room of each stream.
    pub room: StreamSizes,
}

/// How many bytes each stream may hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(
    missing_docs,
    reason = "one field per stream, and one per object store; in bytes"
)]
pub struct StreamSizes {
    pub inbox: u64,
    pub steps: u64,
    pub timers: u64,
    pub answers: u64,
    pub conversations: u64,
    pub documents: u64,
    pub chunks: u64,
    pub dead: u64,
    pub files: u64,
    pub snapshots: u64,
}

const MIB: u64 = 1024 * 1024;

impl Default for Topology {
    fn default() -> Self {
        Topology {
            keep: Duration::from_secs(300),
            max_age: Duration::from_secs(24 * 3600),
            ack_wait: Duration::from_secs(20),
            conversation_age: Duration::from_secs(30 * 24 * 3600),
            conversation_events: 4_096,
            max_ack_pending: 1024,
            replicas: 1,
            room: StreamSizes {
                inbox: 1024 * MIB,
                steps: 8 * 1024 * MIB,
                timers: 1024 * MIB,
                answers: 4 * 1024 * MIB,
                conversations: 4 * 1024 * MIB,
                documents: 1024 * MIB,
                chunks: 16 * 1024 * MIB,
                dead: 1024 * MIB,
                files: 2 * 1024 * MIB,
                snapshots: 4 * 1024 * MIB,
            },
        }
    }
}

/// Name of the object store for documents that are too large for a message.
pub const FILES: &str = "ARGOSY_FILES";
/// How long a file is kept that is never deleted: that of a document that could not be indexed, or whose publisher
/// died.
pub const FILES_KEPT: Duration = Duration::from_secs(7 * 24 * 3600);

/// Name of the object store for snapshots of indexes.
pub const SNAPSHOTS: &str = "ARGOSY_SNAPSHOTS";
/// How long a snapshot is kept. If nothing replaces it, it has to be written again before that.
pub const SNAPSHOTS_KEPT: Duration = Duration::from_secs(7 * 24 * 3600);

/// Durable name of the gateway's consumer of the inbox.
const INBOX_CONSUMER: &str = "gateway-inbox";
/// The least number of questions that may wait unanswered at the gateways: those of a tenant over its quota must
/// not block the questions of others.
const INBOX_WAITING: u32 = 16_384;
/// Durable name of the gateway's consumer of what falls due.
const DUE_CONSUMER: &str = "gateway-due";
/// Durable name of the gateway's consumer of terminal events.
const ANSWER_CONSUMER: &str = "gateway-answers";

/// The editions in the stored record; the consumers of the corpus follow from it.
///
/// # Errors
/// When it cannot be read, for example because a process of a newer release wrote it.
pub fn editions_in(record: &StoredMessage) -> Result<Editions, BusError> {
    envelope::decode(&record.body).map_err(|error| {
        BusError::Refused(format!(
            "the record at `{EDITION}`: {error}; is this process of an older release?"
        ))
    })
}

impl Topology {
    /// Every stream of the fleet.
    pub fn streams(&self) -> Vec<StreamSpec> {
        let spec = |stream, retention, max_bytes, max_age| StreamSpec {
            stream,
            retention,
            max_age,
            max_bytes,
            max_per_subject: None,
            schedules: false,
            is_queue: false,
        };
        vec![
            spec(
                Stream::Inbox,
                Retention::RefuseNew,
                self.room.inbox,
                self.max_age,
            ),
            spec(
                Stream::Steps(0),
                Retention::RefuseNew,
                self.room.steps,
                self.max_age,
            ),
            StreamSpec {
                schedules: true,
                // A stream with schedules cannot refuse new messages (server error 10052); the
                // gateway keeps it below its limit instead.
                ..spec(
                    Stream::Timers,
                    Retention::DropOld,
                    self.room.timers,
                    self.max_age,
                )
            },
            spec(
                Stream::Answers,
                Retention::RefuseNew,
                self.room.answers,
                self.max_age,
            ),
            StreamSpec {
                max_per_subject: Some(self.conversation_events),
                // All three limits drop from the old end, so that the last event of a log is the newest.
                ..spec(
                    Stream::Conversations,
                    Retention::DropOld,
                    self.room.conversations,
                    self.conversation_age,
                )
            },
            StreamSpec {
                is_queue: true,
                ..spec(
                    Stream::Documents,
                    Retention::RefuseNew,
                    self.room.documents,
                    Duration::ZERO,
                )
            },
            StreamSpec {
                max_per_subject: Some(1),
                ..spec(
                    Stream::Chunks,
                    Retention::RefuseNew,
                    self.room.chunks,
                    Duration::ZERO,
                )
            },
            spec(
                Stream::Dead,
                Retention::DropOld,
                self.room.dead,
                self.max_age,
            ),
        ]
    }

    /// Every durable consumer of a fleet with these editions.
    pub fn consumers(&self, editions: &Editions) -> Vec<ConsumerSpec> {
        let each = |role: &Role| self.consumers_of(*role, editions);
        Role::ALL.iter().flat_map(each).collect()
    }

    /// The consumer of a thinking role.
    pub fn consumer(&self, role: Role) -> ConsumerSpec {
        ConsumerSpec::of_role(role, 0, self.ack_wait, self.max_ack_pending)
    }

    /// The durable consumers of one role: the gateway's three, one per edition of the indexer's, one of
    /// each other role.
    pub fn consumers_of(&self, role: Role, editions: &Editions) -> Vec<ConsumerSpec> {
        match role {
            Role::Gateway => vec![self.inbox(), self.due(), self.answers()],
            Role::Indexer => editions.all().map(|e| self.documents(e)).collect(),
            role => vec![self.consumer(role)],
        }
    }

    /// The gateway's consumer of the inbox.
    pub fn inbox(&self) -> ConsumerSpec {
        ConsumerSpec {
            max_ack_pending: self.max_ack_pending.max(INBOX_WAITING),
            ..self.own(Stream::Inbox, INBOX_CONSUMER, &[envelope::subject::QUERY])
        }
    }

    /// The gateway's consumer of what falls due.
    pub fn due(&self) -> ConsumerSpec {
        self.own(
            Stream::Timers,
            DUE_CONSUMER,
            &["argosy.due.>", envelope::subject::SWEEP_DUE],
        )
    }

    /// The gateway's consumer of terminal events.
    pub fn answers(&self) -> ConsumerSpec {
        self.own(Stream::Answers, ANSWER_CONSUMER, &["argosy.answer.*"])
    }

    /// The consumer of documents that the indexers of an edition share: documents for every edition, and documents
    /// for this edition alone.
    pub fn documents(&self, edition: &Edition) -> ConsumerSpec {
        let name = format!("{}-{edition}", Role::Indexer);
        let own = envelope::subject::reindex(edition);
        self.own(
            Stream::Documents,
            &name,
            &[envelope::subject::DOCUMENTS, &own],
        )
    }

    fn own(&self, stream: Stream, name: &str, filters: &[&str]) -> ConsumerSpec {
        ConsumerSpec {
            stream,
            name: name.into(),
            filters: filters.iter().map(|f| (*f).to_owned()).collect(),
            ack_wait: self.ack_wait,
            max_ack_pending: self.max_ack_pending,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Code that looks at every stream uses this list: a stream that is not in it would be neither watched nor
    /// erased.
    #[test]
    fn every_stream_that_is_made_is_listed() {
        let made: Vec<Stream> = Topology::default()
            .streams()
            .iter()
            .map(|spec| spec.stream)
            .collect();
        let is_listed = |stream: &&Stream| Stream::ALL.contains(stream);
        assert_eq!(made.iter().filter(is_listed).count(), made.len());
        assert_eq!(made.len(), Stream::ALL.len());
    }
}
