//! Reads XML into lines. A text becomes one line for each of its blocks, with titles as `#` lines, list items as `-`
//! lines and tables as rows; the names of its elements are those of JATS, TEI, DocBook and XHTML. Data becomes
//! `name: value` lines, with an empty line between records.
//!
//! It is data where no text stands beside elements; only there attributes are read. It does *not* follow external entities, and comments and processing instructions are left out.

mod math;
mod nodes;
mod properties;

pub(super) use math::latex;
pub(super) use nodes::{Node, Tree};
pub(super) use properties::properties;

use super::lines::{Lines, is_one_of};
use super::{Parsed, SkipReason, text::decode};
use std::collections::HashMap;
use text::one_line;

/// Elements that only texts have.
const PARAGRAPHS: &str = "p para simpara";
/// Elements between which there is a space, if they stand in a block.
const SPACED: &str = "p para simpara title head subtitle article-title";
/// Elements of which each is a block, whatever is in it.
const BLOCKS: &str = "p para simpara title head subtitle article-title term caption l ab disp-formula citation mixed-citation dt dd \
    h1 h2 h3 h4 h5 h6";
/// Elements whose parts are words of one line.
const LINES: &str = "\
    name string-name persName contrib aff element-citation bibl biblStruct pub-date date \
    author personname revision biblioentry kwd publisher history affiliation article-id \
    permissions";
const SECTIONS: &str = "\
    sec section chapter part appendix app div div1 div2 div3 sect1 sect2 sect3 sect4 \
    preface abstract ack ref-list";
const ITEMS: &str = "list-item listitem item li";
/// What a list says of itself whose items have numbers.
const COUNTED: &str = "order ordered numbered arabic";
/// Elements that are read behind the block in which they stand.
const NOTES: &str = "fn footnote note";
/// Elements inside a block that are blocks of their own.
const INNER: &str = "\
    list itemizedlist orderedlist variablelist ul ol table informaltable table-wrap fig \
    figure disp-quote";

/// Parses a file.
pub(super) fn parse(bytes: &[u8]) -> Result<Parsed, SkipReason> {
    let text = decode(bytes)?;
    let tree = Tree::parse(&text)?;
    let Some(root) = tree.root() else {
        return Err(SkipReason::Empty);
    };
    let mut reader = Reader::default();
    let is_text = is_text(root);
    match is_text {
        true => reader.block(root, 0),
        false => reader.data(root, ""),
    }
    let title = ["article-title", "title", "head"]
        .iter()
        .find_map(|name| root.find(name));
    let title = title
        .filter(|_| is_text)
        .map(|title| one_line(&title.text()));
    Ok(Parsed {
        title: title.filter(|title| !title.is_empty()),
        lines: reader.lines.finish()?,
        ..Parsed::default()
    })
}

/// Whether a text stands beside an element somewhere, or something is called a paragraph.
fn is_text(root: Node<'_>) -> bool {
    let is_text =
        |node: Node<'_>| is_one_of(PARAGRAPHS, node.name()) || has_text(node) && has_elements(node);
    is_text(root) || root.inside().any(is_text)
}

fn has_elements(node: Node<'_>) -> bool {
    node.children().any(|child| !child.is_text())
}

fn has_text(node: Node<'_>) -> bool {
    node.children()
        .any(|child| !child.own_text().trim().is_empty())
}

#[derive(Default)]
struct Reader {
    lines: Lines,
    /// What stands before the next block.
    label: String,
}

