//! Reads and writes messages as JSON. It reads the version of a message first, and checks the size before a message
//! is published.
//!
//! A release reads versions [`WIRE_READ_MIN`] to [`WIRE_NEWEST`] and writes [`WIRE`], but for what an older release would
//! misunderstand: that has [`WIRE_NEWEST`], and an older worker gives it back until a newer one takes it.

use crate::limits::ENVELOPE_BYTES_MAX;
use bytes::Bytes;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// The wire version that this release writes as a rule.
pub const WIRE: u16 = 1;
/// The wire version of a scatter record that is a map step, and of the reducer's step that brings its maps.
pub const WIRE_OF_BATCHES: u16 = 2;
/// The newest wire version that this release reads. A draft whose facts are its texts has it, too
/// ([`Payload::wire`](crate::Payload::wire)).
pub const WIRE_NEWEST: u16 = 2;
/// The oldest wire version that this release reads.
pub(crate) const WIRE_READ_MIN: u16 = 1;

/// Why bytes cannot be decoded, or a message cannot be encoded.
#[derive(Debug, thiserror::Error)]
pub enum CodecError {
    /// Over the limit; publishing it would be refused or time out.
    #[error("message of {bytes} bytes is over the limit of {max}")]
    TooLarge {
        /// Its size.
        bytes: usize,
        /// The limit.
        max: usize,
    },
    /// Written by a newer release: wait for a worker that can read it.
    #[error("wire version {found} is newer than {WIRE_NEWEST}, the newest this release reads")]
    Newer {
        /// Its version.
        found: u16,
    },
    /// Written by a release that is too old.
    #[error("wire version {found} is older than {WIRE_READ_MIN}, the oldest this release reads")]
    Older {
        /// Its version.
        found: u16,
    },
    /// The role takes no steps.
    #[error("the {role} takes no steps")]
    NoSteps {
        /// The role.
        role: crate::role::Role,
    },
    /// The bytes are no JSON of the expected form.
    #[error("unreadable message: {0}")]
    Malformed(#[from] serde_json::Error),
}

/// Encodes a message; fails when it is over [`ENVELOPE_BYTES_MAX`].
pub fn encode<T: Serialize>(message: &T) -> Result<Bytes, CodecError> {
    let bytes = serde_json::to_vec(message)?;
    if bytes.len() > ENVELOPE_BYTES_MAX {
        return Err(CodecError::TooLarge {
            bytes: bytes.len(),
            max: ENVELOPE_BYTES_MAX,
        });
    }
    Ok(bytes.into())
}

/// Decodes a message that carries a version.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, CodecError> {
    match serde_json::from_slice(bytes) {
        Ok(message) => check_version(bytes).map(|()| message),
        Err(error) => {
            check_version(bytes)?;
            Err(error.into())
        }
    }
}

/// Whether a field has the value that is assumed where it is absent; such a field is not written.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Every message of ours starts with its version, which makes the common case a comparison.
const KNOWN: [&[u8]; 2] = [b"{\"v\":1,", b"{\"v\":2,"];

fn check_version(bytes: &[u8]) -> Result<(), CodecError> {
    if KNOWN.iter().any(|known| bytes.starts_with(known)) {
        return Ok(());
    }
    #[derive(Deserialize)]
    struct Versioned {
        v: u16,
    }
    match serde_json::from_slice::<Versioned>(bytes)?.v {
        v if v > WIRE_NEWEST => Err(CodecError::Newer { found: v }),
        v if v < WIRE_READ_MIN => Err(CodecError::Older { found: v }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Serialize, Deserialize)]
    struct Toy {
        v: u16,
        text: String,
    }

    #[test]
    fn the_fast_path_knows_what_is_written() {
        for v in [WIRE, WIRE_NEWEST] {
            let text = String::new();
            let bytes = encode(&Toy { v, text }).unwrap();
            assert!(KNOWN.iter().any(|known| bytes.starts_with(known)));
        }
    }

    #[test]
    fn versions_are_refused_by_name() {
        assert!(matches!(
            decode::<Toy>(b"{\"v\":3,\"text\":1}"),
            Err(CodecError::Newer { found: 3 })
        ));
        assert!(matches!(
            decode::<Toy>(b"{\"text\":\"a\",\"v\":9}"),
            Err(CodecError::Newer { found: 9 })
        ));
        assert!(matches!(
            decode::<Toy>(b"{\"v\":0,\"text\":\"a\"}"),
            Err(CodecError::Older { found: 0 })
        ));
        assert!(matches!(
            decode::<Toy>(b"{\"v\":1}"),
            Err(CodecError::Malformed(_))
        ));
        assert!(matches!(
            decode::<Toy>(b"\xff"),
            Err(CodecError::Malformed(_))
        ));
    }

    #[test]
    fn too_large_is_found_before_publishing() {
        let toy = Toy {
            v: 1,
            text: "x".repeat(ENVELOPE_BYTES_MAX),
        };
        assert!(matches!(encode(&toy), Err(CodecError::TooLarge { .. })));
    }
}
