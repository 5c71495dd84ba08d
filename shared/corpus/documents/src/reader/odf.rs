//! Reads a text or slides of OpenDocument into lines: headings as `#` lines, list items as `-` lines or with their
//! numbers, tables as rows `| a | b |`, formulas as LaTeX, charts as their titles and tables.
//!
//! Notes stand behind the paragraph that refers to them, headers and footers once before and behind the text; slides
//! are pages. It does *not* read comments, pictures, hidden text, hidden slides, and text that was deleted under
//! tracked changes. Only slides have pages: where those of a text begin is not written down.

mod body;
mod styles;

use super::package::{Package, XML_BYTES_MAX};
use super::text::decode;
use super::tree::{Node, Tree, properties};
use super::{Parsed, SkipReason, front_matter};
use body::{Body, Objects};
use styles::Styles;

/// Most objects, such as formulas, and most bytes of them together.
const OBJECTS_MAX: usize = 1_000;
const OBJECT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Parses a document.
pub(super) fn parse(bytes: &[u8]) -> Result<Parsed, SkipReason> {
    let (texts, package) = open(bytes)?;
    let trees = trees(&texts)?;
    let objects = match (package, trees.last()) {
        (Some(mut package), Some(content)) => objects(&mut package, content),
        _ => Objects::new(),
    };
    let parts = parts(&trees);
    let named = |name| {
        parts
            .iter()
            .copied()
            .filter(move |part: &Node<'_>| part.name() == name)
    };
    let mut styles = Styles::default();
    for part in parts.iter().filter(|part| part.name().ends_with("styles")) {
        styles.add(*part);
    }
    let (title, fields) = properties(named("meta").flat_map(Node::children));
    let mut body = Body::new(&styles, &objects);
    let contents: Vec<Node<'_>> = named("body").flat_map(Node::children).collect();
    let is_text = contents.iter().any(|content| content.name() == "text");
    let masters: Vec<Node<'_>> = named("master-styles").filter(|_| is_text).collect();
    body.margins(&masters, "header");
    for content in contents {
        body.blocks(content);
    }
    body.margins(&masters, "footer");
    Ok(Parsed {
        title,
        metadata: front_matter::collect(fields),
        lines: body.finish()?,
        ..Parsed::default()
    })
}

/// The texts in which a document is written down, and the archive in which they are, if it is none that is all one XML.
pub(super) fn open(bytes: &[u8]) -> Result<(Vec<String>, Option<Package<'_>>), SkipReason> {
    if !bytes.starts_with(b"PK") {
        return match decode(bytes) {
            Ok(xml) if xml.contains("<office:document") => Ok((vec![xml], None)),
            _ => Err(SkipReason::no_such(bytes)),
        };
    }
    let mut package = Package::open(bytes, XML_BYTES_MAX)?;
    let manifest = package.text("META-INF/manifest.xml")?.unwrap_or_default();
    if manifest.contains("encryption-data") {
        return Err(SkipReason::Encrypted);
    }
    let content = package.text("content.xml")?;
    let no_text = || SkipReason::Broken("no OpenDocument text in its archive".into());
    let mut texts = Vec::new();
    for name in ["meta.xml", "styles.xml"] {
        texts.extend(package.text(name)?);
    }
    texts.push(content.ok_or_else(no_text)?);
    Ok((texts, Some(package)))
}

pub(super) fn trees(texts: &[String]) -> Result<Vec<Tree<'_>>, SkipReason> {
    let texts = texts.iter().filter(|text| !text.is_empty());
    texts.map(|xml| Tree::parse(xml)).collect()
}

/// What a document consists of: `meta`, `styles`, `body`.
pub(super) fn parts<'t>(trees: &'t [Tree<'t>]) -> Vec<Node<'t>> {
    trees
        .iter()
        .filter_map(Tree::root)
        .flat_map(Node::children)
        .collect()
}

/// The lines of the formulas and charts in an archive, by their names in there.
fn objects(package: &mut Package<'_>, content: &Tree<'_>) -> Objects {
    let names = content
        .nodes()
        .filter(|node| node.name() == "object")
        .filter_map(|node| node.attribute("href"));
    let (mut objects, mut bytes) = (Objects::new(), 0);
    for name in names.take(OBJECTS_MAX) {
        let part = format!(
            "{}/content.xml",
            name.trim_start_matches("./").trim_end_matches('/')
        );
        // What an object looks like stands beside it, so one that cannot be read is as a picture.
        let Ok(Some(xml)) = package.text(&part) else {
            continue;
        };
        bytes += xml.len();
        if bytes > OBJECT_BYTES_MAX {
            break;
        }
        let Ok(inner) = Tree::parse(&xml) else {
            continue;
        };
        let object = inner
            .root()
            .map(|root| body::object(root, &Styles::default(), &Objects::new()));
        objects.extend(object.map(|object| (name, object)));
    }
    objects
}

#[cfg(test)]
#[path = "odf_tests.rs"]
mod tests;
