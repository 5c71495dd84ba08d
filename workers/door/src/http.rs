//! HTTP under `/api`: questions with their events, the corpus, conversations. `openapi.json` describes it.
//!
//! | module | what |
//! |---|---|
//! | [`turns`] | asking, waiting, cancelling |
//! | [`events`] | the events of a turn as a stream that can be taken up again |
//! | [`corpus`] | search, counts, documents, what stands behind a citation |
//! | [`documents`] | documents: stored, deleted, listed, followed until they can be searched |
//! | [`files`] | original files |
//! | [`feedback`] | what people say of answers |
//! | [`conversations`] | conversations of the tenant |
//! | [`fleet`] | the state of the fleet |

pub(crate) mod conversations;
pub(crate) mod corpus;
pub(crate) mod documents;
pub(crate) mod events;
mod feedback;
pub(crate) mod files;
pub(crate) mod fleet;
pub(crate) mod turns;

use crate::problem::Problem;
use crate::{Door, Login};
use axum::extract::{
    DefaultBodyLimit, Extension, FromRequest, FromRequestParts, OptionalFromRequest, Path, Request,
    State,
};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
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
        .route("/api/turns/{turn}/feedback", post(feedback::give))
        .route("/api/feedback", get(feedback::list))
        .route("/api/search", post(corpus::search))
        .route("/api/count", post(corpus::count))
        .route("/api/catalog", get(corpus::catalog))
        .route("/api/document", get(corpus::document))
        .route("/api/file", get(files::file))
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
        .route(
            "/api/conversations/{conversation}/fork",
            post(conversations::fork),
        )
        .route("/api/fleet", get(fleet::status))
        .route("/api/login", get(login))
        .route("/api/health", get(health))
        .route("/api/openapi.json", get(openapi))
}

async fn openapi() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], OPENAPI)
}

/// Says who asks and what they may do, for programs that offer no more than that.
async fn login(State(door): State<Door>, Extension(login): Extension<Login>) -> Json<Value> {
    let (name, tenant) = (login.name, login.tenant.as_str());
    let takes = door.0.setup.takes_documents;
    Json(json!({
        "name": name, "tenant": tenant, "groups": login.groups, "scopes": login.scopes, "takes_documents": takes,
    }))
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

/// Refuses a body that is compressed: nothing here unpacks it.
pub(crate) fn must_be_plain(headers: &HeaderMap) -> Result<(), Problem> {
    let mut encodings = headers.get_all(header::CONTENT_ENCODING).iter();
    match encodings.all(|one| one.as_bytes().eq_ignore_ascii_case(b"identity")) {
        true => Ok(()),
        false => Err(Problem::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "encoded",
            "`Content-Encoding`: send the body uncompressed",
        )),
    }
}

/// The JSON object of a request.
pub(crate) struct Object(pub(crate) Map<String, Value>);

impl FromRequest<Door> for Object {
    type Rejection = Problem;
    async fn from_request(request: Request, door: &Door) -> Result<Object, Problem> {
        must_be_plain(request.headers())?;
        let json = <Json<Value> as FromRequest<Door>>::from_request(request, door);
        let Json(mut value) = json.await?;
        whole(&mut value);
        match value {
            Value::Object(object) => Ok(Object(object)),
            _ => Err(Problem::bad("want a JSON object")),
        }
    }
}

impl OptionalFromRequest<Door> for Object {
    type Rejection = Problem;
    async fn from_request(request: Request, door: &Door) -> Result<Option<Object>, Problem> {
        match request.headers().contains_key(header::CONTENT_TYPE) {
            true => <Object as FromRequest<Door>>::from_request(request, door)
                .await
                .map(Some),
            false => Ok(None),
        }
    }
}

/// The fields of an object.
pub(crate) fn fields<T: DeserializeOwned>(Object(object): Object) -> Result<T, Problem> {
    serde_json::from_value(Value::Object(object)).map_err(|error| Problem::bad(error.to_string()))
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
