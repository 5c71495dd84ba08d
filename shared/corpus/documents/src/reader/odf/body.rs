//! Reads the text of an OpenDocument, block by block.

use super::styles::{Counts, OUTLINE, Styles};
use crate::document::NumberedLine;
use crate::reader::SkipReason;
use crate::reader::lines::{Lines, REPEATED_MAX, is_one_of, push_mark};
use crate::reader::tree::{Node, latex};
use std::collections::{HashMap, HashSet};
use text::one_line;

/// Longest text of a cell that is written as often as the cell is repeated, in bytes.
const REPEATED_BYTES_MAX: usize = 1_000;

/// A formula, or the lines of a chart.
pub(super) enum Object {
    Formula(String),
    Lines(Vec<String>),
}

/// Objects, by their names in the archive.
pub(super) type Objects = HashMap<String, Object>;

pub(super) struct Body<'t> {
    styles: &'t Styles,
    objects: &'t Objects,
    lines: Lines,
    /// By the names of their styles.
    counts: HashMap<String, Counts>,
    /// How many tables we are in; the text of inner ones belongs to the cell around them.
    tables: usize,
    /// What stands before the next paragraph.
    label: String,
}

/// Reads an object of a document.
pub(super) fn object(root: Node<'_>, styles: &Styles, objects: &Objects) -> Object {
    let math = match root.name() {
        "math" => Some(root),
        _ => root.children().find(|child| child.name() == "math"),
    };
    if let Some(math) = math {
        return Object::Formula(latex(math));
    }
    let mut body = Body::new(styles, objects);
    for part in root.inside().filter(|node| node.name() == "chart") {
        body.blocks(part);
    }
    let lines = body.lines.finish().unwrap_or_default();
    Object::Lines(lines.into_iter().map(|line| line.text).collect())
}

/// What is not shown, or only says how the rest is made.
fn is_passed_over(name: &str) -> bool {
    let listed = "tracked-changes annotation annotation-end forms scripts event-listeners \
        page-number page-count ruby-text";
    is_one_of(listed, name) || name.ends_with("-source") || name.ends_with("-template")
}

