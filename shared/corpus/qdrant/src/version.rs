//! Tells which versions of the server are accepted, and what each of them supports.
//!
//! A server reports its version once, when the client connects. A condition that the server does not support is not
//! sent, because the server would refuse the whole query.

use crate::Qdrant;
use crate::call::permanent;
use search::Error;

/// Major and minor number of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version(u32, u32);

/// The oldest that is taken. Nothing older is known to read what is sent.
pub(super) const LEAST: Version = Version(1, 16);
/// The first with a condition for substrings.
const SUBSTRINGS: Version = Version(1, 20);

impl Version {
    /// Whether a condition may ask for a part of a text.
    pub(super) fn knows_substrings(self) -> bool {
        self >= SUBSTRINGS
    }
}

impl Qdrant {
    /// The version of the server.
    ///
    /// # Errors
    /// [`Error::Qdrant`]: the server is away, or older than those that are taken.
    pub(super) async fn server_version(&self) -> Result<Version, Error> {
        let health = self.ask("connect", self.client.health_check()).await?;
        let version = read(&health.version).filter(|version| *version >= LEAST);
        version.ok_or_else(|| {
            permanent(
                "connect",
                format!(
                    "the server is of version `{}`: update it to {}.{} or later",
                    health.version, LEAST.0, LEAST.1
                ),
            )
        })
    }
}

/// Major and minor of `1.20.3`.
fn read(text: &str) -> Option<Version> {
    let mut parts = text.trim_start_matches('v').split(['.', '-']);
    Some(Version(
        parts.next()?.parse().ok()?,
        parts.next()?.parse().ok()?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        assert!(read("1.16.0") >= Some(LEAST));
        assert!(read("v1.100.0-dev") >= Some(LEAST));
        assert!(read("1.9.4") < Some(LEAST));
        assert_eq!(read("dev"), None);
    }

    #[test]
    fn substrings_came_with_1_20() {
        let knows = |text| read(text).map(Version::knows_substrings);
        assert_eq!(knows("1.18.2"), Some(false));
        assert_eq!(knows("1.20.0"), Some(true));
        assert_eq!(knows("2.0.0"), Some(true));
    }
}
