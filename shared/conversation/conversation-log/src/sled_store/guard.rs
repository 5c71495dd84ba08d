//! Runs work that may panic or hang in a thread of its own, with a time limit.
//!
//! sled may panic or hang when its files are damaged. A thread that hangs cannot be ended: it is left behind, with
//! everything that it holds.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread::Builder;
use std::time::Duration;

/// Why guarded work returned no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Mishap {
    #[error("it panicked: {0}")]
    Panic(String),
    #[error("it made no progress for {} s", .0.as_secs())]
    Silence(Duration),
    #[error("no thread could be started: {0}")]
    NoThread(String),
}

/// Tells that work goes on.
#[derive(Clone, Default)]
pub(super) struct Beat(Arc<AtomicU64>);

impl Beat {
    /// It goes on.
    pub(super) fn on(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Does `work` in a thread, and waits for it as long as it reports progress at least once in `silence`.
pub(super) fn guarded<T: Send + 'static>(
    name: &str,
    silence: Duration,
    work: impl FnOnce(&Beat) -> T + Send + 'static,
) -> Result<T, Mishap> {
    let (tell, hear) = sync_channel(1);
    let beat = Beat::default();
    let beats = beat.clone();
    let body = move || {
        let result = catch_unwind(AssertUnwindSafe(|| work(&beats)));
        // There is no receiver any more where the limit has passed.
        let _ = tell.send(result);
    };
    Builder::new()
        .name(name.to_owned())
        .spawn(body)
        .map_err(|e| Mishap::NoThread(e.to_string()))?;
    let mut before = beat.count();
    loop {
        match hear.recv_timeout(silence) {
            Ok(Ok(result)) => return Ok(result),
            Ok(Err(panic)) => return Err(Mishap::Panic(words_of(&*panic))),
            Err(RecvTimeoutError::Disconnected) => return Err(Mishap::Panic(String::new())),
            Err(RecvTimeoutError::Timeout) if beat.count() == before => {
                return Err(Mishap::Silence(silence));
            }
            Err(RecvTimeoutError::Timeout) => before = beat.count(),
        }
    }
}

/// What a panic said, cut.
pub(super) fn words_of(panic: &(dyn Any + Send)) -> String {
    let words = panic.downcast_ref::<String>().map(String::as_str);
    let words = words.or_else(|| panic.downcast_ref::<&str>().copied());
    words.unwrap_or("no words").chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread::sleep;

    const SHORT: Duration = Duration::from_millis(50);
    const LONG: Duration = Duration::from_secs(30);

    #[test]
    fn what_does_not_come_back_is_told() {
        assert_eq!(guarded("t", LONG, |_| 7), Ok(7));
        let panicked = guarded("t", LONG, |_| -> u8 { panic!("of {}", 3) });
        assert_eq!(panicked, Err(Mishap::Panic("of 3".into())));
        let silent = guarded("t", SHORT, |_| sleep(SHORT * 6));
        assert_eq!(silent, Err(Mishap::Silence(SHORT)));
    }

    #[test]
    fn what_goes_on_is_waited_for() {
        let slow = guarded("t", SHORT * 4, |beat| {
            for _ in 0..20 {
                beat.on();
                sleep(SHORT);
            }
            7
        });
        assert_eq!(slow, Ok(7));
    }
}
