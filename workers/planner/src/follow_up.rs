//! Reads a model's reply about a question that may refer to earlier exchanges: the route of the question, and the
//! question rewritten to stand alone.
//!
//! If the reply names a route that was not offered, this module chooses a search for the question instead. A rewriting
//! that names something which neither the question nor the history mentions counts as invented; it is dropped, and the
//! original question is used. *Not* here: whether passages of earlier answers really answer the question, which the
//! retriever checks against their text.

use envelope::limits::{QUESTION_CHARS_MAX, REASON_CHARS_MAX};
use envelope::{History, PlanRoute};
use serde_json::Value;
use text::{line_of, one_line, words};

/// What the model's reply says of the question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FollowUp {
    pub(crate) route: PlanRoute,
    /// The reason in the model's words; may be empty.
    pub(crate) reason: String,
    /// The question rewritten so that it stands alone, where it did not.
    pub(crate) rewritten: Option<String>,
}

/// What `object` says of `question`, which may take the `offered` routes; `None` when it names no route.
pub(crate) fn read(
    object: &Value,
    question: &str,
    history: &History,
    offered: &[PlanRoute],
) -> Option<FollowUp> {
    let route = route(object.get("route")?.as_str()?)?;
    let reason = object.get("reason").and_then(Value::as_str);
    let reason = line_of(reason.unwrap_or_default(), REASON_CHARS_MAX);
    let rewritten = object.get("question").and_then(Value::as_str);
    let rewritten = rewritten.filter(|_| !history.is_empty());
    let rewritten = rewritten.and_then(|text| rewriting(text, question, history));
    let (route, rewritten) = match (route, rewritten) {
        // It stands alone, so nothing is put into it.
        (PlanRoute::Retrieve, _) => (PlanRoute::Retrieve, None),
        (PlanRoute::RewriteThenRetrieve, None) => (PlanRoute::Retrieve, None),
        (route, rewritten) if !offered.contains(&route) => (searched(&rewritten), rewritten),
        other => other,
    };
    Some(FollowUp {
        route,
        reason,
        rewritten,
    })
}

/// The route of a question that is searched for.
pub(crate) fn searched(rewritten: &Option<String>) -> PlanRoute {
    match rewritten {
        Some(_) => PlanRoute::RewriteThenRetrieve,
        None => PlanRoute::Retrieve,
    }
}

/// The route that the model names. Small models write it with blanks or capitals, or only its first word.
fn route(text: &str) -> Option<PlanRoute> {
    let word = words::runs(text).next()?.to_lowercase();
    Some(match word.as_str() {
        "direct" | "answer" => PlanRoute::DirectAnswer,
        "retrieve" | "search" => PlanRoute::Retrieve,
        "rewrite" => PlanRoute::RewriteThenRetrieve,
        "ask" | "clarify" => PlanRoute::AskClarification,
        "location" => PlanRoute::LocationSearch,
        _ => return None,
    })
}

/// The rewriting, provided that it differs from the question and names nothing of its own.
fn rewriting(text: &str, question: &str, history: &History) -> Option<String> {
    let text = one_line(text);
    let fits = (1..=QUESTION_CHARS_MAX).contains(&text.chars().count());
    let lower = |text: &str| words::runs(text).map(str::to_lowercase).collect::<Vec<_>>();
    let written = lower(&text);
    if !fits || written.is_empty() || written == lower(question) {
        return None;
    }
    let mut known = lower(question);
    known.extend(history.older.iter().flat_map(|question| lower(question)));
    for exchange in &history.exchanges {
        known.extend(lower(&exchange.question));
        known.extend(lower(&exchange.answer));
    }
    let shares = written.iter().any(|word| known.contains(word));
    // The first word has its capital from its place.
    let invented = words::runs(&text).skip(1).any(|word| {
        let is_name =
            word.starts_with(char::is_uppercase) || word.contains(|c: char| c.is_ascii_digit());
        is_name && !known.contains(&word.to_lowercase())
    });
    (shares && !invented).then_some(text)
}

/// The history as a prompt shows it: a line for each message, the oldest first.
pub(crate) fn section(history: &History) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut line = |who: &str, text: &str| {
        if !text.trim().is_empty() {
            lines.push(format!("{who}: {}", one_line(text)));
        }
    };
    for question in &history.older {
        line("User", question);
    }
    for exchange in &history.exchanges {
        line("User", &exchange.question);
        line("Assistant", &exchange.answer);
    }
    lines.join("\n")
}

/// How much of the history was used, for the trail.
pub(crate) fn used(history: &History) -> String {
    let count = |n: usize, one: &str, more: &str| match n {
        1 => format!("1 {one}"),
        n => format!("{n} {more}"),
    };
    if history.is_empty() {
        return "nothing before".into();
    }
    let mut used = format!(
        "after {}",
        count(history.exchanges.len(), "exchange", "exchanges")
    );
    if !history.older.is_empty() {
        let older = count(history.older.len(), "older question", "older questions");
        used.push_str(&format!(" and {older}"));
    }
    if history.left_out > 0 {
        used.push_str(&format!(", {} left out", history.left_out));
    }
    used
}
