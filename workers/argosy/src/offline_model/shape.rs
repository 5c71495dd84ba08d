//! Reads and writes the bodies of calls and replies of the OpenAI API. Pure.

use llm::tokens;
use offline_reader::{NAME, OfflineReader, role_of};
use serde::Deserialize;
use serde_json::{Value, json};

/// The tokens of a reply when the request sets no limit.
const MAX_TOKENS_DEFAULT: u32 = 400;
/// The characters of one piece of a streamed reply.
const PIECE_CHARS: usize = 24;

/// A request for a chat completion, as far as it matters here. Other fields are accepted and ignored.
#[derive(Debug, Deserialize)]
pub(super) struct Call {
    #[serde(default)]
    model: String,
    messages: Vec<Message>,
    #[serde(default)]
    max_tokens: Option<u32>,
    #[serde(default)]
    max_completion_tokens: Option<u32>,
    #[serde(default)]
    n: Option<u32>,
    #[serde(default)]
    stream: bool,
    #[serde(default)]
    stream_options: Option<StreamOptions>,
}

#[derive(Debug, Deserialize)]
struct Message {
    role: String,
    #[serde(default)]
    content: Value,
}

#[derive(Debug, Default, Deserialize)]
struct StreamOptions {
    #[serde(default)]
    include_usage: bool,
}

/// Why a call is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    /// HTTP status.
    pub(super) status: u16,
    kind: &'static str,
    code: &'static str,
    message: String,
}

impl Refusal {
    fn new(status: u16, code: &'static str, message: String) -> Refusal {
        Refusal {
            status,
            kind: "invalid_request_error",
            code,
            message,
        }
    }

    fn bad(code: &'static str, message: String) -> Refusal {
        Refusal::new(400, code, message)
    }

    pub(super) fn no_such_place(method: &str, path: &str) -> Refusal {
        let message = format!(
            "nothing is at {method} {path}; there are POST /v1/chat/completions and GET /v1/models"
        );
        Refusal::new(404, "not_found", message)
    }

    pub(super) fn too_large(max: usize) -> Refusal {
        let message = format!("the body is broken off or over {max} bytes");
        Refusal::new(413, "body_too_large", message)
    }

    pub(super) fn too_slow(seconds: u64) -> Refusal {
        let message = format!("the body did not come within {seconds} s");
        Refusal::new(408, "body_too_slow", message)
    }

    pub(super) fn busy() -> Refusal {
        let message = "every slot is taken; ask again shortly, or start it with more --slots";
        Refusal {
            kind: "rate_limit_error",
            ..Refusal::new(429, "busy", message.into())
        }
    }

    pub(super) fn body(&self) -> String {
        json!({"error": {"message": self.message, "type": self.kind, "param": null, "code": self.code}})
            .to_string()
    }
}

/// A reply, with its token counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    text: String,
    read: u32,
    written: u32,
}

impl Answer {
    fn usage(&self) -> Value {
        json!({"prompt_tokens": self.read, "completion_tokens": self.written,
            "total_tokens": self.read + self.written})
    }
}

/// The list of models, which has one entry.
pub(super) fn models() -> String {
    json!({"object": "list",
        "data": [{"id": NAME, "object": "model", "created": 0, "owned_by": "argosy"}]})
    .to_string()
}

impl Call {
    pub(super) fn read(body: &[u8]) -> Result<Call, Refusal> {
        let call: Call = serde_json::from_slice(body)
            .map_err(|e| Refusal::bad("bad_body", format!("the body cannot be read: {e}")))?;
        if !matches!(call.model.as_str(), "" | NAME) {
            let message = format!("there is no model `{}`, only `{NAME}`", call.model);
            return Err(Refusal::new(404, "model_not_found", message));
        }
        if call.n.is_some_and(|n| n != 1) {
            let message = "`n` has to be 1: the same prompt is always answered alike".into();
            return Err(Refusal::bad("bad_n", message));
        }
        Ok(call)
    }

    /// Whether the reply is streamed in pieces.
    pub(super) fn is_streamed(&self) -> bool {
        self.stream
    }

    pub(super) fn answer(&self, reader: &OfflineReader) -> Result<Answer, Refusal> {
        let texts: Vec<String> = self.messages.iter().map(|m| text(&m.content)).collect();
        let mut messages = self.messages.iter().zip(&texts).rev();
        let user = messages.find(|(message, _)| message.role == "user");
        let prompt = user.map(|(_, text)| text.as_str()).unwrap_or_default();
        let limit = self.max_completion_tokens.or(self.max_tokens);
        let limit = limit.unwrap_or(MAX_TOKENS_DEFAULT).max(1);
        let answer = role_of(prompt).and_then(|role| reader.answer(role, prompt, limit));
        let text = answer.ok_or_else(|| {
            let message = format!(
                "`{NAME}` is no language model: it reads the tagged sections of argosy's own prompts, \
                 and this prompt has none of them"
            );
            Refusal::bad("no_sections", message)
        })?;
        Ok(Answer {
            read: texts.iter().map(|text| tokens::estimate(text)).sum(),
            written: tokens::estimate(&text),
            text,
        })
    }

    /// The reply in one body.
    pub(super) fn whole(&self, answer: &Answer) -> String {
        json!({
            "id": "chatcmpl-offline", "object": "chat.completion", "created": 0, "model": NAME,
            "choices": [{"index": 0, "finish_reason": "stop",
                "message": {"role": "assistant", "content": answer.text}}],
            "usage": answer.usage(),
        })
        .to_string()
    }

    /// The reply as a series of events, the last of which marks the end.
    pub(super) fn pieces(&self, answer: &Answer) -> Vec<String> {
        let choice = |delta: Value, finish: Value| json!([{"index": 0, "delta": delta, "finish_reason": finish}]);
        let mut events = vec![choice(
            json!({"role": "assistant", "content": ""}),
            Value::Null,
        )];
        let signs: Vec<char> = answer.text.chars().collect();
        for piece in signs.chunks(PIECE_CHARS) {
            let text: String = piece.iter().collect();
            events.push(choice(json!({"content": text}), Value::Null));
        }
        events.push(choice(json!({}), "stop".into()));
        let event = |choices: Value| {
            json!({"id": "chatcmpl-offline", "object": "chat.completion.chunk", "created": 0,
                "model": NAME, "choices": choices})
        };
        let mut events: Vec<Value> = events.into_iter().map(event).collect();
        let options = self.stream_options.as_ref();
        if options.is_some_and(|options| options.include_usage) {
            let mut last = event(json!([]));
            last["usage"] = answer.usage();
            events.push(last);
        }
        let mut lines: Vec<String> = events.iter().map(|e| format!("data: {e}\n\n")).collect();
        lines.push("data: [DONE]\n\n".into());
        lines
    }
}

/// The text of a message's content, which is a text or a list of parts; of the parts, those with a text count.
fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
            texts.collect()
        }
        _ => String::new(),
    }
}
