//! `/v1/responses`, whole and as a stream of its named events.
//!
//! Nothing is stored under the ids of responses, so `previous_response_id` is refused: what was said before comes in
//! `input`, or from the conversation that `conversation` names. `instructions` are not passed on.

use crate::Door;
use crate::access::{Login, Scope};
use crate::http::Object;
use crate::openai::asking::Asking;
use crate::openai::{reply, request, wait};
use crate::problem::Problem;
use axum::Json;
use axum::extract::{Extension, State};
use axum::http::HeaderMap;
use axum::response::sse::Event;
use axum::response::{IntoResponse, Response};
use envelope::{Terminal, TurnId};
use serde_json::{Map, Value, json};

/// What every event and the whole response are said with.
struct Responding {
    turn: TurnId,
    model: String,
    created: u64,
    page: String,
    conversation: Option<String>,
    metadata: Value,
}

/// Answers.
pub(super) async fn create(
    State(door): State<Door>,
    Extension(login): Extension<Login>,
    headers: HeaderMap,
    Object(request): Object,
) -> Result<Response, Problem> {
    login.may(Scope::Ask)?;
    refuse_unmet(&request)?;
    let asking = Asking {
        door: &door,
        login: &login,
        headers: &headers,
    };
    let mut followed = asking.ask(&request, "input").await?;
    let metadata = request.get("metadata").cloned();
    let responding = Responding {
        turn: followed.events.turn().clone(),
        model: request::model(&request)?.to_owned(),
        created: door.bus().now().0 / 1_000,
        page: reply::page(&door, &headers),
        conversation: request::conversation(&request)?.map(str::to_owned),
        metadata: metadata.unwrap_or_else(|| json!({})),
    };
    if request.get("stream").and_then(Value::as_bool) == Some(true) {
        let running = responding.response("in_progress", json!([]));
        let begin = vec![
            json!({"type": "response.created", "response": running}),
            json!({"type": "response.in_progress", "response": running}),
        ];
        let begin = numbered(begin, 0);
        let first = begin.len();
        let told = move |ended| numbered(responding.events(ended), first);
        return Ok(wait::stream(door, followed, begin, told));
    }
    let ended = wait::end(&door, &mut followed, door.0.setup.options.wait.duration()).await?;
    let part = responding.part(&reply::of(ended.clone(), &responding.page, &[]));
    Ok(Json(responding.whole(&ended, &part)).into_response())
}

/// Refuses what would change the meaning of the response.
fn refuse_unmet(request: &Map<String, Value>) -> Result<(), Problem> {
    if request
        .get("previous_response_id")
        .is_some_and(|id| !id.is_null())
    {
        let detail = "`previous_response_id`: responses are not stored; send the earlier messages in `input`, or name \
                      a `conversation`";
        return Err(Problem::bad(detail).about("previous_response_id"));
    }
    if request.get("background").and_then(Value::as_bool) == Some(true) {
        let detail = "`background`: responses are not stored; ask with `stream`, or at /api/turns";
        return Err(Problem::bad(detail).about("background"));
    }
    let form = request.get("text").and_then(|text| text.get("format"));
    request::refuse_form(form, "text.format")?;
    request::refuse_tools(request)
}

/// Events with their numbers, which go on from `first`.
fn numbered(events: Vec<Value>, first: usize) -> Vec<Event> {
    let of = |(n, mut event): (usize, Value)| {
        event["sequence_number"] = (first + n).into();
        let name = event["type"].as_str().unwrap_or_default().to_owned();
        Event::default().event(name).data(event.to_string())
    };
    events.into_iter().enumerate().map(of).collect()
}

