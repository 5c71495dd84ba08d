//! A question and its history, out of what a client sends.
//!
//! The last message of the user is the question; what follows it (the beginning of an answer, what a tool said) is
//! left out. A reply to a question back is joined with its question, as the fleet itself does: as `messages`, the rules
//! of the fleet would read such a reply as a new question about the same thing, and `of invoice 7` after `What is the
//! total?` would list the invoice. Joining needs no memory, so any door can do it, and a reply can be sent again.

use crate::openai::reply;
use crate::problem::Problem;
use envelope::CLARIFIED;
use envelope::limits::MESSAGE_CHARS_MAX;
use serde_json::{Map, Value, json};

/// Most earlier messages of a question (docs/wire.md).
const MESSAGES_MAX: usize = 64;
/// Most bytes of a question with them: a part of what docs/wire.md allows is kept for its other fields.
const BYTES_MAX: usize = 63 * 1024;
/// Bytes of a message beside its text.
const MESSAGE_BYTES: usize = 48;

/// A message of the user or of the assistant.
#[derive(Debug, PartialEq)]
pub(super) struct Said {
    is_user: bool,
    text: String,
    /// A part of it that is no text.
    other: Option<String>,
}

/// The dialogue in the field `at`: a text, or a list of messages.
pub(super) fn dialogue(said: Option<&Value>, at: &'static str) -> Result<Vec<Said>, Problem> {
    let wrong = |what: &str| Problem::bad(format!("`{at}`: {what}")).about(at);
    let items = match said {
        Some(Value::Array(items)) => items,
        Some(Value::String(text)) => {
            let (text, other) = (text.clone(), None);
            return Ok(vec![Said {
                is_user: true,
                text,
                other,
            }]);
        }
        _ => return Err(wrong("want a list of messages")),
    };
    let mut dialogue = Vec::new();
    for item in items {
        let kind = item.get("type").and_then(Value::as_str);
        if kind == Some("item_reference") {
            return Err(wrong("nothing is stored here; send the message itself"));
        }
        let is_user = match item.get("role").and_then(Value::as_str) {
            Some("user") => true,
            Some("assistant") => false,
            _ => continue,
        };
        let content = item.get("content").unwrap_or(&Value::Null);
        let (text, other) =
            text_of(content).ok_or_else(|| wrong("want texts, or lists of parts, as `content`"))?;
        dialogue.push(Said {
            is_user,
            text,
            other,
        });
    }
    Ok(dialogue)
}

/// The text parts of a content, joined, and the type of a part that is none.
fn text_of(content: &Value) -> Option<(String, Option<String>)> {
    let parts = match content {
        Value::Null => return Some((String::new(), None)),
        Value::String(text) => return Some((text.clone(), None)),
        Value::Array(parts) => parts,
        _ => return None,
    };
    let (mut texts, mut other) = (Vec::new(), None);
    for part in parts {
        let kind = part.get("type")?.as_str()?;
        match part.get("text").and_then(Value::as_str) {
            Some(text) if matches!(kind, "text" | "input_text" | "output_text") => texts.push(text),
            _ => other = Some(kind.to_owned()),
        }
    }
    Some((texts.join("\n"), other))
}

/// Adds the question and what was said before to the fields of the ingress message. A conversation brings what was said
/// before by itself.
pub(super) fn ask(
    mut fields: Map<String, Value>,
    mut dialogue: Vec<Said>,
    conversation: Option<&str>,
    at: &'static str,
) -> Result<Map<String, Value>, Problem> {
    let last = dialogue.iter().rposition(|said| said.is_user);
    let last =
        last.ok_or_else(|| Problem::bad(format!("`{at}` has no message of the user")).about(at))?;
    dialogue.truncate(last + 1);
    if let Some(kind) = dialogue.last().and_then(|said| said.other.as_ref()) {
        let detail =
            format!("`{at}`: a part of the type `{kind}` cannot be read here; send text alone");
        return Err(Problem::bad(detail).about(at));
    }
    if conversation.is_none() {
        dialogue = joined(dialogue);
    }
    let question = dialogue.pop().map(|said| said.text).unwrap_or_default();
    match conversation {
        Some(conversation) => {
            fields.insert("conversation".into(), conversation.into());
        }
        None => {
            let messages = earlier(dialogue, BYTES_MAX.saturating_sub(bytes_of(&question)));
            fields.insert("messages".into(), messages.into());
        }
    }
    fields.insert("question".into(), question.into());
    // The drafts, which nobody is told here.
    fields.insert("stream".into(), false.into());
    Ok(fields)
}

