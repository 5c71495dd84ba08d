//! Answers of the model that were given before, kept by somebody who outlives an indexer.
//!
//! *Not* a part of the pipeline: whoever asks does the same with a kept answer as with a fresh one, and an
//! answer that is lost is asked for again.

use documents::document::sha256_hex;
use llm::{BoxFuture, ChatRequest};

/// Where answers are kept.
pub trait Answers: Send + Sync + 'static {
    /// The answer that was kept under this key, while it is there.
    fn find<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Option<String>>;

    /// Keeps an answer for a while, if there is room.
    fn keep<'a>(&'a self, key: &'a str, answer: &'a str) -> BoxFuture<'a, ()>;
}

/// A name for everything that an answer depends on, SHA-256 in hex: the prompt holds the columns and
/// the beginning of the document. Not how it is cut, nor for which edition.
pub(crate) fn key(model: &str, request: &ChatRequest) -> String {
    let schema = request.schema.as_ref().map(|schema| &schema.json);
    let parts = serde_json::json!([
        request.model_or(model),
        request.tenant.as_str(),
        request.system,
        request.user,
        request.max_tokens,
        schema,
    ]);
    sha256_hex(parts.to_string().as_bytes())
}
