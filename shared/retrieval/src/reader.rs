//! A file to a [`Document`], or to the reason why it is none.
//!
//! Reads txt, md and html. Every refusal is a [`SkipReason`]: nothing is left out in silence, and
//! one bad file never stops a run. Blocking; call it where blocking is allowed.

mod front_matter;
mod html;

use crate::document::{Document, Line, bucket_of, doc_id_of, sha256_hex};
use crate::normalise::normalise;
use envelope::TenantId;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Largest file that is read, in bytes.
pub const FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Longest title, in characters.
const TITLE_CHARS_MAX: usize = 160;
/// Of a text, at most one character in this many may be unreadable; beyond it the file is binary.
const UNREADABLE_ONE_IN: usize = 20;

/// A file that was not read, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skip {
    /// Path relative to the corpus root, with `/`; empty for the root itself.
    pub source: String,
    /// Why.
    pub reason: SkipReason,
}

/// Why a file was not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SkipReason {
    /// Over [`FILE_BYTES_MAX`].
    #[error("larger than {FILE_BYTES_MAX} bytes")]
    TooLarge,
    /// NUL bytes, or mostly invalid UTF-8.
    #[error("binary, not text")]
    Binary,
    /// No text in it.
    #[error("empty")]
    Empty,
    /// A format that no reader knows.
    #[error("unknown extension `{0}`")]
    UnknownExtension(String),
    /// A name that begins with a dot; of a folder only the folder is named.
    #[error("hidden")]
    Hidden,
    /// A pipe, a socket or a device.
    #[error("not a regular file")]
    NotAFile,
    /// A link that leads back to a folder above it.
    #[error("a link that leads in a circle")]
    Loop,
    /// Could not be opened or read. It may be there all the same: never a reason to delete it.
    #[error("unreadable: {0}")]
    Unreadable(String),
}

impl SkipReason {
    /// The word for logs and metric labels.
    pub const fn as_str(&self) -> &'static str {
        match self {
            SkipReason::TooLarge => "too_large",
            SkipReason::Binary => "binary",
            SkipReason::Empty => "empty",
            SkipReason::UnknownExtension(_) => "unknown_extension",
            SkipReason::Hidden => "hidden",
            SkipReason::NotAFile => "not_a_file",
            SkipReason::Loop => "loop",
            SkipReason::Unreadable(_) => "unreadable",
        }
    }
}

/// What a format reader makes of a file.
#[derive(Debug, Default, PartialEq)]
struct Parsed {
    title: Option<String>,
    metadata: BTreeMap<String, Value>,
    lines: Vec<Line>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Text,
    Markdown,
    Html,
}

impl Format {
    fn of(ext: &str) -> Option<Format> {
        Some(match ext {
            "txt" | "text" => Format::Text,
            "md" | "markdown" => Format::Markdown,
            "html" | "htm" => Format::Html,
            _ => return None,
        })
    }
}

/// Reads the file `path`, known as `source` inside the corpus.
pub fn read_document(path: &Path, source: &str, tenant: &TenantId) -> Result<Document, SkipReason> {
    read_bytes(&bytes_of(path, source)?, source, tenant)
}

/// The bytes of a file that a reader may know what to do with.
pub fn bytes_of(path: &Path, source: &str) -> Result<Vec<u8>, SkipReason> {
    format_of(source)?;
    read_bounded(path)
}

/// Reads the bytes of a file that is known as `source` inside the corpus.
pub fn read_bytes(bytes: &[u8], source: &str, tenant: &TenantId) -> Result<Document, SkipReason> {
    let (format, ext) = format_of(source)?;
    if bytes.is_empty() {
        return Err(SkipReason::Empty);
    }
    document(bytes, format, ext, source, tenant)
}

fn format_of(source: &str) -> Result<(Format, String), SkipReason> {
    let ext = Path::new(source)
        .extension()
        .map(|e| e.to_string_lossy().to_lowercase())
        .unwrap_or_default();
    match Format::of(&ext) {
        Some(format) => Ok((format, ext)),
        None => Err(SkipReason::UnknownExtension(ext)),
    }
}

