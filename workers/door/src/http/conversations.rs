//! Conversations of the login's tenant over HTTP.

use crate::Door;
use crate::access::{Login, Scope};
use crate::http::Segments;
use crate::problem::Problem;
use axum::Json;
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use envelope::{ConversationId, TenantId};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use streams::client;

/// Why conversations cannot be read or erased, in a sentence.
pub type ConversationError = Box<dyn std::error::Error + Send + Sync>;

/// Reads and erases conversations. The process that has the door knows where they are.
pub trait Conversations: Send + Sync {
    /// The conversations of a tenant, the one last used first, as `argosy conversation ls -o json` has them.
    fn list<'a>(&'a self, tenant: &'a TenantId) -> BoxFuture<'a, Result<Value, ConversationError>>;
    /// The turns of one, as `argosy conversation show -o json` has them; `null` if there is none.
    fn turns<'a>(
        &'a self,
        tenant: &'a TenantId,
        conversation: &'a ConversationId,
    ) -> BoxFuture<'a, Result<Value, ConversationError>>;
    /// Erases one for good. Returns false if there is none.
    fn erase<'a>(
        &'a self,
        tenant: &'a TenantId,
        conversation: &'a ConversationId,
    ) -> BoxFuture<'a, Result<bool, ConversationError>>;
}

impl From<ConversationError> for Problem {
    fn from(error: ConversationError) -> Problem {
        let status = StatusCode::SERVICE_UNAVAILABLE;
        Problem::new(status, "conversations_away", error.to_string())
    }
}

/// An id for a new conversation, which nobody can guess. Nothing is stored before its first question.
pub(crate) async fn begin(Extension(login): Extension<Login>) -> Result<Json<Value>, Problem> {
    login.may(Scope::Ask)?;
    let conversation = client::new_conversation()?;
    Ok(Json(json!({ "conversation": conversation.as_str() })))
}

/// Lists them.
pub(crate) async fn list(
    State(door): State<Door>,
    Extension(login): Extension<Login>,
) -> Result<Json<Value>, Problem> {
    login.may(Scope::Write)?;
    Ok(Json(door.0.setup.conversations.list(&login.tenant).await?))
}

/// Shows one.
pub(crate) async fn read(
    State(door): State<Door>,
    Extension(login): Extension<Login>,
    Segments(conversation): Segments<String>,
) -> Result<Json<Value>, Problem> {
    // Whoever knows its id may read it and go on with it.
    login.may(Scope::Ask)?;
    let id = known(&conversation)?;
    let read = door.0.setup.conversations.turns(&login.tenant, &id).await?;
    // One that was erased has no turns.
    let is_held = read["turns"].as_array().is_some_and(|t| !t.is_empty());
    match is_held {
        true => Ok(Json(read)),
        false => Err(none(&conversation)),
    }
}

/// Erases one for good.
pub(crate) async fn erase(
    State(door): State<Door>,
    Extension(login): Extension<Login>,
    Segments(conversation): Segments<String>,
) -> Result<StatusCode, Problem> {
    login.may(Scope::Write)?;
    let id = known(&conversation)?;
    match door.0.setup.conversations.erase(&login.tenant, &id).await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(none(&conversation)),
    }
}

fn known(conversation: &str) -> Result<ConversationId, Problem> {
    ConversationId::new(conversation).map_err(|_| none(conversation))
}

fn none(conversation: &str) -> Problem {
    let detail = format!("there is no conversation `{conversation}`");
    Problem::new(StatusCode::NOT_FOUND, "no_such_conversation", detail)
}
