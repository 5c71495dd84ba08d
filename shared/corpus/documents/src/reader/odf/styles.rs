//! What the styles of a document say about its words: what is hidden, what is the title, and how lists are numbered.

use crate::reader::numerals::number;
use crate::reader::tree::Node;
use std::collections::{HashMap, HashSet};

/// Levels of a list.
const LEVELS: usize = 10;
/// How many styles may stand behind each other.
const PARENTS_MAX: usize = 20;
/// The list of headings.
pub(super) const OUTLINE: &str = "\u{0}outline";

#[derive(Default)]
pub(super) struct Styles {
    parents: HashMap<String, String>,
    /// Those whose text, section or slide is not shown.
    hidden: HashSet<String>,
    lists: HashMap<String, HashMap<usize, Level>>,
}

/// How the items at a level of a list are marked.
#[derive(Default)]
struct Level {
    /// `None` for a bullet; an empty one is no mark at all.
    format: Option<String>,
    prefix: String,
    suffix: String,
    /// How many levels the number has.
    shown: usize,
    start: u32,
}

/// How far a list has counted.
pub(super) type Counts = [Option<u32>; LEVELS];

impl Styles {
    pub(super) fn add(&mut self, part: Node<'_>) {
        for style in part.children() {
            let name = match style.name() {
                "outline-style" => OUTLINE.to_owned(),
                _ => style.attribute("name").unwrap_or_default(),
            };
            match style.name() {
                "style" => {
                    let is_hidden = style.children().any(|properties| {
                        properties.attribute("display").as_deref() == Some("none")
                            || properties.attribute("visibility").as_deref() == Some("hidden")
                    });
                    if is_hidden {
                        self.hidden.insert(name.clone());
                    }
                    if let Some(parent) = style.attribute("parent-style-name") {
                        self.parents.insert(name, parent);
                    }
                }
                "list-style" | "outline-style" => {
                    let levels = style
                        .children()
                        .filter_map(|level| Some((level.number("level")?, level)));
                    let levels = levels.map(|(at, level)| (at as usize, Level::of(level)));
                    self.lists.insert(name, levels.collect());
                }
                _ => {}
            }
        }
    }

    fn chain(&self, node: Node<'_>) -> impl Iterator<Item = String> {
        let first = node.attribute("style-name");
        std::iter::successors(first, |name| self.parents.get(name).cloned()).take(PARENTS_MAX)
    }

    pub(super) fn hides(&self, node: Node<'_>) -> bool {
        self.chain(node).any(|name| self.hidden.contains(&name))
    }

    /// Whether a paragraph is the title of the document.
    pub(super) fn is_title(&self, node: Node<'_>) -> bool {
        self.chain(node).any(|name| name == "Title")
    }

    /// Counts an item, at a level from 1; what stands before its text.
    pub(super) fn next(
        &self,
        list: &str,
        level: usize,
        start: Option<u32>,
        counts: &mut Counts,
    ) -> String {
        let levels = self.lists.get(list);
        let of = |level: usize| levels.and_then(|levels| levels.get(&level));
        let Some((found, format)) =
            of(level).and_then(|found| Some((found, found.format.as_ref()?)))
        else {
            return if list == OUTLINE {
                String::new()
            } else {
                "- ".to_owned()
            };
        };
        let at = level.clamp(1, LEVELS) - 1;
        let counted = counts[at].map_or(found.start, |count| count.saturating_add(1));
        counts[at] = Some(start.unwrap_or(counted));
        counts[at + 1..].fill(None);
        if format.is_empty() {
            return String::new();
        }
        let from = level.saturating_sub(found.shown.max(1)) + 1;
        let shown = (from..=level).filter_map(|level| {
            let above = of(level)?;
            let count = counts[level.clamp(1, LEVELS) - 1].unwrap_or(above.start);
            Some(number(count, above.format.as_ref()?.chars().next()?))
        });
        let shown: Vec<String> = shown.collect();
        format!("{}{}{} ", found.prefix, shown.join("."), found.suffix)
    }
}

impl Level {
    fn of(level: Node<'_>) -> Level {
        let text = |name| level.attribute(name).unwrap_or_default();
        let is_bullet = level.name() == "list-level-style-bullet";
        Level {
            format: (!is_bullet).then(|| text("num-format")),
            prefix: text("num-prefix"),
            suffix: text("num-suffix"),
            shown: (level.number("display-levels").unwrap_or(1) as usize).min(LEVELS),
            start: level.number("start-value").unwrap_or(1),
        }
    }
}
