//! Removes from a page what people do not see there: what is marked as hidden, styled so that it is not drawn, or
//! written in the colour of its background.
//!
//! What a button of the page opens (`aria-controls`) stays, and so does the page itself, which is often hidden until a
//! script shows it.

use super::style::{Look, Rules, color};
use super::{attribute, inside};
use html2text::{Comment, Element, Handle, RcDom};
use std::collections::HashSet;

/// Longest text that is seen although programs that read aloud leave it out, in bytes, and its elements.
const SHORT_BYTES_MAX: usize = 40;
const SHORT_NODES_MAX: usize = 50;

/// What a page says of itself, wherever in it that stands.
#[derive(Default)]
struct Page {
    rules: Rules,
    /// Ids of what buttons open.
    opened: HashSet<String>,
    has_files_of_styles: bool,
}

/// Removes it.
pub(super) fn remove(dom: &RcDom) {
    let mut page = Page::of(dom);
    let is_plain = !page.has_files_of_styles && !page.rules.has_backgrounds;
    let around = Look {
        background: is_plain.then_some(Some([255; 3])),
        ..Look::default()
    };
    let mut pending = vec![(dom.document.clone(), around)];
    while let Some((node, around)) = pending.pop() {
        let is_body = node.element_name().is_some_and(|name| name == "body");
        let size = if is_body { markup_bytes(&node) } else { 0 };
        let children = node.children.take();
        let mut kept = Vec::with_capacity(children.len());
        for child in children {
            let Some(tag) = child.element_name() else {
                let is_text = !matches!(child.data, Comment { .. });
                if !is_text || !around.hides_text() {
                    kept.push(child);
                }
                continue;
            };
            let is_most = || is_body && markup_bytes(&child) * 2 > size;
            let look = page.look(&child, &tag);
            let is_marked = is_marked(&child) || (is_silent(&child, &tag) && !is_most());
            if !look.hides_all() && (!is_marked || page.is_opened(&child)) {
                pending.push((child.clone(), around.then(look)));
                kept.push(child);
            }
        }
        *node.children.borrow_mut() = kept;
    }
}

fn is_marked(node: &Handle) -> bool {
    attribute(node, "hidden").is_some_and(|value| value != "until-found")
}

/// Whether programs that read aloud are to leave it out. A picture has its text for all others; and people see a
/// number, a label or an icon that is not read to them.
fn is_silent(node: &Handle, tag: &str) -> bool {
    if tag == "img" || attribute(node, "aria-hidden").is_none_or(|value| value != "true") {
        return false;
    }
    let nodes: Vec<Handle> = inside(node).take(SHORT_NODES_MAX + 1).collect();
    let texts = nodes.iter().filter(|node| node.element_name().is_none());
    nodes.len() > SHORT_NODES_MAX || texts.map(markup_bytes).sum::<usize>() > SHORT_BYTES_MAX
}

fn markup_bytes(node: &Handle) -> usize {
    let mut bytes = Vec::new();
    node.serialize(&mut bytes).map_or(0, |()| bytes.len())
}

impl Page {
    fn of(dom: &RcDom) -> Page {
        let mut page = Page::default();
        for node in inside(&dom.document) {
            match node.element_name().as_deref() {
                Some("style") => {
                    let mut css = Vec::new();
                    let _ = node.serialize(&mut css);
                    let css = String::from_utf8_lossy(&css);
                    let css = css.split_once('>').map_or("", |(_, css)| css);
                    page.rules.read(css.trim_end_matches("</style>"));
                }
                Some("link") => {
                    let rel = attribute(&node, "rel").unwrap_or_default();
                    page.has_files_of_styles |= rel.eq_ignore_ascii_case("stylesheet");
                }
                _ => {}
            }
            let opened = attribute(&node, "aria-controls").unwrap_or_default();
            page.opened
                .extend(opened.split_whitespace().map(str::to_owned));
        }
        page
    }

    fn is_opened(&self, node: &Handle) -> bool {
        attribute(node, "id").is_some_and(|id| self.opened.contains(&id))
    }

    fn look(&mut self, node: &Handle, tag: &str) -> Look {
        let Element { ref attrs, .. } = node.data else {
            return Look::default();
        };
        if attrs.borrow().is_empty() && tag != "body" && self.rules.is_empty() {
            return Look::default();
        }
        let value = |name| attribute(node, name).unwrap_or_default();
        let ruled = self.rules.look(tag, &value("id"), &value("class"));
        let attributes = Look {
            background: color(&value("bgcolor")).map(Some),
            color: color(&value("color")).filter(|_| tag == "font"),
            ..Look::default()
        };
        let mut look = ruled.then(attributes).then(Look::of(&value("style")));
        // A script shows the page, and a button what it opens.
        if matches!(tag, "html" | "body" | "head") || self.is_opened(node) {
            look.hides = Default::default();
        }
        look
    }
}

#[cfg(test)]
#[path = "hidden_tests.rs"]
mod tests;
