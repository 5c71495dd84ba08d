//! Tests that every invariant can fail: each checks the results of a good seed that were tampered with.

use super::*;
use crate::denials;
use crate::fleet::simulate;
use crate::plan::Plan;

/// A quiet seed with a fan-out in it.
fn honest() -> Remains {
    let is_quiet = |p: &Plan| {
        let is_plain = p.early == 0 && p.tenant_turns == 0 && p.talks() == 0;
        p.force == 0.0 && is_plain && p.batch == 1
    };
    let quiet = (1..).map(Plan::of).find(is_quiet);
    simulate(quiet.unwrap(), false)
}

fn broken(remains: &Remains) -> Vec<&'static str> {
    let broken = ALL.iter().filter(|(_, check)| check(remains).is_err());
    broken.map(|(name, _)| *name).collect()
}

/// Tampers with a good seed; the invariant of that name, and perhaps others, must notice.
fn noticed(name: &str, tamper: impl FnOnce(&mut Remains)) {
    let mut remains = honest();
    assert_eq!(broken(&remains), Vec::<&str>::new());
    tamper(&mut remains);
    let broken = broken(&remains);
    assert!(
        broken.contains(&name),
        "{name} did not notice; {broken:?} did"
    );
}

fn edit_first<T>(messages: &mut [StoredMessage], edit: impl Fn(&mut T) -> bool)
where
    T: serde::Serialize + serde::de::DeserializeOwned,
{
    for message in messages {
        if let Ok(mut value) = decode::<T>(&message.body)
            && edit(&mut value)
        {
            message.body = serde_json::to_vec(&value).unwrap().into();
            return;
        }
    }
    panic!("nothing to tamper with");
}

fn answered(edit: impl Fn(&mut Terminal)) -> impl FnOnce(&mut Remains) {
    move |remains| {
        edit_first::<Terminal>(&mut remains.answers, |terminal| {
            let hit = terminal.outcome == Outcome::Answered;
            if hit {
                edit(terminal);
            }
            hit
        });
    }
}

fn step_like(remains: &Remains, like: impl Fn(&str) -> bool) -> StoredMessage {
    let found = remains.steps.iter().find(|m| like(&m.subject));
    found.expect("a step").clone()
}

#[test]
fn a_terminal_that_is_missing_or_there_twice() {
    let name = "one_terminal_per_turn";
    noticed(name, |r| drop(r.answers.pop()));
    noticed(name, |r| r.answers.push(r.answers[0].clone()));
    noticed(name, |r| r.inbox.truncate(r.inbox.len() / 2));
}

#[test]
fn a_turn_that_ends_too_late_or_too_early() {
    noticed(
        "turns_end_in_time",
        answered(|t| t.ended_at = t.ended_at.plus(300_000)),
    );
    noticed(
        "nobody_expires_a_turn_early",
        answered(|t| t.outcome = Outcome::Expired),
    );
    noticed(
        "nobody_expires_a_turn_early",
        answered(|t| t.question_hash = "another".into()),
    );
}

#[test]
fn an_outcome_without_a_cause() {
    // One that expires has lost its time: `no_time_is_lost`.
    let explained = [Outcome::Answered, Outcome::Expired];
    let outcomes = Outcome::ALL.into_iter();
    for outcome in outcomes.filter(|o| !explained.contains(o)) {
        noticed(
            "outcomes_are_explained",
            answered(move |t| t.outcome = outcome),
        );
    }
    noticed(
        "outcomes_are_explained",
        answered(|t| {
            t.trail[0]
                .fallbacks
                .push(Fallback::PartsMissing { indexes: vec![0] });
        }),
    );
}

#[test]
fn a_part_that_is_not_told() {
    noticed("every_part_reaches_its_reducer", |r| {
        edit_first::<Terminal>(&mut r.answers, |terminal| {
            let before = terminal.trail.len();
            terminal.trail.retain(|entry| entry.role != Role::Mapper);
            terminal.trail.len() < before
        });
    });
}

