//! The calls of JetStream's API, one function each.

use super::reader::OrderedReader;
use super::{Parsed, away, stored, unix_ms};
use async_nats::jetstream::Context;
use async_nats::jetstream::consumer::{DeliverPolicy, pull};
use async_nats::jetstream::message::StreamMessage;
use async_nats::jetstream::stream::{LastRawMessageError, LastRawMessageErrorKind};
use async_nats::{Client, HeaderMap, HeaderName, HeaderValue, RequestErrorKind};
use bus::{
    BusError, ConsumerProgress, ConsumerSpec, Headers, Publish, PublishError, Reader,
    StoredMessage, Stream, StreamState, WriteCondition,
};
use bytes::Bytes;
use futures_util::StreamExt;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use std::collections::HashMap;
use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

// The names are the server's; async-nats has constants for some of them only.
const EXPECTED: &str = "Nats-Expected-Last-Subject-Sequence";
const EXPECTED_SUBJECT: &str = "Nats-Expected-Last-Subject-Sequence-Subject";
const TTL: &str = "Nats-TTL";
const SCHEDULE: &str = "Nats-Schedule";
const SCHEDULE_TARGET: &str = "Nats-Schedule-Target";
const SCHEDULE_TTL: &str = "Nats-Schedule-TTL";

// Codes of the server's errors.json.
const WRONG_LAST_SEQUENCE: u64 = 10071;
const MAXIMUM_REACHED: u64 = 10077;
const CONFLICT_IN_FLIGHT: u64 = 10164;
const NOT_FOR_ACCOUNT: u64 = 10039;
pub(super) const STREAM_NOT_FOUND: u64 = 10059;
pub(super) const CONSUMER_NOT_FOUND: u64 = 10014;

pub(super) fn to_nats(headers: &Headers) -> HeaderMap {
    let mut map = HeaderMap::new();
    for (name, value) in &headers.0 {
        // A header that cannot be one is left out: a trace id is not worth a lost message.
        if let (Ok(name), Ok(value)) = (HeaderName::from_str(name), HeaderValue::from_str(value)) {
            map.append(name, value);
        }
    }
    map
}

pub(super) fn from_nats(map: &HeaderMap) -> Headers {
    let pairs = map.iter().flat_map(|(name, values)| {
        let name: &str = name.as_ref();
        values
            .iter()
            .map(move |value| (name.to_owned(), value.as_str().to_owned()))
    });
    Headers(pairs.collect())
}

#[derive(Deserialize)]
pub(super) struct ApiError {
    #[serde(default)]
    pub(super) err_code: u64,
    #[serde(default)]
    pub(super) description: String,
}

#[derive(Deserialize)]
struct PubAck {
    seq: Option<u64>,
    error: Option<ApiError>,
}

/// Stores a message and waits for the stream's word.
pub(super) async fn publish(client: &Client, message: Publish) -> Result<u64, PublishError> {
    let mut headers = to_nats(&message.headers);
    match &message.condition {
        WriteCondition::Unconditional => {}
        WriteCondition::Absent => headers.insert(EXPECTED, "0"),
        WriteCondition::AbsentAcross(wildcard) => {
            headers.insert(EXPECTED, "0");
            headers.insert(EXPECTED_SUBJECT, wildcard.as_str());
        }
        WriteCondition::LastIs(wildcard, sequence) => {
            headers.insert(EXPECTED, sequence.to_string().as_str());
            headers.insert(EXPECTED_SUBJECT, wildcard.as_str());
        }
    }
    if let Some(ttl) = message.ttl {
        headers.insert(TTL, seconds(ttl).to_string().as_str());
    }
    if let Some(schedule) = &message.schedule {
        let at = OffsetDateTime::from_unix_timestamp_nanos(i128::from(schedule.at.0) * 1_000_000);
        let at = at.ok().and_then(|at| at.format(&Rfc3339).ok());
        let at = at.ok_or_else(|| {
            PublishError::Refused("the time of a schedule cannot be written".into())
        })?;
        headers.insert(SCHEDULE, format!("@at {at}").as_str());
        headers.insert(SCHEDULE_TARGET, schedule.target.as_str());
        if let Some(ttl) = schedule.ttl {
            headers.insert(SCHEDULE_TTL, format!("{}s", seconds(ttl)).as_str());
        }
    }
    let request = async_nats::Request::new()
        .payload(message.body)
        .headers(headers);
    let answer = client
        .send_request(message.subject, request)
        .await
        .map_err(|e| match e.kind() {
            RequestErrorKind::MaxPayloadExceeded | RequestErrorKind::InvalidSubject => {
                PublishError::Refused(e.to_string())
            }
            _ => PublishError::Unconfirmed(e.to_string()),
        })?;
    let ack: PubAck = serde_json::from_slice(&answer.payload)
        .map_err(|e| PublishError::Unconfirmed(format!("unreadable confirmation: {e}")))?;
    match (ack.seq, ack.error) {
        (_, Some(error)) => Err(refusal(error)),
        (Some(sequence), None) => Ok(sequence),
        (None, None) => Err(PublishError::Unconfirmed(
            "confirmation without a sequence".into(),
        )),
    }
}

