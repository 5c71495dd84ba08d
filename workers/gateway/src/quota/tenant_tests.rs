//! What the questions of one tenant are told, alone and by the thousand.

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
fn ask(tenant: &mut Tenant, limits: &Limits, n: u64, may_hold: bool, now: u64) -> Told {
    let asking = Asking {
        tenant: &TenantId::default_tenant(),
        turn: &turn(n),
        deadline: UnixMs(3_600_000),
        sequence: n,
        may_hold,
    };
    tenant.ask(asking, limits, UnixMs(now))
}

fn end(tenant: &mut Tenant, limits: &Limits, n: u64, spent: u64, now: u64) {
    tenant.ended(&turn(n), Some(spent), limits, UnixMs(now));
}

#[test]
fn so_many_turns_run_and_the_oldest_question_is_next() {
    let limits = turns(2);
    let mut one = Tenant::new(&limits, UnixMs(0));
    assert_eq!(ask(&mut one, &limits, 1, true, 0), Told::Run);
    assert_eq!(ask(&mut one, &limits, 2, true, 0), Told::Run);
    assert_eq!(ask(&mut one, &limits, 1, true, 0), Told::Run, "it runs");
    assert_eq!(ask(&mut one, &limits, 3, true, 0), Told::Hold);
    assert_eq!(ask(&mut one, &limits, 4, true, 0), Told::Hold);
    assert!(matches!(ask(&mut one, &limits, 5, true, 0), Told::Off(_)));
    end(&mut one, &limits, 1, 0, 50);
    assert_eq!(
        ask(&mut one, &limits, 4, true, 50),
        Told::Hold,
        "3 is older"
    );
    assert_eq!(ask(&mut one, &limits, 3, true, 50), Told::Run);
    assert_eq!(one.waiting(), 2);
}

#[test]
fn no_turn_is_kept_for_who_is_off_but_for_who_should_be_there() {
    let limits = turns(1);
    let mut one = Tenant::new(&limits, UnixMs(0));
    assert_eq!(ask(&mut one, &limits, 1, false, 0), Told::Run);
    assert_eq!(ask(&mut one, &limits, 2, false, 0), Told::Off(SHORTEST));
    end(&mut one, &limits, 1, 0, 10);
    assert_eq!(ask(&mut one, &limits, 4, false, 20), Told::Run);
    end(&mut one, &limits, 4, 0, 30);
    // Until it is clear that another gateway has it.
    assert_eq!(ask(&mut one, &limits, 3, false, 100), Told::Off(SHORTEST));
    let lost = 100 + LOST_MS;
    assert_eq!(ask(&mut one, &limits, 3, false, lost), Told::Run);
}

#[test]
fn a_turn_counts_until_its_deadline_when_its_end_is_never_heard() {
    let limits = turns(1);
    let mut one = Tenant::new(&limits, UnixMs(0));
    assert_eq!(ask(&mut one, &limits, 1, true, 0), Told::Run);
    assert_eq!(ask(&mut one, &limits, 2, true, 3_599_999), Told::Hold);
    one.forget_old(UnixMs(3_600_000));
    assert!(!one.runs(&turn(1)));
}

#[test]
fn who_owes_tokens_waits_until_they_have_grown_back() {
    let limits = tokens(6_000);
    let mut one = Tenant::new(&limits, UnixMs(0));
    // A turn may be larger than a minute's worth: alone it begins all the same.
    assert_eq!(ask(&mut one, &limits, 1, true, 0), Told::Run);
    assert!(matches!(ask(&mut one, &limits, 2, true, 0), Told::Off(_)));
    end(&mut one, &limits, 1, 8_000, 0);
    // Owed are 2,000 of 100 a second; asked again after half of it.
    assert_eq!(
        ask(&mut one, &limits, 2, true, 0),
        Told::Off(Duration::from_secs(10))
    );
    assert_eq!(ask(&mut one, &limits, 2, true, 20_000), Told::Run);
    assert!(!one.is_idle(&limits, UnixMs(20_000)));
    end(&mut one, &limits, 2, 0, 20_000);
    assert!(!one.is_idle(&limits, UnixMs(79_000)), "not full yet");
    assert!(one.is_idle(&limits, UnixMs(80_000)));
}

