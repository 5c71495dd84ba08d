//! The reducer worker: it composes a cited draft from facts or passages, with one model call.
//!
//! The worker decides whether enough was found, has a model write from the findings alone, and makes sure that every
//! draft has the same shape: `[n]` marks, numbered sources, quotes. *Not* here: whether the draft is right, which is
//! the validator's question.
//!
//! | module | what |
//! |---|---|
//! | `gather` | parts of a fan-out to evidence; the gate |
//! | `evidence` | numbered sources and facts, cut to size, as sections of a prompt |
//! | `pruning` | which of it stays where not all of it fits |
//! | `call` | how long the one call may take, and when it is given up |
//! | `draft` | what a step came to, as a draft |
//! | `answer` | what a model wrote, cleaned |
//! | `marks` | citation marks: one form, and added where a model forgot them |
//! | `remarks` | what is told beside an answer |
//! | `stitch` | an answer without a model |
//! | `quote` | the words of a source that support an answer |
//! | `support` | how many words two texts share |

mod acted;
mod answer;
mod call;
mod draft;
mod evidence;
mod gate;
mod gather;
mod marks;
mod options;
mod prompts;
mod pruning;
mod question;
mod quote;
mod remarks;
mod stage;
mod stitch;
mod support;
mod table;

pub use answer::NO_INFORMATION;
pub use options::{Options, ReducerInput};
pub use stage::Reducer;
