//! A question of three rounds: what is told of each, and how it looks.

use super::super::draw::{self, Detail};
use super::super::sample::{self, Turn};
use super::super::{Doing, Trace, build};
use super::*;
use envelope::{Filter, Findings, Matched, Origin, Part, Plan};
use serde_json::json;
use testkit::model::passage;

fn step(role: Role, hop: u16, round: u8, decided: &str) -> Step {
    let trace = build(&sample::id(), &Turn::answered().found());
    Step {
        role,
        hop,
        round,
        decided: decided.into(),
        doing: Doing::Done,
        model: None,
        fallbacks: Vec::new(),
        maps: Vec::new(),
        ..trace.steps[0].clone()
    }
}

fn scatter(query: &str, names: &[&str]) -> Scatter {
    let filter = Filter::parse(&json!({"year": 2024}), Origin::User).unwrap();
    Scatter {
        plan: Plan {
            query: query.into(),
            filter: filter.clone(),
            ..Plan::default()
        },
        passages: names.iter().map(|name| passage(name, "t")).collect(),
        matched: Matched::Matched,
        total_hits: 9,
        after: After::Map,
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

fn steps() -> Vec<Step> {
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

fn rounds(outcome: Option<Outcome>) -> Vec<RoundTold> {
    let scatters = [
        (2, scatter("the pump", &["a", "b"])),
        (7, scatter("other words", &["c"])),
    ];
    let parts = [
        ((3, Some(0)), part(0, &["It is 5.", "It is red."])),
        ((3, Some(1)), part(1, &[])),
        ((8, Some(0)), part(0, &["It is 7."])),
    ];
    of(&steps(), &scatters.into(), &parts.into(), outcome)
}

#[test]
fn each_round_says_what_was_looked_for_what_came_and_what_was_missing() {
    let told = rounds(Some(Outcome::Answered));
    let looked: Vec<_> = told.iter().map(|one| &one.looked_for[..]).collect();
    let [[first], [second], []] = &looked[..] else {
        panic!("{looked:?}")
    };
    assert_eq!(
        first.told(),
        "\"the pump\" where year = 2024, in 2 searches"
    );
    assert_eq!(
        first.came(),
        "2 new passages (9 match) of a.txt, b.txt: 1 with 2 facts"
    );
    assert_eq!((second.helping, second.facts), (Some(1), 1));
    let missing: Vec<&str> = told.iter().map(|one| one.missing.as_str()).collect();
    assert_eq!(
        missing,
        [
            "1 of 2 passages help, 2 are wanted",
            "lacks the price",
            "nothing that was not read"
        ]
    );
    let then: Vec<String> = told.iter().map(RoundTold::then_told).collect();
    assert_eq!(
        then,
        [
            "looked further",
            "looked further",
            "answered with what there was: nothing unread was left"
        ]
    );
    // While it runs, nobody knows what is done about it.
    assert_eq!(rounds(None)[2].then, "");
}

#[test]
fn without_what_is_stored_the_trail_alone_is_told() {
    let told = of(
        &steps(),
        &BTreeMap::new(),
        &Parts::new(),
        Some(Outcome::Answered),
    );
    assert!(told.iter().all(|one| one.looked_for.is_empty()));
    assert_eq!(told[0].missing, "1 of 2 passages help, 2 are wanted");
}

/// A loop of two searches and a look, which are one round.
fn acted() -> Trace {
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
    let mut trace = build(&sample::id(), &Turn::answered().found());
    trace.rounds = of(
        &steps,
        &records.into(),
        &Parts::new(),
        Some(Outcome::Answered),
    );
    trace.steps = steps;
    trace
}

#[test]
fn each_search_of_a_loop_is_told() {
    let trace = acted();
    let [round] = &trace.rounds[..] else {
        panic!("{:?}", trace.rounds)
    };
    let helping: Vec<_> = round.looked_for.iter().map(|one| one.helping).collect();
    assert_eq!(helping, [None, None], "nobody reads a passage by itself");
    let lines = draw::lines(&trace, Detail::default()).join("\n");
    let picture = anstream::adapter::strip_str(&lines).to_string();
    let told: Vec<&str> = picture.lines().skip(3).take(6).collect();
    assert_eq!(
        told,
        [
            "├─ round 1",
            "│     looked for \"the pump\" where year = 2024",
            "│     came       2 new passages (9 match) of a.txt, b.txt",
            "│     looked for \"its price\" where year = 2024",
            "│     came       nothing",
            "│     then       answered with what there was: the budget of searches was spent",
        ]
    );
}

#[test]
fn how_it_looks() {
    let mut trace = build(&sample::id(), &Turn::answered().found());
    trace.steps = steps();
    trace.rounds = rounds(Some(Outcome::Answered));
    let drawn = |detail| {
        let lines = draw::lines(&trace, detail).join("\n");
        anstream::adapter::strip_str(&lines).to_string()
    };
    let picture = drawn(Detail::default());
    assert_eq!(picture, include_str!("rounds.txt").trim_end());
    let titles = "read so far: About a, About b";
    assert!(!picture.contains(titles), "the documents stand above it");
    assert!(drawn(Detail { unfold: true }).contains(titles));
}
