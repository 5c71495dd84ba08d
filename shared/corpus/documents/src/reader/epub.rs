//! Reads an EPUB into lines, chapter by chapter in the order of its spine, each by the reader of HTML.
//!
//! The page of a line is the number of its chapter, and the first heading of the chapter is that page's name. It does
//! *not* read what is not in the spine, pictures, and books with a lock (DRM).

use super::docx::parts::resolved;
use super::lines::Lines;
use super::package::{Package, XML_BYTES_MAX};
use super::tree::{Node, Tree};
use super::{Parsed, ReadOptions, SkipReason, TEXT_BYTES_MAX, front_matter, html};
use crate::document::NumberedLine;
use percent_encoding::percent_decode_str;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use text::one_line;

/// Most bytes of chapters together, as they are written.
const CHAPTERS_BYTES_MAX: usize = 2 * TEXT_BYTES_MAX;
/// Longest name of a chapter, in characters.
const NAME_CHARS_MAX: usize = 80;
/// Elements that HTML lets be empty; another one that ends itself would be open in HTML.
const VOID: [&str; 13] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track",
    "wbr",
];

/// Parses a book.
pub(super) fn parse(bytes: &[u8], options: ReadOptions) -> Result<Parsed, SkipReason> {
    let mut package = Package::open(bytes, XML_BYTES_MAX)?;
    let container = package.text("META-INF/container.xml")?.unwrap_or_default();
    let place = opf_of(&container)?;
    let opf = package.text(&place)?;
    let book = Book::parse(&opf.ok_or_else(|| SkipReason::Broken("no book in it".into()))?)?;
    let folder = place.rsplit_once('/').map_or("", |(folder, _)| folder);
    let locked = package.text("META-INF/encryption.xml")?.unwrap_or_default();
    let locked: HashSet<&str> = locked.split('"').collect();
    let mut parsed = Parsed {
        title: book.title.clone(),
        metadata: front_matter::collect(book.fields.clone()),
        ..Parsed::default()
    };
    let (mut lines, mut bytes, mut missing) = (Lines::default(), 0, 0);
    for (href, page) in book.chapters().zip(1..) {
        let part = resolved(folder, &href);
        if locked.contains(part.as_str()) {
            return Err(SkipReason::Encrypted);
        }
        let Some(chapter) = package.text(&part)? else {
            missing += 1;
            continue;
        };
        bytes += chapter.len();
        if bytes > CHAPTERS_BYTES_MAX {
            return Err(SkipReason::Inflates(CHAPTERS_BYTES_MAX as u64));
        }
        match html::parse(&opened(&chapter), options) {
            Some(chapter) => {
                parsed
                    .page_names
                    .extend(name_of(&chapter.lines).map(|name| (page, name)));
                lines.page = Some(page);
                lines.extend(chapter.lines.iter().map(|line| &line.text));
                lines.part();
            }
            None => missing += 1,
        }
    }
    parsed.left_out = (missing > 0).then(|| {
        SkipReason::Partial(format!(
            "chapters that are not in it or cannot be rendered: {missing}"
        ))
    });
    parsed.lines = lines.finish()?;
    Ok(parsed)
}

/// The first heading of a chapter.
fn name_of(lines: &[NumberedLine]) -> Option<String> {
    let mut headings = lines
        .iter()
        .filter_map(|line| crate::chunk::heading(&line.text));
    Some(headings.next()?.1.chars().take(NAME_CHARS_MAX).collect())
}

/// Where the book is described.
fn opf_of(container: &str) -> Result<String, SkipReason> {
    let tree = Tree::parse(container)?;
    let file = tree.nodes().find(|node| node.name() == "rootfile");
    file.and_then(|file| file.attribute("full-path"))
        .ok_or_else(|| SkipReason::no_such(b""))
}

/// What a book says of itself.
#[derive(Default)]
struct Book {
    title: Option<String>,
    fields: Vec<(&'static str, Value)>,
    places: HashMap<String, String>,
    spine: Vec<String>,
}

impl Book {
    fn parse(xml: &str) -> Result<Book, SkipReason> {
        let mut book = Book::default();
        let tree = Tree::parse(xml)?;
        for element in tree.nodes() {
            match element.name() {
                "item" => book
                    .places
                    .extend(element.attribute("id").zip(element.attribute("href"))),
                "itemref" => book.spine.extend(element.attribute("idref")),
                name => book.says(name, element),
            }
        }
        Ok(book)
    }

    fn says(&mut self, name: &str, element: Node<'_>) {
        if !["title", "creator", "language", "publisher", "date"].contains(&name) {
            return;
        }
        let value = one_line(&element.text());
        match name {
            _ if value.is_empty() => {}
            "title" => drop(self.title.get_or_insert(value)),
            "creator" => match self.fields.iter_mut().find(|(name, _)| *name == "author") {
                Some((_, Value::String(authors))) => authors.extend([", ", &value]),
                _ => self.fields.push(("author", Value::String(value))),
            },
            "language" => self.fields.push(("language", Value::String(value))),
            "publisher" => self.fields.push(("publisher", Value::String(value))),
            _ => {
                let day = value.chars().take(10).collect();
                self.fields.push(("date", Value::String(day)));
            }
        }
    }

    fn chapters(&self) -> impl Iterator<Item = String> {
        let hrefs = self.spine.iter().filter_map(|id| self.places.get(id));
        hrefs.map(|href| decoded(href.split('#').next().unwrap_or_default()))
    }
}

/// `a%20b` is `a b`.
fn decoded(href: &str) -> String {
    percent_decode_str(href).decode_utf8_lossy().into_owned()
}

/// XHTML as HTML: `<title/>` would be open there, and swallow the chapter.
fn opened(xhtml: &str) -> String {
    let mut html = String::with_capacity(xhtml.len());
    let mut rest = xhtml;
    while let Some(end) = rest.find("/>") {
        let (before, behind) = (&rest[..end], &rest[end + 2..]);
        let tag = before.rfind('<').map_or("", |at| &before[at + 1..]);
        let name = tag.split(char::is_whitespace).next().unwrap_or_default();
        let is_open = !name.is_empty()
            && name.bytes().all(|b| b.is_ascii_alphanumeric())
            && !VOID.contains(&name)
            && !tag.contains('>');
        html.push_str(before);
        html.push_str(&if is_open {
            format!("></{name}>")
        } else {
            "/>".to_owned()
        });
        rest = behind;
    }
    html.push_str(rest);
    html
}

#[cfg(test)]
#[path = "epub_tests.rs"]
mod tests;
