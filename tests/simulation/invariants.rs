//! The invariants that hold after the run of every seed, whatever disturbed it. Each invariant is a named function: it
//! reads the state that the run leaves behind (`fleet::Remains`) and says what is wrong, if anything is.

use crate::conversation::{
    self, logs_are_the_fold, logs_say_how_turns_ended, turns_of_a_conversation_do_not_overlap,
};
use crate::denials::no_denial_goes_unmarked;
use crate::drafts::no_better_draft_is_lost;
use crate::early::early_reducers_have_enough;
use crate::fleet::Remains;
use crate::ledger::Reply;
use crate::loops::{loops_are_bounded, loops_name_their_end};
use crate::outcomes::outcomes_are_explained;
use crate::paid::work_is_paid_once;
use crate::parts::every_part_reaches_its_reducer;
use crate::quota::{tenants_keep_to_their_turns, waited};
use crate::reading::{Asked, asked, begun, scatters, steps, terminals};
use crate::views::{erased_is_nowhere, views_are_the_logs};
use crate::world::answer_subject;
use bus::StoredMessage;
use envelope::{
    Envelope, Fallback, MapTask, Outcome, ReduceTask, Role, Scatter, Subject, Terminal, TurnId,
    decode, header,
};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// A checker.
pub(crate) type Check = fn(&Remains) -> Result<(), String>;

/// Every invariant by name.
pub(crate) const ALL: [(&str, Check); 29] = [
    ("one_terminal_per_turn", one_terminal_per_turn),
    ("turns_end_in_time", turns_end_in_time),
    ("one_step_per_hop", one_step_per_hop),
    ("steps_are_a_chain", steps_are_a_chain),
    ("parts_belong_to_a_scatter", parts_belong_to_a_scatter),
    ("no_passage_is_read_twice", no_passage_is_read_twice),
    ("one_reducer_per_hop", one_reducer_per_hop),
    ("early_reducers_have_enough", early_reducers_have_enough),
    ("outcomes_are_explained", outcomes_are_explained),
    ("no_denial_goes_unmarked", no_denial_goes_unmarked),
    ("no_better_draft_is_lost", no_better_draft_is_lost),
    ("loops_name_their_end", loops_name_their_end),
    ("loops_are_bounded", loops_are_bounded),
    ("no_time_is_lost", no_time_is_lost),
    ("tenants_keep_to_their_turns", tenants_keep_to_their_turns),
    ("no_part_is_overlooked", no_part_is_overlooked),
    (
        "every_part_reaches_its_reducer",
        every_part_reaches_its_reducer,
    ),
    ("nobody_expires_a_turn_early", nobody_expires_a_turn_early),
    ("replies_are_the_one_terminal", replies_are_the_one_terminal),
    ("every_listener_is_told", every_listener_is_told),
    ("nothing_is_left_pending", nothing_is_left_pending),
    ("dead_letters_are_counted", dead_letters_are_counted),
    ("work_is_paid_once", work_is_paid_once),
    ("no_task_is_leaked", no_task_is_leaked),
    ("logs_are_the_fold", logs_are_the_fold),
    ("logs_say_how_turns_ended", logs_say_how_turns_ended),
    (
        "turns_of_a_conversation_do_not_overlap",
        turns_of_a_conversation_do_not_overlap,
    ),
    ("views_are_the_logs", views_are_the_logs),
    ("erased_is_nowhere", erased_is_nowhere),
];

/// How late after its deadline a turn may end: both gateways down (4 s each), the due message
/// handed to one that dies (2 s of ack time-out) a few times, a publish of 5 s patience that fails;
/// the sweep of every 10 s is the net below it.
const SLACK: Duration = Duration::from_secs(30);
/// What a turn needs that nobody takes from it: restarts of pulls, polling, the last redelivery.
pub(crate) const UNDISTURBED: Duration = Duration::from_secs(3);
/// Deliveries after which a gateway gives a question up; its listener is told nothing then.
const GIVEN_UP: u64 = envelope::limits::DELIVERIES_MAX;

/// The names.
pub(crate) fn names() -> Vec<&'static str> {
    ALL.iter().map(|(name, _)| *name).collect()
}

/// Every question has exactly one terminal event, stored once and never changed; nothing that
/// nobody asked has one.
fn one_terminal_per_turn(remains: &Remains) -> Result<(), String> {
    let mut stored: BTreeMap<&str, u64> = BTreeMap::new();
    for message in &remains.answers {
        *stored.entry(&message.subject).or_default() += 1;
    }
    if let Some((subject, times)) = stored.iter().find(|(_, times)| **times != 1) {
        return Err(format!("{subject} is stored {times} times"));
    }
    let asked: BTreeSet<String> = asked(remains)
        .iter()
        .map(|a| answer_subject(&a.turn))
        .collect();
    if let Some(missing) = asked
        .iter()
        .find(|subject| !stored.contains_key(subject.as_str()))
    {
        return Err(format!("{missing} is not there"));
    }
    match stored.keys().find(|subject| !asked.contains(**subject)) {
        Some(unasked) => Err(format!("{unasked} answers no question")),
        None => Ok(()),
    }
}

