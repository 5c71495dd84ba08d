//! A simulated model node: the timing and the failures of a real inference server, over real HTTP.
//!
//! It understands nothing and is never an LLM: what it answers is filler of a drawn length, or what a
//! closure says. For tests and for `argosy-bench pool`; no worker is ever given one. What single calls
//! are to be scripted for is the fake node of `testkit`; this one is for load.
//!
//! Not simulated: memory for the running sequences (nothing is ever preempted), speculative decoding,
//! several models on one node.
//!
//! | module | what |
//! |---|---|
//! | [`params`] | what a node takes for what, and the throughput that follows |
//! | `engine` | continuous batching, pure: time is passed in |
//! | `cache` | the prefix cache |
//! | [`request`] | a request body as tokens and blocks, pure |
//! | [`answer`] | filler of a drawn length, pure |
//! | [`behaviour`] | what can be switched while it runs |
//! | [`overflow`] | how servers word that a prompt is too long |
//! | [`metrics`] | `/metrics` in the names of real servers, pure |
//! | `reply` | the bodies of answers, pure |
//! | `door` | connections: accepted, refused, torn down |
//! | `works` | the engine on a clock |
//! | `calls` | one call, as the behaviour of the moment has it |
//! | [`server`] | the node |

pub mod answer;
pub mod behaviour;
mod cache;
mod calls;
mod door;
mod engine;
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
