//! Extracts the message from the error body of any server, without any part of the request that the server may have
//! echoed. Pure.

use crate::constants::{MESSAGE_CHARS_MAX, SEARCHED_BYTES_MAX};
use serde_json::Value;

/// The words of an error.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ErrorBody {
    /// The message as people read it, cut.
    pub(crate) message: String,
    /// Message, type and code in lower case, to search in.
    pub(crate) words: String,
    /// The context that llama.cpp names in a field of its own, in tokens.
    pub(crate) n_ctx: Option<u32>,
    /// The HTTP status that is meant, where a body names one: some servers send errors with 200.
    pub(crate) code: Option<u16>,
}

/// Reads an error body: `{"error": {…}}` (OpenAI and most), flat `{"object": "error", "message"}`
/// (older vLLM), `{"error": "text", "error_type"}` (TGI, Ollama, LM Studio), `{"detail": …}`
/// (FastAPI), or any other text.
pub(crate) fn read(body: &[u8]) -> ErrorBody {
    match serde_json::from_slice::<Value>(body) {
        Ok(json) => from_json(&json),
        Err(_) => {
            let text = String::from_utf8_lossy(&body[..body.len().min(SEARCHED_BYTES_MAX)]);
            said(text.trim(), &[])
        }
    }
}

/// The same for a body that was already parsed.
pub(crate) fn from_json(json: &Value) -> ErrorBody {
    let error = json.get("error").unwrap_or(json);
    let message = match error {
        Value::String(text) => text.clone(),
        error => error
            .get("message")
            .or_else(|| json.get("message"))
            .or_else(|| json.get("detail"))
            .map(message_text)
            .unwrap_or_else(|| error.to_string()),
    };
    let field = |name| error.get(name).or_else(|| json.get(name));
    let kinds = ["type", "code", "param", "error_type"].map(|name| field(name).map(plain));
    let kinds: Vec<String> = kinds.into_iter().flatten().collect();
    let mut said = said(&message, &kinds);
    let number = |name| field(name).and_then(Value::as_u64);
    said.n_ctx = number("n_ctx").and_then(|n| u32::try_from(n).ok());
    said.code = number("code").and_then(|n| u16::try_from(n).ok());
    said
}

fn said(message: &str, kinds: &[String]) -> ErrorBody {
    let mut words = message.to_lowercase();
    for kind in kinds {
        words.push(' ');
        words.push_str(&kind.to_lowercase());
    }
    words.truncate(words.floor_char_boundary(SEARCHED_BYTES_MAX));
    ErrorBody {
        message: message.chars().take(MESSAGE_CHARS_MAX).collect(),
        words,
        n_ctx: None,
        code: None,
    }
}

/// A message may be a list of complaints, each of which quotes the request: `input` is left out.
fn message_text(message: &Value) -> String {
    match message {
        Value::String(text) => text.clone(),
        Value::Array(complaints) => {
            let texts = complaints.iter().map(|complaint| {
                let parts = ["loc", "msg", "type"].map(|name| complaint.get(name).map(plain));
                parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
            });
            texts.collect::<Vec<_>>().join("; ")
        }
        other => other.to_string(),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn message(body: &str) -> String {
        read(body.as_bytes()).message
    }

    #[test]
    fn reads_every_shape() {
        for body in [
            r#"{"error":{"message":"too bad","type":"x","code":400}}"#,
            r#"{"object":"error","message":"too bad","type":"BadRequestError","code":400}"#,
            r#"{"error":"too bad","error_type":"validation"}"#,
            r#"{"error":"too bad"}"#,
            r#"{"detail":"too bad"}"#,
            "too bad",
            "\n too bad \n",
        ] {
            assert_eq!(message(body), "too bad", "{body}");
        }
        assert_eq!(message(""), "");
        assert_eq!(message("null"), "null");
    }

    #[test]
    fn leaves_out_what_the_server_echoes() {
        let said = read(
            br#"{"detail":[{"type":"literal_error","loc":["body","response_format","type"],
                "msg":"no such type","input":"a long prompt about context length"}]}"#,
        );
        assert!(said.words.contains("response_format"), "{said:?}");
        assert!(!said.words.contains("context"), "{said:?}");
    }

    #[test]
    fn keeps_kind_number_and_code() {
        let said = read(br#"{"error":{"code":400,"message":"M","type":"T","n_ctx":4096}}"#);
        assert_eq!(said.words, "m t 400");
        assert_eq!((said.n_ctx, said.code), (Some(4096), Some(400)));
    }

    proptest! {
        #[test]
        fn any_body_is_read_and_cut(body in proptest::collection::vec(any::<u8>(), 0..20_000)) {
            let said = read(&body);
            prop_assert!(said.message.chars().count() <= MESSAGE_CHARS_MAX);
            prop_assert!(said.words.len() <= SEARCHED_BYTES_MAX);
        }
    }
}
