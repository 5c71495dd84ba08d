//! Tools for tests: fakes (named as such), real servers, injected faults.

pub mod collector;
pub mod conversation;
pub mod embedder;
pub mod files;
pub mod grep;
pub mod llama;
pub mod model;
pub mod nats;
pub mod node;
pub mod prometheus;
pub mod promtool;
pub mod qdrant;
pub mod screen;
pub mod terminal;

pub use sim_node;
