//! The live sink of a step: it forwards what the stage writes to `argosy.live.<turn>` while the stage works.
//!
//! The sink is bounded and never waits: a piece that finds the queue full, or is too long for a message, is dropped,
//! and a gap in the numbers shows it. Nothing that an answer needs may go through it.

use bus::{Bus, CoreMessage, Headers};
use envelope::limits::LIVE_TEXT_BYTES_MAX;
use envelope::live::{LiveText, LiveWait};
use envelope::{Role, Subject, TurnId};
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
    turn: TurnId,
    role: Role,
    hop: u16,
    attempt: u16,
    waiting: Option<mpsc::Receiver<Waiting>>,
}

/// A note that waits to be passed on.
enum Waiting {
    Text { draft: u16, n: u32, text: String },
    Expected(Duration),
}

/// The sink of a step and what comes out of it. Off when the publisher did not ask for it.
pub(crate) fn sink(cx: &StepContext) -> (Live, Pieces) {
    let pieces = |waiting| Pieces {
        turn: cx.header.turn.clone(),
        role: cx.header.role,
        hop: cx.header.hop,
        attempt: cx.attempt,
        waiting,
    };
    if !cx.header.live {
        return (Live::off(), pieces(None));
    }
    let (sender, waiting) = mpsc::channel(WAITING_MAX);
    let written = AtomicU32::new(0);
    let live = Live::to(move |note| {
        // Full: dropped. A gap in the numbers says so of text; nobody misses how long a wait should be.
        let _ = match note {
            LiveNote::Expected(time) => sender.try_send(Waiting::Expected(time)),
            LiveNote::Text(draft, piece) => {
                let n = written.fetch_add(1, Ordering::Relaxed);
                if piece.len() > LIVE_TEXT_BYTES_MAX {
                    return;
                }
                let text = piece.to_owned();
                sender.try_send(Waiting::Text { draft, n, text })
            }
        };
    });
    (live, pieces(Some(waiting)))
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
                self.tell(bus, piece).await;
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
                self.tell(bus, piece).await;
            }
        };
        // At most once: what does not get out in time is gone.
        let _ = tokio::time::timeout(LAST, rest).await;
        result
    }

    async fn tell(&self, bus: &dyn Bus, note: Waiting) {
        let (role, hop, attempt) = (self.role, self.hop, self.attempt);
        match note {
            Waiting::Text { draft, n, text } => {
                let piece = LiveText {
                    role,
                    hop,
                    attempt,
                    draft,
                    n,
                    text,
                };
                tell(bus, &self.turn, &piece).await;
            }
            Waiting::Expected(time) => {
                let expected_ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
                let wait = LiveWait {
                    role,
                    hop,
                    expected_ms,
                };
                tell(bus, &self.turn, &wait).await;
            }
        }
    }
}

/// Sends a live message to the listeners of a turn, at most once: one that cannot be sent in time is lost.
pub(crate) async fn tell<T: Serialize>(bus: &dyn Bus, turn: &TurnId, what: &T) {
    let message = CoreMessage {
        subject: Subject::Live { turn: turn.clone() }.to_string(),
        reply: None,
        headers: Headers::default(),
        body: serde_json::to_vec(what).unwrap_or_default().into(),
    };
    // There may be no listener: a lost message is not worth a log line.
    let _ = tokio::time::timeout(LAST, bus.broadcast(message)).await;
}