/// Whole seconds, at least one; rounded up, so that nothing goes before its time.
fn seconds(ttl: Duration) -> u64 {
    (ttl.as_secs() + u64::from(ttl.subsec_nanos() > 0)).max(1)
}

fn refusal(error: ApiError) -> PublishError {
    match error.err_code {
        WRONG_LAST_SEQUENCE => PublishError::Exists,
        CONFLICT_IN_FLIGHT => PublishError::Conflict,
        MAXIMUM_REACHED => PublishError::Full,
        // 503 without a code of its own: no leader, no quorum, out of resources for now.
        0 => PublishError::Unconfirmed(error.description),
        code => PublishError::Refused(format!("{} ({code})", error.description)),
    }
}

/// The error of a request to JetStream without a responder: the server has no JetStream, unless it says that it has
/// and is not ready.
fn unanswered(client: &Client, subject: &str, error: &async_nats::RequestError) -> BusError {
    let is_unheard = error.kind() == RequestErrorKind::NoResponders;
    match is_unheard && !client.server_info().jetstream {
        true => no_jetstream(client),
        false => BusError::Away(format!("{subject}: {error}")),
    }
}

fn no_jetstream(client: &Client) -> BusError {
    BusError::NoJetStream(client.server_info().version)
}

pub(super) async fn request<T: DeserializeOwned>(
    client: &Client,
    subject: String,
    body: Bytes,
) -> Parsed<T> {
    #[derive(Deserialize)]
    struct Failed {
        error: Option<ApiError>,
    }
    let unanswered = |e: async_nats::RequestError| unanswered(client, &subject, &e);
    let answer = client.request(subject.clone(), body).await;
    let answer = answer.map_err(unanswered)?;
    if let Ok(Failed { error: Some(error) }) = serde_json::from_slice(&answer.payload) {
        return Err(match error.err_code {
            STREAM_NOT_FOUND | CONSUMER_NOT_FOUND => {
                BusError::Missing(subject.trim_start_matches("$JS.API.").to_owned())
            }
            NOT_FOR_ACCOUNT => no_jetstream(client),
            0 => BusError::Away(error.description),
            code => BusError::Refused(format!("{} ({code})", error.description)),
        });
    }
    serde_json::from_slice(&answer.payload)
        .map_err(|e| BusError::Refused(format!("unreadable answer: {e}")))
}

pub(super) async fn last(
    context: &Context,
    stream: Stream,
    subject: &str,
) -> Parsed<Option<StoredMessage>> {
    let handle = context.get_stream_no_info(stream.name()).await;
    let handle = handle.map_err(away)?;
    let last = handle.get_last_raw_message_by_subject(subject).await;
    found(context, stream, last)
}

/// The oldest message from a sequence on.
pub(super) async fn first(
    context: &Context,
    stream: Stream,
    subject: &str,
    from: u64,
) -> Parsed<Option<StoredMessage>> {
    let handle = context.get_stream_no_info(stream.name()).await;
    let handle = handle.map_err(|e| unread("reading", stream, e))?;
    let first = handle.get_first_raw_message_by_subject(subject, from.max(1));
    found(context, stream, first.await)
}

/// The message that was looked for, if there is one.
fn found(
    context: &Context,
    stream: Stream,
    found: Result<StreamMessage, LastRawMessageError>,
) -> Parsed<Option<StoredMessage>> {
    let error = match found {
        Ok(message) => return Ok(Some(stored(message))),
        Err(error) => error,
    };
    let client = context.client();
    match error.kind() {
        LastRawMessageErrorKind::NoMessageFound => Ok(None),
        LastRawMessageErrorKind::JetStream(e) if e.error_code().0 == STREAM_NOT_FOUND => {
            Err(BusError::Missing(stream.name()))
        }
        LastRawMessageErrorKind::JetStream(e) if e.error_code().0 == NOT_FOR_ACCOUNT => {
            Err(no_jetstream(&client))
        }
        // There is no responder where JetStream would be.
        LastRawMessageErrorKind::Other if !client.server_info().jetstream => {
            Err(no_jetstream(&client))
        }
        _ => Err(unread("reading", stream, error)),
    }
}

