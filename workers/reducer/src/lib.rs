//! The reducer worker: it composes a cited draft from facts or passages, with one model call.
//!
//! The worker decides whether enough was found, has a model write from the findings alone, and makes sure that every
//! draft has the same shape: `[n]` marks, numbered sources, quotes. *Not* here: whether the draft is right, which the
//! validator checks.
//!
//! | module | what |
//! |---|---|
//! | `gather` | puts the parts of all fan-outs together and compares them with the gate |
//! | `form` | what a model is told if another form than prose is wanted |
//! | `evidence` | numbered sources and facts, cut to size, as sections of a prompt |
//! | `pruning` | chooses the evidence that is kept if not all of it fits |
//! | `call` | time limits of the model call, and when it is given up |
//! | `draft` | the draft that a step makes |
//! | `assess`, `known` | asks the model whether its draft is right, and whether its word means anything |
//! | `answer` | reads and cleans a model's reply |
//! | `marks` | citation marks: one form, and added where a model forgot them |
//! | `remarks` | contradictions and things to do that a model reports beside the answer |
//! | `stitch` | an answer without a model |
//! | `quote` | the words of a source that support an answer |
//! | `support` | how many words two texts share |

mod acted;
mod answer;
mod assess;
mod call;
mod draft;
mod evidence;
mod form;
mod gate;
mod gather;
mod known;
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
