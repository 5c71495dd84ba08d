//! Tests of turns that go on from one whose maps were a batch.

use super::*;
use envelope::MappedFanOut;

/// The same turn, had one mapper mapped all passages in one step.
fn batched() -> TurnRecord {
    let mut history = history();
    let mut parts = Vec::new();
    history.steps.retain_mut(|stored| {
        if stored.subject.contains(".part.") {
            parts.push(decode(&stored.body).unwrap());
            return false;
        }
        stored.subject = stored.subject.replace(".scatter.", ".mapper.");
        !stored.subject.contains(".mapper.old.3.")
    });
    let record: Envelope<Scatter> = decode(&scatter_at(&history, 2).unwrap().body).unwrap();
    let maps = MappedFanOut {
        scatter: record.payload,
        parts,
    };
    let gather = ReduceTask::Gather {
        scatters: vec![2],
        strict: false,
        last: false,
        maps: Some(Box::new(maps)),
    };
    let reducer = history.steps.iter_mut();
    *reducer.rev().nth(1).unwrap() = step(Role::Reducer, 4, gather);
    history
}

#[test]
fn a_batch_is_gone_on_from_as_steps_of_their_own() {
    let letter = stored("argosy.dead.mapper.old.3.1", 7, Bytes::new());
    for role in [
        None,
        Some(Role::Mapper),
        Some(Role::Reducer),
        Some(Role::Validator),
    ] {
        let [of_steps, of_batch] = [history(), batched()].map(|history| {
            let start = match role {
                Some(role) => ReplayPoint::from_history(&history, &old(), role, None).unwrap(),
                None => ReplayPoint::from_letter(&letter, &history).unwrap(),
            };
            messages(
                &start,
                &history,
                &begun(&start),
                &Overrides::default(),
                KEEP,
            )
            .unwrap()
        });
        assert_eq!(of_steps, of_batch, "{role:?}");
    }
}

/// An older release would find no facts in it.
#[test]
fn a_draft_that_carries_its_texts_keeps_its_version() {
    let mut history = history();
    let draft = Draft {
        text: "a [1].".into(),
        read: Some(Box::default()),
        ..Draft::default()
    };
    *history.steps.last_mut().unwrap() = step(Role::Validator, 5, draft);
    let start = ReplayPoint::from_history(&history, &old(), Role::Validator, None).unwrap();
    let (begun, same) = (begun(&start), Overrides::default());
    let all = messages(&start, &history, &begun, &same, KEEP).unwrap();
    let step: Envelope<Draft> = decode(&all.last().unwrap().body).unwrap();
    assert_eq!(step.v, envelope::WIRE_NEWEST);
    let wire = all.last().unwrap().headers.get(envelope::header::WIRE);
    assert_eq!(wire, Some("2"));
}
