//! The live sink: how a stage shows its work while it does it.
//!
//! Delivery is at most once: pieces are dropped when nothing listens, or when the listener or the process is slow.
//! Nothing may depend on a piece; the step's output contains all of it again.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::time::Duration;

/// The sink into which a stage may write text while it works. Writing never waits and never fails.
#[derive(Clone, Default)]
pub struct Live(Option<Arc<Open>>);

/// A sink with a listener, and how far the stage has come.
struct Open {
    sink: Box<Sink>,
    /// Number of the draft that is written.
    draft: AtomicU16,
    /// Something of it was written.
    has_begun: AtomicBool,
}

type Sink = dyn Fn(LiveNote<'_>) + Send + Sync;

/// What a stage shows of its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LiveNote<'a> {
    /// How long what it does now will likely take.
    Expected(Duration),
    /// A piece of the draft of this number.
    Text(u16, &'a str),
}

impl Live {
    /// A sink that drops everything, for a question whose publisher did not ask for live text.
    pub fn off() -> Live {
        Live(None)
    }

    /// A sink that hands each note to `sink`, which must not block.
    pub fn to(sink: impl Fn(LiveNote<'_>) + Send + Sync + 'static) -> Live {
        Live(Some(Arc::new(Open {
            sink: Box::new(sink),
            draft: AtomicU16::new(0),
            has_begun: AtomicBool::new(false),
        })))
    }

    /// Whether the publisher asked for live text. A stage that would have to call its model in another way to get
    /// pieces checks this first.
    pub fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Says how long what the stage does now will likely take.
    pub fn expect(&self, time: Duration) {
        if let Some(open) = &self.0 {
            (open.sink)(LiveNote::Expected(time));
        }
    }

    /// Writes a piece of text: words of a draft, in order.
    pub fn text(&self, piece: &str) {
        if let Some(open) = &self.0 {
            open.has_begun.store(true, Ordering::Relaxed);
            (open.sink)(LiveNote::Text(open.draft.load(Ordering::Relaxed), piece));
        }
    }

    /// Begins another draft: the text that was written so far is void. An empty piece reports this at once, unless
    /// nothing was written.
    pub fn anew(&self) {
        if let Some(open) = &self.0
            && open.has_begun.swap(false, Ordering::Relaxed)
        {
            let before = open.draft.fetch_add(1, Ordering::Relaxed);
            (open.sink)(LiveNote::Text(before.wrapping_add(1), ""));
        }
    }
}

impl fmt::Debug for Live {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_on() {
            "Live(on)"
        } else {
            "Live(off)"
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn a_draft_that_begins_anew_has_another_number_and_one_that_has_not_begun_has_not() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let kept = heard.clone();
        let live = Live::to(move |note| {
            if let LiveNote::Text(draft, piece) = note {
                kept.lock().unwrap().push((draft, piece.to_owned()));
            }
        });
        live.anew();
        for piece in ["It ", "ends"] {
            live.text(piece);
        }
        live.anew();
        live.anew();
        live.text("No.");
        let heard = heard.lock().unwrap();
        let heard: Vec<_> = heard.iter().map(|(n, text)| (*n, text.as_str())).collect();
        assert_eq!(heard, [(0, "It "), (0, "ends"), (1, ""), (1, "No.")]);
    }
}
