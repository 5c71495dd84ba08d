//! The `argosy` binary: the command line, the configuration, and the start of roles as running processes.
//!
//! This crate composes the other crates and makes no decisions of its own. It is a library so that the fleet tests
//! run the same code as the binary.
//!
//! | module | what |
//! |---|---|
//! | [`apart`] | the process that reads files |
//! | [`cli`] | the command line |
//! | [`command`] | one module per command |
//! | [`entry`] | what surrounds every command: configuration, logs, runtime, exit code |
//! | [`config`] | the options of all crates |
//! | [`roles`] | turns stages with their collaborators into running workers |
//! | [`fleet`] | a fleet of processes on this machine |
//! | [`sample`] | the sample corpus and its questions |
//! | [`machine`] | this machine in one line, for reports |
//! | `line_diff` | the differences of two texts, line by line |
//! | `permissions` | who may do what on the NATS server of a fleet |
//! | `prompt_files` | the folder of prompts that replace embedded ones |
//! | [`local`] | the whole fleet in one process |
//! | `kept_conversations`, [`conversations`] | a store of a fleet in one process, on disk; reading and copying |
//! | `extraction_cache` | a cache of the models' replies about documents |
//! | [`model`] | which model answers |
//! | [`offline_model`] | the offline reader behind HTTP |
//! | `presence` | the status that this process reports |
//! | [`doctor`] | checks for what may be wrong with a fleet |
//! | `model_files` | the files of local models |
//! | [`render`], [`out`], `keys` | layout of results; printing them; keys that a user presses |
//! | [`cli_error`] | the error of a command, and the conversion of other errors into it |

pub mod apart;
pub mod cli;
pub mod cli_error;
pub mod command;
pub mod config;
pub mod conversations;
pub mod doctor;
pub mod entry;
mod extraction_cache;
pub mod fleet;
pub(crate) mod kept_conversations;
mod keys;
mod line_diff;
pub mod local;
pub mod machine;
#[cfg(test)]
mod metrics_page_tests;
pub mod model;
pub(crate) mod model_files;
pub mod offline_model;
pub mod out;
mod permissions;
mod presence;
mod prompt_files;
pub mod render;
pub mod roles;
pub mod sample;
pub mod signal;
