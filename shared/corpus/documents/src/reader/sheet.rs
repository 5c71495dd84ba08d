//! Reads a spreadsheet into lines: the name of each sheet as a `##` line, what stands above a table as text, tables as
//! rows `| a | b |` below their headers, merged cells repeated.
//!
//! The page of a line is the number of its sheet among those that are shown, and its number is that of its row. Values
//! are those that the program computed and wrote down, as its cells show them; XLS and XLSB give numbers without the
//! formats of their cells. It does *not* read hidden sheets, comments, pictures and formulas. Hidden rows and columns
//! are read: a filter hides rows.

mod charts;
mod grid;
mod ods;
mod shown;
mod workbook;

pub(super) use shown::MONTHS;

use super::lines::Lines;
use super::outside::OLD_OFFICE;
use super::{Parsed, Properties, SkipReason, front_matter};
use calamine::WorkbookProperties;
use grid::{CELLS_BYTES_MAX, Grid};
use serde_json::Value;
use workbook::Workbook;

/// A sheet that is shown.
struct Sheet {
    name: String,
    grid: Grid,
}

/// Parses a workbook.
pub(super) fn parse(bytes: &[u8]) -> Result<Parsed, SkipReason> {
    let mut room = CELLS_BYTES_MAX;
    let mut charts = charts::Charts::default();
    let book = if bytes.starts_with(OLD_OFFICE) {
        workbook::old(bytes, &mut room)?
    } else if bytes.starts_with(b"PK") && !is_open_document(bytes) {
        let book = workbook::packed(bytes, &mut room)?;
        charts = charts::read(bytes);
        book
    } else {
        ods::read(bytes, &mut room)?
    };
    let left_out = left_out(&book);
    let mut lines = Lines::default();
    let mut page_names = std::collections::BTreeMap::new();
    for (sheet, page) in book.sheets.into_iter().zip(1..) {
        (lines.page, lines.number) = (Some(page), Some(1));
        let charts = charts.remove(&sheet.name).unwrap_or_default();
        if sheet.grid.is_empty() && charts.is_empty() {
            continue;
        }
        lines.part();
        lines.heading(2, &sheet.name);
        page_names.insert(page, sheet.name);
        sheet.grid.write(&mut lines);
        lines.extend(charts);
    }
    let (title, mut metadata) = book.properties;
    // A program is no author.
    metadata.retain(|(_, value)| value != "openpyxl");
    Ok(Parsed {
        title,
        metadata: front_matter::collect(metadata),
        lines: lines.finish()?,
        page_names,
        left_out,
        ..Parsed::default()
    })
}

/// Whether an archive says that it is an OpenDocument: its first part has to.
fn is_open_document(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(128)];
    head.windows(8).any(|window| window == b"mimetype")
}

fn left_out(book: &Workbook) -> Option<SkipReason> {
    let mut told = Vec::new();
    if !book.hidden.is_empty() {
        let names = book.hidden.iter().take(3).map(|name| format!("`{name}`"));
        let names = names.collect::<Vec<_>>().join(", ");
        told.push(format!(
            "hidden sheets left out: {} ({names}); show them to have them read",
            book.hidden.len()
        ));
    }
    if book.without_value > 0 {
        let count = book.without_value;
        told.push(format!(
            "formulas without a computed value: {count}; open it in its program and save it again"
        ));
    }
    let told = (!told.is_empty()).then(|| SkipReason::Partial(told.join("; ")));
    SkipReason::both(book.left_out.clone(), told)
}

/// Title and fields of a workbook. A time is cut to its date, as front matter has dates.
fn properties(found: WorkbookProperties) -> Properties {
    let date = |text: String| text.chars().take(10).collect::<String>();
    let fields = [
        ("author", found.creator),
        ("created", found.created.map(date)),
        ("modified", found.modified.map(date)),
    ];
    let filled = |(name, text): (&'static str, Option<String>)| {
        Some((
            name,
            Value::String(text.filter(|text| !text.trim().is_empty())?),
        ))
    };
    let title = found.title.filter(|title| !title.trim().is_empty());
    (title, fields.into_iter().filter_map(filled).collect())
}

#[cfg(test)]
#[path = "sheet_tests.rs"]
mod tests;
