//! The task of the planner, and the routes by which it may send a question. *Not* here: the plan that the planner
//! makes.

use crate::history::History;
use serde::{Deserialize, Serialize};

/// The task of the planner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum PlanTask {
    /// The first plan of a turn.
    First,
    /// A plan for a question that may refer to earlier messages.
    FollowUp {
        /// What was said.
        history: History,
    },
    /// Another plan, because the last one found too little.
    Refine {
        /// What was wrong with it, in words.
        why: String,
    },
    /// A decision by a large model after a search that found too little: to answer all the same, to search once more,
    /// or to ask the user back.
    Review {
        /// What is missing by rule, in words.
        why: String,
        /// Hops of the scatter records so far: what was found stands there.
        scatters: Vec<u16>,
    },
    /// The next action of a loop.
    Act {
        /// Hops of the scatter records so far, one for each action: what came of it stands there.
        scatters: Vec<u16>,
    },
}

words! {
    /// The route of a question that may refer to earlier messages.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
    pub enum PlanRoute {
        /// The chunks that the last answer cites answer this question, too.
        DirectAnswer = "direct_answer",
        /// The question is self-contained: it is searched for as it is.
        #[default]
        Retrieve = "retrieve",
        /// It is searched for as it was rewritten.
        RewriteThenRetrieve = "rewrite_then_retrieve",
        /// Its meaning is unclear: the user is asked.
        AskClarification = "ask_clarification",
        /// It asks where something is: the buckets with places are searched, where there are any
        /// (`planner.location_buckets`).
        LocationSearch = "location_search",
    }
}
