//! XML as a tree, in one row: an element, what is inside it, what is behind it.

use crate::reader::SkipReason;
use crate::reader::TEXT_BYTES_MAX;
use crate::reader::xml::{bad_xml, entity, unescaped};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::borrow::Cow;

/// Deepest nesting. What reads a tree calls itself at each level.
const DEPTH_MAX: usize = 100;
/// Most elements and texts.
const NODES_MAX: usize = 3_000_000;
/// Named characters that XML itself does not know.
const NAMED: [(&str, &str); 12] = [
    ("nbsp", "\u{a0}"),
    ("mdash", "—"),
    ("ndash", "–"),
    ("hellip", "…"),
    ("lsquo", "‘"),
    ("rsquo", "’"),
    ("ldquo", "“"),
    ("rdquo", "”"),
    ("copy", "©"),
    ("euro", "€"),
    ("deg", "°"),
    ("times", "×"),
];

enum Kind<'a> {
    Element(BytesStart<'a>),
    Text(Cow<'a, str>),
}

struct Entry<'a> {
    kind: Kind<'a>,
    /// Where what is behind it begins.
    end: usize,
}

/// A whole XML text.
#[derive(Default)]
pub(in crate::reader) struct Tree<'a> {
    entries: Vec<Entry<'a>>,
}

/// An element or a text.
#[derive(Clone, Copy)]
pub(in crate::reader) struct Node<'t> {
    tree: &'t [Entry<'t>],
    at: usize,
}

impl<'a> Tree<'a> {
    pub(in crate::reader) fn parse(xml: &'a str) -> Result<Tree<'a>, SkipReason> {
        let mut reader = Reader::from_str(xml);
        let (mut entries, mut open) = (Vec::new(), Vec::new());
        loop {
            let kind = match reader.read_event().map_err(bad_xml)? {
                Event::Start(start) => {
                    open.push(entries.len());
                    Kind::Element(start)
                }
                Event::Empty(start) => Kind::Element(start),
                Event::End(_) => {
                    let end = entries.len();
                    if let Some(entry) = open.pop().and_then(|at: usize| entries.get_mut(at)) {
                        let entry: &mut Entry<'_> = entry;
                        entry.end = end;
                    }
                    continue;
                }
                Event::Text(text) => Kind::Text(text.xml10_content()),
                Event::CData(text) => Kind::Text(text.xml10_content()),
                Event::GeneralRef(name) => Kind::Text(referred(&name.xml10_content()).into()),
                Event::Eof if !open.is_empty() => return Err(bad_xml("it ends too early")),
                Event::Eof => return Ok(Tree { entries }),
                _ => continue,
            };
            let end = entries.len() + 1;
            entries.push(Entry { kind, end });
            if open.len() > DEPTH_MAX {
                return Err(bad_xml("nested too deep"));
            }
            if entries.len() > NODES_MAX {
                return Err(SkipReason::Inflates(TEXT_BYTES_MAX as u64));
            }
        }
    }

    /// Elements and texts in their order.
    pub(in crate::reader) fn nodes(&self) -> impl Iterator<Item = Node<'_>> {
        let tree = self.entries.as_slice();
        (0..tree.len()).map(move |at| Node { tree, at })
    }

    /// The outermost element.
    pub(in crate::reader) fn root(&self) -> Option<Node<'_>> {
        siblings(&self.entries, 0, self.entries.len()).find(|node| !node.is_text())
    }
}

fn referred(name: &str) -> String {
    let named = NAMED.iter().find(|(known, _)| *known == name);
    match (entity(name), named) {
        (Some(c), _) => c.to_string(),
        (None, Some((_, text))) => (*text).to_owned(),
        (None, None) => format!("&{name};"),
    }
}

fn siblings<'t>(tree: &'t [Entry<'t>], from: usize, end: usize) -> impl Iterator<Item = Node<'t>> {
    let mut at = from;
    std::iter::from_fn(move || {
        let node = (at < end).then_some(Node { tree, at })?;
        at = tree[at].end;
        Some(node)
    })
}

impl<'t> Node<'t> {
    /// Its name without a prefix; that of a text is empty.
    pub(in crate::reader) fn name(self) -> &'t str {
        match &self.tree[self.at].kind {
            Kind::Element(start) => {
                let name = start.name().into_inner();
                name.rsplit(':').next().unwrap_or_default()
            }
            Kind::Text(_) => "",
        }
    }

    pub(in crate::reader) fn is_text(self) -> bool {
        matches!(self.tree[self.at].kind, Kind::Text(_))
    }

    /// Its own text, when it is one.
    pub(in crate::reader) fn own_text(self) -> &'t str {
        match &self.tree[self.at].kind {
            Kind::Element(_) => "",
            Kind::Text(text) => text,
        }
    }

    /// What is right inside it.
    pub(in crate::reader) fn children(self) -> impl Iterator<Item = Node<'t>> {
        siblings(self.tree, self.at + 1, self.tree[self.at].end)
    }

    /// What is inside it, at whatever depth.
    pub(in crate::reader) fn inside(self) -> impl Iterator<Item = Node<'t>> {
        let Node { tree, at } = self;
        (at + 1..tree[at].end).map(move |at| Node { tree, at })
    }

    pub(in crate::reader) fn find(self, name: &str) -> Option<Node<'t>> {
        self.inside().find(|node| node.name() == name)
    }

    /// All the text inside it.
    pub(in crate::reader) fn text(self) -> String {
        self.inside().map(Node::own_text).collect()
    }

    /// Names and values of its attributes, with their prefixes.
    pub(in crate::reader) fn attributes(self) -> impl Iterator<Item = (&'t str, String)> {
        let start = match &self.tree[self.at].kind {
            Kind::Element(start) => Some(start),
            Kind::Text(_) => None,
        };
        let attributes = start.into_iter().flat_map(|start| {
            let mut attributes = start.attributes();
            attributes.with_checks(false);
            attributes.flatten()
        });
        attributes.map(|attribute| (attribute.key.into_inner(), unescaped(&attribute.value)))
    }

    /// An attribute, by its name without a prefix.
    pub(in crate::reader) fn attribute(self, name: &str) -> Option<String> {
        let mut attributes = self.attributes();
        let found = attributes.find(|(key, _)| key.rsplit(':').next() == Some(name))?;
        Some(found.1)
    }

    /// A number in an attribute.
    pub(in crate::reader) fn number(self, name: &str) -> Option<u32> {
        self.attribute(name)?.trim().parse().ok()
    }
}
