//! What a client is told that needs another login: how to log in (RFC 6750), and who gives tokens (RFC 9728).

use crate::Door;
use crate::access::Scope;
use crate::access::oidc::claims::PREFIX;
use crate::http::Segments;
use crate::problem::Problem;
use axum::extract::State;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::routing::get;
use axum::{Json, Router};
use serde_json::{Value, json};

/// Where the description of a door as a thing that wants tokens lies; that of a path in it lies behind it.
const DESCRIBED: &str = "/.well-known/oauth-protected-resource";

pub(crate) fn routes() -> Router<Door> {
    let whole = |state, headers| described(state, headers, Segments(String::new()));
    Router::new()
        .route(DESCRIBED, get(whole))
        .route(&format!("{DESCRIBED}/{{*path}}"), get(described))
}

/// The door, or what is under a path of it, as MCP clients want it described.
async fn described(
    State(door): State<Door>,
    headers: HeaderMap,
    Segments(path): Segments<String>,
) -> Result<Json<Value>, Problem> {
    let logins = &door.0.setup.logins;
    let known = matches!(path.as_str(), "" | "mcp" | "v1" | "api");
    let Some(issuer) = logins.issuer().filter(|_| known) else {
        return Err(crate::problem::no_such_path().await);
    };
    let scopes = Scope::ALL.map(|scope| format!("{PREFIX}{}", scope.as_str()));
    Ok(Json(json!({
        "resource": format!("{}{path}", crate::openai::page(&door, &headers)),
        "authorization_servers": [issuer],
        "scopes_supported": scopes,
        "bearer_methods_supported": ["header"],
        "resource_name": "Argosy",
    })))
}

/// What a request shows of how it would log in.
pub(super) struct Challenge {
    has_tried: bool,
    /// Where the door is described, where tokens are taken.
    described: Option<String>,
}

impl Challenge {
    pub(super) fn to(door: &Door, parts: &Parts) -> Challenge {
        let headers = &parts.headers;
        let at = match parts.uri.path().starts_with("/mcp") {
            true => "/mcp",
            false => "",
        };
        let described = door.0.setup.logins.issuer().map(|_| {
            let base = crate::openai::page(door, headers);
            format!("{}{DESCRIBED}{at}", base.trim_end_matches('/'))
        });
        Challenge {
            has_tried: headers.contains_key(header::AUTHORIZATION),
            described,
        }
    }

    /// Says how to log in for what was refused, if another login would help.
    pub(super) fn of(self, refused: &Problem) -> Option<HeaderValue> {
        let error = match refused.status {
            StatusCode::UNAUTHORIZED => self.has_tried.then_some("invalid_token"),
            StatusCode::FORBIDDEN if refused.code == "no_scope" => Some("insufficient_scope"),
            _ => return None,
        };
        // Who has sent none is told of no mistake.
        let why = error.map(|_| quotable(&refused.detail));
        let said = [
            ("error", error.map(str::to_owned)),
            ("error_description", why),
            ("resource_metadata", self.described),
        ];
        let said = said.into_iter();
        let said = said.filter_map(|(name, value)| Some(format!("{name}=\"{}\"", value?)));
        let said = said.collect::<Vec<_>>().join(", ");
        HeaderValue::from_str(format!("Bearer {said}").trim_end()).ok()
    }
}

/// A text without what cannot stand between quotation marks in a header.
fn quotable(text: &str) -> String {
    let plain = |c: char| match c {
        '"' | '\\' => '\'',
        ' '..='~' => c,
        _ => '?',
    };
    text.chars().map(plain).collect()
}
