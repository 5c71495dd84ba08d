//! Text of an RTF that runs on: paragraphs, cells and rows.

use crate::reader::lines::{Lines, push_mark};
use std::collections::HashMap;
use text::one_line;

/// Levels of headings are those of the outline below this one, which is for text.
const TEXT_LEVEL: i32 = 9;

/// What holds for a paragraph.
#[derive(Debug, Clone, Default)]
pub(super) struct Format {
    pub(super) in_table: bool,
    pub(super) level: Option<i32>,
    pub(super) style: i32,
}

#[derive(Debug, Default)]
pub(super) struct Flow {
    pub(super) paragraph: String,
    /// What stands before the paragraph.
    pub(super) label: String,
    pub(super) format: Format,
    cell: String,
    row: Vec<String>,
    is_after_row: bool,
    /// Notes of the paragraph or the row.
    notes: Vec<String>,
    pub(super) lines: Lines,
}

impl Flow {
    pub(super) fn begin_format(&mut self) {
        self.format = Format::default();
    }

    pub(super) fn end_paragraph(&mut self, levels: &HashMap<i32, i32>) {
        let text = self.shown();
        if self.format.in_table {
            self.cell.push_str(&text);
            self.cell.push(' ');
            return;
        }
        if std::mem::take(&mut self.is_after_row) {
            self.lines.part();
        }
        let level = self
            .format
            .level
            .or(levels.get(&self.format.style).copied());
        match level.filter(|level| (0..TEXT_LEVEL).contains(level)) {
            Some(level) => self
                .lines
                .heading(level as usize + 1, text.trim_start_matches("- ")),
            None => self.lines.push(&text),
        }
        self.push_notes();
    }

    /// The paragraph so far, with its label.
    fn shown(&mut self) -> String {
        let (text, label) = (
            std::mem::take(&mut self.paragraph),
            std::mem::take(&mut self.label),
        );
        let (text, label) = (one_line(&text), label.trim());
        let bullet = text.strip_prefix(['•', '·']);
        match label.chars().any(char::is_alphanumeric) && label != "o" {
            _ if text.is_empty() => text,
            true => format!("{label} {text}"),
            false if !label.is_empty() => format!("- {text}"),
            false => bullet.map_or(text.clone(), |text| format!("- {}", text.trim_start())),
        }
    }

    pub(super) fn end_cell(&mut self, levels: &HashMap<i32, i32>) {
        self.end_inner_cell(levels);
        let cell = std::mem::take(&mut self.cell);
        self.row.push(cell);
    }

    /// Inner tables belong to the cell around them.
    pub(super) fn end_inner_cell(&mut self, levels: &HashMap<i32, i32>) {
        self.format.in_table = true;
        self.end_paragraph(levels);
    }

    pub(super) fn end_row(&mut self, levels: &HashMap<i32, i32>) {
        if !self.row.is_empty() || !self.cell.is_empty() {
            self.end_cell(levels);
            while self.row.last().is_some_and(|cell| cell.trim().is_empty()) {
                self.row.pop();
            }
            if !self.is_after_row {
                self.lines.part();
            }
            let row = std::mem::take(&mut self.row);
            self.lines.row(&row);
            self.is_after_row = true;
        } else {
            self.end_paragraph(levels);
        }
        self.push_notes();
    }

    /// Marks the place of a note, and keeps its text for the end of the paragraph.
    pub(super) fn note(&mut self, number: u32, text: &str) {
        let mark = format!("[note {number}]");
        push_mark(&mut self.paragraph, &mark);
        self.notes.push(format!("{mark} {}", one_line(text)));
    }

    fn push_notes(&mut self) {
        for note in std::mem::take(&mut self.notes) {
            self.lines.push(&note);
        }
    }
}
