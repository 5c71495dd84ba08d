//! Puts the values of the sources over the defaults, one key at a time, and leaves out unknown keys and values of a
//! wrong kind. The configuration type decides later whether the whole is valid.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use crate::error::{SettingFault, SettingOrigin, SettingProblem};
use crate::schema::{Place, Schema, mismatch, read_text};
use crate::secret::{self, MASK};
use crate::show;
use crate::sources::{Entry, Given, Sources};
use crate::tree::{self, Path, dotted};

pub(crate) struct Merge<'a> {
    pub(crate) schema: &'a Schema,
    pub(crate) tree: Json,
    pub(crate) origins: BTreeMap<Path, SettingOrigin>,
    /// Keys whose text was taken as text only because nothing said what it is.
    pub(crate) guessed: BTreeSet<Path>,
    pub(crate) problems: Vec<SettingProblem>,
    /// What stands for the text of every secret file, where they are not to be read.
    unread: Option<&'static str>,
}

impl<'a> Merge<'a> {
    pub(crate) fn new(schema: &'a Schema, unread: Option<&'static str>) -> Self {
        let mut tree = schema.defaults().clone();
        let mut origins = BTreeMap::new();
        for (path, leaf) in tree::leaves(tree.clone()) {
            if leaf == MASK {
                tree::remove(&mut tree, &path);
            }
            origins.insert(path, SettingOrigin::Default);
        }
        Self {
            schema,
            tree,
            origins,
            guessed: BTreeSet::new(),
            problems: Vec::new(),
            unread,
        }
    }

    /// What variables say that have names of their own.
    pub(crate) fn add_named(&mut self, sources: &Sources) {
        let mut entries = Vec::new();
        for (variable, text) in sources.set_by_name() {
            let path = tree::split(variable.key);
            let origin = SettingOrigin::Environment(variable.name.to_owned());
            let Some(meant) = (variable.read)(text) else {
                let (text, wanted) = (Json::from(text), variable.wanted.to_owned());
                self.complain(&path, &text, origin, SettingFault::Wrong { wanted });
                continue;
            };
            entries.push(Entry {
                path,
                value: Given::Text(meant),
                origin,
            });
        }
        self.add_source(entries);
    }

    pub(crate) fn add_source(&mut self, entries: Vec<Entry>) {
        let mut given: BTreeMap<Path, SettingOrigin> = BTreeMap::new();
        for entry in entries {
            let Some((path, value, origin)) = self.resolve(entry) else {
                continue;
            };
            // Flags follow each other, the last one counts; a file cannot say a key twice, but it can
            // give a secret in place and through a file, and variables can differ in case only.
            if let Some(other) = given.get(&path)
                && *other != origin
            {
                let also = other.to_string();
                self.complain(&path, &value, origin, SettingFault::Twice { also });
                continue;
            }
            given.insert(path.clone(), origin.clone());
            for (below, leaf) in tree::leaves(value) {
                let path: Path = path.iter().cloned().chain(below).collect();
                self.add_leaf(path, leaf, origin.clone());
            }
        }
    }

    /// What an entry sets: text gets its type, and the file of a secret is read.
    fn resolve(&mut self, entry: Entry) -> Option<(Path, Json, SettingOrigin)> {
        let Entry {
            path,
            value,
            origin,
        } = entry;
        if let Some(secret) = self.schema.secret_of_file(&path) {
            return self.resolve_file(path, secret, value, origin);
        }
        let mut value = match value {
            Given::Typed(value) => value,
            Given::Text(text) if self.schema.is_secret(&path) => Json::String(text),
            Given::Text(text) => {
                let default = match self.schema.place(&path) {
                    Place::Known(default) => Some(default),
                    Place::Open | Place::Unknown => None,
                };
                let value = read_text(&text, default, self.schema.is_list(&path));
                // A default with a type has decided already, and the items of a list may be numbers.
                if value.is_array() || matches!(default, None | Some(Json::Null)) {
                    self.guessed.insert(path.clone());
                }
                value
            }
        };
        self.read_files_below(&path, &mut value, &origin);
        Some((path, value, origin))
    }

