//! Reads the text of a part of an office document, paragraph by paragraph: the body of a DOCX, its notes, headers and
//! footers, and the slides of a PPTX, whose elements have the same names.

mod flow;

use super::around::{Around, Text};
use super::field::Fields;
use super::numbering::is_on;
use super::paragraph::Paragraph;
use super::shape::{Kind, Shape};
use super::styles::level_of_outline;
use super::table::Table;
use super::value;
use crate::reader::tree::{Tree, latex};
use crate::reader::xml::{Events, attribute, walk};
use crate::reader::{SkipReason, TEXT_BYTES_MAX};
use flow::{Flow, Section, line};
use quick_xml::events::BytesStart;

/// Longest formula that is read, as it is written.
const FORMULA_BYTES_MAX: usize = 256 * 1024;

/// Reads a part; its lines are on this page and, where it says that a page begins, on those after it.
pub(in crate::reader) fn read(
    xml: &str,
    around: &mut Around,
    page: Option<u32>,
) -> Result<Text, SkipReason> {
    let mut body = Body {
        around,
        read: Text::default(),
        page,
        flow: Flow::default(),
        outer: Vec::new(),
        fields: Fields::default(),
        shape: Shape::default(),
        note: None,
        section: Section::default(),
        in_text: false,
        is_hidden: false,
        is_raised: false,
        passed_over: 0,
    };
    walk(xml, &mut body)?;
    body.end_paragraph();
    Ok(body.read)
}

struct Body<'a> {
    around: &'a mut Around,
    read: Text,
    page: Option<u32>,
    flow: Flow,
    outer: Vec<Flow>,
    fields: Fields,
    shape: Shape,
    /// The id of the note that is being read, and where its lines begin.
    note: Option<(String, usize)>,
    section: Section,
    in_text: bool,
    is_hidden: bool,
    is_raised: bool,
    /// How many elements we are inside of whose text is a repetition, or was deleted.
    passed_over: usize,
}

