//! Tests of the balance as a whole: leases, waits, and nodes that hang, appear and disappear.

use super::entry::CONTEXT_MEMORY;
use super::*;
use crate::options;
use prometheus::IntGauge;
use std::sync::LazyLock;

static TENANT: LazyLock<TenantId> = LazyLock::new(TenantId::default_tenant);
static TURN: LazyLock<TurnId> = LazyLock::new(|| TurnId::new("t1").unwrap());
pub(super) const MS: Duration = Duration::from_millis(1);

pub(super) fn ask(tokens: u64) -> Ask<'static> {
    Ask::new(&TENANT, &TURN, tokens, tokens)
}

fn learn_context(balance: &mut Balance, of: NodeId, context: u32, now: Instant) {
    assert_eq!(balance.overflowed(of, &ask(1), Some(context), now), context);
}

fn node(id: NodeId, limit: u32) -> Arc<Node> {
    let options = options::Node {
        name: format!("node-{id}"),
        base_url: "http://127.0.0.1:1".into(),
        max_in_flight: limit,
        ..options::Node::default()
    };
    let name = options.name.clone();
    Arc::new(Node::new(id, name, &options, None, (MS, 1)).unwrap())
}

fn gauge() -> IntGauge {
    IntGauge::new("g", "G").unwrap()
}

pub(super) fn balance(nodes: u64, limit: u32) -> Balance {
    let mut balance = Balance::new(BalancePolicy::Balanced, 0.05, SetLimits::default(), 1);
    (0..nodes).for_each(|id| balance.add(node(id, limit), gauge(), Instant::now()));
    balance
}

pub(super) const WELL: End = End::Answered {
    first_token: Some(MS),
    size: 0,
    counted: None,
    pace: Pace {
        unread: 0,
        reading: None,
        is_told: false,
        written: 0,
        writing: None,
    },
};

/// What the log says of a node: one word when it begins to fail, one when it is well.
#[tokio::test(start_paused = true)]
async fn a_failing_node_is_told_of_once_and_once_when_it_is_well() {
    let mut balance = balance(1, 64);
    let mut told = Vec::new();
    let mut now = Instant::now();
    for _ in 0..30 {
        now += Duration::from_secs(60);
        let grant = balance.take(&ask(1), now).unwrap();
        told.extend(balance.ended(0, grant.call, End::Failed, now));
    }
    assert_eq!(told, [Change::Failing]);
    for _ in 0..3 {
        now += Duration::from_secs(60);
        let grant = balance.take(&ask(1), now).unwrap();
        told.extend(balance.ended(0, grant.call, WELL, now));
    }
    assert_eq!(told, [Change::Failing, Change::Well]);
}

#[tokio::test]
async fn every_place_is_given_once_and_again_when_it_is_free() {
    let now = Instant::now();
    let mut balance = balance(2, 3);
    let taken: Vec<Grant> = std::iter::from_fn(|| balance.take(&ask(1), now).ok()).collect();
    assert_eq!(taken.len(), 6);
    assert_eq!(balance.take(&ask(1), now).unwrap_err(), Wait::Full);
    for grant in &taken {
        balance.ended(grant.node.id, grant.call, WELL, now);
        // A second word on the same call does nothing.
        balance.ended(grant.node.id, grant.call, End::Failed, now);
    }
    assert!(
        balance
            .view(now)
            .iter()
            .all(|n| n.in_flight == 0 && n.failed == 0)
    );
}

#[tokio::test]
async fn when_all_are_left_alone_it_says_until_when() {
    let now = Instant::now();
    let mut balance = balance(2, 8);
    for wait in [300, 100] {
        let grant = balance.take(&ask(1), now).unwrap();
        let busy = End::Busy(Some(MS * wait));
        balance.ended(grant.node.id, grant.call, busy, now);
    }
    assert_eq!(
        balance.take(&ask(1), now).unwrap_err(),
        Wait::Away(now + MS * 100)
    );
    assert!(balance.take(&ask(1), now + MS * 100).is_ok());
}

#[tokio::test]
async fn a_broken_node_gets_one_call_to_try() {
    let now = Instant::now();
    let mut balance = balance(1, 8);
    for _ in 0..5 {
        let grant = balance.take(&ask(1), now).unwrap();
        balance.ended(grant.node.id, grant.call, End::Failed, now);
    }
    let Wait::Away(until) = balance.take(&ask(1), now).unwrap_err() else {
        panic!("not away")
    };
    let trial = balance.take(&ask(1), until).unwrap();
    assert!(balance.take(&ask(1), until).is_err());
    balance.ended(trial.node.id, trial.call, WELL, until);
    assert_eq!(balance.view(until)[0].permits, 2, "it begins small again");
}

