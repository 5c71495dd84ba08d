//! Generates a corpus by seed, with questions whose conditions, documents and tables are known.
//!
//! Records are made first: invoices with credit notes and second scans, contracts with amendments, datasheets,
//! certificates, yearly reports. Documents are rendered from the records. The answer to a question is found by
//! evaluating a predicate on one record after the other ([`question`], `gold`), never by the code under test. Outside
//! tests this crate uses no other crate of the repository, so that the linker and the generator share no list of
//! words.
//!
//! The corpus has splits ([`Half`], also called sides). Settings are tuned on [`Half::Dev`]. [`Half::Test`] has other
//! names, suffixes, columns, paths, sentences, templates and seed, and two families of near-misses that dev has not.
//! [`Half::Extra`] is for tuning, too: its words differ from those of dev, and it has the same two families. The words
//! of [`Half::Third`], [`Half::Fourth`], [`Half::Fifth`], [`Half::Sixth`] and [`Half::Seventh`] are by people who saw
//! neither the linker nor the test split. These five have more patterns for sums, comparisons and groups, and several
//! names for a column. Their patterns are in no other split. Nothing is tuned on [`Half::Sixth`]; the others were read
//! after their first figures had been taken.
//!
//! # In a folder
//! | file | what |
//! |---|---|
//! | `documents/` | Markdown, HTML, PDF, CSV, JSONL and scans (`.txt`); the first folder is the bucket |
//! | `schema.toml` | the columns of the buckets that have a schema |
//! | `questions.jsonl` | a [`GoldQuestion`] a line |
//! | `names.json` | for each company the names that documents use for it; tables group by company |
//! | `summary.json` | a [`CorpusSummary`] |
//!
//! # Where values stand
//! Of 100 values, 40 are written in the front matter (and perhaps also in the text), 25 only in the text, 25 only in
//! the path and 10 nowhere. Every document states what it is (`Nature`). PDF and CSV files have no front matter, so
//! their values are in the text or the path. A document may lack a value that a question has a condition on, adds up
//! or groups by. Unless another condition excludes it, such a document is in `left_out` and not in `documents`. This
//! applies to negations, too: a document that does not state its currency may or may not be in euros.
//!
//! A scan may have one wrong letter in a name, and letters in place of digits in a number; see `NOISE`.
//!
//! Questions about buckets without a schema have conditions only on what titles and paths state (company, number,
//! kind, standard, site, year), not on days and amounts, which nobody could find there.
//!
//! # What words mean
//! - `invoices` means invoices only, not the credit notes and second scans in the same bucket. In the same way,
//!   `contracts` does not include amendments.
//! - A fiscal year has the number of the calendar year in which it ends. A company's own fiscal year counts if its
//!   reports state one, else the calendar year.
//! - `between A and B` includes both days; `before` and `after` exclude the day that they name. `since March`
//!   begins on the first of March. `the last 30 days` begin thirty days before `today` and include today.
//! - A span of days includes its first day and excludes its last one (`gte`, `lt`): after 3 May is `gte` 4 May, and
//!   `gt` 3 May means the same.
//! - An amount with a currency means amounts in that currency; `over 5,000` alone means amounts in any currency.
//! - `over` and `under` exclude the bound; `at least` and `between` include it.
//!
//! | module | what |
//! |---|---|
//! | [`Corpus`], [`CorpusPlan`] | all of it |
//! | [`question`] | the schema of `questions.jsonl` |
//! | [`record`], [`field`] | records, their fields, where values are written |
//! | `words`, `wording` | the names in a split, the patterns of its questions |
//! | `making`, `placing`, `path` | making records, where their values are written, paths |
//! | `manuscript`, `render`, `schema` | the contents of a document, its bytes, the schema |
//! | `gold`, `table` | the naive scan over records, and the tables of what it finds |
//! | `asking` | questions |

mod asking;
mod company;
mod corpus;
pub mod day;
mod dice;
mod error;
pub mod field;
mod gold;
mod half;
mod making;
mod manuscript;
mod money;
mod path;
mod placing;
pub mod question;
mod reading;
pub mod record;
mod render;
mod schema;
mod summary;
mod table;
mod wording;
mod words;

#[cfg(test)]
mod sides_tests;

pub use company::Company;
pub use corpus::{Corpus, CorpusFile, CorpusPlan, DOCUMENTS_MIN, text_appearances};
pub use error::Error;
pub use half::Half;
pub use question::{GoldCondition, GoldQuestion, GoldTable, NearMiss, QuestionKind};
pub use reading::read_questions;
pub use summary::CorpusSummary;
