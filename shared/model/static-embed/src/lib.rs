//! Embedders that run in this process: the static table, and a small encoder behind a feature.
//!
//! [`StaticEmbedder`] is the default and needs nothing but this crate. *Not* here: the contract, which is
//! [`llm::embed`], and where vectors are kept or searched. An embedder behind HTTP is in `llm-pool`, where every
//! other model call is.

mod frequencies;
#[cfg(feature = "minilm")]
mod minilm;
mod pieces;
mod static_embedder;
mod table;
mod wordpiece;

pub use frequencies::Frequencies;
#[cfg(feature = "minilm")]
pub use minilm::MiniLm;
pub use static_embedder::{StaticEmbedder, SumBuffer};
pub use table::{STATIC_NAME, StaticTable};
pub use wordpiece::Tokenizer;
