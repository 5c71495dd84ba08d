//! Texts to vectors.
//!
//! What retrieval knows about meaning: an [`Embedder`] makes a vector of a text, and texts that mean
//! the same lie close. *Not* where vectors are kept or searched: see `retrieval`. An embedder behind
//! HTTP lives in `llm-pool`, where every other model call is.

mod embedder;

pub use embedder::{Embedder, Error, Side};
pub use futures_util::future::BoxFuture;
