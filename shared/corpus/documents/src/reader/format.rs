//! The formats that are read: their extensions, their first bytes, and how large a file of each may be.

use super::text::decode;
use super::{CONTAINER_BYTES_MAX, FILE_BYTES_MAX, SkipReason, outside};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Where the signature of a PDF may begin, at the latest.
const PDF_MARK_WITHIN: usize = 1024;

/// Where the outermost element of ALTO begins, at the latest.
const ALTO_WITHIN: usize = 64 * 1024;

/// How a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Format {
    Text,
    Markdown,
    Html,
    Pdf,
    Docx,
    Pptx,
    Odf,
    Sheet,
    Rtf,
    Xml,
    Rst,
    AsciiDoc,
    Tex,
    Epub,
    /// A message, with its attachments.
    Mail,
    /// The same, from Outlook.
    Msg,
    /// A page that a browser saved.
    Mhtml,
    /// Messages, one below the other.
    Mbox,
    Zip,
    /// CSV and TSV: several documents where the file is large.
    Table,
    Notebook,
    /// A document a line, or in an array.
    Jsonl,
    /// What text recognition writes.
    Hocr,
    /// The same, as libraries keep it.
    Alto,
    /// A picture of text.
    Picture,
    /// A PDF with pages that are pictures of text.
    Scan,
    /// What office programs wrote before DOCX and PPTX.
    OldOffice,
}

impl Format {
    /// Of an extension, whether or not it is read here.
    pub(super) fn of(ext: &str) -> Option<Format> {
        Some(match ext {
            "txt" | "text" => Format::Text,
            "md" | "markdown" => Format::Markdown,
            "html" | "htm" => Format::Html,
            "pdf" => Format::Pdf,
            "docx" | "docm" | "dotx" => Format::Docx,
            "pptx" | "pptm" | "ppsx" | "potx" => Format::Pptx,
            "odt" | "ott" | "odp" | "otp" | "fodt" | "fodp" => Format::Odf,
            "xlsx" | "xlsm" | "xltx" | "xltm" | "xlsb" | "xls" | "xlt" | "ods" | "ots" | "fods" => {
                Format::Sheet
            }
            "rtf" => Format::Rtf,
            "xml" | "nxml" | "dbk" => Format::Xml,
            "rst" => Format::Rst,
            "adoc" | "asciidoc" => Format::AsciiDoc,
            "tex" => Format::Tex,
            "epub" => Format::Epub,
            "eml" => Format::Mail,
            "msg" => Format::Msg,
            "mht" | "mhtml" => Format::Mhtml,
            "mbox" => Format::Mbox,
            "zip" => Format::Zip,
            "csv" | "tsv" => Format::Table,
            "jsonl" | "ndjson" | "json" => Format::Jsonl,
            "ipynb" => Format::Notebook,
            "hocr" => Format::Hocr,
            "bmp" | "gif" | "jpeg" | "jpg" | "png" | "tif" | "tiff" | "webp" => Format::Picture,
            "doc" | "dot" | "ppt" | "pps" | "pot" => Format::OldOffice,
            _ => return None,
        })
    }

    /// Of a file name, with its extension.
    pub(super) fn of_source(source: &str) -> Result<(Format, String), SkipReason> {
        let ext = Path::new(source)
            .extension()
            .map(|e| e.to_string_lossy().to_lowercase())
            .unwrap_or_default();
        match Format::of(&ext).filter(|format| outside::reads(*format)) {
            Some(format) => Ok((format, ext)),
            None => Err(SkipReason::UnknownExtension(ext)),
        }
    }

    /// Whether its reader does nothing that a line of text could make long or large.
    pub(super) fn is_plain(self) -> bool {
        matches!(
            self,
            Format::Text | Format::Markdown | Format::Table | Format::Jsonl
        )
    }

    /// Whether each file of it is several documents, however small it is.
    pub(super) fn is_several(self) -> bool {
        matches!(self, Format::Jsonl | Format::Mbox | Format::Zip)
    }

    /// Whether files may be in it that are documents of their own.
    pub(super) fn has_attachments(self) -> bool {
        matches!(self, Format::Mail | Format::Msg)
    }

