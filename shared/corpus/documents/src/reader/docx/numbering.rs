//! Numbers paragraphs as people see them: `3.2`, `iv.`, `§ 7`.
//!
//! A paragraph names a list and a level. Lists that share a definition count on together, and a list may begin anew.
//! Formats that are no digits, letters or Roman numbers are shown as digits.

use super::parts::elements;
use super::value;
use crate::reader::numerals::number;
use crate::reader::xml::attribute;
use std::collections::HashMap;

/// Levels of a list.
const LEVELS: usize = 9;
/// Longest text around the numbers of a label, in characters.
const TEMPLATE_CHARS_MAX: usize = 60;
/// The list of paragraphs that are in none, though their style is.
const NO_LIST: u32 = 0;

/// Where a paragraph stands: in which list, and at which level of it from 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) list: Option<u32>,
    pub(super) level: Option<usize>,
}

impl Place {
    /// This place, where something is not said that of another one.
    pub(super) fn or(self, other: Place) -> Place {
        Place {
            list: self.list.or(other.list),
            level: self.level.or(other.level),
        }
    }
}

/// What stands before the text of a paragraph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Label {
    Bullet,
    Number(String),
}

/// A level of a list.
#[derive(Debug, Clone, Default)]
struct Level {
    start: Option<u32>,
    format: String,
    /// `%1.%2.`
    template: String,
    /// The level after which it begins anew, from 1; 0 is never.
    restart: Option<usize>,
    digits_only: bool,
    /// The style whose paragraphs are at this level.
    style: Option<String>,
}

type Levels = [Level; LEVELS];

/// A list: a definition, and what it has otherwise.
#[derive(Debug, Clone, Default)]
struct List {
    definition: u32,
    starts: [Option<u32>; LEVELS],
    levels: Levels,
    begun: bool,
}

/// The lists of a document, and how far they have counted.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    definitions: HashMap<u32, Levels>,
    lists: HashMap<u32, List>,
    /// By the definition.
    counts: HashMap<u32, [Option<u32>; LEVELS]>,
}

impl Numbering {
    pub(super) fn parse(xml: &str) -> Numbering {
        let mut found = Numbering::default();
        // A definition may only name a style, and another one says that it is that style's.
        let (mut named, mut named_by) = (HashMap::new(), Vec::new());
        let (mut definition, mut list, mut at) = (None, None, 0);
        elements(xml, |name, start| {
            let id = |name| {
                attribute(start, name)
                    .and_then(|id| id.parse::<u32>().ok())
                    .unwrap_or_default()
            };
            let value = value(start).unwrap_or_default();
            match (name, definition, list) {
                ("abstractNum", ..) => {
                    (definition, list) = (Some(id("abstractNumId")), None);
                    found
                        .definitions
                        .insert(id("abstractNumId"), Levels::default());
                }
                ("num", ..) => {
                    (definition, list) = (None, Some(id("numId")));
                    found.lists.insert(id("numId"), List::default());
                }
                ("styleLink", Some(definition), _) => drop(named.insert(value, definition)),
                ("numStyleLink", Some(definition), _) => named_by.push((definition, value)),
                ("lvl" | "lvlOverride", ..) => at = (id("ilvl") as usize).min(LEVELS - 1),
                (_, Some(definition), _) => {
                    let levels = found.definitions.get_mut(&definition);
                    levels
                        .into_iter()
                        .for_each(|levels| levels[at].element(name, &value));
                }
                (_, _, Some(list)) => {
                    let list = found.lists.get_mut(&list);
                    list.into_iter()
                        .for_each(|list| list.element(at, name, &value));
                }
                _ => {}
            }
        });
        for (definition, style) in named_by {
            let other = named
                .get(&style)
                .and_then(|other| found.definitions.get(other));
            if let Some(levels) = other.cloned() {
                found.definitions.insert(definition, levels);
            }
        }
        found
    }

