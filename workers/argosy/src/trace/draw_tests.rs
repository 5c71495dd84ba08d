//! How a trace looks. The picture is compared as a whole: whoever changes it sees what people see.

use super::super::sample::{self, Turn};
use super::super::{Again, How, build};
use super::*;
use envelope::{Role, TurnId};

fn drawn(turn: &Turn, detail: Detail) -> String {
    let lines = lines(&build(&sample::id(), &turn.found()), detail);
    anstream::adapter::strip_str(&lines.join("\n")).to_string()
}

fn folded(turn: &Turn) -> String {
    drawn(turn, Detail::default())
}

#[test]
fn a_turn_with_a_map_that_was_given_up() {
    let mut turn = Turn::answered();
    let retry = turn.retry_of_the_letter();
    turn.again = vec![Again {
        turn: retry.clone(),
        how: How::Retry,
        outcome: Some(Outcome::Answered),
    }];
    let picture = folded(&turn).replace(retry.as_str(), "RETRY");
    assert_eq!(picture, include_str!("answered.txt").trim_end());
}

#[test]
fn a_turn_that_runs() {
    let mut turn = Turn::until_the_maps();
    turn.handed_out(Role::Mapper, 5);
    turn.part(0, None);
    let picture = drawn(&turn, Detail { unfold: true });
    assert_eq!(picture, include_str!("running.txt").trim_end());
}

#[test]
fn a_follow_up_of_a_conversation() {
    let mut turn = Turn::talking();
    turn.handed_out(Role::Retriever, 9);
    assert_eq!(folded(&turn), include_str!("talking.txt").trim_end());
}

#[test]
fn what_is_not_known_is_said() {
    let mut turn = Turn::answered();
    turn.age_out();
    assert!(folded(&turn).contains("note: its steps have aged out"));
    let mut turn = Turn::answered();
    turn.goes_on_from(&TurnId::new("parent").unwrap(), 4);
    let picture = folded(&turn);
    assert!(
        picture.contains("goes on from parent, from hop 4"),
        "{picture}"
    );
    assert!(picture.contains("3 taken over"), "{picture}");
    let failed = folded(&Turn::given_up());
    assert!(
        failed.contains("index_failed: the search could not be done"),
        "{failed}"
    );
    assert!(
        failed.contains("dead letter 17: index_failed after 1 delivery: refused"),
        "{failed}"
    );
}
