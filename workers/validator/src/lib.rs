//! The validator worker.
