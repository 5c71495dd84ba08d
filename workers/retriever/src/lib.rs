//! The retriever worker.
