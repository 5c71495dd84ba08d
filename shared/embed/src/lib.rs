//! Texts to vectors.
//!
//! What retrieval knows about meaning: an [`Embedder`] makes a vector of a text, and texts that mean
//! the same lie close. [`StaticEmbedder`] is the default and needs nothing but this crate. *Not* where
//! vectors are kept or searched: see `retrieval`. An embedder behind HTTP lives in `llm-pool`, where
//! every other model call is.

mod embedder;
mod frequencies;
#[cfg(feature = "minilm")]
mod minilm;
mod pieces;
mod static_embedder;
mod table;
mod wordpiece;

pub use embedder::{Embedder, Error, Side};
pub use frequencies::Frequencies;
pub use futures_util::future::BoxFuture;
#[cfg(feature = "minilm")]
pub use minilm::MiniLm;
pub use static_embedder::{Room, StaticEmbedder};
pub use table::{STATIC_NAME, StaticTable, TOKENS_MAX};
pub use wordpiece::Tokenizer;

/// Brings a vector to length 1. One that has no length, or none that can be told, becomes all zeros.
pub fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    let factor = if length.is_normal() {
        length.recip()
    } else {
        0.0
    };
    for x in vector {
        *x = if factor == 0.0 { 0.0 } else { *x * factor };
    }
}
