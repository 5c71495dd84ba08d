//! Tests of the classification with the error bodies of every server.

use super::*;
use crate::dialect::JsonDialect;
use crate::error_body;
use proptest::prelude::*;

const BUSY: Option<Duration> = Some(Duration::from_secs(3));

fn meaning(status: u16, body: &str) -> Failure {
    classify(
        status,
        error_body::read(body.as_bytes()),
        None,
        Asked::default(),
    )
}

fn with_schema(status: u16, body: &str, asked: JsonDialect) -> Failure {
    let asked = Asked {
        json: Some(asked),
        ..Asked::default()
    };
    classify(status, error_body::read(body.as_bytes()), None, asked)
}

/// Server, status, body, limit.
const TOO_LONG: &[(&str, u16, &str, Option<u32>)] = &[
    (
        "openai",
        400,
        r#"{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9100 tokens. Please reduce the length of the messages.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}"#,
        Some(8192),
    ),
    (
        "openai newer",
        400,
        r#"{"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.","code":"context_length_exceeded"}}"#,
        None,
    ),
    (
        "vllm",
        400,
        r#"{"error":{"message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4500 in the messages, 500 in the completion). Please reduce the length of the messages or completion.","type":"BadRequestError","param":null,"code":400}}"#,
        Some(4096),
    ),
    (
        "vllm flat",
        400,
        r#"{"object":"error","message":"This model's maximum context length is 2048 tokens. However, you requested 2561 tokens (2049 in the messages, 512 in the completion). Please reduce the length of the messages or completion.","type":"BadRequestError","param":null,"code":400}"#,
        Some(2048),
    ),
    (
        "vllm max_tokens",
        400,
        r#"{"error":{"message":"'max_tokens' or 'max_completion_tokens' is too large: 500. This model's maximum context length is 4096 tokens and your request has 4000 input tokens (500 > 4096 - 4000).","type":"BadRequestError","code":400}}"#,
        Some(4096),
    ),
    (
        "vllm passed",
        400,
        r#"{"error":{"message":"You passed 5001 input tokens and requested 100 output tokens. However, the model's context length is only 4096 tokens, resulting in a maximum input length of 3996 tokens. Please reduce the length of the input prompt.","type":"BadRequestError","param":"input_tokens","code":400}}"#,
        Some(4096),
    ),
    (
        "vllm decoder",
        400,
        r#"{"error":{"message":"The decoder prompt (length 5000) is longer than the maximum model length of 4096. Make sure that `max_model_len` is no smaller than the number of text tokens.","type":"BadRequestError","code":400}}"#,
        Some(4096),
    ),
    (
        "llama.cpp",
        400,
        r#"{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":5000,"n_ctx":4096}}"#,
        Some(4096),
    ),
    (
        "llama.cpp newer",
        400,
        r#"{"error":{"code":400,"message":"request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error"}}"#,
        Some(4096),
    ),
    (
        "llama.cpp batch",
        500,
        r#"{"error":{"code":500,"message":"input is too large to process. increase the physical batch size","type":"server_error"}}"#,
        None,
    ),
    (
        "llama-cpp-python",
        400,
        r#"{"error":{"message":"This model's maximum context length is 2048 tokens, however you requested 3000 tokens (2500 in your prompt; 500 for the completion). Please reduce your prompt; or completion length.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}"#,
        Some(2048),
    ),
    (
        "llama-cpp-python 500",
        500,
        r#"{"error":{"message":"Requested tokens (3000) exceed context window of 2048","type":"internal_server_error","param":null,"code":null}}"#,
        Some(2048),
    ),
    (
        "sglang",
        400,
        r#"{"object":"error","message":"The input (5000 tokens) is longer than the model's context length (4096 tokens).","type":"BadRequestError","param":null,"code":400}"#,
        Some(4096),
    ),
    (
        "sglang total",
        400,
        r#"{"object":"error","message":"Requested token count exceeds the model's maximum context length of 4096 tokens. You requested a total of 5000 tokens: 4500 tokens from the input messages and 500 tokens for the completion.","type":"BadRequestError","code":400}"#,
        Some(4096),
    ),
    (
        "tgi",
        422,
        r#"{"error":"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 500 `max_new_tokens`","error_type":"validation"}"#,
        Some(4096),
    ),
    (
        "tgi inputs",
        422,
        r#"{"error":"Input validation error: `inputs` must have less than 4095 tokens. Given: 5000","error_type":"validation"}"#,
        Some(4095),
    ),
    (
        "ollama",
        400,
        r#"{"error":"the input length exceeds the context length"}"#,
        None,
    ),
    (
        "ollama prompt",
        400,
        r#"{"error":{"message":"prompt too long; exceeded max context length by 300 tokens","type":"api_error"}}"#,
        None,
    ),
    (
        "lm studio",
        400,
        r#"{"error":"Trying to keep the first 15857 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input"}"#,
        Some(4096),
    ),
    (
        "mistral",
        400,
        r#"{"object":"error","message":"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length","type":"invalid_request_prompt"}"#,
        Some(32768),
    ),
    (
        "anthropic",
        400,
        r#"{"error":{"type":"invalid_request_error","message":"prompt is too long: 200001 tokens > 200000 maximum"}}"#,
        Some(200_000),
    ),
    (
        "xai",
        400,
        r#"{"error":"This model's maximum prompt length is 131072 but the request contains 537812 tokens."}"#,
        Some(131_072),
    ),
    (
        "groq",
        400,
        r#"{"error":{"message":"Please reduce the length of the messages or completion.","type":"invalid_request_error","code":"context_length_exceeded"}}"#,
        None,
    ),
    (
        "openrouter",
        400,
        r#"{"error":{"message":"This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens (39000 of text input, 1000 in the output).","code":400}}"#,
        Some(32768),
    ),
    (
        "a gateway",
        413,
        "<html><h1>413 Request Entity Too Large</h1></html>",
        None,
    ),
    (
        "plain text",
        400,
        "Input length (5000) exceeds model's maximum context length (4096).",
        Some(4096),
    ),
];

