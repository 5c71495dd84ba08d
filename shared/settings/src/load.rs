//! The loader: puts what the sources say over the defaults, key by key, and reports everything that
//! is wrong at once.
//!
//! The type's own defaults, serialized, say which keys there are; so no field may be skipped when it
//! is serialized. Sources are checked one key at a time before anything is merged; then the type reads
//! the merged tree, and when it refuses a key, that key is put back to its default and the reading
//! goes on, to find the next problem. Rules that span several sections are the caller's to check, who
//! reports them with [`Loaded::reject`].

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use serde_path_to_error::Segment;

use crate::error::{Error, Fault, Origin, Problem};
use crate::schema::{Place, Schema, mismatch, read_scalar, read_text};
use crate::secret::MASK;
use crate::sources::{Entry, Given, Sources};
use crate::tree::{self, Path, dotted};

/// The longest value a message shows, in characters.
const SHOWN_MAX: usize = 80;
/// The largest file of a secret, in bytes.
const SECRET_FILE_MAX: u64 = 64 * 1024;

/// A configuration, and where each of its values came from.
#[derive(Debug, Clone)]
pub struct Loaded<T> {
    /// The configuration.
    pub value: T,
    /// Dotted key to origin, for every key that was set or has a default.
    pub origins: BTreeMap<String, Origin>,
}

impl<T> Loaded<T> {
    /// An error about a key that was loaded, for rules that only the caller knows.
    pub fn reject(&self, key: &str, rule: impl std::fmt::Display) -> Error {
        let origin = self.origins.get(key).cloned().unwrap_or(Origin::Default);
        let fault = Fault::Broken {
            rule: rule.to_string(),
        };
        Error::Invalid {
            problems: vec![Problem {
                key: key.to_owned(),
                value: None,
                origin,
                fault,
            }],
        }
    }
}

/// Loads a configuration: defaults < files < environment < flags. Tables are merged key by key, lists
/// are replaced as a whole.
///
/// A default that holds a non-empty [`Secret`](crate::Secret) needs `#[serde(default)]` on its
/// struct, because a secret cannot be read back from what it shows.
///
/// # Errors
/// [`Error`]: an unreadable file, or the list of all problems with key, value and origin.
pub fn load<T>(sources: Sources) -> Result<Loaded<T>, Error>
where
    T: Default + Serialize + DeserializeOwned,
{
    let defaults = serde_json::to_value(T::default()).map_err(|error| Error::Defaults {
        reason: error.to_string(),
    })?;
    if !defaults.is_object() {
        return Err(Error::Defaults {
            reason: "it serializes to something else".to_owned(),
        });
    }
    let schema = Schema::new(
        defaults,
        &sources.open,
        &sources.lists,
        &sources.secret_names,
    );
    let mut merge = Merge::new(&schema);
    for group in sources.read()? {
        merge.add_source(group);
    }
    merge.finish()
}

/// The configuration in the making.
struct Merge<'a> {
    schema: &'a Schema,
    tree: Json,
    origins: BTreeMap<Path, Origin>,
    /// Keys whose text was taken as text only because nothing said what it is.
    guessed: BTreeSet<Path>,
    problems: Vec<Problem>,
}

impl<'a> Merge<'a> {
    fn new(schema: &'a Schema) -> Self {
        let mut tree = schema.defaults().clone();
        let mut origins = BTreeMap::new();
        for (path, leaf) in tree::leaves(tree.clone()) {
            if leaf == MASK {
                tree::remove(&mut tree, &path);
            }
            origins.insert(path, Origin::Default);
        }
        Self {
            schema,
            tree,
            origins,
            guessed: BTreeSet::new(),
            problems: Vec::new(),
        }
    }

