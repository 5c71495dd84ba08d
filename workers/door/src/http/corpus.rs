//! Looking into the corpus over HTTP: the requests of docs/wire.md, with the tenant and the groups of the login.

use crate::Door;
use crate::access::{Login, Scope};
use crate::http::{Object, Segments};
use crate::problem::Problem;
use axum::Json;
use axum::extract::{Extension, Query, State};
use axum::http::StatusCode;
use envelope::lookup::SearchReply;
use envelope::{TurnId, subject};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use streams::client::lookup;

impl Door {
    /// Asks a retriever, as the login.
    pub(crate) async fn look_up(
        &self,
        login: &Login,
        at: &str,
        mut request: Map<String, Value>,
    ) -> Result<Value, Problem> {
        login.may(Scope::Read)?;
        if let Some(own) = ["tenant", "groups"]
            .iter()
            .find(|own| request.contains_key(**own))
        {
            return Err(Problem::bad(format!(
                "`{own}` is not for the asker to say here; leave it out"
            )));
        }
        login.own(&mut request);
        Ok(lookup::ask(&**self.bus(), at, &Value::Object(request)).await?)
    }

    /// What is known of a document that the login may read.
    pub(crate) async fn document(&self, login: &Login, named: Named) -> Result<Value, Problem> {
        let named = [("doc_id", named.doc_id), ("source", named.source)];
        let request = named
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?.into())));
        self.look_up(login, subject::METADATA, request.collect())
            .await
    }
}

/// Searches.
pub(crate) async fn search(
    State(door): State<Door>,
    Extension(login): Extension<Login>,
    Object(request): Object,
) -> Result<Json<Value>, Problem> {
    door.look_up(&login, subject::SEARCH, request)
        .await
        .map(Json)
}

/// Counts documents.
pub(crate) async fn count(
    State(door): State<Door>,
    Extension(login): Extension<Login>,
    Object(request): Object,
) -> Result<Json<Value>, Problem> {
    door.look_up(&login, subject::COUNT, request)
        .await
        .map(Json)
}

/// Says what there is.
pub(crate) async fn catalog(
    State(door): State<Door>,
    Extension(login): Extension<Login>,
) -> Result<Json<Value>, Problem> {
    door.look_up(&login, subject::CATALOG, Map::new())
        .await
        .map(Json)
}

/// How a document is named: one of the two.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Named {
    doc_id: Option<String>,
    source: Option<String>,
}

/// What is known of a document.
pub(crate) async fn document(
    State(door): State<Door>,
    Extension(login): Extension<Login>,
    named: Result<Query<Named>, axum::extract::rejection::QueryRejection>,
) -> Result<Json<Value>, Problem> {
    let Query(named) = named?;
    door.document(&login, named).await.map(Json)
}

/// The passage behind a citation of an answer: the citation and the text that it was taken from.
pub(crate) async fn citation(
    State(door): State<Door>,
    Extension(login): Extension<Login>,
    Segments((turn, n)): Segments<(String, u16)>,
) -> Result<Json<Value>, Problem> {
    let none = || {
        let detail = format!("there is no citation {n} of that turn");
        Problem::new(StatusCode::NOT_FOUND, "no_such_citation", detail)
    };
    login.may(Scope::Read)?;
    let turn = TurnId::new(turn).map_err(|_| none())?;
    let ended = door.ended(&login, &turn).await?.ok_or_else(|| {
        let status = StatusCode::CONFLICT;
        Problem::new(status, "not_ended", "the turn is still being worked on")
    })?;
    let cited = ended.citations.into_iter().find(|cited| cited.n == n);
    let cited = cited.ok_or_else(none)?;
    // The words of the source find the passage that they stand in.
    let request = json!({"query": cited.quote, "doc_id": cited.doc_id, "top_k": 20, "link": false});
    let Value::Object(request) = request else {
        return Err(none());
    };
    let found = door.look_up(&login, subject::SEARCH, request).await?;
    let found: SearchReply = serde_json::from_value(found).map_err(|_| none())?;
    let passage = found
        .passages
        .into_iter()
        .find(|passage| passage.chunk_id == cited.chunk_id);
    let mut told = json!({"citation": cited, "passage": passage});
    // What is found may be read.
    if passage.is_some()
        && let Some(at) = door.file_at(&login, &cited.source).await
    {
        told["file"] = at.into();
    }
    Ok(Json(told))
}
