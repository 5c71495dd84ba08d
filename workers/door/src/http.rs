//! HTTP under `/api`: questions with their events, the corpus, conversations. `openapi.json` describes it.
//!
//! | module | what |
//! |---|---|
//! | [`turns`] | asking, waiting, cancelling |
//! | [`events`] | the events of a turn as a stream that can be taken up again |
//! | [`corpus`] | search, counts, documents, what stands behind a citation |
//! | [`documents`] | documents: stored, deleted, listed, followed until they can be searched |
//! | [`conversations`] | conversations of the tenant |

pub(crate) mod conversations;
mod corpus;
mod documents;
pub(crate) mod events;
mod turns;

use crate::Door;
use crate::problem::Problem;
use axum::extract::{DefaultBodyLimit, FromRequest, FromRequestParts, Path, Request, State};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use axum::{Json, Router};
use envelope::limits::DOCUMENT_BYTES_MAX;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// The description of all this.
pub(crate) const OPENAPI: &str = include_str!("http/openapi.json");

pub(crate) fn routes() -> Router<Door> {
    Router::new()
        .route("/api/turns", post(turns::ask))
        .route("/api/turns/{turn}", get(turns::read).delete(turns::cancel))
        .route("/api/turns/{turn}/events", get(turns::events))
        .route("/api/turns/{turn}/citations/{n}", get(corpus::citation))
        .route("/api/search", post(corpus::search))
        .route("/api/count", post(corpus::count))
        .route("/api/catalog", get(corpus::catalog))
        .route("/api/document", get(corpus::document))
        .route("/api/documents", get(documents::list))
        .route(
            "/api/documents/{*source}",
            get(documents::state)
                .put(documents::put)
                .delete(documents::delete)
                .layer(DefaultBodyLimit::max(DOCUMENT_BYTES_MAX as usize)),
        )
        .route(
            "/api/conversations",
            get(conversations::list).post(conversations::begin),
        )
        .route(
            "/api/conversations/{conversation}",
            get(conversations::read).delete(conversations::erase),
        )
        .route("/api/health", get(health))
        .route("/api/openapi.json", get(openapi))
}

async fn openapi() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], OPENAPI)
}

async fn health(State(door): State<Door>) -> impl IntoResponse {
    let is_connected = door.bus().connected();
    let status = match is_connected {
        true => StatusCode::OK,
        false => StatusCode::SERVICE_UNAVAILABLE,
    };
    (
        status,
        Json(json!({ "connected": is_connected, "version": env!("CARGO_PKG_VERSION") })),
    )
}

/// The variable segments of a path. Axum's own answer to those that it cannot read is plain text.
pub(crate) struct Segments<T>(pub(crate) T);

impl<T: DeserializeOwned + Send> FromRequestParts<Door> for Segments<T> {
    type Rejection = Problem;
    async fn from_request_parts(parts: &mut Parts, door: &Door) -> Result<Segments<T>, Problem> {
        let Path(segments) = Path::<T>::from_request_parts(parts, door).await?;
        Ok(Segments(segments))
    }
}

/// The JSON object of a request.
pub(crate) struct Object(pub(crate) Map<String, Value>);

impl FromRequest<Door> for Object {
    type Rejection = Problem;
    async fn from_request(request: Request, door: &Door) -> Result<Object, Problem> {
        let Json(mut value) = Json::<Value>::from_request(request, door).await?;
        whole(&mut value);
        match value {
            Value::Object(object) => Ok(Object(object)),
            _ => Err(Problem::bad("want a JSON object")),
        }
    }
}

/// Numbers of JSON have one kind: `3.0` is a whole number, and some clients write it so.
fn whole(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(whole),
        Value::Object(fields) => fields.values_mut().for_each(whole),
        Value::Number(number) if number.is_f64() => {
            let float = number.as_f64().unwrap_or_default();
            if float.fract() == 0.0 && (0.0..=2e15).contains(&float) {
                *number = (float as u64).into();
            }
        }
        _ => {}
    }
}
