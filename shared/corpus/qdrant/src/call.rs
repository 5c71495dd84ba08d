//! One call to the server: it has a time limit, and its errors are translated into ours.

use crate::Qdrant;
use envelope::Class;
use futures_util::future::BoxFuture;
use qdrant_client::QdrantError;
use search::Error;
use std::time::Duration;
use tonic::Code;

impl Qdrant {
    /// Waits for a call, at most as long as one may take. `what` names it in errors.
    pub(super) fn ask<'a, T: Send + 'a>(
        &self,
        what: &'static str,
        call: impl Future<Output = Result<T, QdrantError>> + Send + 'a,
    ) -> BoxFuture<'a, Result<T, Error>> {
        let timeout = self.timeout;
        Box::pin(async move {
            match tokio::time::timeout(timeout, call).await {
                Ok(answer) => answer.map_err(|error| refused(what, error)),
                Err(_) => Err(Error::Qdrant {
                    call: what,
                    text: format!("no answer within {} ms", timeout.as_millis()),
                    class: Class::Transient,
                    retry_after: None,
                }),
            }
        })
    }
}

/// An error that asking again does not mend.
pub(super) fn permanent(call: &'static str, text: impl Into<String>) -> Error {
    Error::Qdrant {
        call,
        text: text.into(),
        class: Class::Permanent,
        retry_after: None,
    }
}

/// What the client or the server said.
pub(super) fn refused(call: &'static str, error: QdrantError) -> Error {
    let (class, text, retry_after) = match error {
        QdrantError::ResponseError { status } => {
            let text = format!("{}: {}", status.code(), status.message());
            (class_of(status.code()), text, None)
        }
        QdrantError::ResourceExhaustedError {
            status,
            retry_after_seconds,
        } => (
            Class::Overloaded,
            status.message().to_owned(),
            Some(Duration::from_secs(retry_after_seconds)),
        ),
        QdrantError::Io(error) => (Class::Transient, error.to_string(), None),
        other => (Class::Permanent, other.to_string(), None),
    };
    Error::Qdrant {
        call,
        text,
        class,
        retry_after,
    }
}

/// `Internal` is also the client's code when nothing listens at the address, and a collection that is not found is
/// made again at the next connection.
fn class_of(code: Code) -> Class {
    match code {
        Code::ResourceExhausted => Class::Overloaded,
        Code::InvalidArgument
        | Code::AlreadyExists
        | Code::PermissionDenied
        | Code::Unauthenticated
        | Code::Unimplemented
        | Code::OutOfRange => Class::Permanent,
        _ => Class::Transient,
    }
}
