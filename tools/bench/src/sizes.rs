//! Measures the size of a question's messages, by kind and, from the second round on, by round. The messages are read
//! back from the streams after a run.

use crate::fleet::median;
use argosy::cli_error::CliError;
use bus::{Bus, StoredMessage, Stream};
use envelope::{Envelope, Part, Subject, decode};
use serde::Serialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;

/// How many of the newest messages of each stream are read.
const SAMPLE: u64 = 2_000;

/// One kind of message: its name, and the median of body and headers in bytes.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Size {
    pub(super) kind: String,
    pub(super) p50_bytes: f64,
}

/// The sizes of the newest messages.
pub(super) async fn sizes(bus: &dyn Bus) -> Result<Vec<Size>, CliError> {
    let mut kinds: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for stream in [
        Stream::Inbox,
        Stream::Steps(0),
        Stream::Timers,
        Stream::Answers,
    ] {
        let last = bus.state(stream).await?.last;
        if last == 0 {
            continue;
        }
        let from = last.saturating_sub(SAMPLE - 1).max(1);
        let mut reader = bus.read(stream, ">", from).await?;
        loop {
            let (message, after) = reader.next().await?;
            if let Some(kind) = kind(&message) {
                kinds.entry(kind).or_default().push(bytes(&message));
            }
            if after == 0 {
                break;
            }
        }
    }
    let size = |(kind, sizes)| Size {
        kind,
        p50_bytes: median(sizes),
    };
    Ok(kinds.into_iter().map(size).collect())
}

/// The round of a step or a scatter record, from 0.
fn round(message: &StoredMessage) -> Option<u8> {
    let read: Envelope<IgnoredAny> = decode(&message.body).ok()?;
    Some(read.header.round)
}

/// The name of the round, where it is not the first one.
fn later(round: Option<u8>) -> String {
    match round {
        None | Some(0) => String::new(),
        Some(round) => format!(", round {}", round + 1),
    }
}

fn bytes(message: &StoredMessage) -> f64 {
    let headers: usize = message
        .headers
        .0
        .iter()
        .map(|(n, v)| n.len() + v.len())
        .sum();
    (message.body.len() + headers) as f64
}

fn kind(message: &StoredMessage) -> Option<String> {
    let kind = match Subject::parse(&message.subject) {
        Ok(Subject::Step { role, .. }) => format!("step {role}{}", later(round(message))),
        Ok(Subject::Scatter { .. }) => format!("scatter{}", later(round(message))),
        Ok(Subject::Part { .. }) => {
            let part: Option<Part> = decode(&message.body).ok();
            format!(
                "part{}",
                later(part.and_then(|part| part.entry).map(|entry| entry.round))
            )
        }
        Ok(Subject::Timer { hop, .. }) => match hop {
            Some(_) => "timer of a scatter".into(),
            None => "timer of a turn".into(),
        },
        Ok(Subject::Answer { .. }) => "answer".into(),
        _ if message.subject == envelope::subject::QUERY => "question".into(),
        _ => return None,
    };
    Some(kind)
}
