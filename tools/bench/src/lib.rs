//! The second binary: it measures Argosy, and it holds what tests use in place of a model, and the crashes at named
//! points.
//!
//! Code that aborts its own process, makes answers up or fetches programs is no part of the binary that ships. No
//! crate depends on this one, whereas it may depend on all. *Not* here: measuring answers against known ones, which
//! is `argosy eval`.
//!
//! | module | what |
//! |---|---|
//! | [`cli`] | the command line |
//! | [`fleet`] | the fleet against bare JetStream: rows; `fleet_run` one repetition, `driver` the closed loop, `steady` a long run; `real` the sample corpus with nothing stubbed |
//! | [`retrieval`] | the index at size; `corpus` makes or reads one, `feed` fills the index |
//! | [`views`] | a retriever's index as a view of the corpus stream |
//! | [`ingest`] | documents through indexers |
//! | [`conversation`] | the logs of conversations, the store that follows them, and questions beside them |
//! | [`pool`] | the pool of model nodes on simulated ones |
//! | [`stub`], [`fault`] | a stubbed model and index, and crashes at named points |
//! | `host`, `sizes`, `out` | what /proc says; bytes of messages; printing |

pub mod cli;
pub mod conversation;
pub mod fault;
pub mod fleet;
pub mod ingest;
pub mod pool;
pub mod retrieval;
pub mod stub;
pub mod views;

mod corpus;
mod driver;
mod feed;
mod fleet_run;
mod floor;
mod host;
mod index_floor;
mod out;
mod real;
mod sizes;
mod steady;
mod waiting;

pub use fleet_run::floor_role;
