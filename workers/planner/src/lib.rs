//! The planner worker: it turns a question into a search plan, with one model call, or with two where a large model
//! chooses a bucket first.
//!
//! The plan says what to search for and, after a round that found too little, what to search for instead. The same
//! call rewrites a question that refers to earlier exchanges so that it stands alone. *Not* here: whether there is
//! another round, which the reducer's gate and the graph decide.

mod act;
mod acting;
mod asking;
mod bucket_choice;
mod bucket_note;
mod choosing;
mod column_note;
mod corpus_note;
mod evaluation;
mod fingerprint;
mod follow_up;
mod lists;
mod meaning;
mod options;
mod plan;
mod planning;
mod prompts;
mod review;
mod reviewing;
mod routes;
mod schema;
mod stage;
mod sub_queries;
mod tool_call;
mod tools;
mod trail_line;

#[cfg(test)]
#[path = "../../../shared/language/text/src/cases.rs"]
mod cases;
#[cfg(test)]
mod prompt_tests;
#[cfg(test)]
mod reply_tests;
#[cfg(test)]
mod step_tests;

pub use options::Options;
pub use planning::Planning;
pub use stage::Planner;