impl Responding {
    fn response(&self, status: &str, output: Value) -> Value {
        json!({
            "id": format!("resp_{}", self.turn),
            "object": "response",
            "created_at": self.created,
            "status": status,
            "model": self.model,
            "turn": self.turn,
            "output": output,
            "error": null,
            "incomplete_details": null,
            "instructions": null,
            "metadata": self.metadata,
            "conversation": self.conversation.as_ref().map(|id| json!({ "id": id })),
            "previous_response_id": null,
            "parallel_tool_calls": false,
            "tool_choice": "none",
            "tools": [],
            "temperature": null,
            "top_p": null,
            "text": {"format": {"type": "text"}},
            "usage": null,
        })
    }

    fn item(&self, status: &str, content: Value) -> Value {
        json!({
            "id": self.item_id(), "type": "message", "role": "assistant", "status": status, "content": content,
        })
    }

    fn item_id(&self) -> String {
        format!("msg_{}", self.turn)
    }

    /// The text of a reply with what it cites; `citations` are ours.
    fn part(&self, reply: &reply::Reply) -> Value {
        let mut cited = reply.cited.clone();
        for one in &mut cited {
            one["type"] = "url_citation".into();
        }
        json!({
            "type": "output_text", "text": reply.text, "annotations": cited, "logprobs": [],
            "citations": reply.citations,
        })
    }

    fn whole(&self, ended: &Terminal, part: &Value) -> Value {
        let mut usage = reply::usage(&ended.usage, "input_tokens", "output_tokens");
        usage["input_tokens_details"] = json!({"cached_tokens": 0, "cache_write_tokens": 0});
        usage["output_tokens_details"] = json!({"reasoning_tokens": 0});
        let mut whole = self.response("completed", json!([self.item("completed", json!([part]))]));
        whole["usage"] = usage;
        whole["outcome"] = ended.outcome.as_str().into();
        whole
    }

    /// The events behind the first two.
    fn events(&self, ended: Result<Terminal, Problem>) -> Vec<Value> {
        let ended = match ended {
            Ok(ended) => ended,
            Err(problem) => return vec![self.failed(&problem)],
        };
        let reply = reply::of(ended.clone(), &self.page, &[]);
        let part = self.part(&reply);
        let of = |kind: &str, more: Value| {
            let mut event = json!({"type": format!("response.{kind}"), "output_index": 0});
            let more = more.as_object().cloned().unwrap_or_default();
            for (name, value) in more {
                event[name] = value;
            }
            event
        };
        let of_part = |kind: &str, more: Value| {
            let mut event = of(kind, more);
            event["item_id"] = self.item_id().into();
            event["content_index"] = 0.into();
            event
        };
        let empty = json!({"type": "output_text", "text": "", "annotations": [], "logprobs": []});
        let mut events = vec![
            of(
                "output_item.added",
                json!({"item": self.item("in_progress", json!([]))}),
            ),
            of_part("content_part.added", json!({ "part": empty })),
        ];
        let lines = reply.text.split_inclusive('\n');
        events.extend(
            lines.map(|line| of_part("output_text.delta", json!({"delta": line, "logprobs": []}))),
        );
        let cited = part["annotations"].as_array().into_iter().flatten();
        events.extend(cited.enumerate().map(|(n, one)| {
            let more = json!({"annotation": one, "annotation_index": n});
            of_part("output_text.annotation.added", more)
        }));
        let done = json!({"text": reply.text, "logprobs": []});
        let item = self.item("completed", json!([part]));
        events.extend([
            of_part("output_text.done", done),
            of_part("content_part.done", json!({ "part": part })),
            of("output_item.done", json!({ "item": item })),
            json!({"type": "response.completed", "response": self.whole(&ended, &part)}),
        ]);
        events
    }

    /// The end of a stream without a reply. The codes are those that the API has; ours is in the text.
    fn failed(&self, problem: &Problem) -> Value {
        let code = match () {
            () if problem.may_pass() => "rate_limit_exceeded",
            () if problem.status.is_client_error() => "invalid_prompt",
            () => "server_error",
        };
        let mut failed = self.response("failed", json!([]));
        let message = format!("{} ({})", problem.detail, problem.code);
        failed["error"] = json!({"code": code, "message": message});
        json!({"type": "response.failed", "response": failed})
    }
}
