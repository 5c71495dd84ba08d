//! What happened beside the streams: who was hit by which disturbance and what that cost, who held
//! which delivery, which runs were paid. The checkers hold the streams against it.

use bytes::Bytes;
use envelope::TurnId;
use std::collections::BTreeMap;
use std::time::Duration;

/// One disturbance, by name. A seed sweep has to have seen every one.
pub(crate) type Hit = &'static str;

/// Every disturbance.
pub(crate) const HITS: [Hit; 33] = [
    "crash at delivered",
    "crash at handled",
    "crash at scatter-stored",
    "crash at part-stored",
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

/// How the work on one step went over all its deliveries.
#[derive(Debug, Clone, Default)]
pub(crate) struct Runs {
    /// Times a stage was started on it.
    pub(crate) started: u64,
    /// Of these, ended with an error.
    pub(crate) failed: u64,
    /// Deliveries that came while somebody had one already.
    pub(crate) overlapped: u64,
    /// Deliveries that died with their process.
    pub(crate) cut: u64,
    /// Deliveries that were given back, to be made again.
    pub(crate) given_back: u64,
    /// Deliveries that were handed out twice.
    pub(crate) doubled: u64,
}

/// What was sent to a reply subject, whether or not it arrived.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) subject: String,
    pub(crate) body: Bytes,
    /// True when the sender was told that it did not go out.
    pub(crate) refused: bool,
}

/// What is remembered of a seed.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    open: BTreeMap<u64, Open>,
    next: u64,
    /// How often each disturbance struck.
    pub(crate) hits: BTreeMap<Hit, u64>,
    /// Time that was taken from a turn, at most.
    pub(crate) taken: BTreeMap<TurnId, Duration>,
    /// Time that was taken from everybody, at most.
    pub(crate) taken_from_all: Duration,
    /// Runs by step subject.
    pub(crate) runs: BTreeMap<String, Runs>,
    /// Runs of redelivered steps whose result was stored before.
    pub(crate) paid_twice: Vec<String>,
    /// What was sent to reply subjects.
    pub(crate) replies: Vec<Reply>,
    /// Inbox messages by sequence: how often the most often delivered one was.
    pub(crate) inbox_deliveries: BTreeMap<u64, u64>,
    /// Turns that the client cancelled.
    pub(crate) cancelled: Vec<TurnId>,
    /// Calls of the model.
    pub(crate) calls: u64,
    /// What happened, in order, when it is wanted.
    pub(crate) events: Option<Vec<String>>,
}

impl Ledger {
    /// A disturbance struck.
    pub(crate) fn hit(&mut self, hit: Hit) {
        debug_assert!(HITS.contains(&hit), "{hit}");
        *self.hits.entry(hit).or_default() += 1;
    }

    /// A turn, or everybody, lost time.
    pub(crate) fn take(&mut self, turn: Option<&TurnId>, time: Duration) {
        match turn {
            Some(turn) => *self.taken.entry(turn.clone()).or_default() += time,
            None => self.taken_from_all += time,
        }
    }

    /// A delivery went to a process.
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

    /// It was answered for good.
    pub(crate) fn close(&mut self, id: u64) {
        self.open.remove(&id);
    }

    /// It was given back, to be made again after a delay.
    pub(crate) fn give_back(&mut self, id: u64, delay: Duration) {
        if let Some(open) = self.open.remove(&id) {
            self.runs.entry(open.subject).or_default().given_back += 1;
            self.take(open.turn.as_ref(), delay);
        }
    }

    /// It was dropped, unanswered or not. A process that has the message in hand already need not
    /// answer it twice: its first delivery speaks for both.
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

    /// A process died with what it held.
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

    /// A stage starts on a step.
    pub(crate) fn started(&mut self, subject: &str) {
        self.runs.entry(subject.into()).or_default().started += 1;
    }

    /// Deliveries that nobody has answered.
    pub(crate) fn unanswered(&self) -> Vec<&str> {
        self.open.values().map(|o| o.subject.as_str()).collect()
    }
}
