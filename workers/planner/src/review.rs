//! Reads the decision of a large model after a search that found too little: to answer all the same, to search once
//! more, or to ask the user back. Pure. *Not* here: the call of the model ([`reviewing`](crate::reviewing)), and the
//! step that follows from the decision, which the graph in `route.rs` makes.

use crate::tool_call::ToolCall;
use crate::tools::Toolbox;
use envelope::Doubt;
use envelope::limits::REASON_CHARS_MAX;
use llm::{ReplySchema, json};
use serde_json::{Value, json};
use text::line_of;

/// The decision.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Decision {
    /// Answer from what was found.
    Enough,
    /// Search once more.
    More(ToolCall),
    /// Ask the user back.
    Clarify(Doubt),
}

/// A decision with its reason.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reviewed {
    pub(crate) decision: Decision,
    /// The reason in the model's words; may be empty.
    pub(crate) reason: String,
    /// Why the decision differs from the model's; empty where it does not.
    pub(crate) told: &'static str,
}

/// The data with which a reply is read.
pub(crate) struct ReviewBy<'a> {
    pub(crate) question: &'a str,
    pub(crate) queries: &'a [String],
    pub(crate) tools: &'a Toolbox,
    /// Whether there is a user who can be asked back.
    pub(crate) may_ask: bool,
}

/// The decision of a reply, or what is wrong with the reply, in words that the model is told.
pub(crate) fn decide(answer: &str, by: &ReviewBy<'_>) -> Result<Reviewed, String> {
    let Some((object, _)) = json::read_object(answer) else {
        return Err("it is no JSON object".into());
    };
    let said = |names: [&str; 2]| {
        let mut found = names.into_iter().filter_map(|name| object.get(name));
        found.find(|value| !value.is_null())
    };
    let reason = said(["reasoning", "reason"]).and_then(Value::as_str);
    let reason = line_of(reason.unwrap_or_default(), REASON_CHARS_MAX);
    let status = status(&object).ok_or_else(|| {
        let status = object.get("status").unwrap_or(&Value::Null).to_string();
        let status: String = status.chars().take(40).collect();
        format!("`status` is {status}; want {}", statuses(by.may_ask))
    })?;
    let reviewed = |decision, told| Reviewed {
        decision,
        reason,
        told,
    };
    Ok(match status {
        Status::Enough => reviewed(Decision::Enough, ""),
        Status::More => match said(["next_tool_call", "tool_call"]) {
            None => reviewed(Decision::Enough, "more, and no call: enough"),
            Some(call) => reviewed(Decision::More(by.tools.read(call)?), ""),
        },
        Status::Clarify if by.may_ask => {
            let details = said(["clarification_details", "clarification"]);
            reviewed(Decision::Clarify(doubt(details, by)), "")
        }
        Status::Clarify => reviewed(Decision::Enough, "there is no user to ask: enough"),
    })
}

#[derive(Clone, Copy)]
enum Status {
    Enough,
    More,
    Clarify,
}

/// The status, or an evaluation that says the same in other words, as that the results are sufficient.
fn status(object: &Value) -> Option<Status> {
    if let Some(word) = object.get("status").and_then(Value::as_str) {
        return match word.trim().to_lowercase().as_str() {
            "enough" => Some(Status::Enough),
            "more" => Some(Status::More),
            "clarify" => Some(Status::Clarify),
            _ => None,
        };
    }
    let sufficient = object
        .get("sufficient")
        .or_else(|| object.get("isSufficient"))?;
    Some(match sufficient.as_bool()? {
        true => Status::Enough,
        false => Status::More,
    })
}

/// The doubt about which the user is asked.
fn doubt(details: Option<&Value>, by: &ReviewBy<'_>) -> Doubt {
    let text = |name: &str| {
        details
            .and_then(|all| all.get(name))
            .and_then(Value::as_str)
    };
    let query = by.question.to_owned();
    let missing = text("missing_info").unwrap_or_default();
    let reason = line_of(missing, REASON_CHARS_MAX);
    match (text("type"), reason.is_empty()) {
        (Some("no_results"), true) => Doubt::NotInDocuments {
            query,
            missing: Vec::new(),
            tried: by
                .queries
                .iter()
                .map(|query| format!("a search for `{query}`"))
                .collect(),
        },
        _ => Doubt::Unclear { query, reason },
    }
}

/// The words from which the model chooses, as the prompt lists them.
pub(crate) fn statuses(may_ask: bool) -> &'static str {
    match may_ask {
        true => {
            "\"enough\" if the question can be answered from what was found, \"more\" if another search may bring what is missing, \"clarify\" if only the user can say what is missing, or nothing at all was found"
        }
        false => {
            "\"enough\" if the question can be answered from what was found, \"more\" if another search may bring what is missing"
        }
    }
}

/// The schema of the reply.
pub(crate) fn schema(tools: &Toolbox, may_ask: bool) -> ReplySchema {
    let text = json!({"type": "string"});
    let mut call = tools.schema();
    call["type"] = json!(["object", "null"]);
    let mut words = vec!["enough", "more"];
    let mut properties = json!({"reasoning": text, "next_tool_call": call});
    if may_ask {
        words.push("clarify");
        let kinds = json!({"type": "string", "enum": ["no_results", "overload"]});
        let mut details = ReplySchema::object(json!({"type": kinds, "missing_info": text}));
        details["type"] = json!(["object", "null"]);
        properties["clarification_details"] = details;
    }
    properties["status"] = json!({"type": "string", "enum": words});
    ReplySchema::new("review", properties)
}
