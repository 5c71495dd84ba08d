//! The invariants of conversations: the invariants of every log at the end, and how long a turn may wait for earlier
//! turns of its conversation.

use crate::fleet::Remains;
use crate::reading::{begun, terminals};
use bus::StoredMessage;
use conversation_log::{EventKind, LogEvent, Read, State};
use envelope::{Terminal, TurnId, UnixMs};
use std::collections::BTreeMap;
use std::time::Duration;

/// A log: its subject, and its events with their sequences and times.
type Log<'a> = (&'a str, Vec<(u64, UnixMs, LogEvent)>);

/// The time during which a turn stood open in its log.
struct Span<'a> {
    log: &'a str,
    turn: TurnId,
    opened: UnixMs,
    ended: Option<UnixMs>,
}

fn logs(remains: &Remains) -> Vec<Log<'_>> {
    let mut logs: BTreeMap<&str, Vec<(u64, UnixMs, LogEvent)>> = BTreeMap::new();
    for StoredMessage {
        subject,
        body,
        sequence,
        stored_at,
        ..
    } in &remains.conversations
    {
        if let Ok(event) = LogEvent::read(body) {
            let log = logs.entry(subject).or_default();
            log.push((*sequence, *stored_at, event));
        }
    }
    logs.into_iter().collect()
}

fn spans(remains: &Remains) -> Vec<Span<'_>> {
    let mut spans: Vec<Span<'_>> = Vec::new();
    for (log, events) in logs(remains) {
        for (_, at, event) in events {
            match event.event {
                EventKind::Opened(opened) => spans.push(Span {
                    log,
                    turn: opened.header.turn,
                    opened: at,
                    ended: None,
                }),
                EventKind::Ended(ended) => {
                    let mut open = spans.iter_mut();
                    let open = open.find(|span| span.log == log && span.turn == ended.turn);
                    if let Some(span) = open {
                        span.ended = Some(at);
                    }
                }
                EventKind::Forked { .. } | EventKind::Copied { .. } | EventKind::Erased(_) => {}
            }
        }
    }
    spans
}

/// Every event can be read and follows from those before it: a turn is opened at most once and ended at most once, an
/// event's state is the fold of the events, and nothing is open at the end.
pub(crate) fn logs_are_the_fold(remains: &Remains) -> Result<(), String> {
    let read: usize = logs(remains).iter().map(|(_, events)| events.len()).sum();
    if read != remains.conversations.len() {
        return Err("an event of a conversation cannot be read".into());
    }
    for (log, events) in logs(remains) {
        let mut state = State::default();
        let mut opened: Vec<TurnId> = Vec::new();
        for (sequence, _, event) in events {
            if let EventKind::Opened(turn) = &event.event {
                if opened.contains(&turn.header.turn) {
                    return Err(format!("{log}: {} is opened twice", turn.header.turn));
                }
                opened.push(turn.header.turn.clone());
            }
            match state.after(&event.event) {
                Ok(after) if after == event.state => {}
                Ok(_) => return Err(format!("{log}: the state at {sequence} is not the fold")),
                Err(error) => return Err(format!("{log}: the event at {sequence}: {error}")),
            }
            state = Read { sequence, event }.state();
        }
        if let Some(open) = state.open.first() {
            return Err(format!("{log}: {} is still open", open.turn));
        }
    }
    Ok(())
}

/// The first step of a turn comes after the end of every turn that was opened before it, and a turn of a conversation
/// begins only if it was opened.
pub(crate) fn turns_of_a_conversation_do_not_overlap(remains: &Remains) -> Result<(), String> {
    let spans = spans(remains);
    for (turn, header) in begun(remains) {
        if header.conversation.is_none() {
            continue;
        }
        let Some(at) = spans.iter().position(|span| span.turn == turn) else {
            return Err(format!("{turn} began and was not opened"));
        };
        let before = spans[..at].iter().filter(|span| span.log == spans[at].log);
        for other in before {
            if other.ended.is_none_or(|ended| ended > header.created_at) {
                return Err(format!("{turn} began before {} had ended", other.turn));
            }
        }
    }
    Ok(())
}

/// The log and the terminal event of a turn agree on how it ended.
pub(crate) fn logs_say_how_turns_ended(remains: &Remains) -> Result<(), String> {
    let terminals = terminals(remains);
    for (log, events) in logs(remains) {
        for (_, _, event) in events {
            let EventKind::Ended(ended) = event.event else {
                continue;
            };
            let terminal = terminals.get(&ended.turn).map(|(terminal, _)| terminal);
            let said = terminal.map(|terminal: &Terminal| terminal.outcome);
            if said != ended.outcome {
                let turn = &ended.turn;
                return Err(format!(
                    "{log}: {turn} ended as {:?}, not {said:?}",
                    ended.outcome
                ));
            }
        }
    }
    Ok(())
}

/// How much of the time before a turn began, or ended without a beginning, the other turns of its conversation
/// explain.
pub(crate) fn waited(remains: &Remains, turn: &TurnId, asked: UnixMs, ended: UnixMs) -> Duration {
    let spans = spans(remains);
    let Some(own) = spans.iter().find(|span| span.turn == *turn) else {
        return Duration::ZERO;
    };
    let began = begun(remains)
        .get(turn)
        .map_or(ended, |header| header.created_at);
    let others = spans
        .iter()
        .filter(|span| span.log == own.log && span.turn != *turn);
    let last = others
        .filter(|span| span.opened <= began)
        .filter_map(|span| span.ended);
    let until = last.max().unwrap_or(asked).min(began);
    Duration::from_millis(asked.until(until))
}

/// How many turns waited in a log for other turns.
pub(crate) fn waiting(remains: &Remains) -> usize {
    let spans = spans(remains);
    let waits = |span: &&Span<'_>| {
        spans.iter().any(|other| {
            other.log == span.log
                && other.opened < span.opened
                && other.ended.is_none_or(|ended| ended > span.opened)
        })
    };
    spans.iter().filter(waits).count()
}
