//! Tests of trees built from stored messages.

use super::super::sample::{self, SampleTurn};
use super::super::{Continuation, ContinuationKind, StepState, TraceSource};
use super::build;
use envelope::{Fallback, Outcome, Role, TurnId, UnixMs};

fn trace(turn: &SampleTurn) -> super::Trace {
    build(&sample::id(), &turn.found())
}

fn doing(trace: &super::Trace) -> Vec<(Role, StepState)> {
    trace
        .steps
        .iter()
        .map(|step| (step.role, step.doing))
        .collect()
}

#[test]
fn a_turn_of_a_conversation_says_which_and_what_was_searched_for() {
    let mut turn = SampleTurn::talking();
    let rewritten = Some("When does the lease of the Harrow workshop end?");
    let told = trace(&turn);
    assert_eq!(told.question.as_deref(), Some("When does the lease end?"));
    assert_eq!(told.rewritten.as_deref(), rewritten);
    let named = |trace: &super::Trace| trace.conversation.as_ref().map(|c| c.to_string());
    assert_eq!(named(&told).as_deref(), Some("c-1"));
    // When the steps have aged out, the terminal event says both.
    turn.end(Outcome::Answered, Vec::new());
    turn.age_out();
    let told = trace(&turn);
    assert_eq!(told.rewritten.as_deref(), rewritten);
    assert_eq!(named(&told).as_deref(), Some("c-1"));
    let alone = trace(&SampleTurn::answered());
    assert_eq!((alone.conversation, alone.rewritten), (None, None));
}

#[test]
fn a_turn_that_ended_is_told_from_beginning_to_end() {
    let trace = trace(&SampleTurn::answered());
    assert_eq!(
        doing(&trace),
        [
            Role::Planner,
            Role::Retriever,
            Role::Reducer,
            Role::Validator
        ]
        .map(|r| (r, StepState::Done))
    );
    assert_eq!(
        (trace.outcome, trace.aged_out),
        (Some(Outcome::Answered), false)
    );
    assert_eq!((trace.asked_at, trace.duration_ms), (UnixMs(1_000), 900));
    assert_eq!(trace.question.as_deref(), Some("When does the lease end?"));
    let maps = &trace.steps[1].maps;
    let became: Vec<_> = maps.iter().map(|map| (map.index, map.doing)).collect();
    assert_eq!(
        became,
        [
            (Some(0), StepState::Done),
            (Some(1), StepState::Failed),
            (Some(2), StepState::Done)
        ]
    );
    let letter = maps[1].dead.as_ref().unwrap();
    assert_eq!(
        (letter.reason.as_str(), letter.delivered),
        ("model_refused", 1)
    );
    assert_eq!(letter.retried_as, None);
    let reducer = &trace.steps[2];
    assert_eq!(reducer.model.as_deref(), Some("tiny"));
    assert_eq!(
        reducer.fallbacks,
        [Fallback::PartsFailed { indexes: vec![1] }]
    );
    // Planner, two maps, reducer.
    assert_eq!((trace.usage.calls, trace.usage.tokens_in), (4, 400));
}

#[test]
fn a_turn_that_runs_tells_what_waits_and_what_is_in_work() {
    let mut turn = SampleTurn::until_the_maps();
    let open = |turn: &SampleTurn| {
        let trace = trace(turn);
        let maps = &trace.steps[1].maps;
        maps.iter()
            .map(|map| (map.doing, map.queued_ms))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        open(&turn),
        [(StepState::Open, 500); 3],
        "nobody said what was handed out"
    );
    // The maps stand at 4, 5 and 6.
    turn.handed_out(Role::Mapper, 5);
    assert_eq!(
        open(&turn),
        [
            (StepState::Runs, 500),
            (StepState::Runs, 500),
            (StepState::Waits, 500)
        ]
    );
    turn.part(0, None);
    assert_eq!(open(&turn)[0].0, StepState::Done);
    let running = trace(&turn);
    assert_eq!((running.outcome, running.duration_ms), (None, 1_000));
    turn.end(Outcome::Cancelled, Vec::new());
    assert_eq!(open(&turn)[1].0, StepState::Left);
}

#[test]
fn a_reducer_that_did_not_wait_leaves_its_maps_open() {
    let mut turn = SampleTurn::until_the_maps();
    turn.reducer();
    let trace = trace(&turn);
    assert_eq!(doing(&trace)[2], (Role::Reducer, StepState::Open));
    assert!(
        trace.steps[1]
            .maps
            .iter()
            .all(|map| map.doing == StepState::Open)
    );
}

#[test]
fn what_has_aged_out_is_told_from_the_trail() {
    let whole = trace(&SampleTurn::answered());
    let mut turn = SampleTurn::answered();
    turn.age_out();
    let trace = trace(&turn);
    assert!(trace.aged_out);
    assert_eq!(doing(&trace), doing(&whole));
    assert_eq!(trace.steps[1].maps.len(), 3);
    assert_eq!((trace.question, trace.usage), (None, whole.usage));
}

