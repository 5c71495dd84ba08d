//! The `Retry-After` header: seconds or an HTTP date. Pure: the current time is passed in.

use crate::constants::RETRY_AFTER_MAX;
use std::time::Duration;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc2822;

/// How long the header asks to wait from `now` on, at most `RETRY_AFTER_MAX`. An empty header, a date that has
/// passed and an unreadable value ask for nothing: the caller then waits as it would without the header.
pub(crate) fn parse(header: &str, now: OffsetDateTime) -> Option<Duration> {
    let header = header.trim();
    let wait = match header.parse::<f64>() {
        Ok(seconds) => Duration::try_from_secs_f64(seconds).ok()?,
        Err(_) => {
            let until = parse_date(header)?;
            Duration::try_from(until - now).unwrap_or(Duration::ZERO)
        }
    };
    (!wait.is_zero()).then(|| wait.min(RETRY_AFTER_MAX))
}

/// An HTTP date: `Wed, 21 Oct 2026 07:28:00 GMT`. The two obsolete forms are not read.
pub(crate) fn parse_date(header: &str) -> Option<OffsetDateTime> {
    OffsetDateTime::parse(header.trim(), &Rfc2822).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(header: &str) -> Option<u64> {
        let now = parse_date("Wed, 21 Oct 2026 07:28:00 GMT").unwrap();
        parse(header, now).map(|wait| wait.as_secs())
    }

    #[test]
    fn reads_seconds_and_dates() {
        assert_eq!(wait("0"), None);
        assert_eq!(wait(" 7 "), Some(7));
        assert_eq!(wait("1.5"), Some(1));
        assert_eq!(wait("Wed, 21 Oct 2026 07:28:30 GMT"), Some(30));
        assert_eq!(wait("Wed, 21 Oct 2026 07:00:00 GMT"), None);
    }

    #[test]
    fn believes_a_minute_at_most_and_nonsense_not_at_all() {
        assert_eq!(wait("86400"), Some(60));
        assert_eq!(wait("Thu, 22 Oct 2026 07:28:00 GMT"), Some(60));
        for nonsense in ["", "soon", "-3", "NaN", "inf", "21 Oct"] {
            assert_eq!(wait(nonsense), None, "{nonsense}");
        }
    }
}
