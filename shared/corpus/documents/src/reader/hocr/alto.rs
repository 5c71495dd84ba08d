//! Reads ALTO, in which libraries keep what text recognition has read, into lines. A word that is broken at the end of a
//! line is read where it begins.

use super::Recognised;
use crate::reader::tree::{Node, Tree};
use crate::reader::{Parsed, SkipReason, text::decode};
use text::{line_of, one_line};

/// Longest name of a page.
const NAME_CHARS_MAX: usize = 100;

/// Parses a file.
pub(in crate::reader) fn parse(bytes: &[u8]) -> Result<Parsed, SkipReason> {
    let text = decode(bytes)?;
    let tree = Tree::parse(&text)?;
    let mut recognised = Recognised::default();
    let (mut pages, mut begun) = (0, None);
    for node in tree.root().into_iter().flat_map(Node::inside) {
        match node.name() {
            "Page" => {
                pages += 1;
                recognised.page(pages);
                let printed = node.attribute("PRINTED_IMG_NR");
                let printed = printed.map(|name| line_of(&name, NAME_CHARS_MAX));
                let printed = printed.filter(|name| !name.is_empty() && *name != pages.to_string());
                recognised
                    .page_names
                    .extend(printed.map(|name| (pages, name)));
            }
            "TextBlock" => recognised.lines.part(),
            "TextLine" => line(node, &mut begun, &mut recognised),
            _ => {}
        }
    }
    recognised.finish()
}

fn line(node: Node<'_>, begun: &mut Option<String>, recognised: &mut Recognised) {
    let mut words: Vec<String> = Vec::new();
    let mut is_whole = false;
    for child in node.children() {
        match child.name() {
            "String" => {
                let whole = child.attribute("SUBS_CONTENT");
                let part = child.attribute("SUBS_TYPE").unwrap_or_default();
                let sure = child.attribute("WC");
                recognised.sure_of(sure.and_then(|sure| sure.trim().parse().ok()));
                is_whole = part == "HypPart1" && whole.is_some();
                let before = begun.take().filter(|_| part == "HypPart2");
                if is_whole {
                    words.extend(whole.clone());
                    *begun = whole;
                } else if before.is_none() || whole.is_some() && whole != before {
                    words.extend(child.attribute("CONTENT"));
                }
            }
            "HYP" if !is_whole => words.last_mut().into_iter().for_each(|word| word.push('-')),
            _ => {}
        }
    }
    let words: Vec<String> = words.iter().map(|word| one_line(word)).collect();
    recognised.line(&words);
}
