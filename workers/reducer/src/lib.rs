//! The reducer worker.
