//! Who asks: the login behind a key, and which hosts and origins are let in.
//!
//! A tenant comes from the login and never from a request. Without keys there is one login, which may do everything as the
//! tenant `default`; then only this machine gets in, unless `door.open` says otherwise.

mod keys;
mod rate;

pub use keys::{ApiKey, KeyFile, KeyFileError, Logins};

use crate::Door;
use crate::problem::Problem;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use envelope::TenantId;
use serde::{Deserialize, Serialize};

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
    /// Nothing yet.
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
    /// Its name, for logs.
    pub name: String,
    /// The tenant whose documents and conversations it sees.
    pub tenant: TenantId,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// Questions that it may ask in a minute.
    pub per_minute: Option<u32>,
}

impl Login {
    /// Refuses what the login may not do.
    pub(crate) fn may(&self, scope: Scope) -> Result<(), Problem> {
        if self.scopes.contains(&scope) {
            return Ok(());
        }
        let detail = format!("this key lacks the scope `{}`", scope.as_str());
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
pub(crate) async fn admit(State(door): State<Door>, mut request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    let origin = request.headers().get(header::ORIGIN).cloned();
    let allowed = admitted(&door, &request);
    let is_preflight = request.method() == Method::OPTIONS
        && request
            .headers()
            .contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    let mut response = match allowed {
        Ok(_) if is_preflight => preflight(request.headers()),
        Ok(login) => {
            request.extensions_mut().insert(login);
            next.run(request).await
        }
        Err(problem) => problem.into_response(),
    };
    response = crate::openai::in_shape(&path, response);
    if let Some(origin) = origin.filter(|origin| is_named(&door, origin)) {
        allow_origin(response.headers_mut(), origin);
    }
    door.0
        .setup
        .metrics
        .answered(&path, response.status().as_u16());
    response
}

fn admitted(door: &Door, request: &Request) -> Result<Login, Problem> {
    let headers = request.headers();
    let host = host_of(request);
    must_be_local(door, host)?;
    must_be_known(door, headers, host)?;
    let path = request.uri().path();
    if is_public(path) || request.method() == Method::OPTIONS {
        return Ok(Login {
            name: String::new(),
            tenant: TenantId::default_tenant(),
            scopes: Vec::new(),
            per_minute: None,
        });
    }
    let bearer = headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .map(|(_, key)| key.trim());
    door.0.setup.logins.of(bearer)
}

/// The host that the client asked: in a header, or with HTTP/2 in the address.
fn host_of(request: &Request) -> Option<&str> {
    let header = request.headers().get(header::HOST);
    let said = header.and_then(|host| host.to_str().ok());
    said.or_else(|| {
        request
            .uri()
            .authority()
            .map(|authority| authority.as_str())
    })
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

fn is_loopback(host: &str) -> bool {
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
    let of = origin.to_str().ok().and_then(|o| o.split_once("://"));
    let is_ours = of.is_some_and(|(_, of)| Some(of) == host);
    if is_ours || is_named(door, origin) {
        return Ok(());
    }
    let detail = format!("pages of {origin:?} may not ask here; name them in `door.origins`");
    Err(Problem::new(
        StatusCode::FORBIDDEN,
        "foreign_origin",
        detail,
    ))
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
            "location, retry-after",
        ),
        (header::ACCESS_CONTROL_MAX_AGE, "600"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
