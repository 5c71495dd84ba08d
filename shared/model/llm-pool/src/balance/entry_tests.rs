//! Tests of how the outcomes of calls change the state of a node.

use super::*;
use crate::balance::tests::{MS, WELL, ask, balance, teach};
use crate::balance::{Balance, Grant, NodeId, Pace, Silence, Wait};

/// When the node may be tried, counted from now.
fn left_alone(balance: &Balance, now: Instant) -> Duration {
    match balance.why_not(&ask(1), now) {
        Wait::Away(until) => until - now,
        wait => panic!("{wait:?}"),
    }
}

/// A call that was given up before its first token.
fn silent_for(lasted: Duration) -> End {
    let has_begun = false;
    End::Late(Silence { lasted, has_begun })
}

/// An answer of a laptop: 85 tokens/s read, 15 written.
const LAPTOP: End = End::Answered {
    first_token: Some(Duration::from_secs(20)),
    size: 60,
    counted: Some((1_700, 1_700)),
    pace: Pace {
        unread: 1_700,
        reading: Some(Duration::from_secs(20)),
        is_told: true,
        written: 60,
        writing: Some(Duration::from_secs(4)),
    },
};

#[tokio::test]
async fn our_own_impatience_is_not_held_against_a_slow_node() {
    let mut now = Instant::now();
    let mut balance = balance(1, 8);
    let mut call = |balance: &mut Balance, end: End, took: u64| {
        let grant = balance.take(&ask(1_700), now).unwrap();
        now += Duration::from_secs(took);
        balance.ended(0, grant.call, end, now);
        let view = balance.view(now).remove(0);
        (view.breaker, view.failed)
    };
    let flowing = Silence {
        lasted: Duration::from_secs(20),
        has_begun: true,
    };
    // Before anything is measured, within what is predicted, and between tokens while another prompt is read.
    for (end, took) in [
        (silent_for(Duration::from_secs(60)), 60),
        (LAPTOP, 24),
        (silent_for(Duration::from_secs(39)), 39),
        (End::Late(flowing), 60),
    ] {
        for _ in 0..6 {
            assert_eq!(
                call(&mut balance, end, took),
                ("closed".into(), 0),
                "{end:?}"
            );
        }
    }
    for failed in 1..5 {
        let end = silent_for(Duration::from_secs(41));
        assert_eq!(call(&mut balance, end, 41), ("closed".into(), failed));
    }
    let end = silent_for(Duration::from_secs(41));
    assert_eq!(call(&mut balance, end, 41), ("open".into(), 5));
}

#[tokio::test]
async fn what_is_expected_of_a_call_is_the_time_of_its_prompt_and_of_those_before_it() {
    let now = Instant::now();
    let mut balance = balance(1, 8);
    let expected = |balance: &Balance| {
        let time = balance.expected(&ask(850), now);
        time.map(|time| time.as_secs_f64().round() as u64)
    };
    assert_eq!(expected(&balance), None);
    let grant = balance.take(&ask(1_700), now).unwrap();
    balance.ended(0, grant.call, LAPTOP, now);
    // 850 tokens at 85 a second, and an answer of 32 at 15 a second.
    assert_eq!(expected(&balance), Some(12));
    balance.take(&ask(1_700), now).unwrap();
    assert_eq!(expected(&balance), Some(32));
}

#[tokio::test]
async fn a_call_is_given_the_time_of_the_prompts_before_it_and_longer_after_calls_were_given_up() {
    let now = Instant::now();
    let mut balance = balance(1, 8);
    let take = |balance: &mut Balance| balance.take(&ask(1_700), now).unwrap();
    let limit = |grant: &Grant| grant.patience.first_token.as_secs();
    let first = take(&mut balance);
    assert_eq!(limit(&first), 120, "nothing is measured");
    balance.ended(0, first.call, LAPTOP, now);
    let three = [0; 3].map(|_| take(&mut balance));
    assert_eq!([0, 1, 2].map(|nth| limit(&three[nth])), [60, 120, 180]);
    let first = balance.patience(0, three[0].call).unwrap();
    assert_eq!(
        first.first_token.as_secs(),
        180,
        "those may be read with it"
    );
    balance.begun(0, three[0].call);
    assert_eq!(
        limit(&take(&mut balance)),
        180,
        "what is being answered is read"
    );
    balance.ended(0, three[1].call, silent_for(Duration::from_secs(200)), now);
    assert_eq!(limit(&take(&mut balance)), 360, "it has time to prove it");
    balance.ended(0, three[2].call, LAPTOP, now);
    assert_eq!(limit(&take(&mut balance)), 180);
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
            balance.ended(0, call, silent_for(patience), now);
        }
        for wait in [500, 1_000, 2_000, 4_000] {
            assert_eq!(left_alone(&balance, now), MS * wait, "{patience:?}");
            now += MS * wait;
            let trial = balance.take(&ask(1), now).unwrap();
            now += patience;
            balance.ended(0, trial.call, silent_for(patience), now);
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
