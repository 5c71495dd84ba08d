//! Feedback on answers over HTTP: given by whoever may see the answer, read by operators of the tenant.

use crate::Door;
use crate::access::{Login, Scope};
use crate::asking::turn_named;
use crate::http::{Object, Segments, fields};
use crate::problem::Problem;
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Extension, Query, State};
use axum::http::StatusCode;
use bus::{PublishError, Stream};
use envelope::feedback::COMMENT_BYTES_MAX;
use envelope::{Feedback, LoginId, Terminal, TurnId};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use streams::client;
use streams::feedback;

/// Pieces of feedback in a list, unless the request says how many.
const LISTED: usize = 100;
/// The most pieces of feedback in a list.
const LISTED_MAX: usize = 500;

/// What is said of an answer.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    good: bool,
    comment: Option<String>,
    /// The sentence that it is about, from 1. Default all of them.
    sentence: Option<u16>,
}

/// Keeps what the login says of an answer, in the place of what it said before.
pub(crate) async fn give(
    State(door): State<Door>,
    Extension(login): Extension<Login>,
    Segments(turn): Segments<String>,
    object: Object,
) -> Result<StatusCode, Problem> {
    login.may(Scope::Ask)?;
    let turn = turn_named(turn)?;
    let ended = door.ended_whole(&login, &turn).await?;
    let said = fitting(fields(object)?, &ended)?;
    let (name, now) = (login.name.clone(), door.bus().now());
    let given = Feedback {
        conversation: ended.conversation,
        comment: said.comment,
        sentence: said.sentence,
        ..Feedback::of(login.principal(), turn.clone(), name, said.good, now)
    };
    let (id, doors) = (id_of(&login)?, door.clone());
    // To its end, also when whoever gave it has gone meanwhile.
    let kept = door.0.afterwards.spawn(async move {
        let place = feedback::give(&**doors.bus(), &given, &id).await?;
        // An erasure looks for feedback behind the answer: what came after that look has to see that there is none.
        if let Err(gone) = doors.ended_whole(&login, &turn).await {
            if let Err(error) = doors.bus().erase(Stream::Feedback, place).await {
                tracing::warn!(%error, %turn, place, "feedback on an answer that is gone could not be erased: `argosy conversation erase` does it again");
                return Err(client::Error::from(error).into());
            }
            return Err(gone);
        }
        doors.0.setup.metrics.judged(given.good);
        Ok(StatusCode::NO_CONTENT)
    });
    let internal = |_| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "it failed");
    kept.await.map_err(internal)?
}

/// Which feedback is listed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Which {
    /// The `next` of the list that this one goes on from.
    before: Option<u64>,
    limit: Option<usize>,
}

/// Lists the feedback of the tenant, the newest first.
pub(crate) async fn list(
    State(door): State<Door>,
    Extension(login): Extension<Login>,
    which: Result<Query<Which>, QueryRejection>,
) -> Result<Json<Value>, Problem> {
    login.may(Scope::Operate)?;
    let Query(which) = which?;
    let limit = which.limit.unwrap_or(LISTED);
    if !(1..=LISTED_MAX).contains(&limit) {
        return Err(Problem::bad(format!("`limit`: want 1 to {LISTED_MAX}")));
    }
    let reader = login.principal();
    let tenant = Some(&login.tenant);
    let listed = feedback::list(&**door.bus(), tenant, which.before, limit, |given| {
        reader.covers(&given.principal())
    });
    let listed = listed.await.map_err(client::Error::from)?;
    Ok(Json(
        json!({"feedback": listed.feedback, "next": listed.next}),
    ))
}

impl Door {
    /// The end of a turn that the login may see, and that was not erased.
    async fn ended_whole(&self, login: &Login, turn: &TurnId) -> Result<Terminal, Problem> {
        let ended = self.ended(login, turn).await?.ok_or_else(|| {
            let detail = "the turn is still being worked on";
            Problem::new(StatusCode::CONFLICT, "not_ended", detail)
        })?;
        match &ended.error {
            Some(error) if error.code == "conversation_erased" => {
                let status = StatusCode::GONE;
                Err(Problem::new(status, &error.code, error.message.clone()))
            }
            _ => Ok(ended),
        }
    }
}

/// Checks what is said against the answer.
fn fitting(mut said: Said, ended: &Terminal) -> Result<Said, Problem> {
    let sentences = ended.sentences.len();
    if let Some(sentence) = said.sentence
        && !(1..=sentences).contains(&usize::from(sentence))
    {
        let detail = format!("`sentence`: the answer has {sentences} sentences that were checked");
        return Err(Problem::bad(detail));
    }
    let comment = said.comment.take();
    said.comment = comment
        .map(|comment| comment.trim().to_owned())
        .filter(|comment| !comment.is_empty());
    match &said.comment {
        Some(comment) if comment.len() > COMMENT_BYTES_MAX => Err(Problem::bad(format!(
            "`comment` has {} bytes, the limit is {COMMENT_BYTES_MAX}",
            comment.len()
        ))),
        _ => Ok(said),
    }
}

/// What a login's feedback is stored under: any name makes a token of a subject.
fn id_of(login: &Login) -> Result<LoginId, Problem> {
    let digest = Sha256::digest(login.id.as_bytes());
    let hex: String = digest[..20].iter().map(|b| format!("{b:02x}")).collect();
    LoginId::new(hex).map_err(|error| Problem::bad(error.to_string()))
}

impl From<PublishError> for Problem {
    fn from(error: PublishError) -> Problem {
        let status = StatusCode::SERVICE_UNAVAILABLE;
        Problem::new(status, "not_stored", error.to_string())
    }
}
