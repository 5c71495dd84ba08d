//! Conversations of the login's tenant over HTTP.

use crate::Door;
use crate::access::{Login, Scope};
use crate::http::{Object, Segments, fields};
use crate::problem::Problem;
use axum::Json;
use axum::extract::{Extension, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use envelope::{ConversationId, Principal, TurnId};
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Value, json};
use streams::client;

/// Why conversations cannot be read or erased, in a sentence.
pub type ConversationError = Box<dyn std::error::Error + Send + Sync>;

/// What became of a fork.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fork {
    /// It begins with this many turns of the other conversation.
    Begun(usize),
    /// The turn is none of the conversation, or its beginning is no longer kept.
    NoTurn,
    /// The turn has not ended; where none was named, no turn has.
    NotEnded,
    /// The conversation has as many forks as it may.
    TooMany,
}

/// Reads, forks and erases conversations. The process that has the door knows where they are.
pub trait Conversations: Send + Sync {
    /// The conversations that a principal may read, the one last used first, as `argosy conversation ls -o json` has them.
    fn list<'a>(
        &'a self,
        principal: &'a Principal,
    ) -> BoxFuture<'a, Result<Value, ConversationError>>;
    /// The turns of one, as `argosy conversation show -o json` has them; `null` if there is none for it.
    fn turns<'a>(
        &'a self,
        principal: &'a Principal,
        conversation: &'a ConversationId,
    ) -> BoxFuture<'a, Result<Value, ConversationError>>;
    /// Begins the conversation `child` with the turns of one up to `after`, or with all that have ended.
    fn fork<'a>(
        &'a self,
        principal: &'a Principal,
        conversation: &'a ConversationId,
        after: Option<&'a TurnId>,
        child: &'a ConversationId,
    ) -> BoxFuture<'a, Result<Fork, ConversationError>>;
    /// Erases one for good. Returns false if there is none for it.
    fn erase<'a>(
        &'a self,
        principal: &'a Principal,
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
    Ok(Json(
        door.0.setup.conversations.list(&login.principal()).await?,
    ))
}

/// Shows one.
pub(crate) async fn read(
    State(door): State<Door>,
    Extension(login): Extension<Login>,
    Segments(conversation): Segments<String>,
) -> Result<Json<Value>, Problem> {
    Ok(Json(held(&door, &login, &conversation).await?.1))
}

/// Where a fork goes on.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Behind {
    /// The last turn that it takes over. Default the last one that has ended.
    after: Option<TurnId>,
}

/// Begins another conversation with the turns of one. Who may read it may go on with it elsewhere.
pub(crate) async fn fork(
    State(door): State<Door>,
    Extension(login): Extension<Login>,
    Segments(conversation): Segments<String>,
    object: Option<Object>,
) -> Result<impl IntoResponse, Problem> {
    let (id, _) = held(&door, &login, &conversation).await?;
    let behind: Option<Behind> = object.map(fields).transpose()?;
    let after = behind.and_then(|behind| behind.after);
    // It writes as many messages as the conversation has, so it counts as a question.
    door.0.setup.logins.spend(&login, None)?;
    let child = client::new_conversation()?;
    let conversations = &door.0.setup.conversations;
    let me = login.principal();
    let fork = conversations.fork(&me, &id, after.as_ref(), &child);
    let conflict = |code, detail: &str| Problem::new(StatusCode::CONFLICT, code, detail);
    let turns = match fork.await? {
        Fork::Begun(turns) => turns,
        Fork::NoTurn => {
            let detail = "the conversation has no such turn, or its beginning is no longer kept";
            let status = StatusCode::NOT_FOUND;
            return Err(Problem::new(status, "no_such_turn", detail));
        }
        Fork::NotEnded => {
            let detail = "a fork goes on behind a turn that has ended: ask again when it has";
            return Err(conflict("not_ended", detail));
        }
        Fork::TooMany => {
            let detail = "the conversation has as many forks as it may; fork one of them";
            return Err(conflict("too_many_forks", detail));
        }
    };
    let at = format!("{}/api/conversations/{child}", door.0.setup.options.prefix);
    let begun = json!({"conversation": child.as_str(), "copy_of": id.as_str(), "turns": turns});
    Ok((StatusCode::CREATED, [(header::LOCATION, at)], Json(begun)))
}

/// Erases one for good.
pub(crate) async fn erase(
    State(door): State<Door>,
    Extension(login): Extension<Login>,
    Segments(conversation): Segments<String>,
) -> Result<StatusCode, Problem> {
    login.may(Scope::Write)?;
    let id = known(&conversation)?;
    match door
        .0
        .setup
        .conversations
        .erase(&login.principal(), &id)
        .await?
    {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(none(&conversation)),
    }
}

/// A conversation that the login may read, with its turns. Whoever knows its id may read it and go on with it.
async fn held(
    door: &Door,
    login: &Login,
    conversation: &str,
) -> Result<(ConversationId, Value), Problem> {
    login.may(Scope::Ask)?;
    let id = known(conversation)?;
    let read = door
        .0
        .setup
        .conversations
        .turns(&login.principal(), &id)
        .await?;
    // One that was erased has no turns.
    let is_held = read["turns"].as_array().is_some_and(|t| !t.is_empty());
    match is_held {
        true => Ok((id, read)),
        false => Err(none(conversation)),
    }
}

fn known(conversation: &str) -> Result<ConversationId, Problem> {
    ConversationId::new(conversation).map_err(|_| none(conversation))
}

fn none(conversation: &str) -> Problem {
    let detail = format!("there is no conversation `{conversation}`");
    Problem::new(StatusCode::NOT_FOUND, "no_such_conversation", detail)
}
