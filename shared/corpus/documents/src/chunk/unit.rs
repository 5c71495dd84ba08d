//! The smallest units that the chunker packs: sentences, rows, list items, headings.

use super::{heading, tokens};
use crate::document::NumberedLine;
use text::sentences::cut;

/// What a unit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A heading line.
    Heading,
    /// A sentence, or a part of one that is too long.
    Sentence,
    /// A line of a table, of code or of a list; the header is the unit of the table's first line.
    Row {
        /// Index of the header's unit; the header itself names none.
        header: Option<usize>,
    },
}

/// What stands before a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gap {
    Space,
    Line,
    Paragraph,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unit {
    pub(super) kind: Kind,
    pub(super) gap: Gap,
    pub(super) text: String,
    pub(super) tokens: usize,
    /// Where its lines stand: its start, and each line of it.
    pub(super) marks: Vec<LineMark>,
    /// Index of its path of headings.
    pub(super) section: usize,
}

/// A line and page of the source, and the byte of a text that they begin at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineMark {
    /// Byte of the text.
    pub at: usize,
    /// Line in the source, from 1.
    pub line: u32,
    /// Page from 1, where the source has pages.
    pub page: Option<u32>,
}

/// The marks of a part of a text: that of its start, and those inside it.
fn marks_in(marks: &[LineMark], from: usize, to: usize) -> Vec<LineMark> {
    let first = marks.partition_point(|mark| mark.at <= from).max(1) - 1;
    let inside = marks[first..]
        .iter()
        .take_while(|mark| mark.at < to.max(from + 1));
    inside
        .map(|mark| LineMark {
            at: mark.at.saturating_sub(from),
            ..*mark
        })
        .collect()
}

impl Unit {
    /// The last words, at most `room` tokens.
    pub(super) fn tail(&self, room: usize) -> Unit {
        let mut start = self.text.len();
        for (at, word) in words(&self.text).into_iter().rev() {
            if tokens(&self.text[at..]) > room {
                break;
            }
            debug_assert!(!word.is_empty());
            start = at;
        }
        let text = self.text[start..].to_owned();
        Unit {
            tokens: tokens(&text),
            text,
            marks: marks_in(&self.marks, start, self.text.len()),
            ..self.clone()
        }
    }

    /// A header row of a table: repeated in front of other rows.
    pub(super) fn is_header(&self) -> bool {
        self.kind == Kind::Row { header: None }
    }
}

/// Puts units together as they stood, with their marks.
pub(super) fn join(units: &[Unit]) -> (String, Vec<LineMark>) {
    let mut text = String::new();
    let mut marks = Vec::new();
    for unit in units {
        if !text.is_empty() {
            text.push_str(match unit.gap {
                Gap::Space => " ",
                Gap::Line => "\n",
                Gap::Paragraph => "\n\n",
            });
        }
        let start = text.len();
        marks.extend(unit.marks.iter().map(|mark| LineMark {
            at: start + mark.at,
            ..*mark
        }));
        text.push_str(&unit.text);
    }
    (text, marks)
}

/// Reads lines into units of at most `most` tokens and the paths of headings that they stand under.
pub(super) fn units(lines: &[NumberedLine], most: usize) -> (Vec<Unit>, Vec<Vec<String>>) {
    let mut reader = Reader {
        most,
        units: Vec::new(),
        sections: vec![Vec::new()],
        levels: Vec::new(),
        paragraph: Vec::new(),
        table: None,
        fenced: false,
        gap: Gap::Paragraph,
    };
    for line in lines {
        reader.line(line);
    }
    reader.end_paragraph();
    (reader.units, reader.sections)
}

struct Reader<'a> {
    /// Most tokens of a unit.
    most: usize,
    units: Vec<Unit>,
    sections: Vec<Vec<String>>,
    /// Level of each heading of the current path.
    levels: Vec<usize>,
    paragraph: Vec<&'a NumberedLine>,
    /// Unit of the header of the current table.
    table: Option<usize>,
    fenced: bool,
    gap: Gap,
}