    fn add_source(&mut self, entries: Vec<Entry>) {
        let mut given: BTreeMap<Path, Origin> = BTreeMap::new();
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
                self.complain(&path, Some(&value), origin, Fault::Twice { also });
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
    fn resolve(&mut self, entry: Entry) -> Option<(Path, Json, Origin)> {
        let Entry {
            path,
            value,
            origin,
        } = entry;
        if let Some(secret) = self.schema.secret_of_file(&path) {
            return self.resolve_file(path, secret, value, origin);
        }
        let value = match value {
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
        Some((path, value, origin))
    }

    fn resolve_file(
        &mut self,
        path: Path,
        secret: Path,
        value: Given,
        origin: Origin,
    ) -> Option<(Path, Json, Origin)> {
        let file = match value {
            Given::Text(file) | Given::Typed(Json::String(file)) => file,
            Given::Typed(other) => {
                let wanted = "the path of a file, in quotes".to_owned();
                self.complain(&path, Some(&other), origin, Fault::Wrong { wanted });
                return None;
            }
        };
        match read_secret(&file) {
            Ok(text) => {
                let named_by = Box::new(origin);
                let origin = Origin::SecretFile {
                    path: file,
                    named_by,
                };
                Some((secret, Json::String(text), origin))
            }
            Err(reason) => {
                let shown = Json::String(file);
                self.complain(&path, Some(&shown), origin, Fault::SecretFile { reason });
                None
            }
        }
    }

    /// Puts one value into the tree, unless it is plain that it does not belong there.
    fn add_leaf(&mut self, path: Path, leaf: Json, origin: Origin) {
        match self.schema.place(&path) {
            Place::Unknown => {
                let nearest = self.schema.nearest(&path);
                self.complain(&path, Some(&leaf), origin, Fault::Unknown { nearest });
            }
            Place::Known(default) => match mismatch(default, &leaf) {
                Some(wanted) => self.complain(&path, Some(&leaf), origin, Fault::Wrong { wanted }),
                // A table without a key sets nothing.
                None if leaf.is_object() && default.as_object().is_some_and(|t| !t.is_empty()) => {}
                None => self.put(path, leaf, origin),
            },
            Place::Open => self.put(path, leaf, origin),
        }
    }

    fn put(&mut self, path: Path, leaf: Json, origin: Origin) {
        if let Some(open) = self.schema.declared_open(&path) {
            // Whoever sets a key of an open section sets all of it: forget its default, once.
            let is_default =
                |path: &Path, origin: &Origin| path.starts_with(open) && *origin == Origin::Default;
            if self.origins.iter().any(|(p, o)| is_default(p, o)) {
                self.origins.retain(|p, o| !is_default(p, o));
                tree::remove(&mut self.tree, open);
            }
        }
        // A value below an open default, such as the first node of an empty table, replaces it; and a
        // value replaces what an earlier source said below it.
        self.origins
            .retain(|known, _| !path.starts_with(known) && !known.starts_with(&path));
        tree::set(&mut self.tree, &path, leaf);
        self.origins.insert(path, origin);
    }

    fn complain(&mut self, path: &[String], value: Option<&Json>, origin: Origin, fault: Fault) {
        let meant_secret = match &fault {
            Fault::Unknown {
                nearest: Some(name),
            } => self.schema.is_secret(&tree::split(name)),
            _ => false,
        };
        let value = value.map(|value| {
            if meant_secret || self.schema.is_secret(path) {
                MASK.to_owned()
            } else {
                self.shown(path, value)
            }
        });
        self.problems.push(Problem {
            key: dotted(path),
            value,
            origin,
            fault,
        });
    }

    /// The value for people: short, and without the secrets in it.
    fn shown(&self, path: &[String], value: &Json) -> String {
        let mut value = value.clone();
        self.hide_secrets(&mut path.to_vec(), &mut value);
        let text = value.to_string();
        match text.char_indices().nth(SHOWN_MAX) {
            Some((end, _)) => format!("`{}...`", &text[..end]),
            None => format!("`{text}`"),
        }
    }

    fn hide_secrets(&self, path: &mut Path, value: &mut Json) {
        match value {
            Json::Object(table) => {
                for (name, child) in table {
                    path.push(name.clone());
                    self.hide_secrets(path, child);
                    path.pop();
                }
            }
            Json::Array(items) => {
                for item in items {
                    self.hide_secrets(path, item);
                }
            }
            leaf if self.schema.is_secret(path) => *leaf = MASK.into(),
            _ => {}
        }
    }

    /// Reads the tree into the type, until it is read or nothing more can be learned.
    fn finish<T: DeserializeOwned>(mut self) -> Result<Loaded<T>, Error> {
        let mut repaired = BTreeSet::new();
        loop {
            let error = match serde_path_to_error::deserialize::<_, T>(&self.tree) {
                Ok(value) if self.problems.is_empty() => {
                    let named = |(path, origin): (Path, Origin)| (dotted(&path), origin);
                    let origins = self.origins.into_iter().map(named).collect();
                    return Ok(Loaded { value, origins });
                }
                Ok(_) => break,
                Err(error) => error,
            };
            let path = table_path(error.path());
            if self.reinterpret(&path) {
                continue;
            }
            self.refuse(&path, &error);
            if !self.repair(path, &mut repaired) {
                break;
            }
        }
        Err(Error::Invalid {
            problems: self.problems,
        })
    }

    /// Takes guessed text at or below a refused key for the number or truth value it looks like.
    /// Says whether that changed anything.
    fn reinterpret(&mut self, path: &[String]) -> bool {
        let below = |guessed: &&Path| guessed.starts_with(path) && !self.schema.is_secret(guessed);
        let keys: Vec<Path> = self.guessed.iter().filter(below).cloned().collect();
        let mut changed = false;
        for key in keys {
            self.guessed.remove(&key);
            let again = match tree::get(&self.tree, &key) {
                Some(Json::String(text)) => read_scalar(text),
                Some(Json::Array(items)) => Some(items.iter().map(reread).collect()),
                _ => None,
            };
            if let Some(value) = again {
                changed |= tree::get(&self.tree, &key) != Some(&value);
                tree::set(&mut self.tree, &key, value);
            }
        }
        changed
    }

    fn refuse(&mut self, path: &[String], error: &serde_path_to_error::Error<serde_json::Error>) {
        let origin = self.origin_of(path);
        // The words of the type may quote the value.
        let rule = if self.schema.is_secret(path) {
            "wants text in quotes".to_owned()
        } else {
            error.inner().to_string()
        };
        let value = tree::get(&self.tree, path).cloned();
        self.complain(path, value.as_ref(), origin, Fault::Broken { rule });
    }

    /// The origin of a key: its own, else the strongest of what is below, else of what is above.
    fn origin_of(&self, path: &[String]) -> Origin {
        let own = self.origins.get(path);
        let below = || {
            let keys = self.origins.iter().filter(|(key, _)| key.starts_with(path));
            let set = keys.map(|(_, origin)| origin);
            set.max_by_key(|origin| strength(origin))
        };
        let above = || {
            let keys = self.origins.iter().filter(|(key, _)| path.starts_with(key));
            keys.map(|(_, origin)| origin).next_back()
        };
        let found = own.or_else(below).or_else(above);
        found.cloned().unwrap_or(Origin::Default)
    }

    /// Puts a refused key, or the nearest table around it for which that changes anything, back to
    /// its default, so that the next problem shows. Says whether it is worth going on.
    fn repair(&mut self, mut path: Path, repaired: &mut BTreeSet<Path>) -> bool {
        while !path.is_empty() {
            let fresh = repaired.insert(path.clone());
            let present = tree::get(&self.tree, &path).cloned();
            let default = tree::get(self.schema.defaults(), &path).cloned();
            if fresh && present.is_some() && present != default {
                match default {
                    Some(default) => tree::set(&mut self.tree, &path, default),
                    None => drop(tree::remove(&mut self.tree, &path)),
                }
                return true;
            }
            path.pop();
        }
        false
    }
}

/// How late in the order an origin comes.
fn strength(origin: &Origin) -> u8 {
    match origin {
        Origin::Default => 0,
        Origin::File(_) => 1,
        Origin::Environment(_) => 2,
        Origin::Flag => 3,
        Origin::SecretFile { named_by, .. } => strength(named_by),
    }
}

fn reread(item: &Json) -> Json {
    match item {
        Json::String(text) => read_scalar(text).unwrap_or_else(|| item.clone()),
        other => other.clone(),
    }
}

/// The path of an error as far as it goes through tables; a list is replaced as a whole.
fn table_path(path: &serde_path_to_error::Path) -> Path {
    path.iter()
        .map_while(|segment| match segment {
            Segment::Map { key } => Some(key.clone()),
            Segment::Seq { .. } | Segment::Enum { .. } | Segment::Unknown => None,
        })
        .collect()
}

fn read_secret(file: &str) -> Result<String, String> {
    let size = std::fs::metadata(file).map_err(|error| error.to_string())?;
    if size.len() > SECRET_FILE_MAX {
        return Err(format!("it is larger than {SECRET_FILE_MAX} bytes"));
    }
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    // Editors and `echo` end a file with a line break that is not part of the secret.
    let secret = text.trim_end_matches(['\r', '\n']);
    if secret.is_empty() {
        return Err("it is empty".to_owned());
    }
    Ok(secret.to_owned())
}

#[cfg(test)]
#[path = "load_tests.rs"]
mod tests;
