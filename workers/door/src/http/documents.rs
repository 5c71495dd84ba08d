//! Documents over HTTP: one is stored, deleted, listed, and followed until it can be searched.
//!
//! The bytes go to the indexers as they are. Only what the name says is looked at here, and how many there are.

use crate::Door;
use crate::access::{Login, Scope};
use crate::http::turns::wait_of;
use crate::http::{Segments, must_be_plain};
use crate::places::Place;
use crate::problem::Problem;
use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, QueryRejection};
use axum::extract::{Extension, FromRequest, Query, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use corpus_sync::single::{self, DocumentState, IndexedDocument};
use documents::reader::bytes_max;
use envelope::document::is_source;
use envelope::{AccessRules, ChunkRecord};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::future::Future;
use std::time::Duration;
use streams::access;
use streams::client::Error;
use tokio::time::Instant;

/// How often it is looked what became of a document.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// How long a document may take to come in.
const UPLOAD_MAX: Duration = Duration::from_secs(120);
/// Documents of a list, unless the request says how many.
const LISTED: usize = 100;
/// The most documents of a list.
const LISTED_MAX: usize = 1_000;

/// Which documents are listed.
#[derive(Deserialize)]
pub(crate) struct Which {
    /// The `next` of the list that this one goes on from.
    #[serde(default)]
    pub(crate) after: u64,
    pub(crate) limit: Option<usize>,
}

/// Lists documents in the order in which they were indexed.
pub(crate) async fn list(
    State(door): State<Door>,
    Extension(login): Extension<Login>,
    which: Result<Query<Which>, QueryRejection>,
) -> Result<Json<Value>, Problem> {
    login.may(Scope::Read)?;
    let Query(which) = which?;
    let limit = which.limit.unwrap_or(LISTED);
    if !(1..=LISTED_MAX).contains(&limit) {
        return Err(Problem::bad(format!("`limit`: want 1 to {LISTED_MAX}")));
    }
    // A stream has no sequence beyond this.
    let after = which.after.min(i64::MAX as u64);
    let (me, rules) = (login.principal(), door.rules().await?);
    let may = |head: &ChunkRecord| rules.may_read(&me, &head.source, &head.metadata);
    let listed = single::list(&**door.bus(), &login.tenant, after, limit, may).await;
    let (documents, next) = listed?;
    Ok(Json(json!({"documents": documents, "next": next})))
}

/// Stores a document, whole, under this path. A second time it replaces the first, or changes nothing.
pub(crate) async fn put(
    State(door): State<Door>,
    Extension(login): Extension<Login>,
    Segments(source): Segments<String>,
    request: Request,
) -> Result<Response, Problem> {
    login.may(Scope::Write)?;
    door.must_take_documents()?;
    must_be_plain(request.headers())?;
    must_be_whole(request.headers())?;
    let (source, most) = door.storable(&login, source).await?;
    let wait = wait_of(&door, request.headers());
    let body = async { Ok(Bytes::from_request(request, &door).await?) };
    let (body, place) = door.coming_in(&login, body).await?;
    let sent = door.store(&login, &source, most, body).await?;
    // What waits to be indexed takes no memory here.
    drop(place);
    done(&door, &login, source, sent, wait).await
}

/// Refuses what a document cannot be stored by: a part of it, or a condition on what is there. To leave these out of account
/// would replace what should have stayed.
fn must_be_whole(headers: &HeaderMap) -> Result<(), Problem> {
    let refused = [
        "content-range",
        "if-match",
        "if-none-match",
        "if-unmodified-since",
    ];
    match refused.iter().find(|name| headers.contains_key(**name)) {
        None => Ok(()),
        Some(name) => Err(Problem::bad(format!(
            "`{name}`: a document is stored whole and without conditions; leave the header out"
        ))),
    }
}

/// Deletes a document.
pub(crate) async fn delete(
    State(door): State<Door>,
    Extension(login): Extension<Login>,
    Segments(source): Segments<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    login.may(Scope::Write)?;
    door.must_take_documents()?;
    let source = known(source)?;
    let wait = wait_of(&door, &headers);
    if !door.may_read(&login, &source).await? {
        return Err(none(&source));
    }
    match single::delete(&**door.bus(), &login.tenant, &source).await? {
        Some(sent) => done(&door, &login, source, sent, wait).await,
        None => Err(none(&source)),
    }
}

/// Says what has become of a document.
pub(crate) async fn state(
    State(door): State<Door>,
    Extension(login): Extension<Login>,
    Segments(source): Segments<String>,
) -> Result<Json<Value>, Problem> {
    login.may(Scope::Read)?;
    let source = known(source)?;
    if !door.may_read(&login, &source).await? {
        return Err(none(&source));
    }
    let state = single::state(&**door.bus(), &login.tenant, &source, 0).await?;
    let mut state = state.ok_or_else(|| none(&source))?;
    // Whom a version is for that never was indexed, nobody knows; why it was given up may quote it.
    if state.chunks == 0
        && !login.groups.is_all()
        && let Some(problem) = &mut state.problem
    {
        problem.message = "whoever stored it was told why".into();
    }
    Ok(Json(said(&source, &state)))
}

impl Door {
    /// The path of a document that the login may store, and how many bytes that may have.
    pub(crate) async fn storable(
        &self,
        login: &Login,
        source: String,
    ) -> Result<(String, u64), Problem> {
        let source = known(source)?;
        self.must_be_ours(login, &source).await?;
        let most = bytes_max(&source).map_err(|skip| {
            let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
            Problem::new(status, "not_readable", skip.to_string())
        })?;
        Ok((source, most))
    }

    /// Reads what comes in, in time and in a place, which is kept as long as what was read is held here.
    pub(crate) async fn coming_in<T>(
        &self,
        login: &Login,
        reading: impl Future<Output = Result<T, Problem>>,
    ) -> Result<(T, Place), Problem> {
        let place = self.0.uploads.take(login)?;
        let read = tokio::time::timeout(UPLOAD_MAX, reading).await;
        let read = read.map_err(|_| {
            let detail = format!(
                "the document did not come within {} s",
                UPLOAD_MAX.as_secs()
            );
            Problem::new(StatusCode::REQUEST_TIMEOUT, "too_slow", detail)
        })?;
        Ok((read?, place))
    }

    /// Stores a document that has come in, and returns the number of that message.
    pub(crate) async fn store(
        &self,
        login: &Login,
        source: &str,
        most: u64,
        body: Bytes,
    ) -> Result<u64, Problem> {
        if body.is_empty() {
            return Err(Problem::bad("the document is empty"));
        }
        if body.len() as u64 > most {
            return Err(too_large(source, most));
        }
        // Somebody else may have stored it while it came in.
        self.must_be_ours(login, source).await?;
        Ok(single::put(&**self.bus(), &login.tenant, source, body).await?)
    }

    async fn rules(&self) -> Result<AccessRules, Problem> {
        let stored = access::read(&**self.bus()).await.map_err(Error::from)?;
        Ok(stored.rules)
    }

    /// The newest indexed version of a document, and whether the login may read it, or what comes to its path.
    pub(crate) async fn indexed(
        &self,
        login: &Login,
        source: &str,
    ) -> Result<(Option<IndexedDocument>, bool), Problem> {
        let document = single::indexed(&**self.bus(), &login.tenant, source).await?;
        let none = BTreeMap::new();
        let metadata = document.as_ref().map_or(&none, |known| &known.metadata);
        let may = self
            .rules()
            .await?
            .may_read(&login.principal(), source, metadata);
        Ok((document, may))
    }

    async fn may_read(&self, login: &Login, source: &str) -> Result<bool, Problem> {
        Ok(self.indexed(login, source).await?.1)
    }

    async fn must_be_ours(&self, login: &Login, source: &str) -> Result<(), Problem> {
        if self.may_read(login, source).await? {
            return Ok(());
        }
        let detail =
            format!("what lies at `{source}` is for other groups than those of this login");
        Err(Problem::new(StatusCode::FORBIDDEN, "no_access", detail))
    }

    pub(crate) fn must_take_documents(&self) -> Result<(), Problem> {
        match self.0.setup.takes_documents {
            true => Ok(()),
            false => Err(Problem::new(
                StatusCode::NOT_IMPLEMENTED,
                "folder",
                "this door serves a folder: put the file there, and start it again",
            )),
        }
    }
}

/// Waits until nothing of the document waits any more.
pub(crate) async fn done(
    door: &Door,
    login: &Login,
    source: String,
    sent: u64,
    wait: Duration,
) -> Result<Response, Problem> {
    let until = Instant::now() + wait;
    loop {
        let state = single::state(&**door.bus(), &login.tenant, &source, sent).await?;
        let Some(state) = state else {
            return Ok(StatusCode::NO_CONTENT.into_response());
        };
        if let Some(problem) = &state.problem {
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            return Err(Problem::new(status, &problem.code, problem.message.clone()));
        }
        if !state.waits {
            return Ok(Json(said(&source, &state)).into_response());
        }
        // Another door knows of it as well.
        if Instant::now() >= until || door.0.setup.stop.is_cancelled() {
            let at = format!(
                "{}/api/documents/{}",
                door.0.setup.options.prefix,
                encoded(&source)
            );
            let body = Json(said(&source, &state));
            return Ok((StatusCode::ACCEPTED, [(header::LOCATION, at)], body).into_response());
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

fn said(source: &str, state: &DocumentState) -> Value {
    let mut said = serde_json::to_value(state).unwrap_or_default();
    said["source"] = source.into();
    said
}

/// A document has more bytes than those with its extension may have.
pub(crate) fn too_large(source: &str, most: u64) -> Problem {
    let detail = format!("`{source}` has more than {most} bytes, which is the limit: split it");
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", detail)
}

fn known(source: String) -> Result<String, Problem> {
    match is_source(&source) {
        true => Ok(source),
        false => Err(Problem::bad(
            "want a path inside the corpus: parts between `/`, none of them empty, `.` or `..`",
        )),
    }
}

fn none(source: &str) -> Problem {
    let detail = format!("there is no document `{source}`");
    Problem::new(StatusCode::NOT_FOUND, "no_such_document", detail)
}

/// A path as it stands in a URL.
pub(crate) fn encoded(source: &str) -> String {
    let is_plain =
        |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'-' | b'.' | b'_' | b'~');
    let signs = source.bytes().map(|b| match is_plain(b) {
        true => char::from(b).to_string(),
        false => format!("%{b:02X}"),
    });
    signs.collect()
}

impl From<corpus_sync::Error> for Problem {
    fn from(error: corpus_sync::Error) -> Problem {
        let status = StatusCode::SERVICE_UNAVAILABLE;
        Problem::new(status, "bus_away", error.to_string())
    }
}

impl From<BytesRejection> for Problem {
    fn from(rejection: BytesRejection) -> Problem {
        let code = match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => "too_large",
            _ => "bad_request",
        };
        Problem::new(rejection.status(), code, rejection.body_text())
    }
}