/// Every turn ends by its deadline and the slack.
fn turns_end_in_time(remains: &Remains) -> Result<(), String> {
    let (asked, ended) = (asked(remains), terminals(remains));
    for (turn, (terminal, _)) in &ended {
        let of_turn = asked.iter().filter(|a| a.turn == *turn);
        let Some(deadline) = of_turn.map(Asked::deadline).max() else {
            continue;
        };
        let latest = deadline.plus(SLACK.as_millis() as u64);
        if terminal.ended_at > latest {
            let late = latest.until(terminal.ended_at);
            return Err(format!(
                "{turn} ended {late} ms after its deadline and the slack"
            ));
        }
    }
    Ok(())
}

/// At most one step at each fence (turn, hop); at most one map step and one part of an index.
fn one_step_per_hop(remains: &Remains) -> Result<(), String> {
    let mut fences: BTreeMap<(TurnId, u16), &str> = BTreeMap::new();
    for (turn, hop, _, index, message) in steps(remains) {
        if index.is_none()
            && let Some(other) = fences.insert((turn, hop), &message.subject)
        {
            return Err(format!("{other} and {} share a fence", message.subject));
        }
    }
    let mut subjects = BTreeSet::new();
    match remains.steps.iter().find(|m| !subjects.insert(&m.subject)) {
        Some(twice) => Err(format!("{} is stored twice", twice.subject)),
        None => Ok(()),
    }
}

/// A step follows from the one at the hop before it, or from the fan-out two hops before.
fn steps_are_a_chain(remains: &Remains) -> Result<(), String> {
    let hops: BTreeSet<(TurnId, u16)> = steps(remains)
        .filter(|(_, _, _, index, _)| index.is_none())
        .map(|(turn, hop, ..)| (turn, hop))
        .collect();
    let scatters = scatters(remains);
    for (turn, hop) in &hops {
        let follows = *hop == 0
            || hops.contains(&(turn.clone(), hop - 1))
            || (*hop > 1 && scatters.contains_key(&(turn.clone(), hop - 2)));
        if !follows {
            return Err(format!(
                "the step at hop {hop} of {turn} follows from nothing"
            ));
        }
    }
    Ok(())
}

/// Parts and map steps belong to a scatter record, and there are never more than it says.
fn parts_belong_to_a_scatter(remains: &Remains) -> Result<(), String> {
    let scatters = scatters(remains);
    for message in &remains.steps {
        let (turn, hop, index) = match Subject::parse(&message.subject) {
            Ok(Subject::Part {
                turn, hop, index, ..
            }) => (turn, hop, index),
            Ok(Subject::Step {
                turn,
                hop,
                index: Some(index),
                ..
            }) => (turn, hop, index),
            _ => continue,
        };
        let of = hop
            .checked_sub(1)
            .and_then(|hop| scatters.get(&(turn, hop)));
        if of.is_none_or(|of| usize::from(index) >= *of) {
            return Err(format!(
                "{} belongs to a fan-out of {of:?}",
                message.subject
            ));
        }
    }
    Ok(())
}

/// The rounds of a turn read on: none maps a passage that an earlier one was given, and no map step carries what was read.
fn no_passage_is_read_twice(remains: &Remains) -> Result<(), String> {
    let mut seen: BTreeSet<(TurnId, String)> = BTreeSet::new();
    for message in &remains.steps {
        if let Ok(Subject::Step { index: Some(_), .. }) = Subject::parse(&message.subject)
            && decode::<Envelope<MapTask>>(&message.body).is_ok_and(|map| !map.case.read.is_empty())
        {
            return Err(format!("{} carries what was read", message.subject));
        }
        let subject = Subject::parse(&message.subject);
        let Some((turn, _)) = subject.as_ref().ok().and_then(Subject::of_scatter) else {
            continue;
        };
        let Ok(record) = decode::<Envelope<Scatter>>(&message.body) else {
            return Err(format!("{} cannot be read", message.subject));
        };
        // One without its text was looked at and not read.
        for passage in record
            .payload
            .passages
            .into_iter()
            .filter(|one| !one.text.is_empty())
        {
            let chunk = passage.chunk_id;
            if !seen.insert((turn.clone(), chunk.clone())) {
                return Err(format!("{} reads {chunk} again", message.subject));
            }
        }
    }
    Ok(())
}

