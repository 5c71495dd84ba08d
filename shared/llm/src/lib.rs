//! The model contract: chat, embed, rerank, prompts, the call of a step, lenient JSON, token estimate.
//!
//! What a worker may know about a model. *Not* how one is reached: nodes, HTTP and retries live in
//! `llm-pool`, and the offline reader stands behind the same trait. Everything but [`ChatModel`],
//! [`Embedder`] and [`Reranker`] is pure text work.
//!
//! | module | what |
//! |---|---|
//! | [`embed`] | texts to vectors |
//! | [`json`] | what a small model meant, read out of what it wrote |
//! | [`reply`] | what of a reply is the answer |
//! | [`section`] | tagged sections of a prompt: read, and keep values from forging them |
//! | [`tokens`] | how long a text is for a model, roughly |

mod chat;
pub mod embed;
pub mod json;
mod prompt;
mod prompts;
pub mod reply;
mod rerank;
pub mod section;
mod setup;
mod step_call;
pub mod tokens;

pub use chat::{ChatModel, ChatReply, ChatRequest, Error, Listener, LivePiece, ReplySchema};
pub use embed::{Embedder, Side};
pub use futures_util::future::BoxFuture;
pub use prompt::{Prompt, PromptError, RenderedPrompt};
pub use prompts::{EmbeddedPrompt, Prompts};
pub use rerank::Reranker;
pub use setup::SetupError;
pub use step_call::{Caller, PromptCall, StepPromptError};