#[test]
fn a_prompt_that_is_too_long_is_known_by_every_wording() {
    for (server, status, body, limit) in TOO_LONG {
        let wanted = Failure::TooLong { limit: *limit };
        assert_eq!(meaning(*status, body), wanted, "{server}");
        let asked = with_schema(*status, body, JsonDialect::JsonSchema);
        assert_eq!(asked, wanted, "{server}, asked for a schema");
    }
}

/// Server, status, body.
const FORMAT_REJECTED: &[(&str, u16, &str)] = &[
    (
        "llama-cpp-python",
        500,
        r#"{"error":{"message":"[{'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), 'msg': \"Input should be 'text' or 'json_object'\", 'input': 'json_schema', 'ctx': {'expected': \"'text' or 'json_object'\"}}]","type":"internal_server_error","param":null,"code":null}}"#,
    ),
    (
        "llama.cpp before 2024-09",
        500,
        r#"{"error":{"code":500,"message":"response_format type must be one of \"text\" or \"json_object\", but got: json_schema","type":"server_error"}}"#,
    ),
    (
        "llama.cpp",
        400,
        r#"{"error":{"code":400,"message":"Either \"json_schema\" or \"grammar\" can be specified, but not both","type":"invalid_request_error"}}"#,
    ),
    (
        "fastapi",
        422,
        r#"{"detail":[{"type":"literal_error","loc":["body","response_format","type"],"msg":"Input should be 'text' or 'json_object'","input":"json_schema"}]}"#,
    ),
    (
        "deepseek",
        400,
        r#"{"error":{"message":"This response_format type is unavailable now","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}"#,
    ),
    (
        "lm studio",
        400,
        r#"{"error":"'response_format.type' must be 'json_schema' or 'text'"}"#,
    ),
    (
        "rust servers",
        422,
        "Failed to deserialize the JSON body into the target type: response_format.type: unknown variant `json_schema`, expected `text` or `json_object`",
    ),
    (
        "openai",
        400,
        r#"{"error":{"message":"Invalid schema for response_format 'plan': 'additionalProperties' is required","type":"invalid_request_error","param":"response_format","code":null}}"#,
    ),
    (
        "vllm",
        400,
        r#"{"error":{"message":"The provided JSON schema contains features not supported by xgrammar.","type":"BadRequestError","code":400}}"#,
    ),
];

#[test]
fn a_rejected_format_is_known_only_where_one_was_asked_for() {
    for (server, status, body) in FORMAT_REJECTED {
        for asked in [JsonDialect::JsonSchema, JsonDialect::JsonObject] {
            let got = with_schema(*status, body, asked);
            assert!(matches!(got, Failure::Dialect { .. }), "{server}: {got:?}");
        }
        for got in [
            meaning(*status, body),
            with_schema(*status, body, JsonDialect::Plain),
        ] {
            assert!(!matches!(got, Failure::Dialect { .. }), "{server}: {got:?}");
        }
    }
}