impl Reader {
    /// Reads an element of a text, which is inside so many sections.
    fn block(&mut self, node: Node<'_>, level: usize) {
        let name = node.name();
        let inner = level + usize::from(is_one_of(SECTIONS, name));
        match name {
            "title" | "head" | "article-title" => self.heading(node, level.max(1)),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.heading(node, name[1..].parse().unwrap_or(1));
            }
            "label" => self.label = format!("{} ", inline(node)),
            "pre" | "programlisting" | "screen" | "literallayout" => self.lines.push(&node.text()),
            "math" => self.lines.push(&format!("${}$", latex(node))),
            "tr" | "row" => {
                let cells = node
                    .children()
                    .filter(|cell| ["td", "th", "entry", "cell"].contains(&cell.name()));
                let cells: Vec<String> = cells.map(inline).collect();
                self.lines.row(&cells);
            }
            "table" | "informaltable" | "tgroup" => {
                self.lines.part();
                self.blocks(node, inner);
                self.lines.part();
            }
            "list" | "orderedlist" | "ol" => {
                let kind = ["list-type", "type", "rend"]
                    .iter()
                    .find_map(|name| node.attribute(name));
                let is_counted =
                    name != "list" || kind.is_some_and(|kind| is_one_of(COUNTED, &kind));
                let items = node.children().filter(|child| !child.is_text());
                for (number, item) in (1..).zip(items) {
                    let label = if is_counted {
                        format!("{number}. ")
                    } else {
                        "- ".to_owned()
                    };
                    self.item(item, inner, label);
                }
            }
            name if is_one_of(ITEMS, name) => self.item(node, inner, "- ".to_owned()),
            _ => self.paragraph(node, inner),
        }
    }

    fn item(&mut self, node: Node<'_>, level: usize, label: String) {
        match is_one_of(ITEMS, node.name()) {
            true => {
                self.label = label;
                self.paragraph(node, level);
                self.label.clear();
            }
            false => self.block(node, level),
        }
    }

    fn blocks(&mut self, node: Node<'_>, level: usize) {
        for child in node.children().filter(|child| !child.is_text()) {
            self.block(child, level);
        }
    }

    fn heading(&mut self, node: Node<'_>, level: usize) {
        let label = std::mem::take(&mut self.label);
        self.lines
            .heading(level, &format!("{label}{}", inline(node)));
    }

    /// A block of words, with the blocks that are in it behind them; or blocks only.
    fn paragraph(&mut self, node: Node<'_>, level: usize) {
        let is_line = is_one_of(LINES, node.name());
        if !(is_line || is_one_of(BLOCKS, node.name()) || has_text(node)) {
            return self.blocks(node, level);
        }
        let text = words(node, if is_line { " " } else { "" });
        if !text.is_empty() {
            let label = std::mem::take(&mut self.label);
            self.lines.push(&format!("{label}{text}"));
        }
        if !is_line {
            self.inner(node, level);
        }
    }

    /// The notes, lists and tables in a block.
    fn inner(&mut self, node: Node<'_>, level: usize) {
        for child in node.children() {
            match child.name() {
                name if is_one_of(NOTES, name) => {
                    self.lines.push(&format!("[note] {}", inline(child)))
                }
                name if is_one_of(INNER, name) => self.block(child, level),
                _ => self.inner(child, level),
            }
        }
    }

    /// Reads data, whose name in its record is this.
    fn data(&mut self, node: Node<'_>, name: &str) {
        if self.lines.is_full() {
            return;
        }
        let joined =
            |inner: &str| format!("{name}{}{inner}", if name.is_empty() { "" } else { "." });
        if !has_elements(node) {
            let own = inline(node);
            match own.is_empty() || name.is_empty() {
                true => self.lines.push(&own),
                false => self.lines.push(&format!("{name}: {own}")),
            }
        }
        attributes(node).for_each(|line| self.lines.push(&joined(&line)));
        let elements = || node.children().filter(|child| !child.is_text());
        let mut counts: HashMap<&str, usize> = HashMap::new();
        elements().for_each(|child| *counts.entry(child.name()).or_default() += 1);
        for child in elements() {
            // Elements of one name that hold others are records, inside which names begin anew.
            let is_record = counts[child.name()] > 1 && has_elements(child);
            if is_record {
                self.lines.part();
            }
            self.data(
                child,
                &if is_record {
                    String::new()
                } else {
                    joined(child.name())
                },
            );
            if is_record {
                self.lines.part();
            }
        }
    }
}

/// `name: value` for each attribute that says nothing about the XML itself.
fn attributes(node: Node<'_>) -> impl Iterator<Item = String> {
    let own = |key: &str| {
        !["xml", "xsi:", "xlink:"]
            .iter()
            .any(|prefix| key.starts_with(prefix))
    };
    let attributes = node
        .attributes()
        .filter(move |(key, value)| own(key) && !value.trim().is_empty());
    attributes.map(|(key, value)| format!("{key}: {}", one_line(&value)))
}

/// The words of a block, without its notes and inner blocks.
fn inline(node: Node<'_>) -> String {
    words(node, "")
}

/// The same, with this between the words of its elements.
fn words(node: Node<'_>, between: &str) -> String {
    let mut text = String::new();
    collect(node, &mut text, between);
    one_line(&text)
}

/// A formula in LaTeX, out of the document that some publishers make of each.
fn tex_math(node: Node<'_>) -> String {
    let text = node.text();
    let body = text
        .split_once("\\begin{document}")
        .map_or(text.as_str(), |(_, body)| body);
    let body = body
        .split_once("\\end{document}")
        .map_or(body, |(body, _)| body);
    format!(" ${}$ ", body.trim().trim_matches('$').trim())
}

fn collect(node: Node<'_>, text: &mut String, between: &str) {
    for child in node.children() {
        match child.name() {
            "" => text.push_str(child.own_text()),
            "math" => text.push_str(&format!(" ${}$ ", latex(child))),
            // The same formula is written in several ways.
            "alternatives" if child.find("tex-math").is_some() => {
                child
                    .find("tex-math")
                    .iter()
                    .for_each(|tex| text.push_str(&tex_math(*tex)));
            }
            "tex-math" => text.push_str(&tex_math(child)),
            name if is_one_of(NOTES, name) || is_one_of(INNER, name) => {}
            "br" | "lb" | "break" => text.push(' '),
            name => {
                let is_block = !between.is_empty() || is_one_of(SPACED, name);
                collect(child, text, between);
                if is_block {
                    text.push(' ');
                }
            }
        }
    }
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;
