//! Text that is never displayed: not in logs, not in a printed configuration, not in an error of the loader. It is
//! not wiped from memory.
//!
//! A secret is given in place (`api_key = "..."`) or through a file beside it (`api_key_file =
//! "/run/secrets/key"`). The loader reads the file, so the options that hold a secret need not know of it.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::rule::BrokenRule;

/// What a secret shows instead of itself.
pub(crate) const MASK: &str = "***";

/// Text that shows itself as `***`. The empty secret, its default, means "none" and shows as nothing.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself: pass it to the code that needs it, and to no log.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether there is no secret.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn shown(&self) -> &'static str {
        if self.is_empty() { "" } else { MASK }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.shown())
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // A printed configuration shows the mask; loading it back must not make the mask a password.
        let text = String::deserialize(deserializer)?;
        if text == MASK {
            return Err(serde::de::Error::custom(BrokenRule::MaskIsNoSecret));
        }
        Ok(Self(text))
    }
}

/// The largest file of a secret, in bytes.
const FILE_MAX: u64 = 64 * 1024;

/// Reads a secret from its file; the error is a fragment for people.
pub(crate) fn read_file(file: &str) -> Result<String, String> {
    let size = std::fs::metadata(file).map_err(|error| error.to_string())?;
    if size.len() > FILE_MAX {
        return Err(format!("it is larger than {FILE_MAX} bytes"));
    }
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    // Editors and `echo` end a file with a line break that is not part of the secret.
    let secret = text.trim_end_matches(['\r', '\n']);
    if secret.is_empty() {
        return Err("it is empty".to_owned());
    }
    Ok(secret.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_the_mask_and_exposes_the_text() {
        let secret = Secret::new("hunter2");
        assert_eq!(format!("{secret:?}"), "***");
        assert_eq!(serde_json::to_string(&secret).unwrap(), "\"***\"");
        assert_eq!(secret.expose(), "hunter2");
        assert_eq!(serde_json::to_string(&Secret::default()).unwrap(), "\"\"");
    }

    #[test]
    fn refuses_its_own_mask_and_anything_but_text() {
        let mask = serde_json::from_str::<Secret>("\"***\"").unwrap_err();
        assert!(mask.to_string().contains("not a secret"), "{mask}");
        assert!(serde_json::from_str::<Secret>("1e5").is_err());
        let read: Secret = serde_json::from_str("\"0123\"").unwrap();
        assert_eq!(read.expose(), "0123");
    }
}
