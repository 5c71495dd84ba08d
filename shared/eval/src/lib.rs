//! Measuring answers to questions whose right answers are known.
//!
//! Retrieval: which chunks or documents come first. Conditions: what a question says about documents. Classes: what kind of
//! question it is. Groundedness: whether passages say what an answer says. Data is named by whoever measures and never part
//! of the repository. What happens to a document here is what happens to it in the fleet: the same chunker, the same index,
//! the same search. *Not* measured: what a planner would make of the question; it is asked as it stands. *Not* here: a
//! command line, how lines look on a terminal, and what a fleet in this process is made of, which is [given](fleet).
//!
//! | module | what |
//! |---|---|
//! | `dataset` | questions and what is right; `beir` and `multihop` read files |
//! | [`sample`] | the sample corpus and its questions |
//! | `ground` | the index that is asked |
//! | `vectors` | the vectors of chunks, made once |
//! | `methods` | the ways to search, by name |
//! | `measure` | asking, and timing it |
//! | `metrics`, `signal` | figures: pure |
//! | [`retrieval`] | what a search finds, way by way |
//! | [`classify`] | which class rules give to questions |
//! | [`conditions`] | what questions about documents amount to |
//! | [`unanswerable`] | whether it is told early that the documents do not say |
//! | [`labelled`] | questions put to a whole fleet, and what is expected of their answers |
//! | [`fleet`] | that fleet, as whoever measures gives it |
//! | [`modes`] | the modes of a question beside each other |
//! | [`rounds`] | what the rounds of a turn read, beside one list |
//! | [`trajectories`] | the way that questions take, beside the one that is expected |
//! | [`groundedness`] | which sentences of answers stand in passages |
//! | [`EvalReport`] | what a measurement came to, for whoever shows it |
//! | `figures`, `paired`, `report`, `page`, `details` | figures over many questions, and how they are told |

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

/// Who is told how far a measurement is.
pub type Say<'a> = &'a (dyn Fn(String) + Send + Sync);
