//! Reads a PDF into lines with their pages: `hayro-interpret` finds the glyphs; this module limits its work and turns
//! the glyphs into text.
//!
//! The library has no unsafe code, but its input may come from anyone. So each page is read behind `catch_unwind`,
//! streams that would decompress to too much are refused beforehand, and a document has a budget of work. *Not* OCR:
//! a scan without a text layer is reported as such. The reader never asks for a password; a document that opens
//! without one is read even if it forbids printing.

mod bidi;
mod canvas;
mod columns;
mod drawn;
mod glyphs;
mod inflate;
mod labels;
mod layout;

use super::{Parsed, Properties, ReadOptions, SkipReason, TEXT_BYTES_MAX, front_matter};
use glyphs::{Budget, Collector};
use hayro_interpret::hayro_syntax::metadata::Metadata;
use hayro_interpret::hayro_syntax::object::DateTime;
use hayro_interpret::hayro_syntax::page::Page;
use hayro_interpret::hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use hayro_interpret::kurbo::{Affine, Rect};
use hayro_interpret::{Context, InterpreterCache, InterpreterSettings, interpret_page};
use layout::Row;
use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Most pages that are read of one document.
pub const PDF_PAGES_MAX: usize = 10_000;
/// Most bytes that one stream of a document may unpack to.
pub(super) const PDF_STREAM_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Most bytes of drawing instructions of all pages that are read.
const PDF_CONTENT_BYTES_MAX: usize = 256 * 1024 * 1024;
/// Glyphs, paths and clips of one document that are looked at.
const WORK_MAX: u64 = 50_000_000;

/// How much is read of a document.
#[derive(Debug, Clone, Copy)]
struct Limits {
    pages: usize,
    stream_bytes: u64,
    work: u64,
    /// Whether text that nobody sees is read, too.
    hidden: bool,
}

const LIMITS: Limits = Limits {
    pages: PDF_PAGES_MAX,
    stream_bytes: PDF_STREAM_BYTES_MAX,
    work: WORK_MAX,
    hidden: false,
};

/// Parses a document.
pub(super) fn parse(bytes: &[u8], options: ReadOptions) -> Result<Parsed, SkipReason> {
    let hidden = options.hidden;
    parse_within(bytes, Limits { hidden, ..LIMITS })
}

fn parse_within(bytes: &[u8], limits: Limits) -> Result<Parsed, SkipReason> {
    inflate::check_file(bytes, limits.stream_bytes)?;
    let failed = |_| SkipReason::Broken("its reader failed on it".into());
    catch_unwind(AssertUnwindSafe(|| read(bytes, limits))).map_err(failed)?
}

fn read(bytes: &[u8], limits: Limits) -> Result<Parsed, SkipReason> {
    let pdf = Pdf::new(bytes.to_vec()).map_err(|error| match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => SkipReason::Encrypted,
        LoadPdfError::Decryption(_) => SkipReason::Broken("unknown encryption".into()),
        LoadPdfError::Invalid => SkipReason::Broken("no PDF that can be followed".into()),
    })?;
    inflate::check_streams(&pdf, limits.stream_bytes)?;
    let text = Text::of(&pdf, limits);
    if text.rows.is_empty() && text.failed > 0 {
        return Err(SkipReason::Broken("no page of it could be read".into()));
    }
    let (title, fields) = properties(pdf.metadata());
    Ok(Parsed {
        title,
        metadata: front_matter::collect(fields),
        page_names: labels::labels(&pdf, text.pages),
        scans: match text.rows.is_empty() {
            // Letters may be drawn as well.
            true => (1..=text.pages).collect(),
            false => text.scans,
        },
        lines: layout::lines(text.rows),
        left_out: text.left_out,
    })
}

/// What the pages say.
struct Text {
    /// Rows by page, from 1.
    rows: Vec<(u32, Row)>,
    /// How many pages there are.
    pages: u32,
    /// Those with a picture and no row.
    scans: Vec<u32>,
    failed: usize,
    left_out: Option<SkipReason>,
}

