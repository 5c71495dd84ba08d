//! Tests of the rendering of a trace. Whole outputs are compared with text files, so that the diff of a change shows
//! what users will see.

use super::*;
use envelope::{Role, TurnId};
use inspect::trace::build;
use inspect::trace::sample::{self, SampleTurn};

fn drawn(turn: &SampleTurn, detail: Detail) -> String {
    let lines = lines(&build(&sample::id(), &turn.found()), detail);
    anstream::adapter::strip_str(&lines.join("\n")).to_string()
}

fn folded(turn: &SampleTurn) -> String {
    drawn(turn, Detail::default())
}

#[test]
fn a_turn_with_a_map_that_was_given_up() {
    let mut turn = SampleTurn::answered();
    let retry = turn.retry_of_the_letter();
    turn.again = vec![Continuation {
        turn: retry.clone(),
        how: ContinuationKind::Retry,
        outcome: Some(Outcome::Answered),
    }];
    let picture = folded(&turn).replace(retry.as_str(), "RETRY");
    assert_eq!(picture, include_str!("answered.txt").trim_end());
}

#[test]
fn a_turn_that_runs() {
    let mut turn = SampleTurn::until_the_maps();
    turn.handed_out(Role::Mapper, 5);
    turn.part(0, None);
    let picture = drawn(&turn, Detail { unfold: true });
    assert_eq!(picture, include_str!("running.txt").trim_end());
}

#[test]
fn a_follow_up_of_a_conversation() {
    let mut turn = SampleTurn::talking();
    turn.handed_out(Role::Retriever, 9);
    assert_eq!(folded(&turn), include_str!("talking.txt").trim_end());
}

#[test]
fn what_is_not_known_is_said() {
    let mut turn = SampleTurn::answered();
    turn.age_out();
    assert!(folded(&turn).contains("note: its steps have aged out"));
    let mut turn = SampleTurn::answered();
    turn.goes_on_from(&TurnId::new("parent").unwrap(), 4);
    let picture = folded(&turn);
    assert!(
        picture.contains("goes on from parent, from hop 4"),
        "{picture}"
    );
    assert!(picture.contains("3 taken over"), "{picture}");
    let failed = folded(&SampleTurn::given_up());
    assert!(
        failed.contains("index_failed: the search could not be done"),
        "{failed}"
    );
    assert!(
        failed.contains("dead letter 17: index_failed after 1 delivery: refused"),
        "{failed}"
    );
}

#[test]
fn rounds_stand_above_their_steps() {
    let trace = sample::three_rounds();
    let drawn = |detail| {
        let lines = lines(&trace, detail).join("\n");
        anstream::adapter::strip_str(&lines).to_string()
    };
    let picture = drawn(Detail::default());
    assert_eq!(picture, include_str!("rounds.txt").trim_end());
    let titles = "read so far: About a, About b";
    assert!(!picture.contains(titles), "the documents stand above it");
    assert!(drawn(Detail { unfold: true }).contains(titles));
}

#[test]
fn each_search_of_a_loop_stands_in_its_round() {
    let lines = lines(&sample::a_loop(), Detail::default()).join("\n");
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
