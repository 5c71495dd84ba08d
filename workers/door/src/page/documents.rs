//! Documents on the page without scripts: the list, a form that brings one, what has become of it, and its end.
//!
//! What a form brings takes the same way as `PUT /api/documents/...`, with its rights, places and limits. *Not* here: which
//! forms are taken (`plain`).

use super::front::{FRONT_MAX, Front};
use super::markup;
use crate::Door;
use crate::access::{Login, Scope};
use crate::http::Segments;
use crate::http::documents::{self, Which, encoded, too_large};
use crate::problem::Problem;
use axum::Json;
use axum::body::Bytes;
use axum::extract::multipart::{Field, Multipart, MultipartError, MultipartRejection};
use axum::extract::{Extension, FromRequest, Query, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use bytes::BytesMut;
use maud::{Markup, html};

/// Bytes of the name of a folder.
const FOLDER_MAX: u64 = 1_024;

/// A list of documents behind a number, and the form for another one.
pub(super) async fn list(door: &Door, login: &Login, after: u64) -> Result<Markup, Problem> {
    let which = Ok(Query(Which { after, limit: None }));
    let of = Extension(login.clone());
    let Json(listed) = documents::list(State(door.clone()), of, which).await?;
    let all = listed["documents"].as_array().map_or(&[][..], |all| all);
    Ok(html! {
        h1 { "Documents" }
        @if may_change(door, login) { (form()) }
        @if !door.0.setup.takes_documents { p.quiet { "This door serves a folder: put documents there." } }
        ul #documents {
            @for one in all {
                @let source = one["source"].as_str().unwrap_or_default();
                li {
                    a href={ "./plain" (at(source)) } { (source) }
                    " " span.quiet { (one["title"].as_str().unwrap_or_default()) }
                }
            }
        }
        @if let Some(next) = listed["next"].as_u64() { p { a href={ "./plain?documents=" (next) } { "More" } } }
    })
}

