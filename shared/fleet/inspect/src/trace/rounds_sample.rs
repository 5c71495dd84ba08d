//! A turn of three rounds, and a turn in mode loop, for tests.

#![allow(
    clippy::unwrap_used,
    reason = "tests alone build it, and it is written out: what cannot be made fails them"
)]

use super::sample::{self, SampleTurn};
use super::{RoundReport, Step, StepState, Trace, build, rounds};
use envelope::{
    After, Bucket, ConditionOrigin, DocId, Fallback, Filter, FilterMatch, Findings, Outcome, Part,
    PartResult, Passage, Plan, Role, Scatter,
};
use serde_json::json;
use std::collections::BTreeMap;

/// It, answered.
pub fn three_rounds() -> Trace {
    Trace {
        steps: steps(),
        rounds: rounds(Some(Outcome::Answered)),
        ..build(&sample::id(), &SampleTurn::answered().found())
    }
}

fn step(role: Role, hop: u16, round: u8, decided: &str) -> Step {
    let trace = build(&sample::id(), &SampleTurn::answered().found());
    Step {
        role,
        hop,
        round,
        decided: decided.into(),
        doing: StepState::Done,
        model: None,
        fallbacks: Vec::new(),
        maps: Vec::new(),
        ..trace.steps[0].clone()
    }
}

fn scatter(query: &str, names: &[&str]) -> Scatter {
    let filter = Filter::parse(&json!({"year": 2024}), ConditionOrigin::User).unwrap();
    Scatter {
        plan: Plan {
            query: query.into(),
            filter: filter.clone(),
            ..Plan::default()
        },
        passages: names.iter().map(|name| passage(name)).collect(),
        matched: FilterMatch::Matched,
        total_hits: 9,
        after: After::Map,
    }
}

fn passage(name: &str) -> Passage {
    Passage {
        front: String::new(),
        places: Vec::new(),
        bucket: Bucket::new("files").unwrap(),
        doc_id: DocId::new(name).unwrap(),
        chunk_id: format!("{name}.0"),
        title: format!("About {name}"),
        source: format!("{name}.txt"),
        page: None,
        line: 1,
        score: 1.0,
        text: "t".into(),
        metadata: Default::default(),
        found_by: Vec::new(),
    }
}

fn part(index: u16, facts: &[&str]) -> Part {
    let result = PartResult::Findings(Findings {
        relevant: !facts.is_empty(),
        facts: facts.iter().map(|fact| (*fact).to_owned()).collect(),
        ..Findings::default()
    });
    Part {
        v: envelope::WIRE,
        index,
        result,
        entry: None,
    }
}

/// Its steps.
pub(super) fn steps() -> Vec<Step> {
    let too_little =
        "too little: 1 of 2 passages help, 2 are wanted; read so far: About a, About b";
    let mut steps = vec![
        step(Role::Planner, 0, 0, "simple, qa"),
        step(Role::Retriever, 1, 0, "2 of 9 passages"),
        step(Role::Reducer, 4, 0, too_little),
        step(Role::Planner, 5, 1, "looks for \"other words\""),
        step(Role::Retriever, 6, 1, "1 of 9 passages"),
        step(Role::Reducer, 9, 1, "composed from 1 fact of 1 source"),
        step(Role::Validator, 10, 1, "lacks the price"),
        step(Role::Planner, 11, 2, "looks for \"the price\""),
        step(Role::Retriever, 12, 2, "nothing that was not read"),
        step(Role::Reducer, 13, 2, "composed from 1 fact of 1 source"),
        step(Role::Validator, 14, 2, "grounded, confidence 0.91"),
    ];
    steps[1].usage.searches = 2;
    steps[8].fallbacks = vec![Fallback::NoProgress];
    steps
}

/// What is told of its rounds, where it ended so.
pub(super) fn rounds(outcome: Option<Outcome>) -> Vec<RoundReport> {
    let scatters = [
        (2, scatter("the pump", &["a", "b"])),
        (7, scatter("other words", &["c"])),
    ];
    let parts = [
        ((3, Some(0)), part(0, &["It is 5.", "It is red."])),
        ((3, Some(1)), part(1, &[])),
        ((8, Some(0)), part(0, &["It is 7."])),
    ];
    rounds::of(&steps(), &scatters.into(), &parts.into(), outcome)
}

/// A loop of two searches and a look, which are one round.
pub fn a_loop() -> Trace {
    let mut steps = vec![
        step(
            Role::Planner,
            0,
            0,
            "step 1: search_text \"the pump\" (So it is.)",
        ),
        step(Role::Retriever, 1, 0, "2 of 9 passages"),
        step(
            Role::Planner,
            3,
            0,
            "step 2: get_document_metadata a (So it is.)",
        ),
        step(Role::Retriever, 4, 0, "what the document says of itself"),
        step(
            Role::Planner,
            6,
            0,
            "step 3: search_text \"its price\" (So it is.)",
        ),
        step(Role::Retriever, 7, 0, "nothing that was not read"),
        step(Role::Planner, 9, 0, "the loop ends: no searches left"),
        step(Role::Reducer, 10, 0, "composed from 1 fact of 1 source"),
        step(Role::Validator, 11, 0, "grounded, confidence 0.91"),
    ];
    let limit = "searches".into();
    steps[6].fallbacks = vec![Fallback::BudgetSpent { limit }];
    let mut look = scatter("get_document_metadata a", &["a"]);
    look.passages[0].text.clear();
    let records = [
        (2, scatter("the pump", &["a", "b"])),
        (5, look),
        (8, scatter("its price", &[])),
    ];
    let records = records.map(|(hop, record)| {
        let after = After::Review;
        (hop, Scatter { after, ..record })
    });
    let mut trace = build(&sample::id(), &SampleTurn::answered().found());
    trace.rounds = rounds::of(
        &steps,
        &records.into(),
        &BTreeMap::new(),
        Some(Outcome::Answered),
    );
    trace.steps = steps;
    trace
}
