//! Tests of how the outcomes of calls change the state of a node.

use super::*;
use crate::balance::tests::{MS, ask, balance, teach};
use crate::balance::{Balance, Wait};

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
