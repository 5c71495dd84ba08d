//! The live sink of a step: what its stage writes, passed on to `argosy.live.<turn>` while it works.
//!
//! Bounded, and dropped rather than waited for: a piece that finds the queue full, or is too long for a
//! message, is gone, and the number of the next one says so. *Not* for anything that an answer needs.

use bus::{Bus, CoreMessage, Headers};
use envelope::limits::LIVE_TEXT_BYTES_MAX;
use envelope::live::LiveText;
use envelope::{Role, Subject, TurnId};
use stage::{Cx, Live};
use std::sync::atomic::{AtomicU32, Ordering};
use tokio::sync::mpsc;

/// Most pieces that wait to be passed on.
const WAITING_MAX: usize = 64;

/// The pieces of one step on their way.
pub(crate) struct Pieces {
    turn: TurnId,
    role: Role,
    hop: u16,
    attempt: u16,
    waiting: Option<mpsc::Receiver<(u32, String)>>,
}

/// The sink of a step and what comes out of it. Off when the publisher did not ask for it.
pub(crate) fn sink(cx: &Cx) -> (Live, Pieces) {
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
    let live = Live::to(move |piece| {
        let n = written.fetch_add(1, Ordering::Relaxed);
        if piece.len() <= LIVE_TEXT_BYTES_MAX {
            // Full: dropped, which the gap in the numbers says.
            let _ = sender.try_send((n, piece.to_owned()));
        }
    });
    (live, pieces(Some(waiting)))
}

impl Pieces {
    /// Works, and passes on what is written meanwhile; what is written last goes out before the result.
    pub(crate) async fn passed_on<T>(&mut self, bus: &dyn Bus, work: impl Future<Output = T>) -> T {
        let Some(mut waiting) = self.waiting.take() else {
            return work.await;
        };
        tokio::pin!(work);
        let result = loop {
            tokio::select! {
                biased;
                result = &mut work => break result,
                Some((n, text)) = waiting.recv() => self.tell(bus, n, text).await,
            }
        };
        while let Ok((n, text)) = waiting.try_recv() {
            self.tell(bus, n, text).await;
        }
        result
    }

    async fn tell(&self, bus: &dyn Bus, n: u32, text: String) {
        let subject = Subject::Live {
            turn: self.turn.clone(),
        };
        let piece = LiveText {
            role: self.role,
            hop: self.hop,
            attempt: self.attempt,
            n,
            text,
        };
        let message = CoreMessage {
            subject: subject.to_string(),
            reply: None,
            headers: Headers::default(),
            body: serde_json::to_vec(&piece).unwrap_or_default().into(),
        };
        // At most once: a lost one is not worth a word.
        let _ = bus.broadcast(message).await;
    }
}
