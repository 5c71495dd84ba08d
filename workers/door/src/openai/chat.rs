//! `/v1/chat/completions`.

use crate::Door;
use crate::access::{Login, Scope};
use crate::http::Object;
use crate::openai::asking::Asking;
use crate::openai::{errors, reply, request, wait};
use crate::problem::Problem;
use axum::Json;
use axum::extract::{Extension, State};
use axum::http::HeaderMap;
use axum::response::sse::Event;
use axum::response::{IntoResponse, Response};
use envelope::{Terminal, TurnId};
use serde_json::{Map, Value, json};

/// What every chunk and the whole reply are said with.
struct Chat {
    turn: TurnId,
    model: String,
    created: u64,
    page: String,
    stop: Vec<String>,
    /// Whether a stream tells what was spent.
    is_counted: bool,
}

/// Answers.
pub(super) async fn complete(
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
    let stop = stops(&request)?;
    let mut followed = asking.ask(&request, "messages").await?;
    let chat = Chat {
        turn: followed.events.turn().clone(),
        model: request::model(&request)?.to_owned(),
        created: door.bus().now().0 / 1_000,
        page: reply::page(&door, &headers),
        stop,
        is_counted: request::flag(request.get("stream_options"), "include_usage"),
    };
    if request.get("stream").and_then(Value::as_bool) == Some(true) {
        let begin = vec![chat.chunk(json!({"role": "assistant", "content": ""}), None)];
        let told = move |ended| match ended {
            Ok(ended) => chat.chunks(ended),
            Err(problem) => vec![event(&errors::said(&problem))],
        };
        return Ok(wait::stream(door, followed, begin, told));
    }
    let ended = wait::end(&door, &mut followed, door.0.setup.options.wait.duration()).await?;
    Ok(Json(chat.whole(ended)).into_response())
}

/// Refuses what would change the meaning of the reply.
fn refuse_unmet(request: &Map<String, Value>) -> Result<(), Problem> {
    if request
        .get("n")
        .is_some_and(|n| !n.is_null() && n.as_u64() != Some(1))
    {
        let detail = "`n`: there is one checked answer to a question; leave `n` out, or ask again";
        return Err(Problem::bad(detail).about("n"));
    }
    request::refuse_form(request.get("response_format"), "response_format")?;
    request::refuse_tools(request)
}

/// The texts before which the reply ends.
fn stops(request: &Map<String, Value>) -> Result<Vec<String>, Problem> {
    let stops = match request.get("stop") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::String(stop)) => vec![stop.clone()],
        Some(list) => serde_json::from_value(list.clone())
            .map_err(|_| Problem::bad("`stop`: want a text or a list of texts").about("stop"))?,
    };
    Ok(stops.into_iter().filter(|stop| !stop.is_empty()).collect())
}

fn event(body: &Value) -> Event {
    Event::default().data(body.to_string())
}

impl Chat {
    fn reply(&self, ended: Terminal) -> reply::Reply {
        let stop: Vec<&str> = self.stop.iter().map(String::as_str).collect();
        reply::of(ended, &self.page, &stop)
    }

    /// The fields that whole replies and chunks share; `turn` is ours.
    fn said(&self, object: &str, choices: Value) -> Value {
        json!({
            "id": format!("chatcmpl-{}", self.turn),
            "object": object,
            "created": self.created,
            "model": self.model,
            "turn": self.turn,
            "choices": choices,
        })
    }

    /// The whole reply. Its message has the fleet's own `citations`, too.
    fn whole(&self, ended: Terminal) -> Value {
        let usage = reply::usage(&ended.usage, "prompt_tokens", "completion_tokens");
        let outcome = ended.outcome.as_str();
        let reply = self.reply(ended);
        let message = json!({
            "role": "assistant",
            "content": reply.text,
            "refusal": null,
            "annotations": annotations(&reply),
            "citations": reply.citations,
        });
        let choice =
            json!({"index": 0, "message": message, "logprobs": null, "finish_reason": "stop"});
        let mut whole = self.said("chat.completion", json!([choice]));
        whole["usage"] = usage;
        whole["outcome"] = outcome.into();
        whole
    }

    fn chunk(&self, delta: Value, finish: Option<&str>) -> Event {
        let choice = json!({"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish});
        let mut chunk = self.said("chat.completion.chunk", json!([choice]));
        if self.is_counted {
            chunk["usage"] = Value::Null;
        }
        event(&chunk)
    }

    /// The answer, line by line, what it cites, its end, and what it took.
    fn chunks(&self, ended: Terminal) -> Vec<Event> {
        let usage = reply::usage(&ended.usage, "prompt_tokens", "completion_tokens");
        let reply = self.reply(ended);
        let lines = reply.text.split_inclusive('\n');
        let mut events: Vec<Event> = lines
            .map(|line| self.chunk(json!({ "content": line }), None))
            .collect();
        if !reply.citations.is_empty() {
            let cited = json!({"annotations": annotations(&reply), "citations": reply.citations});
            events.push(self.chunk(cited, None));
        }
        events.push(self.chunk(json!({}), Some("stop")));
        if self.is_counted {
            let mut counted = self.said("chat.completion.chunk", json!([]));
            counted["usage"] = usage;
            events.push(event(&counted));
        }
        events.push(Event::default().data("[DONE]"));
        events
    }
}

fn annotations(reply: &reply::Reply) -> Vec<Value> {
    let nested = |cited: &Value| json!({"type": "url_citation", "url_citation": cited});
    reply.cited.iter().map(nested).collect()
}
