//! The two bodies of a call: what is sent to `/v1/chat/completions` and what is read from it. Tolerant of what servers
//! leave out, strict about what an answer needs. Pure.

use crate::asked::Asked;
use crate::classify::classify;
use crate::cut::PerWord;
use crate::error_body;
use crate::failure::Failure;
use crate::likely::Tokens;
use crate::stream::Streamed;
use crate::timings::{self, Timings};
use envelope::Usage;
use llm::{ChatRequest, TokenProbability, tokens};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The body of a request, which asks this of the node.
pub(crate) fn request(
    model: &str,
    temperature: f32,
    request: &ChatRequest,
    asked: Asked,
    stream: bool,
) -> Vec<u8> {
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        messages.push(json!({"role": "system", "content": request.system}));
    }
    messages.push(json!({"role": "user", "content": request.user}));
    let mut body = Map::new();
    body.insert("model".into(), model.into());
    body.insert("messages".into(), messages.into());
    body.insert("max_tokens".into(), request.max_tokens.into());
    body.insert("temperature".into(), temperature.into());
    body.insert("stream".into(), stream.into());
    if stream {
        body.insert("stream_options".into(), json!({"include_usage": true}));
    }
    if let (Some(schema), Some(dialect)) = (&request.schema, asked.json)
        && let Some(format) = dialect.response_format(schema)
    {
        body.insert("response_format".into(), format);
    }
    if asked.likely > 0 {
        body.insert("logprobs".into(), true.into());
        body.insert("top_logprobs".into(), asked.likely.into());
    }
    Value::Object(body).to_string().into_bytes()
}

/// The same request for an answer that comes at once.
pub(crate) fn whole(body: &[u8]) -> Vec<u8> {
    let mut body: Map<String, Value> = serde_json::from_slice(body).unwrap_or_default();
    body.insert("stream".into(), false.into());
    body.remove("stream_options");
    Value::Object(body).to_string().into_bytes()
}

/// What is read of an answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Answer {
    /// The text, without white space at its end.
    pub(crate) text: String,
    pub(crate) usage: Usage,
    /// Tokens that the node did not have to read again, where it says so.
    pub(crate) tokens_cached: u64,
    /// Tokens of the prompt by our estimate and by the node's count, where it counts.
    pub(crate) counted: Option<(u64, u64)>,
    /// Why it ended, in the node's word.
    pub(crate) finish: Option<String>,
    /// The probabilities of its tokens, where the node says them.
    pub(crate) tokens: Vec<TokenProbability>,
    /// How long the node says that it took.
    pub(crate) timings: Option<Timings>,
    /// The node read far fewer tokens than were sent: it cut the prompt, as Ollama does without saying so.
    pub(crate) prompt_cut: bool,
}

#[derive(Deserialize)]
struct Completion {
    #[serde(default)]
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Option<Counts>,
    #[serde(default, deserialize_with = "timings::tolerant")]
    timings: Option<Timings>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
    #[serde(default)]
    finish_reason: Option<String>,
    #[serde(default)]
    logprobs: Value,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    content: Value,
}

/// Tokens, as a node counts them.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Counts {
    #[serde(default)]
    prompt_tokens: Option<u64>,
    #[serde(default)]
    completion_tokens: Option<u64>,
    #[serde(default)]
    prompt_tokens_details: Option<PromptCounts>,
}

#[derive(Debug, Deserialize)]
struct PromptCounts {
    #[serde(default)]
    cached_tokens: Option<u64>,
}

/// Reads the body of an answer with status 200. Some servers put their errors there, too.
pub(crate) fn answer(
    body: &[u8],
    request: &ChatRequest,
    asked: Asked,
    per_word: &PerWord,
) -> Result<Answer, Failure> {
    let garbled = |reason: String| Failure::Garbled { reason };
    let json: Value =
        serde_json::from_slice(body).map_err(|error| garbled(format!("no JSON: {error}")))?;
    if json.get("error").is_some_and(|error| !error.is_null()) {
        let said = error_body::from_json(&json);
        let status = said.code.filter(|code| (400..600).contains(code));
        return Err(classify(status.unwrap_or(400), said, None, asked));
    }
    let completion: Completion =
        serde_json::from_value(json).map_err(|error| garbled(format!("no completion: {error}")))?;
    let Some(choice) = completion.choices.into_iter().next() else {
        return Err(garbled("no choice in the completion".into()));
    };
    let text = text(&choice.message.content);
    let finish = choice.finish_reason;
    let answer = written(&text, finish, completion.usage, request, per_word)?;
    let mut tokens = Tokens::default();
    tokens.push(&choice.logprobs, asked);
    Ok(Answer {
        tokens: tokens.end(),
        timings: completion.timings,
        ..answer
    })
}

