//! Records the events of a run that the streams do not show: which fault was injected where and what it cost, which
//! process had which delivery, and which model calls were paid. The invariants compare the streams with this record.

use bytes::Bytes;
use envelope::TurnId;
use std::collections::BTreeMap;
use std::time::Duration;

/// The name of a disturbance. A sweep over many seeds must have seen every one.
pub(crate) type Hit = &'static str;

/// Every disturbance.
pub(crate) const HITS: [Hit; 34] = [
    "crash at delivered",
    "crash at handled",
    "crash at scatter-stored",
    "crash at part-stored",
    "crash at mapped",
    "crash at published",
    "crash of a gateway",
    "crash at the bus",
    "restart",
    "outage",
    "publish lost",
    "publish unconfirmed",
    "publish conflict",
    "publish full",
    "publish slow",
    "read failed",
    "read slow",
    "follower lags",
    "ack lost",
    "ack unconfirmed",
    "nak lost",
    "beat lost",
    "delivery late",
    "delivery twice",
    "word lost",
    "open failed",
    "model transient",
    "model permanent",
    "model timeout",
    "model busy",
    "model garbage",
    "model slow",
    "model panic",
    "search failed",
];

/// A delivery that has not been answered.
#[derive(Debug, Clone)]
struct Open {
    process: u64,
    subject: String,
    turn: Option<TurnId>,
    since: Duration,
}

/// The work on one step over all its deliveries.
#[derive(Debug, Clone, Default)]
pub(crate) struct Runs {
    /// How often a stage was started on it.
    pub(crate) started: u64,
    /// How many of these runs ended with an error.
    pub(crate) failed: u64,
    /// How many deliveries came while a process already had one.
    pub(crate) overlapped: u64,
    /// How many deliveries died with their process.
    pub(crate) cut: u64,
    /// How many deliveries were given back, to be made again.
    pub(crate) given_back: u64,
    /// How many deliveries were handed out twice.
    pub(crate) doubled: u64,
}

/// A message to a reply subject, whether or not it arrived.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) subject: String,
    pub(crate) body: Bytes,
    /// Whether the sender was told that it did not go out.
    pub(crate) refused: bool,
}

/// The record of a seed.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    open: BTreeMap<u64, Open>,
    next: u64,
    /// How often each disturbance struck.
    pub(crate) hits: BTreeMap<Hit, u64>,
    /// The most time that was taken from a turn.
    pub(crate) taken: BTreeMap<TurnId, Duration>,
    /// The most time that was taken from all turns.
    pub(crate) taken_from_all: Duration,
    /// Runs, by the subject of the step.
    pub(crate) runs: BTreeMap<String, Runs>,
    /// Runs of redelivered steps whose result had been stored before.
    pub(crate) paid_twice: Vec<String>,
    /// The messages to reply subjects.
    pub(crate) replies: Vec<Reply>,
    /// The highest number of deliveries of each inbox message, by sequence.
    pub(crate) inbox_deliveries: BTreeMap<u64, u64>,
    /// Turns that the client cancelled.
    pub(crate) cancelled: Vec<TurnId>,
    /// Calls of the model.
    pub(crate) calls: u64,
    /// The events in order, where they are wanted.
    pub(crate) events: Option<Vec<String>>,
}

impl Ledger {
    /// Records that a disturbance struck.
    pub(crate) fn hit(&mut self, hit: Hit) {
        debug_assert!(HITS.contains(&hit), "{hit}");
        *self.hits.entry(hit).or_default() += 1;
    }

    /// Records that a turn, or all turns, lost time.
    pub(crate) fn take(&mut self, turn: Option<&TurnId>, time: Duration) {
        match turn {
            Some(turn) => *self.taken.entry(turn.clone()).or_default() += time,
            None => self.taken_from_all += time,
        }
    }

    /// Records that a delivery went to a process.
    pub(crate) fn open(
        &mut self,
        process: u64,
        subject: &str,
        turn: Option<TurnId>,
        now: Duration,
    ) -> u64 {
        let held = self.open.values().any(|open| open.subject == subject);
        self.runs.entry(subject.into()).or_default().overlapped += u64::from(held);
        self.next += 1;
        let open = Open {
            process,
            subject: subject.into(),
            turn,
            since: now,
        };
        self.open.insert(self.next, open);
        self.next
    }

    /// Records that it was answered for good.
    pub(crate) fn close(&mut self, id: u64) {
        self.open.remove(&id);
    }

    /// Records that it was given back, to be made again after a delay.
    pub(crate) fn give_back(&mut self, id: u64, delay: Duration) {
        if let Some(open) = self.open.remove(&id) {
            self.runs.entry(open.subject).or_default().given_back += 1;
            self.take(open.turn.as_ref(), delay);
        }
    }

    /// Records that it was dropped, answered or not. A process that has the message already need not answer it twice:
    /// its first delivery speaks for both.
    pub(crate) fn dropped(&mut self, id: u64) {
        let Some(Open {
            process, subject, ..
        }) = self.open.get(&id)
        else {
            return;
        };
        let in_hand = |(other, open): (&u64, &Open)| {
            *other != id && open.process == *process && open.subject == *subject
        };
        if self.open.iter().any(in_hand) {
            self.open.remove(&id);
        }
    }

    /// Records that a process died with its deliveries.
    pub(crate) fn died(&mut self, process: u64, now: Duration, again_after: Duration) {
        let held: Vec<u64> = self
            .open
            .iter()
            .filter(|(_, open)| open.process == process)
            .map(|(id, _)| *id)
            .collect();
        for id in held {
            let Some(open) = self.open.remove(&id) else {
                continue;
            };
            self.runs.entry(open.subject).or_default().cut += 1;
            self.take(
                open.turn.as_ref(),
                now.saturating_sub(open.since) + again_after,
            );
        }
    }

    /// Records that a stage starts on a step.
    pub(crate) fn started(&mut self, subject: &str) {
        self.runs.entry(subject.into()).or_default().started += 1;
    }

    /// The deliveries that no process has answered.
    pub(crate) fn unanswered(&self) -> Vec<&str> {
        self.open.values().map(|o| o.subject.as_str()).collect()
    }
}
