//! The reasons why a file, or a part of one, was not read: a code for programs and a sentence for people.
//!
//! Each sentence says what the user can do about it, if there is something to do.

/// A file that was not read, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skip {
    /// Path relative to the corpus root, with `/`; empty for the root itself. Of a part of a file:
    /// `file.jsonl#<line>`.
    pub source: String,
    /// Why.
    pub reason: SkipReason,
}

/// Why a file was not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
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
    #[error("unknown extension `{0}`; convert it to .md, .txt, .html, .pdf, .docx, .csv or .jsonl")]
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
    #[error("unreadable: {0}")]
    Unreadable(String),
    /// Needs a password.
    #[error("encrypted; save it without a password")]
    Encrypted,
    /// Pages of pictures only.
    #[error("no text in it, a scan perhaps; run text recognition (OCR) on it first")]
    NoText,
    /// Does not follow its own format, or its reader failed on it.
    #[error("damaged: {0}; open it in its program and save it again")]
    Broken(String),
    /// Small on disk and huge when unpacked.
    #[error("would unpack to more than {} MiB; save it again, with less in it", .0 / (1024 * 1024))]
    Inflates(u64),
    /// A line of JSONL that is no document.
    #[error("no JSON object with a `text`: {0}; correct that line")]
    BadLine(String),
    /// The file contains several documents, where the bytes of a single one were expected.
    #[error("one file of several documents; publish each of them, as `argosy index` does")]
    Several,
    /// JSON that should be a parsed document is not one.
    #[error("not a document as `Argosy-Form: document` wants it: {0}")]
    BadForm(String),
    /// Read, but not all of it.
    #[error("read in part: {0}")]
    Partial(String),
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
            SkipReason::BadLine(_) => "bad_line",
            SkipReason::Several => "several_documents",
            SkipReason::BadForm(_) => "bad_form",
            SkipReason::Partial(_) => "partial",
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
