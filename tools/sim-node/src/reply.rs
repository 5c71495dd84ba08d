//! The bodies of answers, whole and in pieces. Pure.

use serde_json::{Value, json};

/// What an answer cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) prompt_tokens: u32,
    pub(crate) cached_tokens: u32,
    pub(crate) completion_tokens: u32,
}

/// Why an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Finish {
    Stop,
    Length,
}

impl Finish {
    const fn as_str(self) -> &'static str {
        match self {
            Finish::Stop => "stop",
            Finish::Length => "length",
        }
    }
}

/// The names that all bodies of one answer carry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Label {
    pub(crate) id: String,
    pub(crate) model: String,
}

impl Usage {
    fn json(self) -> Value {
        json!({
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "total_tokens": self.prompt_tokens + self.completion_tokens,
            "prompt_tokens_details": {"cached_tokens": self.cached_tokens},
        })
    }
}

/// A whole answer, with the probabilities of its tokens where they were asked for.
pub(crate) fn completion(
    label: &Label,
    text: &str,
    likely: Option<Value>,
    finish: Finish,
    usage: Usage,
) -> String {
    let mut choice = json!({"index": 0, "message": {"role": "assistant", "content": text},
                            "finish_reason": finish.as_str()});
    if let Some(likely) = likely {
        choice["logprobs"] = likely;
    }
    json!({
        "id": label.id, "object": "chat.completion", "created": 0, "model": label.model,
        "choices": [choice],
        "usage": usage.json(),
    })
    .to_string()
}

/// A piece of a streamed answer, with the probabilities of its tokens where they were asked for; the first one names
/// the role.
pub(crate) fn piece(label: &Label, text: &str, likely: Option<Value>, is_first: bool) -> String {
    let delta = match is_first {
        true => json!({"role": "assistant", "content": text}),
        false => json!({"content": text}),
    };
    let mut choice = json!({"index": 0, "delta": delta, "finish_reason": null});
    if let Some(likely) = likely {
        choice["logprobs"] = likely;
    }
    event(label, json!([choice]), None)
}

/// The end of a streamed answer, with what it cost where that was asked for.
pub(crate) fn end(label: &Label, finish: Finish, usage: Option<Usage>) -> String {
    let choices = json!([{"index": 0, "delta": {}, "finish_reason": finish.as_str()}]);
    let mut text = event(label, choices, None);
    if let Some(usage) = usage {
        text.push_str(&event(label, json!([]), Some(usage)));
    }
    text.push_str("data: [DONE]\n\n");
    text
}

fn event(label: &Label, choices: Value, usage: Option<Usage>) -> String {
    let mut body = json!({
        "id": label.id, "object": "chat.completion.chunk", "created": 0, "model": label.model,
        "choices": choices,
    });
    if let Some(usage) = usage {
        body["usage"] = usage.json();
    }
    format!("data: {body}\n\n")
}

/// Vectors for texts.
pub(crate) fn embeddings(model: &str, vectors: &[Vec<f32>], prompt_tokens: u32) -> String {
    let data = vectors.iter().enumerate();
    let data = data
        .map(|(index, vector)| json!({"object": "embedding", "index": index, "embedding": vector}));
    json!({
        "object": "list", "model": model, "data": data.collect::<Vec<_>>(),
        "usage": {"prompt_tokens": prompt_tokens, "total_tokens": prompt_tokens},
    })
    .to_string()
}

/// The part of a text that so many tokens are, from one count to another.
pub(crate) fn slice(text: &str, from: u32, to: u32) -> &str {
    let at = |tokens: u32| {
        let byte = (tokens as usize * crate::request::TOKEN_BYTES).min(text.len());
        text.ceil_char_boundary(byte)
    };
    &text[at(from)..at(to)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_add_up_to_the_text() {
        for text in ["", "abc", "abcdefghi", "ünïcödé and 日本語 as well"] {
            let tokens = crate::request::tokens(text.len());
            let joined: String = (0..tokens).map(|n| slice(text, n, n + 1)).collect();
            assert_eq!(joined, text);
        }
    }
}
