//! Which node gets the next call: a pure function over what is known of the nodes.
//!
//! Not here: breakers, latency, queue lengths, prefix affinity. They would be further fields of
//! [`NodeState`] and further parts of the rank.

/// What is known of a node at the moment of picking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NodeState {
    /// Calls in flight.
    pub(crate) in_flight: usize,
    /// Most calls in flight.
    pub(crate) limit: usize,
    /// It asked to be left alone for a while.
    pub(crate) resting: bool,
    /// It already failed for this call.
    pub(crate) tried: bool,
}

/// The index of the node to ask: one that has room and does not rest; rather one that has not been
/// tried; of these the one with the fewest calls in flight; of equals the next one from `turn` on.
pub(crate) fn pick(nodes: &[NodeState], turn: usize) -> Option<usize> {
    let count = nodes.len();
    nodes
        .iter()
        .enumerate()
        .filter(|(_, node)| node.in_flight < node.limit && !node.resting)
        .min_by_key(|(index, node)| {
            let after_turn = (index + count - turn % count) % count;
            (node.tried, node.in_flight, after_turn)
        })
        .map(|(index, _)| index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn node(in_flight: usize) -> NodeState {
        NodeState {
            in_flight,
            limit: 4,
            resting: false,
            tried: false,
        }
    }

    #[test]
    fn takes_the_least_busy_and_then_turns() {
        assert_eq!(pick(&[node(2), node(1), node(3)], 0), Some(1));
        let idle = [node(0), node(0), node(0)];
        let turns: Vec<_> = (0..4).map(|turn| pick(&idle, turn)).collect();
        assert_eq!(turns, [Some(0), Some(1), Some(2), Some(0)]);
    }

    #[test]
    fn prefers_an_untried_node_but_takes_a_tried_one() {
        let mut nodes = [node(0), node(3)];
        nodes[0].tried = true;
        assert_eq!(pick(&nodes, 0), Some(1));
        nodes[1].in_flight = 4;
        assert_eq!(pick(&nodes, 0), Some(0));
    }

    #[test]
    fn finds_none_when_all_are_full_or_resting() {
        let mut nodes = [node(4), node(0)];
        nodes[1].resting = true;
        assert_eq!(pick(&nodes, 0), None);
        assert_eq!(pick(&[], 0), None);
    }

    fn any_node() -> impl Strategy<Value = NodeState> {
        (0..5usize, 0..5usize, any::<bool>(), any::<bool>()).prop_map(
            |(in_flight, limit, resting, tried)| NodeState {
                in_flight,
                limit,
                resting,
                tried,
            },
        )
    }

    proptest! {
        #[test]
        fn the_picked_node_is_usable_and_no_usable_one_is_better(
            nodes in proptest::collection::vec(any_node(), 0..8), turn in any::<usize>(),
        ) {
            let usable = |n: &NodeState| n.in_flight < n.limit && !n.resting;
            match pick(&nodes, turn) {
                None => prop_assert!(!nodes.iter().any(usable)),
                Some(index) => {
                    prop_assert!(usable(&nodes[index]));
                    let rank = |n: &NodeState| (n.tried, n.in_flight);
                    for other in nodes.iter().filter(|n| usable(n)) {
                        prop_assert!(rank(&nodes[index]) <= rank(other));
                    }
                }
            }
        }
    }
}
