//! A problem as clients of this API read it: `{"error": {"message", "type", "code", "param"}}`.

use crate::problem::Problem;
use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use serde_json::{Value, json};

/// Whether the official clients are to ask again by themselves: without it they do so after every 409 and 5xx, and each
/// time is a turn of its own.
const SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");

/// Says a response that is a problem in this shape, where the path is one of this API.
pub(crate) fn in_shape(path: &str, mut response: Response) -> Response {
    if !path.starts_with("/v1/") {
        return response;
    }
    let Some(problem) = response.extensions_mut().remove::<Problem>() else {
        return response;
    };
    let (mut head, _) = response.into_parts();
    let json = HeaderValue::from_static("application/json");
    head.headers.insert(header::CONTENT_TYPE, json);
    let again = match problem.may_pass() {
        true => "true",
        false => "false",
    };
    head.headers
        .insert(SHOULD_RETRY, HeaderValue::from_static(again));
    Response::from_parts(head, Body::from(said(&problem).to_string()))
}

/// A problem in this shape.
pub(super) fn said(problem: &Problem) -> Value {
    let kind = match problem.status {
        StatusCode::UNAUTHORIZED => "authentication_error",
        StatusCode::FORBIDDEN => "permission_error",
        StatusCode::TOO_MANY_REQUESTS => "rate_limit_error",
        status if status.is_server_error() => "server_error",
        _ => "invalid_request_error",
    };
    json!({"error": {
        "message": problem.detail, "type": kind, "code": problem.code, "param": problem.param,
    }})
}
