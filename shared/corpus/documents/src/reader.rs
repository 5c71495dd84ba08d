//! Reads a file into its [`Document`]s, or into the reason why there is none.
//!
//! Each format has one function, which is chosen by the extension, or by the first bytes of the file where they show
//! that the extension is wrong. Every refusal is a [`SkipReason`]: nothing is left out silently, and one bad file
//! never stops a run. Most files are one document; JSONL, and a large CSV, are several. The code blocks; call it
//! where blocking is allowed.

mod docx;
mod front_matter;
mod html;
mod jsonl;
mod pdf;
mod skip;
mod table;
mod text;

use crate::document::{Document, NumberedLine, bucket_of, doc_id_of, sha256_hex};
use crate::normalise::normalise;
use envelope::TenantId;
use envelope::document::DocumentForm;
use envelope::limits::DOCUMENT_BYTES_MAX;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;

pub use pdf::PDF_PAGES_MAX;
pub use skip::{Skip, SkipReason};

/// Largest file of text, Markdown or HTML that is read, in bytes; of CSV, where it is one document. A
/// CSV or JSONL on disk is read in parts and has no limit.
pub const FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// The same for PDF and DOCX, most of which is pictures and fonts.
const CONTAINER_BYTES_MAX: u64 = DOCUMENT_BYTES_MAX;
/// Most text of one document, in bytes: what a PDF or DOCX may unpack to.
pub const TEXT_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Longest title, in characters.
pub(crate) const TITLE_CHARS_MAX: usize = 160;
/// Where the signature of a PDF may begin, at the latest.
const PDF_MARK_WITHIN: usize = 1024;

/// The documents of one file, each read when it is asked for.
pub type Documents = Box<dyn Iterator<Item = Result<Document, Skip>> + Send>;

/// What a format reader makes of a document.
#[derive(Debug, Default, PartialEq)]
struct Parsed {
    title: Option<String>,
    metadata: BTreeMap<String, Value>,
    lines: Vec<NumberedLine>,
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

    /// Of a file name, with its extension.
    fn of_source(source: &str) -> Result<(Format, String), SkipReason> {
        let ext = Path::new(source)
            .extension()
            .map(|e| e.to_string_lossy().to_lowercase())
            .unwrap_or_default();
        match Format::of(&ext) {
            Some(format) => Ok((format, ext)),
            None => Err(SkipReason::UnknownExtension(ext)),
        }
    }

