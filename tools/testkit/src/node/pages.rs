//! Pages that a fake node serves beside its model API, such as `/metrics` with its load. *Not* the models of the
//! node, which it keeps in a list of its own.

use super::{FakeNode, Shared, response};
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Uri, header};
use axum::response::Response;
use std::collections::HashMap;
use std::sync::Arc;

/// The pages, and the requests for them.
#[derive(Default)]
pub(super) struct Pages {
    shown: HashMap<String, String>,
    looks: Vec<(String, String)>,
}

impl FakeNode {
    /// Serves this text at a path of its own. At first there are no such pages.
    pub fn page(&self, path: &str, text: &str) -> &Self {
        let (path, text) = (path.to_owned(), text.to_owned());
        self.shared.script().pages.shown.insert(path, text);
        self
    }

    /// The requests for pages so far, oldest first: the path and the `authorization` header.
    pub fn looks(&self) -> Vec<(String, String)> {
        self.shared.script().pages.looks.clone()
    }
}

/// Whatever no other route takes.
pub(super) async fn page(
    State(shared): State<Arc<Shared>>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let path = uri.path().to_owned();
    let pages = &mut shared.script().pages;
    pages.looks.push((path.clone(), authorization(&headers)));
    match pages.shown.get(&path) {
        Some(text) => response(200, Body::from(text.clone())),
        None => response(404, Body::from("Not Found")),
    }
}

/// The `authorization` header; empty when there is none.
pub(super) fn authorization(headers: &HeaderMap) -> String {
    let value = headers.get(header::AUTHORIZATION);
    let value = value.and_then(|value| value.to_str().ok());
    value.unwrap_or_default().into()
}
