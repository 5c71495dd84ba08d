//! Checks that the logs of conversations are consistent: it reads some logs whole and folds their events anew. It
//! prints no id of a conversation, because whoever knows an id may read the conversation.

use super::conversations::no_stream;
use super::{Checked, Ground, Said};
use bus::{Bus, BusError, StoredMessage, Stream, StreamState};
use conversation_log::fold::differences;
use conversation_log::{EventError, LogEvent, Read};
use envelope::subject;
use std::time::Duration;
use text::count;

/// How many of the newest events of the stream are searched for logs.
const NEWEST: u64 = 512;
/// How many events of one log are read, the oldest first.
const EVENTS_MAX: usize = 1_024;
/// How long to wait for the next event. The last events may be dropped while they are read.
const READ_MAX: Duration = Duration::from_secs(2);
/// How many differences are named.
const NAMED: usize = 3;

/// The findings in logs.
#[derive(Debug, Default)]
struct Folded {
    logs: usize,
    events: usize,
    /// How many logs have an event of a later release.
    newer: usize,
    /// The events that do not follow, in words.
    wrong: Vec<String>,
}

pub(super) async fn logs(on: &Ground<'_>) -> Checked {
    let bus = on.bus()?;
    let folded = folded(bus, on.wanted.logs).await;
    Ok(said(&folded.map_err(no_stream)?))
}

async fn folded(bus: &dyn Bus, count: usize) -> Result<Folded, BusError> {
    let mut folded = Folded::default();
    for subject in last_used(bus, count).await? {
        let stored = read(bus, &subject, 1, EVENTS_MAX).await?;
        folded.add(&stored);
    }
    Ok(folded)
}

/// The logs that were last appended to, the newest first.
async fn last_used(bus: &dyn Bus, count: usize) -> Result<Vec<String>, BusError> {
    let StreamState {
        first,
        last,
        messages,
        ..
    } = bus.state(Stream::Conversations).await?;
    if messages == 0 || count == 0 {
        return Ok(Vec::new());
    }
    let from = first.max(last.saturating_sub(NEWEST - 1));
    let newest = read(bus, subject::CONVERSATIONS, from, NEWEST as usize).await?;
    let mut subjects: Vec<String> = Vec::new();
    for stored in newest.into_iter().rev() {
        if subjects.len() < count && !subjects.contains(&stored.subject) {
            subjects.push(stored.subject);
        }
    }
    Ok(subjects)
}

async fn read(
    bus: &dyn Bus,
    filter: &str,
    from: u64,
    most: usize,
) -> Result<Vec<StoredMessage>, BusError> {
    let mut reader = bus.read(Stream::Conversations, filter, from).await?;
    let mut all = Vec::new();
    while all.len() < most {
        let Ok(next) = tokio::time::timeout(READ_MAX, reader.next()).await else {
            break;
        };
        let (stored, after) = next?;
        all.push(stored);
        if after == 0 {
            break;
        }
    }
    Ok(all)
}

impl Folded {
    /// Folds one log.
    fn add(&mut self, stored: &[StoredMessage]) {
        self.logs += 1;
        let mut events = Vec::new();
        for stored in stored {
            match LogEvent::read(&stored.body) {
                Ok(event) => events.push(Read {
                    sequence: stored.sequence,
                    event,
                }),
                // What comes behind it, only that release can judge.
                Err(EventError::Newer(_)) => {
                    self.newer += 1;
                    break;
                }
                Err(error @ EventError::Unreadable(_)) => {
                    self.wrong
                        .push(format!("event {}: {error}", stored.sequence));
                    break;
                }
            }
        }
        self.events += events.len();
        let different = differences(&events).into_iter();
        self.wrong
            .extend(different.map(|one| format!("event {}: {}", one.sequence, one.what)));
    }
}

fn said(folded: &Folded) -> Said {
    let Folded {
        logs,
        events,
        newer,
        wrong,
    } = folded;
    if *logs == 0 {
        return Said::ok("no log of a conversation to look at");
    }
    if !wrong.is_empty() {
        let named: Vec<&str> = wrong.iter().take(NAMED).map(String::as_str).collect();
        let more = match wrong.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        let text = format!(
            "{} of {} in {} {} not follow on those before: {}{more}",
            wrong.len(),
            count(*events as u64, "event"),
            count(*logs as u64, "log"),
            if wrong.len() == 1 { "does" } else { "do" },
            named.join("; ")
        );
        return Said::fail(
            text,
            "another program, or a release with a mistake, wrote to ARGOSY_CONVERSATIONS: begin another conversation in \
             place of each of these, and report it",
        );
    }
    let text = format!(
        "{} of the {} last used follow on each other",
        count(*events as u64, "event"),
        count(*logs as u64, "log")
    );
    match newer {
        0 => Said::ok(text),
        n => Said::warn(
            format!("{text}; {n} of these logs are written by a later release"),
            "bring all gateways to that release: this one refuses questions of these conversations",
        ),
    }
}

#[cfg(test)]
#[path = "logs_tests.rs"]
mod tests;
