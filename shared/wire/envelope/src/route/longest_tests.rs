//! Tests that the longest way through the graph has fewer hops than the limit.

use crate::fanout::reducer_step;
use crate::hop::Payload;
use crate::ids::ConversationId;
use crate::limits::{ROUNDS_MAX, SEARCHES_MAX};
use crate::message::{Budget, Header, Mode};
use crate::payload::Recall;
use crate::route::event_tests::event_of;
use crate::route::talk_tests::insufficient;
use crate::route::tests::{case, header, routed};
use crate::route::turn::step;
use crate::route::{Event, Next};
use crate::terminal::Outcome;

/// A conversation, as many rounds as a question may be given, each with a draft that leaves something out, and a question back.
#[test]
fn a_turn_that_uses_every_round_comes_to_an_end_of_its_own() {
    let budget = Budget {
        rounds: ROUNDS_MAX,
        searches: SEARCHES_MAX,
        llm_calls: 1_000,
        tokens: 1_000_000,
    };
    let conversation = Some(ConversationId::new("c1").unwrap());
    let asked = Header {
        conversation,
        ..header()
    };
    let begun = routed(
        &asked,
        &case(Mode::Agentic, budget),
        Event::Begun(Recall::default()),
    );
    let (mut header, mut case, mut next) = (begun.header, begun.case, begun.next);
    while !matches!(next, Next::End(_)) {
        if let Next::Scatter(_) = &next {
            let joined = reducer_step(&header, &case, header.hop);
            (header, next) = (joined.header, step(joined.payload));
        }
        let Next::Step(payload) = &next else {
            panic!("{next:?}")
        };
        let event = match payload {
            Payload::Validator(_) => insufficient().into(),
            // No dice for what breaks, and none for another exit.
            other => event_of(other, &case.scatters, 3),
        };
        let after = routed(&header, &case, event);
        (header, case, next) = (after.header, after.case, after.next);
    }
    let Next::End(terminal) = next else {
        panic!("no end")
    };
    assert_eq!(header.round, ROUNDS_MAX - 1);
    assert_eq!(terminal.outcome, Outcome::Clarification, "{terminal:?}");
}
