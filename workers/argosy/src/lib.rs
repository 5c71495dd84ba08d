//! The `argosy` binary: the command line, the configuration, and the start of roles as running processes.
//!
//! This crate composes everything and decides nothing. It is a library so that the fleet tests run what the binary
//! runs.
//!
//! | module | what |
//! |---|---|
//! | [`cli`] | the command line |
//! | [`command`] | one module per command |
//! | [`entry`] | the frame around a command |
//! | [`config`] | the options of every crate under one roof |
//! | [`roles`] | turns stages with their collaborators into running workers |
//! | [`fleet`] | a fleet of processes on this machine |
//! | `line_diff` | what differs between two texts, line by line |
//! | `prompt_files` | the folder of prompts that replace the embedded ones |
//! | [`local`] | the whole fleet in one process |
//! | `kept_conversations`, [`conversations`] | its conversations, on disk between questions; conversations to look at |
//! | `extraction_cache` | replies of models about documents, kept |
//! | [`model`] | which model answers |
//! | [`offline_model`] | the offline reader behind HTTP |
//! | `presence` | what this process reports of itself |
//! | [`doctor`] | checks for what may be wrong with a fleet |
//! | [`metrics`] | every metric there is, as a document |
//! | `model_files` | the files of local models |
//! | [`render`], [`out`], `keys` | how results look; printing them; the keys that a user presses |
//! | [`cli_error`] | how commands fail: the error of the command line, and what it is made of |

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
pub mod metrics;
pub mod model;
pub(crate) mod model_files;
pub mod offline_model;
pub mod out;
mod presence;
mod prompt_files;
pub mod render;
pub mod roles;
pub mod signal;