    /// The label of the next paragraph at this place, whose style is the one of this id.
    pub(super) fn next(&mut self, place: Place, style: Option<&str>) -> Option<Label> {
        let id = place.list.filter(|id| *id != NO_LIST)?;
        let list = self.lists.get_mut(&id);
        let Some((list, levels)) = list.and_then(|list| {
            let levels = self.definitions.get(&list.definition)?;
            Some((list, levels))
        }) else {
            return Some(Label::Bullet);
        };
        let counts = self.counts.entry(list.definition).or_default();
        if !std::mem::replace(&mut list.begun, true) {
            for (count, start) in counts.iter_mut().zip(list.starts) {
                *count = count.filter(|_| start.is_none());
            }
        }
        let own = |at: usize| Some(&list.levels[at]).filter(|level| level.is_said());
        let level_of = |at: usize| own(at).unwrap_or(&levels[at]);
        let is_of_style = |at: &usize| style.is_some() && level_of(*at).style.as_deref() == style;
        let by_style = || (0..LEVELS).find(is_of_style);
        let at = place
            .level
            .or_else(by_style)
            .unwrap_or_default()
            .min(LEVELS - 1);
        let start = |at: usize| list.starts[at].or(level_of(at).start).unwrap_or(1);
        // A level that was passed over has begun with that.
        for (above, count) in counts.iter_mut().enumerate().take(at) {
            count.get_or_insert(start(above));
        }
        counts[at] = Some(counts[at].map_or(start(at), |count| count.saturating_add(1)));
        for (below, count) in counts.iter_mut().enumerate().skip(at + 1) {
            *count = count.filter(|_| level_of(below).restart.is_some_and(|after| after <= at));
        }
        let level = level_of(at);
        if !level.is_said() {
            return Some(Label::Bullet);
        }
        level.shown(|other| {
            let format = match level.digits_only {
                true => "",
                false => level_of(other).format.as_str(),
            };
            formatted(counts[other].unwrap_or(1), format)
        })
    }
}

impl List {
    fn element(&mut self, at: usize, name: &str, value: &str) {
        match name {
            "abstractNumId" => self.definition = value.parse().unwrap_or_default(),
            "startOverride" => self.starts[at] = value.parse().ok(),
            _ => self.levels[at].element(name, value),
        }
    }
}

impl Level {
    fn element(&mut self, name: &str, value: &str) {
        match name {
            "start" => self.start = value.parse().ok(),
            "numFmt" => self.format = value.to_owned(),
            "lvlText" => self.template = value.chars().take(TEMPLATE_CHARS_MAX).collect(),
            "lvlRestart" => self.restart = value.parse().ok(),
            "isLgl" => self.digits_only = is_on(value),
            "pStyle" => self.style = Some(value.to_owned()),
            _ => {}
        }
    }

    fn is_said(&self) -> bool {
        !self.format.is_empty() || !self.template.is_empty()
    }

    /// `number` gives the number of a level.
    fn shown(&self, number: impl Fn(usize) -> String) -> Option<Label> {
        match self.format.as_str() {
            "bullet" => return Some(Label::Bullet),
            "none" => return None,
            _ => {}
        }
        let mut parts = self.template.split('%');
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let digit = part
                .chars()
                .next()
                .and_then(|c| c.to_digit(10))
                .unwrap_or_default() as usize;
            match (1..=LEVELS).contains(&digit) {
                true => text.extend([number(digit - 1).as_str(), &part[1..]]),
                false => text.extend(["%", part]),
            }
        }
        let text = text.trim();
        (!text.is_empty()).then(|| Label::Number(text.to_owned()))
    }
}

/// Whether a switch is on.
pub(super) fn is_on(value: &str) -> bool {
    !matches!(value, "0" | "false" | "off")
}

/// A number in a format.
fn formatted(count: u32, format: &str) -> String {
    match format {
        "decimalZero" => format!("{count:02}"),
        "lowerLetter" => number(count, 'a'),
        "upperLetter" => number(count, 'A'),
        "lowerRoman" => number(count, 'i'),
        "upperRoman" => number(count, 'I'),
        _ => count.to_string(),
    }
}
