//! What a question says about documents, as conditions on their columns: entity linking.
//!
//! Deterministic: words of the question are compared with the values and the names of the columns that a corpus has,
//! and with the grammar of days and amounts. *Not* a search, and no model. Pure.
//!
//! | module | what |
//! |---|---|
//! | [`link`](mod@link) | a question to conditions |
//! | [`linked`] | what it amounts to |
//! | `frame`, `form` | whether it asks for documents, and for which; whether it wants something explained |
//! | `mention`, `meant`, `columns`, `days_of` | what it names, whether that is meant, of which column |
//! | `called` | a name and a year that together are what a document is called |
//! | `merge` | conditions on one column as one; what contradicts itself |
//! | `tabulate` | what is to be counted, added up or listed of the documents that it is about |
//! | `dictionary` | what a corpus calls things |
//! | [`days`] | spans of days |
//! | [`amounts`] | amounts with their comparison |
//! | `kindred`, `likeness` | which words stand for one another: by a list, and by whoever knows more |
//! | [`names`] | what a path calls its document |
//! | `prose` | what a question for what documents say names |
//! | [`fiscal`] | when fiscal years end |
//! | [`token`] | a question as tokens |

pub mod amounts;
mod called;
mod columns;
pub mod days;
mod days_of;
mod dictionary;
pub mod fiscal;
mod form;
mod frame;
mod kindred;
mod likeness;
pub mod link;
pub mod linked;
mod meant;
mod mention;
mod merge;
pub mod names;
mod prose;
mod tabulate;
pub mod token;

pub use dictionary::{DescribedColumn, Dictionary, FieldValue, NAMED};
pub use likeness::WordLikeness;
pub use link::{link, link_by};
pub use linked::{Ambiguity, Intent, LinkedQuestion, QuestionCondition, QuestionSide, Test};
pub use tabulate::{ColumnOperation, GroupKey, TableQuestion, Tabulation};
pub use time::Date;
