//! A simulated model node: the timing and the failures of a real inference server, over real HTTP.
//!
//! It understands nothing and is never an LLM: its answers are filler text of a random length, or come from a
//! closure. It is for tests and for `argosy-bench pool`; no worker ever uses one. The fake node of `testkit` is for
//! scripting single calls; this one is for load.
//!
//! Not simulated: memory for the running sequences (nothing is ever preempted), speculative decoding, several
//! models on one node.
//!
//! | module | what |
//! |---|---|
//! | [`params`] | how long a node takes, and the throughput that follows |
//! | `engine` | continuous batching, pure: time is passed in |
//! | `cache` | the prefix cache |
//! | [`request`] | a request body as tokens and blocks, pure |
//! | [`answer`] | filler text of a random length, pure |
//! | [`behaviour`] | the behaviour that can be switched while it runs |
//! | `likely` | made-up probabilities of tokens, pure |
//! | [`overflow`] | how servers word that a prompt is too long |
//! | [`metrics`] | `/metrics` in the names of real servers, pure |
//! | `reply` | the bodies of answers, pure |
//! | `door` | connections: accepted, refused, torn down |
//! | `works` | the engine on a clock |
//! | `calls` | one call, according to the current behaviour |
//! | [`server`] | the node |

pub mod answer;
pub mod behaviour;
mod cache;
mod calls;
mod door;
mod engine;
mod likely;
pub mod metrics;
pub mod overflow;
pub mod params;
mod reply;
pub mod request;
pub mod server;
mod works;

pub use answer::Lengths;
pub use behaviour::{Behaviour, RetryAfter};
pub use metrics::MetricsDialect;
pub use overflow::OverflowWording;
pub use params::Params;
pub use request::PromptText;
pub use server::{NodeCounts, Options, SimNode};