fn unread(how: &str, stream: Stream, error: impl Display) -> BusError {
    away(format!("{how} {}: {error}", stream.name()))
}

/// Asks the leader how many subjects match: read-your-write, where a direct get may lag.
pub(super) async fn count(client: &Client, stream: Stream, filter: &str) -> Parsed<u64> {
    #[derive(Deserialize)]
    struct Counted {
        state: Subjects,
    }
    #[derive(Deserialize)]
    struct Subjects {
        #[serde(default)]
        subjects: HashMap<String, IgnoredAny>,
    }
    let body = serde_json::json!({ "subjects_filter": filter }).to_string();
    let info: Counted = request(
        client,
        format!("$JS.API.STREAM.INFO.{}", stream.name()),
        body.into(),
    )
    .await?;
    Ok(info.state.subjects.len() as u64)
}

pub(super) async fn state(client: &Client, stream: Stream) -> Parsed<StreamState> {
    // Not the client's type, which refuses a word that only a newer server knows; so for `progress`.
    #[derive(Deserialize)]
    struct Info {
        created: String,
        config: Config,
        state: State,
    }
    #[derive(Deserialize)]
    struct Config {
        max_bytes: i64,
    }
    #[derive(Deserialize)]
    struct State {
        messages: u64,
        bytes: u64,
        first_seq: u64,
        last_seq: u64,
    }
    let call = format!("$JS.API.STREAM.INFO.{}", stream.name());
    let info: Info = request(client, call, Bytes::new()).await?;
    let created = OffsetDateTime::parse(&info.created, &Rfc3339).ok();
    let created = created.map(|at| at.unix_timestamp_nanos() / 1_000_000);
    Ok(StreamState {
        messages: info.state.messages,
        bytes: info.state.bytes,
        max_bytes: u64::try_from(info.config.max_bytes).unwrap_or(0),
        // The server says 0 for a stream that never held anything.
        first: match info.state.messages {
            0 => info.state.last_seq + 1,
            _ => info.state.first_seq,
        },
        last: info.state.last_seq,
        created_ms: u64::try_from(created.unwrap_or(0)).unwrap_or(0),
    })
}

/// How far a consumer is, by its leader.
pub(super) async fn progress(client: &Client, spec: &ConsumerSpec) -> Parsed<ConsumerProgress> {
    #[derive(Deserialize)]
    struct Info {
        num_pending: u64,
        num_ack_pending: u64,
        delivered: Place,
        ack_floor: Place,
    }
    #[derive(Deserialize)]
    struct Place {
        stream_seq: u64,
    }
    let (stream, name) = (spec.stream.name(), &spec.name);
    let call = format!("$JS.API.CONSUMER.INFO.{stream}.{name}");
    let asked = request(client, call, Bytes::new()).await;
    let info: Info = asked.map_err(|error| match error {
        BusError::Missing(_) => BusError::Missing(format!("consumer {stream}/{name}")),
        other => other,
    })?;
    Ok(ConsumerProgress {
        pending: info.num_pending,
        ack_pending: info.num_ack_pending,
        delivered_to: info.delivered.stream_seq,
        acked_to: info.ack_floor.stream_seq,
    })
}

