//! The errors with which real servers reject a prompt that does not fit their context.

use serde_json::{Value, json};

/// Servers whose error for a prompt that is too long is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "one variant per server, by its name")]
pub enum OverflowWording {
    OpenAi,
    Vllm,
    VllmFlat,
    LlamaCpp,
    LlamaCppPython,
    Sglang,
    Tgi,
    Ollama,
    LmStudio,
}

impl OverflowWording {
    /// All of these servers.
    pub const ALL: [OverflowWording; 9] = [
        OverflowWording::OpenAi,
        OverflowWording::Vllm,
        OverflowWording::VllmFlat,
        OverflowWording::LlamaCpp,
        OverflowWording::LlamaCppPython,
        OverflowWording::Sglang,
        OverflowWording::Tgi,
        OverflowWording::Ollama,
        OverflowWording::LmStudio,
    ];

    /// Whether the error contains the size of the context.
    pub const fn names_limit(self) -> bool {
        !matches!(self, OverflowWording::Ollama)
    }

    /// Status and body of the error, for a prompt of `sent` tokens and a context of `limit` tokens.
    pub fn overflow(self, limit: u32, sent: u32) -> (u16, Value) {
        let openai = format!(
            "This model's maximum context length is {limit} tokens. However, you requested {sent} tokens."
        );
        match self {
            OverflowWording::OpenAi => (
                400,
                json!({"error": {"message": openai, "type": "invalid_request_error", "code": "context_length_exceeded"}}),
            ),
            OverflowWording::Vllm => (
                400,
                json!({"error": {"message": openai, "type": "BadRequestError", "param": null, "code": 400}}),
            ),
            OverflowWording::VllmFlat => (
                400,
                json!({"object": "error", "message": openai, "type": "BadRequestError", "param": null, "code": 400}),
            ),
            OverflowWording::LlamaCpp => (
                400,
                json!({"error": {"code": 400, "message": "the request exceeds the available context size, try increasing it", "type": "exceed_context_size_error", "n_prompt_tokens": sent, "n_ctx": limit}}),
            ),
            OverflowWording::LlamaCppPython => (
                500,
                json!({"error": {"message": format!("Requested tokens ({sent}) exceed context window of {limit}"), "type": "internal_server_error", "param": null, "code": null}}),
            ),
            OverflowWording::Sglang => (
                400,
                json!({"object": "error", "message": format!("The input ({sent} tokens) is longer than the model's context length ({limit} tokens)."), "type": "BadRequestError", "code": 400}),
            ),
            OverflowWording::Tgi => (
                422,
                json!({"error": format!("Input validation error: `inputs` tokens + `max_new_tokens` must be <= {limit}. Given: {sent} `inputs` tokens and 64 `max_new_tokens`"), "error_type": "validation"}),
            ),
            OverflowWording::Ollama => (
                400,
                json!({"error": "the input length exceeds the context length"}),
            ),
            // LM Studio sends its errors as if nothing had happened.
            OverflowWording::LmStudio => (
                200,
                json!({"error": format!("Trying to keep the first {sent} tokens when context the overflows. However, the model is loaded with context length of only {limit} tokens, which is not enough.")}),
            ),
        }
    }
}
