//! Tests of admission, one for each case.

use super::*;
use crate::test_log::{Log, asking, terminal, turn};
use envelope::Outcome;

fn opens(admission: &Admission) -> Option<bool> {
    match admission {
        Admission::Open { begins, .. } => Some(*begins),
        _ => None,
    }
}

fn refusal(admission: Admission) -> Option<AdmissionRefusal> {
    match admission {
        Admission::Refuse(refusal) => Some(refusal),
        _ => None,
    }
}

#[test]
fn the_first_runs_and_four_wait() {
    let mut log = Log::default();
    assert_eq!(opens(&log.ask(asking(1, 900), 0)), Some(true));
    for n in 2..=5 {
        assert_eq!(opens(&log.ask(asking(n, 900), 0)), Some(false), "{n}");
    }
    assert_eq!(
        refusal(log.ask(asking(6, 900), 0)),
        Some(AdmissionRefusal::Busy(5))
    );
    // Asked again, it is where it was.
    assert_eq!(
        log.ask(asking(1, 900), 0),
        Admission::IsOpen { begins: true }
    );
    assert_eq!(
        log.ask(asking(3, 900), 0),
        Admission::IsOpen { begins: false }
    );
}

#[test]
fn what_is_done_while_another_turn_runs_is_the_askers_choice() {
    let mut log = Log::default();
    let with = |n, when_busy| AdmissionRequest {
        when_busy,
        ..asking(n, 900)
    };
    assert_eq!(opens(&log.ask(with(1, Busy::Reject), 0)), Some(true));
    assert_eq!(
        refusal(log.ask(with(2, Busy::Reject), 0)),
        Some(AdmissionRefusal::Busy(1))
    );
    assert_eq!(opens(&log.ask(with(3, Busy::Enqueue), 0)), Some(false));
    let both = vec![turn(1), turn(3)];
    assert_eq!(
        log.ask(with(4, Busy::Interrupt), 0),
        Admission::Interrupt(both)
    );
}

#[test]
fn turns_past_their_deadline_are_ended_before_another_is_opened() {
    let mut log = Log::default();
    log.ask(asking(1, 100), 0);
    log.ask(asking(2, 9_000), 0);
    assert_eq!(opens(&log.ask(asking(3, 9_000), 5_000)), Some(false));
    assert_eq!(
        log.ask(asking(4, 9_000), 5_100),
        Admission::EndFirst(vec![turn(1)])
    );
}

#[test]
fn the_next_message_answers_the_clarification_that_is_open() {
    let mut log = Log::default();
    log.ask(asking(1, 900), 0);
    log.end(&terminal(1, Outcome::Clarification), 10);
    let named = |n, at: u64| AdmissionRequest {
        reply_to: Some(turn(at)),
        ..asking(n, 900)
    };
    // One that names another is refused and changes nothing.
    assert_eq!(
        refusal(log.ask(named(2, 7), 20)),
        Some(AdmissionRefusal::NotPending(turn(7)))
    );
    assert_eq!(
        refusal(log.ask(named(2, 1), 1_010)),
        Some(AdmissionRefusal::Expired(turn(1)))
    );
    let Admission::Open { event, .. } = log.ask(named(2, 1), 20) else {
        panic!("not opened");
    };
    assert_eq!(
        event.state.open[0].answers.as_ref().map(|p| &p.turn),
        Some(&turn(1))
    );
    // It is answered once.
    assert_eq!(
        refusal(log.ask(named(3, 1), 30)),
        Some(AdmissionRefusal::NotPending(turn(1)))
    );
}

#[test]
fn an_expired_clarification_is_not_answered_by_chance() {
    let mut log = Log::default();
    log.ask(asking(1, 900), 0);
    log.end(&terminal(1, Outcome::Clarification), 10);
    let Admission::Open { event, .. } = log.ask(asking(2, 9_000), 1_010) else {
        panic!("not opened");
    };
    assert_eq!(event.state.open[0].answers, None);
}

#[test]
fn a_reply_that_was_asked_in_time_is_one_however_late_it_is_decided() {
    for (asked_at, is_reply) in [(1_009, true), (1_010, false)] {
        let mut log = Log::default();
        log.ask(asking(1, 900), 0);
        log.end(&terminal(1, Outcome::Clarification), 10);
        let mut reply = asking(2, 90_000);
        reply.opened.header.asked_at = UnixMs(asked_at);
        let Admission::Open { event, .. } = log.decide(reply, 50_000) else {
            panic!("not opened");
        };
        assert_eq!(
            event.state.open[0].answers.is_some(),
            is_reply,
            "{asked_at}"
        );
    }
}

#[test]
fn each_refusal_has_a_word_of_its_own() {
    let all = [
        AdmissionRefusal::Busy(1),
        AdmissionRefusal::Erased,
        AdmissionRefusal::Newer,
        AdmissionRefusal::NotPending(turn(1)),
        AdmissionRefusal::Expired(turn(1)),
    ];
    let words: std::collections::BTreeSet<_> =
        all.iter().map(|refusal| refusal.code().as_str()).collect();
    assert_eq!(words.len(), all.len());
}

#[test]
fn what_was_said_before_the_question_back_is_no_reply_to_it() {
    for (asked_at, answers) in [(5_000, false), (9_000, true), (10_500, true)] {
        let mut log = Log::default();
        log.ask(asking(1, 90_000), 0);
        let back = envelope::Terminal {
            ended_at: UnixMs(10_000),
            ..terminal(1, Outcome::Clarification)
        };
        log.end(&back, 10_000);
        let mut late = asking(2, 90_000);
        late.opened.header.asked_at = UnixMs(asked_at);
        assert_eq!(opens(&log.decide(late, 10_500)), Some(true));
        let answered = log.state().open[0].answers.is_some();
        assert_eq!(answered, answers, "asked at {asked_at}");
    }
}

#[test]
fn a_reply_may_take_the_place_of_another_one() {
    let mut log = Log::default();
    log.ask(asking(1, 90_000), 0);
    log.end(&terminal(1, Outcome::Clarification), 10);
    let reply = |n, when_busy| AdmissionRequest {
        reply_to: Some(turn(1)),
        when_busy,
        ..asking(n, 90_000)
    };
    assert_eq!(opens(&log.ask(reply(2, Busy::Enqueue), 20)), Some(true));
    let answered = Admission::Refuse(AdmissionRefusal::NotPending(turn(1)));
    assert_eq!(log.ask(reply(3, Busy::Enqueue), 30), answered);
    let first = log.ask(reply(4, Busy::Interrupt), 40);
    assert_eq!(first, Admission::Interrupt(vec![turn(2)]));
    log.end(&terminal(2, Outcome::Cancelled), 50);
    assert_eq!(opens(&log.ask(reply(4, Busy::Interrupt), 60)), Some(true));
    assert!(log.state().open[0].answers.is_some());
}
