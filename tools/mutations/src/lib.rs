//! Rewords true sentences and makes each false in one place, by seed. A check of answers is measured with them.
//!
//! A sentence comes with five passages, four of them of other documents. Each sentence is reworded first, because a
//! verbatim copy proves nothing; then at most one place is changed. *Not* the check, of which nothing is used here.
//!
//! Some changes are left out because people would disagree on whether the sentence became false: until and from, with
//! and without, up to, first and last as idioms, ellipses, negation in quotations and subordinate clauses, hours of
//! the day, percent against points, the order of the members of a list.
//!
//! | module | what |
//! |---|---|
//! | [`source`] | documents, and the sentences of them that can be told to be true |
//! | [`case`](mod@case) | a sentence with its passages |
//! | `generate` | all cases of a seed |
//! | `find` | numbers, dates and names in a sentence |
//! | `reword` | rewordings that change nothing |
//! | `mutate` | changes that make a sentence false |
//! | `lists` | words for both |

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
