//! The reducer worker: facts to a cited draft, with one model call.
//!
//! It decides whether enough was found, lets a model write from the facts alone, and makes sure
//! that every draft has the same shape: `[n]` marks, numbered sources, quotes. *Not* here: whether
//! the draft is right, which is the validator's question.
//!
//! | module | what |
//! |---|---|
//! | `gather` | parts of a fan-out to evidence; the gate |
//! | `evidence` | numbered sources and facts, cut to size, as sections of a prompt |
//! | `answer` | what a model wrote, cleaned |
//! | `marks` | citation marks: one form, and added where a model forgot them |
//! | `stitch` | an answer without a model |
//! | `quote` | the words of a source that support an answer |
//! | `sentences`, `support` | where sentences end, how many words two texts share |

mod answer;
mod evidence;
mod gather;
mod marks;
mod options;
mod question;
mod quote;
mod stage;
mod stitch;
mod support;
mod table;

pub use answer::NO_INFORMATION;
pub use options::Options;
pub use stage::{Error, Reducer};
