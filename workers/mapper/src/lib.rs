//! The mapper worker.
