//! Measures the time that picking a node takes, for [`crate::cost`].

use super::pick::{BalancePolicy, NodeState, pick};
use super::{Ask, Balance, End, Pace, SetLimits};
use crate::cost::Picks;
use crate::node::Node;
use envelope::{TenantId, TurnId};
use prometheus::IntGauge;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Questions that take turns: each has another home.
const TURNS: u64 = 64;

/// Of these nodes, each of which has some calls and has answered one.
pub(crate) fn cost(nodes: Vec<(Arc<Node>, IntGauge)>, picks: u32) -> Picks {
    let now = Instant::now();
    let tenant = TenantId::default_tenant();
    let turns: Vec<TurnId> = (0..TURNS).map(|n| TurnId::derived(n, n)).collect();
    let asks = turns.iter().map(|turn| Ask::new(&tenant, turn, 500, 400));
    let asks: Vec<Ask<'_>> = asks.collect();
    let answered = End::Answered {
        first_token: Some(Duration::from_millis(20)),
        size: 100,
        counted: Some((500, 480)),
        pace: Pace {
            unread: 480,
            reading: Some(Duration::from_millis(20)),
            is_told: false,
            written: 99,
            writing: Some(Duration::from_millis(500)),
        },
    };
    let mut balance = Balance::new(BalancePolicy::Balanced, 0.0, SetLimits::default(), 1);
    let busy = nodes.len() * 4;
    for (node, gauge) in nodes {
        balance.add(node, gauge, now);
    }
    let mut call = |nth: usize, end: Option<End>| {
        let ask = &asks[nth % asks.len()];
        if let Ok(grant) = balance.take(ask, now)
            && let Some(end) = end
        {
            balance.ended(grant.node.id, grant.call, end, now);
        }
    };
    (0..busy * 4).for_each(|nth| call(nth, Some(answered)));
    (0..busy).for_each(|nth| call(nth, None));
    let take_ns = timed(picks, |nth| call(nth, Some(answered)));
    let states: Vec<NodeState> = balance.states(&asks[0], now);
    let mut rng = fastrand::Rng::with_seed(1);
    let pick_ns = timed(picks, |nth| {
        let states = black_box(&states);
        black_box(pick(BalancePolicy::Balanced, states, 0, nth, |n| {
            rng.usize(..n)
        }));
    });
    Picks { pick_ns, take_ns }
}

fn timed(times: u32, mut what: impl FnMut(usize)) -> f64 {
    let began = Instant::now();
    (0..times as usize).for_each(&mut what);
    began.elapsed().as_nanos() as f64 / f64::from(times.max(1))
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_pick_takes_some_time_and_more_nodes_take_more() {
        let [few, many] = [2, 64].map(|nodes| crate::cost::picks(nodes, 2_000).unwrap());
        assert!(few.pick_ns > 0.0 && few.take_ns > few.pick_ns, "{few:?}");
        assert!(many.take_ns > few.take_ns, "{few:?} {many:?}");
    }
}
