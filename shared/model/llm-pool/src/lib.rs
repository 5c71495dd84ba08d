//! Model nodes over OpenAI-compatible HTTP.
//!
//! [`Pool`] is a [`llm::ChatModel`] over the nodes that serve one model. Picking, classifying and reading are pure
//! functions; [`pool`](Pool) acts on their results. Dropping the future of a call closes its connection.
//!
//! | module | what |
//! |---|---|
//! | [`options`] | the settings of a model and its nodes |
//! | [`discover`] | finds a model server on this machine |
//! | [`node_info`](mod@node_info) | looks once at the configured nodes of a model |
//! | [`download`](mod@download) | fetches the files of a model |
//! | [`constants`] | every limit that is not an option |
//! | [`Pools`] | all pools of a process, for reports about them |
//! | [`HttpEmbedder`] | vectors of texts, from the nodes of an embedding model |
//! | [`HttpReranker`] | how well texts fit a query, from the nodes of a reranking model |
//! | `pool`, `job`, `hedge`, `lease` | one call: its lease, its attempts, one of them hedged, what follows |
//! | [`cost`] | what picking a node costs |
//! | `balance` | which call is made next, on which node, and how long it may be silent: breaker, permits, latency, speed, queue |
//! | `node` | one exchange with one node |
//! | `watch`, `load` | in the background: resolving names, asking nodes for their load |
//! | [`cache`] | the cache of map calls |
//! | `metrics`, `trace` | metrics; the span of a call |
//! | `wire`, `stream`, `timings` | the bodies of a call, whole and in pieces, and what a node says of its time |
//! | `classify`, `error_body`, `failure` | what a failure means |
//! | `streaming` | text of an answer while it is written |
//! | `cut` | whether a node read all of a prompt |
//! | `asked` | what not every node can do |
//! | `dialect` | how a node is asked for JSON |
//! | `likely` | the probabilities of the tokens of an answer |
//! | `retry`, `retry_after` | the one retry loop, and how long a node wants to be left alone |

mod asked;
mod balance;
pub mod cache;
mod classify;
pub mod constants;
pub mod cost;
mod cut;
mod dialect;
pub mod discover;
pub mod download;
mod embedding;
mod error;
mod error_body;
mod failure;
mod hedge;
mod http;
mod job;
mod lease;
mod likely;
mod load;
mod metrics;
mod node;
pub mod node_info;
pub mod options;
mod pool;
mod pools;
mod reranker;
mod retry;
mod retry_after;
mod stream;
mod streaming;
mod timings;
mod trace;
mod watch;
mod wire;

pub use balance::{BalancePolicy, NodeView};
pub use dialect::JsonDialect;
pub use embedding::HttpEmbedder;
pub use error::Error;
pub use metrics::register;
pub use options::Options;
pub use pool::Pool;
pub use pools::Pools;
pub use reranker::HttpReranker;
