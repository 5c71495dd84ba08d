//! The model contract: chat, rerank, prompts, lenient JSON, token estimate.
//!
//! What a worker may know about a model. *Not* how one is reached: nodes, HTTP and retries live in
//! `llm-pool`, and the offline reader stands behind the same trait. Everything but [`ChatModel`] and
//! [`Reranker`] is pure text work.
//!
//! | module | what |
//! |---|---|
//! | [`json`] | what a small model meant, read out of what it wrote |
//! | [`section`] | tagged sections of a prompt: read, and keep values from forging them |
//! | [`tokens`] | how long a text is for a model, roughly |
//! | [`words`] | a text as content words |

mod chat;
pub mod json;
mod overlap;
mod prompt;
mod prompts;
mod rerank;
pub mod section;
pub mod tokens;
pub mod words;

pub use chat::{ChatModel, ChatReply, ChatRequest, Error, Schema};
pub use futures_util::future::BoxFuture;
pub use overlap::overlap;
pub use prompt::{Prompt, PromptError, Rendered};
pub use prompts::Prompts;
pub use rerank::Reranker;
