//! A model server that nobody here wrote: the pool and the whole fleet against a real one.
//!
//! By default that is llama-cpp-python with a tiny model of random weights, one server per test. The
//! first run on a machine builds it, which takes minutes of a C++ compiler, so that nothing here runs
//! unless it is asked for: `cargo test -p argosy-tests --test endpoint -- --ignored`. Where it cannot be
//! had, that is a failure, never a skip.
//!
//! With `ARGOSY_TEST_ENDPOINT` (a base URL) the same is done to that server, with the model
//! `ARGOSY_TEST_MODEL` (default: the first that it lists) and the key `ARGOSY_TEST_API_KEY` (default:
//! none). What needs a server of our own is then left out, and says so.
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
