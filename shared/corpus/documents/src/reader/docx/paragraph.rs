//! A paragraph, and the lines that it becomes.

use super::numbering::{Label, Place};
use super::shape::Mark;
use crate::document::NumberedLine;
use crate::reader::lines::push_mark;
use text::sentences::cut;

/// Most digits of a number that marks a list item by itself.
const DIGITS_MAX: usize = 3;
/// Most words around the number of a page: `Page`, `of`.
const PAGE_WORDS_MAX: usize = 2;

/// Digits and signs above the line.
const RAISED: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻";

#[derive(Default)]
pub(super) struct Paragraph {
    pub(super) text: String,
    pub(super) style: Option<String>,
    /// Whether it is a heading, where it says that itself.
    pub(super) level: Option<Option<usize>>,
    pub(super) place: Place,
    /// What it says in a slide.
    pub(super) mark: Mark,
    /// Whether the number of the page stands in it.
    pub(super) counts_pages: bool,
    /// The page that it begins on.
    pub(super) page: Option<u32>,
    /// Where its text goes over to other pages.
    pub(super) breaks: Vec<(usize, Option<u32>)>,
}

impl Paragraph {
    /// Adds text; a box stands apart from the words behind it.
    pub(super) fn push(&mut self, text: &str) {
        let is_box = self.text.ends_with("[x]") || self.text.ends_with("[ ]");
        if is_box && text.starts_with(char::is_alphanumeric) {
            self.text.push(' ');
        }
        self.text.push_str(text);
    }

    /// Adds what stands above the line: `10²` is not `102`. Other than numbers it stays as it is.
    pub(super) fn push_raised(&mut self, text: &str) {
        let raised = |c: char| RAISED.chars().nth("0123456789+-".find(c)?);
        let found: Option<String> = text.chars().map(raised).collect();
        self.text.push_str(found.as_deref().unwrap_or(text));
    }

    pub(super) fn push_formula(&mut self, latex: &str) {
        if latex.is_empty() {
            return;
        }
        if self
            .text
            .ends_with(|c: char| c.is_alphanumeric() || c == '$')
        {
            self.text.push(' ');
        }
        self.text.push_str(&format!("${latex}$"));
    }

    /// Adds the mark of a note, which belongs to the sentence before it.
    pub(super) fn push_mark(&mut self, mark: &str) {
        push_mark(&mut self.text, mark);
    }

    /// Whether it is the number of a page, with a word for page perhaps, and no more.
    pub(super) fn is_page_number(&self) -> bool {
        let words = self.text.split_whitespace();
        let words = words.filter(|word| word.contains(char::is_alphanumeric));
        self.counts_pages && words.count() <= PAGE_WORDS_MAX
    }

    /// The paragraph as a part of a cell.
    pub(super) fn in_cell(&self, label: Option<Label>) -> String {
        match label {
            Some(Label::Number(label)) => format!("{label} {} ", self.text.trim()),
            _ => format!("{} ", self.text.trim()),
        }
    }

    /// Its lines, and whether it is an item of a list.
    pub(super) fn lines(
        &self,
        level: Option<usize>,
        label: Option<Label>,
    ) -> (Vec<NumberedLine>, bool) {
        let start = match (level, &label) {
            (Some(level), Some(Label::Number(label))) => format!("{} {label} ", "#".repeat(level)),
            (Some(level), _) => format!("{} ", "#".repeat(level)),
            (None, Some(Label::Bullet)) => "- ".to_owned(),
            (None, Some(Label::Number(label))) if marks_an_item(label) => format!("{label} "),
            (None, Some(Label::Number(label))) => format!("- {label} "),
            (None, None) => String::new(),
        };
        let is_item = level.is_none() && label.is_some();
        let mut lines: Vec<NumberedLine> = Vec::new();
        let mut push = |page, text: String| lines.push(NumberedLine::new(0, page, text));
        let pages = if level.is_none() {
            self.pages()
        } else {
            Vec::new()
        };
        let (text, mut from, mut page) = (self.text.trim(), 0, self.first_page());
        for (at, next) in pages {
            push(page, text[from..at].trim().to_owned());
            (from, page) = (at, next);
        }
        push(page, text[from..].to_owned());
        if let Some(first) = lines.first_mut() {
            first.text.insert_str(0, &start);
        }
        (lines, is_item)
    }

    /// The page of the first word.
    fn first_page(&self) -> Option<u32> {
        let blank = self.text.len() - self.text.trim_start().len();
        let before = self.breaks.iter().take_while(|(at, _)| *at <= blank);
        before.last().map_or(self.page, |(_, page)| *page)
    }

    /// Where the text without blanks around it is on another page: a sentence is on the page that it begins on.
    fn pages(&self) -> Vec<(usize, Option<u32>)> {
        if self.breaks.is_empty() {
            return Vec::new();
        }
        let blank = self.text.len() - self.text.trim_start().len();
        let mut breaks = self.breaks.iter().filter(|(at, _)| *at > blank).peekable();
        let mut found = Vec::new();
        for (at, _) in cut::sentences(self.text.trim()) {
            let mut page = None;
            while let Some((_, next)) = breaks.next_if(|(begin, _)| *begin <= blank + at) {
                page = Some(*next);
            }
            found.extend(page.map(|page| (at, page)));
        }
        found
    }
}

/// Whether people and readers see by the label alone that this is a list item: `2.` or `2)`.
fn marks_an_item(label: &str) -> bool {
    let digits = label.strip_suffix(['.', ')']).unwrap_or_default();
    (1..=DIGITS_MAX).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit())
}
