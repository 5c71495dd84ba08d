//! The page at `/`: a chat over the corpus, as plain files that are part of the program.
//!
//! Its scripts use `/api` like any client, so it can do nothing that another client could not. *Not* here: a build step, a
//! framework, or a request to elsewhere. What documents and models say goes in as text, and a strict policy stands behind
//! that: should markup get in all the same, no script of it runs.
//!
//! | module | what |
//! |---|---|
//! | [`plain`] | the page without scripts, at `/plain` |
//! | [`documents`] | its pages of documents, and its form that brings one |
//! | [`front`] | a bound on what that form has in front of its document |
//! | [`markup`] | its other pages as markup |
//! | [`marks`] | the marks in their texts |

mod documents;
mod front;
mod marks;
mod markup;
mod plain;

use crate::Door;
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use sha2::{Digest, Sha256};

const INDEX: &str = include_str!("page/index.html");
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The files beside the page itself: path, type, text.
const FILES: [(&str, &str, &str); 15] = [
    (
        "/style.css",
        "text/css; charset=utf-8",
        include_str!("page/style.css"),
    ),
    ("/icon.svg", "image/svg+xml", include_str!("page/icon.svg")),
    ("/app.js", SCRIPT, include_str!("page/app.js")),
    ("/api.js", SCRIPT, include_str!("page/api.js")),
    ("/dom.js", SCRIPT, include_str!("page/dom.js")),
    ("/talks.js", SCRIPT, include_str!("page/talks.js")),
    ("/corpus.js", SCRIPT, include_str!("page/corpus.js")),
    ("/uploads.js", SCRIPT, include_str!("page/uploads.js")),
    ("/feedback.js", SCRIPT, include_str!("page/feedback.js")),
    ("/fleet.js", SCRIPT, include_str!("page/fleet.js")),
    ("/passage.js", SCRIPT, include_str!("page/passage.js")),
    ("/text.js", SCRIPT, include_str!("page/text.js")),
    ("/turn.js", SCRIPT, include_str!("page/turn.js")),
    ("/answer.js", SCRIPT, include_str!("page/answer.js")),
    ("/trail.js", SCRIPT, include_str!("page/trail.js")),
];

/// What a browser may load and do here.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

pub(crate) fn routes() -> Router<Door> {
    let mut routes = plain::routes().route("/", get(index));
    for (path, kind, text) in FILES {
        let serve = async move |headers: HeaderMap| respond(&headers, kind, text.to_owned());
        routes = routes.route(path, get(serve));
    }
    routes
}

/// The page. Its links are relative, and behind a prefix they begin with it: a proxy may leave out the last slash.
async fn index(State(door): State<Door>, headers: HeaderMap) -> Response {
    let prefix = &door.0.setup.options.prefix;
    let page = match prefix.as_str() {
        "" => INDEX.to_owned(),
        prefix => INDEX.replace("\"./", &format!("\"{}/", escaped(prefix))),
    };
    respond(&headers, "text/html; charset=utf-8", page)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;")
}

/// A file, or that the browser has it already. It asks each time, so a new release is seen at once.
fn respond(asked: &HeaderMap, kind: &'static str, text: String) -> Response {
    let digest: String = Sha256::digest(&text)[..10]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let tag = format!("\"{digest}\"");
    let known = asked
        .get(header::IF_NONE_MATCH)
        .and_then(|known| known.to_str().ok());
    let is_known = known.is_some_and(|known| known.contains(&tag));
    let mut response = match is_known {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => text.into_response(),
    };
    respond_with(&mut response, kind, "no-cache", POLICY, "no-referrer");
    if let Ok(tag) = HeaderValue::try_from(tag) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}

/// Says what a response is, and what a browser may do with it.
fn respond_with(
    response: &mut Response,
    kind: &'static str,
    cache: &'static str,
    policy: &'static str,
    referrer: &'static str,
) {
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, kind),
        (header::CACHE_CONTROL, cache),
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, referrer),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}
