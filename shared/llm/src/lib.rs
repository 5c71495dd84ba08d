//! The model contract: chat, prompts, lenient JSON, token estimate.
//!
//! What a worker may know about a model. *Not* how one is reached: nodes, HTTP and retries live in
//! `llm-pool`, and the offline reader stands behind the same trait.

mod chat;

pub use chat::{ChatModel, ChatReply, ChatRequest, Error, Schema};
pub use futures_util::future::BoxFuture;
