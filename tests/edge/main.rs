//! Tests the fleet and its binary as a new user meets them: replies to bad input, failures of commands, and answers
//! from the sample corpus.
//!
//! The bad messages are data in `tests/scenarios`, and command lines that need no fleet in `tests/commands`; a new case is
//! a new line there. *Not* here: processes that are
//! killed (`pipeline`), and two workers that meet on one message (`race`).
//!
//! | module | what |
//! |---|---|
//! | [`binary`] | the `argosy` binary beside this test, built when it is missing or stale |
//! | [`shell`] | running the binary as a shell does, in a folder of its own |
//! | [`canned`] | a stub model and a stub index for roles that are not under test |
//! | [`scenario`] | the lines of `tests/scenarios` |
//! | [`commands`] | the cases of `tests/commands` |
//! | the rest | one module per subject |
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on may panic, in its helpers too"
)]

#[path = "../pipeline/binary.rs"]
mod binary;
mod canned;
mod scenario;
mod shell;
mod talk;

mod commands;
mod contact;
mod exits;
mod golden;
mod help;
mod indexing;
mod ingress;
mod large;
mod lookup;
mod manners;
mod measuring;
mod odd_models;
mod output;
mod outside;
mod probes;
mod schema;
mod strangers;
mod telling_names;
mod walk;