/// One reducer's step at a hop, and what it is to gather is there.
fn one_reducer_per_hop(remains: &Remains) -> Result<(), String> {
    let scatters = scatters(remains);
    let mut seen = BTreeSet::new();
    let reducers = steps(remains).filter(|(_, _, role, _, _)| *role == Some(Role::Reducer));
    for (turn, hop, _, _, message) in reducers {
        let Ok(step) = decode::<Envelope<ReduceTask>>(&message.body) else {
            return Err(format!("{} cannot be read", message.subject));
        };
        if !seen.insert((turn.clone(), hop)) {
            return Err(format!(
                "{} is not the only reducer's step there",
                message.subject
            ));
        }
        let (ReduceTask::Gather {
            scatters: gathered, ..
        }
        | ReduceTask::Stitch {
            scatters: gathered, ..
        }
        | ReduceTask::Read {
            scatters: gathered, ..
        }) = &step.payload
        else {
            continue;
        };
        if gathered.is_empty() || !gathered.is_sorted_by(|a, b| a < b) {
            return Err(format!("{} gathers from {gathered:?}", message.subject));
        }
        for scatter in gathered {
            if !scatters.contains_key(&(turn.clone(), *scatter)) {
                return Err(format!(
                    "{} gathers from hop {scatter}, where nothing is",
                    message.subject
                ));
            }
        }
    }
    Ok(())
}

/// A turn takes no longer than what was taken from it, or from everybody, explains: a message that is
/// lost and saved by a timer shows here. Time taken from steps side by side counts for each of them:
/// this is a bound, not a sum.
fn no_time_is_lost(remains: &Remains) -> Result<(), String> {
    let ledger = &remains.ledger;
    let outages = remains.plan.outages.iter();
    let away: Duration = outages.map(|(from, to)| *to - *from).sum();
    for (turn, (terminal, _)) in terminals(remains) {
        let taken = ledger.taken.get(&turn).copied().unwrap_or_default();
        let (asked, ended) = (terminal.asked_at, terminal.ended_at);
        let waited = waited(remains, &turn) + conversation::waited(remains, &turn, asked, ended);
        let explained = taken + ledger.taken_from_all + away + waited + UNDISTURBED;
        let took = Duration::from_millis(terminal.asked_at.until(terminal.ended_at));
        if terminal.asked_at.0 > 0 && took > explained {
            return Err(format!(
                "{turn} took {took:?}, of which {explained:?} are explained"
            ));
        }
    }
    Ok(())
}

/// A part that was stored before its reducer's step was created is not missing in the answer.
fn no_part_is_overlooked(remains: &Remains) -> Result<(), String> {
    let at = |subject: &str| remains.steps.iter().find(|m| m.subject == subject);
    for (turn, (terminal, _)) in terminals(remains) {
        let reduced = terminal.trail.iter().filter(|e| e.role == Role::Reducer);
        for entry in reduced {
            let step = at(&format!("argosy.step.0.reducer.{turn}.{}", entry.hop));
            let Some(step) = step else { continue };
            let Ok(task) = decode::<Envelope<ReduceTask>>(&step.body) else {
                continue;
            };
            let (ReduceTask::Gather { scatters, .. } | ReduceTask::Stitch { scatters, .. }) =
                &task.payload
            else {
                continue;
            };
            // What is missing is told of the newest fan-out.
            let scatter = scatters.last().copied().unwrap_or_default();
            let missing = entry
                .fallbacks
                .iter()
                .filter_map(|fallback| match fallback {
                    Fallback::PartsMissing { indexes } => Some(indexes),
                    _ => None,
                });
            for index in missing.flatten() {
                let part = at(&format!("argosy.part.0.{turn}.{}.{index}", scatter + 1));
                if part.is_some_and(|part| part.sequence < step.sequence) {
                    return Err(format!(
                        "part {index} of {turn} was there and is called missing"
                    ));
                }
            }
        }
    }
    Ok(())
}

/// A turn belongs to the question that began it: nobody else's deadline ends it.
fn nobody_expires_a_turn_early(remains: &Remains) -> Result<(), String> {
    let begun = begun(remains);
    for (turn, (terminal, _)) in terminals(remains) {
        let Some(owner) = begun.get(&turn) else {
            continue;
        };
        if terminal.outcome == Outcome::Expired && terminal.ended_at < owner.deadline {
            let early = terminal.ended_at.until(owner.deadline);
            return Err(format!("{turn} expired {early} ms before its deadline"));
        }
        if terminal.question_hash != owner.question_hash {
            return Err(format!("{turn} was ended in the name of another question"));
        }
    }
    Ok(())
}

