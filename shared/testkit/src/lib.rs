//! What tests stand on: fakes named as fakes, real servers, injected faults.

pub mod collector;
pub mod files;
pub mod llama;
pub mod model;
pub mod nats;
pub mod node;
pub mod promtool;
pub mod qdrant;
pub mod terminal;

pub use sim_node;
