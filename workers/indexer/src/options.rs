//! The options of the indexer.

use documents::chunk;
use documents::chunk::{CHUNK_TOKENS_MAX, OVERLAP_TOKENS_MAX};
use envelope::Edition;
use serde::{Deserialize, Serialize};
use settings::TimeSpan;
use std::path::PathBuf;

/// How documents are indexed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Documents at once in one process, 1 to 256; each takes a few times the size of its file, which
    /// is 16 MiB at most, of PDF and DOCX 128 MiB. Default 8.
    pub slots: u32,
    /// Chunks that are embedded in one call, 1 to 1,024. Default 32.
    pub batch: u32,
    /// The schemas of the buckets: a TOML file, or a folder of them. Default none.
    pub schemas: Option<PathBuf>,
    /// How much of a document a model is shown that is asked for columns, 100 to 100,000 tokens from its
    /// beginning. Default 2,000.
    pub extract_tokens: u32,
    /// Longest answer of that model, 64 to 8,192 tokens. Default 512.
    pub extract_answer_tokens: u32,
    /// Longest time for that call with its retries, up to 60 s. Default 20 s.
    pub extract_timeout: TimeSpan,
    /// The edition of the corpus that is written; all indexers of an edition want the same sizes and
    /// embedder. Default `main`.
    pub edition: Edition,
    /// Most tokens of a chunk, 32 to 2,048. Default 256. Another size is for another edition: what is
    /// indexed already keeps its size until it is published again.
    pub chunk_tokens: u32,
    /// Most tokens of a chunk that the next one repeats, up to half of it. Default 26.
    pub overlap_tokens: u32,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            slots: 8,
            batch: 32,
            schemas: None,
            extract_tokens: 2_000,
            extract_answer_tokens: 512,
            extract_timeout: TimeSpan::from_secs(20),
            edition: Edition::main(),
            chunk_tokens: CHUNK_TOKENS_MAX as u32,
            overlap_tokens: OVERLAP_TOKENS_MAX as u32,
        }
    }
}

/// Options that are out of range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OptionsError {
    /// `slots` is out of range.
    #[error("`slots` must be 1 to 256, not {0}")]
    Slots(u32),
    /// `batch` is out of range.
    #[error("`batch` must be 1 to 1024, not {0}")]
    Batch(u32),
    /// `extract_tokens` is out of range.
    #[error("`extract_tokens` must be 100 to 100000, not {0}")]
    ExtractTokens(u32),
    /// `extract_answer_tokens` is out of range.
    #[error("`extract_answer_tokens` must be 64 to 8192, not {0}")]
    ExtractAnswerTokens(u32),
    /// `extract_timeout` is out of range.
    #[error("`extract_timeout` must be over 0 and at most 60s, not {0}")]
    ExtractTimeout(TimeSpan),
    /// `chunk_tokens` is out of range.
    #[error("`chunk_tokens` must be 32 to 2048, not {0}")]
    ChunkTokens(u32),
    /// `overlap_tokens` is out of range.
    #[error("`overlap_tokens` must be at most half of `chunk_tokens`, {most}, not {given}")]
    OverlapTokens {
        /// The largest value that is possible.
        most: u32,
        /// The value that is set.
        given: u32,
    },
}

/// The longest `extract_timeout`, in seconds: a document has two minutes in all.
const EXTRACT_SECS_MAX: u64 = 60;

impl Options {
    /// Checks that every option is in its range.
    pub fn validate(&self) -> Result<(), OptionsError> {
        if !(1..=256).contains(&self.slots) {
            return Err(OptionsError::Slots(self.slots));
        }
        if !(1..=1024).contains(&self.batch) {
            return Err(OptionsError::Batch(self.batch));
        }
        if !(100..=100_000).contains(&self.extract_tokens) {
            return Err(OptionsError::ExtractTokens(self.extract_tokens));
        }
        if !(64..=8_192).contains(&self.extract_answer_tokens) {
            return Err(OptionsError::ExtractAnswerTokens(
                self.extract_answer_tokens,
            ));
        }
        let timeout = self.extract_timeout;
        if timeout.is_zero() || timeout > TimeSpan::from_secs(EXTRACT_SECS_MAX) {
            return Err(OptionsError::ExtractTimeout(timeout));
        }
        if !(32..=2048).contains(&self.chunk_tokens) {
            return Err(OptionsError::ChunkTokens(self.chunk_tokens));
        }
        let most = self.chunk_tokens / 2;
        if self.overlap_tokens > most {
            return Err(OptionsError::OverlapTokens {
                most,
                given: self.overlap_tokens,
            });
        }
        Ok(())
    }

    /// How documents are cut into chunks.
    pub(crate) fn cutting(&self) -> chunk::Options {
        chunk::Options {
            tokens: self.chunk_tokens as usize,
            overlap: self.overlap_tokens as usize,
        }
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
        for (json, named) in [
            (r#"{"extract_tokens": 9}"#, "`extract_tokens`"),
            (r#"{"extract_answer_tokens": 9}"#, "`extract_answer_tokens`"),
            (r#"{"extract_timeout": "61s"}"#, "`extract_timeout`"),
            (r#"{"extract_timeout": "0s"}"#, "`extract_timeout`"),
        ] {
            let options: Options = serde_json::from_str(json).unwrap();
            assert!(options.validate().unwrap_err().to_string().contains(named));
        }
        for chunk_tokens in [31, 2049] {
            let odd = Options {
                chunk_tokens,
                overlap_tokens: 0,
                ..Options::default()
            };
            assert_eq!(odd.validate(), Err(OptionsError::ChunkTokens(chunk_tokens)));
        }
        let over = Options {
            chunk_tokens: 40,
            ..Options::default()
        };
        assert_eq!(
            over.validate(),
            Err(OptionsError::OverlapTokens {
                most: 20,
                given: 26
            })
        );
    }
}
