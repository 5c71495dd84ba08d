//! The planner's input: its task and, for a review or an action of a loop, the fan-outs of the turn.

use envelope::{FanOut, History, Payload, PlanTask, Task, WrongTask};

/// A task with its evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct Planning {
    pub(crate) task: PlanTask,
    /// The fan-outs; empty except for a review or an action of a loop.
    pub(crate) evidence: Vec<FanOut>,
}

impl From<PlanTask> for Planning {
    fn from(task: PlanTask) -> Planning {
        Planning {
            task,
            evidence: Vec::new(),
        }
    }
}

impl TryFrom<Task> for Planning {
    type Error = WrongTask;

    fn try_from(task: Task) -> Result<Planning, WrongTask> {
        let evidence = task.evidence;
        match task.payload {
            Payload::Planner(task) => Ok(Planning { task, evidence }),
            other => Err(WrongTask { role: other.role() }),
        }
    }
}

/// What was said before the question, if the task has to do with it.
pub(crate) fn history(task: &PlanTask) -> Option<&History> {
    match task {
        PlanTask::FollowUp { history } => Some(history),
        PlanTask::First
        | PlanTask::Refine { .. }
        | PlanTask::Review { .. }
        | PlanTask::Act { .. } => None,
    }
}
