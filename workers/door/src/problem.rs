//! Why a request failed, in the shape of RFC 9457: `application/problem+json` with `type`, `title`, `status`, `detail` and
//! our own `code`, which does not change between releases.

use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use envelope::{Outcome, Terminal, TurnId};
use serde_json::{Value, json};
use streams::client::{Error, lookup};

/// After how many seconds a client that was turned away may try again.
const RETRY_AFTER: u32 = 2;

/// Why a request failed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    /// A word for programs, as docs/wire.md and docs/doors.md list them.
    pub(crate) code: String,
    /// A sentence for people, with the fix where there is one.
    pub(crate) detail: String,
    /// The turn that it is about.
    pub(crate) turn: Option<TurnId>,
    /// The field of the request that it is about, where the shape of OpenAI names one.
    pub(crate) param: Option<&'static str>,
    /// After how many seconds to try again, where that is known better than [`RETRY_AFTER`].
    pub(crate) retry_after: Option<u32>,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, code: &str, detail: impl Into<String>) -> Problem {
        Problem {
            status,
            code: code.to_owned(),
            detail: detail.into(),
            turn: None,
            param: None,
            retry_after: None,
        }
    }

    pub(crate) fn bad(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, "bad_request", detail)
    }

    /// No room now.
    pub(crate) fn busy(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "busy", detail)
    }

    /// More than a login may have at a time.
    pub(crate) fn limited(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", detail)
    }

    /// Names the field that it is about.
    pub(crate) fn about(mut self, param: &'static str) -> Problem {
        self.param = Some(param);
        self
    }

    /// Whether the same request may succeed a little later.
    pub(crate) fn may_pass(&self) -> bool {
        self.status == StatusCode::SERVICE_UNAVAILABLE
            || self.status == StatusCode::TOO_MANY_REQUESTS
    }

    /// As JSON, as it is sent.
    pub(crate) fn body(&self) -> Value {
        let title = self.status.canonical_reason().unwrap_or("Error");
        let mut body = json!({
            "type": "about:blank",
            "title": title,
            "status": self.status.as_u16(),
            "code": self.code,
            "detail": self.detail,
        });
        if let Some(turn) = &self.turn {
            body["turn"] = turn.as_str().into();
        }
        body
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = self.body().to_string();
        let mut response = (self.status, body).into_response();
        let headers = response.headers_mut();
        let of = HeaderValue::from_static("application/problem+json");
        headers.insert(header::CONTENT_TYPE, of);
        if self.may_pass() {
            let seconds = self.retry_after.unwrap_or(RETRY_AFTER);
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        // For a door that says it in a shape of its own.
        response.extensions_mut().insert(self);
        response
    }
}

/// The status of a refused question or look-up, by its code (docs/wire.md); `None` for a code that is not listed there.
fn status_of(code: &str) -> Option<StatusCode> {
    Some(match code {
        "too_large" => StatusCode::PAYLOAD_TOO_LARGE,
        "id_in_use" | "conversation_busy" | "clarification_answered" => StatusCode::CONFLICT,
        "conversation_of_others" => StatusCode::FORBIDDEN,
        "conversation_erased" | "clarification_expired" => StatusCode::GONE,
        "clarification_unknown" | "not_found" => StatusCode::NOT_FOUND,
        // What this fleet does not offer. No 5xx: clients would send it again.
        "unsupported" | "strategy_unavailable" => StatusCode::UNPROCESSABLE_ENTITY,
        "conversation_newer" => StatusCode::NOT_IMPLEMENTED,
        "not_stored" | "overloaded" => StatusCode::SERVICE_UNAVAILABLE,
        "timed_out" => StatusCode::GATEWAY_TIMEOUT,
        "not_utf8" | "not_json" | "unknown_field" | "missing_query" | "query_too_long" => {
            StatusCode::BAD_REQUEST
        }
        "bad_id" | "bad_field" | "bad_filter" => StatusCode::BAD_REQUEST,
        _ => return None,
    })
}

/// A refusal of another code is about the question.
fn status_of_refusal(code: &str) -> StatusCode {
    status_of(code).unwrap_or(StatusCode::BAD_REQUEST)
}

impl From<envelope::Refusal> for Problem {
    fn from(refusal: envelope::Refusal) -> Problem {
        let code = refusal.code.as_str();
        Problem::new(status_of_refusal(code), code, refusal.message)
    }
}