    /// Largest file that is one document, in bytes.
    fn bytes_max(self) -> Result<u64, SkipReason> {
        match self {
            Format::Pdf | Format::Docx => Ok(CONTAINER_BYTES_MAX),
            Format::Text | Format::Markdown | Format::Html | Format::Table => Ok(FILE_BYTES_MAX),
            Format::Jsonl => Err(SkipReason::Several),
        }
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
    fn named(source: &str, tenant: &TenantId) -> Result<File, SkipReason> {
        let (format, ext) = Format::of_source(source)?;
        Ok(File {
            source: source.to_owned(),
            ext,
            format,
            tenant: tenant.clone(),
        })
    }

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

    /// The document of a parsed file; the hash is that of the file, and is not set yet for a part of one.
    fn document(&self, parsed: Parsed, hash: Option<String>) -> Result<Document, SkipReason> {
        let lines = normalise(parsed.lines);
        if lines.iter().all(|line| line.text.trim().is_empty()) {
            return Err(SkipReason::Empty);
        }
        let heading = || self.format.has_headings().then(|| first_heading(&lines))?;
        let title = parsed
            .title
            .or_else(heading)
            .unwrap_or_else(|| file_stem(&self.source));
        let mut document = Document {
            tenant: self.tenant.clone(),
            bucket: bucket_of(&self.source),
            doc_id: doc_id_of(&self.tenant, &self.source),
            source: self.source.clone(),
            title: title.chars().take(TITLE_CHARS_MAX).collect(),
            ext: self.ext.clone(),
            metadata: parsed.metadata,
            hash: String::new(),
            lines,
        };
        document.hash = hash.unwrap_or_else(|| sha256_hex(&document.to_json()));
        Ok(document)
    }
}

/// Reads the file `path`, known as `source` inside the corpus. A file of several documents gives
/// them as `source#name`; what is left out of it comes as a [`Skip`] among them.
pub fn read_documents(path: &Path, source: &str, tenant: &TenantId) -> Documents {
    let opened = File::named(source, tenant).and_then(|file| open(path, file));
    opened.unwrap_or_else(|reason| {
        let source = source.to_owned();
        Box::new(std::iter::once(Err(Skip { source, reason })))
    })
}

/// What a file is published as: itself, or each of the documents in it.
pub(crate) fn form_of(path: &Path, source: &str) -> Result<DocumentForm, SkipReason> {
    let format = Format::of_source(source)?.0;
    // Looked at before opening: opening a pipe would wait for its writer.
    let found = fs::metadata(path).map_err(unreadable)?;
    if !found.is_file() {
        return Err(SkipReason::NotAFile);
    }
    Ok(match format {
        Format::Jsonl => DocumentForm::Document,
        Format::Table if found.len() > table::PART_BYTES as u64 => DocumentForm::Document,
        _ => DocumentForm::File,
    })
}

/// The most bytes that a file of this name may have as one document.
///
/// # Errors
/// When files of this kind are not read, or are several documents.
pub fn bytes_max(source: &str) -> Result<u64, SkipReason> {
    Format::of_source(source)?.0.bytes_max()
}

/// The bytes of a file that is one document.
pub fn bytes_of(path: &Path, source: &str) -> Result<Vec<u8>, SkipReason> {
    let format = Format::of_source(source)?.0;
    form_of(path, source)?;
    let bytes_max = format.bytes_max()?;
    let mut bytes = Vec::new();
    fs::File::open(path)
        .map_err(unreadable)?
        .take(bytes_max + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    fits(&bytes, bytes_max)?;
    Ok(bytes)
}

/// Reads the bytes of a file that is one document, known as `source` inside the corpus. Also returns what was left
/// out of it.
pub fn read_bytes(
    bytes: &[u8],
    source: &str,
    tenant: &TenantId,
) -> Result<(Document, Option<SkipReason>), SkipReason> {
    let file = File::named(source, tenant)?;
    fits(bytes, file.format.bytes_max()?)?;
    whole(bytes, file)
}

fn unreadable(error: std::io::Error) -> SkipReason {
    SkipReason::Unreadable(error.to_string())
}

fn fits(bytes: &[u8], bytes_max: u64) -> Result<(), SkipReason> {
    match bytes.len() as u64 {
        0 => Err(SkipReason::Empty),
        n if n > bytes_max => Err(SkipReason::TooLarge(bytes_max)),
        _ => Ok(()),
    }
}

fn open(path: &Path, file: File) -> Result<Documents, SkipReason> {
    match (form_of(path, &file.source)?, file.format) {
        (DocumentForm::Document, Format::Jsonl) => Ok(Box::new(jsonl::Records::open(path, file)?)),
        (DocumentForm::Document, _) => Ok(Box::new(table::Parts::open(path, file)?)),
        (DocumentForm::File, _) => {
            let (document, left_out) = whole(&bytes_of(path, &file.source)?, file.clone())?;
            let left_out = left_out.map(|reason| Err(file.skip(reason)));
            Ok(Box::new(std::iter::once(Ok(document)).chain(left_out)))
        }
    }
}

/// A file that is one document: that, and what was left out of it.
fn whole(bytes: &[u8], mut file: File) -> Result<(Document, Option<SkipReason>), SkipReason> {
    file.format = file.format.seen(bytes);
    let (parsed, left_out) = match file.format {
        Format::Pdf => pdf::parse(bytes)?,
        Format::Docx => (docx::parse(bytes)?, None),
        Format::Html => {
            let page = html::parse(&text::decode(bytes)?);
            (page.ok_or(SkipReason::Empty)?, None)
        }
        Format::Table => (table::parse(bytes, &file.ext)?, None),
        _ if file.ext == "pdf" || file.ext == "docx" => return Err(SkipReason::no_such(bytes)),
        _ => (text::plain(&text::decode(bytes)?), None),
    };
    let document = file.document(parsed, Some(sha256_hex(bytes)))?;
    Ok((document, left_out))
}

/// The title in the metadata, which is then the document's and no field of its own.
fn take_title(metadata: &mut BTreeMap<String, Value>) -> Option<String> {
    match metadata.remove("title")? {
        Value::String(title) => Some(title),
        other => Some(other.to_string()),
    }
    .filter(|title| !title.trim().is_empty())
}

fn first_heading(lines: &[NumberedLine]) -> Option<String> {
    let heading = lines
        .iter()
        .find_map(|line| crate::chunk::heading(&line.text))?;
    Some(heading.1.to_owned())
}

/// What a document without any title is called.
pub(crate) fn file_stem(source: &str) -> String {
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
