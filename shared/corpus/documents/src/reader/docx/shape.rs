//! What the shapes of a slide make of their paragraphs: the title, list items, or what stands at its edge.

use super::numbering::Label;
use crate::reader::numerals::number;
use crate::reader::xml::attribute;
use quick_xml::events::BytesStart;
use std::collections::BTreeMap;

/// A shape of a slide; outside slides everything is in a plain one.
#[derive(Default)]
pub(super) struct Shape {
    pub(super) kind: Kind,
    /// The last numbers of its paragraphs, by their levels.
    numbers: BTreeMap<u32, u32>,
}

/// What a shape is for.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    #[default]
    Plain,
    /// The title of the slide.
    Title,
    /// The title of all slides, on the first of them.
    TitleOfAll,
    /// Its paragraphs are list items where nothing else is said.
    List,
    /// Date, header or footer.
    Edge,
    /// The number of the slide.
    PassedOver,
}

/// How a paragraph of a slide says that it is marked.
#[derive(Default)]
pub(super) struct Mark {
    level: u32,
    /// Whether there is a bullet; the shape says it where the paragraph does not.
    bullet: Option<bool>,
    /// Format and first number.
    number: Option<(String, u32)>,
}

impl Kind {
    /// Of a placeholder, by its type.
    pub(super) fn of(placeholder: Option<&str>) -> Kind {
        match placeholder {
            Some("title") => Kind::Title,
            Some("ctrTitle") => Kind::TitleOfAll,
            Some("sldNum") => Kind::PassedOver,
            Some("dt" | "ftr" | "hdr") => Kind::Edge,
            Some("body" | "obj") | None => Kind::List,
            Some(_) => Kind::Plain,
        }
    }
}

impl Mark {
    /// Takes what an element of a paragraph's properties says.
    pub(super) fn element(&mut self, name: &str, start: &BytesStart<'_>) {
        let count = |name| attribute(start, name).and_then(|value| value.parse::<u32>().ok());
        match name {
            "pPr" => self.level = count("lvl").unwrap_or_default(),
            "buAutoNum" => {
                let format = attribute(start, "type").unwrap_or_default();
                self.number = Some((format, count("startAt").unwrap_or(1)));
            }
            _ => self.bullet = Some(name != "buNone"),
        }
    }
}

impl Shape {
    /// The label of the next paragraph.
    pub(super) fn next(&mut self, mark: &Mark) -> Option<Label> {
        self.numbers.retain(|level, _| *level <= mark.level);
        let Some((format, first)) = &mark.number else {
            self.numbers.remove(&mark.level);
            let bullet = mark.bullet.unwrap_or(self.kind == Kind::List);
            return bullet.then_some(Label::Bullet);
        };
        let last = self.numbers.get(&mark.level);
        let next = last.map_or(*first, |last| last.saturating_add(1));
        self.numbers.insert(mark.level, next);
        Some(Label::Number(numbered(next, format)))
    }
}

/// A number in a format of slides: `arabicPeriod`, `alphaLcParenBoth`, `romanUcParenR`.
fn numbered(next: u32, format: &str) -> String {
    let digits = match format {
        f if f.starts_with("alphaLc") => 'a',
        f if f.starts_with("alphaUc") => 'A',
        f if f.starts_with("romanLc") => 'i',
        f if f.starts_with("romanUc") => 'I',
        _ => '1',
    };
    let text = number(next, digits);
    match format {
        f if f.ends_with("ParenBoth") => format!("({text})"),
        f if f.ends_with("ParenR") => format!("{text})"),
        f if f.ends_with("Plain") => text,
        _ => format!("{text}."),
    }
}
