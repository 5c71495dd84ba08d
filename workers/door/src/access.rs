//! Who asks: the login behind a key or a token, and which hosts and origins are let in.
//!
//! A tenant and groups come from the login and never from a request. Without keys and an issuer of tokens there is one login,
//! which may do everything as the tenant `default`; then only this machine gets in, unless `door.open` says otherwise.
//!
//! | module | what |
//! |---|---|
//! | [`logins`] | which login a request has, and what it has spent |
//! | [`keys`] | keys, in a file |
//! | [`oidc`] | tokens of an issuer of OpenID Connect |
//! | [`rate`] | how much a login may take in some time |
//! | [`challenge`] | how to log in |
//! | [`ending`] | the end of a login that waits |

mod challenge;
mod ending;
mod keys;
mod logins;
mod oidc;
mod rate;

pub(crate) use challenge::routes;
pub(crate) use ending::waiting;
pub(crate) use keys::changed;
pub use keys::{ApiKey, KeyFile, KeyFileError};
pub use logins::{Logins, LoginsError};
pub use oidc::Options as OidcOptions;

use crate::access::challenge::Challenge;
use crate::problem::Problem;
use crate::{BODY_MAX, Door};
use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use envelope::{Groups, Principal, TenantId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::time::{Duration, SystemTime};

/// How long a request that is no document may take to come in.
const BODY_TIME: Duration = Duration::from_secs(30);

/// What a login may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Ask questions, follow and cancel them.
    Ask,
    /// Search the corpus and look at documents.
    Read,
    /// Store and delete documents, list and erase the conversations of the tenant.
    Write,
    /// See how the fleet is, and what people of the tenant say of answers.
    Operate,
}

impl Scope {
    /// All of them.
    pub const ALL: [Scope; 4] = [Scope::Ask, Scope::Read, Scope::Write, Scope::Operate];

    /// Its word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Scope::Ask => "ask",
            Scope::Read => "read",
            Scope::Write => "write",
            Scope::Operate => "operate",
        }
    }
}

/// Who asks.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Login {
    /// What tells it from every other login: the name of a key, or the issuer and the subject of a token.
    pub id: String,
    /// Its name, for people and logs.
    pub name: String,
    /// The tenant whose documents and conversations it sees.
    pub tenant: TenantId,
    /// The groups of readers that it belongs to.
    pub groups: Groups,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// Questions that it may ask in a minute.
    pub per_minute: Option<u32>,
    /// Tokens of models that its turns may take in an hour.
    pub tokens_per_hour: Option<u64>,
    /// What makes it a login.
    pub proof: Proof,
}

/// What makes a login good, to be looked at again while it waits.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Proof {
    /// Nobody has to log in for what it asks.
    None,
    /// A key with this hash.
    Key(String),
    /// A token that is good until then.
    Token(SystemTime),
}

impl Login {
    /// Whoever is let in where nobody has to log in: everything is allowed.
    pub(crate) fn local() -> Login {
        Login {
            id: "local".into(),
            name: "local".into(),
            groups: Groups::all(),
            scopes: Scope::ALL.to_vec(),
            ..Login::nobody()
        }
    }

    /// Whoever asks for what everybody may read.
    fn nobody() -> Login {
        Login {
            id: String::new(),
            name: String::new(),
            tenant: TenantId::default_tenant(),
            groups: Groups::default(),
            scopes: Vec::new(),
            per_minute: None,
            tokens_per_hour: None,
            proof: Proof::None,
        }
    }

    /// Whose documents it reads, and which of them.
    pub(crate) fn principal(&self) -> Principal {
        Principal {
            tenant: self.tenant.clone(),
            groups: self.groups.clone(),
        }
    }

    /// Puts into a message to the fleet who asks.
    pub(crate) fn own(&self, fields: &mut Map<String, Value>) {
        fields.insert("tenant".into(), self.tenant.as_str().into());
        if !self.groups.is_empty() {
            fields.insert("groups".into(), self.groups.names().collect());
        }
    }

    /// Refuses what the login may not do.
    pub(crate) fn may(&self, scope: Scope) -> Result<(), Problem> {
        if self.scopes.contains(&scope) {
            return Ok(());
        }
        let scope = scope.as_str();
        let detail = format!(
            "this login lacks the scope `{scope}`: ask for a key that has it (`argosy key create --scopes {scope}`), or \
             for a token with `argosy:{scope}`"
        );
        Err(Problem::new(StatusCode::FORBIDDEN, "no_scope", detail))
    }
}

