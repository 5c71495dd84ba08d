//! The lines that the text of a part becomes: paragraphs, and behind them their notes, boxes and drawings.

use super::Body;
use crate::document::NumberedLine;
use crate::reader::docx::numbering::{Label, is_on};
use crate::reader::docx::paragraph::Paragraph;
use crate::reader::docx::shape::Kind;
use crate::reader::docx::table::Table;
use crate::reader::xml::attribute;
use quick_xml::events::BytesStart;
use text::one_line;

/// What a line counts for, apart from its text.
const LINE_BYTES: usize = 16;
/// Most headers and footers.
const MARGINS_MAX: usize = 500;

/// Text that runs on: that of the part, or that of a text box in it.
#[derive(Default)]
pub(super) struct Flow {
    pub(super) paragraph: Paragraph,
    pub(super) table: Table,
    /// What is read behind the paragraph or the table: notes, charts, text boxes.
    pub(super) after: Vec<NumberedLine>,
    /// Where the lines of a text box begin.
    pub(super) begin: usize,
}

/// A section of a DOCX: kinds and relations of its headers and footers.
#[derive(Default)]
pub(super) struct Section {
    pub(super) margins: Vec<(String, String)>,
    pub(super) first_page: bool,
}

impl Body<'_> {
    pub(super) fn start_table(&mut self) {
        if self.flow.table.depth == 0 {
            self.end_paragraph();
            self.part();
        }
        self.flow.table.depth += 1;
    }

    /// The paragraph that follows, or the rest of this one, is on the next page.
    pub(super) fn begin_page(&mut self) {
        self.read.page_breaks += 1;
        self.page = self.page.map(|page| page.saturating_add(1));
        let paragraph = &mut self.flow.paragraph;
        paragraph.breaks.push((paragraph.text.len(), self.page));
    }

    pub(super) fn start_box(&mut self) {
        let inner = Flow {
            begin: self.read.lines.len(),
            ..Flow::default()
        };
        self.outer.push(std::mem::replace(&mut self.flow, inner));
    }

    pub(super) fn end_box(&mut self) {
        self.end_paragraph();
        if let Some(outer) = self.outer.pop() {
            let inner = std::mem::replace(&mut self.flow, outer);
            let from = inner.begin.min(self.read.lines.len());
            self.flow.after.extend(self.read.lines.drain(from..));
        }
    }

    /// Marks the place of a note, as people see it, and keeps its text for the end of the paragraph.
    pub(super) fn refer(&mut self, start: &BytesStart<'_>, name: &str) {
        let has_own_mark = attribute(start, "customMarkFollows").is_some_and(|value| is_on(&value));
        let id = attribute(start, "id").unwrap_or_default();
        let Some((mark, text)) = self.around.note(name, id, has_own_mark) else {
            return;
        };
        self.flow.paragraph.push_mark(&mark);
        self.flow
            .after
            .push(line(format!("{mark} {text}"), self.page));
    }

    pub(super) fn start_note(&mut self, start: &BytesStart<'_>) {
        self.end_paragraph();
        self.note = attribute(start, "id").map(|id| (id, self.read.lines.len()));
    }

    pub(super) fn end_note(&mut self, name: &str) {
        self.end_paragraph();
        let Some((id, from)) = self.note.take() else {
            return;
        };
        let from = from.min(self.read.lines.len());
        let lines: Vec<String> = self
            .read
            .lines
            .drain(from..)
            .map(|line| line.text)
            .collect();
        let text = one_line(&lines.join(" "));
        if !text.is_empty() {
            self.around.notes.insert((name.to_owned(), id), text);
        }
    }

    pub(super) fn end_section(&mut self) {
        let Section {
            margins,
            first_page,
        } = std::mem::take(&mut self.section);
        for (kind, id) in margins {
            let is_used = match kind.as_str() {
                "first" => first_page,
                "even" => self.around.even_pages,
                _ => true,
            };
            if is_used
                && self.around.margins.len() < MARGINS_MAX
                && !self.around.margins.contains(&id)
            {
                self.around.margins.push(id);
            }
        }
    }

    /// Reads what is drawn here behind the paragraph.
    pub(super) fn draw(&mut self, id: Option<String>) {
        let Some(lines) = id.and_then(|id| self.around.drawn.remove(&id)) else {
            return;
        };
        let lines = std::iter::once(String::new()).chain(lines);
        self.flow
            .after
            .extend(lines.map(|text| line(text, self.page)));
        if self.flow.paragraph.text.is_empty() {
            self.push_after();
        }
    }

    pub(super) fn end_paragraph(&mut self) {
        let next = Paragraph {
            page: self.page,
            ..Paragraph::default()
        };
        let paragraph = std::mem::replace(&mut self.flow.paragraph, next);
        self.is_hidden = false;
        let style = paragraph
            .style
            .as_ref()
            .and_then(|id| self.around.styles.get(id));
        let style = style.copied().unwrap_or_default();
        let is_item = style.is_item && paragraph.place.list.is_none();
        let place = paragraph.place.or(style.place);
        let is_empty = paragraph.text.trim().is_empty();
        // An empty paragraph is numbered as well.
        let label = match self
            .around
            .numbering
            .next(place, paragraph.style.as_deref())
        {
            None if !is_empty => self
                .shape
                .next(&paragraph.mark)
                .or(is_item.then_some(Label::Bullet)),
            label => label,
        };
        if is_empty || paragraph.is_page_number() {
            return self.push_after();
        }
        match self.shape.kind {
            _ if self.flow.table.depth > 0 => {
                self.flow.table.cell.push_str(&paragraph.in_cell(label))
            }
            Kind::Title | Kind::TitleOfAll => {
                self.read.title.push_str(&paragraph.in_cell(None));
                self.read.is_title_of_all = self.shape.kind == Kind::TitleOfAll;
            }
            Kind::Edge => self.read.edges.push(one_line(&paragraph.text)),
            _ => {
                let level = paragraph.level.unwrap_or(style.level);
                let (lines, is_item) = paragraph.lines(level, label);
                // A paragraph does not run on from the list item above it.
                if !is_item {
                    self.part();
                }
                lines.into_iter().for_each(|line| self.push(line));
                self.push_after();
                if !is_item {
                    self.part();
                }
            }
        }
    }

    pub(super) fn push_after(&mut self) {
        if self.flow.table.depth == 0 {
            let after = std::mem::take(&mut self.flow.after);
            after.into_iter().for_each(|line| self.push(line));
        }
    }

    /// Parts what is before from what is behind.
    pub(super) fn part(&mut self) {
        if self.read.lines.len() > self.flow.begin
            && self
                .read
                .lines
                .last()
                .is_some_and(|line| !line.text.is_empty())
        {
            self.push(line(String::new(), self.page));
        }
    }

    pub(super) fn push(&mut self, line: NumberedLine) {
        self.around.bytes += line.text.len() + LINE_BYTES;
        self.read.lines.push(line);
    }
}

pub(super) fn line(text: String, page: Option<u32>) -> NumberedLine {
    NumberedLine::new(0, page, text)
}
