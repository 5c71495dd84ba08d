//! Makes a corpus up by seed, with questions whose conditions, documents and tables are known.
//!
//! Records come first: invoices with credit notes and second scans, contracts with amendments, datasheets,
//! certificates, yearly reports. Documents are rendered from them. The answer to a question is found by evaluating a
//! predicate on one record after the other ([`question`], `gold`), never by the code under test. This crate uses no
//! other crate of the repository outside tests, so that the linker and the generator share no list.
//!
//! There are two main sides. Settings are tuned on [`Half::Dev`]; [`Half::Test`] has other names, suffixes, columns,
//! paths, sentences, templates and seed, and two families of near-misses of its own. [`Half::Extra`] is for tuning,
//! too: in other words than dev, with those two families; no figure is given for it. [`Half::Third`],
//! [`Half::Fourth`], [`Half::Fifth`] and [`Half::Sixth`] are four further ones: in the words of people who saw neither
//! the linker nor the test side, with more patterns for what is added up, compared and grouped, and several names for a
//! column. Their patterns are in no other side, and nothing is tuned on [`Half::Sixth`].
//!
//! # In a folder
//! | file | what |
//! |---|---|
//! | `documents/` | Markdown, HTML, PDF, CSV, JSONL and scans (`.txt`); the first folder is the bucket |
//! | `schema.toml` | the columns of the buckets that have a schema |
//! | `questions.jsonl` | a [`GoldQuestion`] a line |
//! | `names.json` | for each company what documents call it: two forms are one group |
//! | `summary.json` | a [`CorpusSummary`] |
//!
//! # Where values stand
//! Of all values, 40 of 100 stand in front matter (perhaps in the text, too), 25 only in the text, 25 only in the
//! path and 10 nowhere. Every document states what it is (`Nature`). A PDF and a CSV have no front matter, so theirs
//! stand in the text or the path. A document that lacks a value of a question's conditions, or of what is added up or
//! grouped by, and that nothing else rules out, is in `left_out` and not in `documents`; negations are no exception,
//! because a document that does not state its currency may or may not be in euros.
//!
//! A scan may have one letter of a name wrong, and letters for digits in a number; see `NOISE`.
//!
//! Buckets without a schema are asked for what titles and paths tell (company, number, kind, standard, site, year),
//! not for days and amounts, which nobody could find in them.
//!
//! # What words mean
//! - `invoices` are invoices: not credit notes and not second scans, which lie in the same bucket. The same
//!   holds for contracts and amendments.
//! - A fiscal year is called after the calendar year in which it ends. It is the company's own where its reports
//!   state one, else that of the calendar.
//! - `between A and B` has both days in it; `before` and `after` do not have theirs. `since March` begins on the first.
//!   `the last 30 days` begin thirty days before `today`, and today is in them.
//! - A span of days includes its first day and excludes its last one (`gte`, `lt`): after 3 May is `gte` 4 May, and
//!   `gt` 3 May means the same.
//! - An amount with a currency means amounts in that currency; `over 5,000` alone means any.
//! - `over` and `under` are without the bound, `at least` and `between` with it.
//!
//! | module | what |
//! |---|---|
//! | [`Corpus`], [`CorpusPlan`] | all of it |
//! | [`question`] | the schema of `questions.jsonl` |
//! | [`record`], [`field`] | records, their fields, where values stand |
//! | `words`, `wording` | what a side calls things, how it asks |
//! | `making`, `placing`, `path` | records, where values stand, paths |
//! | `manuscript`, `render`, `schema` | what a document says, its bytes, the schema |
//! | `gold`, `table` | the naive scan, and what is added up over it |
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
