//! The order in which waiting calls get a lease: round robin over the tenants, and for each tenant over its turns.
//! Pure.
//!
//! So the calls of a question with a thousand chunks wait for each other and do not hold up other questions.

use envelope::{TenantId, TurnId};
use std::collections::VecDeque;

/// Names in rotation, each with what it holds.
#[derive(Debug)]
struct Rotation<K, V>(VecDeque<(K, V)>);

impl<K, V> Default for Rotation<K, V> {
    fn default() -> Self {
        Rotation(VecDeque::new())
    }
}

impl<K: PartialEq + Clone, V: Default> Rotation<K, V> {
    fn of(&mut self, key: &K) -> &mut V {
        let at = self.0.iter().position(|(k, _)| k == key);
        let at = at.unwrap_or_else(|| {
            self.0.push_back((key.clone(), V::default()));
            self.0.len() - 1
        });
        &mut self.0[at].1
    }
}

/// What waits, in the order in which it is served.
#[derive(Debug)]
pub(crate) struct Queue<T> {
    tenants: Rotation<TenantId, Rotation<TurnId, VecDeque<T>>>,
    len: usize,
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Queue {
            tenants: Rotation::default(),
            len: 0,
        }
    }
}

impl<T> Queue<T> {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Waits as the last of its turn.
    pub(crate) fn push(&mut self, tenant: &TenantId, turn: &TurnId, item: T) {
        self.tenants.of(tenant).of(turn).push_back(item);
        self.len += 1;
    }

    /// Takes out the first waiting call for which `serve` returns something, together with that; its tenant and its
    /// turn go to the end of their queues.
    pub(crate) fn serve<R>(&mut self, mut serve: impl FnMut(&T) -> Option<R>) -> Option<(T, R)> {
        let (at, of, nth, served) = self.find(&mut serve)?;
        let (tenant, mut turns) = self.tenants.0.remove(at)?;
        let (turn, mut items) = turns.0.remove(of)?;
        let item = items.remove(nth)?;
        if !items.is_empty() {
            turns.0.push_back((turn, items));
        }
        if !turns.0.is_empty() {
            self.tenants.0.push_back((tenant, turns));
        }
        self.len -= 1;
        Some((item, served))
    }

    fn find<R>(&self, serve: &mut impl FnMut(&T) -> Option<R>) -> Option<(usize, usize, usize, R)> {
        for (at, (_, turns)) in self.tenants.0.iter().enumerate() {
            for (of, (_, items)) in turns.0.iter().enumerate() {
                for (nth, item) in items.iter().enumerate() {
                    if let Some(served) = serve(item) {
                        return Some((at, of, nth, served));
                    }
                }
            }
        }
        None
    }

    /// Takes out everything that is not to be kept.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        for (_, turns) in &mut self.tenants.0 {
            for (_, items) in &mut turns.0 {
                items.retain(&mut keep);
            }
            turns.0.retain(|(_, items)| !items.is_empty());
        }
        self.tenants.0.retain(|(_, turns)| !turns.0.is_empty());
        let counts = self.tenants.0.iter().flat_map(|(_, turns)| &turns.0);
        self.len = counts.map(|(_, items)| items.len()).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pop<T>(queue: &mut Queue<T>) -> Option<T> {
        queue.serve(|_| Some(())).map(|(item, ())| item)
    }

    fn tenant(n: u8) -> TenantId {
        TenantId::new(format!("tenant-{n}")).unwrap()
    }

    fn turn(n: u8) -> TurnId {
        TurnId::new(format!("turn-{n}")).unwrap()
    }

    #[test]
    fn a_large_question_does_not_starve_the_others() {
        let mut queue = Queue::default();
        for n in 0..1_000 {
            queue.push(&tenant(1), &turn(1), (1, n));
        }
        queue.push(&tenant(1), &turn(2), (2, 0));
        queue.push(&tenant(2), &turn(3), (3, 0));
        queue.push(&tenant(2), &turn(3), (3, 1));
        let first: Vec<_> = (0..5).filter_map(|_| pop(&mut queue)).collect();
        assert_eq!(first, [(1, 0), (3, 0), (2, 0), (3, 1), (1, 1)]);
        assert_eq!(queue.len(), 998);
    }

    #[test]
    fn who_cannot_be_served_stays_where_he_is() {
        let mut queue = Queue::default();
        for (of, at, item) in [(1, 1, 'a'), (1, 1, 'b'), (2, 2, 'c')] {
            queue.push(&tenant(of), &turn(at), item);
        }
        let served = queue.serve(|item| (*item == 'b').then_some(7));
        assert_eq!(served, Some(('b', 7)));
        assert_eq!(queue.serve(|item| (*item == 'x').then_some(())), None);
        assert_eq!((pop(&mut queue), pop(&mut queue)), (Some('c'), Some('a')));
        assert_eq!(queue.len(), 0);
    }

    proptest! {
        #[test]
        fn everybody_comes_out_once_and_in_the_order_of_his_turn(
            pushed in prop::collection::vec((0..4u8, 0..4u8), 0..80), dropped in 0..7usize,
        ) {
            let mut queue = Queue::default();
            for (n, (of, at)) in pushed.iter().enumerate() {
                queue.push(&tenant(*of), &turn(*at), (*of, *at, n));
            }
            queue.retain(|(_, _, n)| dropped == 0 || n % 7 != dropped);
            let left = queue.len();
            let out: Vec<_> = std::iter::from_fn(|| pop(&mut queue)).collect();
            prop_assert_eq!((out.len(), queue.len()), (left, 0));
            for (of, at) in (0..4).flat_map(|of| (0..4).map(move |at| (of, at))) {
                let own: Vec<_> = out.iter().filter(|o| (o.0, o.1) == (of, at)).collect();
                prop_assert!(own.is_sorted_by_key(|o| o.2));
            }
        }
    }
}
