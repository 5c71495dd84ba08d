//! One stream of the memory bus: its messages, its limits, the expiry of messages, and the schedules that fall due.

use super::consumer::{Consumer, Feed};
use super::subjects::{Subjects, is_literal, matches};
use crate::{
    ConsumerProgress, ConsumerSpec, Headers, Publish, PublishError, Retention, Schedule,
    StoredMessage, StreamSpec, StreamState, WriteCondition,
};
use envelope::UnixMs;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// What the server adds to the bytes of a message, roughly: record head, header marks, checksum.
const OVERHEAD: usize = 46;

/// A stored message and when it leaves.
struct Entry {
    stored: StoredMessage,
    bytes: u64,
    expires: Option<UnixMs>,
    schedule: Option<Schedule>,
}

/// A stream.
pub(super) struct Log {
    spec: StreamSpec,
    takes: Vec<String>,
    messages: BTreeMap<u64, Entry>,
    index: Subjects,
    expiries: BTreeSet<(UnixMs, u64)>,
    schedules: BTreeSet<(UnixMs, u64)>,
    bytes: u64,
    last: u64,
    created: UnixMs,
    next_reader: u64,
    pub(super) consumers: BTreeMap<String, Consumer>,
    pub(super) readers: BTreeMap<u64, Feed>,
}

impl Log {
    pub(super) fn new(spec: StreamSpec, created: UnixMs) -> Self {
        Log {
            takes: spec.stream.subjects(),
            spec,
            messages: BTreeMap::new(),
            index: Subjects::default(),
            expiries: BTreeSet::new(),
            schedules: BTreeSet::new(),
            bytes: 0,
            last: 0,
            created,
            next_reader: 0,
            consumers: BTreeMap::new(),
            readers: BTreeMap::new(),
        }
    }

    /// Whether the stream stores this subject.
    pub(super) fn takes(&self, subject: &str) -> bool {
        self.takes.iter().any(|pattern| matches(pattern, subject))
    }

    /// Processes everything that was due by `now`, in order of time.
    pub(super) fn advance(&mut self, now: UnixMs) {
        loop {
            let expiry = self.expiries.first().filter(|(at, _)| *at <= now).copied();
            let due = self.schedules.first().filter(|(at, _)| *at <= now).copied();
            match (expiry, due) {
                (None, None) => return,
                (Some((gone, sequence)), due) if due.is_none_or(|(at, _)| gone <= at) => {
                    self.remove(sequence);
                }
                (_, Some((at, sequence))) => self.fire(at, sequence),
                (Some(_), None) => return,
            }
        }
    }

    /// When the next schedule falls due; waiting calls have to look again then.
    pub(super) fn next_due(&self) -> Option<UnixMs> {
        self.schedules.first().map(|(at, _)| *at)
    }

    /// Turns a schedule into the message it stands for.
    fn fire(&mut self, at: UnixMs, sequence: u64) {
        let Some(entry) = self.remove(sequence) else {
            return;
        };
        let Some(schedule) = entry.schedule else {
            return;
        };
        let headers = entry
            .stored
            .headers
            .with("Nats-Scheduler", entry.stored.subject)
            .with("Nats-Schedule-Next", "purge");
        // A time that had passed already fires when the schedule comes in.
        let at = at.max(entry.stored.stored_at);
        self.append(
            at,
            schedule.target,
            headers,
            entry.stored.body,
            schedule.ttl,
            None,
        );
    }

    /// Stores a message, or says why not.
    pub(super) fn store(&mut self, now: UnixMs, message: Publish) -> Result<u64, PublishError> {
        let unmet = match &message.condition {
            WriteCondition::Unconditional => false,
            WriteCondition::Absent => self.index.at(&message.subject).len() > 0,
            WriteCondition::AbsentAcross(wildcard) => {
                !self.index.newest_of_each(wildcard).is_empty()
            }
            WriteCondition::LastIs(wildcard, sequence) => {
                let newest = self.index.newest_of_each(wildcard).into_iter().max();
                newest.unwrap_or(0) != *sequence
            }
        };
        if unmet {
            return Err(PublishError::Exists);
        }
        if let Some(schedule) = &message.schedule {
            self.check(schedule)?;
        }
        let bytes = size(&message.subject, &message.headers, message.body.len());
        let goes = self.replaced_by(&message);
        let freed: u64 = goes.iter().map(|s| self.messages[s].bytes).sum();
        let room = self.spec.max_bytes;
        if self.spec.retention == Retention::RefuseNew && self.bytes - freed + bytes >= room {
            return Err(PublishError::Full);
        }
        for sequence in goes {
            self.remove(sequence);
        }
        let Publish {
            subject,
            headers,
            body,
            ttl,
            schedule,
            ..
        } = message;
        Ok(self.append(now, subject, headers, body, ttl, schedule))
    }

