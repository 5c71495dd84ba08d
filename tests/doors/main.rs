//! Tests the front doors as their clients use them: over a fleet in this process that answers with the offline reader, which
//! is no language model.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on panics"
)]

mod documents;
mod gone;
mod http;
mod mcp;
mod openai;
mod openapi;
mod page;
mod stand;
mod turns;