pub(crate) fn streamed(
    streamed: Streamed,
    request: &ChatRequest,
    per_word: &PerWord,
) -> Result<Answer, Failure> {
    let Streamed {
        text,
        finish,
        counts,
        tokens,
        timings,
        ..
    } = streamed;
    let answer = written(&text, finish, counts, request, per_word)?;
    Ok(Answer {
        tokens: tokens.end(),
        timings,
        ..answer
    })
}

fn written(
    text: &str,
    finish: Option<String>,
    counts: Option<Counts>,
    request: &ChatRequest,
    per_word: &PerWord,
) -> Result<Answer, Failure> {
    // Grammars allow white space without end, and small models then write nothing else.
    let text = text.trim_end();
    if text.is_empty() {
        let finish = finish.as_deref().unwrap_or("unknown");
        let reason = format!("empty answer, finish reason `{finish}`");
        return Err(Failure::Empty { reason });
    }
    let answer = Answer {
        finish,
        ..counted(text, counts, request, per_word)
    };
    match answer.prompt_cut {
        // What was answered was not what was asked.
        true => Err(Failure::TooLong {
            limit: u32::try_from(answer.usage.tokens_in).ok(),
        }),
        false => Ok(answer),
    }
}

/// Content is a text or a list of parts, of which those of type text count.
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

/// Estimated tokens of a prompt.
pub(crate) fn sent(request: &ChatRequest) -> u64 {
    u64::from(tokens::estimate(&request.system) + tokens::estimate(&request.user))
}

fn words(request: &ChatRequest) -> u64 {
    let words = |text: &str| text.split_whitespace().count() as u64;
    words(&request.system) + words(&request.user)
}

