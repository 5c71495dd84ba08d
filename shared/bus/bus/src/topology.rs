//! The list of the streams and consumers that a fleet needs. `argosy setup` makes them, workers only check them, and
//! the memory bus is built from the list. The sizes and times of the streams are the section `streams` of the
//! configuration.

use crate::{BusError, ConsumerSpec, Retention, StoredMessage, Stream, StreamSpec};
use envelope::limits::DEADLINE_MS_MAX;
use envelope::subject::EDITION;
use envelope::{Edition, Editions, Role};
use serde::{Deserialize, Serialize};
use settings::{ByteSize, InvalidOption, TimeSpan};
use std::time::Duration;

/// What the streams keep, and for how long.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Topology {
    /// How long after its deadline the steps of a turn are kept, for traces. Default 5 min.
    pub keep: TimeSpan,
    /// How long questions, answers and dead letters are kept. Default 24 h.
    pub max_age: TimeSpan,
    /// After how long an unanswered delivery is made again. Default 20 s.
    pub ack_wait: TimeSpan,
    /// How long an event of a conversation is kept, and feedback on an answer. Default 30 days.
    pub conversation_age: TimeSpan,
    /// How many events of one conversation are kept, 32 or more: two a turn, the oldest go first. Default 4,096.
    pub conversation_events: u32,
    /// Unanswered deliveries of one role over all its processes. Default 1,024.
    pub max_ack_pending: u32,
    /// Replicas of each stream: 1, 3 or 5. Default 1; 3 in production.
    pub replicas: u8,
    /// Room of the inbox. Default 1 GiB.
    pub inbox_bytes: ByteSize,
    /// Room of the steps, scatter records and parts. Default 24 GiB: a thousand questions a second.
    pub steps_bytes: ByteSize,
    /// Room of the timers. Default 1 GiB.
    pub timers_bytes: ByteSize,
    /// Room of the answers. Default 13 GiB: an hour of a thousand a second.
    pub answers_bytes: ByteSize,
    /// Room of the conversations; the oldest events go first. Default 4 GiB.
    pub conversations_bytes: ByteSize,
    /// Room of the feedback on answers; the oldest goes first. Default 256 MiB.
    pub feedback_bytes: ByteSize,
    /// Room of the documents that wait to be indexed. Default 1 GiB.
    pub documents_bytes: ByteSize,
    /// Room of the corpus. Default 16 GiB.
    pub chunks_bytes: ByteSize,
    /// Room of the dead letters. Default 1 GiB.
    pub dead_bytes: ByteSize,
    /// Room of the files of documents over 512 KiB that wait to be indexed. Default 2 GiB.
    pub files_bytes: ByteSize,
    /// Room of the snapshots of indexes: two of each edition, the second while it is written. Default
    /// 4 GiB.
    pub snapshots_bytes: ByteSize,
}

/// The bytes that are enough of a stream on a server that has no room for everything: there documents matter more than an
/// hour of a thousand questions a second.
pub fn enough_bytes(stream: Stream, wanted: u64) -> u64 {
    const GIB: u64 = 1 << 30;
    match stream {
        Stream::Steps(_) => wanted.min(8 * GIB),
        Stream::Answers => wanted.min(4 * GIB),
        _ => wanted,
    }
}

