//! Keys: who holds which, kept as hashes in a file that `argosy key` writes and every door reads.
//!
//! A key is 128 random bits, so a plain SHA-256 of it tells nothing of it. The file is read again when it has changed: a
//! revoked key is refused within [`LOOK_EVERY`].

use crate::access::{Login, Proof, Scope};
use envelope::{Groups, TenantId};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};
use std::time::{Duration, Instant, SystemTime};

/// How often it is looked whether the file has changed.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// A key, without its secret.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApiKey {
    /// Its name, for people and logs.
    pub name: String,
    /// SHA-256 of the secret, in hex.
    pub sha256: String,
    /// The tenant whose documents and conversations it sees.
    pub tenant: TenantId,
    /// The groups of readers that it belongs to. Default none: it reads what is for everybody of its tenant.
    #[serde(default, skip_serializing_if = "Groups::is_empty")]
    pub groups: Groups,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// Questions that it may ask in a minute, at each door. Default: any number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_minute: Option<u32>,
    /// Tokens of models that its turns may take in an hour, at each door. Default: any number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens_per_hour: Option<u64>,
}

impl ApiKey {
    fn login(&self) -> Login {
        Login {
            id: self.name.clone(),
            name: self.name.clone(),
            tenant: self.tenant.clone(),
            groups: self.groups.clone(),
            scopes: self.scopes.clone(),
            per_minute: self.per_minute,
            tokens_per_hour: self.tokens_per_hour,
            proof: Proof::Key(self.sha256.clone()),
        }
    }
}

/// The file of keys.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyFile {
    /// The keys.
    #[serde(default)]
    pub keys: Vec<ApiKey>,
}

/// Why the file of keys cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("`door.keys`: `{}`: {why}", .path.display())]
pub struct KeyFileError {
    path: PathBuf,
    why: String,
}

impl KeyFile {
    /// Reads it.
    ///
    /// # Errors
    /// When it cannot be read, or is no such file.
    pub fn read(path: &Path) -> Result<KeyFile, KeyFileError> {
        let fail = |why: String| KeyFileError {
            path: path.to_owned(),
            why,
        };
        let text = std::fs::read(path).map_err(|error| fail(error.to_string()))?;
        serde_json::from_slice(&text).map_err(|error| fail(error.to_string()))
    }

    /// The hash under which a secret is kept.
    pub fn hash(secret: &str) -> String {
        let digest = Sha256::digest(secret.as_bytes());
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The keys of a file, which is looked at again and again.
#[derive(Debug)]
pub(super) struct Held {
    path: PathBuf,
    state: RwLock<State>,
}

#[derive(Debug)]
struct State {
    keys: Vec<ApiKey>,
    changed: Option<SystemTime>,
    looked: Instant,
    /// As it was when it could not be read last.
    refused: Option<Option<SystemTime>>,
}

impl Held {
    /// Those of a file.
    pub(super) fn of_file(path: &Path) -> Result<Held, KeyFileError> {
        let state = State {
            changed: changed(path),
            keys: KeyFile::read(path)?.keys,
            looked: Instant::now(),
            refused: None,
        };
        Ok(Held {
            path: path.to_owned(),
            state: RwLock::new(state),
        })
    }

    /// The login of the key with this hash.
    pub(super) fn login(&self, hash: &str) -> Option<Login> {
        self.look();
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let key = state.keys.iter().find(|key| key.sha256 == hash);
        key.map(ApiKey::login)
    }

    /// Reads the file again if it has changed. One that cannot be read leaves the keys as they are.
    fn look(&self) {
        let is_due = |state: &State| state.looked.elapsed() >= LOOK_EVERY;
        if !is_due(&self.state.read().unwrap_or_else(PoisonError::into_inner)) {
            return;
        }
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        state.looked = Instant::now();
        let now = changed(&self.path);
        if now == state.changed {
            return;
        }
        match KeyFile::read(&self.path) {
            Ok(file) => (state.keys, state.changed, state.refused) = (file.keys, now, None),
            // Once, and not every few seconds.
            Err(error) if state.refused != Some(now) => {
                state.refused = Some(now);
                tracing::warn!(%error, "the keys stay as they were");
            }
            Err(_) => {}
        }
    }
}

/// When a file was changed last; `None` where it cannot be read.
pub(crate) fn changed(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path)
        .and_then(|file| file.modified())
        .ok()
}
