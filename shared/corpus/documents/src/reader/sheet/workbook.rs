//! Reads the workbooks of Excel: XLSX, XLSB and XLS.
//!
//! The library unpacks the archive without a limit, takes room for as many strings as a file says that it has, and
//! fails with a panic on some damage. So the parts are unpacked here first, as far as they may, and it is called behind
//! `catch_unwind`.

use super::grid::{Grid, Merged};
use super::{Sheet, shown};
use crate::reader::package::{ENTRIES_MAX, XML_BYTES_MAX, broken};
use crate::reader::{Properties, SkipReason, TEXT_BYTES_MAX};
use calamine::{
    Data, Dimensions, Reader, SheetType, SheetVisible, WorkbookProperties, Xls, XlsError, Xlsb,
    Xlsx, XlsxError,
};
use std::io::{Cursor, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use zip::ZipArchive;

/// Most bytes of a sheet, unpacked.
const SHEET_BYTES_MAX: u64 = 2 * XML_BYTES_MAX;
/// Most bytes of all parts, unpacked.
const PARTS_BYTES_MAX: u64 = 2 * SHEET_BYTES_MAX;
/// How a formula ends whose value is not written down.
const NO_VALUE: [&[u8]; 4] = [b"</c>", b"<v></v>", b"<v/>", b"<v />"];
/// Most cells that a sheet of XLS may say that it has: room is taken for all of them.
const XLS_CELLS_MAX: u64 = 8 * 1024 * 1024;

/// A workbook while it is read.
type Bytes<'a> = Cursor<&'a [u8]>;

/// What is in a workbook.
#[derive(Default)]
pub(super) struct Workbook {
    pub(super) sheets: Vec<Sheet>,
    pub(super) hidden: Vec<String>,
    pub(super) properties: Properties,
    /// Formulas whose values are not in the file.
    pub(super) without_value: usize,
    pub(super) left_out: Option<SkipReason>,
}

/// Reads an archive: XLSX, or XLSB.
pub(super) fn packed(bytes: &[u8], room: &mut usize) -> Result<Workbook, SkipReason> {
    let (is_binary, without_value) = check(bytes)?;
    let book = match is_binary {
        true => caught(|| {
            let mut book = Xlsb::new(Cursor::new(bytes)).map_err(failed)?;
            let properties = book.workbook_properties().unwrap_or_default();
            let sheets = book.sheets_metadata().to_vec();
            Workbook::read(sheets, properties, room, |name, grid, room| {
                let mut cells = book.worksheet_cells_reader(name).map_err(failed)?;
                while let Some(cell) = cells.next_cell().map_err(failed)? {
                    let (row, column) = cell.get_position();
                    let text = shown::text(&Data::from(cell.get_value().clone()), "");
                    if !grid.put(row, column, &text, room) {
                        return Ok(false);
                    }
                }
                Ok(true)
            })
        }),
        false => caught(|| {
            let mut book = Xlsx::new(Cursor::new(bytes)).map_err(failed)?;
            let properties = book.workbook_properties().unwrap_or_default();
            let sheets = book.sheets_metadata().to_vec();
            Workbook::read(sheets, properties, room, |name, grid, room| {
                xlsx_sheet(&mut book, name, grid, room)
            })
        }),
    }?;
    Ok(Workbook {
        without_value,
        ..book
    })
}

/// Reads a workbook as Excel wrote it before there was XLSX.
pub(super) fn old(bytes: &[u8], room: &mut usize) -> Result<Workbook, SkipReason> {
    check_dimensions(bytes)?;
    caught(|| {
        let mut book = Xls::new(Cursor::new(bytes)).map_err(|error| {
            // An XLSX with a password is in such a container as well.
            let is_packed = matches!(Xlsx::new(Cursor::new(bytes)), Err(XlsxError::Password));
            match error {
                _ if is_packed => SkipReason::Encrypted,
                XlsError::Password => SkipReason::Encrypted,
                other => failed(other),
            }
        })?;
        let properties = book.workbook_properties().unwrap_or_default();
        let sheets = book.sheets_metadata().to_vec();
        Workbook::read(sheets, properties, room, |name, grid, room| {
            let range = book.worksheet_range(name).map_err(failed)?;
            let (top, left) = range.start().unwrap_or_default();
            let mut cells = range.used_cells();
            let has_room = cells.all(|(row, column, value)| {
                let (row, column) = (top + row as u32, left + column as u32);
                grid.put(row, column, &shown::text(value, ""), room)
            });
            let merged = book.merge_cells_by_sheet_name(name).unwrap_or_default();
            let repeated = merged.iter().all(|area| grid.merge(area.into(), room));
            Ok(has_room && repeated)
        })
    })
}

impl Workbook {
    /// Reads the cells of each sheet that is shown. `cells` says whether there was room for all of them.
    fn read(
        sheets: Vec<calamine::Sheet>,
        properties: WorkbookProperties,
        room: &mut usize,
        mut cells: impl FnMut(&str, &mut Grid, &mut usize) -> Result<bool, SkipReason>,
    ) -> Result<Workbook, SkipReason> {
        let mut book = Workbook {
            properties: super::properties(properties),
            ..Workbook::default()
        };
        for sheet in sheets {
            if sheet.visible != SheetVisible::Visible {
                book.hidden.push(sheet.name);
                continue;
            }
            let mut grid = Grid::default();
            if sheet.typ == SheetType::WorkSheet && !cells(&sheet.name, &mut grid, room)? {
                book.left_out
                    .get_or_insert(super::grid::no_room(&sheet.name));
            }
            book.sheets.push(Sheet {
                name: sheet.name,
                grid,
            });
        }
        Ok(book)
    }
}

fn xlsx_sheet(
    book: &mut Xlsx<Bytes<'_>>,
    name: &str,
    grid: &mut Grid,
    room: &mut usize,
) -> Result<bool, SkipReason> {
    let merged = book.merge_cells_by_sheet_name(name).map_err(failed)?;
    let mut cells = book.worksheet_cells_reader(name).map_err(failed)?;
    let formats: Vec<String> = cells
        .styles()
        .iter()
        .map(|style| {
            style
                .number_format
                .as_ref()
                .map_or(String::new(), |format| format.format_code.clone())
        })
        .collect();
    let mut has_room = true;
    while let Some((cell, style)) = cells.next_cell_with_style_id().map_err(failed)? {
        let (row, column) = cell.get_position();
        let format = formats.get(style).map_or("", String::as_str);
        let text = shown::text(&Data::from(cell.get_value().clone()), format);
        has_room = grid.put(row, column, &text, room);
        if !has_room {
            break;
        }
    }
    let repeated = merged.iter().all(|area| grid.merge(area.into(), room));
    Ok(has_room && repeated)
}

impl From<&Dimensions> for Merged {
    fn from(area: &Dimensions) -> Merged {
        Merged {
            rows: (area.start.0, area.end.0),
            columns: (area.start.1, area.end.1),
        }
    }
}

fn caught<T>(read: impl FnOnce() -> Result<T, SkipReason>) -> Result<T, SkipReason> {
    let panicked = |_| SkipReason::Broken("its cells do not follow the format".into());
    catch_unwind(AssertUnwindSafe(read)).map_err(panicked)?
}

fn failed(error: impl std::fmt::Display) -> SkipReason {
    SkipReason::Broken(error.to_string())
}

/// Unpacks each part of an archive, as far as it may; whether it is an XLSB, and how many formulas have no value.
fn check(bytes: &[u8]) -> Result<(bool, usize), SkipReason> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(broken)?;
    if archive.len() > ENTRIES_MAX {
        return Err(SkipReason::Broken(format!(
            "{} entries in its archive",
            archive.len()
        )));
    }
    let (mut is_binary, mut count) = (false, 0);
    let (mut part, mut all) = (Vec::new(), 0);
    for index in 0..archive.len() {
        let entry = archive.by_index(index).map_err(broken)?;
        let name = entry.name().map_err(broken)?.to_lowercase();
        let is_sheet = name.contains("sheets/");
        let bytes_max = if is_sheet {
            SHEET_BYTES_MAX
        } else {
            XML_BYTES_MAX
        };
        part.clear();
        entry
            .take(bytes_max + 1)
            .read_to_end(&mut part)
            .map_err(failed)?;
        all += part.len() as u64;
        if part.len() as u64 > bytes_max || all > PARTS_BYTES_MAX {
            return Err(SkipReason::Inflates(bytes_max.min(PARTS_BYTES_MAX)));
        }
        is_binary |= name.ends_with("workbook.bin");
        if is_sheet {
            count += without_value(&part);
        }
        if name.ends_with("sharedstrings.xml") {
            check_strings(&part)?;
        }
    }
    Ok((is_binary, count))
}

