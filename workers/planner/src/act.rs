//! Reads an action of a loop out of a large model's reply, and decides when the loop ends. Pure. *Not* here: the call
//! of the model ([`acting`](crate::acting)).

use crate::evaluation;
use crate::fingerprint::Fingerprint;
use crate::options::Options;
use crate::tool_call::Action;
use crate::tools::Toolbox;
use envelope::limits::LOOP_STEPS_MAX;
use envelope::{FanOut, Plan, SearchStrategy};
use llm::{ReplySchema, json};
use serde_json::{Value, json};
use stage::StepContext;
use std::fmt::Write;
use text::{line_of, one_line};

/// The longest reason that goes into the trail, in characters: each step of the turn carries all reasons.
const REASON_CHARS_MAX: usize = 60;

/// An action with its reason.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Acted {
    pub(crate) action: Action,
    /// The reason in the model's words; may be empty.
    pub(crate) reason: String,
}

/// Why a reply is no action, in words that the model is told.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Wrong {
    /// The action cannot be used.
    Unusable(String),
    /// The action was done before.
    Repeated(String),
}

impl AsRef<str> for Wrong {
    fn as_ref(&self) -> &str {
        match self {
            Wrong::Unusable(why) | Wrong::Repeated(why) => why,
        }
    }
}

/// The action that a reply decides on, after `evidence` of the earlier actions.
pub(crate) fn decide(
    answer: &str,
    tools: &Toolbox,
    options: &Options,
    evidence: &[FanOut],
) -> Result<Acted, Wrong> {
    let Some((object, _)) = json::read_object(answer) else {
        return Err(Wrong::Unusable("it is no JSON object".into()));
    };
    let reason = object.get("reasoning").or_else(|| object.get("reason"));
    let reason = reason.and_then(Value::as_str).unwrap_or_default();
    let reason = line_of(reason, REASON_CHARS_MAX);
    let action = tools.action(&object).map_err(Wrong::Unusable)?;
    match &action {
        Action::Done if !evidence.iter().any(is_search) => {
            let why = "nothing was searched for yet".to_owned();
            return Err(Wrong::Unusable(why));
        }
        Action::Call(call) if was_done(&call.search(options), evidence) => {
            return Err(Wrong::Repeated(format!(
                "{call} was done before, and finds nothing new"
            )));
        }
        Action::Done | Action::Call(_) => {}
    }
    Ok(Acted { action, reason })
}

/// Whether some passage holds text to answer from.
pub(crate) fn has_text(evidence: &[FanOut]) -> bool {
    let mut passages = evidence.iter().flat_map(|done| &done.scatter.passages);
    passages.any(|passage| !passage.text.is_empty())
}

/// The limit that ends the loop before another action, if one does. The calls that the answer needs are kept back.
pub(crate) fn limit(cx: &StepContext, steps: usize) -> Option<&'static str> {
    let budget = &cx.case.budget;
    if steps >= usize::from(LOOP_STEPS_MAX) {
        Some("steps")
    } else if budget.searches == 0 {
        Some("searches")
    } else if budget.llm_calls <= cx.case.answer_calls() {
        Some("llm_calls")
    } else if let Some(limit) = budget.spent() {
        Some(limit)
    } else {
        (!has_time(cx, steps)).then_some("time")
    }
}

/// Whether another action and the answer are likely to end in time: an action is assumed to take the mean time of
/// those before it, and the answer twice that.
fn has_time(cx: &StepContext, steps: usize) -> bool {
    let done = u64::try_from(steps).unwrap_or(u64::MAX).max(1);
    let per_step = cx.header.asked_at.until(cx.now) / done;
    steps == 0 || cx.now.until(cx.header.deadline) >= per_step.saturating_mul(3)
}

fn is_search(done: &FanOut) -> bool {
    !is_look(&done.scatter.plan)
}

/// Whether a plan is a look at a document, by the form of its query; see
/// [`ToolCall::search`](crate::tool_call::ToolCall::search).
fn is_look(plan: &Plan) -> bool {
    plan.query.starts_with("get_document_metadata ")
}

fn was_done(next: &Plan, evidence: &[FanOut]) -> bool {
    let words = Fingerprint::of(&next.query);
    let mut done = evidence.iter().map(|done| &done.scatter.plan);
    done.any(|done| {
        let is_same = words.is_among(std::slice::from_ref(&done.query));
        is_same && done.strategy == next.strategy && done.filter == next.filter
    })
}

/// The earlier actions and their results, as the prompt shows them.
pub(crate) fn steps(evidence: &[FanOut]) -> String {
    let mut told = String::new();
    for (n, done) in (1..).zip(evidence) {
        let plan = &done.scatter.plan;
        let tool = match plan.strategy {
            _ if is_look(plan) => "",
            SearchStrategy::Keyword => "search_text ",
            SearchStrategy::Semantic => "search_semantic ",
            SearchStrategy::Hybrid => "search ",
        };
        let came = match is_look(plan) {
            true => evaluation::metadata(&done.scatter.passages),
            false => evaluation::section(std::slice::from_ref(done)),
        };
        // Writing to a text cannot fail.
        let _ = write!(told, "Step {n}: {tool}{}", one_line(&plan.query));
        if !plan.filter.is_empty() {
            let _ = write!(told, " where {}", plan.filter);
        }
        let _ = writeln!(told, "\n{came}");
    }
    match told.is_empty() {
        true => "nothing yet".to_owned(),
        false => told,
    }
}

/// What is left to do, in words for the prompt.
pub(crate) fn left(steps: usize, searches: u16) -> String {
    let left = usize::from(LOOP_STEPS_MAX).saturating_sub(steps);
    format!("There are {left} actions left, of which {searches} may be searches.")
}

/// The schema of the reply.
pub(crate) fn schema(tools: &Toolbox) -> ReplySchema {
    let mut properties = tools.schema()["properties"].take();
    properties["reasoning"] = json!({"type": "string"});
    ReplySchema::new("action", properties)
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::{Role, UnixMs};

    #[test]
    fn the_time_of_a_loop_is_that_of_its_own_steps() {
        let mut cx = testkit::model::step(Role::Planner, "q");
        (cx.header.asked_at, cx.header.deadline) = (UnixMs(0), UnixMs(100));
        for (steps, now, enough) in [
            (0, 99, true),
            (1, 25, true),
            (1, 26, false),
            (3, 50, true),
            (3, 60, false),
        ] {
            cx.now = UnixMs(now);
            assert_eq!(has_time(&cx, steps), enough, "{steps} steps at {now}");
        }
    }
}
