//! Keys: who holds which, kept as hashes in a file that `argosy key` writes and every door reads.
//!
//! A key is 128 random bits, so a plain SHA-256 of it tells nothing of it. The file is read again when it has changed: a
//! revoked key is refused within [`LOOK_EVERY`].

use crate::access::rate::Rates;
use crate::access::{Login, Scope};
use crate::problem::Problem;
use axum::http::StatusCode;
use envelope::TenantId;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, RwLock};
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
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// Questions that it may ask in a minute, at each door. Default: any number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_minute: Option<u32>,
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

/// The logins that are let in.
#[derive(Debug)]
pub struct Logins {
    held: Option<Held>,
}

#[derive(Debug)]
struct Held {
    path: PathBuf,
    state: RwLock<State>,
    rates: Mutex<Rates>,
}

#[derive(Debug)]
struct State {
    keys: Vec<ApiKey>,
    changed: Option<SystemTime>,
    looked: Instant,
}

impl Logins {
    /// Nobody has to log in.
    pub fn open() -> Logins {
        Logins { held: None }
    }

    /// Those of a file.
    ///
    /// # Errors
    /// When it cannot be used.
    pub fn of_file(path: &Path) -> Result<Logins, KeyFileError> {
        let state = State {
            changed: changed(path),
            keys: KeyFile::read(path)?.keys,
            looked: Instant::now(),
        };
        let held = Held {
            path: path.to_owned(),
            state: RwLock::new(state),
            rates: Mutex::default(),
        };
        Ok(Logins { held: Some(held) })
    }

    /// Whether anybody has to log in.
    pub(crate) fn are_wanted(&self) -> bool {
        self.held.is_some()
    }

    /// The login of a key.
    pub(crate) fn of(&self, secret: Option<&str>) -> Result<Login, Problem> {
        let Some(held) = &self.held else {
            return Ok(Login {
                name: "local".into(),
                tenant: TenantId::default_tenant(),
                scopes: Scope::ALL.to_vec(),
                per_minute: None,
            });
        };
        let refused = |detail: &str| Problem::new(StatusCode::UNAUTHORIZED, "no_login", detail);
        let secret = secret
            .ok_or_else(|| refused("send a key, as in `Authorization: Bearer argosy-...`"))?;
        held.look();
        let hash = KeyFile::hash(secret);
        let state = held.state.read().unwrap_or_else(PoisonError::into_inner);
        let key = state.keys.iter().find(|key| key.sha256 == hash);
        let key = key.ok_or_else(|| refused("this key is not known, or was revoked"))?;
        Ok(Login {
            name: key.name.clone(),
            tenant: key.tenant.clone(),
            scopes: key.scopes.clone(),
            per_minute: key.per_minute,
        })
    }

    /// Counts a question of `login`, or refuses it where it has asked enough in this minute.
    pub(crate) fn spend(&self, login: &Login) -> Result<(), Problem> {
        let (Some(held), Some(per_minute)) = (&self.held, login.per_minute) else {
            return Ok(());
        };
        let mut rates = held.rates.lock().unwrap_or_else(PoisonError::into_inner);
        let spent = rates.spend(&login.name, per_minute, Instant::now());
        spent.map_err(|wait| {
            let detail = format!("this key may ask {per_minute} questions in a minute");
            let status = StatusCode::TOO_MANY_REQUESTS;
            Problem {
                retry_after: Some(wait.as_secs().saturating_add(1) as u32),
                ..Problem::new(status, "rate_limited", detail)
            }
        })
    }
}

impl Held {
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
            Ok(file) => (state.keys, state.changed) = (file.keys, now),
            Err(error) => tracing::warn!(%error, "the keys stay as they were"),
        }
    }
}

fn changed(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path)
        .and_then(|file| file.modified())
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_its_login_and_any_other_is_none() {
        let folder = std::env::temp_dir().join(format!("argosy-keys-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("keys.json");
        let key = ApiKey {
            name: "one".into(),
            sha256: KeyFile::hash("argosy-1"),
            tenant: TenantId::new("acme").expect("a tenant"),
            scopes: vec![Scope::Ask],
            per_minute: None,
        };
        let file = KeyFile { keys: vec![key] };
        std::fs::write(&path, serde_json::to_vec(&file).expect("JSON")).expect("written");
        let logins = Logins::of_file(&path).expect("keys");
        let login = logins.of(Some("argosy-1")).expect("a login");
        assert_eq!(
            (login.name.as_str(), login.tenant.as_str()),
            ("one", "acme")
        );
        assert!(login.may(Scope::Ask).is_ok() && login.may(Scope::Read).is_err());
        for wrong in [
            None,
            Some(""),
            Some("argosy-2"),
            Some(file.keys[0].sha256.as_str()),
        ] {
            let refused = logins.of(wrong).expect_err("no login");
            assert_eq!(refused.status, StatusCode::UNAUTHORIZED);
        }
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}
