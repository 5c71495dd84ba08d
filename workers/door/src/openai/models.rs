//! The models on offer. None is a language model: each is a way to ask the fleet.
//!
//! | model | what it does |
//! |---|---|
//! | `argosy` | asks in the fleet's default mode |
//! | `argosy-simple`, `argosy-auto` | ask in that mode |
//! | `argosy/BUCKET` | asks in the default mode, one part of the corpus only |
//! | `argosy-tasks` | answers nothing: the task model of chat programs, so that their titles and tags do not search |

use crate::Door;
use crate::access::{Login, Scope};
use crate::http::Segments;
use crate::problem::Problem;
use axum::Json;
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use envelope::lookup::CorpusCatalog;
use envelope::subject;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// The models that every corpus has, each with its mode.
const WAYS: [(&str, Option<&str>); 3] = [
    ("argosy", None),
    ("argosy-simple", Some("simple")),
    ("argosy-auto", Some("auto")),
];
/// The model that refuses.
const TASKS: &str = "argosy-tasks";
/// How long a retriever is waited for: chat programs ask for the list before they show anything.
const LOOK_MAX: Duration = Duration::from_secs(3);
/// What a model of one bucket begins with.
const BUCKET: &str = "argosy/";

/// The fields of a question to this model.
pub(super) async fn fields(
    door: &Door,
    login: &Login,
    model: &str,
) -> Result<Map<String, Value>, Problem> {
    if model == TASKS {
        let detail = format!(
            "`{TASKS}` answers nothing: it keeps titles, tags and other tasks of a chat program from searching the \
             documents; name a language model of another server for them, or switch them off"
        );
        return Err(Problem::bad(detail).about("model"));
    }
    let mut fields = Map::new();
    if let Some((_, mode)) = WAYS.iter().find(|(way, _)| *way == model) {
        fields.extend(mode.map(|mode| ("mode".into(), mode.into())));
        return Ok(fields);
    }
    let Some(bucket) = model.strip_prefix(BUCKET) else {
        return Err(none(model));
    };
    // A retriever that is away, or a key that may only ask, is no reason to refuse.
    if let Some(buckets) = buckets(door, login).await
        && !buckets.iter().any(|known| known == bucket)
    {
        return Err(none(model));
    }
    fields.insert("buckets".into(), json!([bucket]));
    Ok(fields)
}

fn none(model: &str) -> Problem {
    let detail = format!("there is no model `{model}`; GET /v1/models lists those on offer");
    Problem::new(StatusCode::NOT_FOUND, "model_not_found", detail).about("model")
}

/// The buckets of the login's tenant; `None` where they cannot all be told.
async fn buckets(door: &Door, login: &Login) -> Option<Vec<String>> {
    login.may(Scope::Read).ok()?;
    let request = Map::from_iter([("values_max".into(), 0.into())]);
    let looked = door.look_up(login, subject::CATALOG, request);
    let catalog = match tokio::time::timeout(LOOK_MAX, looked).await {
        Ok(Ok(catalog)) => catalog,
        Ok(Err(problem)) => {
            tracing::debug!(problem = problem.detail, "models without buckets");
            return None;
        }
        Err(_) => {
            tracing::debug!("models without buckets: no retriever answers");
            return None;
        }
    };
    let catalog: CorpusCatalog = serde_json::from_value(catalog).ok()?;
    let named = catalog.buckets.into_iter();
    (catalog.buckets_left_out == 0).then(|| named.map(|one| one.bucket.to_string()).collect())
}

/// When it was made is known of none of them.
fn said(model: &str) -> Value {
    json!({"id": model, "object": "model", "created": 0, "owned_by": "argosy"})
}

/// Lists them.
pub(super) async fn list(
    State(door): State<Door>,
    Extension(login): Extension<Login>,
) -> Result<Json<Value>, Problem> {
    login.may(Scope::Ask)?;
    let buckets = buckets(&door, &login).await.unwrap_or_default();
    let mut models: Vec<Value> = WAYS.iter().map(|(way, _)| said(way)).collect();
    models.extend(
        buckets
            .iter()
            .map(|bucket| said(&format!("{BUCKET}{bucket}"))),
    );
    models.push(said(TASKS));
    Ok(Json(json!({"object": "list", "data": models})))
}

/// Shows one.
pub(super) async fn read(
    State(door): State<Door>,
    Extension(login): Extension<Login>,
    Segments(model): Segments<String>,
) -> Result<Json<Value>, Problem> {
    login.may(Scope::Ask)?;
    if model != TASKS {
        fields(&door, &login, &model).await?;
    }
    Ok(Json(said(&model)))
}
