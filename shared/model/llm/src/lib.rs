//! The contract between workers and models: chat, embed, rerank, prompts, the call of a step, lenient JSON, token
//! estimate.
//!
//! This is all that a worker may know about a model. *Not* here: how a model is reached. Nodes, HTTP and retries
//! are in `llm-pool`, and the offline reader implements the same trait. Everything but [`ChatModel`], [`Embedder`]
//! and [`Reranker`] is pure text work.
//!
//! | module | what |
//! |---|---|
//! | [`embed`] | texts to vectors |
//! | [`json`] | lenient JSON: what a small model meant, read out of what it wrote |
//! | [`likely`] | how sure a model is of what it wrote, where its node says so |
//! | [`reply`] | which part of a reply is the answer |
//! | [`section`] | tagged sections of a prompt: reading them, and keeping values from forging them |
//! | [`tokens`] | a rough estimate of a text's length in tokens |

mod chat;
pub mod embed;
pub mod json;
pub mod likely;
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
pub use likely::TokenProbability;
pub use prompt::{Prompt, PromptError, RenderedPrompt};
pub use prompts::{EmbeddedPrompt, Prompts};
pub use rerank::Reranker;
pub use setup::SetupError;
pub use step_call::{Caller, PromptCall, StepPromptError};
