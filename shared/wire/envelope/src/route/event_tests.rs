//! Chooses an event that a step with a given payload may have, for tests that walk through the graph.

use super::tests::{draft, no_results, recalled, scatter, verdict};
use super::*;
use crate::findings::Findings;
use crate::hop::FanOut;

/// What the stage of a payload comes to, chosen by `dice`: any of its exits, or it breaks.
pub(super) fn event_of(payload: &Payload, scatters: &[u16], dice: u8) -> Event {
    let (breaks, other) = (dice.is_multiple_of(4), dice % 4 == 1);
    if breaks {
        let evidence = payload.reads().iter().map(|hop| FanOut {
            hop: *hop,
            scatter: scatter(1, After::Map),
            results: vec![None],
        });
        let task = Task {
            payload: payload.clone(),
            evidence: evidence.collect(),
            kept: None,
        };
        return Event::Broken(task, "bug");
    }
    let exit: Exit = match payload {
        Payload::Conversation(_) => recalled(Vec::new(), None),
        Payload::Planner(PlanTask::FollowUp { .. }) if other => PlannerExit::Known {
            plan: Plan::default(),
            chunks: vec!["d.1".into()],
        }
        .into(),
        Payload::Planner(PlanTask::First) if other => PlannerExit::Ask(no_results()).into(),
        Payload::Planner(PlanTask::FollowUp { .. }) if dice % 4 == 2 => {
            PlannerExit::Read(Plan::default()).into()
        }
        Payload::Planner(_) => PlannerExit::Planned(Plan::default()).into(),
        Payload::Retriever(_) if other => RetrieverExit::NothingFound(no_results()).into(),
        Payload::Retriever(search) => {
            RetrieverExit::Found(Box::new(scatter(5, search.then))).into()
        }
        Payload::Mapper(_) => Findings::default().into(),
        Payload::Reducer(ReduceTask::Gather { last: false, .. }) if other => {
            let why = "little".into();
            ReducerExit::TooLittle {
                why,
                read: Vec::new(),
            }
            .into()
        }
        Payload::Reducer(_) => ReducerExit::Composed(draft(scatters)).into(),
        Payload::Validator(draft) if other => ValidatorExit::Ungrounded {
            verdict: verdict(),
            stricter_from: draft.scatters.clone(),
            reason: "no citation".into(),
        }
        .into(),
        Payload::Validator(_) if dice % 4 == 2 => super::talk_tests::insufficient(),
        Payload::Validator(_) => ValidatorExit::Grounded(verdict()).into(),
        Payload::Clarifier(doubt) => {
            Clarification::template(&TurnId::new("t1").unwrap(), doubt).into()
        }
    };
    exit.into()
}