fn counted(
    text: &str,
    counts: Option<Counts>,
    request: &ChatRequest,
    per_word: &PerWord,
) -> Answer {
    let sent = sent(request);
    let written = || u64::from(tokens::estimate(text));
    let counts = counts.unwrap_or_default();
    let read = counts.prompt_tokens.filter(|read| *read > 0);
    let cached = counts.prompt_tokens_details.and_then(|d| d.cached_tokens);
    Answer {
        text: text.into(),
        usage: Usage {
            calls: 1,
            tokens_in: read.unwrap_or(sent),
            tokens_out: counts
                .completion_tokens
                .filter(|written| *written > 0)
                .unwrap_or_else(written),
            ..Usage::default()
        },
        tokens_cached: cached.unwrap_or(0),
        counted: read.map(|read| (sent, read)),
        finish: None,
        tokens: Vec::new(),
        timings: None,
        prompt_cut: read.is_some_and(|read| per_word.was_cut(words(request), read)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::JsonDialect;
    use envelope::Role;
    use proptest::prelude::*;

    fn asked(user: &str) -> ChatRequest {
        ChatRequest {
            schema: Some(llm::ReplySchema {
                name: "facts",
                json: json!({"type": "object"}),
            }),
            ..testkit::model::request(Role::Mapper, user)
        }
    }

    const JSON: Asked = Asked {
        json: Some(JsonDialect::JsonSchema),
        likely: 0,
        tokens_max: 64,
    };

    /// By a node of which nothing is known.
    fn read_as(body: &[u8], request: &ChatRequest, asked: Asked) -> Result<Answer, Failure> {
        answer(body, request, asked, &PerWord::default())
    }

    fn read(body: &str) -> Result<Answer, Failure> {
        read_as(body.as_bytes(), &asked("Who?"), JSON)
    }

    #[test]
    fn sends_what_the_protocol_asks_for() {
        let body = request("tiny", 0.5, &asked("Who?"), JSON, false);
        let body: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(body["model"], "tiny");
        assert_eq!(body["messages"][0]["role"], "system");
        assert_eq!(
            body["messages"][1],
            json!({"role": "user", "content": "Who?"})
        );
        assert_eq!(body["max_tokens"], 64);
        assert_eq!(body["temperature"], 0.5);
        assert_eq!(body["stream"], false);
        assert_eq!(body["response_format"]["type"], "json_schema");
        assert_eq!(body.get("logprobs"), None);
        assert_eq!(body.get("top_logprobs"), None);
        let mut bare = asked("Who?");
        bare.system.clear();
        bare.schema = None;
        let body = request("tiny", 0.0, &bare, JSON, true);
        let body: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(body["stream"], true);
        assert_eq!(body["stream_options"]["include_usage"], true);
        assert_eq!(body["messages"][0]["role"], "user");
        assert_eq!(body.get("response_format"), None);
        let likely = Asked { likely: 5, ..JSON };
        let streamed = request("tiny", 0.0, &bare, likely, true);
        let at_once = request("tiny", 0.0, &bare, likely, false);
        let body: Value = serde_json::from_slice(&streamed).unwrap();
        assert_eq!(
            (&body["logprobs"], &body["top_logprobs"]),
            (&json!(true), &json!(5))
        );
        assert_eq!(whole(&streamed), at_once);
    }

    #[test]
    fn reads_text_and_counts() {
        let answer = read(
            r#"{"choices":[{"message":{"content":"{\"a\":1} \n\n "},"finish_reason":"stop"}],
                "usage":{"prompt_tokens":12,"completion_tokens":5,
                         "prompt_tokens_details":{"cached_tokens":8}}}"#,
        )
        .unwrap();
        assert_eq!(answer.text, "{\"a\":1}");
        assert_eq!((answer.usage.calls, answer.tokens_cached), (1, 8));
        assert_eq!((answer.usage.tokens_in, answer.usage.tokens_out), (12, 5));
    }

    #[test]
    fn reads_probabilities_only_where_they_were_asked_for() {
        let content = json!([{"token": "x", "logprob": -0.5, "top_logprobs": []}]);
        let body =
            json!({"choices": [{"message": {"content": "x"}, "logprobs": {"content": content}}]});
        let body = body.to_string();
        let likely = Asked { likely: 1, ..JSON };
        for (asked_for, tokens) in [(likely, 1), (JSON, 0)] {
            let answer = read_as(body.as_bytes(), &asked("Who?"), asked_for).unwrap();
            assert_eq!(answer.tokens.len(), tokens);
        }
    }

    #[test]
    fn estimates_what_is_not_counted() {
        for usage in ["", r#","usage":null"#, r#","usage":{"prompt_tokens":0}"#] {
            let body = format!(r#"{{"choices":[{{"message":{{"content":"abcdefgh"}}}}]{usage}}}"#);
            let answer = read(&body).unwrap();
            let sent = u64::from(tokens::estimate("Be brief.") + tokens::estimate("Who?"));
            assert_eq!((answer.usage.tokens_in, answer.usage.tokens_out), (sent, 2));
        }
    }

    #[test]
    fn joins_parts() {
        let body = r#"{"choices":[{"message":{"content":[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}]}}]}"#;
        assert_eq!(read(body).unwrap().text, "ab");
    }

    #[test]
    fn notices_a_prompt_that_was_cut() {
        let body = r#"{"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":2000}}"#;
        let long = asked(&"word ".repeat(4000));
        let cut = read_as(body.as_bytes(), &long, Asked::default()).unwrap_err();
        assert_eq!(cut, Failure::TooLong { limit: Some(2000) });
    }

    #[test]
    fn an_alphabet_of_few_tokens_is_not_taken_for_a_cut_prompt() {
        let body = r#"{"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":2100}}"#;
        let russian = asked(&"договор ".repeat(1200));
        assert!(sent(&russian) > 8_000);
        let read = read_as(body.as_bytes(), &russian, Asked::default()).unwrap();
        assert_eq!(read.usage.tokens_in, 2100);
        let table = asked(&format!("{}7", " ".repeat(9)).repeat(1500));
        assert!(read_as(body.as_bytes(), &table, Asked::default()).is_ok());
    }

    #[test]
    fn nothing_but_white_space_is_empty() {
        for content in [r#""""#, r#"" \n\t\n ""#, "null", "[]"] {
            let body = format!(r#"{{"choices":[{{"message":{{"content":{content}}}}}]}}"#);
            assert!(matches!(read(&body), Err(Failure::Empty { .. })), "{body}");
        }
    }

    #[test]
    fn what_is_no_completion_is_garbled() {
        for body in [
            "",
            "<html>",
            "[]",
            "{}",
            r#"{"choices":[]}"#,
            r#"{"choices":[{}]}"#,
        ] {
            assert!(matches!(read(body), Err(Failure::Garbled { .. })), "{body}");
        }
    }

    #[test]
    fn an_error_under_status_200_keeps_its_class() {
        let got = read(r#"{"error":{"message":"Context size has been exceeded (4096)"}}"#);
        assert!(matches!(got, Err(Failure::TooLong { .. })), "{got:?}");
        let got = read(r#"{"error":{"code":503,"message":"Loading model"}}"#);
        assert!(matches!(got, Err(Failure::Busy { .. })), "{got:?}");
        let got = read(r#"{"error":"no such field"}"#);
        assert!(matches!(got, Err(Failure::Refused { status: 400, .. })));
    }

    proptest! {
        #[test]
        fn a_reply_of_any_bytes_does_not_panic(body in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = read_as(&body, &asked("Who?"), Asked::default());
        }

        #[test]
        fn text_comes_back_without_its_end(text in "\\PC{1,40}") {
            let body = json!({"choices": [{"message": {"content": format!("x{text}\n\n")}}]});
            let answer = read(&body.to_string()).unwrap();
            let wanted = format!("x{text}");
            prop_assert_eq!(answer.text, wanted.trim_end());
        }
    }
}
