//! Tests of the ends of turns, one for each case.

use super::*;
use crate::test_log::{Log, asking, terminal, turn};

fn next(log: &Log, now: u64) -> Option<(TurnId, u64)> {
    let next = next_to_begin(&log.state(), UnixMs(now));
    next.map(|begin| (begin.turn, begin.opened))
}

#[test]
fn who_finds_the_end_there_begins_the_next_as_well() {
    let mut log = Log::default();
    log.ask(asking(1, 900), 0);
    log.ask(asking(2, 900), 0);
    let first = log.end(&terminal(1, Outcome::Answered), 10);
    assert!(matches!(first, Ending::Append(_)));
    assert_eq!(next(&log, 10), Some((turn(2), 2)));
    let again = log.end(&terminal(1, Outcome::Answered), 11);
    assert_eq!(again, Ending::Ended);
    assert_eq!(next(&log, 11), Some((turn(2), 2)));
}

#[test]
fn a_turn_whose_time_is_up_is_not_begun() {
    let mut log = Log::default();
    log.ask(asking(1, 900), 0);
    log.ask(asking(2, 300), 0);
    log.end(&terminal(1, Outcome::Answered), 300);
    assert_eq!(next(&log, 299), Some((turn(2), 2)));
    assert_eq!(next(&log, 300), None);
    assert_eq!(overdue(&log.state(), UnixMs(5_299)), []);
    assert_eq!(overdue(&log.state(), UnixMs(5_300)), [turn(2)]);
}

#[test]
fn a_waiting_turn_may_end_before_the_one_that_runs() {
    let mut log = Log::default();
    for n in 1..=3 {
        log.ask(asking(n, 900), 0);
    }
    log.end(&terminal(2, Outcome::Cancelled), 5);
    // The first still runs: it is found there, and beginning it again does nothing.
    assert_eq!(next(&log, 5), Some((turn(1), 1)));
    log.end(&terminal(1, Outcome::Answered), 6);
    assert_eq!(next(&log, 6), Some((turn(3), 3)));
}

#[test]
fn what_nobody_knows_any_more_ends_without_an_outcome() {
    let mut log = Log::default();
    log.ask(asking(1, 900), 0);
    let before = log.last();
    let ending = end_unknown(before.as_ref(), &turn(1), UnixMs(10));
    let Ending::Append(event) = ending else {
        panic!("not appended");
    };
    assert_eq!(event.state.exchanges, []);
    assert_eq!(event.state.open, []);
}

/// The question that the end of turn 1 tells.
fn told(log: &mut Log, asked: &str, terminal: &Terminal) -> Option<String> {
    let mut asking = asking(1, 900);
    asking.opened.case.question.original = asked.into();
    log.ask(asking, 0);
    match log.end(terminal, 10) {
        Ending::Append(event) => match event.event {
            EventKind::Ended(ended) => ended.question,
            other => panic!("{other:?}"),
        },
        Ending::Ended => panic!("not appended"),
    }
}

#[test]
fn an_exchange_tells_its_question_where_that_spares_a_read() {
    let answered = terminal(1, Outcome::Answered);
    let asked_back = terminal(1, Outcome::Clarification);
    for end in [&answered, &asked_back] {
        let said = told(&mut Log::default(), "When?", end);
        assert_eq!(said.as_deref(), Some("When?"), "{:?}", end.outcome);
    }
    let rewritten = Terminal {
        rewritten: Some("When does the lease end?".into()),
        ..answered.clone()
    };
    assert_eq!(told(&mut Log::default(), "When?", &rewritten), None);
    let cancelled = terminal(1, Outcome::Cancelled);
    assert_eq!(told(&mut Log::default(), "When?", &cancelled), None);
    let long = "?".repeat(QUESTION_BYTES_MAX);
    let longest = told(&mut Log::default(), &long, &answered);
    assert_eq!(longest.as_deref(), Some(&*long));
    let longer = told(&mut Log::default(), &format!("{long}?"), &answered);
    assert_eq!(longer, None);
}

#[test]
fn an_end_never_tells_the_question_of_another_turn() {
    let mut log = Log::default();
    for n in 1..=2 {
        let mut asking = asking(n, 900);
        asking.opened.case.question.original = format!("question {n}?");
        log.ask(asking, 0);
    }
    let Ending::Append(event) = log.end(&terminal(1, Outcome::Answered), 10) else {
        panic!("not appended");
    };
    let EventKind::Ended(ended) = event.event else {
        panic!("{event:?}");
    };
    assert_eq!((ended.turn, ended.question), (turn(1), None));
}
