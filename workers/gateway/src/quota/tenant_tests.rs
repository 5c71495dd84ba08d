//! Tests of the decisions on the questions of one tenant, from a single question to thousands.

use super::*;
use envelope::TenantId;
use std::collections::BTreeSet;

const FREE: Limits = Limits {
    turns: 0,
    tokens_per_minute: 0,
};

fn turns(turns: usize) -> Limits {
    Limits { turns, ..FREE }
}

fn tokens(tokens_per_minute: u64) -> Limits {
    Limits {
        tokens_per_minute,
        ..FREE
    }
}

fn turn(n: u64) -> TurnId {
    TurnId::new(format!("q-{n}")).unwrap()
}

/// A question with an hour left.
fn ask(tenant: &mut Tenant, limits: &Limits, n: u64, may_hold: bool, now: u64) -> QuotaDecision {
    let asking = QuotaRequest {
        tenant: &TenantId::default_tenant(),
        turn: &turn(n),
        deadline: UnixMs(3_600_000),
        sequence: n,
        may_hold,
    };
    tenant.ask(asking, limits, UnixMs(now))
}

fn end(tenant: &mut Tenant, limits: &Limits, n: u64, spent: u64, now: u64) {
    tenant.ended(&turn(n), Spent::Tokens(spent), limits, UnixMs(now));
}

#[test]
fn so_many_turns_run_and_the_oldest_question_is_next() {
    let limits = turns(2);
    let mut one = Tenant::new(&limits, UnixMs(0));
    assert_eq!(ask(&mut one, &limits, 1, true, 0), QuotaDecision::Admit);
    assert_eq!(ask(&mut one, &limits, 2, true, 0), QuotaDecision::Admit);
    assert_eq!(ask(&mut one, &limits, 3, true, 0), QuotaDecision::Queue);
    assert_eq!(ask(&mut one, &limits, 4, true, 0), QuotaDecision::Queue);
    assert!(matches!(
        ask(&mut one, &limits, 5, true, 0),
        QuotaDecision::Defer(_)
    ));
    end(&mut one, &limits, 1, 0, 50);
    assert_eq!(
        ask(&mut one, &limits, 4, true, 50),
        QuotaDecision::Queue,
        "3 is older"
    );
    assert_eq!(ask(&mut one, &limits, 3, true, 50), QuotaDecision::Admit);
    assert_eq!(one.waiting(), 2);
}

#[test]
fn turns_are_kept_for_who_is_held_and_for_nobody_who_is_off() {
    let limits = turns(1);
    let mut one = Tenant::new(&limits, UnixMs(0));
    assert_eq!(ask(&mut one, &limits, 1, false, 0), QuotaDecision::Admit);
    assert_eq!(
        ask(&mut one, &limits, 2, false, 0),
        QuotaDecision::Defer(SHORTEST)
    );
    end(&mut one, &limits, 1, 0, 10);
    assert_eq!(ask(&mut one, &limits, 4, false, 20), QuotaDecision::Admit);
    assert_eq!(ask(&mut one, &limits, 2, true, 25), QuotaDecision::Queue);
    end(&mut one, &limits, 4, 0, 30);
    assert!(matches!(
        ask(&mut one, &limits, 3, false, 30),
        QuotaDecision::Defer(_)
    ));
    // The second has not asked for longer than it is held: another gateway has it.
    let later = 25 + HOLD.as_millis() as u64;
    assert_eq!(
        ask(&mut one, &limits, 3, false, later),
        QuotaDecision::Admit
    );
}

#[test]
fn what_a_turn_spent_is_guessed_when_nobody_knows() {
    let limits = tokens(60_000);
    let mut one = Tenant::new(&limits, UnixMs(0));
    for (n, spent, left) in [
        (1, Spent::Unknown, 60_000.0 - TURN_TOKENS),
        (2, Spent::Nothing, 60_000.0 - TURN_TOKENS),
        (3, Spent::Tokens(500), 59_500.0 - TURN_TOKENS),
    ] {
        assert_eq!(ask(&mut one, &limits, n, false, 0), QuotaDecision::Admit);
        one.ended(&turn(n), spent, &limits, UnixMs(0));
        assert_eq!(one.tokens, left);
    }
}

#[test]
fn a_turn_counts_until_its_deadline_when_its_end_is_never_heard() {
    let limits = turns(1);
    let mut one = Tenant::new(&limits, UnixMs(0));
    assert_eq!(ask(&mut one, &limits, 1, true, 0), QuotaDecision::Admit);
    assert_eq!(
        ask(&mut one, &limits, 2, true, 3_599_999),
        QuotaDecision::Queue
    );
    one.forget_old(UnixMs(3_600_000));
    assert!(!one.runs(&turn(1)));
}

