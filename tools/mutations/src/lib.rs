//! Generates test cases for measuring a check of answers: by seed, it rewords true sentences and makes copies of each
//! that are false in one place.
//!
//! A sentence comes with five passages, four of them from other documents. Each sentence is reworded first, because a
//! verbatim copy proves nothing; then at most one place is changed. This crate does *not* contain or use the check.
//!
//! Some changes are never made, because people would disagree on whether the sentence became false. They concern:
//! until and from, with and without, up to, first and last as idioms, ellipses, negation in quotations and
//! subordinate clauses, hours of the day, percent against points, the order of the members of a list.
//!
//! | module | what |
//! |---|---|
//! | [`source`] | documents, and their sentences that are known to be true |
//! | [`case`](mod@case) | a sentence with its passages |
//! | `generate` | all cases of a seed |
//! | `find` | numbers, dates and names in a sentence |
//! | `reword` | rewordings that change nothing |
//! | `mutate` | changes that make a sentence false |
//! | `lists` | lists of words for rewordings and changes |

pub mod case;
mod find;
mod generate;
mod lists;
mod mutate;
mod reword;
pub mod source;

pub use case::{Mutation, MutationCase, MutationSplit};
pub use generate::generate;
pub use source::SourceText;