#[test]
fn a_denial_without_its_sign() {
    let denying = || {
        let plans = (1..).map(Plan::of);
        let mut denying = plans.filter(|p| p.force == 0.0 && p.denies);
        let found = denying.find_map(|plan| {
            let remains = simulate(plan, false);
            (denials::count(&remains) > 0).then_some(remains)
        });
        found.unwrap()
    };
    let spoilt = |spoil: fn(&mut Terminal)| {
        let mut remains = denying();
        assert_eq!(broken(&remains), Vec::<&str>::new());
        edit_first::<Terminal>(&mut remains.answers, |terminal| {
            let is_marked =
                |one: &envelope::CheckedSentence| one.support == envelope::Support::Contradicted;
            let hit = terminal.sentences.iter().any(is_marked);
            if hit {
                spoil(terminal);
            }
            hit
        });
        assert!(broken(&remains).contains(&"no_denial_goes_unmarked"));
    };
    spoilt(|t| t.sentences.clear());
    spoilt(|t| t.low_confidence = false);
    spoilt(|t| {
        for one in &mut t.sentences {
            one.support = envelope::Support::Supported;
        }
    });
}

#[test]
fn time_that_nobody_took() {
    noticed(
        "no_time_is_lost",
        answered(|t| t.ended_at = t.ended_at.plus(20_000)),
    );
}

#[test]
fn a_tenant_who_has_more_turns_than_he_may() {
    noticed("tenants_keep_to_their_turns", |r| {
        (r.plan.tenant_turns, r.plan.instances) = (1, 1);
    });
}

#[test]
fn a_part_that_was_there() {
    noticed("no_part_is_overlooked", |remains| {
        edit_first::<Terminal>(&mut remains.answers, |terminal| {
            let mut reduced = terminal
                .trail
                .iter_mut()
                .filter(|e| e.role == Role::Reducer);
            let reduced = reduced.find(|e| e.hop > 2);
            reduced.is_some_and(|entry| {
                let indexes = vec![0];
                entry.fallbacks.push(Fallback::PartsMissing { indexes });
                true
            })
        });
    });
}

#[test]
fn a_second_step_of_a_hop() {
    noticed("one_step_per_hop", |r| {
        let mut other = step_like(r, |s| s.contains(".validator."));
        other.subject = other.subject.replace("validator", "clarifier");
        r.steps.push(other);
    });
    noticed("one_step_per_hop", |r| {
        r.steps.push(step_like(r, |s| s.contains(".part.")))
    });
    noticed("one_reducer_per_hop", |r| {
        r.steps.push(step_like(r, |s| s.contains(".reducer.")))
    });
}

#[test]
fn a_reducer_that_did_not_wait() {
    noticed("early_reducers_have_enough", |r| {
        let part = r.steps.iter().position(|m| m.subject.contains(".part."));
        r.steps.remove(part.unwrap());
    });
    noticed("early_reducers_have_enough", |r| {
        r.plan.early = 64;
        let part = r.steps.iter().position(|m| m.subject.contains(".part."));
        r.steps.remove(part.unwrap());
    });
}

#[test]
fn a_step_that_follows_from_nothing() {
    noticed("steps_are_a_chain", |r| {
        r.steps.retain(|m| !m.subject.contains(".retriever."));
    });
    noticed("one_reducer_per_hop", |r| {
        r.steps.retain(|m| !m.subject.contains(".scatter."))
    });
}

#[test]
fn a_part_of_nothing() {
    for kind in [".part.", ".mapper."] {
        noticed("parts_belong_to_a_scatter", |r| {
            let mut extra = step_like(r, |s| s.contains(kind));
            let stem = extra.subject.rsplit_once('.').unwrap().0.to_owned();
            extra.subject = format!("{stem}.63");
            r.steps.push(extra);
        });
    }
}

#[test]
fn a_reply_that_is_wrong_or_never_comes() {
    noticed("replies_are_the_one_terminal", |r| {
        let replies = &mut r.ledger.replies;
        let other = replies.iter().find(|reply| reply.body != replies[0].body);
        replies[0].body = other.unwrap().body.clone();
    });
    noticed("every_listener_is_told", |r| {
        r.ledger.replies[0].refused = true
    });
    noticed("every_listener_is_told", |r| r.ledger.replies.clear());
}