impl Text {
    fn of(pdf: &Pdf, limits: Limits) -> Text {
        let cache = InterpreterCache::new();
        let mut budget = Budget::new(limits.work);
        let mut text = Text {
            rows: Vec::new(),
            pages: 0,
            scans: Vec::new(),
            failed: 0,
            left_out: None,
        };
        let (mut content, mut bytes, mut first_failed) = (0, 0, 0);
        let count = pdf.pages().len();
        let mut read = count;
        for (number, page) in (1u32..).zip(pdf.pages().iter()) {
            let over = number as usize > limits.pages
                || content > PDF_CONTENT_BYTES_MAX
                || bytes > TEXT_BYTES_MAX
                || budget.is_spent();
            if over {
                read = number as usize - 1;
                break;
            }
            let found = catch_unwind(AssertUnwindSafe(|| {
                content += page.page_stream().map_or(0, <[u8]>::len);
                rows(page, &cache, &mut budget, limits.hidden)
            }));
            text.pages = number;
            match found {
                Ok((rows, has_image)) => {
                    text.scans
                        .extend((rows.is_empty() && has_image).then_some(number));
                    bytes += rows.iter().map(|row| row.text.len()).sum::<usize>();
                    text.rows.extend(rows.into_iter().map(|row| (number, row)));
                }
                Err(_) => {
                    if text.failed == 0 {
                        first_failed = number;
                    }
                    text.failed += 1;
                }
            }
        }
        let failed = (text.failed > 0).then(|| {
            let failed = text.failed;
            format!("{failed} pages failed, the first is {first_failed}")
        });
        let over = (read < count).then(|| {
            let first = read + 1;
            format!("pages from {first} on are over a limit; split it")
        });
        let left_out: Vec<String> = failed.into_iter().chain(over).collect();
        text.left_out = (!left_out.is_empty()).then(|| SkipReason::Partial(left_out.join("; ")));
        text
    }
}

fn rows<'a>(
    page: &'a Page<'a>,
    cache: &InterpreterCache<'a>,
    budget: &mut Budget,
    hidden: bool,
) -> (Vec<Row>, bool) {
    let shown = page.intersected_crop_box();
    let (width, height) = page.base_dimensions();
    let size = (f64::from(width), f64::from(height));
    let area = Rect::from_origin_size((shown.x0, shown.y0), size);
    let settings = InterpreterSettings::default();
    let mut context = Context::new(Affine::IDENTITY, area, cache, page.xref(), settings);
    let mut collector = Collector::new(budget, area, hidden);
    interpret_page(page, &mut context, &mut collector);
    let has_image = collector.has_image();
    (layout::rows(collector.finish()), has_image)
}

/// Title and fields of the document information.
fn properties(info: &Metadata) -> Properties {
    let text = |bytes: &Option<Box<[u8]>>| {
        let text = super::text::decode(bytes.as_ref()?).ok()?;
        let text = text.replace('\0', "").trim().to_owned();
        (!text.is_empty()).then_some(text)
    };
    let date =
        |date: Option<DateTime>| date.map(|d| format!("{:04}-{:02}-{:02}", d.year, d.month, d.day));
    let fields = [
        ("author", text(&info.author)),
        ("subject", text(&info.subject)),
        ("keywords", text(&info.keywords)),
        ("created", date(info.creation_date)),
        ("modified", date(info.modification_date)),
    ];
    let known = fields
        .into_iter()
        .filter_map(|(key, value)| Some((key, Value::String(value?))));
    (title(text(&info.title)), known.collect())
}

/// Programs put the name of a file, or nothing that says something, where a title belongs.
fn title(said: Option<String>) -> Option<String> {
    said.filter(|title| {
        let lower = title.to_lowercase();
        let file = lower.ends_with(".doc") || lower.ends_with(".docx") || lower.ends_with(".tmp");
        !file && !["untitled", "anonymous", "(anonymous)", "title"].contains(&lower.as_str())
    })
}

#[cfg(test)]
#[path = "pdf_tests.rs"]
mod tests;
