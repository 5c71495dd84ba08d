//! Finds out which paragraph styles are headings, with their levels, and which are list items.
//!
//! A style's id is in the language of the author (`berschrift1`), but its built-in name is always in English. A style
//! has what the style has that it is based on.

use super::numbering::Place;
use super::parts::elements;
use crate::reader::xml::attribute;
use std::collections::HashMap;

/// Most styles in a row that are based on each other.
const BASES_MAX: usize = 16;
/// The outline level of text.
const OUTLINE_OF_TEXT: usize = 9;

/// What a style makes of a paragraph.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Style {
    /// The level of the heading that it is, from 1.
    pub(super) level: Option<usize>,
    /// Whether it is a list item by its name.
    pub(super) is_item: bool,
    /// Its place in a numbered or bulleted list.
    pub(super) place: Place,
}

/// Styles by their ids.
pub(super) type Styles = HashMap<String, Style>;

/// A style as it is written.
#[derive(Default)]
struct Written {
    style: Style,
    outline: Option<usize>,
    base: Option<String>,
}

pub(super) fn parse(xml: &str) -> Styles {
    let mut written: HashMap<String, Written> = HashMap::new();
    let mut id = String::new();
    elements(xml, |name, start| {
        if name == "style" {
            id = attribute(start, "styleId").unwrap_or_default();
            written.entry(id.clone()).or_default();
        }
        let (Some(found), Some(value)) = (written.get_mut(&id), attribute(start, "val")) else {
            return;
        };
        match name {
            "name" => found.name(&value.to_lowercase()),
            "basedOn" => found.base = Some(value),
            "outlineLvl" => found.outline = value.parse().ok(),
            "numId" => found.style.place.list = value.parse().ok(),
            "ilvl" => found.style.place.level = value.parse().ok(),
            _ => {}
        }
    });
    let resolve = |id: &String| (id.clone(), resolved(&written, id));
    written.keys().map(resolve).collect()
}

impl Written {
    /// `heading 2`, `List Bullet`; the title of a document is a heading of the first level.
    fn name(&mut self, name: &str) {
        match name.strip_prefix("heading ") {
            Some(number) => self.style.level = number.parse().ok().and_then(level),
            None if name == "title" => self.style.level = Some(1),
            None => {
                self.style.is_item =
                    name.starts_with("list bullet") || name.starts_with("list number")
            }
        }
    }
}

/// A style together with what it has from others.
fn resolved(written: &HashMap<String, Written>, id: &str) -> Style {
    let Some(own) = written.get(id) else {
        return Style::default();
    };
    let (mut style, mut outline, mut base) = (own.style, own.outline, own.base.as_ref());
    for _ in 0..BASES_MAX {
        let Some(other) = base.and_then(|base| written.get(base)) else {
            break;
        };
        outline = outline.or(other.outline);
        style.is_item |= other.style.is_item;
        style.place = style.place.or(other.style.place);
        base = other.base.as_ref();
    }
    if outline != Some(OUTLINE_OF_TEXT) {
        style.level = style
            .level
            .or(outline.and_then(|outline| level(outline + 1)));
    }
    style
}

/// Outline levels count from 0; 9 is text.
pub(super) fn level_of_outline(outline: &str) -> Option<usize> {
    level(outline.parse::<usize>().ok()?.checked_add(1)?)
}

fn level(level: usize) -> Option<usize> {
    (1..=6).contains(&level).then_some(level)
}
