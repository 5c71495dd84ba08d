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
    /// is 16 MiB at most, of containers such as PDF and DOCX 128 MiB. Default 8.
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
    /// Longest time for reading one file that is more than plain text, over 0 and up to 100 s; then it is named and
    /// left out. Default 60 s.
    pub read_timeout: TimeSpan,
    /// Most memory of the process that reads such a file, 128 to 65,536 MiB; what needs more is named and left out.
    /// Default 1,024.
    pub read_memory_mib: u32,
    /// Whether what people do not see is read as well: text of a page (HTML, PDF) that is hidden or has the colour of
    /// its background. Default false.
    pub read_hidden: bool,
    /// Text recognition of pictures, and of pages of a PDF that are pictures: `off`, or `tesseract`, which has to be on
    /// the PATH, and for a PDF `pdftoppm` as well. Files that are indexed already are read anew with `--force`. Default
    /// `off`.
    pub ocr: Recognition,
    /// Languages of that text as `tesseract` calls them, joined by `+`: `eng+deu`. Default `eng`.
    pub ocr_languages: String,
    /// Longest time that programs outside may take for one file, text recognition and LibreOffice, over 0 and up to
    /// 1 h. Default 10 min.
    pub program_timeout: TimeSpan,
}

/// What recognises text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recognition {
    /// Nothing.
    #[default]
    Off,
    /// The program of that name.
    Tesseract,
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
            read_timeout: TimeSpan::from_secs(60),
            read_memory_mib: 1_024,
            read_hidden: false,
            ocr: Recognition::Off,
            ocr_languages: "eng".into(),
            program_timeout: TimeSpan::from_mins(10),
        }
    }
}

/// The longest `extract_timeout`, in seconds: a part of the work has two minutes.
const EXTRACT_SECS_MAX: u64 = 60;
/// The longest `read_timeout`, in seconds.
const READ_SECS_MAX: u64 = 100;
/// The longest `program_timeout`, in seconds: a document of which pages are recognised waits in parts.
const PROGRAM_SECS_MAX: u64 = 3_600;

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
            ("read_memory_mib", self.read_memory_mib, 128..=65_536),
        ] {
            if !range.contains(&given) {
                let (least, most) = range.into_inner();
                return wrong(format!("`{name}` must be {least} to {most}, not {given}"));
            }
        }
        for (name, timeout, most) in [
            ("extract_timeout", self.extract_timeout, EXTRACT_SECS_MAX),
            ("read_timeout", self.read_timeout, READ_SECS_MAX),
            ("program_timeout", self.program_timeout, PROGRAM_SECS_MAX),
        ] {
            if timeout.is_zero() || timeout > TimeSpan::from_secs(most) {
                return wrong(format!(
                    "`{name}` must be over 0 and at most {most}s, not {timeout}"
                ));
            }
        }
        let is_sign = |c: char| c.is_ascii_alphanumeric() || "_/+".contains(c);
        let given = &self.ocr_languages;
        if given.is_empty() || !given.chars().all(is_sign) {
            return wrong(format!(
                "`ocr_languages` must be names of languages joined by `+`, as in `eng+deu`, not `{given}`"
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
                r#"{"program_timeout": "61m"}"#,
                "`program_timeout` must be over 0 and at most 3600s, not 61m",
            ),
            (
                r#"{"ocr_languages": "-l deu"}"#,
                "`ocr_languages` must be names of languages joined by `+`, as in `eng+deu`, not `-l deu`",
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
