//! Measures the answers to questions whose right answers are known.
//!
//! It measures retrieval (which chunks or documents come first), conditions (what a question says about documents),
//! classes (what kind of question it is) and groundedness (whether the passages support the answer). The caller names
//! the data, which is never part of the repository. Documents are handled as in the fleet: by the same chunker, the
//! same index and the same search. *Not* measured: the plan that a planner would make; each question is searched for
//! as it is.
//!
//! | module | what |
//! |---|---|
//! | `articles` | the documents of a data set as files |
//! | `dataset` | questions and their right answers; `beir` and `multihop` read them from files |
//! | `ground` | the index that is searched |
//! | `vectors` | makes the vectors of chunks, once |
//! | `methods` | the search methods, by name |
//! | `measure` | asks the questions and times the searches |
//! | `metrics`, `signal` | figures of a ranking; signals that a question has no answer (pure) |
//! | `retrieval` | what a search finds, method by method |
//! | `collections` | whether the right document comes first, and the right passage in it |
//! | `classify` | which class the rules give to questions |
//! | `conditions` | which conditions are read out of questions |
//! | `unanswerable` | whether questions without an answer are recognised right after the search |
//! | [`labelled`] | questions for a whole fleet, and the answers that are expected |
//! | [`cli`], [`command`] | the command line of the binary; each command runs a measurement and prints its result |
//! | `fleet` | a whole fleet in this process, for a measurement |
//! | [`answers`] | asks systems side by side, and judges their answers by values |
//! | `rounds` | compares what the rounds of a turn read with one list of the same length |
//! | [`trajectories`] | compares the roles and searches of a turn with the expected ones |
//! | `groundedness` | which sentences of answers are supported by passages |
//! | `EvalReport` | the result of a measurement, for display |
//! | `figures`, `paired`, `report`, `page`, `details` | figures over many questions, and reports of them |

pub mod answers;
mod articles;
mod beir;
mod classify;
pub mod cli;
mod collections;
pub mod command;
mod conditions;
mod dataset;
mod details;
mod error;
mod figures;
mod fleet;
mod ground;
mod groundedness;
pub mod labelled;
mod measure;
mod methods;
mod metrics;
mod multihop;
mod outcome;
mod page;
mod paired;
mod report;
mod retrieval;
mod rounds;
mod setting;
mod signal;
pub mod trajectories;
mod unanswerable;
mod vectors;

pub use dataset::{DatasetName, Split};
pub use error::Error;
pub(crate) use outcome::{Emphasis, TextLine};
pub(crate) use setting::SearchSetting;

/// Receives the progress of a measurement.
pub(crate) type Progress<'a> = &'a (dyn Fn(String) + Send + Sync);