    fn check(&self, schedule: &Schedule) -> Result<(), PublishError> {
        if !self.spec.schedules {
            return Err(PublishError::Refused("schedules are off".into()));
        }
        if !is_literal(&schedule.target) || !self.takes(&schedule.target) {
            let target = &schedule.target;
            return Err(PublishError::Refused(format!(
                "bad schedule target `{target}`"
            )));
        }
        Ok(())
    }

    /// What leaves because `message` takes its place.
    fn replaced_by(&self, message: &Publish) -> Vec<u64> {
        let there = self.index.at(&message.subject);
        let over = match (&message.schedule, self.spec.max_per_subject) {
            (Some(_), _) => there.len(),
            (None, Some(limit)) => (there.len() + 1).saturating_sub(limit as usize),
            (None, None) => 0,
        };
        there.take(over).collect()
    }

    fn append(
        &mut self,
        now: UnixMs,
        subject: String,
        headers: Headers,
        body: bytes::Bytes,
        ttl: Option<Duration>,
        schedule: Option<Schedule>,
    ) -> u64 {
        let sequence = self.last + 1;
        let stored = StoredMessage {
            subject,
            headers,
            body,
            sequence,
            stored_at: now,
        };
        self.offer(&stored.subject, sequence);
        if let Some(schedule) = &schedule {
            self.schedules.insert((schedule.at, sequence));
            // A waiting call may have to wake up earlier now.
            self.feeds().for_each(|feed| feed.wake.notify_waiters());
        }
        self.keep(stored, ttl, schedule);
        self.drop_old();
        self.drop_unwanted(sequence);
        sequence
    }

    fn keep(&mut self, stored: StoredMessage, ttl: Option<Duration>, schedule: Option<Schedule>) {
        let sequence = stored.sequence;
        let bytes = size(&stored.subject, &stored.headers, stored.body.len());
        let expires = self.expiry(stored.stored_at, ttl);
        self.index.insert(&stored.subject, sequence);
        self.expiries.extend(expires.map(|at| (at, sequence)));
        self.bytes += bytes;
        self.last = self.last.max(sequence);
        let entry = Entry {
            stored,
            bytes,
            expires,
            schedule,
        };
        self.messages.insert(sequence, entry);
    }

    /// Replaces all messages of the stream, and continues after sequence `last`.
    pub(super) fn restore(&mut self, messages: Vec<StoredMessage>, last: u64) {
        let all: Vec<u64> = self.messages.keys().copied().collect();
        for sequence in all {
            self.remove(sequence);
        }
        for stored in messages {
            self.keep(stored, None, None);
        }
        self.last = self.last.max(last);
    }

    /// In a queue nothing stays that no consumer has still to answer.
    fn drop_unwanted(&mut self, sequence: u64) {
        if self.spec.is_queue && !self.consumers.values().any(|c| c.has(sequence)) {
            self.remove(sequence);
        }
    }

    /// A message of its own time to live leaves at that time or with its stream's age, whichever
    /// comes first.
    fn expiry(&self, now: UnixMs, ttl: Option<Duration>) -> Option<UnixMs> {
        let ttl = ttl.map(|ttl| {
            let whole = ttl.as_secs() + u64::from(ttl.subsec_nanos() > 0);
            now.plus(whole.max(1).saturating_mul(1000))
        });
        let age = self.spec.max_age.as_millis() as u64;
        let aged = (age > 0).then(|| now.plus(age));
        ttl.into_iter().chain(aged).min()
    }

    /// Tells consumers and readers of a new message.
    fn offer(&mut self, subject: &str, sequence: u64) {
        for feed in self.feeds() {
            if feed.wants(subject) {
                feed.waiting.insert(sequence);
                feed.wake.notify_waiters();
            }
        }
    }

    /// The stored messages from a sequence on that a feed wants.
    fn wanted_by(&self, feed: &Feed, from: u64) -> BTreeSet<u64> {
        let stored = self.messages.range(from..);
        let wanted = stored.filter(|(_, entry)| feed.wants(&entry.stored.subject));
        wanted.map(|(sequence, _)| *sequence).collect()
    }

    fn feeds(&mut self) -> impl Iterator<Item = &mut Feed> {
        let consumers = self.consumers.values_mut().map(|c| &mut c.feed);
        consumers.chain(self.readers.values_mut())
    }

    fn drop_old(&mut self) {
        while self.bytes > self.spec.max_bytes && self.spec.retention == Retention::DropOld {
            match self.messages.first_key_value() {
                Some((&oldest, _)) => self.remove(oldest),
                None => return,
            };
        }
    }

