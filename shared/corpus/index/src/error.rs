//! The errors of the local index.

use envelope::{Class, Classify};
use std::path::Path;
use std::time::Duration;
use tantivy::TantivyError;

const HELD: &str = "another process is writing into it";

/// An error of the local index: that of a search over it, into which what tantivy says turns as well.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Error(#[from] search::Error);

impl Error {
    /// The index cannot be read or written.
    pub(crate) fn index(why: impl std::fmt::Display) -> Error {
        Error(search::Error::Index(why.to_string()))
    }

    /// Another writer, of this process or of another one, has the index.
    pub(crate) fn held() -> Error {
        Error::index(HELD)
    }

    /// Whether another writer has the index.
    pub fn is_held(&self) -> bool {
        matches!(&self.0, search::Error::Index(why) if why == HELD)
    }

    /// A file or folder could not be read or written.
    pub(crate) fn at(path: &Path) -> impl Fn(std::io::Error) -> Error {
        move |source| {
            let path = path.to_owned();
            Error(search::Error::Io { path, source })
        }
    }
}

impl From<TantivyError> for Error {
    fn from(error: TantivyError) -> Self {
        Error::index(error)
    }
}

impl From<llm::embed::Error> for Error {
    fn from(error: llm::embed::Error) -> Self {
        Error(error.into())
    }
}

impl From<Error> for search::Error {
    fn from(error: Error) -> Self {
        error.0
    }
}

impl Classify for Error {
    fn class(&self) -> Class {
        self.0.class()
    }

    fn code(&self) -> &'static str {
        self.0.code()
    }

    fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after()
    }
}
