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
fn a_question_that_another_gateway_has_is_not_waited_for() {
    let limits = turns(1);
    let mut one = Tenant::new(&limits, UnixMs(0));
    assert_eq!(ask(&mut one, &limits, 1, false, 0), Told::Run);
    assert_eq!(ask(&mut one, &limits, 2, false, 0), Told::Off(SHORTEST));
    end(&mut one, &limits, 1, 0, 10);
    assert_eq!(ask(&mut one, &limits, 3, true, 20), Told::Off(SHORTEST));
    let lost = 100 + LOST_MS;
    assert_eq!(ask(&mut one, &limits, 3, true, lost), Told::Run);
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

/// Questions of one tenant that come at once: how often all of them ask until all have run, and in which
/// order, when each turn takes `turn_ms` and questions ask again when they are told to.
fn drained(limits: &Limits, questions: u64, turn_ms: u64, spent: u64) -> (u64, u64, Vec<u64>) {
    let mut one = Tenant::new(limits, UnixMs(0));
    let mut due: BTreeSet<(u64, u64)> = (1..=questions).map(|n| (0, n)).collect();
    let mut ends: BTreeSet<(u64, u64)> = BTreeSet::new();
    let (mut asked, mut now, mut order) = (0, 0, Vec::new());
    while let Some(&(at, n)) = due.first() {
        if let Some(&(end_at, ended)) = ends.first().filter(|(end_at, _)| *end_at <= at) {
            ends.pop_first();
            now = end_at;
            end(&mut one, limits, ended, spent, now);
            assert!(limits.turns == 0 || ends.len() < limits.turns);
            continue;
        }
        due.pop_first();
        (asked, now) = (asked + 1, at);
        match ask(&mut one, limits, n, false, now) {
            Told::Run => {
                order.push(n);
                ends.insert((now + turn_ms, n));
            }
            Told::Off(wait) => drop(due.insert((now + wait.as_millis() as u64, n))),
            Told::Hold => panic!("held without leave"),
        }
    }
    (asked, now, order)
}

#[test]
fn everybody_gets_his_turn_soon_and_asks_few_times() {
    for turn_ms in [20, 1_000] {
        let (limits, questions) = (turns(8), 800);
        let (asked, took, order) = drained(&limits, questions, turn_ms, 0);
        assert_eq!(order.len() as u64, questions);
        assert!(asked < questions * 20, "{asked} times in {took} ms");
        // Without anybody held, the time for which a question is put off is lost each time.
        let ideal = questions / 8 * turn_ms;
        let lost = questions / 8 * SHORTEST.as_millis() as u64;
        assert!(took < ideal + lost + 5_000, "{took} ms for {ideal}");
        let early = order.iter().zip(1..).filter(|(n, place)| **n > place + 100);
        assert!(early.count() < 20, "{order:?}");
    }
}

#[test]
fn tokens_are_spent_at_their_rate() {
    let limits = tokens(60_000);
    let (_, took, order) = drained(&limits, 300, 100, 2_000);
    assert_eq!(order.len(), 300);
    // 600,000 tokens at 1,000 a second, of which a minute's worth is there at the start.
    let ideal = 540_000;
    assert!(
        (ideal * 9 / 10..ideal * 12 / 10).contains(&took),
        "{took} ms"
    );
}
