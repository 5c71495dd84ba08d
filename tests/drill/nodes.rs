//! Acts of the fire drill in which model nodes fail. Times are ten times shorter here, not sixty times: a failed node
//! gets no calls for up to half a minute, and the rules need calls within their range.

use crate::act::{Act, deed};
use crate::model::Mood;
use crate::stand::{Plan, Searches, WHOLE};
use testkit::node;
use testkit::sim_node::{Behaviour, RetryAfter};

pub(crate) const PLAN: Plan = Plan {
    name: "nodes",
    nodes: 2,
    searches: Searches::Reranker,
    factor: 10,
    ..WHOLE
};

pub(crate) const ACTS: &[Act] = &[
    Act {
        fault: "one of two model nodes fails, and so does the reranker",
        alerts: &["ArgosyModelNodeDown", "ArgosySearchModelDown"],
        begin: deed!(stand => {
            stand.nodes[0].behave(FAILS);
            let why = node::FakeNodeBehaviour::Status(500, String::new(), None);
            stand.side.always(why);
        }),
        mend: deed!(stand => {
            stand.nodes[0].behave(Behaviour::Healthy);
            stand.side.always(node::FakeNodeBehaviour::Answer);
        }),
    },
    Act {
        fault: "all model nodes fail",
        alerts: &["ArgosyNoHealthyModelNode"],
        begin: deed!(stand => stand.behave(FAILS)),
        mend: deed!(stand => stand.behave(Behaviour::Healthy)),
    },
    Act {
        fault: "every other answer is empty",
        alerts: &["ArgosyModelCallsFailing"],
        begin: deed!(stand => stand.mind.set(Mood::Faltering)),
        mend: deed!(stand => stand.mind.set(Mood::Well)),
    },
];

const FAILS: Behaviour = Behaviour::Status(500, RetryAfter::Unsaid);
