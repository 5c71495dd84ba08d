//! Whether stderr is for errors alone.
//!
//! Of the process, as colour is: its command line decides it once, before anything is said.

use std::sync::atomic::{AtomicBool, Ordering};

static QUIET: AtomicBool = AtomicBool::new(false);

/// From now on nothing is said on stderr but errors.
pub(crate) fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Whether warnings, hints and progress are unwanted.
pub(crate) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}