#[test]
fn a_refused_question_never_had_steps() {
    let mut turn = SampleTurn::answered();
    turn.age_out();
    turn.end(Outcome::Refused, Vec::new());
    assert!(!trace(&turn).aged_out);
    turn.end(Outcome::Expired, Vec::new());
    let expired = trace(&turn);
    assert!(expired.aged_out);
    // The letter of the map is all that is left, and says that there was a search.
    assert_eq!(doing(&expired), [(Role::Retriever, StepState::Done)]);
    assert_eq!(expired.steps[0].maps[0].doing, StepState::Failed);
}

#[test]
fn a_step_that_was_given_up_has_its_letter_and_its_default() {
    let trace = trace(&SampleTurn::given_up());
    assert_eq!(
        doing(&trace),
        [
            (Role::Planner, StepState::Failed),
            (Role::Retriever, StepState::Failed)
        ]
    );
    assert_eq!(trace.steps[0].decided, "given up: panic");
    assert_eq!(trace.steps[1].dead.as_ref().unwrap().reason, "index_failed");
    assert_eq!(trace.error.unwrap().code, "index_failed");
}

#[test]
fn a_turn_and_those_that_go_on_from_it_are_linked_both_ways() {
    let mut turn = SampleTurn::answered();
    let retry = turn.retry_of_the_letter();
    turn.again = vec![Continuation {
        turn: retry.clone(),
        how: ContinuationKind::Retry,
        outcome: None,
    }];
    let old = trace(&turn);
    let letter = old.steps[1].maps[1].dead.as_ref().unwrap();
    assert_eq!(
        (letter.retried_as.as_ref(), &old.again[0].turn),
        (Some(&retry), &retry)
    );

    let parent = TurnId::new("parent").unwrap();
    let mut turn = SampleTurn::answered();
    turn.goes_on_from(&parent, 4);
    let new = trace(&turn);
    assert_eq!((new.parent, new.first_hop), (Some(parent), 4));
    let own: Vec<_> = new
        .steps
        .iter()
        .map(|step| (step.role, !step.inherited))
        .collect();
    assert_eq!(own[1], (Role::Retriever, false));
    assert_eq!(
        (own[2], own[3]),
        ((Role::Reducer, true), (Role::Validator, true))
    );
    assert_eq!(new.usage.calls, 1, "what the parent spent is its own");
}

/// The same turn, had one mapper mapped all passages in one step.
fn in_a_batch(found: &mut TraceSource, has_reducer: bool) {
    let passage = serde_json::json!({
        "bucket": "files", "doc_id": "d", "chunk_id": "d.0", "title": "", "source": "", "score": 1.0, "text": "t"
    });
    let scatter = serde_json::json!({
        "plan": {"query": "q"}, "passages": [passage, passage, passage], "matched": {"kind": "matched"}, "total_hits": 3
    });
    let with = |body: &[u8], payload: &serde_json::Value| {
        let mut step: serde_json::Value = serde_json::from_slice(body).unwrap();
        step["payload"] = payload.clone();
        serde_json::to_vec(&step).unwrap().into()
    };
    let mut parts = Vec::new();
    found.history.steps.retain_mut(|stored| {
        if stored.subject.contains(".part.") {
            parts.push(serde_json::from_slice(&stored.body).unwrap());
            return false;
        }
        if stored.subject.contains(".scatter.") {
            stored.subject = stored.subject.replace(".scatter.", ".mapper.");
            stored.body = with(&stored.body, &scatter);
        }
        !stored.subject.contains(".mapper.q-1.3.")
    });
    let maps: Vec<serde_json::Value> = parts;
    let gather = serde_json::json!({
        "kind": "gather", "scatters": [2], "maps": {"scatter": scatter, "parts": maps}
    });
    let reducer = |stored: &&mut bus::StoredMessage| stored.subject.contains(".reducer.");
    if let Some(reducer) = found.history.steps.iter_mut().find(reducer) {
        reducer.body = with(&reducer.body, &gather);
    }
    if !has_reducer {
        found.history.steps.truncate(3);
        found.history.answer = None;
        found.history.dead.clear();
    }
}

#[test]
fn a_batch_is_told_as_the_maps_that_it_holds() {
    let mut found = SampleTurn::answered().found();
    let apart = build(&sample::id(), &found);
    in_a_batch(&mut found, true);
    let batched = build(&sample::id(), &found);
    assert_eq!(batched.steps[1].maps, apart.steps[1].maps);
    assert_eq!(
        (doing(&batched), batched.usage),
        (doing(&apart), apart.usage)
    );

    in_a_batch(&mut found, false);
    found.handed_out = [(Role::Mapper, 3)].into();
    let maps = &build(&sample::id(), &found).steps[1].maps;
    let runs: Vec<_> = maps.iter().map(|map| (map.index, map.doing)).collect();
    assert_eq!(runs, [0, 1, 2].map(|index| (Some(index), StepState::Runs)));
}
