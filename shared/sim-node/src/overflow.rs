//! How the servers that people run say that a prompt does not fit their context.

use serde_json::{Value, json};

/// Servers whose wording of an overflow is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "one variant per server, by its name")]
pub enum Server {
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

impl Server {
    /// Every one.
    pub const ALL: [Server; 9] = [
        Server::OpenAi,
        Server::Vllm,
        Server::VllmFlat,
        Server::LlamaCpp,
        Server::LlamaCppPython,
        Server::Sglang,
        Server::Tgi,
        Server::Ollama,
        Server::LmStudio,
    ];

    /// Whether its overflow names the size of the context.
    pub const fn names_limit(self) -> bool {
        !matches!(self, Server::Ollama)
    }

    /// Status and body of its overflow, for a prompt of `sent` tokens and a context of `limit`.
    pub fn overflow(self, limit: u32, sent: u32) -> (u16, Value) {
        let openai = format!(
            "This model's maximum context length is {limit} tokens. However, you requested {sent} tokens."
        );
        match self {
            Server::OpenAi => (
                400,
                json!({"error": {"message": openai, "type": "invalid_request_error", "code": "context_length_exceeded"}}),
            ),
            Server::Vllm => (
                400,
                json!({"error": {"message": openai, "type": "BadRequestError", "param": null, "code": 400}}),
            ),
            Server::VllmFlat => (
                400,
                json!({"object": "error", "message": openai, "type": "BadRequestError", "param": null, "code": 400}),
            ),
            Server::LlamaCpp => (
                400,
                json!({"error": {"code": 400, "message": "the request exceeds the available context size, try increasing it", "type": "exceed_context_size_error", "n_prompt_tokens": sent, "n_ctx": limit}}),
            ),
            Server::LlamaCppPython => (
                500,
                json!({"error": {"message": format!("Requested tokens ({sent}) exceed context window of {limit}"), "type": "internal_server_error", "param": null, "code": null}}),
            ),
            Server::Sglang => (
                400,
                json!({"object": "error", "message": format!("The input ({sent} tokens) is longer than the model's context length ({limit} tokens)."), "type": "BadRequestError", "code": 400}),
            ),
            Server::Tgi => (
                422,
                json!({"error": format!("Input validation error: `inputs` tokens + `max_new_tokens` must be <= {limit}. Given: {sent} `inputs` tokens and 64 `max_new_tokens`"), "error_type": "validation"}),
            ),
            Server::Ollama => (
                400,
                json!({"error": "the input length exceeds the context length"}),
            ),
            // LM Studio sends its errors as if nothing had happened.
            Server::LmStudio => (
                200,
                json!({"error": format!("Trying to keep the first {sent} tokens when context the overflows. However, the model is loaded with context length of only {limit} tokens, which is not enough.")}),
            ),
        }
    }
}
