//! The store for replies of the model, which keeps them for longer than an indexer lives.
//!
//! It is *not* needed for correct results: the extractor treats a stored reply like a fresh one, and calls the model
//! again for a reply that is lost.

use documents::document::sha256_hex;
use llm::{BoxFuture, ChatRequest};

/// A store for replies of the model.
pub trait Answers: Send + Sync + 'static {
    /// Finds the reply that is kept under this key, while it is there.
    fn find<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Option<String>>;

    /// Keeps a reply for a while, if there is room.
    fn keep<'a>(&'a self, key: &'a str, answer: &'a str) -> BoxFuture<'a, ()>;
}

/// The key of a reply: a SHA-256 in hex of everything that the reply depends on. The prompt holds the columns and the
/// beginning of the document, but neither how the document is cut nor its edition.
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
