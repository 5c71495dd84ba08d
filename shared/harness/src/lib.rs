//! The run loop: the only code that pulls, publishes, acks, retries, dead-letters and drains.
pub mod bus;
pub mod nats;
pub mod topology;