#[test]
fn what_runs_is_taken_to_spend_what_others_spent() {
    let limits = tokens(60_000);
    let mut one = Tenant::new(&limits, UnixMs(0));
    let begun = (1..=20).filter(|n| ask(&mut one, &limits, *n, true, 0) == Told::Run);
    assert_eq!(begun.count() as f64, 60_000.0 / TURN_TOKENS + 1.0);
}

/// Questions of one tenant, so many in a millisecond: how often all of them ask until all have run, and in which
/// order, when each turn takes `turn_ms`, questions ask again when they are told to, and those who are held
/// when a turn ends.
fn drained(
    limits: &Limits,
    (questions, per_ms): (u64, u64),
    turn_ms: u64,
    spent: u64,
) -> (u64, u64, Vec<u64>) {
    let mut one = Tenant::new(limits, UnixMs(0));
    let mut due: BTreeSet<(u64, u64)> = (1..=questions).map(|n| (n / per_ms, n)).collect();
    let mut ends: BTreeSet<(u64, u64)> = BTreeSet::new();
    let mut held: BTreeSet<u64> = BTreeSet::new();
    let (mut asked, mut now, mut order) = (0, 0, Vec::new());
    while !due.is_empty() || !held.is_empty() {
        let next_due = due.first().map_or(u64::MAX, |(at, _)| *at);
        let asking: Vec<u64> = match ends.first() {
            Some(&(at, n)) if at <= next_due => {
                ends.pop_first();
                now = at;
                end(&mut one, limits, n, spent, now);
                std::mem::take(&mut held).into_iter().collect()
            }
            _ => {
                let (at, n) = due
                    .pop_first()
                    .expect("one that is off, or a turn that runs");
                now = now.max(at);
                vec![n]
            }
        };
        for n in asking {
            asked += 1;
            match ask(&mut one, limits, n, true, now) {
                Told::Run => {
                    order.push(n);
                    ends.insert((now + turn_ms, n));
                    assert!(limits.turns == 0 || ends.len() <= limits.turns);
                }
                Told::Off(wait) => drop(due.insert((now + wait.as_millis() as u64, n))),
                Told::Hold => drop(held.insert(n)),
            }
        }
    }
    (asked, now, order)
}

#[test]
fn everybody_gets_his_turn_soon_and_asks_few_times() {
    for (turn_ms, per_ms) in [(4, 1), (20, 1), (20, 1_000), (1_000, 1), (1_000, 1_000)] {
        let (limits, questions) = (turns(8), 800);
        let (asked, took, order) = drained(&limits, (questions, per_ms), turn_ms, 0);
        assert_eq!(order.len() as u64, questions);
        let case = format!("{turn_ms} ms a turn, {per_ms} a ms: {took} ms, asked {asked} times");
        assert!(asked < questions * 20, "{case}");
        let ideal = (questions / 8 * turn_ms).max(questions / per_ms);
        assert!(took < ideal * 6 / 5 + 1_000, "{case}, ideal {ideal}");
        let late = order.iter().zip(1..).map(|(n, place)| place - *n as i64);
        let latest = late.max().unwrap_or_default();
        assert!(latest < 400, "{case}: {latest} places late");
    }
}

#[test]
fn tokens_are_spent_at_their_rate() {
    let limits = tokens(60_000);
    let (_, took, order) = drained(&limits, (300, 1_000), 100, 2_000);
    assert_eq!(order.len(), 300);
    // 600,000 tokens at 1,000 a second, of which a minute's worth is there at the start.
    let ideal = 540_000;
    assert!(
        (ideal * 9 / 10..ideal * 12 / 10).contains(&took),
        "{took} ms"
    );
}
