//! Finds out which paragraph styles are headings, with their levels, and which are list items.
//!
//! A style's id is in the language of the author (`berschrift1`), but its built-in name is always in English.

use super::{attribute, local};
use quick_xml::Reader;
use quick_xml::events::Event;
use std::collections::HashMap;

/// What a style makes of a paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// A heading of this level, from 1.
    Heading(usize),
    Item,
}

/// Styles that mean something, by their ids.
pub(super) type Styles = HashMap<String, Style>;

pub(super) fn parse(xml: &str) -> Styles {
    let mut found = Styles::new();
    let mut id = None;
    let mut reader = Reader::from_str(xml);
    loop {
        let start = match reader.read_event() {
            Ok(Event::Start(start) | Event::Empty(start)) => start,
            Ok(Event::Eof) | Err(_) => return found,
            Ok(_) => continue,
        };
        let value = || attribute(&start, "val");
        let style = match local(&start).as_str() {
            "style" => {
                id = attribute(&start, "styleId");
                None
            }
            "name" => value().and_then(|name| of_name(&name)),
            "outlineLvl" => value()
                .and_then(|level| level_of_outline(&level))
                .map(Style::Heading),
            "numPr" => Some(Style::Item),
            _ => None,
        };
        if let (Some(style), Some(id)) = (style, &id) {
            let kept = found.entry(id.clone()).or_insert(style);
            // A numbered heading is a heading.
            if *kept == Style::Item {
                *kept = style;
            }
        }
    }
}

/// `heading 2`, `List Bullet`; the title of a document is a heading of the first level.
fn of_name(name: &str) -> Option<Style> {
    let name = name.to_lowercase();
    match name.strip_prefix("heading ") {
        Some(number) => level(number.parse().ok()?).map(Style::Heading),
        None if name == "title" => Some(Style::Heading(1)),
        None => (name.starts_with("list bullet") || name.starts_with("list number"))
            .then_some(Style::Item),
    }
}

/// Outline levels count from 0; 9 is text.
pub(super) fn level_of_outline(outline: &str) -> Option<usize> {
    level(outline.parse::<usize>().ok()?.checked_add(1)?)
}

fn level(level: usize) -> Option<usize> {
    (1..=6).contains(&level).then_some(level)
}
