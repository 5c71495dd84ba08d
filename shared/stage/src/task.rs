//! What a stage works on: the payload of its message, made whole. Only the reducer's differs from
//! what is on the wire: the harness has put the parts beside the passages that they are about.

use envelope::{Class, Classed, Doubt, Draft, Findings, MapTask, Matched, Passage, Plan, PlanTask};

/// The task of one step.
#[derive(Debug, Clone, PartialEq)]
#[expect(
    missing_docs,
    reason = "one variant per role, each with the payload of that role"
)]
pub enum Task {
    Plan(PlanTask),
    Retrieve(Plan),
    Map(MapTask),
    Reduce(Reduce),
    Validate(Draft),
    Clarify(Doubt),
}

/// What the reducer works on.
#[derive(Debug, Clone, PartialEq)]
pub enum Reduce {
    /// Compose from what the mappers found.
    Gather {
        /// Hop of the scatter record.
        scatter: u16,
        /// Ask for a stricter draft: the last one was not grounded.
        strict: bool,
        /// Compose from what there is, even when it is little.
        last: bool,
        /// The passages, best first.
        passages: Vec<Passage>,
        /// What was found in passage `i`; `None` when its part is missing or an error.
        findings: Vec<Option<Findings>>,
        /// Which parts were not there in time.
        missing: Vec<u16>,
        /// Which parts are errors.
        failed: Vec<u16>,
        /// How the filter fared.
        matched: Matched,
    },
    /// One call over the passages themselves.
    Generate {
        /// What to answer from, best first.
        passages: Vec<Passage>,
        /// How the filter fared.
        matched: Matched,
    },
}

/// A task that came to the wrong stage.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a task for another role")]
pub struct WrongTask;

impl Classed for WrongTask {
    fn class(&self) -> Class {
        Class::Bug
    }
    fn code(&self) -> &'static str {
        "wrong_task"
    }
}

macro_rules! task {
    ($variant:ident, $payload:ty) => {
        impl TryFrom<Task> for $payload {
            type Error = WrongTask;
            fn try_from(task: Task) -> Result<Self, WrongTask> {
                match task {
                    Task::$variant(payload) => Ok(payload),
                    _ => Err(WrongTask),
                }
            }
        }
    };
}

task!(Plan, PlanTask);
task!(Retrieve, Plan);
task!(Map, MapTask);
task!(Reduce, Reduce);
task!(Validate, Draft);
task!(Clarify, Doubt);