fn form() -> Markup {
    html! {
        form #upload method="post" action="./plain" enctype="multipart/form-data" autocomplete="off" {
            p { label for="folder" { "Folder in the corpus, or nothing" } " " input #folder name="folder" maxlength="500"; }
            p { label for="file" { "Document" } " " input #file name="file" type="file" required; }
            button.main { "Upload" }
        }
    }
}

/// What has become of a document.
pub(super) async fn state(door: &Door, login: &Login, source: String) -> Result<Markup, Problem> {
    let of = Extension(login.clone());
    let Json(state) = documents::state(State(door.clone()), of, Segments(source.clone())).await?;
    let problem = |name: &str| state["problem"][name].as_str();
    let waits = state["waits"] == true;
    Ok(html! {
        h1 { (source) }
        @if waits {
            p { "It waits to be indexed. " a href={ "./plain" (at(&source)) } { "Look again" } }
        } @else if let Some(why) = problem("message") {
            p.box.bad { "It was not indexed: " (why) " (" (problem("code").unwrap_or_default()) ")" }
        } @else {
            p { "It is indexed. Passages: " (state["chunks"]) }
            @if let Some(what) = state["left_out"]["message"].as_str() { p.box { "Left out of it: " (what) } }
        }
        @if may_change(door, login) { p { a href={ "./plain?delete=" (encoded(&source)) } { "Delete this document" } } }
        p { a href="./plain?documents=0" { "All documents" } }
    })
}

/// Asks whether a document is to be deleted.
pub(super) async fn sure(door: &Door, login: &Login, source: String) -> Result<Markup, Problem> {
    login.may(Scope::Write)?;
    door.must_take_documents()?;
    let of = Extension(login.clone());
    let _ = documents::state(State(door.clone()), of, Segments(source.clone())).await?;
    let back = format!("./plain{}", at(&source));
    Ok(markup::sure(
        "Delete this document",
        &source,
        ("delete", &source),
        &back,
    ))
}

/// Deletes a document. Returns the query of the page that follows.
pub(super) async fn delete(door: &Door, login: &Login, source: String) -> Result<String, Problem> {
    let mut headers = HeaderMap::new();
    let wait = format!("wait={}", door.patience().as_secs());
    if let Ok(wait) = HeaderValue::try_from(wait) {
        headers.insert("prefer", wait);
    }
    let of = Extension(login.clone());
    documents::delete(State(door.clone()), of, Segments(source), headers).await?;
    Ok("?documents=0".into())
}

/// Stores the document of a form. Returns the query of the page that says what has become of it.
pub(super) async fn upload(
    door: &Door,
    login: &Login,
    request: Request,
) -> Result<String, Problem> {
    login.may(Scope::Write)?;
    door.must_take_documents()?;
    let (parts, body) = request.into_parts();
    let (front, body) = Front::of(body);
    let form = Multipart::from_request(Request::from_parts(parts, body), door).await?;
    let came = came(door, login, form, &front);
    let came = door.coming_in(login, async {
        came.await.map_err(|problem| over(&front, problem))
    });
    let ((source, most, body), place) = came.await?;
    let sent = door.store(login, &source, most, body).await?;
    // What waits to be indexed takes no memory here.
    drop(place);
    let at = at(&source);
    documents::done(door, login, source, sent, door.patience()).await?;
    Ok(at)
}

/// The path, the most bytes and the bytes of the document of a form, whose folder comes first.
async fn came(
    door: &Door,
    login: &Login,
    mut form: Multipart,
    front: &Front,
) -> Result<(String, u64, Bytes), Problem> {
    let mut folder = String::new();
    while let Some(field) = form.next_field().await? {
        match field.name() {
            Some("folder") if folder.is_empty() => {
                let name = whole(field, FOLDER_MAX, "folder").await?;
                folder = String::from_utf8_lossy(&name).into_owned();
            }
            Some("file") => {
                front.reached();
                let name = field.file_name().unwrap_or_default();
                let (source, most) = door.storable(login, path(&folder, name)).await?;
                let body = whole(field, most, &source).await?;
                return Ok((source, most, body));
            }
            _ => break,
        }
    }
    Err(Problem::bad(
        "want a form with the fields `folder` and then `file`",
    ))
}

/// Why a form was not read, if it had too much in front of its document.
fn over(front: &Front, problem: Problem) -> Problem {
    match front.is_over() {
        true => too_large("the form before its document", FRONT_MAX as u64),
        false => problem,
    }
}

/// The path of a file in a folder of the corpus. Some browsers send where the file was on its machine.
fn path(folder: &str, name: &str) -> String {
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    match folder.trim().trim_matches('/') {
        "" => name.to_owned(),
        folder => format!("{folder}/{name}"),
    }
}

/// A field, whole, if it has no more than `most` bytes.
async fn whole(mut field: Field<'_>, most: u64, what: &str) -> Result<Bytes, Problem> {
    let mut whole = BytesMut::new();
    while let Some(piece) = field.chunk().await? {
        if (whole.len() + piece.len()) as u64 > most {
            return Err(too_large(what, most));
        }
        whole.extend_from_slice(&piece);
    }
    Ok(whole.freeze())
}

/// The query of the page of a document.
fn at(source: &str) -> String {
    format!("?document={}", encoded(source))
}

fn may_change(door: &Door, login: &Login) -> bool {
    door.0.setup.takes_documents && login.may(Scope::Write).is_ok()
}

impl From<MultipartRejection> for Problem {
    fn from(rejection: MultipartRejection) -> Problem {
        Problem::bad(rejection.body_text())
    }
}

impl From<MultipartError> for Problem {
    fn from(error: MultipartError) -> Problem {
        let code = match error.status() {
            StatusCode::PAYLOAD_TOO_LARGE => "too_large",
            _ => "bad_request",
        };
        Problem::new(error.status(), code, error.body_text())
    }
}

#[cfg(test)]
mod tests {
    use super::path;

    #[test]
    fn where_a_file_of_a_form_goes() {
        for (folder, name, at) in [
            ("", "a.md", "a.md"),
            (" contracts/2026/ ", "a b.md", "contracts/2026/a b.md"),
            ("/", "C:\\papers\\a.md", "a.md"),
            ("x", "../../a.md", "x/a.md"),
            // What is no path is refused as such.
            ("..", "a.md", "../a.md"),
            ("x", "", "x/"),
        ] {
            assert_eq!(path(folder, name), at);
        }
    }
}