/// Paths that everybody may read: they say nothing of any corpus.
fn is_public(path: &str) -> bool {
    matches!(path, "/api/health" | "/api/openapi.json")
        || !["/api/", "/v1/", "/mcp"]
            .iter()
            .any(|door| path.starts_with(door))
}

/// Lets a request in, or answers it with why not; counts it either way.
pub(crate) async fn admit(State(door): State<Door>, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    let path = parts.uri.path().to_owned();
    let origin = parts.headers.get(header::ORIGIN).cloned();
    let challenge = Challenge::to(&door, &parts);
    let allowed = admitted(&door, &parts).await;
    let is_preflight = parts.method == Method::OPTIONS
        && parts
            .headers
            .contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    let mut response = match allowed {
        Ok(_) if is_preflight => preflight(&parts.headers),
        Ok(login) => match whole(&parts, body).await {
            Ok(body) => {
                parts.extensions.insert(login.clone());
                let request = Request::from_parts(parts, body);
                ending::with(&door, login, next.run(request)).await
            }
            Err(problem) => problem.into_response(),
        },
        Err(problem) => problem.into_response(),
    };
    let refused = response.extensions().get::<Problem>();
    let code = refused.map(|refused| refused.code.clone());
    if let Some(challenge) = refused.and_then(|refused| challenge.of(refused)) {
        let headers = response.headers_mut();
        headers.insert(header::WWW_AUTHENTICATE, challenge);
    }
    response = crate::openai::in_shape(&path, response);
    if let Some(origin) = origin.filter(|origin| is_named(&door, origin)) {
        allow_origin(response.headers_mut(), origin);
    }
    let (metrics, status) = (&door.0.setup.metrics, response.status());
    metrics.answered(&path, status.as_u16(), code.as_deref());
    response
}

/// Whether a form may bring a file.
pub(crate) fn has_file(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"multipart/form-data"))
}

/// The body of a request that is no document, as soon as all of it is there: whoever sends it slowly holds nothing else.
async fn whole(parts: &Parts, body: Body) -> Result<Body, Problem> {
    let path = parts.uri.path();
    let is_document = match parts.method {
        Method::PUT => path.starts_with("/api/documents/"),
        Method::POST => path == "/plain" && has_file(&parts.headers),
        _ => false,
    };
    if is_document || body.is_end_stream() {
        return Ok(body);
    }
    // Of strangers a form of the page is read; nothing else there takes a body.
    if is_public(path) && path != "/plain" {
        return Ok(Body::empty());
    }
    let most = match path {
        path if path.starts_with("/v1/") => crate::openai::BODY_MAX,
        _ => BODY_MAX,
    };
    let read = tokio::time::timeout(BODY_TIME, axum::body::to_bytes(body, most)).await;
    let read = read.map_err(|_| {
        let detail = format!("the request did not come within {} s", BODY_TIME.as_secs());
        Problem::new(StatusCode::REQUEST_TIMEOUT, "too_slow", detail)
    })?;
    let bytes = read.map_err(|_| {
        let detail = format!("the request has more than {most} bytes, or broke off");
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", detail)
    })?;
    Ok(bytes.into())
}

async fn admitted(door: &Door, parts: &Parts) -> Result<Login, Problem> {
    let headers = &parts.headers;
    let host = host_of(headers, &parts.uri);
    must_be_local(door, host)?;
    must_be_known(door, headers, host)?;
    if is_public(parts.uri.path()) || parts.method == Method::OPTIONS {
        return Ok(Login::nobody());
    }
    let bearer = headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .map(|(_, key)| key.trim());
    door.0.setup.logins.of(bearer).await
}

/// The host that the client asked: in a header, or with HTTP/2 in the address.
pub(crate) fn host_of<'a>(headers: &'a HeaderMap, uri: &'a Uri) -> Option<&'a str> {
    let header = headers.get(header::HOST);
    let said = header.and_then(|host| host.to_str().ok());
    said.or_else(|| uri.authority().map(|authority| authority.as_str()))
}

/// Where hosts are named, or nobody has to log in, a page elsewhere must not get in under a name of its own that means this machine.
fn must_be_local(door: &Door, host: Option<&str>) -> Result<(), Problem> {
    let named = &door.0.setup.options.hosts;
    let is_any =
        named.is_empty() && (door.0.setup.logins.are_wanted() || door.0.setup.options.open);
    let is_named = |host: &str| {
        let name = name_of(host);
        // A page gets in under a name of its own; an address is nobody's name.
        let is_address = !named.is_empty() && name.parse::<std::net::IpAddr>().is_ok();
        is_address || named.iter().any(|one| one.eq_ignore_ascii_case(name))
    };
    if is_any || host.is_none_or(|host| is_loopback(host) || is_named(host)) {
        return Ok(());
    }
    let detail = "this door is asked for as localhost or 127.0.0.1, or by a name in `door.hosts`; where nobody has to \
                  log in, any other name wants keys (`door.keys`), or `door.open = true`";
    Err(Problem::new(StatusCode::FORBIDDEN, "not_local", detail))
}

