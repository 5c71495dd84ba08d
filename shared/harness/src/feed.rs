//! Feeding a view from a stream: every message in order, from a position on, through a callback.
//! What the view is, and where its position is kept, the callback knows.

use crate::bus::{Bus, BusError, Stored, Stream};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// What a view does with the messages.
pub trait View: Send {
    /// Takes one message; `pending` more are known to follow. Called in order, each message once
    /// per run; after an error the feed starts again at [`View::position`].
    fn apply(
        &mut self,
        message: Stored,
        pending: u64,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>>;
    /// Nothing came for a while, or the feed ends: a good moment to make what was applied durable.
    fn settle(&mut self) -> Result<(), Box<dyn std::error::Error + Send + Sync>>;
    /// Sequence of the last message that need not come again; 0 for none.
    fn position(&self) -> u64;
}

/// How long the stream has to be silent before the view may settle.
const QUIET: Duration = Duration::from_millis(50);
const AWAY: Duration = Duration::from_millis(500);

/// Reads `filter` of `stream` into `view` until `stop` is cancelled. A lost connection is waited for.
pub async fn feed(
    bus: &dyn Bus,
    stream: Stream,
    filter: &str,
    view: &mut dyn View,
    stop: CancellationToken,
) {
    while !stop.is_cancelled() {
        let read = run(bus, stream, filter, view, &stop).await;
        if let Err(error) = view.settle() {
            tracing::error!(%error, stream = stream.name(), "view not settled");
        }
        if let Err(error) = read {
            tracing::warn!(%error, stream = stream.name(), "feed interrupted");
            tokio::select! {
                biased;
                () = stop.cancelled() => {}
                () = tokio::time::sleep(AWAY) => {}
            }
        }
    }
}

async fn run(
    bus: &dyn Bus,
    stream: Stream,
    filter: &str,
    view: &mut dyn View,
    stop: &CancellationToken,
) -> Result<(), BusError> {
    let refused = |e: Box<dyn std::error::Error + Send + Sync>| BusError::Refused(e.to_string());
    let mut reader = bus.read(stream, filter, view.position() + 1).await?;
    let mut unsettled = false;
    loop {
        tokio::select! {
            biased;
            () = stop.cancelled() => return Ok(()),
            next = reader.next() => {
                let (message, pending) = next?;
                view.apply(message, pending).map_err(refused)?;
                unsettled = true;
            }
            () = tokio::time::sleep(QUIET), if unsettled => {
                view.settle().map_err(refused)?;
                unsettled = false;
            }
        }
    }
}
