//! Reads the body of a DOCX, paragraph by paragraph.

use super::styles::{Style, Styles, level_of_outline};
use super::{DEPTH_MAX, SkipReason, TEXT_BYTES_MAX, attribute, bad_xml, entity, local};
use crate::document::NumberedLine;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// The lines of a body.
pub(super) fn lines(xml: &str, styles: &Styles) -> Result<Vec<NumberedLine>, SkipReason> {
    let mut reader = Reader::from_str(xml);
    let mut body = Body {
        styles,
        lines: Vec::new(),
        bytes: 0,
        paragraph: Paragraph::default(),
        tables: 0,
        row: Vec::new(),
        in_text: false,
        passed_over: 0,
    };
    let mut depth: usize = 0;
    loop {
        match reader.read_event().map_err(bad_xml)? {
            Event::Start(start) => {
                depth += 1;
                if depth > DEPTH_MAX {
                    return Err(bad_xml("nested too deep"));
                }
                body.start(&start);
            }
            Event::Empty(start) => {
                body.start(&start);
                body.end(&local(&start));
            }
            Event::End(end) => {
                depth = depth.saturating_sub(1);
                body.end(end.local_name().into_inner());
            }
            Event::Text(text) if body.takes_text() => {
                body.paragraph.text.push_str(&text.xml10_content());
            }
            Event::CData(text) if body.takes_text() => {
                body.paragraph.text.push_str(&text.xml10_content());
            }
            Event::GeneralRef(name) if body.takes_text() => {
                body.paragraph.text.extend(entity(&name.xml10_content()));
            }
            Event::Eof if depth > 0 => return Err(bad_xml("it ends too early")),
            Event::Eof => break,
            _ => {}
        }
        if body.bytes + body.paragraph.text.len() > TEXT_BYTES_MAX {
            return Err(SkipReason::Inflates(TEXT_BYTES_MAX as u64));
        }
    }
    body.end_paragraph();
    Ok(body.lines)
}

#[derive(Default)]
struct Paragraph {
    text: String,
    level: Option<usize>,
    is_item: bool,
}

struct Body<'a> {
    styles: &'a Styles,
    lines: Vec<NumberedLine>,
    bytes: usize,
    paragraph: Paragraph,
    /// How many tables we are in; the text of inner ones belongs to the cell around them.
    tables: usize,
    row: Vec<String>,
    in_text: bool,
    /// How many elements we are inside of whose text is a repetition, or was deleted.
    passed_over: usize,
}

impl Body<'_> {
    fn start(&mut self, start: &BytesStart<'_>) {
        let value = || attribute(start, "val");
        match local(start).as_str() {
            "Fallback" | "del" | "moveFrom" => self.passed_over += 1,
            "p" if self.tables == 0 => self.end_paragraph(),
            "tbl" => {
                if self.tables == 0 {
                    self.end_paragraph();
                    self.push(String::new());
                }
                self.tables += 1;
            }
            "tr" if self.tables == 1 => self.row.clear(),
            "tc" if self.tables == 1 => self.paragraph = Paragraph::default(),
            "t" => self.in_text = true,
            "tab" | "br" | "cr" => self.paragraph.text.push(' '),
            "noBreakHyphen" => self.paragraph.text.push('-'),
            "numPr" => self.paragraph.is_item = true,
            "pStyle" => match value().and_then(|id| self.styles.get(&id).copied()) {
                Some(Style::Heading(level)) => self.paragraph.level = Some(level),
                Some(Style::Item) => self.paragraph.is_item = true,
                None => {}
            },
            "outlineLvl" => {
                self.paragraph.level = value().and_then(|level| level_of_outline(&level));
            }
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "Fallback" | "del" | "moveFrom" => {
                self.passed_over = self.passed_over.saturating_sub(1)
            }
            "t" => self.in_text = false,
            "p" if self.tables == 0 => self.end_paragraph(),
            "p" => self.paragraph.text.push(' '),
            "tc" if self.tables == 1 => {
                let cell = std::mem::take(&mut self.paragraph).text;
                self.bytes += cell.len();
                self.row.push(text::one_line(&cell));
            }
            "tr" if self.tables == 1 => {
                let cells = std::mem::take(&mut self.row);
                if cells.iter().any(|cell| !cell.is_empty()) {
                    self.push(format!("| {} |", cells.join(" | ")));
                }
            }
            "tbl" => {
                self.tables = self.tables.saturating_sub(1);
                if self.tables == 0 {
                    self.push(String::new());
                }
            }
            _ => {}
        }
    }

    fn takes_text(&self) -> bool {
        self.in_text && self.passed_over == 0
    }

    fn end_paragraph(&mut self) {
        let Paragraph {
            text,
            level,
            is_item,
        } = std::mem::take(&mut self.paragraph);
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        match level {
            Some(level) => self.push(format!("{} {text}", "#".repeat(level))),
            None if is_item => return self.push(format!("- {text}")),
            None => self.push(text.to_owned()),
        }
        self.push(String::new());
    }

    fn push(&mut self, text: String) {
        self.bytes += text.len();
        let number = u32::try_from(self.lines.len() + 1).unwrap_or(u32::MAX);
        self.lines.push(NumberedLine {
            number,
            page: None,
            text,
        });
    }
}