/// A look-up that fails with another code has failed inside, as in its index.
impl From<envelope::Problem> for Problem {
    fn from(problem: envelope::Problem) -> Problem {
        let status = status_of(&problem.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Problem::new(status, &problem.code, problem.message)
    }
}

/// The problem of a turn that ended without an answer or a question back; `None` where it has one.
pub(crate) fn of_end(ended: &Terminal) -> Option<Problem> {
    let error = ended.error.clone();
    let error = error.unwrap_or_else(|| {
        envelope::Problem::new(ended.outcome.as_str(), "the turn ended without an answer")
    });
    let status = match ended.outcome {
        Outcome::Answered | Outcome::Clarification => return None,
        Outcome::Refused => status_of_refusal(&error.code),
        Outcome::Cancelled => StatusCode::CONFLICT,
        Outcome::Expired => StatusCode::GATEWAY_TIMEOUT,
        Outcome::Failed => StatusCode::INTERNAL_SERVER_ERROR,
    };
    let mut problem = Problem::new(status, &error.code, error.message);
    // A refused question has no turn.
    problem.turn = (ended.outcome != Outcome::Refused).then(|| ended.turn.clone());
    Some(problem)
}

impl From<Error> for Problem {
    fn from(error: Error) -> Problem {
        let (status, code) = match &error {
            Error::Bus(_) | Error::Away | Error::NotStored(_) | Error::Refused(_) => {
                (StatusCode::SERVICE_UNAVAILABLE, "bus_away")
            }
            Error::Full => (StatusCode::SERVICE_UNAVAILABLE, "inbox_full"),
            Error::Id(_) => (StatusCode::BAD_REQUEST, "bad_id"),
            Error::NoAnswer(_) | Error::NoTurn(_) => (StatusCode::NOT_FOUND, "no_such_turn"),
            Error::Late { .. } | Error::Unended(_) => (StatusCode::GATEWAY_TIMEOUT, "not_ended"),
            Error::Fields(_) | Error::Random(_) | Error::Unreadable(_) | Error::End(_) => {
                (StatusCode::INTERNAL_SERVER_ERROR, "internal")
            }
        };
        Problem::new(status, code, error.to_string())
    }
}

impl From<lookup::Error> for Problem {
    fn from(error: lookup::Error) -> Problem {
        let (status, code) = match error {
            lookup::Error::Refused(problem) => return problem.into(),
            lookup::Error::Bus(_) => (StatusCode::SERVICE_UNAVAILABLE, "bus_away"),
            lookup::Error::Late | lookup::Error::Unheard => {
                (StatusCode::SERVICE_UNAVAILABLE, "no_retriever")
            }
            lookup::Error::Unreadable(_) | lookup::Error::Empty => {
                (StatusCode::INTERNAL_SERVER_ERROR, "internal")
            }
        };
        Problem::new(status, code, error.to_string())
    }
}

impl From<JsonRejection> for Problem {
    fn from(rejection: JsonRejection) -> Problem {
        let code = match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => "too_large",
            StatusCode::UNSUPPORTED_MEDIA_TYPE => "not_json",
            _ => "bad_request",
        };
        Problem::new(rejection.status(), code, rejection.body_text())
    }
}

impl From<PathRejection> for Problem {
    fn from(rejection: PathRejection) -> Problem {
        Problem::new(StatusCode::NOT_FOUND, "no_such_path", rejection.body_text())
    }
}

impl From<QueryRejection> for Problem {
    fn from(rejection: QueryRejection) -> Problem {
        Problem::bad(rejection.body_text())
    }
}

pub(crate) async fn no_such_path() -> Problem {
    let detail = "there is nothing at this path; the paths are in /api/openapi.json";
    Problem::new(StatusCode::NOT_FOUND, "no_such_path", detail)
}

pub(crate) async fn no_such_method() -> Problem {
    let detail = "this path does not take this method; see /api/openapi.json";
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "no_such_method", detail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::{TenantId, UnixMs};

    #[test]
    fn only_what_has_no_answer_is_a_problem() {
        let ended = |outcome, code: Option<&str>| {
            let turn = TurnId::new("t").expect("an id");
            let mut ended = Terminal::bare(turn, TenantId::default_tenant(), outcome, UnixMs(1));
            ended.error = code.map(|code| envelope::Problem::new(code, "why"));
            of_end(&ended).map(|problem| (problem.status.as_u16(), problem.code))
        };
        let of = |status: u16, code: &str| Some((status, code.to_owned()));
        assert_eq!(ended(Outcome::Answered, None), None);
        assert_eq!(ended(Outcome::Clarification, None), None);
        assert_eq!(ended(Outcome::Expired, None), of(504, "expired"));
        assert_eq!(
            ended(Outcome::Refused, Some("id_in_use")),
            of(409, "id_in_use")
        );
        assert_eq!(
            ended(Outcome::Refused, Some("bad_field")),
            of(400, "bad_field")
        );
        assert_eq!(ended(Outcome::Failed, Some("x")), of(500, "x"));
    }
}
