//! Tests the pool and the whole fleet against a real model server, which is not part of this project.
//!
//! By default the server is llama-cpp-python with a tiny model of random weights, one server per test. The first run
//! on a machine builds the server, which takes some minutes and a C++ compiler, so the tests are ignored by default:
//! `cargo test -p argosy-tests --test endpoint -- --ignored` runs them. If the server cannot be built, the tests
//! fail; they are never skipped.
//!
//! With `ARGOSY_TEST_ENDPOINT` (a base URL) the same tests run against that server, with the model
//! `ARGOSY_TEST_MODEL` (default: the first that it lists) and the key `ARGOSY_TEST_API_KEY` (default: none). Tests
//! that need a server of their own are then left out, and say so.
//!
//! *Not* here: how good answers are. A model of random weights knows nothing; the tests check that every call and
//! every turn ends as it should.
//!
//! | module | what |
//! |---|---|
//! | [`subject`] | the server under test |
//! | [`chat`] | replies, whole and streamed |
//! | [`formats`] | JSON in every dialect, and how the pool finds a server's dialect |
//! | [`overflow`] | prompts that are too long |
//! | [`gone`] | cancelled calls, killed and restarted servers |
//! | [`turns_of_fleet`] | the fleet on a real nats-server, with this model |
//! | the rest | helpers of the pipeline tests |

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
