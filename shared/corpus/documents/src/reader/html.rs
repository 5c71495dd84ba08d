//! Reads HTML into lines: `html2text` renders it; this module removes what is not content and reads the head.
//!
//! What people do not see on the page is *not* read, unless [`ReadOptions`] wants it.

mod hidden;
mod style;

use super::text::numbered;
use super::{Parsed, ReadOptions, front_matter, take_title};
use html2text::config::{self, Config};
use html2text::render::PlainDecorator;
use html2text::{Element, Handle, RcDom};

/// Wide enough that nothing is wrapped that the author did not break.
const WIDTH: usize = 4_000;
/// Elements that are no content.
const PRUNED: [&str; 7] = [
    "script", "style", "nav", "noscript", "template", "svg", "iframe",
];

/// Parses a page; `None` when it cannot be rendered at all.
pub(super) fn parse(text: &str, options: ReadOptions) -> Option<Parsed> {
    parse_within(text, options, usize::MAX)
}

/// Parses a page whose elements are nested no deeper than this: to render one takes the longer, the deeper it is.
pub(super) fn parse_within(text: &str, options: ReadOptions, depth: usize) -> Option<Parsed> {
    let renderer = renderer();
    let dom = renderer.parse_html(text.as_bytes()).ok()?;
    let mut pending = vec![(dom.document.clone(), depth)];
    while let Some((node, depth)) = pending.pop() {
        let inside = node.children.borrow();
        pending.extend(
            inside
                .iter()
                .map(|child| (child.clone(), depth.saturating_sub(1))),
        );
        if depth == 0 && !inside.is_empty() {
            return None;
        }
    }
    if !options.hidden {
        hidden::remove(&dom);
    }
    let mut head = Head::default();
    prune(&dom, &mut head);
    let body = render(&renderer, &dom)?;
    let mut metadata = front_matter::collect(
        head.meta
            .iter()
            .map(|(name, content)| (name.as_str(), front_matter::scalar(content))),
    );
    let title = take_title(&mut metadata);
    Some(Parsed {
        title: head.title.and_then(|html| text_of(&html)).or(title),
        metadata,
        lines: numbered(&body, 0),
        ..Parsed::default()
    })
}

fn renderer() -> Config<PlainDecorator> {
    config::plain_no_decorate()
        .no_link_wrapping()
        .allow_width_overflow()
        // Nobody would find a word with a stroke behind each letter.
        .unicode_strikeout(false)
}

#[derive(Default)]
struct Head {
    title: Option<String>,
    meta: Vec<(String, String)>,
}

/// Removes what is not content and collects the head on the way. Iterative: pages nest deeply.
fn prune(dom: &RcDom, head: &mut Head) {
    let mut pending: Vec<Handle> = vec![dom.document.clone()];
    while let Some(node) = pending.pop() {
        node.children.borrow_mut().retain(|child| {
            !child
                .element_name()
                .is_some_and(|n| PRUNED.contains(&n.as_str()))
        });
        lift_captions(&node);
        match node.element_name().as_deref() {
            Some("title") if head.title.is_none() => head.title = markup(&node),
            Some("meta") => head.meta.extend(meta(&node)),
            Some("a") => forget_target(&node),
            Some("table") => move_feet(&node),
            _ => {}
        }
        pending.extend(node.children.borrow().iter().rev().cloned());
    }
}

/// The renderer knows heads and bodies of tables only, and would lose the totals in the foot.
fn move_feet(table: &Handle) {
    let mut children = table.children.borrow_mut();
    let feet: Vec<Handle> = children
        .iter()
        .filter(|c| is(c, "tfoot"))
        .cloned()
        .collect();
    let Some(body) = children.iter().rfind(|c| is(c, "tbody") || is(c, "thead")) else {
        return;
    };
    for foot in feet {
        body.children
            .borrow_mut()
            .append(&mut foot.children.borrow_mut());
    }
    children.retain(|child| !is(child, "tfoot"));
}

/// It would lose captions too: they are put in front of their tables.
fn lift_captions(parent: &Handle) {
    let children = parent.children.take();
    let mut lifted = Vec::with_capacity(children.len());
    for child in children {
        if is(&child, "table") {
            child.children.borrow_mut().retain(|inner| {
                let caption = is(inner, "caption");
                lifted.extend(caption.then(|| inner.clone()));
                !caption
            });
        }
        lifted.push(child);
    }
    *parent.children.borrow_mut() = lifted;
}

fn is(node: &Handle, name: &str) -> bool {
    node.element_name().is_some_and(|n| n == name)
}

/// A link without a target is rendered as its words, without brackets that look like a citation.
fn forget_target(node: &Handle) {
    if let Element { ref attrs, .. } = node.data {
        attrs.borrow_mut().clear();
    }
}

/// `name` and `content` of a `<meta>`, unless the name is a hint to browsers.
fn meta(node: &Handle) -> Option<(String, String)> {
    let name = attribute(node, "name")?;
    let browser = ["viewport", "robots", "generator", "theme-color", "referrer"];
    if browser.contains(&name.to_lowercase().as_str()) {
        return None;
    }
    Some((name, attribute(node, "content")?))
}

/// A node and all that is inside it, in their order.
fn inside(root: &Handle) -> impl Iterator<Item = Handle> {
    let mut pending = vec![root.clone()];
    std::iter::from_fn(move || {
        let node = pending.pop()?;
        pending.extend(node.children.borrow().iter().rev().cloned());
        Some(node)
    })
}

fn attribute(node: &Handle, wanted: &str) -> Option<String> {
    let Element { ref attrs, .. } = node.data else {
        return None;
    };
    let attrs = attrs.borrow();
    let found = attrs.iter().find(|attr| &*attr.name.local == wanted)?;
    Some(found.value.to_string())
}

fn markup(node: &Handle) -> Option<String> {
    let mut bytes = Vec::new();
    node.serialize(&mut bytes).ok()?;
    let html = String::from_utf8(bytes).ok()?;
    let inner = html.split_once('>')?.1;
    Some(inner.strip_suffix("</title>").unwrap_or(inner).to_owned())
}

fn text_of(html: &str) -> Option<String> {
    let text = renderer().string_from_read(html.as_bytes(), WIDTH).ok()?;
    let text = text::one_line(&text);
    (!text.is_empty()).then_some(text)
}

fn render(renderer: &Config<PlainDecorator>, dom: &RcDom) -> Option<String> {
    let tree = renderer.dom_to_render_tree(dom).ok()?;
    let text = renderer.render_to_string(tree, WIDTH).ok()?;
    let lines = text.lines().filter(|line| !is_border(line)).map(row);
    Some(lines.collect::<Vec<_>>().join("\n"))
}

/// A line of a drawn table that holds no cell.
fn is_border(line: &str) -> bool {
    !line.is_empty()
        && line
            .chars()
            .all(|c| matches!(c, '─' | '┬' | '┴' | '┼' | '/'))
}

/// A drawn row of cells as a row of Markdown: `| a | b |`.
fn row(line: &str) -> String {
    if !line.contains('│') {
        return line.to_owned();
    }
    let cells: Vec<&str> = line.split('│').map(str::trim).collect();
    format!("| {} |", cells.join(" | "))
}
