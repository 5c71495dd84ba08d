//! Hosts the indexes of a retriever: feeds them from the corpus stream, and searches the index of the current edition.
//!
//! An index is made ([`search_factory`]), started from a [`snapshot`], fed ([`view`], [`vector_feed`]), searched when
//! it has caught up ([`editions`]) and queried from outside ([`lookup`]). *Not* here: how an index searches, which is
//! in `index`, and when to search, which the retriever decides.
//!
//! | module | what |
//! |---|---|
//! | [`Options`] | which embedder, vectors and reranker a search has |
//! | [`search_factory`] | makes the parts of a search from the options |
//! | [`editions`] | the indexes of a retriever, and which of them is searched |
//! | [`view`] | feeds the corpus stream into an index |
//! | [`vector_feed`] | feeds the corpus stream into a Qdrant server |
//! | [`snapshot`] | snapshots of an index: writing them, and starting from one |
//! | [`lookup`] | looking into the corpus by request and reply |
//! | [`catalog`] | caches for a minute what planners get to see of a tenant: its buckets and their columns |
//! | [`described`](fn@described) | the descriptions of columns in schemas |

pub mod catalog;
mod described;
pub mod editions;
pub mod lookup;
mod options;
pub mod search_factory;
pub mod snapshot;
pub mod vector_feed;
pub mod view;

pub use described::described;
pub use options::{EmbedderChoice, MiniLmOptions, Options, VectorStore};