#[tokio::test]
async fn what_is_too_long_for_every_node_is_not_asked() {
    let now = Instant::now();
    let mut balance = balance(2, 8);
    learn_context(&mut balance, 0, 1_000, now);
    let grant = balance.take(&ask(5_000), now).unwrap();
    assert_eq!(grant.node.id, 1);
    learn_context(&mut balance, 1, 2_000, now);
    let wait = balance.take(&ask(5_000), now).unwrap_err();
    assert_eq!(wait, Wait::TooLong(2_000));
    assert!(balance.take(&ask(900), now).is_ok());
}

#[tokio::test]
async fn a_node_that_hangs_is_left_out_before_its_calls_end() {
    let now = Instant::now();
    let mut balance = balance(2, 64);
    let first = balance.take(&ask(1), now).unwrap();
    let hangs = first.node.id;
    let mut now = now;
    for _ in 0..30 {
        now += MS * 20;
        let grant = balance
            .take(
                &Ask {
                    tried: &[hangs],
                    ..ask(1)
                },
                now,
            )
            .unwrap();
        let later = now + MS * 20;
        balance.ended(grant.node.id, grant.call, WELL, later);
    }
    for _ in 0..8 {
        let grant = balance.take(&ask(1), now).unwrap();
        assert_ne!(grant.node.id, hangs);
    }
}

#[tokio::test]
async fn a_node_that_comes_or_goes_is_followed() {
    let now = Instant::now();
    let mut balance = balance(1, 1);
    let grant = balance.take(&ask(1), now).unwrap();
    balance.add(node(7, 1), gauge(), now);
    assert_eq!(balance.take(&ask(1), now).unwrap().node.id, 7);
    balance.remove(0);
    balance.ended(0, grant.call, WELL, now);
    assert_eq!(balance.nodes().len(), 1);
    balance.remove(7);
    assert_eq!(balance.take(&ask(1), now).unwrap_err(), Wait::NoNodes);
}

#[tokio::test]
async fn whoever_waits_is_served_in_turn_and_one_that_left_is_passed_over() {
    let now = Instant::now();
    let mut balance = balance(1, 1);
    let held = balance.take(&ask(1), now).unwrap();
    let (_, gone) = balance.wait(&ask(1)).unwrap();
    let (_, mut second) = balance.wait(&ask(1)).unwrap();
    let (third, mut last) = balance.wait(&ask(1)).unwrap();
    drop(gone);
    balance.serve(now);
    assert!(second.try_recv().is_err(), "no place is free");
    balance.ended(0, held.call, WELL, now);
    let grant = second.try_recv().unwrap();
    assert!(last.try_recv().is_err());
    balance.leave(third);
    balance.ended(0, grant.call, WELL, now);
    assert!(last.try_recv().is_err() && !balance.someone_waits());
    assert_eq!(balance.view(now)[0].in_flight, 0);
}

#[tokio::test]
async fn who_fits_nowhere_free_does_not_hold_up_the_others_nor_lose_his_place() {
    let now = Instant::now();
    let mut balance = balance(2, 1);
    learn_context(&mut balance, 0, 100, now);
    let long = balance.take(&ask(5_000), now).unwrap();
    let short = balance.take(&ask(1), now).unwrap();
    assert_eq!((long.node.id, short.node.id), (1, 0));
    let (_, mut waits_long) = balance.wait(&ask(5_000)).unwrap();
    let (_, mut waits_short) = balance.wait(&ask(1)).unwrap();
    let (_, mut later) = balance.wait(&ask(1)).unwrap();
    balance.ended(0, short.call, WELL, now);
    assert_eq!(waits_short.try_recv().unwrap().node.id, 0);
    balance.ended(1, long.call, WELL, now);
    assert_eq!(waits_long.try_recv().unwrap().node.id, 1);
    assert!(later.try_recv().is_err());
}

