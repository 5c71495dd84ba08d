//! Feeds a view from a stream: passes every message to a callback, in order, from a given position on. The callback
//! decides what the view is, and where its position is kept.

use bus::{Bus, BusError, Reader, StoredMessage, Stream};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// A view that a stream feeds.
pub trait Projection: Send {
    /// Takes one message; at least `pending` more follow. The messages come in order, each once per run; after an error
    /// the feed starts again at [`Projection::position`].
    fn apply(
        &mut self,
        message: StoredMessage,
        pending: u64,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>>;
    /// Makes the applied messages durable. Called when no message came for a while, when all waiting messages are
    /// applied, and when the feed ends.
    fn settle(&mut self) -> Result<(), Box<dyn std::error::Error + Send + Sync>>;
    /// Sequence of the last message that need not be delivered again; 0 if there is none.
    fn position(&self) -> u64;
}

/// How long the stream has to be silent before the view may settle.
const QUIET: Duration = Duration::from_millis(50);
/// How often it settles at most while the stream is never silent.
const STEADY: Duration = Duration::from_secs(1);
const AWAY: Duration = Duration::from_millis(500);

/// Reads `filter` of `stream` into `view` until `stop` is cancelled. If the connection is lost, this waits for it.
pub async fn feed(
    bus: &dyn Bus,
    stream: Stream,
    filter: &str,
    view: &mut dyn Projection,
    stop: CancellationToken,
) {
    while !stop.is_cancelled() {
        let read = run(bus, stream, filter, view, &stop).await;
        if let Err(error) = view.settle() {
            tracing::error!(%error, stream = stream.name(), "applied messages could not be made durable");
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

/// Passes each message of `filter` behind the sequence `from` to `keep`, until `stop` is cancelled: for records of which
/// the last message counts. If the connection is lost, this waits for it.
pub async fn watch(
    bus: &dyn Bus,
    stream: Stream,
    filter: &str,
    from: u64,
    keep: impl FnMut(StoredMessage) + Send,
    stop: CancellationToken,
) {
    let mut view = Watched { at: from, keep };
    feed(bus, stream, filter, &mut view, stop).await;
}

struct Watched<F> {
    at: u64,
    keep: F,
}

impl<F: FnMut(StoredMessage) + Send> Projection for Watched<F> {
    fn apply(
        &mut self,
        message: StoredMessage,
        _pending: u64,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        self.at = message.sequence;
        (self.keep)(message);
        Ok(())
    }

    fn settle(&mut self) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Ok(())
    }

    fn position(&self) -> u64 {
        self.at
    }
}

async fn run(
    bus: &dyn Bus,
    stream: Stream,
    filter: &str,
    view: &mut dyn Projection,
    stop: &CancellationToken,
) -> Result<(), BusError> {
    let mut reader = bus.read(stream, filter, view.position() + 1).await?;
    take_in(&mut *reader, view, stop).await
}

async fn take_in(
    reader: &mut dyn Reader,
    view: &mut dyn Projection,
    stop: &CancellationToken,
) -> Result<(), BusError> {
    let refused = |e: Box<dyn std::error::Error + Send + Sync>| BusError::Refused(e.to_string());
    let mut unsettled = false;
    let mut pace = Pace::from(Instant::now());
    loop {
        tokio::select! {
            biased;
            () = stop.cancelled() => return Ok(()),
            next = reader.next() => {
                let (message, pending) = next?;
                view.apply(message, pending).map_err(refused)?;
                unsettled = true;
                if pace.is_due(pending, Instant::now()) {
                    view.settle().map_err(refused)?;
                    unsettled = false;
                    pace = Pace::from(Instant::now());
                }
            }
            () = tokio::time::sleep(QUIET), if unsettled => {
                view.settle().map_err(refused)?;
                unsettled = false;
                pace = Pace::from(Instant::now());
            }
        }
    }
}

/// When a view settles while messages keep coming: when all that was waiting after it settled last is
/// taken in, though not at once again. So a long replay is not interrupted, and a view that never sees
/// the end of the stream settles all the same.
struct Pace {
    since: Instant,
    /// How many of those that were waiting are left; not known before the first message.
    left: Option<u64>,
}

impl Pace {
    fn from(now: Instant) -> Pace {
        Pace {
            since: now,
            left: None,
        }
    }

    /// Told of a message that was taken in and of how many follow.
    fn is_due(&mut self, pending: u64, now: Instant) -> bool {
        let left = self.left.map_or(pending, |left| left.saturating_sub(1));
        self.left = Some(left);
        left == 0 && now.duration_since(self.since) >= STEADY
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::Headers;
    use bytes::Bytes;
    use envelope::UnixMs;
    use futures_util::FutureExt;
    use futures_util::future::BoxFuture;

    /// A message every so often, `count` in all, with so many behind each.
    struct Steady {
        every: Duration,
        count: u64,
        pending: fn(u64) -> u64,
        sent: u64,
    }

    impl Reader for Steady {
        fn next(&mut self) -> BoxFuture<'_, Result<(StoredMessage, u64), BusError>> {
            async {
                tokio::time::sleep(self.every).await;
                if self.sent == self.count {
                    return Err(BusError::Away("that was all".into()));
                }
                self.sent += 1;
                let message = StoredMessage {
                    subject: "argosy.chunk.main.a.b.0".into(),
                    sequence: self.sent,
                    stored_at: UnixMs(0),
                    headers: Headers::default(),
                    body: Bytes::new(),
                };
                Ok((message, (self.pending)(self.sent)))
            }
            .boxed()
        }
    }

    #[derive(Default)]
    struct Counts {
        at: u64,
        settled_at: Vec<u64>,
    }

    impl Projection for Counts {
        fn apply(
            &mut self,
            message: StoredMessage,
            _pending: u64,
        ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
            self.at = message.sequence;
            Ok(())
        }

        fn settle(&mut self) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
            self.settled_at.push(self.at);
            Ok(())
        }

        fn position(&self) -> u64 {
            self.at
        }
    }

    async fn settled(every_ms: u64, count: u64, pending: fn(u64) -> u64) -> Vec<u64> {
        let mut reader = Steady {
            every: Duration::from_millis(every_ms),
            count,
            pending,
            sent: 0,
        };
        let mut view = Counts::default();
        let ended = take_in(&mut reader, &mut view, &CancellationToken::new()).await;
        assert!(ended.is_err(), "the reader ends");
        view.settled_at
    }

    #[tokio::test(start_paused = true)]
    async fn a_view_settles_every_second_of_a_stream_that_is_never_silent() {
        assert_eq!(settled(20, 160, |_| 0).await, [50, 100, 150]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_replay_settles_at_its_end() {
        assert_eq!(settled(1, 5_000, |n| 5_000 - n).await, [5_000]);
    }

    /// As many come as are taken in: the end of the stream is never seen.
    #[tokio::test(start_paused = true)]
    async fn a_view_that_stays_behind_settles_when_what_it_was_behind_by_is_taken_in() {
        assert_eq!(settled(1, 5_000, |_| 1_999).await, [2_000, 4_000]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_stream_is_settled_once() {
        assert_eq!(settled(200, 3, |_| 0).await, [1, 2, 3]);
    }
}
