//! Finds the charts of XLSX: their titles, axes and values, by the sheet that they stand on.

use crate::reader::SkipReason;
use crate::reader::docx::{Around, Parts, Relations};
use crate::reader::package::XML_BYTES_MAX;
use crate::reader::tree::Tree;
use std::collections::HashMap;

/// The lines of the charts, by the names of their sheets.
pub(super) type Charts = HashMap<String, Vec<String>>;

/// The charts of a workbook. What cannot be followed is passed over: its values stand in the cells as well.
pub(super) fn read(bytes: &[u8]) -> Charts {
    let mut charts = Charts::new();
    let _ = find(bytes, &mut charts);
    charts
}

fn find(bytes: &[u8], charts: &mut Charts) -> Result<(), SkipReason> {
    let mut parts = Parts::open(bytes, XML_BYTES_MAX)?;
    let main = parts.main("xl/workbook.xml")?;
    let xml = parts.text(&main)?.unwrap_or_default();
    let mut sheets = parts.relations(&main)?;
    let tree = Tree::parse(&xml)?;
    for sheet in tree.nodes().filter(|node| node.name() == "sheet") {
        let part = sheet.attribute("id").and_then(|id| sheets.remove(&id));
        if let (Some(name), Some(part)) = (sheet.attribute("name"), part) {
            charts.insert(name, drawn(&mut parts, &part.part)?);
        }
    }
    Ok(())
}

/// The lines of the charts on a sheet.
fn drawn(parts: &mut Parts<'_>, sheet: &str) -> Result<Vec<String>, SkipReason> {
    let mut lines = Vec::new();
    let drawings: Relations = parts.relations(sheet)?;
    for drawing in drawings
        .into_values()
        .filter(|drawing| drawing.kind == "drawing")
    {
        let relations = parts.relations(&drawing.part)?;
        let mut around = Around::default();
        around.draw_from(parts, &relations)?;
        for chart in std::mem::take(&mut around.drawn).into_values() {
            lines.push(String::new());
            lines.extend(chart);
        }
    }
    Ok(lines)
}