#[tokio::test]
async fn many_who_fit_nowhere_free_do_not_hold_up_a_tenant_behind_them() {
    let now = Instant::now();
    let mut balance = balance(2, 1);
    learn_context(&mut balance, 0, 100, now);
    let long = balance.take(&ask(5_000), now).unwrap();
    let short = balance.take(&ask(1), now).unwrap();
    let mut wait_long: Vec<_> = (0..40)
        .map(|_| balance.wait(&ask(5_000)).unwrap().1)
        .collect();
    let other = TenantId::new("other").unwrap();
    let behind = Ask {
        tenant: &other,
        ..ask(1)
    };
    let (_, mut waits_short) = balance.wait(&behind).unwrap();
    balance.ended(0, short.call, WELL, now);
    assert_eq!(waits_short.try_recv().unwrap().node.id, 0);
    balance.ended(1, long.call, WELL, now);
    assert_eq!(wait_long[0].try_recv().unwrap().node.id, 1);
}

#[tokio::test]
async fn a_trial_that_was_told_to_wait_is_made_again_after_the_rest() {
    let now = Instant::now();
    let mut balance = balance(1, 8);
    for _ in 0..5 {
        let grant = balance.take(&ask(1), now).unwrap();
        balance.ended(0, grant.call, End::Failed, now);
    }
    let Wait::Away(at) = balance.why_not(&ask(1), now) else {
        panic!("not away")
    };
    let trial = balance.take(&ask(1), at).unwrap();
    let Wait::Away(soon) = balance.why_not(&ask(1), at) else {
        panic!("not away")
    };
    assert!(soon <= at + MS * 250, "a trial may end at any time");
    balance.ended(0, trial.call, End::Busy(Some(MS * 1_000)), at);
    assert!(balance.take(&ask(1), at + MS * 999).is_err());
    assert!(balance.take(&ask(1), at + MS * 1_000).is_ok());
}

#[tokio::test]
async fn the_only_node_that_fits_is_asked_however_slow_it_is() {
    let mut now = Instant::now();
    let mut balance = balance(2, 8);
    learn_context(&mut balance, 0, 500, now);
    for (node, ms) in [(0, 100), (1, 3_000)] {
        let grant = balance
            .take(
                &Ask {
                    tried: &[1 - node],
                    ..ask(1)
                },
                now,
            )
            .unwrap();
        now += MS * ms;
        balance.ended(node, grant.call, WELL, now);
    }
    let grant = balance.take(&ask(5_000), now).unwrap();
    assert_eq!(grant.node.id, 1);
}

#[tokio::test]
async fn a_context_is_believed_for_a_while_and_measured_as_the_node_counts() {
    let now = Instant::now();
    let mut balance = balance(1, 8);
    learn_context(&mut balance, 0, 1_000, now);
    assert!(balance.take(&ask(3_000), now).is_err());
    assert!(balance.take(&ask(3_000), now + CONTEXT_MEMORY).is_ok());
    let shown = |at| balance.view(at)[0].context;
    assert_eq!(
        (shown(now), shown(now + CONTEXT_MEMORY)),
        (Some(1_000), None)
    );
    let grant = balance.take(&ask(1_000), now).unwrap();
    let end = End::Answered {
        first_token: None,
        size: 0,
        counted: Some((1_000, 300)),
        pace: Pace::default(),
    };
    balance.ended(0, grant.call, end, now);
    assert!(balance.take(&ask(3_000), now).is_ok(), "900 by its count");
    assert!(balance.take(&ask(6_000), now).is_err());
}

#[tokio::test]
async fn only_a_node_that_can_be_asked_is_another_one() {
    let now = Instant::now();
    let mut balance = balance(2, 8);
    let asked = Ask {
        tried: &[0],
        ..ask(1)
    };
    assert_eq!(balance.another_at(&asked, now), Some(now));
    for _ in 0..5 {
        let grant = balance.take(&asked, now).unwrap();
        assert_eq!(grant.node.id, 1);
        balance.ended(1, grant.call, End::Failed, now);
    }
    let at = balance.another_at(&asked, now);
    assert_eq!(
        at,
        Some(now + MS * 500),
        "when its breaker lets one through"
    );
    let both = Ask {
        tried: &[0, 1],
        ..ask(1)
    };
    assert_eq!(balance.another_at(&both, now), None);
}

#[tokio::test]
async fn a_call_made_again_goes_first_and_never_to_the_same_node() {
    let now = Instant::now();
    let mut balance = balance(2, 1);
    let first = balance.take(&ask(1), now).unwrap();
    let other = balance.take(&ask(1), now).unwrap();
    let (_, mut waits) = balance.wait(&ask(1)).unwrap();
    let again = Ask {
        never: &[first.node.id],
        again: true,
        ..ask(1)
    };
    let (late, mut second) = balance.wait(&again).unwrap();
    balance.ended(first.node.id, first.call, WELL, now);
    let grant = waits.try_recv().unwrap();
    assert!(second.try_recv().is_err(), "its own node will not do");
    let (_, mut next) = balance.wait(&ask(1)).unwrap();
    balance.ended(other.node.id, other.call, WELL, now);
    assert_eq!(second.try_recv().unwrap().node.id, other.node.id);
    assert!(next.try_recv().is_err());
    balance.leave(late);
    balance.ended(grant.node.id, grant.call, WELL, now);
    assert!(next.try_recv().is_ok());
}

