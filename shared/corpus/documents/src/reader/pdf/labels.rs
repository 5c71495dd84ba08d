//! The labels that a document prints on its pages: `iv`, `A-3`. Each range of pages has a style, a prefix and a first
//! number.

use crate::reader::numerals;
use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::hayro_syntax::object::{Array, Dict, Name, String as PdfString};
use std::collections::BTreeMap;

/// Deepest tree of ranges, and most nodes and ranges of it.
const DEPTH_MAX: usize = 16;
const NODES_MAX: usize = 10_000;
/// Longest label, in characters.
const CHARS_MAX: usize = 32;

/// How the pages from one on are labelled.
#[derive(Debug)]
struct Range {
    prefix: String,
    style: Option<u8>,
    first: u32,
}

/// Labels by page, from 1, where they are not the number of the page.
pub(super) fn labels(pdf: &Pdf, pages: u32) -> BTreeMap<u32, String> {
    let mut ranges = BTreeMap::new();
    let root = pdf.xref().get::<Dict<'_>>(pdf.xref().root_id());
    if let Some(tree) = root.and_then(|root| root.get::<Dict<'_>>("PageLabels")) {
        collect(&tree, DEPTH_MAX, &mut NODES_MAX.clone(), &mut ranges);
    }
    let label = |page: u32| {
        let (start, range) = ranges.range(..page).next_back()?;
        let label = range.label(range.first.saturating_add(page - 1 - start));
        let label = text::one_line(&label);
        let said = !label.is_empty() && label.chars().count() <= CHARS_MAX;
        (said && label != page.to_string()).then_some((page, label))
    };
    (1..=pages).filter_map(label).collect()
}

/// Puts the ranges of a tree by their first page, counted from 0.
fn collect(node: &Dict<'_>, depth: usize, nodes: &mut usize, ranges: &mut BTreeMap<u32, Range>) {
    if let Some(pairs) = node.get::<Array<'_>>("Nums") {
        let mut pairs = pairs.flex_iter();
        while let Some(page) = pairs.next::<i32>() {
            let Some(range) = pairs.next::<Dict<'_>>() else {
                return;
            };
            if let Ok(page) = u32::try_from(page)
                && take(nodes)
            {
                ranges.insert(page, Range::of(&range));
            }
        }
    }
    if let (Some(kids), 1..) = (node.get::<Array<'_>>("Kids"), depth) {
        for kid in kids.iter::<Dict<'_>>() {
            if !take(nodes) {
                return;
            }
            collect(&kid, depth - 1, nodes, ranges);
        }
    }
}

fn take(nodes: &mut usize) -> bool {
    *nodes = nodes.saturating_sub(1);
    *nodes > 0
}

impl Range {
    fn of(range: &Dict<'_>) -> Range {
        let prefix = range.get::<PdfString<'_>>("P");
        let prefix = prefix.and_then(|prefix| crate::reader::text::decode(prefix.as_bytes()).ok());
        let style = range.get::<Name<'_>>("S");
        Range {
            prefix: prefix.unwrap_or_default(),
            style: style.and_then(|style| style.as_ref().first().copied()),
            first: range
                .get::<i32>("St")
                .map_or(1, |n| n.max(1).unsigned_abs()),
        }
    }

    fn label(&self, number: u32) -> String {
        let number = match self.style {
            Some(b'D') => number.to_string(),
            Some(b'r') => numerals::number(number, 'i'),
            Some(b'R') => numerals::number(number, 'I'),
            Some(style @ (b'a' | b'A')) => numerals::number(number, char::from(style)),
            _ => String::new(),
        };
        format!("{}{number}", self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_each_style() {
        let label = |style, number| {
            let prefix = "A-".to_owned();
            Range {
                prefix,
                style,
                first: 1,
            }
            .label(number)
        };
        assert_eq!(label(Some(b'D'), 12), "A-12");
        assert_eq!(label(Some(b'r'), 1994), "A-mcmxciv");
        assert_eq!(label(Some(b'R'), 4), "A-IV");
        assert_eq!(label(Some(b'a'), 26), "A-z");
        assert_eq!(label(Some(b'A'), 28), "A-BB");
        assert_eq!(label(None, 3), "A-");
    }
}
