//! Finds the line of a TOML file in which a key is written, for messages. *Not* here: the value of the key, which the
//! loader knows.

use crate::tree::{Path, dotted};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The line, from 1, in which the dotted key is set; for a table or a list of tables that of its first
/// heading. None when it is not there, or the text is no TOML.
pub fn line_of(text: &str, key: &str) -> Option<usize> {
    let table = DeTable::parse(text).ok()?;
    let at = find(table.get_ref(), &mut Path::new(), key)?;
    Some(1 + text.get(..at)?.matches('\n').count())
}

/// Where the name of the key begins, in bytes.
fn find(table: &DeTable<'_>, path: &mut Path, key: &str) -> Option<usize> {
    for (name, value) in table {
        path.push(name.get_ref().to_string());
        let here = dotted(path);
        let found = match value.get_ref() {
            _ if here == key => Some(name.span().start),
            DeValue::Table(inner) if key.starts_with(&format!("{here}.")) => find(inner, path, key),
            DeValue::Array(items) if key.starts_with(&format!("{here}.")) => {
                in_any(items, path, key)
            }
            _ => None,
        };
        path.pop();
        if found.is_some() {
            return found;
        }
    }
    None
}

fn in_any(items: &[Spanned<DeValue<'_>>], path: &mut Path, key: &str) -> Option<usize> {
    items.iter().find_map(|item| match item.get_ref() {
        DeValue::Table(inner) => find(inner, path, key),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# first\ndata_dir = \"x\"\n\n[nats]\nurl = \"a\"\n\n[model]\nmodel = \"m\"\n\n\
        [[model.nodes]]\nname = \"a\"\n\n[[model.nodes]]\nname = \"b\"\nadmits = 4\n\n\
        [editions.\"a.b\"]\nembedder = \"none\"\n[retrieval]\nqdrant.url = \"q\"\n";

    #[test]
    fn keys_are_found_where_they_are_set() {
        for (key, line) in [
            ("data_dir", 2),
            ("nats.url", 5),
            ("model.model", 8),
            ("model.nodes", 10),
            ("model.nodes.name", 11),
            ("model.nodes.admits", 15),
            ("editions.\"a.b\".embedder", 18),
            ("retrieval.qdrant.url", 20),
        ] {
            assert_eq!(line_of(TEXT, key), Some(line), "{key}");
        }
    }

    #[test]
    fn what_is_not_there_is_nowhere() {
        for key in [
            "",
            "url",
            "nats",
            "nats.urls",
            "nats.url.x",
            "model.nodes.x",
        ] {
            let found = line_of(TEXT, key);
            assert!(found.is_none() || key == "nats", "{key}: {found:?}");
        }
        assert_eq!(line_of("[broken", "nats.url"), None);
    }
}
