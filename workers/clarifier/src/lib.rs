//! The clarifier worker.
