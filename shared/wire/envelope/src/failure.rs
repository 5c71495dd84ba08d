//! The classes of failure: each says what a caller should do about an error. Callers ask an error for its class and
//! never read its text.

use serde::{Deserialize, Serialize};
use std::time::Duration;

words! {
    /// The class of a failure: what a caller should do about it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum Class {
        /// The work may succeed next time: try again later.
        Transient = "transient",
        /// Everything is busy: hold the work and take no more until there is room.
        Overloaded = "overloaded",
        /// The input is too large for the callee; repeating it unchanged is useless.
        TooLarge = "too_large",
        /// The work will never succeed.
        Permanent = "permanent",
        /// The failure should have been impossible.
        Bug = "bug",
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