impl<'a> Reader<'a> {
    fn line(&mut self, line: &'a NumberedLine) {
        let text = line.text.trim();
        let fence = text.starts_with("```") || text.starts_with("~~~");
        if !is_row(text) {
            self.table = None;
        }
        if text.is_empty() {
            self.end_paragraph();
            self.gap = Gap::Paragraph;
        } else if fence || self.fenced {
            self.fenced ^= fence;
            self.end_paragraph();
            self.push(
                Kind::Row { header: None },
                &[mark(0, line)],
                line.text.trim_end(),
            );
        } else if let Some((level, title)) = heading(text) {
            self.end_paragraph();
            self.enter(level, title);
            self.gap = Gap::Paragraph;
            self.push(Kind::Heading, &[mark(0, line)], text);
        } else if is_row(text) {
            self.end_paragraph();
            let kind = Kind::Row { header: self.table };
            let unit = self.units.len();
            self.push(kind, &[mark(0, line)], text);
            self.table.get_or_insert(unit);
        } else {
            if is_item(text) {
                self.end_paragraph();
            }
            self.paragraph.push(line);
        }
    }

    fn enter(&mut self, level: usize, title: &str) {
        let keep = self.levels.iter().take_while(|&&l| l < level).count();
        self.levels.truncate(keep);
        self.levels.push(level);
        let mut path = self.sections.last().cloned().unwrap_or_default();
        path.truncate(keep);
        path.push(title.to_owned());
        self.sections.push(path);
    }

    fn end_paragraph(&mut self) {
        let lines = std::mem::take(&mut self.paragraph);
        let mut text = String::new();
        let mut marks = Vec::with_capacity(lines.len());
        for line in &lines {
            if !text.is_empty() {
                text.push('\n');
            }
            marks.push(mark(text.len(), line));
            text.push_str(line.text.trim());
        }
        for (at, sentence) in cut::sentences(&text) {
            self.push(
                Kind::Sentence,
                &marks_in(&marks, at, at + sentence.len()),
                sentence,
            );
            self.gap = Gap::Space;
        }
        if !lines.is_empty() {
            self.gap = Gap::Line;
        }
    }

    /// Adds a unit, or several when it is too long for one piece.
    fn push(&mut self, kind: Kind, marks: &[LineMark], text: &str) {
        for part in parts(text, self.most) {
            let at = part.as_ptr() as usize - text.as_ptr() as usize;
            self.units.push(Unit {
                kind,
                gap: self.gap,
                tokens: tokens(part),
                text: part.to_owned(),
                marks: marks_in(marks, at, at + part.len()),
                section: self.sections.len() - 1,
            });
            self.gap = Gap::Space;
        }
        self.gap = Gap::Line;
    }
}

fn mark(at: usize, line: &NumberedLine) -> LineMark {
    LineMark {
        at,
        line: line.number,
        page: line.page,
    }
}

/// A line of a table: cells between bars or tabs.
fn is_row(text: &str) -> bool {
    text.contains('\t') || text.bytes().filter(|&b| b == b'|').count() >= 2
}

/// The start of a list item, which is never joined with the line above.
fn is_item(text: &str) -> bool {
    let marker = text.split(' ').next().unwrap_or_default();
    let number = marker.trim_end_matches(['.', ')']);
    matches!(marker, "-" | "*" | "+" | "•")
        || number.len() < marker.len()
            && (1..=3).contains(&number.len())
            && number.bytes().all(|b| b.is_ascii_digit())
}

/// Words with their offsets.
fn words(text: &str) -> Vec<(usize, &str)> {
    text.split_whitespace()
        .map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
        .collect()
}

/// Parts of at most `most` tokens, cut between words.
fn parts(text: &str, most: usize) -> Vec<&str> {
    if tokens(text) <= most {
        return vec![text];
    }
    let mut parts = Vec::new();
    let (mut start, mut end, mut count) = (0, 0, 0);
    for (at, word) in words(text) {
        let added = tokens(&text[end..at + word.len()]);
        if count + added > most && end > start {
            parts.push(&text[start..end]);
            (start, count) = (at, 0);
        }
        let size = tokens(word);
        if size > most {
            parts.extend(slices(word, most));
            (start, end, count) = (at + word.len(), at + word.len(), 0);
            continue;
        }
        if end <= start {
            start = at;
        }
        count += if count == 0 { size } else { added };
        end = at + word.len();
    }
    if end > start {
        parts.push(&text[start..end]);
    }
    parts
}

/// A word that is longer than a piece, cut between characters.
fn slices(word: &str, most: usize) -> Vec<&str> {
    let mut cuts: Vec<usize> = word
        .char_indices()
        .map(|(at, _)| at)
        .step_by(most)
        .collect();
    cuts.push(word.len());
    cuts.windows(2).map(|w| &word[w[0]..w[1]]).collect()
}
