//! Erases one message from a stream, so that the server overwrites its bytes on disk.

use super::api;
use async_nats::Client;
use bus::BusError;
use serde::Deserialize;

/// The server's code for a sequence that holds nothing.
const NO_SEQUENCE: u64 = 10043;
/// The same where the message went while the call was made.
const NOT_DELETED: u64 = 10057;

#[derive(Deserialize)]
struct Deleted {
    success: bool,
}

/// Erases the message with this sequence; false when it was not there.
pub(super) async fn erase(client: &Client, stream: &str, sequence: u64) -> Result<bool, BusError> {
    let call = format!("$JS.API.STREAM.MSG.DELETE.{stream}");
    // `no_erase` is left out: the server overwrites what it deletes then.
    let body = serde_json::json!({ "seq": sequence }).to_string();
    match api::request::<Deleted>(client, call, body.into()).await {
        Ok(deleted) => Ok(deleted.success),
        Err(BusError::Refused(why)) if is_gone(&why) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether the message is not there: another process erased it, or it has expired.
fn is_gone(why: &str) -> bool {
    [NO_SEQUENCE, NOT_DELETED]
        .iter()
        .any(|code| why.ends_with(&format!("({code})")))
}
