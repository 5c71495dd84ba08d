//! The options of the indexer.

use documents::chunk;
use documents::chunk::{CHUNK_TOKENS_MAX, OVERLAP_TOKENS_MAX};
use envelope::Edition;
use serde::{Deserialize, Serialize};
use settings::{InvalidOption, TimeSpan};
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

/// The longest `extract_timeout`, in seconds: a document has two minutes in all.
const EXTRACT_SECS_MAX: u64 = 60;

impl Options {
    /// Checks that every option is in its range.
    pub fn validate(&self) -> Result<(), InvalidOption> {
        let wrong = |what: String| Err(InvalidOption::new(what));
        for (name, given, range) in [
            ("slots", self.slots, 1..=256),
            ("batch", self.batch, 1..=1_024),
            ("extract_tokens", self.extract_tokens, 100..=100_000),
            (
                "extract_answer_tokens",
                self.extract_answer_tokens,
                64..=8_192,
            ),
            ("chunk_tokens", self.chunk_tokens, 32..=2_048),
        ] {
            if !range.contains(&given) {
                let (least, most) = range.into_inner();
                return wrong(format!("`{name}` must be {least} to {most}, not {given}"));
            }
        }
        let timeout = self.extract_timeout;
        if timeout.is_zero() || timeout > TimeSpan::from_secs(EXTRACT_SECS_MAX) {
            return wrong(format!(
                "`extract_timeout` must be over 0 and at most {EXTRACT_SECS_MAX}s, not {timeout}"
            ));
        }
        let (most, given) = (self.chunk_tokens / 2, self.overlap_tokens);
        if given > most {
            return wrong(format!(
                "`overlap_tokens` must be at most half of `chunk_tokens`, {most}, not {given}"
            ));
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
        let said = |json| {
            let options: Options = serde_json::from_str(json).unwrap();
            options.validate().map_err(|error| error.to_string())
        };
        assert_eq!(said("{}"), Ok(()));
        for (json, wanted) in [
            (r#"{"slots": 0}"#, "`slots` must be 1 to 256, not 0"),
            (r#"{"batch": 1025}"#, "`batch` must be 1 to 1024, not 1025"),
            (
                r#"{"extract_tokens": 9}"#,
                "`extract_tokens` must be 100 to 100000, not 9",
            ),
            (
                r#"{"extract_answer_tokens": 9}"#,
                "`extract_answer_tokens` must be 64 to 8192, not 9",
            ),
            (
                r#"{"extract_timeout": "61s"}"#,
                "`extract_timeout` must be over 0 and at most 60s, not 61s",
            ),
            (
                r#"{"extract_timeout": "0s"}"#,
                "`extract_timeout` must be over 0 and at most 60s, not 0s",
            ),
            (
                r#"{"chunk_tokens": 31, "overlap_tokens": 0}"#,
                "`chunk_tokens` must be 32 to 2048, not 31",
            ),
            (
                r#"{"chunk_tokens": 2049, "overlap_tokens": 0}"#,
                "`chunk_tokens` must be 32 to 2048, not 2049",
            ),
            (
                r#"{"chunk_tokens": 40}"#,
                "`overlap_tokens` must be at most half of `chunk_tokens`, 20, not 26",
            ),
        ] {
            assert_eq!(said(json), Err(wanted.to_owned()));
        }
    }
}
