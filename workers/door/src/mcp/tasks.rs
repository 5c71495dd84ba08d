//! The tasks extension of 2026-07-28: an `ask` that takes longer than a call should is told as a task, which the client
//! looks at again and may cancel.
//!
//! A task is a turn under another name: its id is that of the turn, and what it is at comes from the streams, so any
//! door tells it. *Not* here: input for a task. A question back is its result, as text that says how to reply.

use crate::asking::turn_named;
use crate::mcp::{ask, failed};
use crate::problem::{self, Problem};
use crate::{Door, Login};
use axum::http::StatusCode;
use envelope::{Outcome, Terminal, TurnId, UnixMs};
use rmcp::RoleServer;
use rmcp::model::{DetailedTask, ErrorData, GetTaskResult, Task, TaskPayload, TaskStatus};
use rmcp::service::RequestContext;
use serde_json::Value;
use std::time::Duration;
use streams::client::{self, Error};
use streams::history;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// How long a client that knows tasks waits for an answer before it is given one.
pub(super) const AFTER: Duration = Duration::from_secs(10);
/// How often a client should look.
const LOOK_MS: u64 = 1_000;

/// Whether the client of a request knows tasks.
pub(super) fn are_known(context: &RequestContext<RoleServer>) -> bool {
    let capabilities = context.client_capabilities();
    capabilities.is_some_and(|capabilities| capabilities.supports_tasks())
}

/// The turn as a task. `None` where no gateway has taken it on yet, so that it could not be looked at.
pub(super) async fn begun(door: &Door, turn: &TurnId) -> Result<Option<Task>, Problem> {
    let begun = history::begun(&**door.bus(), turn).await;
    let begun = begun.map_err(Error::from)?;
    Ok(begun.map(|header| task(turn, header.asked_at, header.created_at)))
}

/// What a task is at.
pub(super) async fn get(door: &Door, login: &Login, id: String) -> Result<GetTaskResult, Problem> {
    let turn = turn_named(id)?;
    let (task, payload) = match door.ended(login, &turn).await? {
        None => (begun(door, &turn).await?, TaskPayload::Working),
        Some(ended) => {
            let task = task(&turn, ended.asked_at, ended.ended_at);
            (Some(task), payload(&ended)?)
        }
    };
    let task = task.ok_or(Error::NoTurn(turn))?;
    Ok(GetTaskResult::new(DetailedTask::new(task, payload)))
}

/// Cancels a task, which may have ended already.
pub(super) async fn cancel(door: &Door, login: &Login, id: String) -> Result<(), Problem> {
    let turn = turn_named(id)?;
    if door.ended(login, &turn).await?.is_none() {
        client::cancel(&**door.bus(), &turn).await?;
    }
    Ok(())
}

/// A failure to look at a task, which is one of the request.
pub(super) fn refused(problem: Problem) -> ErrorData {
    let data = Some(problem.body());
    match problem.status {
        StatusCode::NOT_FOUND => ErrorData::invalid_params(problem.detail, data),
        _ => ErrorData::internal_error(problem.detail, data),
    }
}

fn task(turn: &TurnId, asked: UnixMs, changed: UnixMs) -> Task {
    let at = |time: UnixMs| {
        let time = OffsetDateTime::from_unix_timestamp_nanos(i128::from(time.0) * 1_000_000);
        time.ok().and_then(|time| time.format(&Rfc3339).ok())
    };
    let at = |time| at(time).unwrap_or_default();
    Task::new(turn.as_str(), TaskStatus::Working, at(asked), at(changed))
        .with_poll_interval_ms(LOOK_MS)
}

fn payload(ended: &Terminal) -> Result<TaskPayload, Problem> {
    if ended.outcome == Outcome::Cancelled {
        return Ok(TaskPayload::Cancelled);
    }
    let result = match problem::of_end(ended) {
        None => ask::finished(ended),
        Some(problem) => failed(problem),
    };
    match serde_json::to_value(result) {
        Ok(Value::Object(result)) => Ok(TaskPayload::Completed { result }),
        _ => {
            let status = StatusCode::INTERNAL_SERVER_ERROR;
            Err(Problem::new(status, "internal", "a result is no object"))
        }
    }
}