/// Server, status, body.
const LIKELY_REJECTED: &[(&str, u16, &str)] = &[
    (
        "openai",
        400,
        r#"{"error":{"message":"This model does not support the 'logprobs' parameter.","type":"invalid_request_error","param":"logprobs","code":null}}"#,
    ),
    (
        "gemini",
        400,
        r#"{"error":{"code":400,"message":"Logprobs is not enabled for models/gemini-2.5-pro","status":"INVALID_ARGUMENT"}}"#,
    ),
    (
        "together",
        400,
        r#"{"error":{"message":"5 is greater than the maximum of 1 - 'logprobs'","type":"invalid_request_error","param":"logprobs","code":null}}"#,
    ),
    (
        "llama-cpp-python",
        500,
        r#"{"error":{"message":"logprobs is not supported for models created with logits_all=False","type":"internal_server_error","code":null}}"#,
    ),
    (
        "fastapi",
        422,
        r#"{"detail":[{"type":"extra_forbidden","loc":["body","top_logprobs"],"msg":"Extra inputs are not permitted","input":5}]}"#,
    ),
];

#[test]
fn rejected_probabilities_are_known_only_where_they_were_asked_for() {
    let likely = Asked {
        json: Some(JsonDialect::JsonSchema),
        likely: 5,
        tokens_max: 9,
    };
    let rejected = |failure| match failure {
        Failure::Dialect { rejected, .. } => Some(rejected),
        _ => None,
    };
    let said = |body: &str| error_body::read(body.as_bytes());
    for (server, status, body) in LIKELY_REJECTED {
        let got = classify(*status, said(body), None, likely);
        assert_eq!(rejected(got), Some(Rejected::Likely), "{server}");
        let got = with_schema(*status, body, JsonDialect::JsonSchema);
        assert_eq!(rejected(got), None, "{server}");
    }
    let (_, status, body) = FORMAT_REJECTED[0];
    let json = Some(Rejected::Json(JsonDialect::JsonSchema));
    assert_eq!(rejected(classify(status, said(body), None, likely)), json);
}

#[test]
fn what_may_pass_is_told_from_what_will_not() {
    let busy = |status, body: &str| {
        classify(
            status,
            error_body::read(body.as_bytes()),
            BUSY,
            Asked::default(),
        )
    };
    for (status, body) in [
        (
            429,
            r#"{"error":"Model is overloaded","error_type":"overloaded"}"#,
        ),
        (
            429,
            r#"{"error":{"message":"Request too large for model on tokens per min (TPM): Limit 6000. Please reduce the length of the messages"}}"#,
        ),
        (
            503,
            r#"{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}"#,
        ),
        (
            503,
            r#"{"error":"server busy, please try again. maximum pending requests exceeded"}"#,
        ),
        (503, "upstream connect error"),
    ] {
        assert_eq!(
            busy(status, body),
            Failure::Busy { retry_after: BUSY },
            "{body}"
        );
    }
    for status in [408, 500, 502, 504, 522] {
        let got = busy(status, "oh");
        assert!(
            matches!(
                got,
                Failure::Down {
                    retry_after: BUSY,
                    ..
                }
            ),
            "{status}"
        );
    }
    for (status, body) in [
        (400, r#"{"error":{"message":"messages must not be empty"}}"#),
        (
            401,
            r#"{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}"#,
        ),
        (403, "no"),
        (
            404,
            r#"{"error":{"message":"The model `x` does not exist.","type":"NotFoundError","code":404}}"#,
        ),
        (
            404,
            r#"{"error":{"message":"model 'x' not found, try pulling it first"}}"#,
        ),
        (301, ""),
        (501, ""),
    ] {
        let got = busy(status, body);
        assert!(
            matches!(got, Failure::Refused { status: s, .. } if s == status),
            "{got:?}"
        );
    }
}

#[test]
fn an_echoed_prompt_does_not_decide() {
    let body = r#"{"detail":[{"type":"string_type","loc":["body","model"],"msg":"Input should be a valid string","input":{"user":"What is a context window? What is a schema?"}}]}"#;
    let got = with_schema(422, body, JsonDialect::JsonSchema);
    assert!(
        matches!(got, Failure::Refused { status: 422, .. }),
        "{got:?}"
    );
}

#[test]
fn a_number_that_cannot_be_a_context_is_none() {
    let got = meaning(400, r#"{"error":"context length 3 of 99999999999"}"#);
    assert_eq!(got, Failure::TooLong { limit: None });
}

proptest! {
    #[test]
    fn every_status_and_body_means_something(status in 100u16..600, body in "\\PC{0,200}") {
        let _ = with_schema(status, &body, JsonDialect::JsonSchema);
    }

    #[test]
    fn a_limit_is_read_wherever_it_stands(
        before in "[a-z ]{0,20}", limit in 128u32..2_000_000, after in "[ .,)][a-z ]{0,20}",
    ) {
        let body = format!("{before} maximum context length is {limit}{after}");
        prop_assert_eq!(meaning(400, &body), Failure::TooLong { limit: Some(limit) });
    }
}
