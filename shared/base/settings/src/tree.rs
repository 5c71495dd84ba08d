//! Paths into a JSON tree, and the few operations that the loader does along them. *Not* here: what a key may hold;
//! that is in `schema`.

use serde_json::{Map, Value as Json};

/// The place of a value: the names of the tables on the way, then its own.
pub(crate) type Path = Vec<String>;

/// The path as it is written in messages: dotted, with quotes around names that need them.
pub(crate) fn dotted(path: &[String]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let parts: Vec<String> = path
        .iter()
        .map(|name| match name.chars().all(plain) {
            true => name.clone(),
            false => format!("\"{name}\""),
        })
        .collect();
    parts.join(".")
}

/// A dotted key, split. Names with dots in them can only be given in a file.
pub(crate) fn split(key: &str) -> Path {
    key.split('.').map(|name| name.trim().to_owned()).collect()
}

pub(crate) fn get<'a>(tree: &'a Json, path: &[String]) -> Option<&'a Json> {
    path.iter().try_fold(tree, |node, name| node.get(name))
}

/// Puts a value at a path. What stands in the way and is no table is replaced by one.
pub(crate) fn set(tree: &mut Json, path: &[String], value: Json) {
    let Some((name, rest)) = path.split_first() else {
        *tree = value;
        return;
    };
    if !tree.is_object() {
        *tree = Json::Object(Map::new());
    }
    if let Json::Object(table) = tree {
        set(table.entry(name.clone()).or_insert(Json::Null), rest, value);
    }
}

/// Takes the value at a path out of the tree.
pub(crate) fn remove(tree: &mut Json, path: &[String]) -> Option<Json> {
    let (name, parents) = path.split_last()?;
    let parent = parents
        .iter()
        .try_fold(tree, |node, name| node.get_mut(name))?;
    parent.as_object_mut()?.remove(name)
}

/// Every value that is no table with something in it, with its path. Lists stay whole.
pub(crate) fn leaves(tree: Json) -> Vec<(Path, Json)> {
    fn walk(node: Json, path: &mut Path, found: &mut Vec<(Path, Json)>) {
        match node {
            Json::Object(table) if !table.is_empty() => {
                for (name, child) in table {
                    path.push(name);
                    walk(child, path, found);
                    path.pop();
                }
            }
            leaf => found.push((path.clone(), leaf)),
        }
    }
    let mut found = Vec::new();
    walk(tree, &mut Path::new(), &mut found);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn leaves_put_back_give_the_tree_again() {
        let tree = json!({"a": {"b": 1, "c": [1, {"d": 2}]}, "e": {}, "f": null});
        let mut again = json!({});
        for (path, leaf) in leaves(tree.clone()) {
            set(&mut again, &path, leaf);
        }
        assert_eq!(again, tree);
    }

    #[test]
    fn a_scalar_in_the_way_becomes_a_table() {
        let mut tree = json!({"a": 1});
        set(&mut tree, &split("a.b"), json!(2));
        assert_eq!(tree, json!({"a": {"b": 2}}));
        assert_eq!(remove(&mut tree, &split("a.b")), Some(json!(2)));
        assert_eq!(remove(&mut tree, &split("x.y")), None);
    }

    #[test]
    fn names_that_need_quotes_get_them() {
        let path = ["nodes".to_owned(), "qwen2.5:7b".to_owned()];
        assert_eq!(dotted(&path), "nodes.\"qwen2.5:7b\"");
    }
}
