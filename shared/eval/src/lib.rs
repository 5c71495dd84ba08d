//! Measurements of answers to questions whose right answers are known.
//!
//! It measures retrieval (which chunks or documents come first), conditions (what a question says about documents),
//! classes (what kind of question it is) and groundedness (whether passages say what an answer says). The caller
//! names the data, which is never part of the repository. Documents are handled as in the fleet: by the same
//! chunker, the same index and the same search. *Not* measured: what a planner would make of the question; it is
//! asked as it is. *Not* here: a command line, how lines look on a terminal, and what a fleet in this process is
//! made of, which is [passed in](fleet).
//!
//! | module | what |
//! |---|---|
//! | `dataset` | questions and their right answers; `beir` and `multihop` read files |
//! | [`sample`] | the sample corpus and its questions |
//! | `ground` | the index that is asked |
//! | `vectors` | the vectors of chunks, made once |
//! | `methods` | the search methods, by name |
//! | `measure` | asking, and timing it |
//! | `metrics`, `signal` | figures of a ranking; signals that there is no answer: pure |
//! | [`retrieval`] | what a search finds, method by method |
//! | [`classify`] | which class the rules give to questions |
//! | [`conditions`] | which conditions are read out of questions |
//! | [`unanswerable`] | whether it is reported early that the documents do not say |
//! | [`labelled`] | questions for a whole fleet, and the answers that are expected |
//! | [`fleet`] | that fleet, passed in by the caller |
//! | [`modes`] | the modes of a question, compared |
//! | [`rounds`] | what the rounds of a turn read, compared with one list |
//! | [`trajectories`] | the way that questions take, compared with the expected one |
//! | [`groundedness`] | which sentences of answers are supported by passages |
//! | [`EvalReport`] | the result of a measurement, for display |
//! | `figures`, `paired`, `report`, `page`, `details` | figures over many questions, and reports of them |

mod beir;
pub mod classify;
pub mod conditions;
mod dataset;
mod details;
mod error;
mod figures;
pub mod fleet;
mod ground;
pub mod groundedness;
pub mod labelled;
mod machine;
mod measure;
mod methods;
mod metrics;
pub mod modes;
mod multihop;
mod outcome;
mod page;
mod paired;
mod report;
pub mod retrieval;
pub mod rounds;
pub mod sample;
mod setting;
mod signal;
pub mod trajectories;
pub mod unanswerable;
mod vectors;

pub use dataset::{DatasetName, Split};
pub use error::Error;
pub use machine::machine;
pub use outcome::{Emphasis, EvalReport, TextLine};
pub use setting::SearchSetting;

/// Receives the progress of a measurement.
pub type Say<'a> = &'a (dyn Fn(String) + Send + Sync);
