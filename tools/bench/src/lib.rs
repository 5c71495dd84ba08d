//! The binary that measures speed. It also contains the stub models and the crashes at named points that tests
//! use.
//!
//! Code that aborts its own process, makes answers up or fetches programs must not be in the binary that ships. No
//! crate depends on this one, and it may depend on every other. *Not* here: the measurement of answers against known
//! ones, which is `argosy eval`.
//!
//! | module | what |
//! |---|---|
//! | [`cli`] | the command line |
//! | [`fleet`] | the fleet against bare JetStream; `fleet_run`: one repetition, `driver`: the closed loop |
//! | `steady`, `real` | a long run under constant load; the sample corpus with nothing stubbed |
//! | [`soak`] | a fleet at a fixed rate while everything is killed again and again |
//! | [`retrieval`] | a large index; `corpus` makes or reads its corpus, `feed` fills it |
//! | [`views`] | a retriever's index as a view of the corpus stream |
//! | [`ingest`] | documents through indexers |
//! | [`conversation`] | the logs of conversations, the store that follows them, and questions beside them |
//! | [`pool`] | the pool of model nodes on simulated ones |
//! | [`stub`], [`fault`] | a stubbed model and index, and crashes at named points |
//! | `samples` | answers, memory and streams over time |
//! | `host`, `sizes`, `out` | figures from /proc; bytes of messages; printing |

pub mod cli;
pub mod conversation;
pub mod fault;
pub mod fleet;
pub mod ingest;
pub mod pool;
pub mod retrieval;
pub mod soak;
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
mod samples;
mod sizes;
mod steady;
mod waiting;

pub use fleet_run::floor_role;
