//! Keys of a test's doors, each by its name.

use door::{KeyFile, Options};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A file of keys.
pub(crate) struct Keys(TempDir);

impl Keys {
    /// A key for each name, with its tenant and its scopes; it belongs to all groups.
    pub(crate) fn new(keys: &[(&str, &str, &str)]) -> Keys {
        let keys = keys.iter().map(|(name, tenant, scopes)| {
            let scopes: Vec<&str> = scopes.split(',').collect();
            let sha256 = KeyFile::hash(name);
            json!({"name": name, "sha256": sha256, "tenant": tenant, "scopes": scopes, "groups": ["*"]})
        });
        Keys::of(keys.collect())
    }

    /// Keys as they stand in the file.
    pub(crate) fn of(keys: Vec<Value>) -> Keys {
        let dir = tempfile::tempdir().unwrap();
        let file = json!({ "keys": keys }).to_string();
        std::fs::write(dir.path().join("keys.json"), file).unwrap();
        Keys(dir)
    }

    /// The options of a door that wants them.
    pub(crate) fn options(&self) -> Options {
        Options {
            keys: Some(self.0.path().join("keys.json")),
            ..Options::default()
        }
    }

    /// The header of a request with a key.
    pub(crate) fn header(name: &str) -> String {
        format!("Authorization: Bearer {name}")
    }
}
