//! `ask`: a question, its progress, and its end.
//!
//! A question back is an `input_required` result for clients of 2026-07-28 that can put a form to their user, and for
//! all others an ordinary result that says how to reply. The `requestState` of the former is the id of the turn and nothing
//! else, so it needs no signature: a reply is a question like any other, and the fleet itself refuses a turn of another
//! tenant, one that asked nothing back, and one that is too old.

use crate::access::Scope;
use crate::asking::{Followed, answered};
use crate::mcp::{arguments, passages, tasks};
use crate::problem::Problem;
use crate::{Door, Login};
use axum::http::StatusCode;
use envelope::{Citation, Clarification, Terminal, TurnId};
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CreateTaskResult,
    ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, InputRequest,
    InputRequiredResult, ProgressNotificationParam, ProtocolVersion, Resource,
};
use rmcp::service::RequestContext;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use streams::client::{self, TurnEvent};
use tokio::time::Instant;

/// The name of the one thing that is asked back, and of its field.
const REPLY: &str = "reply";
/// The field in which a suggested reply is chosen.
const CHOICE: &str = "choice";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    #[serde(default)]
    question: String,
    conversation: Option<String>,
    reply_to: Option<String>,
    turn: Option<String>,
}

/// Asks, or waits on for a turn.
pub(super) async fn ask(
    door: &Door,
    login: &Login,
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, Problem> {
    login.may(Scope::Ask)?;
    let mut asked: Asked = arguments(request.arguments.unwrap_or_default())?;
    if let Some(turn) = request.request_state {
        let replies = request.input_responses.unwrap_or_default();
        asked.question = reply(replies.get(REPLY))?;
        asked.reply_to = Some(turn);
    }
    let mut followed = match asked.turn {
        Some(turn) => {
            let turn = TurnId::new(turn).map_err(|error| Problem::bad(error.to_string()))?;
            door.resume(login, turn, 0).await?
        }
        None => {
            let fields = [
                ("question", Some(asked.question)),
                ("conversation", asked.conversation),
                ("reply_to_clarification", asked.reply_to),
            ];
            let fields = fields.into_iter();
            let given = fields.filter_map(|(name, value)| Some((name.to_owned(), value?.into())));
            door.ask(login, None, given.collect()).await?
        }
    };
    let Some(ended) = end(door, &mut followed, context).await? else {
        return late(door, followed.events.turn(), context).await;
    };
    let ended = answered(ended)?;
    match &ended.clarification {
        Some(back) if can_be_asked(context) => input_required(&ended, back),
        _ => Ok(finished(&ended).into()),
    }
}

/// What a client is told whose question has no answer yet: a task if it knows such, or how to wait on.
async fn late(
    door: &Door,
    turn: &TurnId,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, Problem> {
    if tasks::are_known(context)
        && let Some(task) = tasks::begun(door, turn).await?
    {
        return Ok(CreateTaskResult::new(task).into());
    }
    let detail = format!(
        "the question has no answer yet; call `ask` again with `turn` = \"{turn}\" to wait on for it"
    );
    let mut problem = Problem::new(StatusCode::GATEWAY_TIMEOUT, "not_ended", detail);
    problem.turn = Some(turn.clone());
    Err(problem)
}

/// Waits for the end, as long as the door or the client allows. Tells the steps on the way to a client that wants to
/// know, and cancels a turn that nobody waits for.
async fn end(
    door: &Door,
    followed: &mut Followed,
    context: &RequestContext<RoleServer>,
) -> Result<Option<Terminal>, Problem> {
    let wait = door.0.setup.options.wait.duration();
    let wait = match tasks::are_known(context) {
        true => wait.min(tasks::AFTER),
        false => wait,
    };
    let until = Instant::now() + wait;
    let mut steps = 0_u32;
    loop {
        let event = tokio::select! {
            biased;
            () = door.0.setup.stop.cancelled() => return Ok(None),
            () = context.ct.cancelled() => {
                if is_newest(context) {
                    client::cancel(&**door.bus(), followed.events.turn()).await?;
                }
                return Ok(None);
            }
            event = tokio::time::timeout_at(until, followed.next()) => event,
        };
        match event {
            Ok(Some(TurnEvent::End(ended))) => return Ok(Some(*ended)),
            Ok(Some(TurnEvent::Step(_, entry))) => {
                steps += 1;
                let said = format!("{} {}", entry.role.as_str(), entry.decided);
                tell(context, steps, said.trim()).await;
            }
            Ok(Some(_)) => {}
            Ok(None) | Err(_) => return Ok(None),
        }
    }
}

/// Tells how far it is. A client that has gone is noticed elsewhere.
async fn tell(context: &RequestContext<RoleServer>, steps: u32, said: &str) {
    if let Some(token) = context.meta.get_progress_token() {
        let progress = ProgressNotificationParam::new(token, f64::from(steps)).with_message(said);
        let _ = context.peer.notify_progress(progress).await;
    }
}

/// Whether a broken connection takes a request of this client back, and a result may ask back.
fn is_newest(context: &RequestContext<RoleServer>) -> bool {
    let version = context.protocol_version();
    version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

/// Whether the client can put a form to its user. One that names no kind of question back means forms.
fn can_be_asked(context: &RequestContext<RoleServer>) -> bool {
    let capabilities = context.client_capabilities();
    let elicitation = capabilities.and_then(|capabilities| capabilities.elicitation);
    is_newest(context)
        && elicitation.is_some_and(|kinds| kinds.form.is_some() || kinds.url.is_none())
}

/// The user's reply to a question back.
fn reply(response: Option<&Value>) -> Result<String, Problem> {
    let bad = || {
        let want =
            r#"`inputResponses`: want {"reply": {"action": "accept", "content": {"reply": "…"}}}"#;
        Problem::bad(want)
    };
    let response: ElicitResult =
        serde_json::from_value(response.ok_or_else(bad)?.clone()).map_err(|_| bad())?;
    if response.action != ElicitationAction::Accept {
        let detail = "the question back was not answered, so there is no answer; ask again with more to go by";
        return Err(Problem::new(
            StatusCode::CONFLICT,
            "clarification_declined",
            detail,
        ));
    }
    let content = response.content.unwrap_or_default();
    let said = |name: &str| {
        content[name]
            .as_str()
            .filter(|text| !text.trim().is_empty())
    };
    let text = said(REPLY).or_else(|| said(CHOICE));
    text.map(str::to_owned).ok_or_else(bad)
}

/// The question back, as a form for the user.
fn input_required(ended: &Terminal, back: &Clarification) -> Result<CallToolResponse, Problem> {
    let text = json!({"type": "string", "title": "Reply"});
    let schema = match back.options.is_empty() {
        true => json!({"type": "object", "properties": {REPLY: text}, "required": [REPLY]}),
        false => json!({"type": "object", "properties": {
            CHOICE: {"type": "string", "title": "Suggested", "enum": back.options},
            REPLY: {"type": "string", "title": "Or in your own words"},
        }}),
    };
    let form = json!({"mode": "form", "message": back.question, "requestedSchema": schema});
    let form: ElicitRequestParams = serde_json::from_value(form).map_err(|error| {
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        Problem::new(status, "internal", error.to_string())
    })?;
    let request = InputRequest::Elicitation(ElicitRequest::new(form));
    let requests = [(REPLY.to_owned(), request)].into();
    let state = ended.turn.to_string();
    Ok(InputRequiredResult::new(Some(requests), Some(state)).into())
}

/// The answer with its sources; or the question back, and how to reply to it.
pub(super) fn finished(ended: &Terminal) -> CallToolResult {
    let answer = match &ended.clarification {
        Some(back) => back.question.as_str(),
        None => ended.answer.as_deref().unwrap_or_default(),
    };
    let mut text = answer.to_owned();
    if let Some(back) = &ended.clarification {
        for option in &back.options {
            text += &format!("\n- {option}");
        }
        text += &format!(
            "\n\nThis is a question back. Call `ask` with the user's reply as `question` and `reply_to` = \"{}\".",
            ended.turn
        );
    }
    for notice in &ended.notices {
        text += &format!("\n\nNote: {notice}");
    }
    if !ended.citations.is_empty() {
        text += "\n";
    }
    for cited in &ended.citations {
        text += &format!("\n[{}] {} ({})", cited.n, cited.title, cited.source);
    }
    let mut result = CallToolResult::structured(data(ended, answer));
    result.content = vec![ContentBlock::text(text)];
    let mut seen = BTreeSet::new();
    let documents = ended.citations.iter();
    let documents = documents.filter(|cited| seen.insert(cited.doc_id.as_str()));
    result.content.extend(documents.map(link));
    result
}

fn link(cited: &Citation) -> ContentBlock {
    let url = passages::url(cited.doc_id.as_str());
    let resource = Resource::new(url, &cited.source).with_title(&cited.title);
    ContentBlock::resource_link(resource.with_mime_type(passages::TEXT))
}

fn data(ended: &Terminal, answer: &str) -> Value {
    let citations: Vec<Value> = ended.citations.iter().map(citation).collect();
    let mut data = json!({
        "outcome": ended.outcome,
        "turn": ended.turn,
        "answer": answer,
        "citations": citations,
        "low_confidence": ended.low_confidence,
        "notices": ended.notices,
    });
    let options = ended.clarification.as_ref().map(|back| &back.options);
    for (name, value) in [
        ("conversation", json!(ended.conversation)),
        ("confidence", json!(ended.confidence)),
        ("options", json!(options)),
    ] {
        if !value.is_null() {
            data[name] = value;
        }
    }
    data
}

fn citation(cited: &Citation) -> Value {
    let mut data = Map::from_iter([
        ("n".to_owned(), json!(cited.n)),
        (
            "id".to_owned(),
            json!(passages::id(&cited.chunk_id, &cited.quote)),
        ),
        ("title".to_owned(), json!(cited.title)),
        ("source".to_owned(), json!(cited.source)),
        ("line".to_owned(), json!(cited.line)),
        ("quote".to_owned(), json!(cited.quote)),
        (
            "url".to_owned(),
            json!(passages::url(cited.doc_id.as_str())),
        ),
    ]);
    if let Some(page) = cited.page {
        data.insert("page".into(), page.into());
    }
    if let Some(name) = &cited.page_name {
        data.insert("page_name".into(), name.as_str().into());
    }
    Value::Object(data)
}
