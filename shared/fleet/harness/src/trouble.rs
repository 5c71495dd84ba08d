//! Remembers recent failures of a role's steps, so that the log gets one line when a kind of failure begins and one
//! when it is over. Without this, the log would get a line for every step while a model is down.
//!
//! It does *not* count: metrics count every failure, and the log has each of them at level debug.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// It is over when a step goes well and none has failed in that way for so long: what fails now and then
/// among steps that go well is one state.
const CALM: Duration = Duration::from_secs(10);

/// The time of the last failure, by the code of the failure.
#[derive(Debug, Default)]
pub(crate) struct Trouble(Mutex<BTreeMap<&'static str, Instant>>);

impl Trouble {
    /// Records that a step failed. True when steps did not fail in this way before.
    pub(crate) fn began(&self, code: &'static str) -> bool {
        self.lately().insert(code, Instant::now()).is_none()
    }

    /// Records that a step succeeded. Returns the codes of failures that are over with it.
    pub(crate) fn over(&self) -> Vec<&'static str> {
        let mut lately = self.lately();
        if lately.is_empty() {
            return Vec::new();
        }
        let now = Instant::now();
        let is_over = |last: &Instant| now - *last >= CALM;
        let over = lately.iter().filter(|(_, last)| is_over(last));
        let over = over.map(|(code, _)| *code).collect();
        lately.retain(|_, last| !is_over(last));
        over
    }

    fn lately(&self) -> MutexGuard<'_, BTreeMap<&'static str, Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn each_way_of_failing_begins_once_and_is_over_once() {
        let trouble = Trouble::default();
        assert!(trouble.over().is_empty());
        assert!(trouble.began("model_unavailable"));
        assert!(!trouble.began("model_unavailable"));
        assert!(trouble.began("publish_failed"));
        tokio::time::advance(CALM / 2).await;
        assert!(!trouble.began("model_unavailable"));
        assert!(trouble.over().is_empty(), "now and then is still failing");
        tokio::time::advance(CALM / 2).await;
        assert_eq!(trouble.over(), ["publish_failed"]);
        tokio::time::advance(CALM).await;
        assert_eq!(trouble.over(), ["model_unavailable"]);
        assert!(trouble.over().is_empty());
        assert!(trouble.began("model_unavailable"));
    }
}
