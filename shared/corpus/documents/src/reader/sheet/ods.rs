//! Reads the sheets of an OpenDocument: of an archive, or of a flat file. Its cells say what people see in them.

use super::Sheet;
use super::grid::{Grid, Merged, no_room};
use super::workbook::Workbook;
use crate::reader::tree::{Node, properties};
use crate::reader::{SkipReason, odf};
use std::collections::HashSet;

/// How often a row or cell with text is repeated, at most.
const CELLS_REPEATED_MAX: u32 = 1_000;

/// Reads the sheets of a document.
pub(super) fn read(bytes: &[u8], room: &mut usize) -> Result<Workbook, SkipReason> {
    let (texts, _) = odf::open(bytes)?;
    let trees = odf::trees(&texts)?;
    let parts = odf::parts(&trees);
    let styles = parts.iter().filter(|part| part.name().ends_with("styles"));
    let hidden = styles.flat_map(|part| part.children()).filter(|style| {
        let mut properties = style
            .children()
            .filter(|part| part.name() == "table-properties");
        properties.any(|part| part.attribute("display").as_deref() == Some("false"))
    });
    let hidden: HashSet<Option<String>> = hidden.map(|style| style.attribute("name")).collect();
    let meta = parts.iter().filter(|part| part.name() == "meta");
    let mut book = Workbook {
        properties: properties(meta.flat_map(|part| part.children())),
        ..Workbook::default()
    };
    let bodies = parts.iter().filter(|part| part.name() == "body");
    let inner = bodies
        .flat_map(|body| body.children())
        .flat_map(Node::children);
    for table in parts
        .iter()
        .copied()
        .chain(inner)
        .filter(|node| node.name() == "table")
    {
        let name = table.attribute("name").unwrap_or_default();
        let style = table.attribute("style-name");
        if style.is_some() && hidden.contains(&style) {
            book.hidden.push(name);
            continue;
        }
        let mut read = Table::default();
        let has_room =
            read.rows(table, room) && read.merged.iter().all(|area| read.grid.merge(*area, room));
        if !has_room {
            book.left_out.get_or_insert(no_room(&name));
        }
        book.sheets.push(Sheet {
            name,
            grid: read.grid,
        });
    }
    Ok(book)
}

/// A table while it is read.
#[derive(Default)]
struct Table {
    grid: Grid,
    merged: Vec<Merged>,
    row: u32,
}

impl Table {
    /// Reads rows; whether there was room for them.
    fn rows(&mut self, node: Node<'_>, room: &mut usize) -> bool {
        for row in node.children() {
            let has_room = match row.name() {
                "table-row" => self.row(row, room),
                name => !name.starts_with("table-") || self.rows(row, room),
            };
            if !has_room {
                return false;
            }
        }
        true
    }

    fn row(&mut self, row: Node<'_>, room: &mut usize) -> bool {
        let times = number(row, "number-rows-repeated");
        let rows = self.row..self.row.saturating_add(times.min(CELLS_REPEATED_MAX));
        let mut column = 0_u32;
        for cell in row
            .children()
            .filter(|cell| cell.name().ends_with("table-cell"))
        {
            let times = number(cell, "number-columns-repeated");
            let columns = column..column.saturating_add(times.min(CELLS_REPEATED_MAX));
            column = column.saturating_add(times);
            let text = shown(cell);
            if text.trim().is_empty() {
                continue;
            }
            for row in rows.clone() {
                if !columns
                    .clone()
                    .all(|column| self.grid.put(row, column, &text, room))
                {
                    return false;
                }
            }
            let last = |from: u32, name| from.saturating_add(number(cell, name).saturating_sub(1));
            self.merged.push(Merged {
                rows: (self.row, last(self.row, "number-rows-spanned")),
                columns: (columns.start, last(columns.start, "number-columns-spanned")),
            });
        }
        self.row = self.row.saturating_add(times);
        true
    }
}

fn number(node: Node<'_>, name: &str) -> u32 {
    node.number(name).unwrap_or(1)
}

/// The text of a cell; of a date whose digits may be unclear, its day.
fn shown(cell: Node<'_>) -> String {
    let mut text = String::new();
    for paragraph in cell.children().filter(|child| child.name() == "p") {
        words(paragraph, &mut text);
        text.push(' ');
    }
    let is_day = cell.attribute("value-type").as_deref() == Some("date");
    match cell.attribute("date-value") {
        Some(day) if is_day && text.contains(['/', '-']) => {
            day.trim_end_matches("T00:00:00").replace('T', " ")
        }
        _ => text,
    }
}

fn words(node: Node<'_>, text: &mut String) {
    for child in node.children() {
        match child.name() {
            "" => text.push_str(child.own_text()),
            "s" | "tab" | "line-break" => text.push(' '),
            "annotation" | "frame" | "custom-shape" | "shapes" | "control" | "g" => {}
            _ => words(child, text),
        }
    }
}