/// Joins each reply to a question back with its question.
fn joined(dialogue: Vec<Said>) -> Vec<Said> {
    let mut joined: Vec<Said> = Vec::new();
    for said in dialogue {
        let is_reply = said.is_user
            && matches!(&joined[..], [.., question, back]
                if question.is_user && !back.is_user && reply::asks_back(&back.text));
        if !is_reply {
            joined.push(said);
            continue;
        }
        joined.pop();
        if let Some(question) = joined.last_mut() {
            question.text = format!("{}{CLARIFIED}{}", question.text.trim(), said.text.trim());
        }
    }
    joined
}

/// The field `messages`: the newest ones that there is room for, each with its beginning, and without what the door
/// itself added to an answer.
fn earlier(dialogue: Vec<Said>, bytes_max: usize) -> Vec<Value> {
    let (mut messages, mut bytes) = (Vec::new(), 0);
    for said in dialogue.into_iter().rev().take(MESSAGES_MAX) {
        let (role, text) = match said.is_user {
            true => ("user", said.text.as_str()),
            false => ("assistant", reply::without_sources(&said.text)),
        };
        let text: String = text.chars().take(MESSAGE_CHARS_MAX).collect();
        bytes += bytes_of(&text) + MESSAGE_BYTES;
        if bytes > bytes_max {
            break;
        }
        messages.push(json!({"role": role, "content": text}));
    }
    messages.reverse();
    messages
}

/// The bytes of a text as JSON.
fn bytes_of(text: &str) -> usize {
    Value::from(text).to_string().len()
}

/// The conversation that a request names: in a field of its own, as a text or as `{"id": …}`, or in its metadata.
pub(super) fn conversation(request: &Map<String, Value>) -> Result<Option<&str>, Problem> {
    let named = request.get("conversation");
    let named = named.or_else(|| request.get("metadata")?.get("conversation"));
    match named {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(id)) => Ok(Some(id)),
        Some(other) => match other.get("id").and_then(Value::as_str) {
            Some(id) => Ok(Some(id)),
            None => Err(Problem::bad("`conversation`: want an id").about("conversation")),
        },
    }
}

/// The model that a request names.
pub(super) fn model(request: &Map<String, Value>) -> Result<&str, Problem> {
    let model = request.get("model").and_then(Value::as_str);
    model.ok_or_else(|| {
        Problem::bad("`model` is missing; GET /v1/models lists those on offer").about("model")
    })
}

/// A flag that may be left out.
pub(super) fn flag(object: Option<&Value>, name: &str) -> bool {
    let flag = object.and_then(|object| object.get(name));
    flag.and_then(Value::as_bool).unwrap_or(false)
}

/// Refuses a tool that must be called.
pub(super) fn refuse_tools(request: &Map<String, Value>) -> Result<(), Problem> {
    match request.get("tool_choice") {
        None | Some(Value::Null) => Ok(()),
        Some(Value::String(choice)) if choice == "auto" || choice == "none" => Ok(()),
        Some(_) => {
            let detail = "no tools are called here; leave `tool_choice` out, or say `auto`";
            Err(Problem::bad(detail).about("tool_choice"))
        }
    }
}

/// Refuses a form other than text.
pub(super) fn refuse_form(form: Option<&Value>, at: &'static str) -> Result<(), Problem> {
    let kind = form
        .and_then(|form| form.get("type"))
        .and_then(Value::as_str);
    match kind {
        None | Some("text") => Ok(()),
        Some(kind) => {
            let detail = format!("`{at}`: an answer is text and not `{kind}`; leave the field out");
            Err(Problem::bad(detail).about(at))
        }
    }
}

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;
