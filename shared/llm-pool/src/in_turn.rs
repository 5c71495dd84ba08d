//! One call to one of several nodes that do the same: in turn, and at another one where the first is
//! busy or broken.
//!
//! For calls that are short and cheap to lose: vectors and scores. *Not* for chats, which are picked,
//! counted and tried again with care, see [`crate::Pool`]. Each node is asked once; trying again later
//! is for who asked.

use crate::failure::{Failure, Then};
use crate::node::Node;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::time::Instant;

/// Whose turn it is.
#[derive(Debug, Default)]
pub(crate) struct Turn(AtomicUsize);

impl Turn {
    /// The order in which so many nodes are asked, the resting ones last.
    pub(crate) fn order(&self, count: usize, rests: impl Fn(usize) -> bool) -> Vec<usize> {
        let first = self.0.fetch_add(1, Ordering::Relaxed);
        let mut order: Vec<usize> = (0..count).map(|i| (first + i) % count).collect();
        order.sort_by_key(|node| rests(*node));
        order
    }
}

/// One try at one node: a place, the call, and the answer as `read` has it. A node that asks to be
/// left alone is.
pub(crate) async fn ask<T>(
    node: &Node,
    body: &[u8],
    until: Instant,
    read: impl Fn(&[u8]) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let Some(_place) = node.wait_for_place(until).await else {
        return Err(Failure::Full);
    };
    if let Some(wait) = node.rest_left() {
        return Err(Failure::Busy {
            retry_after: Some(wait),
        });
    }
    let answer = node.call(body.to_vec(), None, until).await;
    let read = answer.and_then(|body| read(&body));
    if let Err(failure) = &read
        && let Some(wait) = failure.retry_after()
    {
        node.rest(wait);
    }
    read
}

/// Whether another node may do better. A full one has used up the time.
pub(crate) fn is_elsewhere(failure: &Failure) -> bool {
    matches!(failure.then(), Then::Again | Then::Elsewhere)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_has_the_first_turn_and_who_rests_the_last() {
        let turn = Turn::default();
        let order = |rests: fn(usize) -> bool| turn.order(3, rests);
        assert_eq!(order(|_| false), [0, 1, 2]);
        assert_eq!(order(|_| false), [1, 2, 0]);
        assert_eq!(order(|n| n == 2), [0, 1, 2]);
        assert_eq!(order(|n| n == 0), [1, 2, 0]);
        assert_eq!(order(|n| n == 1), [2, 0, 1]);
    }
}
