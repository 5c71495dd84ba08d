//! Reads a DOCX into lines: headings as `#` lines, list items as `-` lines or with their numbers, tables as rows
//! `| a | b |`, formulas as LaTeX, charts as tables, boxes as `[x]` and `[ ]`.
//!
//! Notes stand behind the paragraph that refers to them, headers and footers once before and behind the text. It does
//! *not* read comments, hidden text, pictures, and text that was deleted under tracked changes. Lines have pages only
//! where the program wrote down where pages begin and nothing was changed after that.

mod around;
mod body;
mod chart;
mod field;
mod numbering;
mod paragraph;
pub(super) mod parts;
mod shape;
mod styles;
mod table;

pub(super) use around::Around;
pub(super) use body::read;
pub(super) use parts::{Parts, Relations};

use super::package::XML_BYTES_MAX;
use super::tree::{self, Node, Tree};
use super::xml::attribute;
use super::{Parsed, Properties, SkipReason, front_matter};
use crate::document::NumberedLine;
use around::Text;
use numbering::Numbering;
use quick_xml::events::BytesStart;
use std::collections::HashSet;

/// Pages are those of the program if there are so many of 100 characters that it counted: it also counts the numbers of
/// lists and formulas, and whatever was added later came without pages.
const CHARACTERS_OF_100: (usize, usize) = (75, 102);

/// Parses a document.
pub(super) fn parse(bytes: &[u8]) -> Result<Parsed, SkipReason> {
    parse_within(bytes, XML_BYTES_MAX)
}

fn parse_within(bytes: &[u8], xml_bytes_max: u64) -> Result<Parsed, SkipReason> {
    let mut parts = Parts::open(bytes, xml_bytes_max)?;
    let main = parts.main("word/document.xml")?;
    let Some(document) = parts.text(&main)? else {
        return Err(SkipReason::Broken("no Word document in its archive".into()));
    };
    let relations = parts.relations(&main)?;
    let mut related = |kind: &str| match relations.values().find(|relation| relation.kind == kind) {
        Some(relation) => Ok(parts.text(&relation.part)?.unwrap_or_default()),
        None => Ok(String::new()),
    };
    let mut around = Around {
        styles: styles::parse(&related("styles")?),
        numbering: Numbering::parse(&related("numbering")?),
        even_pages: related("settings")?.contains("evenAndOddHeaders"),
        ..Around::default()
    };
    for kind in ["footnotes", "endnotes"] {
        let found = read(&related(kind)?, &mut around, None);
        around.or_left_out(kind, found)?;
    }
    around.draw_from(&mut parts, &relations)?;
    let mut text = read(&document, &mut around, Some(1))?;
    let app = parts.text("docProps/app.xml")?.unwrap_or_default();
    if !has_pages(&text, &app) {
        text.lines.iter_mut().for_each(|line| line.page = None);
    }
    let core = parts.text("docProps/core.xml")?.unwrap_or_default();
    let (title, metadata) = properties(&core);
    Ok(Parsed {
        title,
        metadata: front_matter::collect(metadata),
        lines: with_margins(&mut parts, &relations, &mut around, text.lines)?,
        left_out: around.left_out,
        ..Parsed::default()
    })
}

/// Puts the headers before the text and the footers behind it, each different line once.
fn with_margins(
    parts: &mut Parts<'_>,
    relations: &Relations,
    around: &mut Around,
    body: Vec<NumberedLine>,
) -> Result<Vec<NumberedLine>, SkipReason> {
    around.is_aside = true;
    let (mut headers, mut footers, mut said) = (Vec::new(), Vec::new(), HashSet::new());
    for id in std::mem::take(&mut around.margins) {
        let Some(relation) = relations.get(&id) else {
            continue;
        };
        let (to, page) = match relation.kind.as_str() {
            "header" => (&mut headers, body.first()),
            _ => (&mut footers, body.last()),
        };
        let page = page.and_then(|line| line.page);
        let drawings = parts.relations(&relation.part)?;
        around.draw_from(parts, &drawings)?;
        let xml = parts.text(&relation.part)?.unwrap_or_default();
        let found = read(&xml, around, page);
        let lines = around
            .or_left_out("a header or footer", found)?
            .lines
            .into_iter();
        to.extend(lines.filter(|line| line.text.is_empty() || said.insert(line.text.clone())));
    }
    let lines = headers.into_iter().chain(body).chain(footers);
    Ok(numbered(lines))
}

/// Numbers lines from 1.
pub(super) fn numbered(lines: impl Iterator<Item = NumberedLine>) -> Vec<NumberedLine> {
    let number = |(number, line)| NumberedLine { number, ..line };
    (1..).zip(lines).map(number).collect()
}

/// Whether the program counted as many pages as began in the text, and the text is still that which it counted.
fn has_pages(text: &Text, app: &str) -> bool {
    let count = |name: &str| {
        let (_, after) = app.split_once(&format!("<{name}>"))?;
        after.split_once('<')?.0.parse::<usize>().ok()
    };
    let characters = count("Characters").unwrap_or_default();
    let least = characters * CHARACTERS_OF_100.0 / 100;
    let most = characters * CHARACTERS_OF_100.1 / 100;
    count("Pages") == Some(text.page_breaks as usize + 1)
        && (least..=most).contains(&text.characters)
}

/// The value of an element.
fn value(start: &BytesStart<'_>) -> Option<String> {
    attribute(start, "val")
}

/// Title and fields of the core properties.
pub(super) fn properties(xml: &str) -> Properties {
    let tree = Tree::parse(xml).unwrap_or_default();
    let root = tree.root();
    tree::properties(root.into_iter().flat_map(Node::children))
}

#[cfg(test)]
#[path = "docx_tests.rs"]
pub(super) mod tests;

#[cfg(test)]
#[path = "docx_odd_tests.rs"]
mod odd_tests;