    fn remove(&mut self, sequence: u64) -> Option<Entry> {
        let entry = self.messages.remove(&sequence)?;
        self.index.remove(&entry.stored.subject, sequence);
        self.bytes -= entry.bytes;
        if let Some(at) = entry.expires {
            self.expiries.remove(&(at, sequence));
        }
        if let Some(schedule) = &entry.schedule {
            self.schedules.remove(&(schedule.at, sequence));
        }
        for consumer in self.consumers.values_mut() {
            consumer.forget(sequence);
        }
        for reader in self.readers.values_mut() {
            reader.waiting.remove(&sequence);
        }
        Some(entry)
    }

    /// Records that a consumer has acked a message.
    pub(super) fn acked(&mut self, consumer: &str, sequence: u64) {
        if let Some(consumer) = self.consumers.get_mut(consumer) {
            consumer.forget(sequence);
        }
        self.drop_unwanted(sequence);
    }

    /// Adds a consumer of the stored and the coming messages; an existing one keeps its state.
    pub(super) fn add_consumer(&mut self, spec: ConsumerSpec) {
        if let Some(there) = self.consumers.get_mut(&spec.name) {
            there.spec = spec;
            return;
        }
        let mut consumer = Consumer::new(spec.clone());
        consumer.feed.waiting = self.wanted_by(&consumer.feed, 0);
        self.consumers.insert(spec.name, consumer);
    }

    /// Deletes a consumer and, in a queue, the messages that waited for it alone.
    pub(super) fn drop_consumer(&mut self, name: &str) {
        let Some(consumer) = self.consumers.remove(name) else {
            return;
        };
        consumer.feed.wake.notify_waiters();
        let all: Vec<u64> = self.messages.keys().copied().collect();
        all.into_iter().for_each(|s| self.drop_unwanted(s));
    }

    /// Deletes what matches; returns how many messages that were.
    pub(super) fn purge(&mut self, filter: &str) -> u64 {
        let gone = self.wanted_by(&Feed::new(vec![filter.to_owned()]), 0);
        let count = gone.len() as u64;
        for sequence in gone {
            self.remove(sequence);
        }
        count
    }

    pub(super) fn erase(&mut self, sequence: u64) -> bool {
        self.remove(sequence).is_some()
    }

    pub(super) fn get(&self, sequence: u64) -> Option<StoredMessage> {
        self.messages.get(&sequence).map(|e| e.stored.clone())
    }

    pub(super) fn last(&self, subject: &str) -> Option<StoredMessage> {
        let newest = self.index.newest_of_each(subject).into_iter().max()?;
        self.get(newest)
    }

    pub(super) fn first(&self, subject: &str, from: u64) -> Option<StoredMessage> {
        let mut rest = self.messages.range(from..);
        let (_, found) = rest.find(|(_, entry)| matches(subject, &entry.stored.subject))?;
        Some(found.stored.clone())
    }

    pub(super) fn progress(&self, consumer: &str) -> Option<ConsumerProgress> {
        Some(self.consumers.get(consumer)?.progress(self.last))
    }

    pub(super) fn count(&self, filter: &str) -> u64 {
        self.index.newest_of_each(filter).len() as u64
    }

    pub(super) fn last_of_each(&self, filters: &[String]) -> Vec<StoredMessage> {
        let sequences: BTreeSet<u64> = filters
            .iter()
            .flat_map(|filter| self.index.newest_of_each(filter))
            .collect();
        sequences.into_iter().filter_map(|s| self.get(s)).collect()
    }

    /// Opens a reader of matching messages from a sequence on; returns its id and the handle that wakes it.
    pub(super) fn open_reader(&mut self, filter: &str, from: u64) -> (u64, super::pull::Wake) {
        let mut feed = Feed::new(vec![filter.to_owned()]);
        feed.waiting = self.wanted_by(&feed, from);
        let wake = feed.wake.clone();
        self.next_reader += 1;
        self.readers.insert(self.next_reader, feed);
        (self.next_reader, wake)
    }

    pub(super) fn state(&self) -> StreamState {
        StreamState {
            messages: self.messages.len() as u64,
            bytes: self.bytes,
            max_bytes: self.spec.max_bytes,
            first: self
                .messages
                .first_key_value()
                .map_or(self.last + 1, |(first, _)| *first),
            last: self.last,
            created_ms: self.created.0,
        }
    }
}

fn size(subject: &str, headers: &Headers, body: usize) -> u64 {
    let headers: usize = headers.0.iter().map(|(n, v)| n.len() + v.len() + 4).sum();
    (OVERHEAD + subject.len() + headers + body) as u64
}
