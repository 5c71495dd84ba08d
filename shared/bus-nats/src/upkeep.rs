//! Looking into streams on a server, call by call.

use super::{NatsBus, api};
use async_nats::jetstream::stream::RawMessageErrorKind;
use bus::{BusError, Stored, Stream, Upkeep};
use futures_util::{FutureExt, future::BoxFuture};
use serde::Deserialize;

/// The server's code for a sequence that holds nothing.
const NO_MESSAGE: u64 = 10037;
/// The same from a call that deletes.
const NOT_DELETED: u64 = 10057;

#[derive(Deserialize)]
struct Deleted {
    success: bool,
}

impl Upkeep for NatsBus {
    fn message(
        &self,
        stream: Stream,
        sequence: u64,
    ) -> BoxFuture<'_, Result<Option<Stored>, BusError>> {
        async move {
            let away = |e: String| BusError::Away(format!("reading {}: {e}", stream.name()));
            let handle = self.context.get_stream_no_info(stream.name()).await;
            let handle = handle.map_err(|e| away(e.to_string()))?;
            match handle.get_raw_message(sequence).await {
                Ok(message) => Ok(Some(super::stored(message))),
                Err(error) => match error.kind() {
                    RawMessageErrorKind::NoMessageFound => Ok(None),
                    RawMessageErrorKind::JetStream(e) if e.error_code().0 == NO_MESSAGE => Ok(None),
                    _ => Err(away(error.to_string())),
                },
            }
        }
        .boxed()
    }

    fn delete(&self, stream: Stream, sequence: u64) -> BoxFuture<'_, Result<bool, BusError>> {
        async move {
            if self.message(stream, sequence).await?.is_none() {
                return Ok(false);
            }
            let call = format!("$JS.API.STREAM.MSG.DELETE.{}", stream.name());
            let body = serde_json::json!({ "seq": sequence, "no_erase": true }).to_string();
            match api::request::<Deleted>(&self.client, call, body.into()).await {
                Ok(deleted) => Ok(deleted.success),
                // Somebody else was quicker, or it has aged out just now.
                Err(BusError::Refused(why)) if why.ends_with(&format!("({NOT_DELETED})")) => {
                    Ok(false)
                }
                Err(error) => Err(error),
            }
        }
        .boxed()
    }
}
