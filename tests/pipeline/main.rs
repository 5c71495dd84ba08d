//! Tests the fleet as it runs in production: one process per role, a real nats-server with file storage, real kills.
//! *Not* here: all interleavings (`simulation`), two workers that work on one message (`race`), bad input (`edge`).
//!
//! Every test has a server, folders and processes of its own, and stops the processes that it started. The results
//! are printed as a table: `cargo test -p argosy-tests --test pipeline -- --nocapture`. When a test fails, the ends
//! of all logs follow.
//!
//! | module | what |
//! |---|---|
//! | [`binary`] | the binaries beside this test, built when they are missing or stale |
//! | [`fleet`] | the processes of one test, their logs and admin endpoints |
//! | [`http`] | a GET request without an HTTP client |
//! | [`model`] | a fake model node that all workers call, and that counts its calls |
//! | [`turns`] | publishing questions, reading their terminal events |
//! | the rest | one module per subject |

mod accounts;
mod answers;
mod binary;
mod cancel;
mod chaos;
mod chat;
mod commands;
mod conversations;
mod doctor;
mod doors;
mod drafts;
mod drain;
mod editions;
#[path = "../doors/endpoint.rs"]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]
mod endpoint;
mod erasure;
mod fleet;
mod http;
mod index;
mod ingest;
mod judge;
mod large;
mod measured;
mod metrics;
mod model;
mod nodes;
mod outage;
mod room;
mod screen;
mod served;
mod status;
mod tables;
mod told_nodes;
mod trace;
mod traces;
mod turns;
mod typed;
mod views;
mod webhooks;
