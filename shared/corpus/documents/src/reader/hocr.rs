//! Reads what text recognition writes into lines: hOCR, and ALTO (`alto`). Paragraphs are parted by an empty line, pages
//! are numbered, and how sure the program was of the words is told as `ocr_confidence`, from 0 to 1.
//!
//! It does *not* read where words stand on a page: the order is that of the file.

mod alto;

pub(super) use alto::parse as alto;

use super::lines::{Lines, is_one_of};
use super::tree::{Node, Tree};
use super::{Parsed, ReadOptions, SkipReason, front_matter, html, text::decode};
use serde_json::Value;
use std::collections::BTreeMap;
use text::one_line;
use text::words::is_unspaced;

/// What elements of a line are called.
const LINES: &str = "ocr_line ocr_header ocr_footer ocr_caption ocr_textfloat ocrx_line";
/// What parts lines.
const PARTS: &str = "ocr_carea ocr_par ocrx_block";

/// Parses a file; one that is no XML is read as HTML is.
pub(super) fn parse(bytes: &[u8]) -> Result<Parsed, SkipReason> {
    let mut recognised = Recognised::default();
    match recognised.hocr(bytes, None) {
        Ok(()) if !recognised.lines.is_parted() => recognised.finish(),
        _ => html::parse(&decode(bytes)?, ReadOptions::default()).ok_or(SkipReason::Empty),
    }
}

/// What was recognised.
#[derive(Default)]
pub(super) struct Recognised {
    lines: Lines,
    page_names: BTreeMap<u32, String>,
    /// How sure of all words together.
    sure: f64,
    words: u32,
    pages: u32,
}

impl Recognised {
    /// Adds what an hOCR file says; its pages are counted, unless it is of one page, which has that number.
    pub(super) fn hocr(&mut self, bytes: &[u8], page: Option<u32>) -> Result<(), SkipReason> {
        let text = decode(bytes)?;
        let tree = Tree::parse(&text)?;
        for node in tree.root().iter().flat_map(|root| root.children()) {
            self.node(node, page);
        }
        Ok(())
    }

    /// Adds what is in an element, or next to elements.
    fn node(&mut self, node: Node<'_>, page: Option<u32>) {
        if is_one_of("head script style", node.name()) {
            return;
        }
        let said = class(node).unwrap_or_default();
        if said == "ocr_page" {
            self.pages += 1;
            self.page(page.unwrap_or(self.pages));
        }
        let is_bare = |node: Node<'_>| !node.inside().any(|node| class(node).is_some());
        let has_words = || node.children().any(is_word) && !node.inside().any(is_line);
        if said.is_empty() && is_bare(node) {
            // What somebody has added says nothing of lines.
            let text = node.own_text().to_owned() + &node.text();
            self.lines.push(&one_line(&text));
        } else if has_words() || is_line(node) && !node.inside().any(is_line) {
            let mut words = Vec::new();
            match node.inside().any(is_word) {
                true => self.words(node, &mut words),
                false => words.push(one_line(&node.text())),
            }
            self.line(&words);
        } else {
            if is_one_of(PARTS, &said) || is_line(node) {
                self.lines.part();
            }
            node.children().for_each(|child| self.node(child, page));
        }
    }

    /// The words of a line, and what stands between them.
    fn words(&mut self, node: Node<'_>, words: &mut Vec<String>) {
        for child in node.children() {
            if is_word(child) {
                words.push(self.word(child));
            } else if child.is_text() {
                let text = child.own_text();
                let before = words.last_mut();
                match before.filter(|_| !text.starts_with(char::is_whitespace)) {
                    Some(before) => before.push_str(&one_line(text)),
                    None => words.push(one_line(text)),
                }
            } else {
                self.words(child, words);
            }
        }
    }

    fn word(&mut self, word: Node<'_>) -> String {
        let title = word.attribute("title").unwrap_or_default();
        let sure = title
            .split(';')
            .find_map(|said| said.trim().strip_prefix("x_wconf"));
        self.sure_of(sure.and_then(|sure| Some(sure.trim().parse::<f64>().ok()? / 100.0)));
        one_line(&word.text())
    }

    fn page(&mut self, number: u32) {
        self.lines.part();
        self.lines.page = Some(number);
    }

    fn sure_of(&mut self, sure: Option<f64>) {
        if let Some(sure) = sure.filter(|sure| (0.0..=1.0).contains(sure)) {
            self.sure += sure;
            self.words += 1;
        }
    }

    fn line<T: AsRef<str>>(&mut self, words: &[T]) {
        let mut line = String::new();
        for word in words
            .iter()
            .map(AsRef::as_ref)
            .filter(|word| !word.is_empty())
        {
            let before = line.chars().next_back();
            if before.is_some_and(|c| !is_close(c)) || !word.starts_with(is_close) {
                line.push_str(before.map_or("", |_| " "));
            }
            line.push_str(word);
        }
        self.lines.push(&line);
    }

    pub(super) fn finish(self) -> Result<Parsed, SkipReason> {
        let sure = self.sure / f64::from(self.words.max(1));
        let sure = (self.words > 0).then(|| Value::from((sure * 100.0).round() / 100.0));
        Ok(Parsed {
            metadata: front_matter::collect(sure.map(|sure| ("ocr_confidence", sure))),
            lines: self.lines.finish()?,
            page_names: self.page_names,
            ..Parsed::default()
        })
    }
}

/// The class of an element that says what it is.
fn class(node: Node<'_>) -> Option<String> {
    let classes = node.attribute("class")?;
    let class = classes
        .split_whitespace()
        .find(|class| class.starts_with("ocr"));
    class.map(str::to_owned)
}

fn is_line(node: Node<'_>) -> bool {
    class(node).is_some_and(|class| is_one_of(LINES, &class))
}

fn is_word(node: Node<'_>) -> bool {
    class(node).is_some_and(|class| class == "ocrx_word")
}

/// Whether it has no blanks beside it: a letter of such a script, or a wide sign.
fn is_close(c: char) -> bool {
    is_unspaced(c) || matches!(c, '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ff60}')
}

#[cfg(test)]
#[path = "hocr_tests.rs"]
mod tests;
