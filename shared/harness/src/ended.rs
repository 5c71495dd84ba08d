//! Turns that are known to have ended, and the work on them that is still running.
//!
//! Best effort, fed by `argosy.cancel.<turn>` and by terminal events that pass through this process.
//! The truth is the answers stream; this only spares work.

use envelope::TurnId;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Mutex, MutexGuard};
use tokio_util::sync::CancellationToken;

/// How many ended turns are remembered.
const REMEMBERED: usize = 16_384;

/// A set of ended turns with the running work of each turn.
#[derive(Debug, Default)]
pub struct Ended {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    turns: HashSet<TurnId>,
    order: VecDeque<TurnId>,
    running: HashMap<TurnId, Vec<(u64, CancellationToken)>>,
    next: u64,
}

impl Ended {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Whether the turn is known to have ended.
    pub fn contains(&self, turn: &TurnId) -> bool {
        self.lock().turns.contains(turn)
    }

    /// Remembers that the turn ended and stops the work on it.
    pub fn end(&self, turn: &TurnId) {
        let mut inner = self.lock();
        if inner.turns.insert(turn.clone()) {
            inner.order.push_back(turn.clone());
            if inner.order.len() > REMEMBERED
                && let Some(oldest) = inner.order.pop_front()
            {
                inner.turns.remove(&oldest);
            }
        }
        for (_, token) in inner.running.remove(turn).unwrap_or_default() {
            token.cancel();
        }
    }

    /// A token that is cancelled when the turn ends, for as long as the guard lives.
    pub(crate) fn watch(&self, turn: &TurnId) -> Watch<'_> {
        let mut inner = self.lock();
        let token = CancellationToken::new();
        if inner.turns.contains(turn) {
            token.cancel();
        }
        inner.next += 1;
        let id = inner.next;
        inner
            .running
            .entry(turn.clone())
            .or_default()
            .push((id, token.clone()));
        Watch {
            ended: self,
            turn: turn.clone(),
            id,
            token,
        }
    }
}

pub(crate) struct Watch<'a> {
    ended: &'a Ended,
    turn: TurnId,
    id: u64,
    pub(crate) token: CancellationToken,
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        let mut inner = self.ended.lock();
        if let Some(running) = inner.running.get_mut(&self.turn) {
            running.retain(|(id, _)| *id != self.id);
            if running.is_empty() {
                inner.running.remove(&self.turn);
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
        let ended = Ended::default();
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
        let ended = Ended::default();
        (0..REMEMBERED + 10).for_each(|n| ended.end(&turn(n)));
        assert!(!ended.contains(&turn(0)) && ended.contains(&turn(REMEMBERED)));
        assert_eq!(ended.lock().turns.len(), REMEMBERED);
    }
}
