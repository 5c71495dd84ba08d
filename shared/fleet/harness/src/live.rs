//! The live sink of a step: it forwards what the stage writes to `argosy.live.<turn>` while the stage works.
//!
//! The sink is bounded and never waits: a piece that finds the queue full, or is too long for a message, is dropped,
//! and a gap in the numbers shows it. Nothing that an answer needs may go through it.

use bus::{Bus, CoreMessage};
use envelope::limits::LIVE_TEXT_BYTES_MAX;
use envelope::live::{LiveText, LiveWait};
use envelope::{Header, subject};
use serde::Serialize;
use stage::{Live, LiveNote, StepContext};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::sync::mpsc;

/// Most pieces that wait to be passed on.
const WAITING_MAX: usize = 64;

/// How long anything may be held up for what is told: nothing depends on it, and the bus may be away.
const LAST: Duration = Duration::from_millis(100);

/// The pieces of one step on their way.
pub(crate) struct Pieces {
    at: String,
    waiting: Option<mpsc::Receiver<Vec<u8>>>,
}

/// The sink of a step and what comes out of it. Off when the publisher did not ask for it.
pub(crate) fn sink(cx: &StepContext) -> (Live, Pieces) {
    let at = at(&cx.header);
    if !cx.header.live {
        let waiting = None;
        return (Live::off(), Pieces { at, waiting });
    }
    let (sender, waiting) = mpsc::channel(WAITING_MAX);
    let written = AtomicU32::new(0);
    let (role, hop, attempt) = (cx.header.role, cx.header.hop, cx.attempt);
    // Full: dropped, before a body is made of it. A gap in the numbers says so of text; nobody misses how long a wait
    // should be.
    let live = Live::to(move |note| match note {
        LiveNote::Expected(time) => {
            if let Ok(place) = sender.try_reserve() {
                place.send(body(&LiveWait {
                    role,
                    hop,
                    expected_ms: u64::try_from(time.as_millis()).unwrap_or(u64::MAX),
                }));
            }
        }
        LiveNote::Text(draft, piece) => {
            let n = written.fetch_add(1, Ordering::Relaxed);
            if piece.len() > LIVE_TEXT_BYTES_MAX {
                return;
            }
            if let Ok(place) = sender.try_reserve() {
                place.send(body(&LiveText {
                    role,
                    hop,
                    attempt,
                    draft,
                    n,
                    text: piece.to_owned(),
                }));
            }
        }
    });
    let waiting = Some(waiting);
    (live, Pieces { at, waiting })
}

fn body<T: Serialize>(what: &T) -> Vec<u8> {
    serde_json::to_vec(what).unwrap_or_default()
}

impl Pieces {
    /// Does the work, and passes on what is written meanwhile; the last pieces are sent before the result, if that
    /// takes no longer than [`LAST`]. A bus that is away blocks neither.
    pub(crate) async fn passed_on<T>(&mut self, bus: &dyn Bus, work: impl Future<Output = T>) -> T {
        let Some(mut waiting) = self.waiting.take() else {
            return work.await;
        };
        let passing = async {
            while let Some(piece) = waiting.recv().await {
                send(bus, &self.at, piece).await;
            }
            std::future::pending().await
        };
        let result = tokio::select! {
            biased;
            result = work => result,
            never = passing => never,
        };
        let rest = async {
            while let Ok(piece) = waiting.try_recv() {
                send(bus, &self.at, piece).await;
            }
        };
        // At most once: what does not get out in time is gone.
        let _ = tokio::time::timeout(LAST, rest).await;
        result
    }
}

/// Sends a live message to the listeners of a turn, at most once: one that cannot be sent in time is lost.
pub(crate) async fn tell<T: Serialize>(bus: &dyn Bus, header: &Header, what: &T) {
    send(bus, &at(header), body(what)).await;
}

fn at(header: &Header) -> String {
    subject::live(&header.turn, header.reply_to.as_deref())
}

async fn send(bus: &dyn Bus, at: &str, body: Vec<u8>) {
    let message = CoreMessage::new(at, body);
    // There may be no listener: a lost message is not worth a log line.
    let _ = tokio::time::timeout(LAST, bus.broadcast(message)).await;
}