impl Events for Body<'_> {
    fn start(&mut self, start: &BytesStart<'_>) {
        let name = start.local_name().into_inner();
        if self.passed_over > 0 || is_passed_over(name) {
            self.passed_over += 1;
            return;
        }
        let paragraph = &mut self.flow.paragraph;
        match name {
            "p" if self.flow.table.depth == 0 => self.end_paragraph(),
            "p" => self.flow.paragraph = Paragraph::default(),
            "tbl" => self.start_table(),
            "tr" | "tc" | "gridBefore" | "gridSpan" | "hMerge" | "vMerge"
                if self.flow.table.depth == 1 =>
            {
                self.flow.table.start(name, start);
            }
            "t" => self.in_text = true,
            "tab" | "br" | "cr" | "ptab" => paragraph.push(" "),
            "noBreakHyphen" => paragraph.push("-"),
            "r" => (self.is_hidden, self.is_raised) = (false, false),
            "vanish" => self.is_hidden = value(start).is_none_or(|value| is_on(&value)),
            "vertAlign" => {
                self.is_raised = value(start).is_some_and(|value| value == "superscript")
            }
            "rPr" => {
                let baseline =
                    attribute(start, "baseline").and_then(|percent| percent.parse::<i32>().ok());
                self.is_raised = baseline.is_some_and(|percent| percent > 0);
            }
            "pStyle" => paragraph.style = value(start),
            "numId" => paragraph.place.list = value(start).and_then(|list| list.parse().ok()),
            "ilvl" => paragraph.place.level = value(start).and_then(|level| level.parse().ok()),
            "outlineLvl" => paragraph.level = value(start).map(|level| level_of_outline(&level)),
            "lastRenderedPageBreak" => self.begin_page(),
            "footnoteReference" | "endnoteReference" => self.refer(start, name),
            "footnote" | "endnote" => self.start_note(start),
            "txbxContent" => self.start_box(),
            "headerReference" | "footerReference" => {
                let kind = attribute(start, "type").unwrap_or_default();
                self.section
                    .margins
                    .extend(attribute(start, "id").map(|id| (kind, id)));
            }
            "titlePg" => self.section.first_page = value(start).is_none_or(|value| is_on(&value)),
            "chart" => self.draw(attribute(start, "id")),
            "relIds" => self.draw(attribute(start, "dm")),
            "sp" => self.shape = Shape::default(),
            "sld" => {
                self.read.is_hidden = attribute(start, "show").is_some_and(|show| !is_on(&show))
            }
            "ph" => {
                let kind = Kind::of(attribute(start, "type").as_deref());
                let is_plain = self.around.is_aside && kind == Kind::List;
                self.shape.kind = if is_plain { Kind::Plain } else { kind };
            }
            "pPr" | "buNone" | "buChar" | "buBlip" | "buAutoNum" => {
                paragraph.mark.element(name, start)
            }
            _ => {
                if let Some(shown) = self.fields.start(name, start) {
                    self.flow.paragraph.push(&shown);
                }
            }
        }
    }

    fn end(&mut self, name: &str) {
        if self.passed_over > 0 {
            self.passed_over -= 1;
            return;
        }
        match name {
            "t" => self.in_text = false,
            "r" | "pPr" => (self.is_hidden, self.is_raised) = (false, false),
            "p" => self.end_paragraph(),
            "tc" if self.flow.table.depth == 1 => self.flow.table.end_cell(),
            "tr" if self.flow.table.depth == 1 => {
                if let Some(row) = self.flow.table.end_row() {
                    self.push(line(row, self.page));
                }
            }
            "tbl" => {
                self.flow.table.depth = self.flow.table.depth.saturating_sub(1);
                if self.flow.table.depth == 0 {
                    self.flow.table = Table::default();
                    self.part();
                    self.push_after();
                }
            }
            "txbxContent" => self.end_box(),
            "footnote" | "endnote" => self.end_note(name),
            "sectPr" => self.end_section(),
            "sp" => self.shape = Shape::default(),
            _ => {
                if let Some(shown) = self.fields.end(name) {
                    self.flow.paragraph.push(&shown);
                }
            }
        }
    }

    fn text(&mut self, text: &str) {
        if self.passed_over > 0 || self.is_hidden {
            return;
        }
        if self.fields.takes(text) || !self.in_text || self.shape.kind == Kind::PassedOver {
            return;
        }
        if self.around.is_aside && self.fields.counts_pages() {
            self.flow.paragraph.counts_pages = true;
            return;
        }
        let paragraph = &mut self.flow.paragraph;
        self.read.characters += text.chars().filter(|c| !c.is_whitespace()).count();
        match self.fields.shown(text) {
            Some(shown) => paragraph.push(&shown),
            None if self.is_raised => paragraph.push_raised(text),
            None => paragraph.push(text),
        }
    }

    fn is_whole(&self, name: &str) -> bool {
        name == "oMath" && self.passed_over == 0
    }

    fn whole(&mut self, formula: &str) {
        let formula = format!("<oMath>{formula}</oMath>");
        if formula.len() <= FORMULA_BYTES_MAX
            && let Ok(tree) = Tree::parse(&formula)
            && let Some(root) = tree.root()
        {
            self.flow.paragraph.push_formula(&latex(root));
        }
    }

    fn has_room(&self) -> Result<(), SkipReason> {
        let read = self.flow.paragraph.text.len() + self.flow.table.cell.len();
        match self.around.bytes + read > TEXT_BYTES_MAX {
            true => Err(SkipReason::Inflates(TEXT_BYTES_MAX as u64)),
            false => Ok(()),
        }
    }
}

/// Elements whose text is a repetition, or was deleted, or is how something looked before.
fn is_passed_over(name: &str) -> bool {
    matches!(name, "Fallback" | "del" | "moveFrom" | "rt") || name.ends_with("PrChange")
}
