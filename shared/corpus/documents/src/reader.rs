//! Reads a file into its [`Document`]s, or into the reason why there is none.
//!
//! Each format has one function, which is chosen by the extension, or by the first bytes of the file where they show
//! that the extension is wrong. Every refusal is a [`SkipReason`]: nothing is left out silently, and one bad file
//! never stops a run. Most files are one document; JSONL, a large CSV, and what has files in it are several. The code
//! blocks; call it where blocking is allowed.

pub mod apart;
mod archive;
mod asciidoc;
mod docx;
mod epub;
mod format;
mod front_matter;
mod hocr;
mod html;
mod jsonl;
mod lines;
mod mail;
mod marks;
mod notebook;
mod numerals;
mod odf;
pub mod outside;
mod package;
mod pdf;
mod pptx;
mod rst;
mod rtf;
mod sheet;
mod skip;
mod table;
mod tex;
mod text;
mod tree;
mod xml;

use crate::document::{Document, NumberedLine, bucket_of, doc_id_of, sha256_hex};
use crate::normalise::normalise;
use ::text::count;
use envelope::TenantId;
use envelope::document::DocumentForm;
use envelope::limits::DOCUMENT_BYTES_MAX;
use format::Format;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;

pub use jsonl::{RecordFields, read_records_with};
pub use pdf::PDF_PAGES_MAX;
pub use skip::{Skip, SkipReason};

/// Largest file of text or markup that is read, in bytes; of CSV, where it is one document. A CSV or JSONL on disk is
/// read in parts and has no limit.
pub const FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// The same for PDF, office documents, books and mail, most of which is pictures, fonts and attachments.
const CONTAINER_BYTES_MAX: u64 = DOCUMENT_BYTES_MAX;
/// Most text of one document, in bytes, whatever it is unpacked from.
pub const TEXT_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Longest title, in characters.
pub(crate) const TITLE_CHARS_MAX: usize = 160;

/// The documents of one file, each read when it is asked for.
pub type Documents = Box<dyn Iterator<Item = Result<Document, Skip>> + Send>;

/// What a format reader makes of a document.
#[derive(Debug, Default, PartialEq)]
struct Parsed {
    title: Option<String>,
    metadata: BTreeMap<String, Value>,
    lines: Vec<NumberedLine>,
    /// How people name pages that they do not call by their number.
    page_names: BTreeMap<u32, String>,
    /// Pages that are pictures without a text.
    scans: Vec<u32>,
    /// What of the file is not in it.
    left_out: Option<SkipReason>,
}

/// Title and fields that a file says of itself.
type Properties = (Option<String>, Vec<(&'static str, Value)>);

/// How files are read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadOptions {
    /// Also what people do not see: text of a page that is hidden, or has the colour of its background.
    pub hidden: bool,
}

static OPTIONS: OnceLock<ReadOptions> = OnceLock::new();

/// Has files read in this way from now on. Only the first call counts.
pub fn read_with(options: ReadOptions) {
    let _ = OPTIONS.set(options);
}

/// A file, or the part of one, that a document is made from.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct File {
    source: String,
    ext: String,
    format: Format,
    tenant: TenantId,
    /// Where in `source` its own name begins: before it are those of the files that it is in.
    named_at: usize,
    options: ReadOptions,
}

impl File {
    fn named(source: &str, tenant: &TenantId) -> Result<File, SkipReason> {
        let (format, ext) = Format::of_source(source)?;
        Ok(File {
            source: source.to_owned(),
            ext,
            format,
            tenant: tenant.clone(),
            named_at: 0,
            options: OPTIONS.get().copied().unwrap_or_default(),
        })
    }

    /// A part of this file, by the name that it has in there.
    fn part(&self, name: &str) -> File {
        File {
            source: format!("{}#{name}", self.source),
            ..self.clone()
        }
    }

    /// A file in this file, by the name that it has in there.
    fn entry(&self, name: &str) -> Result<File, SkipReason> {
        let (format, ext) = Format::of_source(name)?;
        if format.is_outside() {
            return Err(SkipReason::UnknownExtension(ext));
        }
        Ok(File {
            ext,
            format,
            named_at: self.source.len() + 1,
            ..self.part(name)
        })
    }

    fn skip(&self, reason: SkipReason) -> Skip {
        let source = self.source.clone();
        Skip { source, reason }
    }

