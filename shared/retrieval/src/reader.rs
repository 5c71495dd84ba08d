//! A file to its [`Document`]s, or to the reason why there is none.
//!
//! One function per format behind one dispatch by extension, corrected by the first bytes where the
//! extension lies. Every refusal is a [`SkipReason`]: nothing is left out in silence, and one bad
//! file never stops a run. Most files are one document; JSONL, and a large CSV, are several. Blocking;
//! call it where blocking is allowed.

mod docx;
mod front_matter;
mod html;
mod jsonl;
mod pdf;
mod skip;
mod table;
mod text;

use crate::document::{Document, Line, bucket_of, doc_id_of, sha256_hex};
use crate::normalise::normalise;
use envelope::TenantId;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;

pub use pdf::{PDF_CONTENT_BYTES_MAX, PDF_PAGES_MAX, PDF_STREAM_BYTES_MAX};
pub use skip::{Skip, SkipReason};

/// Largest file of text, Markdown or HTML that is read, in bytes. CSV and JSONL are read in parts
/// and have no limit.
pub const FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// The same for PDF and DOCX, most of which is pictures and fonts.
pub const CONTAINER_BYTES_MAX: u64 = 128 * 1024 * 1024;
/// Most text of one document, in bytes: what a PDF or DOCX may unpack to.
pub const TEXT_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Longest title, in characters.
const TITLE_CHARS_MAX: usize = 160;
/// Where the signature of a PDF may begin, at the latest.
const PDF_MARK_WITHIN: usize = 1024;

/// The documents of one file, each read when it is asked for.
pub type Documents = Box<dyn Iterator<Item = Result<Document, Skip>> + Send>;

/// What a format reader makes of a document.
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
    Pdf,
    Docx,
    Table,
    Jsonl,
}

impl Format {
    fn of(ext: &str) -> Option<Format> {
        Some(match ext {
            "txt" | "text" => Format::Text,
            "md" | "markdown" => Format::Markdown,
            "html" | "htm" => Format::Html,
            "pdf" => Format::Pdf,
            "docx" => Format::Docx,
            "csv" | "tsv" => Format::Table,
            "jsonl" | "ndjson" => Format::Jsonl,
            _ => return None,
        })
    }

    /// What the first bytes say, where they say anything.
    fn seen(self, bytes: &[u8]) -> Format {
        let head = &bytes[..bytes.len().min(PDF_MARK_WITHIN)];
        match self {
            Format::Table | Format::Jsonl => self,
            _ if bytes.starts_with(b"%PDF-") => Format::Pdf,
            _ if bytes.starts_with(b"PK\x03\x04") => Format::Docx,
            Format::Pdf if !head.windows(5).any(|w| w == b"%PDF-") => Format::Text,
            Format::Docx => Format::Text,
            other => other,
        }
    }

    fn has_headings(self) -> bool {
        !matches!(self, Format::Text | Format::Table)
    }
}

/// A file, or the part of one, that a document is made from.
#[derive(Debug, Clone)]
struct File {
    source: String,
    ext: String,
    format: Format,
    tenant: TenantId,
}

impl File {
    /// A part of this file, by the name that it has in there.
    fn part(&self, name: &str) -> File {
        File {
            source: format!("{}#{name}", self.source),
            ..self.clone()
        }
    }

    fn skip(&self, reason: SkipReason) -> Skip {
        let source = self.source.clone();
        Skip { source, reason }
    }

    fn document(&self, parsed: Parsed, hash: String) -> Result<Document, SkipReason> {
        let lines = normalise(parsed.lines);
        if lines.iter().all(|line| line.text.trim().is_empty()) {
            return Err(SkipReason::Empty);
        }
        let heading = || self.format.has_headings().then(|| first_heading(&lines))?;
        let title = parsed
            .title
            .or_else(heading)
            .unwrap_or_else(|| file_stem(&self.source));
        Ok(Document {
            tenant: self.tenant.clone(),
            bucket: bucket_of(&self.source),
            doc_id: doc_id_of(&self.tenant, &self.source),
            source: self.source.clone(),
            title: title.chars().take(TITLE_CHARS_MAX).collect(),
            ext: self.ext.clone(),
            metadata: parsed.metadata,
            hash,
            lines,
        })
    }
}

