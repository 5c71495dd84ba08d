//! Reads a DOCX into lines: headings as `#` lines, list items as `-` lines, tables as rows `| a | b |`.
//!
//! It reads the body and the core properties. It does *not* read headers, footers, notes, comments, and text that was
//! deleted under tracked changes. A DOCX has no pages until it is printed, so the lines have no page numbers.

mod body;
mod styles;

use super::{Parsed, SkipReason, TEXT_BYTES_MAX, front_matter};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use serde_json::Value;
use std::io::{Cursor, Read};
use zip::ZipArchive;
use zip::result::ZipError;

/// Most entries of an archive.
const ENTRIES_MAX: usize = 20_000;
/// Most bytes of one part of XML, unpacked.
const XML_BYTES_MAX: u64 = 2 * TEXT_BYTES_MAX as u64;
/// Deepest nesting of elements.
const DEPTH_MAX: usize = 256;

type Archive<'a> = ZipArchive<Cursor<&'a [u8]>>;

/// Parses a document.
pub(super) fn parse(bytes: &[u8]) -> Result<Parsed, SkipReason> {
    parse_within(bytes, XML_BYTES_MAX)
}

fn parse_within(bytes: &[u8], xml_bytes_max: u64) -> Result<Parsed, SkipReason> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(broken)?;
    if archive.len() > ENTRIES_MAX {
        let count = archive.len();
        return Err(SkipReason::Broken(format!(
            "{count} entries in its archive"
        )));
    }
    let mut part = |name: &str| part(&mut archive, name, xml_bytes_max);
    let Some(document) = part("word/document.xml")? else {
        return Err(SkipReason::Broken("no Word document in its archive".into()));
    };
    let styles = part("word/styles.xml")?.unwrap_or_default();
    let core = part("docProps/core.xml")?.unwrap_or_default();
    let lines = body::lines(&document, &styles::parse(&styles))?;
    let (title, metadata) = properties(&core);
    Ok(Parsed {
        title,
        metadata: front_matter::collect(metadata),
        lines,
    })
}

fn broken(error: ZipError) -> SkipReason {
    match error {
        ZipError::UnsupportedArchive(what) if what == ZipError::PASSWORD_REQUIRED => {
            SkipReason::Encrypted
        }
        other => SkipReason::Broken(other.to_string()),
    }
}

/// A part of the archive as text; `None` when it has none of that name.
fn part(
    archive: &mut Archive<'_>,
    name: &str,
    bytes_max: u64,
) -> Result<Option<String>, SkipReason> {
    let entry = match archive.by_name(name) {
        Ok(entry) => entry,
        Err(ZipError::FileNotFound) => return Ok(None),
        Err(error) => return Err(broken(error)),
    };
    // What an archive says of its sizes is not believed: the reading is what is bounded.
    let mut bytes = Vec::new();
    entry
        .take(bytes_max + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| SkipReason::Broken(error.to_string()))?;
    if bytes.len() as u64 > bytes_max {
        return Err(SkipReason::Inflates(bytes_max));
    }
    let text = super::text::decode(&bytes).map_err(|_| bad_xml("it is not text"))?;
    Ok(Some(text))
}

fn bad_xml(error: impl std::fmt::Display) -> SkipReason {
    SkipReason::Broken(format!("bad XML: {error}"))
}

fn local(start: &BytesStart<'_>) -> String {
    start.local_name().into_inner().to_owned()
}

/// An attribute, by its name without a prefix.
fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = start.attributes();
    let found = attributes
        .with_checks(false)
        .flatten()
        .find(|a| a.key.local_name().into_inner() == name)?;
    Some(found.value.into_owned())
}

/// The character of `&amp;` or `&#8364;`.
fn entity(name: &str) -> Option<char> {
    let code = |digits: &str, radix| char::from_u32(u32::from_str_radix(digits, radix).ok()?);
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => match name.strip_prefix("#x") {
            Some(digits) => code(digits, 16),
            None => code(name.strip_prefix('#')?, 10),
        },
    }
}

/// Title and fields of the core properties. A time is cut to its date, as front matter has dates.
fn properties(xml: &str) -> (Option<String>, Vec<(&'static str, Value)>) {
    let (mut title, mut fields) = (None, Vec::new());
    let mut reader = Reader::from_str(xml);
    let (mut element, mut text) = (String::new(), String::new());
    loop {
        match reader.read_event() {
            Ok(Event::Start(start)) => {
                element = local(&start);
                text.clear();
            }
            Ok(Event::Text(part)) => text.push_str(&part.xml10_content()),
            Ok(Event::GeneralRef(name)) => text.extend(entity(&name.xml10_content())),
            Ok(Event::End(_)) => {
                let value = text.trim().to_owned();
                let date = || value.chars().take(10).collect::<String>();
                match std::mem::take(&mut element).as_str() {
                    _ if value.is_empty() => {}
                    "title" => title = Some(value),
                    "creator" => fields.push(("author", Value::String(value))),
                    "subject" => fields.push(("subject", Value::String(value))),
                    "keywords" => fields.push(("keywords", Value::String(value))),
                    "created" => fields.push(("created", Value::String(date()))),
                    "modified" => fields.push(("modified", Value::String(date()))),
                    _ => {}
                }
                text.clear();
            }
            Ok(Event::Eof) | Err(_) => return (title, fields),
            Ok(_) => {}
        }
    }
}

#[cfg(test)]
#[path = "docx_tests.rs"]
mod tests;
