//! Remembers the turns that are known to have ended and the fan-outs that are known to be joined, and stops the work
//! on them that still runs in this process.
//!
//! The registry is best effort. It is fed by `argosy.cancel.<turn>`, by terminal events that pass through this
//! process and by `argosy.joined.<turn>.<hop>`. Only the streams are authoritative; the registry saves work.

use bus::Subscription;
use envelope::{Subject, TurnId};
use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard};
use tokio_util::sync::CancellationToken;

/// What is worked on by map steps: the turn and the hop of the steps.
pub(crate) type Fanout = (TurnId, u16);

/// How many are remembered.
const REMEMBERED: usize = 16_384;

/// A set of ended turns, or of other keys that end, with the running work of each.
#[derive(Debug)]
pub struct CancelRegistry<K = TurnId> {
    inner: Mutex<Inner<K>>,
}

#[derive(Debug)]
struct Inner<K> {
    ended: HashSet<K>,
    order: VecDeque<K>,
    running: HashMap<K, Vec<(u64, CancellationToken)>>,
    next: u64,
}

impl<K> Default for CancelRegistry<K> {
    fn default() -> Self {
        let inner = Mutex::new(Inner {
            ended: HashSet::new(),
            order: VecDeque::new(),
            running: HashMap::new(),
            next: 0,
        });
        CancelRegistry { inner }
    }
}

impl<K: Clone + Eq + Hash> CancelRegistry<K> {
    fn lock(&self) -> MutexGuard<'_, Inner<K>> {
        self.inner
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Whether it is known to have ended.
    pub fn contains(&self, what: &K) -> bool {
        self.lock().ended.contains(what)
    }

    /// Remembers it, and stops the work on it.
    pub fn end(&self, what: &K) {
        let mut inner = self.lock();
        if inner.ended.insert(what.clone()) {
            inner.order.push_back(what.clone());
            if inner.order.len() > REMEMBERED
                && let Some(oldest) = inner.order.pop_front()
            {
                inner.ended.remove(&oldest);
            }
        }
        for (_, token) in inner.running.remove(what).unwrap_or_default() {
            token.cancel();
        }
    }

    /// Records what broadcasts say has ended; never returns.
    pub(crate) async fn hear(
        &self,
        subscription: Option<Box<dyn Subscription>>,
        what: impl Fn(Subject) -> Option<K>,
    ) {
        if let Some(mut subscription) = subscription {
            while let Some(message) = subscription.next().await {
                if let Some(ended) = Subject::parse(&message.subject).ok().and_then(&what) {
                    self.end(&ended);
                }
            }
        }
        std::future::pending().await
    }

    /// A token that is cancelled when it ends, for as long as the guard lives.
    pub(crate) fn watch(&self, what: &K) -> Watch<'_, K> {
        let mut inner = self.lock();
        let token = CancellationToken::new();
        if inner.ended.contains(what) {
            token.cancel();
        }
        inner.next += 1;
        let id = inner.next;
        inner
            .running
            .entry(what.clone())
            .or_default()
            .push((id, token.clone()));
        Watch {
            ended: self,
            of: what.clone(),
            id,
            token,
        }
    }
}

pub(crate) struct Watch<'a, K: Clone + Eq + Hash> {
    ended: &'a CancelRegistry<K>,
    of: K,
    id: u64,
    pub(crate) token: CancellationToken,
}

impl<K: Clone + Eq + Hash> Drop for Watch<'_, K> {
    fn drop(&mut self) {
        let mut inner = self.ended.lock();
        if let Some(running) = inner.running.get_mut(&self.of) {
            running.retain(|(id, _)| *id != self.id);
            if running.is_empty() {
                inner.running.remove(&self.of);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(n: usize) -> TurnId {
        TurnId::new(format!("t{n}")).unwrap()
    }

    #[test]
    fn ending_a_turn_stops_its_work_and_nothing_else() {
        let ended = CancelRegistry::<TurnId>::default();
        let (one, other) = (ended.watch(&turn(1)), ended.watch(&turn(2)));
        ended.end(&turn(1));
        assert!(one.token.is_cancelled() && !other.token.is_cancelled());
        assert!(
            ended.watch(&turn(1)).token.is_cancelled(),
            "work that starts late"
        );
        drop((one, other));
        assert!(ended.lock().running.is_empty());
    }

    #[test]
    fn memory_is_bounded() {
        let ended = CancelRegistry::<TurnId>::default();
        (0..REMEMBERED + 10).for_each(|n| ended.end(&turn(n)));
        assert!(!ended.contains(&turn(0)) && ended.contains(&turn(REMEMBERED)));
        assert_eq!(ended.lock().ended.len(), REMEMBERED);
    }
}
