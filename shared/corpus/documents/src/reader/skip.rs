//! The reasons why a file, or a part of one, was not read: a code for programs and a sentence for people.
//!
//! Each sentence says what the user can do about it, if there is something to do.

use super::format::Format;
use serde::{Deserialize, Serialize};

/// A file that was not read, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skip {
    /// Path relative to the corpus root, with `/`; empty for the root itself. Of a part of a file:
    /// `file.jsonl#<line>`.
    pub source: String,
    /// Why.
    pub reason: SkipReason,
}

/// Why a file was not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum SkipReason {
    /// Over a limit on bytes, which it names.
    #[error("larger than {} MiB; split it", .0 / (1024 * 1024))]
    TooLarge(u64),
    /// Neither UTF-8 nor UTF-16 nor Windows-1252.
    #[error("binary, or in an unknown encoding; if it is text, save it as UTF-8")]
    Binary,
    /// No text in it.
    #[error("empty")]
    Empty,
    /// A format that no reader knows.
    #[error("unknown extension{}", unknown(.0))]
    UnknownExtension(String),
    /// A name that begins with a dot; of a folder only the folder is named.
    #[error("hidden; rename it without the leading dot")]
    Hidden,
    /// A pipe, a socket or a device.
    #[error("not a regular file")]
    NotAFile,
    /// A link that leads back to a folder above it.
    #[error("a link that leads in a circle; remove it")]
    Loop,
    /// The file could not be opened or read. It may still exist, so its document is not deleted for this.
    #[error("unreadable: {}", told(.0))]
    Unreadable(String),
    /// Needs a password.
    #[error("encrypted; save it without a password")]
    Encrypted,
    /// Pages of pictures only.
    #[error(
        "no text in it, a scan perhaps; run text recognition (OCR) on it first, or set `indexer.ocr`, for \
             which `tesseract` and `pdftoppm` have to be on the PATH"
    )]
    NoText,
    /// Does not follow its own format, or its reader failed on it.
    #[error("damaged: {}; open it in its program and save it again", told(.0))]
    Broken(String),
    /// Small on disk and huge when unpacked.
    #[error("would unpack to more than {} MiB; save it again, with less in it", .0 / (1024 * 1024))]
    Inflates(u64),
    /// Its reader took more time or memory than it may, and says how much that is.
    #[error("not read within its limits: {}; split it, or raise the limit", told(.0))]
    OverLimits(String),
    /// A program outside that its reader calls does not work where it is read, which says nothing of the file.
    #[error("a program that reads it does not work here: {}", told(.0))]
    Program(String),
    /// A line of JSONL that is no document.
    #[error("no JSON object with a text: {}", told(.0))]
    BadLine(String),
    /// The file contains several documents, where the bytes of a single one were expected.
    #[error("one file of several documents; publish each of them, as `argosy index` does")]
    Several,
    /// In a file of files, and not read for what it is there.
    #[error("left out of the file that it is in: {}", told(.0))]
    Entry(String),
    /// JSON that should be a parsed document is not one.
    #[error("not a document as `Argosy-Form: document` wants it: {}", told(.0))]
    BadForm(String),
    /// Read, but not all of it.
    #[error("read in part: {}", told(.0))]
    Partial(String),
}

/// Characters of what a sentence tells of a file: names in it are as long as whoever made it wanted.
const TOLD_CHARS_MAX: usize = 1_000;

fn told(why: &str) -> String {
    text::shortened(why, TOLD_CHARS_MAX)
}

impl SkipReason {
    /// The word for logs and metric labels.
    pub const fn as_str(&self) -> &'static str {
        match self {
            SkipReason::TooLarge(_) => "too_large",
            SkipReason::Binary => "binary",
            SkipReason::Empty => "empty",
            SkipReason::UnknownExtension(_) => "unknown_extension",
            SkipReason::Hidden => "hidden",
            SkipReason::NotAFile => "not_a_file",
            SkipReason::Loop => "loop",
            SkipReason::Unreadable(_) => "unreadable",
            SkipReason::Encrypted => "encrypted",
            SkipReason::NoText => "no_text",
            SkipReason::Broken(_) => "broken",
            SkipReason::Inflates(_) => "inflates",
            SkipReason::OverLimits(_) => "over_limits",
            SkipReason::Program(_) => "program_failed",
            SkipReason::BadLine(_) => "bad_line",
            SkipReason::Several => "several_documents",
            SkipReason::Entry(_) => "entry",
            SkipReason::BadForm(_) => "bad_form",
            SkipReason::Partial(_) => "partial",
        }
    }

    /// Whether what was read of the file before may still be in it: then it stays indexed. A copy that is under way, a
    /// disk that fails, a machine that is busy and a program that is not installed here look like this as well.
    pub(crate) fn hides(&self) -> bool {
        use SkipReason as S;
        match self {
            S::Unreadable(_) | S::Program(_) | S::Broken(_) | S::OverLimits(_) => true,
            S::Inflates(_) | S::TooLarge(_) | S::Encrypted => true,
            S::UnknownExtension(ext) => Format::of(ext).is_some(),
            _ => false,
        }
    }

    /// What is told of two parts that were left out.
    pub(super) fn both(one: Option<SkipReason>, other: Option<SkipReason>) -> Option<SkipReason> {
        match (one, other) {
            (Some(SkipReason::Partial(one)), Some(SkipReason::Partial(other))) => {
                Some(SkipReason::Partial(format!("{one}; {other}")))
            }
            (one, other) => one.or(other),
        }
    }

    /// Of a file that is not of the format that its name says. Word puts what has a password, and
    /// what is older than DOCX, into another container.
    pub(super) fn no_such(bytes: &[u8]) -> SkipReason {
        match bytes.starts_with(&[0xd0, 0xcf, 0x11, 0xe0]) {
            true => SkipReason::Encrypted,
            false => SkipReason::Broken("not of the format that its name says".into()),
        }
    }
}

/// What is said of an extension that is not known, and what helps.
fn unknown(ext: &str) -> String {
    let helps = match ext {
        "" => return ": it has none; give it that of its format".to_owned(),
        "doc" | "dot" => {
            "install LibreOffice where it is read (`soffice` on the PATH), or save it as .docx"
        }
        "ppt" | "pps" | "pot" => {
            "install LibreOffice where it is read (`soffice` on the PATH), or save it as .pptx"
        }
        "bmp" | "gif" | "jpeg" | "jpg" | "png" | "tif" | "tiff" | "webp" => {
            "a picture is read where `indexer.ocr` is set and `tesseract` on the PATH"
        }
        _ => "convert it to text, HTML, PDF or an office format",
    };
    format!(" `{ext}`; {helps}")
}