/// Takes a durable consumer away.
pub(super) async fn drop_consumer(client: &Client, spec: &ConsumerSpec) -> Parsed<()> {
    let call = format!(
        "$JS.API.CONSUMER.DELETE.{}.{}",
        spec.stream.name(),
        spec.name
    );
    match request::<IgnoredAny>(client, call, Bytes::new()).await {
        Ok(_) | Err(BusError::Missing(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Deletes what matches.
pub(super) async fn purge(client: &Client, stream: Stream, filter: &str) -> Parsed<u64> {
    #[derive(Deserialize)]
    struct Purged {
        purged: u64,
    }
    let body = serde_json::json!({ "filter": filter }).to_string();
    let call = format!("$JS.API.STREAM.PURGE.{}", stream.name());
    let purged: Purged = request(client, call, body.into()).await?;
    Ok(purged.purged)
}

/// Multi-last direct get (server 2.11), by hand: the client has no call for it.
pub(super) async fn last_of_each(
    client: &Client,
    stream: Stream,
    filters: &[String],
    timeout: Duration,
) -> Parsed<Vec<StoredMessage>> {
    if let [subject] = filters
        && !subject.contains(['*', '>'])
    {
        // One request and one reply, where the call for many subscribes to an inbox of its own.
        let call = format!("$JS.API.DIRECT.GET.{}.{subject}", stream.name());
        let found = get(client, stream, call, Bytes::new(), timeout).await?;
        return Ok(found.into_iter().collect());
    }
    let away = |e: &dyn Display| unread("direct get from", stream, e);
    let inbox = client.new_inbox();
    let answers = client.subscribe(inbox.clone()).await;
    let mut answers = answers.map_err(|e| away(&e))?;
    let body = serde_json::json!({ "multi_last": filters, "batch": 1024 }).to_string();
    let subject = format!("$JS.API.DIRECT.GET.{}", stream.name());
    let asked = client.publish_with_reply(subject, inbox, body.into());
    asked.await.map_err(|e| away(&e))?;
    let mut found = Vec::new();
    loop {
        let next = tokio::time::timeout(timeout, answers.next()).await;
        let Ok(Some(message)) = next else {
            return Err(away(&"no answer"));
        };
        match message.status.map(|s| s.as_u16()) {
            None => found.extend(direct(message)),
            Some(204 | 404) => break,
            Some(503) => return Err(BusError::Missing(stream.name())),
            Some(code) => return Err(BusError::Refused(format!("direct get answered {code}"))),
        }
    }
    Ok(found)
}

/// One message by its sequence, from whichever replica answers.
pub(super) async fn message(
    client: &Client,
    stream: Stream,
    sequence: u64,
    timeout: Duration,
) -> Parsed<Option<StoredMessage>> {
    let call = format!("$JS.API.DIRECT.GET.{}", stream.name());
    let body = serde_json::json!({ "seq": sequence }).to_string();
    get(client, stream, call, body.into(), timeout).await
}

/// One direct get of one message.
async fn get(
    client: &Client,
    stream: Stream,
    call: String,
    body: Bytes,
    timeout: Duration,
) -> Parsed<Option<StoredMessage>> {
    let away = |e: &dyn Display| unread("direct get from", stream, e);
    let asked = tokio::time::timeout(timeout, client.request(call, body));
    let asked = asked.await.map_err(|_| away(&"no answer"))?;
    let message = match asked {
        Ok(message) => message,
        // There is no such stream.
        Err(error) if error.kind() == RequestErrorKind::NoResponders => {
            return Err(BusError::Missing(stream.name()));
        }
        Err(error) => return Err(away(&error)),
    };
    match message.status.map(|s| s.as_u16()) {
        None => Ok(direct(message)),
        Some(404) => Ok(None),
        Some(503) => Err(BusError::Missing(stream.name())),
        Some(code) => Err(BusError::Refused(format!("direct get answered {code}"))),
    }
}

/// The headers that say so.
const PLACE: [&str; 6] = [
    "Nats-Time-Stamp",
    "Nats-Subject",
    "Nats-Sequence",
    "Nats-Stream",
    "Nats-Num-Pending",
    "Nats-Last-Sequence",
];

/// A message of a direct get: where it was stored stands in headers.
fn direct(message: async_nats::Message) -> Option<StoredMessage> {
    let map = message.headers?;
    let get = |name: &str| map.get(name).map(|v| v.as_str());
    let time = OffsetDateTime::parse(get("Nats-Time-Stamp")?, &Rfc3339).ok()?;
    let (subject, sequence) = (
        get("Nats-Subject")?.to_owned(),
        get("Nats-Sequence")?.parse().ok()?,
    );
    let stored_at = unix_ms(time);
    let mut headers = from_nats(&map);
    // What the server adds to this answer was not stored.
    headers
        .0
        .retain(|(name, _)| !PLACE.contains(&name.as_str()));
    Some(StoredMessage {
        subject,
        headers,
        body: message.payload,
        sequence,
        stored_at,
    })
}

pub(super) async fn read(
    context: &Context,
    stream: Stream,
    filter: &str,
    from: u64,
) -> Parsed<Box<dyn Reader>> {
    let away = |e: &dyn Display| unread("reading", stream, e);
    let handle = context.get_stream_no_info(stream.name()).await;
    let handle = handle.map_err(|e| away(&e))?;
    let config = pull::OrderedConfig {
        filter_subject: filter.to_owned(),
        deliver_policy: DeliverPolicy::ByStartSequence {
            start_sequence: from.max(1),
        },
        ..Default::default()
    };
    let consumer = handle.create_consumer(config).await;
    let messages = consumer.map_err(|e| away(&e))?.messages().await;
    let messages = messages.map_err(|e| away(&e))?;
    Ok(Box::new(OrderedReader(messages)))
}