impl<'t> Body<'t> {
    pub(super) fn new(styles: &'t Styles, objects: &'t Objects) -> Body<'t> {
        Body {
            styles,
            objects,
            lines: Lines::default(),
            counts: HashMap::new(),
            tables: 0,
            label: String::new(),
        }
    }

    pub(super) fn finish(self) -> Result<Vec<NumberedLine>, SkipReason> {
        self.lines.finish()
    }

    /// Headers, or footers, each text once.
    pub(super) fn margins(&mut self, masters: &[Node<'_>], kind: &str) {
        let mut said: HashSet<String> = self.lines.texts().cloned().collect();
        let pages = masters.iter().flat_map(|master| master.children());
        let margins = pages
            .flat_map(Node::children)
            .filter(|margin| margin.name().starts_with(kind));
        for margin in
            margins.filter(|margin| margin.attribute("display").as_deref() != Some("false"))
        {
            for line in self.apart(margin) {
                if !said.contains(&line) {
                    self.lines.push(&line);
                    said.insert(line);
                }
            }
        }
    }

    pub(super) fn blocks(&mut self, node: Node<'_>) {
        for child in node.children() {
            self.block(child);
        }
    }

    fn block(&mut self, node: Node<'_>) {
        match node.name() {
            name if is_passed_over(name) => {}
            "section"
                if node
                    .attribute("display")
                    .is_some_and(|shown| shown != "true") => {}
            "h" => self.heading(node),
            "p" => self.paragraph(node),
            "list" => self.list(node, 1, ""),
            "table" => self.table(node),
            "page" => self.slide(node),
            "object" => self.object(node),
            "footer-decl" | "header-decl" => self.lines.push(&one_line(&node.text())),
            _ => self.blocks(node),
        }
    }

    /// The lines of a part that is not read where it stands.
    fn apart(&mut self, node: Node<'_>) -> Vec<String> {
        let page = self.lines.page;
        let around = std::mem::take(&mut self.lines);
        self.blocks(node);
        let inner = std::mem::replace(&mut self.lines, around);
        self.lines.page = page;
        self.lines.apart(inner)
    }

    fn heading(&mut self, node: Node<'_>) {
        let level = node.number("outline-level").unwrap_or(1).max(1) as usize;
        let mut label = std::mem::take(&mut self.label);
        let is_counted = node.attribute("is-list-header").as_deref() != Some("true");
        if label.is_empty() && is_counted && self.tables == 0 {
            let counts = self.counts.entry(OUTLINE.to_owned()).or_default();
            label = self
                .styles
                .next(OUTLINE, level, node.number("start-value"), counts);
        }
        let mut text = Inline::default();
        self.inline(node, &mut text);
        let shown = one_line(&text.shown);
        if !shown.is_empty() {
            let label = text.number.as_ref().unwrap_or(&label);
            self.lines.heading(level, &format!("{label} {shown}"));
        }
        self.after(text);
    }

    fn paragraph(&mut self, node: Node<'_>) {
        if self.styles.hides(node) {
            return;
        }
        let mut text = Inline::default();
        self.inline(node, &mut text);
        let shown = one_line(&text.shown)
            .replace('☐', "[ ]")
            .replace(['☑', '☒'], "[x]");
        if text.is_hidden {
            return;
        }
        if !shown.is_empty() {
            let label = std::mem::take(&mut self.label);
            match self.styles.is_title(node) {
                true => self.lines.heading(1, &shown),
                false => self.lines.push(&format!(
                    "{}{shown}",
                    text.number.as_ref().unwrap_or(&label)
                )),
            }
        }
        self.after(text);
    }

    /// What a paragraph leaves to be read behind it.
    fn after(&mut self, text: Inline<'_>) {
        for (mark, note) in text.notes {
            let note = self.apart(note).join(" ");
            self.lines.push(&format!("{mark} {note}"));
        }
        for node in text.frames {
            self.block(node);
        }
    }

    fn inline<'n>(&mut self, node: Node<'n>, text: &mut Inline<'n>) {
        for child in node.children() {
            match child.name() {
                "" => text.shown.push_str(child.own_text()),
                name if is_passed_over(name) => {}
                "s" | "tab" | "line-break" => text.shown.push(' '),
                "span" if self.styles.hides(child) => {}
                "hidden-text" | "hidden-paragraph" => {
                    let is_hidden = child.attribute("is-hidden").as_deref() != Some("false");
                    text.is_hidden |= is_hidden && child.name() == "hidden-paragraph";
                    let shown = child.attribute("string-value").filter(|_| !is_hidden);
                    text.shown.extend(shown);
                }
                "number" => text.number = Some(format!("{} ", child.text())),
                "note" => text.note(child),
                "frame" => match self.formula(child) {
                    Some(formula) => text.shown.push_str(&formula),
                    None => text.frames.push(child),
                },
                "g" | "custom-shape" | "text-box" | "rect" | "ellipse" | "caption" => {
                    text.frames.push(child)
                }
                _ => self.inline(child, text),
            }
        }
    }

    /// The formula in a frame, which stands in its line.
    fn formula(&self, frame: Node<'_>) -> Option<String> {
        let object = frame.children().find(|child| child.name() == "object")?;
        let latex = match object.children().find(|child| child.name() == "math") {
            Some(math) => latex(math),
            None => match self.objects.get(&object.attribute("href")?)? {
                Object::Formula(latex) => latex.clone(),
                Object::Lines(_) => return None,
            },
        };
        Some(format!(" ${latex}$ "))
    }

    fn object(&mut self, node: Node<'_>) {
        let name = node.attribute("href").unwrap_or_default();
        let (styles, objects) = (self.styles, self.objects);
        let inner = node
            .children()
            .find(|child| ["math", "document"].contains(&child.name()));
        let inner = inner.map(|root| object(root, styles, objects));
        match inner.as_ref().or(objects.get(&name)) {
            Some(Object::Formula(latex)) => self.lines.push(&format!("${latex}$")),
            Some(Object::Lines(lines)) => {
                self.lines.part();
                self.lines.extend(lines);
                self.lines.part();
            }
            None => {}
        }
    }

    fn list(&mut self, node: Node<'_>, level: usize, around: &str) {
        let style = node
            .attribute("style-name")
            .unwrap_or_else(|| around.to_owned());
        let goes_on = ["continue-numbering", "continue-list"]
            .iter()
            .any(|name| node.attribute(name).is_some());
        if level == 1 && !goes_on {
            self.counts.remove(&style);
        }
        for item in node.children() {
            if item.name() == "list-item"
                && item
                    .children()
                    .any(|child| matches!(child.name(), "p" | "h"))
            {
                let counts = self.counts.entry(style.clone()).or_default();
                self.label = self
                    .styles
                    .next(&style, level, item.number("start-value"), counts);
            }
            for child in item.children() {
                match child.name() {
                    "list" => self.list(child, level + 1, &style),
                    _ => self.block(child),
                }
            }
            self.label.clear();
        }
    }

    fn table(&mut self, table: Node<'_>) {
        if self.tables == 0 {
            self.lines.part();
        }
        self.tables += 1;
        self.rows(table);
        self.tables -= 1;
        if self.tables == 0 {
            self.lines.part();
        }
    }

    fn rows(&mut self, node: Node<'_>) {
        for row in node.children() {
            match row.name() {
                "table-row" if !self.lines.is_full() => self.row(row),
                "table-row" | "" => {}
                "shapes" => self.block(row),
                _ => self.rows(row),
            }
        }
    }

    /// How often a row or cell is there. Inner tables are not written more often than once.
    fn times(&self, node: Node<'_>, name: &str) -> usize {
        match self.tables {
            1 => node.number(name).unwrap_or(1).clamp(1, REPEATED_MAX) as usize,
            _ => 1,
        }
    }

    fn row(&mut self, row: Node<'_>) {
        let mut texts: Vec<String> = Vec::new();
        for cell in row
            .children()
            .filter(|cell| cell.name().ends_with("table-cell"))
        {
            let times = self.times(cell, "number-columns-repeated");
            let text = self.apart(cell).join(" ");
            let is_long = text.len() > REPEATED_BYTES_MAX;
            texts.extend(std::iter::repeat_n(text, if is_long { 1 } else { times }));
        }
        while texts.len() > 1 && texts.last().is_some_and(String::is_empty) {
            texts.pop();
        }
        for _ in 0..self.times(row, "number-rows-repeated") {
            match self.tables {
                1 => self.lines.row(&texts),
                _ => self.lines.push(&texts.join(" ")),
            }
        }
    }

    fn slide(&mut self, page: Node<'_>) {
        self.lines.page = Some(self.lines.page.map_or(1, |page| page.saturating_add(1)));
        if self.styles.hides(page) {
            return;
        }
        self.lines.part();
        let class = |node: Node<'_>| node.attribute("class").unwrap_or_default();
        let (titles, rest): (Vec<_>, Vec<_>) =
            page.children().partition(|shape| class(*shape) == "title");
        for title in titles {
            let title = self.apart(title).join(" ");
            self.lines.heading(1, &title);
        }
        for shape in rest {
            match class(shape).as_str() {
                "page-number" | "date-time" => {}
                _ => self.block(shape),
            }
        }
    }
}

/// The text of a paragraph, and what is read behind it.
#[derive(Default)]
struct Inline<'n> {
    shown: String,
    /// The number as the program wrote it down.
    number: Option<String>,
    is_hidden: bool,
    notes: Vec<(String, Node<'n>)>,
    frames: Vec<Node<'n>>,
}

impl<'n> Inline<'n> {
    /// Marks the place of a note.
    fn note(&mut self, note: Node<'n>) {
        let citation = note
            .children()
            .find(|child| child.name() == "note-citation");
        let citation = citation
            .map(|citation| one_line(&citation.text()))
            .unwrap_or_default();
        let mark = match citation.chars().all(char::is_alphanumeric) && !citation.is_empty() {
            true => format!("[note {citation}]"),
            false => "[note]".to_owned(),
        };
        push_mark(&mut self.shown, &mark);
        let body = note.children().find(|child| child.name() == "note-body");
        self.notes.extend(body.map(|body| (mark, body)));
    }
}
