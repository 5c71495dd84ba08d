//! Tests of how the outcomes of calls change the state of a node.

use super::*;
use crate::balance::tests::{MS, WELL, ask, balance, teach};
use crate::balance::{Balance, Grant, NodeId, Wait};

/// When the node may be tried, counted from now.
fn left_alone(balance: &Balance, now: Instant) -> Duration {
    match balance.why_not(&ask(1), now) {
        Wait::Away(until) => until - now,
        wait => panic!("{wait:?}"),
    }
}

#[tokio::test]
async fn calls_that_hang_together_open_the_breaker_and_trials_that_hang_keep_it_so() {
    for patience in [5, 15] {
        let patience = Duration::from_secs(patience);
        let mut now = Instant::now();
        let mut balance = balance(1, 64);
        teach(&mut balance, 0, &[], MS * 1_000, now);
        now += MS * 1_000;
        let hang: Vec<u64> = (0..8)
            .map(|_| balance.take(&ask(1), now).unwrap().call)
            .collect();
        now += patience;
        for call in hang {
            balance.ended(0, call, End::Late, now);
        }
        for wait in [500, 1_000, 2_000, 4_000] {
            assert_eq!(left_alone(&balance, now), MS * wait, "{patience:?}");
            now += MS * wait;
            let trial = balance.take(&ask(1), now).unwrap();
            now += patience;
            balance.ended(0, trial.call, End::Late, now);
        }
    }
}

#[tokio::test]
async fn a_node_whose_trial_is_refused_begins_small_again() {
    let now = Instant::now();
    let mut balance = balance(1, 8);
    for _ in 0..5 {
        let grant = balance.take(&ask(1), now).unwrap();
        balance.ended(0, grant.call, End::Failed, now);
    }
    let later = now + left_alone(&balance, now);
    let trial = balance.take(&ask(1), later).unwrap();
    balance.ended(0, trial.call, End::Refused, later);
    let view = &balance.view(later)[0];
    assert_eq!((view.breaker.as_str(), view.permits), ("closed", 1));
}

#[tokio::test(start_paused = true)]
async fn a_node_is_given_calls_after_one_long_answer_and_none_after_several() {
    let mut balance = balance(2, 8);
    let mut now = Instant::now();
    let mut answer = |balance: &mut Balance, of: NodeId, took: Duration| {
        let others: Vec<NodeId> = (0..2).filter(|id| *id != of).collect();
        let only = Ask {
            never: &others,
            ..ask(1)
        };
        let grant = balance.take(&only, now).unwrap();
        now += took;
        balance.ended(of, grant.call, WELL, now);
        now
    };
    for id in [0, 1, 0, 1] {
        answer(&mut balance, id, MS * 500);
    }
    // More than the other node has room for.
    let given = |balance: &mut Balance, now: Instant| {
        let grants: Vec<Grant> = (0..16)
            .map_while(|_| balance.take(&ask(1), now).ok())
            .collect();
        for grant in &grants {
            balance.ended(grant.node.id, grant.call, End::Dropped, now);
        }
        grants.iter().filter(|grant| grant.node.id == 0).count()
    };
    let now = answer(&mut balance, 0, Duration::from_secs(10));
    let after_one = given(&mut balance, now);
    assert!(after_one > 0, "one long answer shuts its node out");
    for _ in 0..2 {
        answer(&mut balance, 0, Duration::from_secs(10));
    }
    let now = answer(&mut balance, 1, MS * 500);
    assert_eq!(given(&mut balance, now), 0, "a slow node is left alone");
}
