//! Checks conversations: which processes admit and read them, how far the stores lag behind the stream, and how far
//! back the stream reaches. *Not* whether a log is consistent, which `logs` checks.

use super::{Checked, Ground, Said};
use crate::render::bytes;
use bus::{Bus, BusError, Stream, StreamState};
use envelope::Role;
use envelope::limits::DEADLINE_MS_MAX;
use inspect::processes::ProcessStatus;
use settings::TimeSpan;
use std::time::Duration;
use streams::backlog;
use text::count;

/// How many events a store may be behind without a warning. It is read even while it is behind, where it has come far
/// enough.
const BEHIND_WARN: u64 = 1_000;
/// The number of events of a turn.
const EVENTS: f64 = 2.0;
/// The bytes of a turn in the log, as measured once.
const TURN_BYTES: f64 = 2_350.0;
/// How many turns the stream has to hold before their mean counts.
const ENOUGH: f64 = 20.0;
/// A stream that holds events for less than this time says nothing of its pace.
const SPAN_MIN: Duration = Duration::from_secs(60);
/// How full a stream gets that drops its oldest messages.
const FULL: f64 = 0.98;

/// How far back the stream of conversations reaches, and how far it should.
#[derive(Debug, Clone, Copy)]
struct LogReach {
    state: StreamState,
    /// Age of its oldest event.
    oldest: Duration,
    /// How long an event is to be kept.
    kept: Duration,
    /// The turns per second that are to be carried, where the user names a rate.
    rate: Option<f64>,
}

/// Whether some gateway takes questions of conversations, as far as gateways report it.
pub(super) fn are_taken(seen: &[ProcessStatus]) -> bool {
    let mut gateways = seen.iter().filter(|one| one.role == Role::Gateway);
    // One of an older release does not say.
    gateways.any(|one| one.conversations != Some(false))
}

pub(super) async fn conversations(on: &Ground<'_>) -> Checked {
    let bus = on.bus()?;
    let (state, oldest) = tokio::join!(bus.state(Stream::Conversations), backlog::reach(bus));
    let (state, oldest) = (state.map_err(no_stream)?, oldest?);
    let reach = LogReach {
        state,
        oldest,
        kept: on.config.streams.conversation_age.duration(),
        rate: on.wanted.rate,
    };
    Ok(Said::together(vec![
        taken(&on.seen),
        followed(&on.seen, state.last),
        reach.said(),
    ]))
}

/// The finding where the stream of conversations cannot be read.
pub(super) fn no_stream(error: BusError) -> Said {
    match error {
        BusError::Missing(_) => Said::skip("no stream of conversations, see D03"),
        error => Said::from(error),
    }
}

fn taken(seen: &[ProcessStatus]) -> Said {
    let gateways: Vec<&ProcessStatus> = seen
        .iter()
        .filter(|one| one.role == Role::Gateway)
        .collect();
    let off = gateways
        .iter()
        .filter(|one| one.conversations == Some(false));
    let off: Vec<&str> = off.map(|one| one.process.as_str()).collect();
    match (gateways.len(), off.len()) {
        (0, _) => Said::skip("no gateway answers, see D08"),
        (_, 0) => Said::ok("every gateway takes conversations"),
        (all, none) if all == none => {
            Said::ok("no gateway takes conversations (`gateway.conversations`)")
        }
        _ => Said::warn(
            format!(
                "{} takes no conversations and others do: it is chance whether a question is refused",
                off.join(", ")
            ),
            "set `gateway.conversations` alike for all gateways, or take `CONVERSATIONAL_MODE` out of their environment",
        ),
    }
}

/// How far the stores are that follow the stream. `newest` is its last sequence.
fn followed(seen: &[ProcessStatus], newest: u64) -> Said {
    let readers: Vec<&ProcessStatus> = seen
        .iter()
        .filter(|one| one.role == Role::Conversation)
        .collect();
    if readers.is_empty() {
        return match are_taken(seen) {
            true => Said::fail(
                "no process of role conversation answers: turns of conversations wait until their deadlines",
                "start one with `argosy run conversation`, or set `gateway.conversations = false`",
            ),
            false => Said::ok("nobody reads them"),
        };
    }
    let one = |reader: &&ProcessStatus| store(reader, newest);
    Said::together(readers.iter().map(one).collect())
}

fn store(reader: &ProcessStatus, newest: u64) -> Said {
    let process = &reader.process;
    let Some(store) = reader.store else {
        return Said::warn(
            format!(
                "{process} keeps no store of conversations, and reads each log from the stream"
            ),
            "its log says why: another process may have its folder; give each a `data_dir` of its own",
        );
    };
    let behind = newest.saturating_sub(store.at);
    let free = reader
        .disk
        .as_ref()
        .map_or(String::new(), |disk| format!(", {} free", bytes(disk.free)));
    let far = match behind {
        0 => "up to date".to_owned(),
        n => format!("{} behind", count(n, "event")),
    };
    let text = format!(
        "the store of {process} holds {} in {}{free}, and is {far}",
        count(store.conversations, "conversation"),
        bytes(store.bytes),
    );
    match behind {
        ..=BEHIND_WARN => Said::ok(text),
        _ => Said::warn(
            text,
            "wait while it is fed anew; else read the log of that process: its disk, or its connection",
        ),
    }
}

impl LogReach {
    /// How long the stream holds an event at its pace, or at the rate that the user names; `None` where there is too
    /// little to tell.
    fn holds(&self) -> Option<Duration> {
        let StreamState {
            messages,
            bytes,
            max_bytes,
            ..
        } = self.state;
        let turns = messages as f64 / EVENTS;
        let is_enough = turns >= ENOUGH;
        let seconds = match self.rate {
            Some(rate) => {
                let turn = if is_enough {
                    bytes as f64 / turns
                } else {
                    TURN_BYTES
                };
                max_bytes as f64 / (turn * rate)
            }
            None if is_enough && self.oldest >= SPAN_MIN => {
                self.oldest.as_secs_f64() * max_bytes as f64 / bytes.max(1) as f64
            }
            None => return None,
        };
        Duration::try_from_secs_f64(seconds).ok()
    }

    fn said(&self) -> Said {
        let name = Stream::Conversations.name();
        let longest = Duration::from_millis(DEADLINE_MS_MAX);
        let fix = "raise `streams.conversations_bytes` and run `argosy setup`";
        if let Some(holds) = self.holds().filter(|holds| *holds < longest) {
            let text = format!(
                "{name} has room for {} at this pace, and a question may wait for {}: what it was asked with can be gone \
                 when it begins",
                shown(holds),
                shown(longest)
            );
            return Said::warn(text, fix);
        }
        let text = format!(
            "{name} holds {} of {} and reaches {} back",
            bytes(self.state.bytes),
            bytes(self.state.max_bytes),
            shown(self.oldest)
        );
        if self.state.fill() >= FULL && self.oldest < self.kept {
            let text = format!("{text}: its oldest events go before {}", shown(self.kept));
            return Said::warn(text, format!("{fix}, or lower `streams.conversation_age`"));
        }
        Said::ok(text)
    }
}

/// A time in the form of an option, in its largest whole unit.
fn shown(time: Duration) -> String {
    let seconds = time.as_secs();
    let unit = [86_400, 3_600, 60]
        .into_iter()
        .find(|unit| seconds >= 2 * unit);
    let whole = unit.map_or(seconds, |unit| seconds / unit * unit);
    TimeSpan::from_secs(whole).to_string()
}

#[cfg(test)]
#[path = "conversations_tests.rs"]
mod tests;
