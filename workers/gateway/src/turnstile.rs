//! Lets the questions of one conversation pass one at a time and in the order of the inbox, among those that this
//! gateway holds.
//!
//! Another writer to the log is detected by the write condition of the append, so the turnstile only saves work and
//! keeps the order that people expect. A conversation has *no* owner among the gateways.

use conversation_log::ConversationKey;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Which question has access to the log of which conversation.
#[derive(Default)]
pub(crate) struct Turnstile {
    waiting: Mutex<HashMap<ConversationKey, BTreeSet<u64>>>,
    left: Notify,
}

/// The refusal when more older questions of the conversation are here than allowed, with their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Crowd(pub(crate) usize);

/// The right of one question to go on. The next question may go on when this is dropped.
pub(crate) struct Pass<'a> {
    of: &'a Turnstile,
    key: ConversationKey,
    sequence: u64,
}

impl Turnstile {
    /// Waits until no older question of the conversation is here, and does not wait at all where more than
    /// `older_max` are: each question that waits holds a slot of the gateway, and the slots are for all
    /// conversations.
    pub(crate) async fn enter(
        &self,
        key: &ConversationKey,
        sequence: u64,
        older_max: usize,
    ) -> Result<Pass<'_>, Crowd> {
        self.lock().entry(key.clone()).or_default().insert(sequence);
        // Counted as here from now on, also while it waits.
        let pass = Pass {
            of: self,
            key: key.clone(),
            sequence,
        };
        // Those that were delivered together are all here before the first goes on.
        tokio::task::yield_now().await;
        let older = self.older(key, sequence);
        if older > older_max {
            return Err(Crowd(older));
        }
        loop {
            let left = self.left.notified();
            if self.is_next(key, sequence) {
                return Ok(pass);
            }
            left.await;
        }
    }

    fn older(&self, key: &ConversationKey, sequence: u64) -> usize {
        let waiting = self.lock();
        let here = waiting.get(key);
        here.map_or(0, |here| here.range(..sequence).count())
    }

    fn is_next(&self, key: &ConversationKey, sequence: u64) -> bool {
        let waiting = self.lock();
        let first = waiting.get(key).and_then(|waiting| waiting.first());
        first.is_none_or(|first| *first >= sequence)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ConversationKey, BTreeSet<u64>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        let mut waiting = self.of.lock();
        if let Some(here) = waiting.get_mut(&self.key) {
            here.remove(&self.sequence);
            if here.is_empty() {
                waiting.remove(&self.key);
            }
        }
        drop(waiting);
        self.of.left.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::{ConversationId, TenantId};
    use std::sync::Arc;
    use tokio::time::{Duration, sleep};

    fn key(conversation: &str) -> ConversationKey {
        ConversationKey {
            tenant: TenantId::default_tenant(),
            conversation: ConversationId::new(conversation).unwrap(),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_oldest_goes_first_and_conversations_do_not_wait_for_each_other() {
        let (stile, passed) = (Arc::new(Turnstile::default()), Arc::new(Mutex::new(vec![])));
        let mut tasks = Vec::new();
        for (conversation, sequence) in [("a", 5), ("b", 9), ("a", 3), ("a", 4), ("b", 2)] {
            let (stile, passed) = (stile.clone(), passed.clone());
            tasks.push(tokio::spawn(async move {
                let _pass = stile.enter(&key(conversation), sequence, 5).await.unwrap();
                passed.lock().unwrap().push((conversation, sequence));
                sleep(Duration::from_secs(1)).await;
            }));
        }
        for task in tasks {
            task.await.unwrap();
        }
        let passed = passed.lock().unwrap().clone();
        let of = |name| {
            passed
                .iter()
                .filter(move |(of, _)| *of == name)
                .map(|(_, n)| *n)
        };
        assert_eq!(of("a").collect::<Vec<_>>(), [3, 4, 5]);
        assert_eq!(of("b").collect::<Vec<_>>(), [2, 9]);
        assert!(stile.lock().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn one_that_gives_up_lets_the_others_go_on() {
        let stile = Turnstile::default();
        let first = stile.enter(&key("a"), 1, 5).await.unwrap();
        let key = key("a");
        let waits = tokio::time::timeout(Duration::from_secs(1), stile.enter(&key, 2, 5));
        assert!(waits.await.is_err());
        drop(first);
        let _third = stile.enter(&key, 3, 5).await.unwrap();
        assert_eq!(stile.lock().len(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn who_has_too_many_in_front_does_not_wait() {
        let stile = Turnstile::default();
        let first = stile.enter(&key("a"), 1, 1).await.unwrap();
        let key = key("a");
        let (second, third) = tokio::join!(
            async {
                let pass = stile.enter(&key, 2, 1).await;
                pass.is_ok()
            },
            async {
                let pass = stile.enter(&key, 3, 1).await;
                drop(first);
                pass.err()
            }
        );
        assert_eq!((second, third), (true, Some(Crowd(2))));
        assert!(stile.lock().is_empty());
    }
}
