//! The shapes of OpenAI under `/v1`, for chat programs and libraries that know no other: models, chat completions and
//! responses, whole and as streams.
//!
//! | module | what |
//! |---|---|
//! | [`models`] | the models on offer: ways to ask, not language models |
//! | [`request`] | a question and its history, out of what a client sends |
//! | [`asking`] | what both ways to ask have in common |
//! | [`reply`] | an answer as text: its sources, its warnings, its question back |
//! | [`chat`] | `/v1/chat/completions` |
//! | [`responses`] | `/v1/responses` |
//! | [`wait`] | waiting for the end of a turn, with or without a stream |
//! | [`errors`] | problems in this shape |
//!
//! What is *not* here, and what clients do (measured with PyPI `openai` 3.57 and 2.54, `langchain-openai` 1.7,
//! `llama-index-llms-openai-like` 0.8, npm `openai` 6.49):
//!
//! - A draft is never streamed: it may be replaced, and no client of this API takes text back. A stream waits with
//!   comments, which all clients skip; a named event would come out as a chunk without choices.
//! - A reply is the same whoever reads it, so sampling (`temperature`, `seed`, `max_tokens`, …) is ignored like every
//!   unknown field. What would change the meaning of the reply is refused: `n` above 1, JSON as `response_format`, a
//!   `tool_choice` that must be met. Tools that may be called are not called.
//! - Messages of the roles `system`, `developer` and `tool` are not passed on: the fleet has instructions of its own,
//!   and answers from documents alone.
//! - The side requests of chat programs (titles, tags, follow-ups, queries) cannot be told from questions: Open WebUI
//!   0.12.4 takes its `metadata.task` out before it asks a server (`routers/openai.py`), and LibreChat sends the words
//!   of a prompt alone. So configuration tells them apart: `argosy-tasks` is on offer, which refuses at once. Named as
//!   the task model (Open WebUI: *External Task Model*; LibreChat: `titleModel`), it keeps titles from searching; a
//!   small model of another server can make them instead.
//! - Citations stand in the text as links, because LangChain drops fields that it does not know, and LibreChat shows no
//!   annotations (its issue 13759). Open WebUI 0.12.4 shows `delta.annotations` of the type `url_citation` as sources,
//!   in streams only (`utils/middleware.py`); it has an event of its own for sources, too, which nobody else knows.

mod asking;
mod chat;
mod errors;
mod models;
mod reply;
mod request;
mod responses;
mod wait;

pub(crate) use errors::in_shape;
pub(crate) use reply::page;

use crate::Door;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::{get, post};

/// Most bytes of a request: chat programs send the whole dialogue each time.
pub(crate) const BODY_MAX: usize = 4 * 1024 * 1024;

pub(crate) fn routes() -> Router<Door> {
    Router::new()
        .route("/v1/models", get(models::list))
        .route("/v1/models/{*model}", get(models::read))
        .route("/v1/chat/completions", post(chat::complete))
        .route("/v1/responses", post(responses::create))
        .layer(DefaultBodyLimit::max(BODY_MAX))
}
