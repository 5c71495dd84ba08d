//! Classifies a rejected call by status **and** body: servers use the same status for a prompt that is too long, a
//! schema that they do not know and a wrong request. Pure and table-driven; the error texts are those of the servers'
//! releases up to late 2026.

use crate::asked::{Asked, Rejected};
use crate::error_body::ErrorBody;
use crate::failure::Failure;
use std::time::Duration;

/// Words by which a server says that the prompt does not fit, in lower case.
const OVERFLOW: &[&str] = &[
    // OpenAI, vLLM, SGLang, llama-cpp-python, OpenRouter; also vLLM's newer "context length is only".
    "context length",
    "context_length",
    // llama.cpp's type and message, also as Ollama and LM Studio pass them on.
    "exceed_context_size",
    "context size",
    // llama-cpp-python before its OpenAI wording, OpenAI's newer endpoints, z.ai.
    "context window",
    "context_window",
    // vLLM for prompts that are too long by themselves.
    "maximum model length",
    // LM Studio.
    "context the overflows",
    "context overflow",
    // Ollama.
    "prompt too long",
    // Anthropic's compatible endpoint and proxies in front of it.
    "prompt is too long",
    // xAI.
    "maximum prompt length",
    // TGI: the sum, and the inputs alone.
    "`inputs` tokens + `max_new_tokens` must be",
    "`inputs` must have less than",
    // Groq, and vLLM without a number.
    "reduce the length of the",
    // llama.cpp for inputs over the physical batch.
    "too large to process",
    // Poolside and others in front of vLLM.
    "maximum allowed input length",
];

/// Words after which the size of the context stands; the first that is found counts.
const LIMIT: &[&str] = &[
    "maximum context length is",
    "maximum context length of",
    "maximum context length",
    "context length is only",
    "context length of only",
    "context length of",
    "context length is",
    "context length",
    "available context size",
    "context size",
    "context window of",
    "context window",
    "maximum model length of",
    "maximum model length",
    "too large for model with",
    "maximum prompt length is",
    "`max_new_tokens` must be <=",
    "must have less than",
    "maximum allowed input length of",
    "tokens >",
];

/// Words by which a server says that it was asked for JSON in a way it does not know.
const FORMAT: &[&str] = &[
    "response_format",
    "response format",
    "json_schema",
    "json_object",
    "schema",
    "grammar",
    "structured output",
    "guided",
];

/// A word by which a server says that it does not say probabilities, or not so many. Gemini, vLLM on Gaudi and older
/// OpenAI models do so with 400, llama-cpp-python with 500.
const LIKELY: &[&str] = &["logprob"];

/// Classifies the reply of a node with status `status` and body `said` to a call that asked for this.
pub(crate) fn classify(
    status: u16,
    said: ErrorBody,
    retry_after: Option<Duration>,
    asked: Asked,
) -> Failure {
    let about_the_request = matches!(status, 400 | 413 | 422 | 500);
    if status == 413 || (about_the_request && mentions(&said.words, OVERFLOW)) {
        return Failure::TooLong {
            limit: said.n_ctx.or_else(|| limit(&said.words)),
        };
    }
    if about_the_request && let Some(rejected) = rejected(&said.words, asked) {
        return Failure::Dialect {
            message: said.message,
            rejected,
        };
    }
    match status {
        429 => Failure::Busy { retry_after },
        // llama.cpp says 503 while it loads a model, others when their queue is full.
        503 | 529 => Failure::Busy { retry_after },
        408 | 425 | 500 | 502 | 504 | 520..=528 => Failure::Down {
            reason: format!("status {status}: {}", said.message),
            retry_after,
        },
        _ => Failure::Refused {
            status,
            message: said.message,
        },
    }
}

/// What of the request the words are about. Probabilities come first: an answer is worth more without them than
/// without its form.
fn rejected(words: &str, asked: Asked) -> Option<Rejected> {
    if asked.likely > 0 && mentions(words, LIKELY) {
        return Some(Rejected::Likely);
    }
    let json = asked.json.filter(|dialect| dialect.weaker().is_some())?;
    mentions(words, FORMAT).then_some(Rejected::Json(json))
}

fn mentions(words: &str, table: &[&str]) -> bool {
    table.iter().any(|phrase| words.contains(phrase))
}

/// The size of the context in tokens, where the words name it.
fn limit(words: &str) -> Option<u32> {
    LIMIT.iter().find_map(|phrase| {
        words
            .match_indices(phrase)
            .find_map(|(at, _)| number(&words[at + phrase.len()..]))
    })
}

/// The number that `text` begins with, after a few signs like ` (`: only one that can be a context.
fn number(text: &str) -> Option<u32> {
    let text = text.trim_start_matches([' ', '(', ':', '=', '\'', '"', '`']);
    let digits = text.find(|c: char| !c.is_ascii_digit());
    let number: u32 = text[..digits.unwrap_or(text.len())].parse().ok()?;
    (number >= 128).then_some(number)
}

#[cfg(test)]
#[path = "classify_tests.rs"]
mod tests;