#[test]
fn what_is_left_behind() {
    noticed("nothing_is_left_pending", |r| {
        r.pending.push("argosy.due.t".into())
    });
    noticed("nothing_is_left_pending", |r| {
        r.ledger.open(1, "argosy.due.t", None, Duration::ZERO);
    });
    noticed("no_task_is_leaked", |r| r.tasks = 1);
}

#[test]
fn a_dead_letter_without_a_reason_or_a_count() {
    let letter = |r: &Remains, reason: &str| {
        let mut letter = step_like(r, |s| s.contains(".mapper."));
        letter.subject = letter.subject.replace("step.0", "dead");
        letter.headers = letter.headers.with(header::DEAD_REASON, reason);
        letter
    };
    noticed("dead_letters_are_counted", |r| {
        r.dead.push(letter(r, "panic"))
    });
    noticed("dead_letters_are_counted", |r| {
        r.ledger.hit("model panic");
        r.dead.push(letter(r, "panic"));
    });
}

#[test]
fn work_that_is_paid_twice() {
    let name = "work_is_paid_once";
    noticed(name, |r| {
        r.ledger
            .paid_twice
            .push("argosy.step.0.mapper.t.2.0".into())
    });
    noticed(name, |r| {
        r.ledger.runs.values_mut().next().unwrap().started = 2
    });
    noticed(name, |r| r.ledger.calls += 1_000);
}

/// A quiet seed with conversations in it.
fn talking() -> Remains {
    let is_quiet = |p: &Plan| p.force == 0.0 && p.tenant_turns == 0 && p.talks() > 4;
    let quiet = (1..).map(Plan::of).find(is_quiet);
    simulate(quiet.unwrap(), false)
}

fn noticed_in_a_log(name: &str, tamper: impl FnOnce(&mut Vec<StoredMessage>)) {
    let mut remains = talking();
    assert_eq!(broken(&remains), Vec::<&str>::new());
    tamper(&mut remains.conversations);
    let broken = broken(&remains);
    assert!(
        broken.contains(&name),
        "{name} did not notice; {broken:?} did"
    );
}

#[test]
fn a_forged_log_is_noticed() {
    noticed_in_a_log("logs_are_the_fold", |log| drop(log.pop()));
    noticed_in_a_log("logs_are_the_fold", |log| {
        let twice = log[0].clone();
        log.push(twice);
    });
    noticed_in_a_log("logs_say_how_turns_ended", |log| {
        let answered = log
            .iter_mut()
            .find(|m| text(m).contains(r#""outcome":"answered""#));
        let answered = answered.unwrap();
        answered.body = text(answered).replace("answered", "failed").into();
    });
    noticed_in_a_log("turns_of_a_conversation_do_not_overlap", |log| {
        for message in log
            .iter_mut()
            .filter(|m| text(m).contains(r#""kind":"ended""#))
        {
            message.stored_at = message.stored_at.plus(60_000);
        }
    });
}

#[test]
fn a_store_that_lacks_an_event_is_noticed() {
    let lacks = |spoil: fn(&mut Remains)| {
        let mut remains = talking();
        spoil(&mut remains);
        assert_eq!(broken(&remains), ["views_are_the_logs"]);
    };
    lacks(|remains| drop(remains.views[0].held.pop_first()));
    lacks(|remains| remains.views[1].sequence -= 1);
    let mut remains = talking();
    remains.left.push("argosy.query: Q1".into());
    assert_eq!(broken(&remains), ["erased_is_nowhere"]);
}

fn text(message: &StoredMessage) -> String {
    String::from_utf8_lossy(&message.body).into_owned()
}

#[test]
fn a_kept_draft_that_is_nowhere() {
    let score = envelope::DraftScore {
        grounded: true,
        confidence: 0.5,
    };
    noticed("no_better_draft_is_lost", |remains| {
        edit_first::<Envelope<envelope::Draft>>(&mut remains.steps, |step| {
            step.case.kept = Some(envelope::KeptDraft { hop: 0, score });
            true
        });
    });
}
