//! What a document says about all of its parts, and what is read from each of them.

use super::body::read;
use super::chart;
use super::numbering::Numbering;
use super::parts::{Parts, Relations};
use super::styles::Styles;
use crate::document::NumberedLine;
use crate::reader::SkipReason;
use crate::reader::numerals::number;
use std::collections::{BTreeMap, HashMap};

/// Damaged parts that are named one by one.
const DAMAGED_MAX: usize = 5;

/// What is known of a document, and how far the reader has come in it.
#[derive(Default)]
pub(in crate::reader) struct Around {
    pub(super) styles: Styles,
    pub(super) numbering: Numbering,
    /// Footnotes and endnotes, by the name of their element and their ids, until they are read at their place.
    pub(super) notes: HashMap<(String, String), String>,
    /// How many notes were referred to.
    pub(super) footnotes: u32,
    pub(super) endnotes: u32,
    /// Lines of charts and diagrams, by the relations of the part, until they are read at their place.
    pub(in crate::reader) drawn: BTreeMap<String, Vec<String>>,
    /// Headers and footers that are used, by their relations.
    pub(super) margins: Vec<String>,
    /// Whether it is one of them that is read, or the notes of a slide.
    pub(in crate::reader) is_aside: bool,
    /// Whether there are headers for even pages.
    pub(super) even_pages: bool,
    /// What could not be read.
    pub(in crate::reader) left_out: Option<SkipReason>,
    /// How many parts that is.
    pub(in crate::reader) damaged: usize,
    /// How many bytes of text there are.
    pub(super) bytes: usize,
}

/// What is read from a part.
#[derive(Default)]
pub(in crate::reader) struct Text {
    pub(in crate::reader) lines: Vec<NumberedLine>,
    /// What stands in the title of a slide.
    pub(in crate::reader) title: String,
    /// Whether that is the title of all slides.
    pub(in crate::reader) is_title_of_all: bool,
    /// Whether it is a slide that is not shown.
    pub(in crate::reader) is_hidden: bool,
    /// What stands at the edge of a slide.
    pub(in crate::reader) edges: Vec<String>,
    /// How many characters there are without blanks, as a program counts them.
    pub(super) characters: usize,
    /// How often a page began, as the program wrote down.
    pub(super) page_breaks: u32,
}

impl Around {
    /// Reads the charts and diagrams that a part refers to, to stand at their places in it.
    pub(in crate::reader) fn draw_from(
        &mut self,
        parts: &mut Parts<'_>,
        relations: &Relations,
    ) -> Result<(), SkipReason> {
        self.drawn.clear();
        for (id, relation) in relations {
            let is_chart = relation.kind == "chart";
            if !is_chart && relation.kind != "diagramData" {
                continue;
            }
            let xml = parts.text(&relation.part)?.unwrap_or_default();
            let found = match is_chart {
                true => chart::lines(&xml),
                false => read(&xml, &mut Around::default(), None).map(|text| {
                    let lines = text.lines.into_iter();
                    lines.map(|line| line.text).collect()
                }),
            };
            let lines = self.or_left_out("a chart or diagram", found)?;
            self.drawn.insert(id.clone(), lines);
        }
        Ok(())
    }

    /// The mark of a note, as people see it, and its text.
    pub(super) fn note(
        &mut self,
        reference: &str,
        id: String,
        has_own_mark: bool,
    ) -> Option<(String, String)> {
        let kind = reference.trim_end_matches("Reference").to_owned();
        let is_endnote = kind == "endnote";
        let text = self.notes.remove(&(kind, id))?;
        if has_own_mark {
            return Some(("[note]".to_owned(), text));
        }
        let (format, count) = match is_endnote {
            true => ('i', &mut self.endnotes),
            false => ('1', &mut self.footnotes),
        };
        *count += 1;
        Some((format!("[note {}]", number(*count, format)), text))
    }

    /// What was read of a part, without which the rest is read if it is damaged.
    pub(in crate::reader) fn or_left_out<T: Default>(
        &mut self,
        what: &str,
        found: Result<T, SkipReason>,
    ) -> Result<T, SkipReason> {
        match found {
            Err(SkipReason::Broken(why)) => {
                self.damaged += 1;
                if self.damaged <= DAMAGED_MAX {
                    let why = format!("{what} left out, which is damaged: {why}");
                    let why = Some(SkipReason::Partial(why));
                    self.left_out = SkipReason::both(self.left_out.take(), why);
                }
                Ok(T::default())
            }
            other => other,
        }
    }
}