fn read_bounded(path: &Path) -> Result<Vec<u8>, SkipReason> {
    let unreadable = |error: std::io::Error| SkipReason::Unreadable(error.to_string());
    // Checked before opening: opening a pipe would wait for its writer.
    if !std::fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(SkipReason::NotAFile);
    }
    let mut bytes = Vec::new();
    File::open(path)
        .map_err(unreadable)?
        .take(FILE_BYTES_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    match bytes.len() as u64 {
        0 => Err(SkipReason::Empty),
        n if n > FILE_BYTES_MAX => Err(SkipReason::TooLarge),
        _ => Ok(bytes),
    }
}

fn document(
    bytes: &[u8],
    format: Format,
    ext: String,
    source: &str,
    tenant: &TenantId,
) -> Result<Document, SkipReason> {
    let text = decode(bytes)?;
    let parsed = match format {
        Format::Html => html::parse(&text).ok_or(SkipReason::Empty)?,
        Format::Text | Format::Markdown => plain(&text),
    };
    let lines = normalise(parsed.lines);
    if lines.iter().all(|line| line.text.trim().is_empty()) {
        return Err(SkipReason::Empty);
    }
    let heading = || match format {
        Format::Text => None,
        Format::Markdown | Format::Html => first_heading(&lines),
    };
    let title = parsed
        .title
        .or_else(heading)
        .unwrap_or_else(|| file_stem(source));
    Ok(Document {
        tenant: tenant.clone(),
        bucket: bucket_of(source),
        doc_id: doc_id_of(tenant, source),
        source: source.to_owned(),
        title: title.chars().take(TITLE_CHARS_MAX).collect(),
        ext,
        metadata: parsed.metadata,
        hash: sha256_hex(bytes),
        lines,
    })
}

/// UTF-8, with or without a byte order mark; a few broken characters become U+FFFD.
fn decode(bytes: &[u8]) -> Result<String, SkipReason> {
    if bytes.contains(&0) {
        return Err(SkipReason::Binary);
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = String::from_utf8_lossy(bytes);
    let broken = text.chars().filter(|&c| c == '\u{fffd}').count();
    if broken * UNREADABLE_ONE_IN > text.chars().count() {
        return Err(SkipReason::Binary);
    }
    Ok(text.into_owned())
}

/// Text and Markdown: lines as they stand, below the front matter.
fn plain(text: &str) -> Parsed {
    let (front, skipped, body) = front_matter::split(text);
    let mut metadata = front_matter::parse(front);
    let title = take_title(&mut metadata);
    Parsed {
        title,
        metadata,
        lines: numbered(body, skipped),
    }
}

/// The title in the metadata, which is then the document's and no field of its own.
fn take_title(metadata: &mut BTreeMap<String, Value>) -> Option<String> {
    match metadata.remove("title")? {
        Value::String(title) => Some(title),
        other => Some(other.to_string()),
    }
    .filter(|title| !title.trim().is_empty())
}

/// Lines with numbers that start behind `skipped` lines; form feeds count pages.
fn numbered(body: &str, skipped: u32) -> Vec<Line> {
    let mut page = body.contains('\u{c}').then_some(1);
    let mut lines = Vec::new();
    for (number, line) in (skipped + 1..).zip(body.lines()) {
        for (i, part) in line.split('\u{c}').enumerate() {
            if i > 0 {
                page = page.map(|p| p + 1);
            }
            if i == 0 || !part.is_empty() {
                lines.push(Line {
                    number,
                    page,
                    text: part.to_owned(),
                });
            }
        }
    }
    lines
}

fn first_heading(lines: &[Line]) -> Option<String> {
    let heading = lines
        .iter()
        .find_map(|line| crate::chunk::heading(&line.text))?;
    Some(heading.1.to_owned())
}

fn file_stem(source: &str) -> String {
    let name = source.rsplit('/').next().unwrap_or(source);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    stem.replace(['_', '-'], " ")
}

#[cfg(test)]
#[path = "reader/tests.rs"]
mod tests;
