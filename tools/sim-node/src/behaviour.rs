//! The behaviour of a node that can be switched while it runs. Pure.

use crate::overflow::OverflowWording;
use std::time::{Duration, SystemTime};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc2822;

/// What a node does with new calls. Calls in flight go on as they began, except for [`Behaviour::Slow`], which slows
/// the engine, and [`Behaviour::Flapping`], which ends them.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Behaviour {
    /// Answers.
    #[default]
    Healthy,
    /// Answers, but each step takes this many times as long.
    Slow(f64),
    /// Accepts calls and never answers them. `/health` and `/metrics` say that all is well.
    Stuck,
    /// Accepts connections and answers nothing at all.
    Frozen,
    /// Sends the answer byte by byte, with this pause before each.
    Trickle(Duration),
    /// Sends this many bytes of the answer and resets the connection.
    Reset(usize),
    /// Answers with this status.
    Status(u16, RetryAfter),
    /// Answers with status 200 and a body that is no completion.
    WrongJson,
    /// Writes white space until the request's limit of tokens, as grammars for JSON allow.
    WhiteSpace,
    /// Rejects every prompt as too long, with the error of this server.
    Overflow(OverflowWording),
    /// Is up for the first time span, down for the second, and so on. A node that is down refuses connections and has
    /// lost its calls in flight and its cache.
    Flapping(Duration, Duration),
}

/// What a node that refuses a call tells about the time of the next one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RetryAfter {
    /// Nothing.
    #[default]
    Unsaid,
    /// To come back after this many seconds.
    Seconds(u64),
    /// To come back at the date that is this far away, in whole seconds.
    Date(Duration),
}

impl RetryAfter {
    /// The value of the header.
    pub(crate) fn header(self, now: SystemTime) -> Option<String> {
        match self {
            RetryAfter::Unsaid => None,
            RetryAfter::Seconds(seconds) => Some(seconds.to_string()),
            RetryAfter::Date(wait) => {
                let date = OffsetDateTime::from(now + wait).format(&Rfc2822).ok()?;
                Some(date.replace("+0000", "GMT"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asks_for_a_wait_in_both_ways() {
        let epoch = SystemTime::UNIX_EPOCH;
        assert_eq!(RetryAfter::Unsaid.header(epoch), None);
        let seconds = RetryAfter::Seconds(7).header(epoch);
        assert_eq!(seconds.as_deref(), Some("7"));
        let date = RetryAfter::Date(Duration::from_secs(3_661)).header(epoch);
        assert_eq!(date.as_deref(), Some("Thu, 01 Jan 1970 01:01:01 GMT"));
    }
}