/// A host without its port.
fn name_of(host: &str) -> &str {
    match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or(rest),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    }
}

pub(crate) fn is_loopback(host: &str) -> bool {
    let name = name_of(host);
    name.eq_ignore_ascii_case("localhost")
        || name
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

/// A browser says which page asks: our own, or one that was named.
fn must_be_known(door: &Door, headers: &HeaderMap, host: Option<&str>) -> Result<(), Problem> {
    let Some(origin) = headers.get(header::ORIGIN) else {
        return Ok(());
    };
    if is_own(origin, host) || is_named(door, origin) {
        return Ok(());
    }
    let detail = format!("pages of {origin:?} may not ask here; name them in `door.origins`");
    Err(Problem::new(
        StatusCode::FORBIDDEN,
        "foreign_origin",
        detail,
    ))
}

/// Whether a page of this origin came from the host that was asked.
pub(crate) fn is_own(origin: &HeaderValue, host: Option<&str>) -> bool {
    let of = origin.to_str().ok().and_then(|o| o.split_once("://"));
    of.is_some_and(|(_, of)| Some(of) == host)
}

/// What a browser asks before it sends a request of a page elsewhere: any header is all right.
fn preflight(headers: &HeaderMap) -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    if let Some(asked) = headers.get(header::ACCESS_CONTROL_REQUEST_HEADERS) {
        let allowed = header::ACCESS_CONTROL_ALLOW_HEADERS;
        response.headers_mut().insert(allowed, asked.clone());
    }
    response
}

fn is_named(door: &Door, origin: &HeaderValue) -> bool {
    let named = &door.0.setup.options.origins;
    named
        .iter()
        .any(|one| one == "*" || one.as_bytes() == origin.as_bytes())
}

fn allow_origin(headers: &mut HeaderMap, origin: HeaderValue) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.append(header::VARY, HeaderValue::from_static("origin"));
    for (name, value) in [
        (
            header::ACCESS_CONTROL_ALLOW_METHODS,
            "GET, POST, PUT, DELETE",
        ),
        (
            header::ACCESS_CONTROL_EXPOSE_HEADERS,
            "location, retry-after, www-authenticate",
        ),
        (header::ACCESS_CONTROL_MAX_AGE, "600"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Bytes;

    #[test]
    fn names_of_this_machine() {
        for host in [
            "localhost",
            "LOCALHOST:8080",
            "127.0.0.1:80",
            "127.8.9.1",
            "[::1]:8080",
        ] {
            assert!(is_loopback(host), "{host}");
        }
        for host in [
            "localhost.example",
            "127.0.0.1.example:80",
            "10.0.0.1",
            "[::2]",
            "",
        ] {
            assert!(!is_loopback(host), "{host}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_that_comes_slowly_or_is_too_large_is_refused() {
        let slow =
            || Body::from_stream(futures_util::stream::pending::<Result<Bytes, axum::Error>>());
        let large = |bytes: usize| Body::from(vec![b'x'; bytes]);
        for (method, path, body, status) in [
            ("POST", "/plain", slow(), Some(408)),
            ("POST", "/api/turns", slow(), Some(408)),
            ("POST", "/plain", large(BODY_MAX + 1), Some(413)),
            ("POST", "/v1/responses", large(BODY_MAX + 1), None),
            ("POST", "/mcp", large(BODY_MAX), None),
            // It has a time of its own.
            ("PUT", "/api/documents/a.md", slow(), None),
            ("GET", "/", Body::empty(), None),
        ] {
            let request = Request::builder().method(method).uri(path);
            let (parts, body) = request.body(body).expect("a request").into_parts();
            let read = whole(&parts, body).await;
            let refused = read.err().map(|problem| problem.status.as_u16());
            assert_eq!(refused, status, "{method} {path}");
        }
    }

    #[test]
    fn what_needs_no_login() {
        for path in ["/", "/app.js", "/api/health", "/api/openapi.json"] {
            assert!(is_public(path), "{path}");
        }
        for path in ["/api/turns", "/v1/models", "/mcp", "/mcp/x"] {
            assert!(!is_public(path), "{path}");
        }
    }
}
