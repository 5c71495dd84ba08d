//! The reference by which a message names a file.
//!
//! The bytes of the file are in the object store under [`FileRef::key`], for as long as that store keeps files. *Not*
//! here: storing and reading them.

use crate::ids::TurnId;
use crate::limits::ATTACHMENT_NAME_BYTES_MAX;
use serde::{Deserialize, Serialize};

/// A file that a step of a turn has made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRef {
    /// Where it is in the object store: `turn.<turn>.<hop>.<hash>.<name>`, with the first 16 hex digits
    /// of the SHA-256 of its bytes.
    pub key: String,
    /// Its name, as a person would save it.
    pub name: String,
    /// Its media type, as in HTTP.
    pub media_type: String,
    /// Its size.
    pub bytes: u64,
}

/// A name that is no plain file name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no name of a file: want 1 to {ATTACHMENT_NAME_BYTES_MAX} of letters, digits, `-`, `_` and `.`, and no `.` in front"
)]
pub struct NameError(pub String);

impl FileRef {
    /// Names a file of the step at `hop`. `hash` is the first eight bytes of the SHA-256 of its bytes.
    ///
    /// # Errors
    /// When the name is no plain file name.
    pub fn new(
        turn: &TurnId,
        hop: u16,
        name: &str,
        media_type: &str,
        hash: u64,
        bytes: u64,
    ) -> Result<FileRef, NameError> {
        let is_plain = |c: u8| c.is_ascii_alphanumeric() || b"-_.".contains(&c);
        let fits = (1..=ATTACHMENT_NAME_BYTES_MAX).contains(&name.len());
        if !fits || name.starts_with('.') || !name.bytes().all(is_plain) {
            return Err(NameError(name.into()));
        }
        Ok(FileRef {
            key: format!("turn.{turn}.{hop}.{hash:016x}.{name}"),
            name: name.into(),
            media_type: media_type.into(),
            bytes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::OBJECT_NAME_BYTES_MAX;

    #[test]
    fn a_key_says_whose_it_is_and_fits_the_object_store() {
        let turn = TurnId::new("t".repeat(64)).unwrap();
        let name = "a".repeat(ATTACHMENT_NAME_BYTES_MAX);
        let file = FileRef::new(&turn, u16::MAX, &name, "text/csv", u64::MAX, 1).unwrap();
        assert!(
            file.key
                .starts_with(&format!("turn.{turn}.65535.ffffffffffffffff."))
        );
        assert!(
            file.key.len() <= OBJECT_NAME_BYTES_MAX,
            "{}",
            file.key.len()
        );
    }

    #[test]
    fn a_name_is_a_plain_file_name() {
        let turn = TurnId::new("t").unwrap();
        for name in ["", ".csv", "a/b", "..", "tab\tle", "ä.csv", &"a".repeat(33)] {
            let refused = FileRef::new(&turn, 1, name, "text/csv", 0, 1);
            assert_eq!(refused, Err(NameError(name.into())));
        }
    }
}
