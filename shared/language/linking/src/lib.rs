//! Entity linking: this crate turns what a question says about documents into conditions on their columns.
//!
//! The linking is deterministic. It compares the words of the question with the names and values of the columns that a
//! corpus has, and it parses days and amounts by a fixed grammar. It does *not* search, and it asks no model. The code
//! is pure: it does no input or output.
//!
//! The documents of a corpus lie in buckets. A column is a field of the documents of one bucket. Documents that no
//! schema describes have one more column, `named`, which holds the names that their paths and titles give them.
//!
//! | module | what |
//! |---|---|
//! | [`link`](mod@link) | turns a question into conditions |
//! | [`linked`] | the result of linking |
//! | `frame`, `form` | decide whether a question asks for documents, for which, or for an explanation |
//! | `mention`, `meant`, `columns`, `amount_of`, `days_of` | find what a question mentions, whether it is meant, and its column |
//! | `companies`, `siblings`, `signs` | tell names apart that differ by a suffix, and values that differ by a sign |
//! | `by_name` | finds documents by a name where they lack a field |
//! | `called` | recognises a name and a year that together name a document |
//! | `alternatives` | joins sides of a comparison that are meant as one |
//! | `either`, `reply` | take out alternatives; read which column a reply names |
//! | `merge` | merges conditions on one column and finds contradictions |
//! | `tabulate` | finds out what is to be counted, added up or listed |
//! | `dictionary` | the columns and values of a corpus |
//! | [`days`], [`amounts`], [`token`] | spans of days, amounts and tokens, of the crate `text` |
//! | `units` | converts amounts to the unit of a column |
//! | `kindred`, `likeness` | related words: from a fixed list, and from word vectors of the caller |
//! | [`names`] | reads the names of a document from its path |
//! | `prose` | finds the sources and days in a question about what documents say |
//! | [`fiscal`] | finds out when fiscal years end |

/// The text of the language file, in which `words!` finds its lists.
const ENGLISH: &str = include_str!("../words/en.txt");

/// A list of words of the language file.
macro_rules! words {
    ($name:ident) => {
        const { text::list(crate::ENGLISH, stringify!($name)) }
    };
}

mod alternatives;
mod amount_of;
mod by_name;
mod called;
mod columns;
mod companies;
mod days_of;
mod dictionary;
mod either;
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
mod reply;
mod siblings;
mod signs;
mod tabulate;
#[cfg(test)]
mod tests;
mod units;

pub use dictionary::{
    BucketWords, DescribedBucket, DescribedColumn, Dictionary, FieldValue, NAMED,
};
pub use likeness::WordLikeness;
pub use link::{link, link_by};
pub use linked::{Ambiguity, Intent, LinkedQuestion, QuestionCondition, QuestionSide, Test};
pub use merge::TOO_MANY_VALUES;
pub use tabulate::{ColumnOperation, CurrencySource, GroupKey, TableQuestion, Tabulation};
pub use text::{amounts, days, token};
pub use time::Date;
