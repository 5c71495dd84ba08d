//! What a question says about documents, as conditions on their columns: entity linking.
//!
//! Deterministic: words of the question are compared with the values and the names of the columns that a corpus has,
//! and with the grammar of days and amounts. *Not* a search, and no model. Pure.
//!
//! | module | what |
//! |---|---|
//! | [`link`](mod@link) | a question to conditions |
//! | [`linked`] | what it amounts to |
//! | [`frame`](mod@frame), `form` | whether it asks for documents, and for which; whether it wants something explained |
//! | `mention`, `meant`, `columns`, `days_of` | what it names, whether that is meant, of which column |
//! | `merge` | conditions on one column as one; what contradicts itself |
//! | [`dictionary`] | what a corpus calls things |
//! | [`days`] | spans of days |
//! | [`amounts`] | amounts with their comparison |
//! | [`names`] | what a path calls its document |
//! | [`fiscal`] | when fiscal years end |
//! | [`fold`] | names as they are compared |
//! | [`token`] | a question as tokens |

pub mod amounts;
mod columns;
pub mod days;
mod days_of;
pub mod dictionary;
pub mod fiscal;
pub mod fold;
mod form;
pub mod frame;
mod kindred;
pub mod link;
pub mod linked;
mod meant;
mod mention;
mod merge;
pub mod names;
pub mod token;

pub use dictionary::{Dictionary, FieldValue, NAMED};
pub use link::link;
pub use linked::{Ambiguity, Intent, LinkedQuestion, QuestionCondition, Test};
pub use time::Date;