#[tokio::test]
async fn a_node_that_refuses_all_is_left_only_for_one_that_answers() {
    let now = Instant::now();
    let mut balance = balance(2, 8);
    let mut call = |of: NodeId, end: End| {
        let tried = [1 - of];
        let asked = Ask {
            tried: &tried,
            ..ask(1)
        };
        let grant = balance.take(&asked, now).unwrap();
        assert_eq!(grant.node.id, of);
        balance.ended(of, grant.call, end, now);
        balance.view(now)[of as usize].breaker.clone()
    };
    for _ in 0..6 {
        assert_eq!(call(0, End::Unfit), "closed", "nobody does better");
        assert_eq!(call(1, End::Unfit), "closed");
    }
    call(1, WELL);
    for _ in 0..4 {
        call(0, End::Unfit);
    }
    assert_eq!(call(0, End::Unfit), "open");
}

/// Teaches how long a call of a node takes.
pub(super) fn teach(
    balance: &mut Balance,
    of: NodeId,
    others: &[NodeId],
    took: Duration,
    now: Instant,
) {
    let asked = Ask {
        tried: others,
        ..ask(1)
    };
    let grant = balance.take(&asked, now).unwrap();
    assert_eq!(grant.node.id, of);
    balance.ended(of, grant.call, WELL, now + took);
}

#[tokio::test]
async fn a_small_fast_node_does_not_shut_out_a_large_slower_one() {
    let mut now = Instant::now();
    let mut balance = balance(1, 1);
    balance.add(node(1, 64), gauge(), now);
    teach(&mut balance, 0, &[1], MS * 200, now);
    teach(&mut balance, 1, &[0], MS * 1_000, now);
    now += MS * 1_000;
    let first = balance.take(&ask(1), now).unwrap();
    assert_eq!(first.node.id, 0);
    let mut waiting: Vec<_> = (0..10).map(|_| balance.wait(&ask(1)).unwrap().1).collect();
    balance.serve(now);
    let mut served = waiting.iter_mut().filter_map(|w| w.try_recv().ok());
    assert!(served.all(|grant| grant.node.id == 1));
    assert_eq!(
        balance.queue.len(),
        4,
        "for so many the fast one is quicker"
    );
}

#[tokio::test]
async fn what_did_not_fit_is_asked_of_a_longer_context_only() {
    let now = Instant::now();
    let mut balance = balance(2, 8);
    learn_context(&mut balance, 0, 1_000, now);
    let longer = |longer_than| Ask {
        longer_than,
        ..ask(900)
    };
    // By our estimate it would have fitted both.
    for _ in 0..8 {
        assert_eq!(balance.take(&longer(1_000), now).unwrap().node.id, 1);
    }
    let wait = balance.take(&longer(1_000), now).unwrap_err();
    assert_eq!(wait, Wait::Full, "it waits for the longer one");
    learn_context(&mut balance, 1, 1_000, now);
    let wait = balance.take(&longer(1_000), now).unwrap_err();
    assert_eq!(wait, Wait::TooLong(1_000));
}

#[tokio::test]
async fn a_node_that_does_not_say_its_context_is_not_asked_for_as_much_again() {
    let now = Instant::now();
    let mut balance = balance(1, 8);
    let context = balance.overflowed(0, &ask(6_500), None, now);
    assert_eq!(context, 4_999);
    assert!(balance.take(&ask(6_500), now).is_err());
    assert!(balance.take(&ask(6_400), now).is_ok());
    assert_eq!(balance.overflowed(0, &ask(6_400), None, now), 4_923);
    // More than what was too much before is no news.
    assert_eq!(balance.overflowed(0, &ask(9_000), None, now), 4_923);
    let later = now + CONTEXT_MEMORY;
    assert!(balance.take(&ask(6_500), later).is_ok());
    // So little fits every context: it says nothing.
    balance.overflowed(0, &ask(100), None, later);
    assert!(balance.take(&ask(6_500), later).is_ok());
}
