//! The routes that a question in a conversation may take, and the purpose of each. Pure.
//!
//! *Not* here: which route a question takes. The model says so, and [`follow_up`](crate::follow_up) reads it.

use crate::options::Options;
use envelope::{Condition, ConditionOrigin, Filter, History, Op, PlanRoute, QuestionText};

/// The routes that a question after `history` may take.
pub(crate) fn offered(
    question: &QuestionText,
    history: &History,
    options: &Options,
) -> Vec<PlanRoute> {
    // Who has just been asked back is not asked again.
    let was_asked = question.rewritten.is_some();
    let mut offered = PlanRoute::ALL.to_vec();
    offered.retain(|route| match route {
        PlanRoute::DirectAnswer => !history.evidence.is_empty(),
        PlanRoute::Retrieve => true,
        PlanRoute::RewriteThenRetrieve => !history.is_empty(),
        PlanRoute::AskClarification => !was_asked,
        PlanRoute::LocationSearch => !options.location_buckets.is_empty(),
    });
    offered
}

/// The routes to choose from, as the prompt lists them, a line each.
pub(crate) fn choices(offered: &[PlanRoute]) -> String {
    let lines = offered.iter();
    let lines = lines.map(|route| format!("\"{}\" {}", route.as_str(), when(*route)));
    lines.collect::<Vec<_>>().join("\n")
}

fn when(route: PlanRoute) -> &'static str {
    match route {
        PlanRoute::DirectAnswer => {
            "if the sources of the last answer hold everything that is asked for"
        }
        PlanRoute::Retrieve => "if the question needs nothing of the conversation",
        PlanRoute::RewriteThenRetrieve => "if the question leans on the conversation",
        PlanRoute::AskClarification => "if nobody could tell what is meant",
        PlanRoute::LocationSearch => "if it asks where something is, or what is near a place",
    }
}

/// The filter for the buckets that hold places. It is dropped when it finds nothing, like every guess of the planner.
pub(crate) fn places(options: &Options) -> Filter {
    let buckets = options.location_buckets.iter();
    Filter(vec![Condition::new(
        "bucket",
        Op::In,
        buckets
            .map(|bucket| bucket.as_str())
            .collect::<serde_json::Value>(),
        ConditionOrigin::Planner,
    )])
}