#[test]
fn who_owes_tokens_waits_until_they_have_grown_back() {
    let limits = tokens(6_000);
    let mut one = Tenant::new(&limits, UnixMs(0));
    // A turn may be larger than a minute's worth: alone it begins all the same.
    assert_eq!(ask(&mut one, &limits, 1, true, 0), QuotaDecision::Admit);
    assert!(matches!(
        ask(&mut one, &limits, 2, true, 0),
        QuotaDecision::Defer(_)
    ));
    end(&mut one, &limits, 1, 8_000, 0);
    // Owed are 2,000 of 100 a second; asked again after half of it.
    assert_eq!(
        ask(&mut one, &limits, 2, true, 0),
        QuotaDecision::Defer(Duration::from_secs(10))
    );
    assert_eq!(
        ask(&mut one, &limits, 2, true, 20_000),
        QuotaDecision::Admit
    );
    assert!(!one.is_idle(&limits, UnixMs(20_000)));
    end(&mut one, &limits, 2, 0, 20_000);
    assert!(!one.is_idle(&limits, UnixMs(79_000)), "not full yet");
    assert!(one.is_idle(&limits, UnixMs(80_000)));
}

#[test]
fn what_runs_is_taken_to_spend_what_others_spent() {
    let limits = tokens(60_000);
    let mut one = Tenant::new(&limits, UnixMs(0));
    let begun = (1..=20).filter(|n| ask(&mut one, &limits, *n, true, 0) == QuotaDecision::Admit);
    assert_eq!(begun.count() as f64, 60_000.0 / TURN_TOKENS + 1.0);
}

/// The result of letting all questions of a tenant run.
struct Drained {
    /// How often all of them asked until all had run.
    asked: u64,
    took_ms: u64,
    order: Vec<u64>,
}

/// Lets all questions of one tenant run: so many in a millisecond, at so many gateways, by chance. Each turn takes
/// `turn_ms`. Questions ask again when they are told to, and held ones when a turn ends.
fn drained(
    limits: &Limits,
    gateways: usize,
    (questions, per_ms): (u64, u64),
    turn_ms: u64,
    spent: u64,
) -> Drained {
    let mut rng = fastrand::Rng::with_seed(7);
    let fresh = || (Tenant::new(limits, UnixMs(0)), BTreeSet::new());
    let mut at: Vec<(Tenant, BTreeSet<u64>)> = (0..gateways).map(|_| fresh()).collect();
    let mut due: BTreeSet<(u64, u64)> = (1..=questions).map(|n| (n / per_ms, n)).collect();
    let mut ends: BTreeSet<(u64, u64, usize)> = BTreeSet::new();
    let (mut asked, mut now, mut order) = (0, 0, Vec::new());
    while order.len() < questions as usize {
        let next_due = due.first().map_or(u64::MAX, |(at, _)| *at);
        let (gateway, asking): (usize, Vec<u64>) = match ends.first() {
            Some(&(ended_at, n, gateway)) if ended_at <= next_due => {
                ends.pop_first();
                now = ended_at;
                let (tenant, held) = &mut at[gateway];
                end(tenant, limits, n, spent, now);
                (gateway, std::mem::take(held).into_iter().collect())
            }
            _ => {
                let (due_at, n) = due
                    .pop_first()
                    .expect("one that is off, or a turn that runs");
                now = now.max(due_at);
                (rng.usize(..gateways), vec![n])
            }
        };
        for n in asking {
            asked += 1;
            let (tenant, held) = &mut at[gateway];
            match ask(tenant, limits, n, true, now) {
                QuotaDecision::Admit => {
                    order.push(n);
                    ends.insert((now + turn_ms, n, gateway));
                    let most = limits.turns * gateways;
                    assert!(limits.turns == 0 || ends.len() <= most);
                }
                QuotaDecision::Defer(wait) => drop(due.insert((now + wait.as_millis() as u64, n))),
                QuotaDecision::Queue => drop(held.insert(n)),
                QuotaDecision::Bypass => panic!("a tenant lets nobody pass"),
            }
        }
    }
    Drained {
        asked,
        took_ms: now,
        order,
    }
}

#[test]
fn everybody_gets_his_turn_soon_and_asks_few_times() {
    for gateways in 1..=3 {
        for (turn_ms, per_ms) in [(4, 1), (20, 1), (20, 1_000), (250, 1_000), (1_000, 1)] {
            let (limits, questions) = (turns(8), 800);
            let run = drained(&limits, gateways, (questions, per_ms), turn_ms, 0);
            let Drained { asked, took_ms, .. } = run;
            let case = format!(
                "{gateways} gateways, {turn_ms} ms a turn, {per_ms} a ms: {took_ms} ms, asked {asked} times"
            );
            assert!(asked < questions * 20, "{case}");
            let turns = questions / 8 / gateways as u64 * turn_ms;
            let ideal = turns.max(questions / per_ms);
            assert!(took_ms < ideal * 3 / 2 + 1_000, "{case}, ideal {ideal}");
            let late = run.order.iter().zip(1..);
            let latest = late.map(|(n, place)| place - *n as i64).max();
            // Several gateways do not know of each other's questions.
            assert!(
                gateways > 1 || latest < Some(500),
                "{case}: {latest:?} places late"
            );
        }
    }
}

#[test]
fn tokens_are_spent_at_their_rate() {
    let limits = tokens(60_000);
    let run = drained(&limits, 1, (300, 1_000), 100, 2_000);
    // 600,000 tokens at 1,000 a second, of which a minute's worth is there at the start.
    let (ideal, took_ms) = (540_000, run.took_ms);
    assert!(
        (ideal * 9 / 10..ideal * 12 / 10).contains(&took_ms),
        "{took_ms} ms"
    );
}
