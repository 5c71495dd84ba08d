//! Options of the indexer.

use serde::{Deserialize, Serialize};

/// How documents are indexed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Documents at once in one process, 1 to 256; each takes a few times the size of its file, which
    /// is 16 MiB at most, of PDF and DOCX 128 MiB. Default 8.
    pub slots: u32,
    /// Chunks that are embedded in one call, 1 to 1,024. Default 32.
    pub batch: u32,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            slots: 8,
            batch: 32,
        }
    }
}

/// Options that cannot be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OptionsError {
    /// Out of range.
    #[error("`slots` must be 1 to 256, not {0}")]
    Slots(u32),
    /// Out of range.
    #[error("`batch` must be 1 to 1024, not {0}")]
    Batch(u32),
}

impl Options {
    /// Whether they can be.
    pub fn validate(&self) -> Result<(), OptionsError> {
        if !(1..=256).contains(&self.slots) {
            return Err(OptionsError::Slots(self.slots));
        }
        if !(1..=1024).contains(&self.batch) {
            return Err(OptionsError::Batch(self.batch));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_valid_and_bounds_hold() {
        assert_eq!(Options::default().validate(), Ok(()));
        let none = Options {
            slots: 0,
            ..Options::default()
        };
        assert_eq!(none.validate(), Err(OptionsError::Slots(0)));
        let many = Options {
            batch: 1025,
            ..Options::default()
        };
        assert_eq!(many.validate(), Err(OptionsError::Batch(1025)));
    }
}
