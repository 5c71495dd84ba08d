//! Generates test cases for measuring a check of answers: by seed, it rewords true sentences and makes copies of each
//! that are false in one place.
//!
//! A sentence comes with five passages, four of them from other documents. Each sentence is reworded first, because a
//! verbatim copy proves nothing; then at most one place is changed. This crate does *not* contain or use the check.
//!
//! A change is *not* made if people would disagree on whether it makes the sentence false. `until` and `from`, `with`
//! and `without`, and percent and percentage points are not exchanged. `up to`, `first` and `last` in idioms,
//! sentences with an ellipsis, negations in quotations or subordinate clauses, hours of the day, and the order of the
//! members of a list are not changed.
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
