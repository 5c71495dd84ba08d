//! Picks the node that gets the next call: a pure function over the state of the nodes.
//!
//! *Not* here: whether a call may be made at all. The breaker and the limit of calls have let all candidates pass.

use serde::{Deserialize, Serialize};

/// How a node is picked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BalancePolicy {
    /// The better of two random nodes, by latency and calls in flight, with a preference for the node that has the
    /// question's prefix in its cache; nodes that are far slower than the best are left out. The default.
    #[default]
    Balanced,
    /// The nodes in turn. For comparisons.
    RoundRobin,
    /// The node with the fewest calls of this process in flight. For comparisons.
    LeastInFlight,
}

/// What is known of a node at the moment of picking.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct NodeState {
    /// It may be given a call: room, breaker and rest allow it.
    pub(crate) open: bool,
    /// Whether the node is paused or unsuitable: its earlier speed does not count.
    pub(crate) away: bool,
    /// It already failed for this call.
    pub(crate) tried: bool,
    /// Calls that it has, as far as is known.
    pub(crate) calls: usize,
    /// Seconds that a call takes there; the figure falls while the node gets no calls.
    pub(crate) seconds: f64,
    /// Seconds that a call took there when it was last asked.
    pub(crate) measured: f64,
    /// Calls that it may have at once.
    pub(crate) permits: usize,
    /// Rank for the prefix of the question: the highest is its home.
    pub(crate) home: u64,
}

/// A node this many times slower than the fastest is asked only when there is no other, or when to wait
/// for the others takes longer still.
const SLOW: f64 = 4.0;
/// Below this, differences in latency mean nothing.
const SECONDS_MIN: f64 = 0.005;
/// How many more calls the home of a prefix may have than the node it is compared with: a question has
/// about so many map calls.
const HOME_CALLS: f64 = 5.0;

impl NodeState {
    fn seconds(&self) -> f64 {
        self.seconds.max(SECONDS_MIN)
    }

    /// What another call would wait for, in seconds.
    fn cost(&self) -> f64 {
        self.seconds() * (self.calls as f64 + 1.0)
    }

    fn counts(&self) -> bool {
        !self.tried && !self.away
    }

    fn measured(&self) -> f64 {
        self.measured.max(SECONDS_MIN)
    }

    fn cost_at_home(&self) -> f64 {
        self.seconds() * (self.calls as f64 + 1.0 - HOME_CALLS).max(0.0)
    }
}

/// The index of the node to call, among those that are open, with a preference for one that has not been tried.
/// `waiting` are the calls that wait for a lease, `turn` counts the calls, and `random` gives a number below the
/// one that it is given.
pub(crate) fn pick(
    policy: BalancePolicy,
    nodes: &[NodeState],
    waiting: usize,
    turn: usize,
    mut random: impl FnMut(usize) -> usize,
) -> Option<usize> {
    let open = |tried: bool| {
        let all = nodes.iter().enumerate();
        all.filter(move |(_, n)| n.open && n.tried == tried)
            .map(|(i, _)| i)
    };
    let mut open: Vec<usize> = match open(false).next() {
        Some(_) => open(false).collect(),
        None => open(true).collect(),
    };
    let count = nodes.len();
    let after_turn = |index: usize| (index + count - turn % count.max(1)) % count.max(1);
    match policy {
        BalancePolicy::RoundRobin => open.into_iter().min_by_key(|i| after_turn(*i)),
        BalancePolicy::LeastInFlight => open
            .into_iter()
            .min_by_key(|i| (nodes[*i].calls, after_turn(*i))),
        BalancePolicy::Balanced => {
            leave_slow_ones(nodes, waiting, &mut open);
            balanced(nodes, &open, &mut random)
        }
    }
}

/// Leaves out what is far slower than the fastest node, even if that one has no room now: to wait for
/// it is quicker, unless many wait for it already.
fn leave_slow_ones(nodes: &[NodeState], waiting: usize, open: &mut Vec<usize>) {
    let known = || nodes.iter().filter(|n| n.measured > 0.0 && n.counts());
    // The calls that the full nodes end in a second, and the longest wait that follows from it.
    let full = known().filter(|n| !n.open);
    let rate: f64 = full.map(|n| n.permits as f64 / n.measured()).sum();
    let queue = match rate > 0.0 {
        true => waiting as f64 / rate,
        false => 0.0,
    };
    let most = known().map(|n| match n.open {
        true => n.measured() * SLOW,
        false => (n.measured() * SLOW).max(n.measured() + queue),
    });
    if let Some(most) = most.min_by(f64::total_cmp) {
        open.retain(|i| nodes[*i].seconds() <= most);
    }
}

