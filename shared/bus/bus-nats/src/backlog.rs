//! Reads the progress and the backlog of consumers. The calls change nothing, and the leader answers them.

use super::{Parsed, api, stored};
use async_nats::Client;
use async_nats::jetstream::stream::LastRawMessageErrorKind;
use bus::{BusError, ConsumerProgress, ConsumerSpec, StoredMessage, Stream};
use bytes::Bytes;
use serde::Deserialize;

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

pub(super) async fn progress(client: &Client, spec: &ConsumerSpec) -> Parsed<ConsumerProgress> {
    let (stream, name) = (spec.stream.name(), &spec.name);
    let call = format!("$JS.API.CONSUMER.INFO.{stream}.{name}");
    let asked = api::request(client, call, Bytes::new()).await;
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

pub(super) async fn first(
    context: &async_nats::jetstream::Context,
    stream: Stream,
    subject: &str,
    from: u64,
) -> Parsed<Option<StoredMessage>> {
    let away = |e: String| BusError::Away(format!("reading {}: {e}", stream.name()));
    let handle = context
        .get_stream_no_info(stream.name())
        .await
        .map_err(|e| away(e.to_string()))?;
    let found = handle.get_first_raw_message_by_subject(subject, from.max(1));
    match found.await {
        Ok(message) => Ok(Some(stored(message))),
        Err(error) => match error.kind() {
            LastRawMessageErrorKind::NoMessageFound => Ok(None),
            LastRawMessageErrorKind::JetStream(e) if e.error_code().0 == api::STREAM_NOT_FOUND => {
                Err(BusError::Missing(stream.name()))
            }
            _ => Err(away(error.to_string())),
        },
    }
}
