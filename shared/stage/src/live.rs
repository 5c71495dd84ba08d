//! The live sink: how a stage shows its work while it does it.
//!
//! At most once: pieces are dropped when nothing listens, when the listener is slow, or when the
//! process is. Nothing may depend on one; the step's output says all of it again.

use std::fmt;
use std::sync::Arc;

/// Where a stage may write text as it comes. Writing never waits and never fails.
#[derive(Clone, Default)]
pub struct Live(Option<Arc<Sink>>);

type Sink = dyn Fn(&str) + Send + Sync;

impl Live {
    /// A sink that drops everything: the publisher of the question did not ask for it.
    pub fn off() -> Live {
        Live(None)
    }

    /// A sink that hands each piece to `sink`, which must not block.
    pub fn to(sink: impl Fn(&str) + Send + Sync + 'static) -> Live {
        Live(Some(Arc::new(sink)))
    }

    /// Whether somebody asked for it. A stage that would have to call its model in another way for the
    /// sake of pieces asks this first.
    pub fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Writes a piece of text: words of a draft, in order.
    pub fn text(&self, piece: &str) {
        if let Some(sink) = &self.0 {
            sink(piece);
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
