//! The span of one call of one node: a child of the step's span, so that retries and the second attempt of a late
//! call are siblings. Where no step is recorded it does nothing.

use crate::failure::Failure;
use crate::job::{Came, Job};
use crate::metrics::Outcome;
use crate::node::Node;
use crate::wire::Answer;
use llm::ChatRequest;
use serde_json::json;
use std::time::Duration;
use telemetry::conventions as name;
use telemetry::traces::{self, ChildSpan, SpanKind};

/// A call that goes on; one that is dropped was cancelled.
pub(crate) struct Call {
    span: ChildSpan,
    outcome: Outcome,
}

pub(crate) fn begin(job: &Job<'_>, node: &Node, model: &str) -> Call {
    let operation = operation(job.path());
    let mut span = traces::start(SpanKind::Client, || format!("{operation} {model}"));
    if !span.is_recorded() {
        return Call::of(span);
    }
    span.set(name::GEN_AI_OPERATION_NAME, operation);
    span.set(name::GEN_AI_PROVIDER_NAME, "openai");
    span.set(name::GEN_AI_REQUEST_MODEL, model);
    let address = node.address();
    if let Some((host, port)) = address.rsplit_once(':') {
        span.set(name::SERVER_ADDRESS, host);
        span.set(name::SERVER_PORT, port.parse::<u64>().unwrap_or_default());
    }
    span.set(name::NODE, node.name.as_str());
    span.set(name::ROLE, job.role.as_str());
    if let Some(request) = job.request() {
        span.set(name::GEN_AI_CONVERSATION_ID, request.turn.as_str());
        span.set(
            name::GEN_AI_REQUEST_MAX_TOKENS,
            u64::from(request.max_tokens),
        );
        span.content(name::GEN_AI_INPUT_MESSAGES, || sent(request));
    }
    Call::of(span)
}

impl Call {
    fn of(span: ChildSpan) -> Call {
        Call {
            span,
            outcome: Outcome::Cancelled,
        }
    }

    /// The call ended by itself.
    pub(crate) fn ended(mut self, came: &Result<Came, Failure>, first_token: Option<Duration>) {
        self.outcome = match came {
            Ok(_) => Outcome::Ok,
            Err(failure) => Outcome::from(failure),
        };
        if let Some(after) = first_token {
            let after = u64::try_from(after.as_millis()).unwrap_or(u64::MAX);
            self.span.set(name::FIRST_TOKEN_MS, after);
        }
        if let Ok(Some(Answer {
            text,
            usage,
            finish,
            ..
        })) = came
        {
            if let Some(reason) = finish {
                let reasons = vec![word(reason)];
                self.span.set(name::GEN_AI_RESPONSE_FINISH_REASONS, reasons);
            }
            self.span
                .set(name::GEN_AI_USAGE_INPUT_TOKENS, usage.tokens_in);
            self.span
                .set(name::GEN_AI_USAGE_OUTPUT_TOKENS, usage.tokens_out);
            self.span
                .content(name::GEN_AI_OUTPUT_MESSAGES, || message("assistant", text));
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let word = self.outcome.as_str();
        self.span.set(name::OUTCOME, word);
        // A call that is not waited for any more has not gone wrong.
        if !matches!(self.outcome, Outcome::Ok | Outcome::Cancelled) {
            self.span.fail(word);
        }
    }
}

/// Longest word that a node may have for why an answer ended.
const WORD_MAX: usize = 32;

/// What a node says of why its answer ended; what is no word of a protocol stays out of spans.
fn word(reason: &str) -> String {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    match reason.len() <= WORD_MAX && reason.bytes().all(fits) {
        true => reason.into(),
        false => "other".into(),
    }
}

fn operation(path: &str) -> &str {
    match path.rsplit('/').next() {
        Some("completions") => "chat",
        Some(last) => last,
        None => path,
    }
}

fn sent(request: &ChatRequest) -> String {
    let said = |role, text: &str| json!({ "role": role, "parts": [part(text)] });
    json!([said("system", &request.system), said("user", &request.user)]).to_string()
}

fn message(role: &str, text: &str) -> String {
    json!([{ "role": role, "parts": [part(text)] }]).to_string()
}

fn part(text: &str) -> serde_json::Value {
    json!({ "type": "text", "content": text })
}

#[cfg(test)]
mod tests {
    use super::{operation, word};

    #[test]
    fn only_a_word_of_the_node_stands_in_a_span() {
        let words = ["stop", "content_filter", "it said: enough", &"x".repeat(33)].map(word);
        assert_eq!(words, ["stop", "content_filter", "other", "other"]);
    }

    #[test]
    fn operations_are_named_as_the_conventions_do() {
        let paths = ["chat/completions", "embeddings", "/rerank", "rerank"];
        let words = paths.map(operation);
        assert_eq!(words, ["chat", "embeddings", "rerank", "rerank"]);
    }
}
