//! Publishes the result of a step until the stream has confirmed it.
//!
//! The result of expensive work is not lost when the server is unavailable for a moment: a publish is repeated, under
//! its write condition, until it is confirmed or the turn's time is up. Repeating is safe because every subject is
//! created once.

use crate::sending::Sending;
use bus::{Bus, Headers, Publish, PublishError, Schedule, WriteCondition};
use bytes::Bytes;
use envelope::{
    CodecError, Envelope, Header, Scatter, Subject, Terminal, UnixMs, WIRE, encode, fanout, header,
    subject,
};
use serde::Serialize;
use std::time::Duration;

/// The result of a create-once publish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CreateOutcome {
    /// This call stored the message.
    Now,
    /// This message, or another decision for the same place, was stored before.
    Before,
}

/// Why something was not published.
#[derive(Debug, thiserror::Error)]
pub enum OutboxError {
    /// The message cannot be encoded.
    #[error(transparent)]
    Codec(#[from] CodecError),
    /// The message was not confirmed in time.
    #[error("not published in time: {0}")]
    Publish(#[from] PublishError),
}

const WAIT_FIRST: Duration = Duration::from_millis(20);
const WAIT_MAX: Duration = Duration::from_secs(2);

/// Publishes repeatedly until the message is confirmed, is refused permanently, or `until` has passed. Delivery is at
/// least once.
pub async fn publish_until(
    bus: &dyn Bus,
    message: Publish,
    until: UnixMs,
) -> Result<CreateOutcome, PublishError> {
    match store_until(bus, message, until).await {
        Ok(_) => Ok(CreateOutcome::Now),
        Err(PublishError::Exists) => Ok(CreateOutcome::Before),
        Err(error) => Err(error),
    }
}

/// Like [`publish_until`], but returns the sequence, and reports a message that exists already as an error.
pub async fn store_until(
    bus: &dyn Bus,
    message: Publish,
    until: UnixMs,
) -> Result<u64, PublishError> {
    let sending = Sending::begin(&message);
    let stored = repeat_until(bus, message, until).await;
    sending.ended(&stored);
    stored
}

async fn repeat_until(bus: &dyn Bus, message: Publish, until: UnixMs) -> Result<u64, PublishError> {
    let mut wait = WAIT_FIRST;
    loop {
        match bus.publish(message.clone()).await {
            Ok(sequence) => return Ok(sequence),
            Err(error @ (PublishError::Exists | PublishError::Refused(_))) => return Err(error),
            Err(error) if bus.now() >= until => return Err(error),
            Err(error) => {
                let subject = message.subject.as_str();
                match wait < WAIT_MAX {
                    true => tracing::debug!(subject, %error, "publish repeated"),
                    false => tracing::warn!(subject, %error, "publish still repeated"),
                }
                tokio::time::sleep(wait).await;
                // A conflict passes in milliseconds; a full or absent server does not.
                if error != PublishError::Conflict {
                    wait = (wait * 2).min(WAIT_MAX);
                }
            }
        }
    }
}

/// The headers of every message of a turn, of a wire version.
fn headers_of(header: &Header, v: u16) -> Headers {
    let headers = Headers::default()
        .with(header::TURN, header.turn.as_str())
        .with(header::DEADLINE, header.deadline.0.to_string())
        .with(header::WIRE, v.to_string());
    let trace = [
        (header::TRACEPARENT, &header.traceparent),
        (header::TRACESTATE, &header.tracestate),
    ];
    trace
        .into_iter()
        .fold(headers, |headers, (name, value)| match value {
            Some(value) => headers.with(name, value.as_str()),
            None => headers,
        })
}

/// How long a message of a turn is kept: until some time after the deadline. After the deadline a redelivery only acks
/// the message, so the write condition is no longer needed.
pub fn time_to_live(now: UnixMs, deadline: UnixMs, keep: Duration) -> Duration {
    Duration::from_millis(now.until(deadline)) + keep
}

/// The message of a step, which is created only if its hop has no step yet. So a turn has one step per hop, whatever a
/// redelivered run decides.
pub fn step<P: Serialize>(
    envelope: &Envelope<P>,
    index: Option<u16>,
    now: UnixMs,
    keep: Duration,
) -> Result<Publish, CodecError> {
    let Header {
        turn,
        shard,
        role,
        hop,
        deadline,
        ..
    } = &envelope.header;
    let subject = Subject::Step {
        shard: *shard,
        role: *role,
        turn: turn.clone(),
        hop: *hop,
        index,
    };
    let condition = match index {
        None => WriteCondition::AbsentAcross(subject::fence(*shard, turn, *hop)),
        // Map steps are as many as their scatter record says; each has a subject of its own.
        Some(_) => WriteCondition::Absent,
    };
    Ok(Publish {
        headers: headers_of(&envelope.header, envelope.v),
        condition,
        ttl: Some(time_to_live(now, *deadline, keep)),
        ..Publish::new(subject, encode(envelope)?)
    })
}

/// A scatter record, which takes the place of the step at its hop. A batch is a step itself, of a mapper.
pub fn scatter(
    record: &Envelope<Scatter>,
    now: UnixMs,
    keep: Duration,
) -> Result<Publish, CodecError> {
    let header = &record.header;
    let (shard, turn, hop) = (header.shard, &header.turn, header.hop);
    let subject = match fanout::is_batch(record) {
        true => subject::batch(shard, turn, hop),
        false => subject::scatter(shard, turn, hop),
    };
    Ok(Publish {
        headers: headers_of(header, record.v),
        condition: WriteCondition::AbsentAcross(subject::fence(shard, turn, hop)),
        ttl: Some(time_to_live(now, header.deadline, keep)),
        ..Publish::new(subject, encode(record)?)
    })
}

/// The part of a map step of the turn of `header` at `hop`, which is created once.
pub fn part(
    header: &Header,
    hop: u16,
    index: u16,
    body: Bytes,
    now: UnixMs,
    keep: Duration,
) -> Publish {
    Publish {
        headers: headers_of(header, WIRE),
        condition: WriteCondition::Absent,
        ttl: Some(time_to_live(now, header.deadline, keep)),
        ..Publish::new(subject::part(header.shard, &header.turn, hop, index), body)
    }
}

/// A schedule that fires as `argosy.due.<turn>[.<hop>]`. With a hop, it is the soft deadline of the scatter record at
/// that hop; without one, it is the first look at the turn, then its end. The body is the header of the turn, which is enough to end a turn
/// when nothing else of it can be read. The fired message is kept for `keep`.
pub fn timer(header: &Header, hop: Option<u16>, at: UnixMs, keep: Duration) -> Publish {
    let turn = || header.turn.clone();
    let body = Bytes::from(serde_json::to_vec(header).unwrap_or_default());
    let mut headers =
        headers_of(header, WIRE).with(header::QUESTION, header.question_hash.as_str());
    if let Some(reply) = &header.reply_to {
        headers = headers.with(header::REPLY, reply.as_str());
    }
    let target = Subject::Due { turn: turn(), hop }.to_string();
    Publish {
        headers,
        schedule: Some(Schedule {
            at,
            target,
            ttl: Some(keep),
        }),
        ..Publish::new(Subject::Timer { turn: turn(), hop }, body)
    }
}

/// The message of the terminal event, which is created once.
pub fn terminal(terminal: &Terminal, reply_to: Option<&str>) -> Result<Publish, CodecError> {
    let body = match encode(terminal) {
        // The trail is the only part that grows with the work; an answer is worth more.
        Err(CodecError::TooLarge { .. }) => encode(&Terminal {
            trail: Vec::new(),
            ..terminal.clone()
        })?,
        encoded => encoded?,
    };
    let mut headers = Headers::default()
        .with(header::TURN, terminal.turn.as_str())
        .with(header::WIRE, WIRE.to_string())
        .with(header::QUESTION, terminal.question_hash.as_str());
    if let Some(reply) = reply_to {
        headers = headers.with(header::REPLY, reply);
    }
    if let Some(conversation) = &terminal.conversation {
        headers = headers
            .with(header::CONVERSATION, conversation.as_str())
            .with(header::TENANT, terminal.tenant.as_str());
    }
    let subject = subject::answer(&terminal.turn);
    Ok(Publish {
        headers,
        condition: WriteCondition::Absent,
        ..Publish::new(subject, body)
    })
}
