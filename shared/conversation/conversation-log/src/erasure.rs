//! Makes the event that erases a conversation: it ends the log and lists what has to be removed elsewhere.
//!
//! Pure. *Not* here: the removal from the streams (`harness::erasure`).

use crate::event::{Erasure, EventKind, LogEvent};
use crate::state::{AppendError, Read, append};
use envelope::{TurnId, UnixMs};

/// Makes the event that erases a conversation. `events` is all that is kept of its log, oldest first. Turns whose
/// deadline passed more than `kept_ms` ago are left out, because their messages have expired from every stream.
///
/// # Errors
/// [`AppendError::Erased`] when that was done before.
pub fn erase(events: &[Read], kept_ms: u64, now: UnixMs) -> Result<LogEvent, AppendError> {
    let last = events.last();
    let forks = last.map(|read| read.event.state.children.clone());
    let mut erasure = Erasure {
        deadline: now,
        forks: forks.unwrap_or_default(),
        ..Erasure::default()
    };
    for read in events {
        match &read.event.event {
            EventKind::Opened(opened) if opened.header.deadline.plus(kept_ms) > now => {
                let header = &opened.header;
                erasure.add(&header.turn, header.deadline);
                // A copy has no question in the inbox.
                erasure
                    .inbox
                    .extend((opened.inbox > 0).then_some(opened.inbox));
            }
            EventKind::Ended(ended) if ended.at.plus(kept_ms) > now => {
                erasure.add(&ended.turn, ended.at);
            }
            EventKind::Opened(_)
            | EventKind::Ended(_)
            | EventKind::Forked { .. }
            | EventKind::Copied { .. }
            | EventKind::Erased(_) => {}
        }
    }
    append(last, EventKind::Erased(Box::new(erasure)), now)
}

impl Erasure {
    fn add(&mut self, turn: &TurnId, until: UnixMs) {
        if !self.turns.contains(turn) {
            self.turns.push(turn.clone());
        }
        self.deadline = self.deadline.max(until);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_log::{Log, asking, terminal, turn};
    use envelope::{ConversationId, Outcome};

    #[test]
    fn an_erasure_names_what_may_still_be_kept_and_nothing_follows_on_it() {
        let mut log = Log::default();
        log.ask(asking(1, 1_000), 10);
        log.end(&terminal(1, Outcome::Answered), 20);
        log.ask(asking(2, 90_000), 5_000);
        log.ask(asking(3, 80_000), 5_001);
        let child = ConversationId::new("child").unwrap();
        let kind = EventKind::Forked {
            child: child.clone(),
            exchanges: 1,
        };
        let last = log.last();
        let forked = append(last.as_ref(), kind, UnixMs(5_002)).unwrap();
        assert!(log.append(last.as_ref(), &forked));

        let event = erase(&log.events(), 60_000, UnixMs(70_000)).unwrap();
        let EventKind::Erased(erasure) = &event.event else {
            panic!("{event:?}");
        };
        assert_eq!(erasure.turns, [turn(2), turn(3)], "the first has aged out");
        assert_eq!(erasure.inbox, [2, 3]);
        assert_eq!(
            (erasure.deadline, &erasure.forks[..]),
            (UnixMs(90_000), &[child][..])
        );
        assert!(event.state.is_erased && event.state.open.is_empty());

        assert!(log.append(log.last().as_ref(), &event));
        let again = erase(&log.events(), 60_000, UnixMs(70_001));
        assert_eq!(again, Err(AppendError::Erased));
    }
}
