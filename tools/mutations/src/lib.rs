//! True sentences reworded, and made false in one place each, by seed: what a check of answers is measured with.
//!
//! A sentence comes with five passages, four of them of other documents. Each is reworded first, since one that is taken
//! over verbatim proves nothing; then at most one place is changed. *Not* the check, and nothing of it is used here.
//!
//! Left out, because people would differ whether the sentence became false: until and from, with and without, up to,
//! first and last as idioms, ellipses, negation in quotations and subordinate clauses, hours of the day, percent against
//! points, the order of the members of a list.
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
