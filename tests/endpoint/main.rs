//! Tests the pool and the whole fleet against a real model server, which is not part of this project.
//!
//! By default that is llama-cpp-python with a tiny model of random weights, one server per test. The first run on a
//! machine builds it, which takes a C++ compiler some minutes, so the tests run only when they are asked for: `cargo
//! test -p argosy-tests --test endpoint -- --ignored`. Where the server cannot be built, the tests fail; they are
//! never skipped.
//!
//! With `ARGOSY_TEST_ENDPOINT` (a base URL) the same tests run against that server, with the model
//! `ARGOSY_TEST_MODEL` (default: the first that it lists) and the key `ARGOSY_TEST_API_KEY` (default: none). Tests
//! that need a server of their own are then left out, and say so.
//!
//! *Not* here: how good answers are. A model of random weights knows nothing; what is looked at is that
//! every call and every turn ends as it should.
//!
//! | module | what |
//! |---|---|
//! | [`subject`] | the server that is asked |
//! | [`chat`] | answers, whole and in pieces |
//! | [`formats`] | JSON in every dialect, and what is learned |
//! | [`overflow`] | prompts that are too long |
//! | [`gone`] | calls given up, servers killed and started again |
//! | [`turns_of_fleet`] | the fleet on a real nats-server, with this model |
//! | the rest | the means of the pipeline tests |

mod chat;
mod formats;
mod gone;
mod overflow;
mod subject;
mod turns_of_fleet;

#[path = "../pipeline/binary.rs"]
mod binary;
#[path = "../pipeline/fleet.rs"]
#[allow(dead_code, reason = "only the fleet test, and not all of it")]
mod fleet;
#[path = "../pipeline/http.rs"]
mod http;
#[path = "../pipeline/turns.rs"]
#[allow(dead_code, reason = "only the fleet test, and not all of it")]
mod turns;
