//! The loader: puts the values of the sources over the defaults, key by key, and reports everything that is wrong
//! at once.
//!
//! The keys are those of the type's own defaults, serialized; so no field may be skipped when it is serialized.
//! Sources are checked one key at a time before anything is merged. Then the type reads the merged tree; when it
//! refuses a key, that key is put back to its default and the reading goes on, to find the next problem. The caller
//! checks rules that span several sections and reports them with [`Configuration::reject`].

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use serde_path_to_error::Segment;

use crate::error::{Error, SettingFault, SettingOrigin, SettingProblem};
use crate::merge::Merge;
use crate::schema::{Schema, read_scalar};
use crate::show;
use crate::sources::Sources;
use crate::tree::{self, Path, dotted};

/// A configuration, and where each of its values came from.
#[derive(Debug, Clone)]
pub struct Configuration<T> {
    /// The configuration.
    pub value: T,
    /// Dotted key to origin, for every key that was set or has a default.
    pub origins: BTreeMap<String, SettingOrigin>,
}

impl<T> Configuration<T> {
    /// An error about a key that was loaded, for rules that only the caller knows.
    pub fn reject(&self, key: &str, rule: impl std::fmt::Display) -> Error {
        let origin = self
            .origins
            .get(key)
            .cloned()
            .unwrap_or(SettingOrigin::Default);
        let fault = SettingFault::Broken {
            rule: rule.to_string(),
        };
        Error::Invalid {
            problems: vec![SettingProblem {
                key: key.to_owned(),
                value: None,
                origin,
                fault,
            }],
        }
    }
}

/// Loads a configuration: defaults < variables by name < files < environment < flags. Tables are merged key by key, lists
/// are replaced as a whole.
///
/// A default that holds a non-empty [`Secret`](crate::Secret) needs `#[serde(default)]` on its
/// struct, because a secret cannot be read back from what it shows.
///
/// # Errors
/// [`Error`]: an unreadable file, or the list of all problems with key, value and origin.
pub fn load<T>(sources: Sources) -> Result<Configuration<T>, Error>
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
    let schema = Schema::new(defaults);
    let mut merge = Merge::new(&schema, sources.unread);
    merge.add_named(&sources);
    for group in sources.read()? {
        merge.add_source(group);
    }
    merge.finish()
}

/// The second half of a load: the type reads what was merged.
impl Merge<'_> {
    /// Reads the tree into the type, until it is read or nothing more can be learned.
    fn finish<T: DeserializeOwned>(mut self) -> Result<Configuration<T>, Error> {
        let mut repaired = BTreeSet::new();
        loop {
            let error = match serde_path_to_error::deserialize::<_, T>(&self.tree) {
                Ok(value) if self.problems.is_empty() => {
                    let named = |(path, origin): (Path, SettingOrigin)| (dotted(&path), origin);
                    let origins = self.origins.into_iter().map(named).collect();
                    return Ok(Configuration { value, origins });
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
        let value = tree::get(&self.tree, path).cloned();
        let said = show::without_jargon(error.inner().to_string());
        let rule = if self.schema.is_secret(path) {
            "wants text in quotes".to_owned()
        } else {
            show::without_secrets(
                self.schema,
                path,
                value.as_ref().unwrap_or(&Json::Null),
                said,
            )
        };
        self.complain(path, value.as_ref(), origin, SettingFault::Broken { rule });
    }

    /// The origin of a key: its own, else the strongest of what is below, else of what is above.
    fn origin_of(&self, path: &[String]) -> SettingOrigin {
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
        found.cloned().unwrap_or(SettingOrigin::Default)
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

/// The precedence of an origin: a higher number overrides a lower one.
fn strength(origin: &SettingOrigin) -> u8 {
    match origin {
        SettingOrigin::Default => 0,
        SettingOrigin::File(_) => 1,
        SettingOrigin::Environment(_) => 2,
        SettingOrigin::Flag => 3,
        SettingOrigin::SecretFile { named_by, .. } => strength(named_by),
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

#[cfg(test)]
#[path = "load_tests.rs"]
mod tests;
