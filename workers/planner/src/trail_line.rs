//! Writes a plan as one line of the trail: how the question was understood, and how it is searched for. Pure.

use crate::follow_up::{self, FollowUp};
use envelope::{AnswerForm, History, Plan, SearchStrategy};

/// The longest part that is quoted, in characters.
const QUOTED_CHARS_MAX: usize = 60;

/// A plan in words.
pub(crate) fn of_plan(plan: &Plan) -> String {
    let keywords = match plan.keywords.len() {
        1 => "1 keyword".to_owned(),
        n => format!("{n} keywords"),
    };
    let mut words = format!("{}; {keywords}", meaning(plan));
    if !plan.sub_queries.is_empty() {
        let quoted = quoted(plan.sub_queries.iter().map(String::as_str));
        let count = plan.sub_queries.len();
        let noun = if count == 1 {
            "sub-query"
        } else {
            "sub-queries"
        };
        words.push_str(&format!(", {count} {noun} {quoted}"));
    }
    if !plan.filter.is_empty() {
        words.push_str(&format!(", {}", plan.filter));
    }
    words
}

/// The buckets that a model takes a question to be about, where it could be about several.
pub(crate) fn of_buckets(plan: &Plan) -> String {
    let names: Vec<&str> = plan.bucket_hints.iter().map(|one| one.as_str()).collect();
    match names.is_empty() {
        true => ", in all buckets: none fits better".into(),
        false => format!(", in {}", names.join(" and ")),
    }
}

/// How the question was understood.
pub(crate) fn meaning(plan: &Plan) -> String {
    let mut words = format!("{}, {}", plan.class.as_str(), plan.intent.as_str());
    if plan.form != AnswerForm::Prose {
        words.push_str(&format!(", as {}", plan.form.as_str()));
    }
    if plan.strategy != SearchStrategy::Hybrid {
        words.push_str(&format!(", by {}", plan.strategy.as_str()));
    }
    if plan.no_citations {
        words.push_str(", without sources");
    }
    words
}

/// Texts in quotes, each cut.
pub(crate) fn quoted<'a>(all: impl Iterator<Item = &'a str>) -> String {
    let cut = |text: &str| -> String { text.chars().take(QUOTED_CHARS_MAX).collect() };
    let shown: Vec<String> = all.map(|text| format!("\"{}\"", cut(text))).collect();
    shown.join(" ")
}

/// The route of a question that follows others, in words.
pub(crate) fn of_route(read: &FollowUp, history: &History) -> String {
    let mut words = format!("{}: {}", follow_up::used(history), read.route.as_str());
    if !read.reason.is_empty() {
        words.push_str(&format!(" ({})", read.reason));
    }
    if let Some(rewritten) = &read.rewritten {
        words.push_str(&format!(" \"{rewritten}\""));
    }
    words
}