/// Reads the file `path`, known as `source` inside the corpus. A file of several documents gives
/// them as `source#name`; what is left out of it comes as a [`Skip`] among them.
pub fn read_documents(path: &Path, source: &str, tenant: &TenantId) -> Documents {
    let ext = Path::new(source)
        .extension()
        .map(|e| e.to_string_lossy().to_lowercase())
        .unwrap_or_default();
    let alone = |skip: Skip| -> Documents { Box::new(std::iter::once(Err(skip))) };
    let Some(format) = Format::of(&ext) else {
        let source = source.to_owned();
        let reason = SkipReason::UnknownExtension(ext);
        return alone(Skip { source, reason });
    };
    let file = File {
        source: source.to_owned(),
        ext,
        format,
        tenant: tenant.clone(),
    };
    match open(path, file.clone()) {
        Ok(documents) => documents,
        Err(reason) => alone(file.skip(reason)),
    }
}

fn open(path: &Path, file: File) -> Result<Documents, SkipReason> {
    let unreadable = |error: std::io::Error| SkipReason::Unreadable(error.to_string());
    // Checked before opening: opening a pipe would wait for its writer.
    if !fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(SkipReason::NotAFile);
    }
    Ok(match file.format {
        Format::Jsonl => Box::new(jsonl::Records::open(path, file)?),
        Format::Table => Box::new(table::Parts::open(path, file)?),
        Format::Pdf | Format::Docx => whole(&read_bounded(path, CONTAINER_BYTES_MAX)?, file),
        Format::Text | Format::Markdown | Format::Html => {
            whole(&read_bounded(path, FILE_BYTES_MAX)?, file)
        }
    })
}

fn read_bounded(path: &Path, bytes_max: u64) -> Result<Vec<u8>, SkipReason> {
    let unreadable = |error: std::io::Error| SkipReason::Unreadable(error.to_string());
    let mut bytes = Vec::new();
    fs::File::open(path)
        .map_err(unreadable)?
        .take(bytes_max + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    match bytes.len() as u64 {
        0 => Err(SkipReason::Empty),
        n if n > bytes_max => Err(SkipReason::TooLarge(bytes_max)),
        _ => Ok(bytes),
    }
}

/// A file that is one document: that, or why not; and what was left out of it.
fn whole(bytes: &[u8], mut file: File) -> Documents {
    file.format = file.format.seen(bytes);
    let (parsed, left_out) = match file.format {
        Format::Pdf => match pdf::parse(bytes) {
            Ok((parsed, left_out)) => (Ok(parsed), left_out),
            Err(reason) => (Err(reason), None),
        },
        Format::Docx => (docx::parse(bytes), None),
        Format::Html => {
            let page = text::decode(bytes);
            (
                page.and_then(|page| html::parse(&page).ok_or(SkipReason::Empty)),
                None,
            )
        }
        _ if file.ext == "pdf" || file.ext == "docx" => (Err(SkipReason::no_such(bytes)), None),
        _ => (text::decode(bytes).map(|text| text::plain(&text)), None),
    };
    let document = parsed.and_then(|parsed| file.document(parsed, sha256_hex(bytes)));
    let first = document.map_err(|reason| file.skip(reason));
    let rest = left_out.map(|reason| Err(file.skip(reason)));
    Box::new(std::iter::once(first).chain(rest))
}

/// The title in the metadata, which is then the document's and no field of its own.
fn take_title(metadata: &mut BTreeMap<String, Value>) -> Option<String> {
    match metadata.remove("title")? {
        Value::String(title) => Some(title),
        other => Some(other.to_string()),
    }
    .filter(|title| !title.trim().is_empty())
}

fn first_heading(lines: &[Line]) -> Option<String> {
    let heading = lines
        .iter()
        .find_map(|line| crate::chunk::heading(&line.text))?;
    Some(heading.1.to_owned())
}

fn file_stem(source: &str) -> String {
    let name = source.rsplit('/').next().unwrap_or(source);
    let (name, part) = name.split_once('#').unwrap_or((name, ""));
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    format!("{} {part}", stem.replace(['_', '-'], " "))
        .trim_end()
        .to_owned()
}

#[cfg(test)]
#[path = "reader/tests.rs"]
mod tests;