impl Default for Topology {
    fn default() -> Self {
        let gib = |gib: u64| ByteSize::from_mib(gib * 1024);
        Topology {
            keep: TimeSpan::from_mins(5),
            max_age: TimeSpan::from_hours(24),
            ack_wait: TimeSpan::from_secs(20),
            conversation_age: TimeSpan::from_hours(30 * 24),
            conversation_events: 4_096,
            max_ack_pending: 1_024,
            replicas: 1,
            inbox_bytes: gib(1),
            steps_bytes: gib(24),
            timers_bytes: gib(1),
            answers_bytes: gib(13),
            conversations_bytes: gib(4),
            feedback_bytes: ByteSize::from_mib(256),
            documents_bytes: gib(1),
            chunks_bytes: gib(16),
            dead_bytes: gib(1),
            files_bytes: gib(2),
            snapshots_bytes: gib(4),
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
    /// Checks that the options are allowed and fit together.
    ///
    /// # Errors
    /// The error names the option and what is wanted.
    pub fn validate(&self) -> Result<(), InvalidOption> {
        let wrong = |what| Err(InvalidOption::new(what));
        let Topology {
            keep,
            max_age,
            ack_wait,
            conversation_age: age,
            conversation_events: events,
            replicas,
            ..
        } = self;
        if Duration::from_millis(DEADLINE_MS_MAX) + keep.duration() > max_age.duration() {
            return wrong(format!(
                "`streams.max_age` ({max_age}) must be at least the longest deadline (1h) plus `streams.keep` ({keep})"
            ));
        }
        if !matches!(replicas, 1 | 3 | 5) {
            return wrong(format!(
                "`streams.replicas` must be 1, 3 or 5, not {replicas}"
            ));
        }
        if ack_wait.is_zero() {
            return wrong("`streams.ack_wait` must not be 0".into());
        }
        if age < max_age {
            return wrong(format!(
                "`streams.conversation_age` ({age}) must be at least `streams.max_age` ({max_age})"
            ));
        }
        if *events < 32 {
            return wrong(format!(
                "`streams.conversation_events` must be 32 or more, not {events}"
            ));
        }
        Ok(())
    }

    /// Every stream of the fleet.
    pub fn streams(&self) -> Vec<StreamSpec> {
        use Retention::{DropOld, RefuseNew};
        let spec = |stream, retention, max_bytes: ByteSize, max_age: TimeSpan| StreamSpec {
            stream,
            retention,
            max_age: max_age.duration(),
            max_bytes: max_bytes.bytes(),
            max_per_subject: None,
            schedules: false,
            is_queue: false,
        };
        let (age, forever) = (self.max_age, TimeSpan::ZERO);
        vec![
            spec(Stream::Inbox, RefuseNew, self.inbox_bytes, age),
            spec(Stream::Steps(0), RefuseNew, self.steps_bytes, age),
            StreamSpec {
                schedules: true,
                // A stream with schedules cannot refuse new messages (server error 10052); the
                // gateway keeps it below its limit instead.
                ..spec(Stream::Timers, DropOld, self.timers_bytes, age)
            },
            spec(Stream::Answers, RefuseNew, self.answers_bytes, age),
            StreamSpec {
                max_per_subject: Some(u64::from(self.conversation_events)),
                // All three limits drop from the old end, so that the last event of a log is the newest.
                ..spec(
                    Stream::Conversations,
                    DropOld,
                    self.conversations_bytes,
                    self.conversation_age,
                )
            },
            StreamSpec {
                // The newest one of a login.
                max_per_subject: Some(1),
                ..spec(
                    Stream::Feedback,
                    DropOld,
                    self.feedback_bytes,
                    self.conversation_age,
                )
            },
            StreamSpec {
                is_queue: true,
                ..spec(Stream::Documents, RefuseNew, self.documents_bytes, forever)
            },
            StreamSpec {
                max_per_subject: Some(1),
                ..spec(Stream::Chunks, RefuseNew, self.chunks_bytes, forever)
            },
            spec(Stream::Dead, DropOld, self.dead_bytes, age),
        ]
    }

    /// Every durable consumer of a fleet with these editions.
    pub fn consumers(&self, editions: &Editions) -> Vec<ConsumerSpec> {
        let each = |role: &Role| self.consumers_of(*role, editions);
        Role::ALL.iter().flat_map(each).collect()
    }

    /// The consumer of a thinking role.
    pub fn consumer(&self, role: Role) -> ConsumerSpec {
        ConsumerSpec::of_role(role, 0, self.ack_wait.duration(), self.max_ack_pending)
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
            ..self.own(
                Stream::Inbox,
                INBOX_CONSUMER,
                &[envelope::subject::QUERY, envelope::subject::TENANT_QUERIES],
            )
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
            ack_wait: self.ack_wait.duration(),
            max_ack_pending: self.max_ack_pending,
            idle_max: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_together_is_refused_by_name() {
        let said = |change: fn(&mut Topology)| {
            let mut topology = Topology::default();
            change(&mut topology);
            let checked = topology.validate();
            checked.map_or_else(|error| error.to_string(), |()| String::new())
        };
        assert_eq!(said(|_| {}), "");
        assert_eq!(said(|t| t.keep = TimeSpan::from_hours(23)), "");
        assert_eq!(
            said(|t| t.keep = TimeSpan::from_hours(24)),
            "`streams.max_age` (1d) must be at least the longest deadline (1h) plus `streams.keep` (1d)"
        );
        assert_eq!(
            said(|t| t.replicas = 2),
            "`streams.replicas` must be 1, 3 or 5, not 2"
        );
        assert_eq!(
            said(|t| t.ack_wait = TimeSpan::ZERO),
            "`streams.ack_wait` must not be 0"
        );
        assert_eq!(
            said(|t| t.conversation_age = TimeSpan::from_hours(23)),
            "`streams.conversation_age` (23h) must be at least `streams.max_age` (1d)"
        );
        assert_eq!(
            said(|t| t.conversation_events = 31),
            "`streams.conversation_events` must be 32 or more, not 31"
        );
    }

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