    /// Reads the files of the secrets that lie in the tables of a list.
    fn read_files_below(&mut self, path: &[String], value: &mut Json, origin: &SettingOrigin) {
        match value {
            Json::Array(items) => {
                for item in items {
                    self.read_files_below(path, item, origin);
                }
            }
            Json::Object(table) => {
                for (name, mut child) in std::mem::take(table) {
                    let path = [path, std::slice::from_ref(&name)].concat();
                    let Some(secret) = self.schema.secret_of_file(&path) else {
                        self.read_files_below(&path, &mut child, origin);
                        table.insert(name, child);
                        continue;
                    };
                    let read = self.resolve_file(path, secret, Given::Typed(child), origin.clone());
                    if let Some((Some(stem), text)) =
                        read.map(|(path, text, _)| (path.last().cloned(), text))
                    {
                        table.insert(stem, text);
                    }
                }
            }
            _ => {}
        }
    }

    fn resolve_file(
        &mut self,
        path: Path,
        secret: Path,
        value: Given,
        origin: SettingOrigin,
    ) -> Option<(Path, Json, SettingOrigin)> {
        let file = match value {
            Given::Text(file) | Given::Typed(Json::String(file)) => file,
            Given::Typed(other) => {
                let wanted = "the path of a file, in quotes".to_owned();
                self.complain(&path, &other, origin, SettingFault::Wrong { wanted });
                return None;
            }
        };
        let read = match self.unread {
            Some(instead) => Ok(instead.to_owned()),
            None => secret::read_file(&file),
        };
        match read {
            Ok(text) => {
                let named_by = Box::new(origin);
                let origin = SettingOrigin::SecretFile {
                    path: file,
                    named_by,
                };
                Some((secret, Json::String(text), origin))
            }
            Err(reason) => {
                let shown = Json::String(file);
                self.complain(&path, &shown, origin, SettingFault::SecretFile { reason });
                None
            }
        }
    }

    /// Puts one value into the tree, unless it is plain that it does not belong there.
    fn add_leaf(&mut self, path: Path, leaf: Json, origin: SettingOrigin) {
        match self.schema.place(&path) {
            Place::Unknown => {
                let nearest = self.schema.nearest(&path);
                self.complain(&path, &leaf, origin, SettingFault::Unknown { nearest });
            }
            Place::Known(default) => match mismatch(default, &leaf) {
                Some(wanted) => self.complain(&path, &leaf, origin, SettingFault::Wrong { wanted }),
                // A table without a key sets nothing.
                None if leaf.is_object() && default.as_object().is_some_and(|t| !t.is_empty()) => {}
                None => self.put(path, leaf, origin),
            },
            Place::Open => self.put(path, leaf, origin),
        }
    }

    fn put(&mut self, path: Path, leaf: Json, origin: SettingOrigin) {
        // A value below an open default, such as the first node of an empty table, replaces it; and a
        // value replaces what an earlier source said below it.
        self.origins
            .retain(|known, _| !path.starts_with(known) && !known.starts_with(&path));
        tree::set(&mut self.tree, &path, leaf);
        self.origins.insert(path, origin);
    }

    pub(crate) fn complain<'v>(
        &mut self,
        path: &[String],
        value: impl Into<Option<&'v Json>>,
        origin: SettingOrigin,
        fault: SettingFault,
    ) {
        let meant_secret = match &fault {
            SettingFault::Unknown {
                nearest: Some(name),
            } => self.schema.is_secret(&tree::split(name)),
            _ => false,
        };
        let value = value.into().map(|value| {
            if meant_secret || self.schema.is_secret(path) {
                MASK.to_owned()
            } else {
                show::shown(self.schema, path, value)
            }
        });
        self.problems.push(SettingProblem {
            key: dotted(path),
            value,
            origin,
            fault,
        });
    }
}
