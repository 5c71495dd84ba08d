//! Tests the front doors as their clients use them: over a fleet in this process that answers with the offline reader, which
//! is no language model.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on panics"
)]

mod documents;
mod endpoint;
mod feedback;
mod files;
mod fleet;
mod fork;
mod gone;
mod http;
mod issuer;
mod keys;
mod logins;
mod mcp;
mod openai;
mod openapi;
mod page;
mod page_forms;
mod page_plain;
mod places;
mod rights;
mod stand;
mod turns;
mod webhooks;
