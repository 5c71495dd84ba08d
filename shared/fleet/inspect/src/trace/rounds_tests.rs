//! Tests of the description of rounds, for a turn of three rounds and for a turn in mode loop.

use super::super::rounds_sample::{a_loop, rounds, steps};
use super::*;

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
    let then: Vec<String> = told.iter().map(RoundReport::then_told).collect();
    assert_eq!(
        then,
        [
            "looked further",
            "looked further",
            "answered with what there was: nothing unread was left"
        ]
    );
    // While it runs, it is unknown what is done about it.
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

#[test]
fn each_search_of_a_loop_is_told() {
    let trace = a_loop();
    let [round] = &trace.rounds[..] else {
        panic!("{:?}", trace.rounds)
    };
    let helping: Vec<_> = round.looked_for.iter().map(|one| one.helping).collect();
    assert_eq!(helping, [None, None], "nobody reads a passage by itself");
}
