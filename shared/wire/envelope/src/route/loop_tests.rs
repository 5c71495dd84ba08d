//! Tests of the graph in mode loop.

use crate::codec::WIRE;
use crate::fanout::act_step;
use crate::history::History;
use crate::hop::{Payload, PlannerExit, RetrieverExit, Task, ValidatorExit};
use crate::message::{Case, Envelope, Header, Mode, Profile};
use crate::payload::{After, Plan, PlanTask, ReduceTask};
use crate::read_mark::ReadMark;
use crate::route::tests::{agentic, header, passage, routed, scatter, verdict};
use crate::route::{Event, Next};

fn acting(scatters: &[u16]) -> Case {
    Case {
        mode: Mode::Loop,
        profile: Profile::Large,
        scatters: scatters.to_vec(),
        ..agentic()
    }
}

fn at(hop: u16) -> Header {
    Header { hop, ..header() }
}

fn act(scatters: &[u16]) -> Payload {
    let scatters = scatters.to_vec();
    Payload::Planner(PlanTask::Act { scatters })
}

fn read(scatters: &[u16], strict: bool) -> Next {
    let scatters = scatters.to_vec();
    Next::Step(Payload::Reducer(ReduceTask::Read { scatters, strict }))
}

#[test]
fn an_action_leads_over_its_record_to_the_next_one() {
    let begun = routed(&at(0), &acting(&[]), Event::Accepted(History::default()));
    assert_eq!(begun.next, Next::Step(act(&[])));
    let marks = vec![ReadMark::of(&passage(1))];
    let call = PlannerExit::Call {
        plan: Plan::default(),
        fetch: vec!["d.0".into()],
        read: marks.clone(),
    };
    let called = routed(&at(0), &begun.case, call);
    let Next::Step(Payload::Retriever(search)) = &called.next else {
        panic!("no search")
    };
    assert_eq!((search.then, search.fetch.len()), (After::Review, 1));
    assert_eq!(called.case.read, marks, "the search passes it over");
    let found = RetrieverExit::Found(Box::new(scatter(3, After::Review)));
    let found = routed(&at(1), &called.case, found);
    let Next::Scatter(payload) = found.next else {
        panic!("no record")
    };
    assert_eq!(found.case.scatters, [2]);
    assert_eq!(
        found.case.budget.llm_calls, called.case.budget.llm_calls,
        "nobody maps it"
    );
    let next = act_step(&Envelope {
        v: WIRE,
        header: found.header,
        case: found.case,
        trail: Vec::new(),
        payload,
    });
    assert_eq!(
        (next.header.hop, next.payload),
        (3, PlanTask::Act { scatters: vec![2] })
    );
    assert_eq!(act(&[2]).reads(), [2]);
}

#[test]
fn a_loop_that_is_over_reads_what_all_its_actions_found() {
    let case = acting(&[2, 5]);
    assert_eq!(
        routed(&at(6), &case, PlannerExit::Enough).next,
        read(&[2, 5], false)
    );
    let ungrounded = ValidatorExit::Ungrounded {
        verdict: verdict(),
        stricter_from: vec![2, 5],
        reason: "no citation".into(),
    };
    assert_eq!(routed(&at(8), &case, ungrounded).next, read(&[2, 5], true));
    let insufficient = ValidatorExit::Insufficient {
        verdict: verdict(),
        reason: "the day is missing".into(),
        read: Vec::new(),
    };
    let ended = routed(&at(8), &case, insufficient).next;
    assert!(
        matches!(&ended, Next::End(end) if end.low_confidence),
        "{ended:?}"
    );
}

#[test]
fn a_step_that_is_broken_leaves_what_was_found() {
    let broken = |payload: Payload, case: &Case| {
        let event = Event::Broken(Task::bare(payload), "bug");
        routed(&at(6), case, event).next
    };
    assert_eq!(broken(act(&[2]), &acting(&[2])), read(&[2], false));
    let search = Payload::Retriever(Default::default());
    assert_eq!(broken(search, &acting(&[2])), read(&[2], false));
    let plain = broken(act(&[]), &acting(&[]));
    assert!(
        matches!(&plain, Next::Step(Payload::Retriever(search)) if search.then == After::Generate),
        "{plain:?}"
    );
}
