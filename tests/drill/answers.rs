//! Acts of the fire drill in which the replies of the models are useless or late.

use crate::act::{Act, deed};
use crate::crowd::{NORMAL, Wish, agentic};
use crate::model::Mood;
use crate::stand::{Plan, WHOLE};
use std::time::Duration;
use testkit::sim_node::Behaviour;

pub(crate) const PLAN: Plan = Plan {
    name: "answers",
    // A late call is waited for: it is the lateness that is to be seen.
    set: &[
        "model.first_token_timeout=50s",
        "model.idle_timeout=20s",
        "planner.call_timeout=55s",
        "mapper.call_timeout=55s",
        "reducer.call_timeout=55s",
        "model.hedge=[]",
    ],
    ..WHOLE
};

/// So many questions wait for an answer, each for so long.
const CROWDED: Wish = Wish {
    at_once: 50,
    every: Duration::from_millis(100),
    question: |number| {
        let mut body = agentic(number);
        body["deadline"] = "5m".into();
        body
    },
};

/// Fewer questions, which do not come at once.
const PATIENT: Wish = Wish {
    at_once: 24,
    every: Duration::from_millis(500),
    ..CROWDED
};

pub(crate) const ACTS: &[Act] = &[
    Act {
        fault: "the model writes no JSON",
        alerts: &["ArgosyOutputRepairsHigh", "ArgosyAnswersDegraded"],
        begin: deed!(stand => stand.mind.set(Mood::Babbling)),
        mend: deed!(stand => stand.mind.set(Mood::Well)),
    },
    Act {
        fault: "the model writes what stands in no passage",
        alerts: &["ArgosyUngroundedAnswersHigh"],
        begin: deed!(stand => stand.mind.set(Mood::Lying)),
        mend: deed!(stand => stand.mind.set(Mood::Well)),
    },
    Act {
        fault: "the model is somewhat slow",
        alerts: &["ArgosyRoleSlow"],
        begin: deed!(stand => {
            // The forty tokens of a plan, each in 30 ms and more.
            stand.behave(Behaviour::Slow(16.0));
            stand.crowd.asks(NORMAL);
        }),
        mend: deed!(stand => stand.behave(Behaviour::Healthy)),
    },
    Act {
        fault: "the model is slow, and many ask",
        alerts: &[
            "ArgosyQuestionLatencyTargetMissed",
            "ArgosyQuestionLatencyHigh",
        ],
        begin: deed!(stand => {
            // Ten to forty tokens, each in 0.2 s where nobody waits.
            stand.behave(Behaviour::Slow(60.0));
            stand.crowd.asks(CROWDED);
        }),
        mend: deed!(stand => {
            stand.behave(Behaviour::Healthy);
            stand.crowd.asks(NORMAL);
        }),
    },
    Act {
        fault: "the model's answers come byte by byte",
        alerts: &["ArgosyModelSlowFirstToken"],
        begin: deed!(stand => {
            // The first token comes with some 250 bytes around it.
            stand.behave(Behaviour::Trickle(Duration::from_millis(25)));
            stand.crowd.asks(PATIENT);
        }),
        mend: deed!(stand => {
            stand.behave(Behaviour::Healthy);
            stand.crowd.asks(NORMAL);
        }),
    },
];
