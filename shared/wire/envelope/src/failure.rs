//! The classes of failure: each says what a caller should do about an error. Callers ask an error for its class and
//! never read its text.

use std::time::Duration;

/// The class of a failure: what a caller should do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// The work may succeed next time: try again later.
    Transient,
    /// Everything is busy: hold the work and take no more until there is room.
    Overloaded,
    /// The input is too large for the callee; repeating it unchanged is useless.
    TooLarge,
    /// The work will never succeed.
    Permanent,
    /// The failure should have been impossible.
    Bug,
}

impl Class {
    /// The word for logs, metric labels and reason codes.
    pub const fn as_str(self) -> &'static str {
        match self {
            Class::Transient => "transient",
            Class::Overloaded => "overloaded",
            Class::TooLarge => "too_large",
            Class::Permanent => "permanent",
            Class::Bug => "bug",
        }
    }
}

/// An error that knows its class.
pub trait Classify: std::error::Error + Send + Sync + 'static {
    /// The class of the error.
    fn class(&self) -> Class;
    /// A word for programs that does not change between releases.
    fn code(&self) -> &'static str;
    /// How long to wait before the next attempt, when the failing side said so.
    fn retry_after(&self) -> Option<Duration> {
        None
    }
}