/// What is sent to a reply subject is the terminal event of its question, or the word that the id
/// belongs to another one.
fn replies_are_the_one_terminal(remains: &Remains) -> Result<(), String> {
    let (asked, ended) = (asked(remains), terminals(remains));
    for Reply { subject, body, .. } in &remains.ledger.replies {
        let Ok(said) = decode::<Terminal>(body) else {
            return Err(format!("{subject} was sent something else"));
        };
        if said
            .error
            .as_ref()
            .is_some_and(|problem| problem.code == "not_stored")
        {
            continue;
        }
        let Some(question) = asked.iter().find(|a| a.reply.as_deref() == Some(subject)) else {
            return Err(format!(
                "{subject} asked nothing and was told {:?}",
                said.outcome
            ));
        };
        let Some((terminal, stored)) = ended.get(&question.turn) else {
            return Err(format!(
                "{subject} was told how a turn ended that has not ended"
            ));
        };
        let other = terminal.question_hash != question.hash() && question.question.is_some();
        let in_use = said
            .error
            .as_ref()
            .is_some_and(|problem| problem.code == "id_in_use");
        if in_use && !other {
            return Err(format!("{subject} was told that its own id is in use"));
        }
        if !in_use && *body != stored.body {
            return Err(format!(
                "{subject} was told {:?}, the turn ended {:?}",
                said.outcome, terminal.outcome
            ));
        }
        if !in_use && other && !terminal.question_hash.is_empty() {
            return Err(format!("{subject} was told the answer to another question"));
        }
    }
    Ok(())
}

/// Everybody who asked and named a reply subject is told at least once, in words that went out,
/// unless the question was given up after too many deliveries. Words may be lost on their way.
fn every_listener_is_told(remains: &Remains) -> Result<(), String> {
    let sent = remains.ledger.replies.iter().filter(|reply| !reply.refused);
    let told: BTreeSet<&str> = sent.map(|reply| reply.subject.as_str()).collect();
    for question in asked(remains) {
        let deliveries = remains
            .ledger
            .inbox_deliveries
            .get(&question.message.sequence);
        let given_up = deliveries.is_some_and(|n| *n > GIVEN_UP);
        if let Some(reply) = &question.reply
            && !told.contains(reply.as_str())
            && !given_up
        {
            return Err(format!("{reply} was never told about {}", question.turn));
        }
    }
    Ok(())
}

/// When all is over, no consumer delivers anything any more, and every delivery was answered.
fn nothing_is_left_pending(remains: &Remains) -> Result<(), String> {
    if !remains.pending.is_empty() {
        return Err(format!("still delivered: {:?}", remains.pending));
    }
    match remains.ledger.unanswered().first() {
        Some(subject) => Err(format!("a delivery of {subject} was never answered")),
        None => Ok(()),
    }
}

/// A dead letter has a reason that something explains, and is counted. A process that dies between
/// storing and counting may leave one more.
fn dead_letters_are_counted(remains: &Remains) -> Result<(), String> {
    let hits = &remains.ledger.hits;
    let struck = |words: &[&str]| hits.keys().any(|hit| words.iter().any(|w| hit.contains(w)));
    let mut stored: BTreeMap<Role, BTreeSet<&str>> = BTreeMap::new();
    for letter in &remains.dead {
        let reason = letter.headers.get(header::DEAD_REASON).unwrap_or_default();
        let explained = match reason {
            "model_unavailable" => struck(&["model transient"]),
            "model_refused" => struck(&["model permanent"]),
            "model_timeout" => struck(&["model timeout"]),
            "panic" => struck(&["model panic"]),
            "index_failed" => struck(&["search failed"]),
            "bus_away" => struck(&["read failed", "outage"]),
            "publish_failed" => struck(&["publish", "outage"]),
            "deliveries" => struck(&["crash", "lost", "failed", "late", "model", "outage"]),
            _ => false,
        };
        if !explained {
            return Err(format!("nothing explains {}: `{reason}`", letter.subject));
        }
        if let Ok(Subject::Dead { role, .. }) = Subject::parse(&letter.subject) {
            stored.entry(role).or_default().insert(&letter.subject);
        }
    }
    let crashes = hits
        .iter()
        .filter(|(hit, _)| hit.starts_with("crash"))
        .map(|(_, n)| *n);
    let crashes: u64 = crashes.sum();
    for (role, counted) in &remains.counted_dead {
        let letters = stored.get(role).map_or(0, BTreeSet::len) as u64;
        if letters > counted + crashes {
            return Err(format!(
                "{letters} dead letters of {role}, {counted} counted"
            ));
        }
    }
    Ok(())
}

/// When the fleet has stopped, none of its tasks lives on.
fn no_task_is_leaked(remains: &Remains) -> Result<(), String> {
    match remains.tasks {
        0 => Ok(()),
        tasks => Err(format!("{tasks} tasks live on")),
    }
}

#[cfg(test)]
#[path = "forged.rs"]
mod forged;