    /// Whether its name is believed, whatever the first bytes are.
    fn is_certain(self) -> bool {
        matches!(
            self,
            Format::Mail | Format::Msg | Format::Mhtml | Format::Mbox | Format::Zip | Format::Epub
        ) || self.is_outside() && self != Format::OldOffice
    }

    /// Whether a program outside of this one has to turn it into another format first.
    pub(super) fn is_outside(self) -> bool {
        matches!(self, Format::Picture | Format::Scan | Format::OldOffice)
    }

    /// Largest file that is one document, in bytes.
    pub(super) fn bytes_max(self) -> Result<u64, SkipReason> {
        match self {
            _ if self.is_several() => Err(SkipReason::Several),
            Format::Pdf
            | Format::Docx
            | Format::Pptx
            | Format::Odf
            | Format::Sheet
            | Format::Rtf
            | Format::Epub
            | Format::Mail
            | Format::Msg
            | Format::Mhtml
            | Format::Hocr
            | Format::Picture
            | Format::Scan
            | Format::OldOffice => Ok(CONTAINER_BYTES_MAX),
            _ => Ok(FILE_BYTES_MAX),
        }
    }

    /// What the first bytes say, where they say anything.
    pub(super) fn seen(self, bytes: &[u8]) -> Format {
        let head = &bytes[..bytes.len().min(PDF_MARK_WITHIN)];
        match self {
            Format::Table | Format::Jsonl => self,
            _ if self.is_certain() => self,
            _ if bytes.starts_with(b"%PDF-") => Format::Pdf,
            // Programs give this name to their tables in HTML, and to rows with tabs.
            Format::Sheet if head.trim_ascii_start().starts_with(b"<") && !is_flat(head) => {
                Format::Html
            }
            Format::Sheet if is_rows(head) => Format::Table,
            Format::Odf | Format::Pptx | Format::Sheet => self,
            Format::Xml if is_alto(bytes) => Format::Alto,
            Format::OldOffice if without_mark(head).trim_ascii_start().starts_with(b"<") => {
                Format::Html
            }
            _ if bytes.starts_with(b"{\\rtf") => Format::Rtf,
            _ if bytes.starts_with(b"PK\x03\x04") => Format::Docx,
            Format::Pdf if !head.windows(5).any(|w| w == b"%PDF-") => Format::Text,
            Format::Docx => Format::Text,
            other => other,
        }
    }

    /// Whether text recognition may have made its text: programs that have read a scan write text and PDF; the others are what
    /// recognition writes.
    pub(super) fn may_be_scanned(self) -> bool {
        matches!(
            self,
            Format::Text | Format::Pdf | Format::Hocr | Format::Alto | Format::Scan
        )
    }

    /// Whether a heading in the text can be the title of the document.
    pub(super) fn has_headings(self) -> bool {
        !matches!(
            self,
            Format::Text
                | Format::Table
                | Format::Pptx
                | Format::Sheet
                | Format::Hocr
                | Format::Alto
        )
    }
}

/// Without the mark that says that a text is UTF-8.
fn without_mark(head: &[u8]) -> &[u8] {
    head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head)
}

/// Whether a file begins as an OpenDocument that is no archive.
fn is_flat(head: &[u8]) -> bool {
    head.windows(16).any(|window| window == b"<office:document")
}

/// Whether the outermost element is that of ALTO.
fn is_alto(bytes: &[u8]) -> bool {
    let text = decode(&bytes[..bytes.len().min(ALTO_WITHIN)]).unwrap_or_default();
    let mut rest = &*text;
    while let Some((_, tag)) = rest.split_once('<') {
        rest = match tag.strip_prefix("!--") {
            Some(comment) => comment.split_once("-->").unwrap_or_default().1,
            None => tag,
        };
        if rest.len() == tag.len() && tag.starts_with(char::is_alphabetic) {
            let name = tag.split([' ', '>', '\t', '\r', '\n']).next();
            return name.is_some_and(|name| name == "alto" || name.ends_with(":alto"));
        }
    }
    false
}

/// Whether a file that should be a workbook begins as text does.
fn is_rows(head: &[u8]) -> bool {
    !head.starts_with(b"PK") && !is_flat(head) && decode(head).is_ok()
}
