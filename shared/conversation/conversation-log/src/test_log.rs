//! A log of one conversation in memory, with helpers that ask and answer in it, for the tests of this crate.

use crate::admission::{Admission, AdmissionRequest, Limits, admit};
use crate::ending::{Ending, end};
use crate::event::{LogEvent, TurnOpening};
use crate::state::{Read, State};
use envelope::{
    Busy, Case, Clarification, Header, Outcome, Role, TenantId, Terminal, TurnId, UnixMs,
};

pub(crate) fn turn(n: u64) -> TurnId {
    TurnId::new(format!("q{n}")).unwrap()
}

pub(crate) fn opened(n: u64, deadline: u64) -> TurnOpening {
    TurnOpening {
        header: Header {
            deadline: UnixMs(deadline),
            ..Header::of(turn(n), Role::Planner, 0, UnixMs(0))
        },
        case: Case::default(),
        inbox: n,
        answers: None,
    }
}

pub(crate) fn asking(n: u64, deadline: u64) -> AdmissionRequest {
    AdmissionRequest {
        opened: opened(n, deadline),
        when_busy: Busy::Enqueue,
        reply_to: None,
    }
}

pub(crate) fn terminal(n: u64, outcome: Outcome) -> Terminal {
    let tenant = TenantId::default_tenant();
    let clarification = (outcome == Outcome::Clarification).then(|| Clarification {
        id: turn(n).to_string(),
        kind: "no_results".into(),
        question: "Which?".into(),
        options: Vec::new(),
        widens: None,
        expires: None,
    });
    Terminal {
        clarification,
        answer: (outcome == Outcome::Answered).then(|| format!("answer {n}")),
        ..Terminal::bare(turn(n), tenant, outcome, UnixMs(0))
    }
}

/// The log of one conversation in a stream that others write to as well.
#[derive(Default)]
pub(crate) struct Log {
    stored: Vec<(u64, Vec<u8>)>,
    sequence: u64,
}

impl Log {
    pub(crate) fn last(&self) -> Option<Read> {
        let (sequence, bytes) = self.stored.last()?;
        let event = LogEvent::read(bytes).unwrap();
        Some(Read {
            sequence: *sequence,
            event,
        })
    }

    /// All events with their places.
    pub(crate) fn events(&self) -> Vec<Read> {
        let read = |(sequence, bytes): &(u64, Vec<u8>)| Read {
            sequence: *sequence,
            event: LogEvent::read(bytes).unwrap(),
        };
        self.stored.iter().map(read).collect()
    }

    pub(crate) fn state(&self) -> State {
        self.last().as_ref().map(Read::state).unwrap_or_default()
    }

    /// Appends behind the event that was read, or reports that another writer was quicker.
    pub(crate) fn append(&mut self, read: Option<&Read>, event: &LogEvent) -> bool {
        let newest = self.stored.last().map_or(0, |(sequence, _)| *sequence);
        if read.map_or(0, |read| read.sequence) != newest {
            return false;
        }
        self.sequence += 1;
        self.stored.push((self.sequence, event.write().unwrap()));
        true
    }

    /// Asks and decides at once.
    pub(crate) fn ask(&mut self, mut asking: AdmissionRequest, now: u64) -> Admission {
        asking.opened.header.asked_at = UnixMs(now);
        self.decide(asking, now)
    }

    pub(crate) fn decide(&mut self, asking: AdmissionRequest, now: u64) -> Admission {
        let before = self.last();
        let admission = admit(before.as_ref(), asking, Limits::default(), UnixMs(now));
        if let Admission::Open { event, .. } = &admission {
            assert!(self.append(before.as_ref(), event));
        }
        admission
    }

    pub(crate) fn end(&mut self, terminal: &Terminal, now: u64) -> Ending {
        let before = self.last();
        // All terminals of these tests are of the moment 0.
        let ending = end(before.as_ref(), terminal, now + 1_000, UnixMs(now));
        if let Ending::Append(event) = &ending {
            assert!(self.append(before.as_ref(), event));
        }
        ending
    }

    /// The state as it follows from all events.
    pub(crate) fn folded(&self) -> State {
        let mut read: Option<Read> = None;
        for (sequence, bytes) in &self.stored {
            let before = read.as_ref().map(Read::state).unwrap_or_default();
            let mut event = LogEvent::read(bytes).unwrap();
            event.state = before.after(&event.event).unwrap();
            read = Some(Read {
                sequence: *sequence,
                event,
            });
        }
        read.as_ref().map(Read::state).unwrap_or_default()
    }
}