/// The places behind a text.
fn behind<'a>(bytes: &'a [u8], text: &'static [u8]) -> impl Iterator<Item = &'a [u8]> {
    let found = bytes
        .windows(text.len())
        .enumerate()
        .filter(move |(_, window)| *window == text);
    found.map(move |(at, _)| &bytes[at + text.len()..])
}

fn without_value(sheet: &[u8]) -> usize {
    let is_end = |rest: &&[u8]| NO_VALUE.iter().any(|end| rest.starts_with(end));
    behind(sheet, b"</f>").filter(is_end).count()
}

/// Whether a list of strings is as long as it says, at most.
fn check_strings(part: &[u8]) -> Result<(), SkipReason> {
    for rest in behind(part, b"uniqueCount") {
        let digits = rest
            .iter()
            .skip_while(|b| !b.is_ascii_digit())
            .take_while(|b| b.is_ascii_digit());
        let count = digits.fold(0_usize, |n, b| {
            n.saturating_mul(10).saturating_add(usize::from(b - b'0'))
        });
        if count > part.len() {
            return Err(SkipReason::Broken("fewer strings than it says".into()));
        }
    }
    Ok(())
}

/// Whether each sheet of XLS says that it has as many cells as there is room for.
fn check_dimensions(bytes: &[u8]) -> Result<(), SkipReason> {
    // The record 0x0200 of 14 bytes: first row, last row, first column, last column.
    for rest in behind(bytes, &[0x00, 0x02, 0x0e, 0x00]) {
        let Some([a, b, c, d, e, f, g, h, i, j, k, l]) = rest.first_chunk::<12>().copied() else {
            break;
        };
        let rows =
            u32::from_le_bytes([e, f, g, h]).saturating_sub(u32::from_le_bytes([a, b, c, d]));
        let columns = u16::from_le_bytes([k, l]).saturating_sub(u16::from_le_bytes([i, j]));
        if u64::from(rows) * u64::from(columns) > XLS_CELLS_MAX {
            return Err(SkipReason::Inflates(TEXT_BYTES_MAX as u64));
        }
    }
    Ok(())
}
