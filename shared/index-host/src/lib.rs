//! Which index answers: the indexes of a retriever, fed from the corpus stream, and searches over the current one.
//!
//! An index is made ([`search_factory`]), begun with a [`snapshot`], fed ([`view`], [`vector_feed`]), searched when it has
//! caught up ([`editions`]) and looked into from outside ([`lookup`]). *Not* how an index searches, which is `index`, and
//! *not* when a search is due, which a retriever decides.
//!
//! | module | what |
//! |---|---|
//! | [`Options`] | which embedder, vectors and reranker a search has |
//! | [`search_factory`] | the parts of a search, made of that |
//! | [`editions`] | the indexes of a retriever, and which of them is searched |
//! | [`view`] | the corpus stream into an index |
//! | [`vector_feed`] | the corpus stream into a Qdrant server |
//! | [`snapshot`] | snapshots of an index, written and begun with |
//! | [`lookup`] | looking into the corpus by request and reply |
//! | [`catalog`] | what planners may know of the corpus, kept for a minute |
//! | [`described`] | what schemas say of columns |

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
pub use options::{EmbedderChoice, InvalidOptions, MiniLmOptions, Options, VectorStore};