    /// The document of a parsed file; the hash is that of the file, and is not set yet for a part of one.
    fn document(&self, parsed: Parsed, hash: Option<String>) -> Result<Document, SkipReason> {
        let lines = normalise(parsed.lines, self.format.may_be_scanned());
        if lines.iter().all(|line| line.text.trim().is_empty()) {
            return Err(SkipReason::Empty);
        }
        let heading = || self.format.has_headings().then(|| first_heading(&lines))?;
        let title = parsed
            .title
            .or_else(heading)
            .unwrap_or_else(|| file_stem(self.source.get(self.named_at..).unwrap_or_default()));
        let mut document = Document {
            tenant: self.tenant.clone(),
            bucket: bucket_of(&self.source),
            doc_id: doc_id_of(&self.tenant, &self.source),
            source: self.source.clone(),
            title: title.chars().take(TITLE_CHARS_MAX).collect(),
            ext: self.ext.clone(),
            metadata: parsed.metadata,
            hash: String::new(),
            page_names: parsed.page_names,
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
        _ if format.is_several() || format.has_attachments() => DocumentForm::Document,
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
    archive::bytes_of(
        fs::File::open(path).map_err(unreadable)?,
        format.bytes_max()?,
    )
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
    apart::whole(bytes, file)
}

/// How a file is read, where people may have expected something else.
pub fn note(path: &Path, source: &str) -> Option<String> {
    let is_table = Format::of_source(source).is_ok_and(|(_, ext)| ext == "csv");
    table::note(Box::new(fs::File::open(path).ok().filter(|_| is_table)?))
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
    form_of(path, &file.source)?;
    archive::documents(Box::new(fs::File::open(path).map_err(unreadable)?), file)
}

/// A file that is one document: that, without its hash, and what was left out of it.
fn whole_here(bytes: &[u8], mut file: File) -> Result<(Document, Option<SkipReason>), SkipReason> {
    file.format = file.format.seen(bytes);
    let (mut bytes, mut complaint) = (Cow::Borrowed(bytes), None);
    if matches!(file.format, Format::Picture | Format::OldOffice) {
        let (format, turned) = outside::turned(&bytes, file.format, &file.ext)?;
        (file.format, bytes, complaint) = (format, turned.0.into(), turned.1);
    }
    let bytes = &bytes;
    let mut parsed = match file.format {
        Format::Scan => outside::scan(bytes, file.options)?,
        Format::Hocr => hocr::parse(bytes)?,
        Format::Alto => hocr::alto(bytes)?,
        Format::Pdf => pdf::parse(bytes, file.options)?,
        Format::Docx if file.ext.starts_with("pp") => pptx::parse(bytes)?,
        Format::Docx => docx::parse(bytes)?,
        Format::Pptx => pptx::parse(bytes)?,
        Format::Odf => odf::parse(bytes)?,
        Format::Sheet => sheet::parse(bytes)?,
        Format::Rtf => rtf::parse(bytes)?,
        Format::Rst => rst::parse(bytes)?,
        Format::Xml => tree::parse(bytes)?,
        Format::Epub => epub::parse(bytes, file.options)?,
        Format::Mail | Format::Msg | Format::Mhtml => mail::parse(bytes, &file)?,
        Format::AsciiDoc => asciidoc::parse(bytes)?,
        Format::Tex => tex::parse(bytes)?,
        Format::Notebook => notebook::parse(bytes)?,
        Format::Html => {
            html::parse(&text::decode(bytes)?, file.options).ok_or(SkipReason::Empty)?
        }
        Format::Table => table::parse(bytes, &file.ext)?,
        _ if file.ext == "pdf" || file.ext == "docx" => return Err(SkipReason::no_such(bytes)),
        _ => text::plain(&text::decode(bytes)?),
    };
    if parsed.lines.is_empty() && !parsed.scans.is_empty() {
        return Err(SkipReason::NoText);
    }
    let pictures = count(parsed.scans.len() as u64, "page");
    let left_out = match parsed.scans.is_empty() {
        false if outside::reads(Format::Scan) => Some(SkipReason::NoText),
        false => {
            let told = format!("pictures without a text: {pictures}; `indexer.ocr` has them read");
            SkipReason::both(parsed.left_out.take(), Some(SkipReason::Partial(told)))
        }
        true => SkipReason::both(parsed.left_out.take(), complaint),
    };
    let document = file.document(parsed, Some(String::new()))?;
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