fn balanced(
    nodes: &[NodeState],
    open: &[usize],
    random: &mut impl FnMut(usize) -> usize,
) -> Option<usize> {
    let better = match open {
        [] => return None,
        [one] => return Some(*one),
        _ => {
            let first = random(open.len());
            let second = (first + 1 + random(open.len() - 1)) % open.len();
            let two = [open[first], open[second]];
            let cost = |i: &usize| nodes[*i].cost();
            *two.iter().min_by(|a, b| cost(a).total_cmp(&cost(b)))?
        }
    };
    let home = *open.iter().max_by_key(|i| nodes[**i].home)?;
    let at_home = nodes[home].cost_at_home() <= nodes[better].cost();
    Some(if at_home { home } else { better })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn node(calls: usize) -> NodeState {
        NodeState {
            open: true,
            away: false,
            tried: false,
            calls,
            seconds: 1.0,
            measured: 1.0,
            permits: 8,
            home: 0,
        }
    }

    fn by_chance(policy: BalancePolicy, nodes: &[NodeState]) -> Vec<usize> {
        with_waiting(policy, nodes, 0)
    }

    fn spread(nodes: &[NodeState]) -> Vec<usize> {
        by_chance(BalancePolicy::Balanced, nodes)
    }

    fn with_waiting(policy: BalancePolicy, nodes: &[NodeState], waiting: usize) -> Vec<usize> {
        let mut rng = fastrand::Rng::with_seed(7);
        let mut counts = vec![0; nodes.len()];
        for turn in 0..1_000 {
            if let Some(index) = pick(policy, nodes, waiting, turn, |n| rng.usize(..n)) {
                counts[index] += 1;
            }
        }
        counts
    }

    #[test]
    fn the_simple_policies_are_what_they_say() {
        let turns = by_chance(
            BalancePolicy::RoundRobin,
            &[node(9), node(0), node(3), node(1)],
        );
        assert_eq!(turns, [250; 4]);
        let least = by_chance(BalancePolicy::LeastInFlight, &[node(9), node(2), node(3)]);
        assert_eq!(least, [0, 1_000, 0]);
        let equal = by_chance(BalancePolicy::LeastInFlight, &[node(2), node(2)]);
        assert_eq!(equal, [500, 500]);
    }

    #[test]
    fn the_worst_of_many_is_never_picked_and_the_best_most_often() {
        let nodes = [10, 20, 30, 40].map(node);
        // None is the home of the question: all are far from it.
        let nodes = nodes.map(|n| NodeState { home: 0, ..n });
        let counts = spread(&nodes);
        assert!(counts[0] > 400 && counts[0] > counts[1], "{counts:?}");
        assert!(counts[1] > counts[2] && counts[3] == 0, "{counts:?}");
    }

    #[test]
    fn a_slow_node_is_left_alone_even_when_the_fast_one_is_full() {
        let slow = NodeState {
            seconds: 10.0,
            measured: 10.0,
            ..node(0)
        };
        let full = NodeState {
            open: false,
            ..node(8)
        };
        assert_eq!(spread(&[slow, node(12)]), [0, 1_000]);
        assert_eq!(spread(&[slow, full]), [0, 0]);
        let gone = NodeState { away: true, ..full };
        assert_eq!(spread(&[slow, gone]), [1_000, 0]);
        let failed = NodeState {
            tried: true,
            ..full
        };
        assert_eq!(spread(&[slow, failed]), [1_000, 0]);
    }

    #[test]
    fn a_slow_node_is_asked_when_to_wait_for_the_fast_one_takes_longer() {
        let slow = NodeState {
            seconds: 1.0,
            measured: 1.0,
            permits: 64,
            ..node(0)
        };
        let small = NodeState {
            open: false,
            seconds: 0.2,
            measured: 0.2,
            permits: 1,
            ..node(1)
        };
        let asked = |waiting| with_waiting(BalancePolicy::Balanced, &[slow, small], waiting)[0];
        assert_eq!(
            [asked(0), asked(3), asked(4), asked(60)],
            [0, 0, 1_000, 1_000]
        );
        // Two full nodes share the waiting calls.
        let two = with_waiting(BalancePolicy::Balanced, &[slow, small, small], 6);
        assert_eq!(two, [0, 0, 0]);
        // One that is fast and has room is enough.
        let roomy = NodeState {
            open: true,
            ..small
        };
        assert_eq!(
            with_waiting(BalancePolicy::Balanced, &[slow, roomy], 60)[0],
            0
        );
    }

    #[test]
    fn a_node_that_was_idle_for_a_while_is_not_taken_for_a_fast_one() {
        let idle = NodeState {
            open: false,
            seconds: 0.2,
            ..node(8)
        };
        assert_eq!(spread(&[node(3), idle]), [1_000, 0]);
    }

    #[test]
    fn the_home_of_a_prefix_is_kept_until_it_has_too_much() {
        let home = |calls| NodeState {
            home: 9,
            ..node(calls)
        };
        assert_eq!(spread(&[home(4), node(0)]), [1_000, 0]);
        assert_eq!(spread(&[home(9), node(0)]), [0, 1_000]);
    }

    fn any_node() -> impl Strategy<Value = NodeState> {
        let parts = (
            any::<bool>(),
            any::<bool>(),
            0..50usize,
            0.0..9.0f64,
            0.0..1.0f64,
            any::<u64>(),
        );
        parts.prop_map(|(open, tried, calls, measured, fades, home)| NodeState {
            open,
            away: false,
            tried,
            calls,
            seconds: measured * fades,
            measured,
            permits: calls.max(1),
            home,
        })
    }

    proptest! {
        #[test]
        fn what_is_picked_is_open_and_untried_where_there_is_such(
            nodes in prop::collection::vec(any_node(), 0..8), waiting in 0..99usize, turn: usize, seed: u64,
        ) {
            let mut rng = fastrand::Rng::with_seed(seed);
            for policy in [BalancePolicy::Balanced, BalancePolicy::RoundRobin, BalancePolicy::LeastInFlight] {
                let picked = pick(policy, &nodes, waiting, turn, |n| rng.usize(..n));
                let untried = nodes.iter().any(|n| n.open && !n.tried);
                match picked {
                    Some(index) => {
                        prop_assert!(nodes[index].open);
                        prop_assert!(!(untried && nodes[index].tried));
                    }
                    None if policy == BalancePolicy::Balanced => {
                        let known = nodes.iter().filter(|n| n.measured > 0.0 && !n.tried && !n.away);
                        let fastest = known.map(|n| n.measured).fold(f64::INFINITY, f64::min);
                        let fine = nodes.iter().filter(|n| n.open);
                        prop_assert!(fine.into_iter().all(|n| n.tried && untried || n.seconds > fastest * SLOW));
                    }
                    None => prop_assert!(!nodes.iter().any(|n| n.open)),
                }
            }
        }
    }
}
