//! The logins that are let in: by a key, or by a token of an issuer, or everybody; and what each of them has spent.

use crate::Options;
use crate::access::keys::{Held, KeyFile, KeyFileError};
use crate::access::oidc::Issuer;
use crate::access::rate::{Rates, Recent};
use crate::access::{Login, Proof};
use crate::problem::Problem;
use axum::http::StatusCode;
use envelope::{Outcome, Terminal, TurnId};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3_600);
/// Tries of a turn after the first that are free. Each is a message to the fleet, so further ones count.
const AGAIN_FREE: u32 = 10;

/// Why there are no logins as they are configured.
#[derive(Debug, thiserror::Error)]
pub enum LoginsError {
    /// The file of keys.
    #[error(transparent)]
    Keys(#[from] KeyFileError),
    /// The HTTP client for the issuer.
    #[error("`door.oidc`: no HTTP client: {0}")]
    Client(#[from] reqwest::Error),
}

/// The logins that are let in.
#[derive(Debug)]
pub struct Logins {
    keys: Option<Held>,
    issuer: Option<Issuer>,
    spent: Mutex<Spent>,
}

#[derive(Debug)]
struct Spent {
    questions: Rates,
    tokens: Rates,
    /// The turns that were asked last under keys.
    asked: Recent,
}

impl Logins {
    /// Those of a configuration.
    ///
    /// # Errors
    /// When the file of keys cannot be used, or there is no HTTP client.
    pub fn new(options: &Options) -> Result<Logins, LoginsError> {
        let keys = options.keys.as_deref().map(Held::of_file).transpose()?;
        let oidc = options.oidc.are_on().then(|| options.oidc.clone());
        let issuer = oidc.map(Issuer::new).transpose()?;
        Ok(Logins {
            keys,
            issuer,
            ..Logins::open()
        })
    }

    /// Nobody has to log in.
    pub fn open() -> Logins {
        let spent = Spent {
            questions: Rates::of(MINUTE),
            tokens: Rates::of(HOUR),
            asked: Recent::default(),
        };
        Logins {
            keys: None,
            issuer: None,
            spent: Mutex::new(spent),
        }
    }

    /// Whether anybody has to log in.
    pub(crate) fn are_wanted(&self) -> bool {
        self.keys.is_some() || self.issuer.is_some()
    }

    /// The name of the issuer whose tokens are taken.
    pub(crate) fn issuer(&self) -> Option<&str> {
        self.issuer.as_ref().map(Issuer::name)
    }

    /// Keeps what is known of the issuer fresh; never returns.
    pub(crate) async fn keep(&self) {
        match &self.issuer {
            Some(issuer) => issuer.keep().await,
            None => std::future::pending().await,
        }
    }

    /// The login of a key or a token.
    pub(crate) async fn of(&self, bearer: Option<&str>) -> Result<Login, Problem> {
        if !self.are_wanted() {
            return Ok(Login::local());
        }
        let bearer = bearer.ok_or_else(|| {
            refused("send a key or a token, as in `Authorization: Bearer argosy-...`")
        })?;
        // No key has a dot.
        match &self.issuer {
            Some(issuer) if bearer.contains('.') => {
                let login = issuer.login(bearer).await?;
                // A token is checked by whole seconds, and so passes for up to a second after the login of it has ended.
                self.still(&login)?;
                Ok(login)
            }
            _ => self.of_key(&KeyFile::hash(bearer)),
        }
    }

    fn of_key(&self, hash: &str) -> Result<Login, Problem> {
        let login = self.keys.as_ref().and_then(|keys| keys.login(hash));
        login.ok_or_else(|| {
            refused(
                "this key is not known, or was revoked: ask for a new one (`argosy key create`)",
            )
        })
    }

    /// Refuses a login that is not good any more, or not the same: its key was revoked or changed, its token has expired.
    pub(crate) fn still(&self, login: &Login) -> Result<(), Problem> {
        match &login.proof {
            Proof::None => Ok(()),
            Proof::Key(hash) if self.of_key(hash)? == *login => Ok(()),
            Proof::Key(_) => Err(refused("this key may do other things now; ask again")),
            Proof::Token(end) if SystemTime::now() < *end => Ok(()),
            Proof::Token(_) => {
                let detail = "this token has expired";
                Err(Problem::new(
                    StatusCode::UNAUTHORIZED,
                    "invalid_token",
                    detail,
                ))
            }
        }
    }

    /// Counts a question of `login`, or refuses it where it has spent enough. Says whether it was the first try of the
    /// turn that it names, if it names one. [`AGAIN_FREE`] later ones do not count as questions, and what was charged for
    /// is had again whatever is left: any other may be a new turn, if a gateway refused the one before.
    pub(crate) fn spend(&self, login: &Login, named: Option<&TurnId>) -> Result<bool, Problem> {
        let now = Instant::now();
        let mut spent = self.spent();
        let again = named.and_then(|turn| spent.asked.again(&login.id, turn, now));
        let is_charged = again.is_some_and(|(_, is_charged)| is_charged);
        if let (false, Some(most)) = (is_charged, login.tokens_per_hour) {
            let left = spent.tokens.look(&login.id, most, 1, now);
            left.map_err(|wait| {
                limited(wait, format!("the turns of this login may take {most} tokens in an hour (`tokens_per_hour`)"))
            })?;
        }
        if again.is_some_and(|(times, _)| times <= AGAIN_FREE) {
            return Ok(false);
        }
        if let Some(most) = login.per_minute {
            let asked = spent.questions.spend(&login.id, most.into(), now);
            asked.map_err(|wait| {
                limited(
                    wait,
                    format!("this login may ask {most} questions in a minute (`per_minute`)"),
                )
            })?;
        }
        if again.is_some() {
            return Ok(false);
        }
        named.inspect(|turn| spent.asked.add(&login.id, turn, now));
        Ok(true)
    }

    /// A turn of `login` was not asked after all: the next try of it counts.
    pub(crate) fn forget(&self, login: &Login, turn: &TurnId) {
        self.spent().asked.forget(&login.id, turn);
    }

    /// Counts the tokens of a turn of `login` that has ended, once for all of its tries. No gateway keeps the id of a
    /// question that it refused, unless another question has it: the next try of it is a new turn.
    pub(crate) fn ended(&self, login: &Login, turn: &TurnId, ended: &Terminal) {
        let is_used = |problem: &envelope::Problem| problem.code == "id_in_use";
        if ended.outcome == Outcome::Refused {
            if !ended.error.as_ref().is_some_and(is_used) {
                self.forget(login, turn);
            }
            return;
        }
        let usage = &ended.usage;
        self.used(
            login,
            turn,
            usage.tokens_in.saturating_add(usage.tokens_out),
        );
    }

    fn used(&self, login: &Login, turn: &TurnId, tokens: u64) {
        let Some(most) = login.tokens_per_hour else {
            return;
        };
        let mut spent = self.spent();
        if spent.asked.charge(&login.id, turn) {
            let now = Instant::now();
            spent.tokens.charge(&login.id, most, tokens, now);
        }
    }

    fn spent(&self) -> MutexGuard<'_, Spent> {
        self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn refused(detail: &str) -> Problem {
    Problem::new(StatusCode::UNAUTHORIZED, "no_login", detail)
}

fn limited(wait: Duration, detail: String) -> Problem {
    Problem {
        retry_after: Some(u32::try_from(wait.as_secs().saturating_add(1)).unwrap_or(u32::MAX)),
        ..Problem::limited(detail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::{ApiKey, Scope};
    use envelope::{Groups, TenantId};

    fn keys(path: &std::path::Path, keys: &[ApiKey]) {
        let file = KeyFile {
            keys: keys.to_vec(),
        };
        std::fs::write(path, serde_json::to_vec(&file).expect("JSON")).expect("written");
    }

    #[tokio::test]
    async fn a_key_is_its_login_and_any_other_is_none() {
        let folder = std::env::temp_dir().join(format!("argosy-keys-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("keys.json");
        let key = ApiKey {
            name: "one".into(),
            sha256: KeyFile::hash("argosy-1"),
            tenant: TenantId::new("acme").expect("a tenant"),
            groups: Groups::new(["hr"]).expect("groups"),
            scopes: vec![Scope::Ask],
            per_minute: None,
            tokens_per_hour: None,
        };
        keys(&path, std::slice::from_ref(&key));
        let logins = Logins::new(&Options {
            keys: Some(path.clone()),
            ..Options::default()
        });
        let logins = logins.expect("keys");
        let login = logins.of(Some("argosy-1")).await.expect("a login");
        assert_eq!(
            (
                login.name.as_str(),
                login.tenant.as_str(),
                login.groups.to_string()
            ),
            ("one", "acme", "hr".to_owned())
        );
        assert!(login.may(Scope::Ask).is_ok() && login.may(Scope::Read).is_err());
        let hash = key.sha256.as_str();
        for wrong in [None, Some(""), Some("argosy-2"), Some(hash), Some("a.b.c")] {
            let refused = logins.of(wrong).await.expect_err("no login");
            assert_eq!(refused.status, StatusCode::UNAUTHORIZED);
        }
        assert!(logins.still(&login).is_ok());
        let other = Login {
            groups: Groups::all(),
            ..login.clone()
        };
        assert!(logins.still(&other).is_err());
        std::fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn a_login_spends_questions_and_tokens_and_a_second_try_is_free() {
        let logins = Logins::open();
        let login = Login {
            per_minute: Some(2),
            tokens_per_hour: Some(100),
            ..Login::local()
        };
        let turn = |id: &str| TurnId::new(id).expect("an id");
        let limit = |id: &str| {
            logins
                .spend(&login, Some(&turn(id)))
                .map_err(|no| (no.retry_after, no.detail))
        };
        assert_eq!(limit("a"), Ok(true));
        assert_eq!(limit("a"), Ok(false));
        assert_eq!(limit("b"), Ok(true));
        assert!(limit("c").is_err_and(|(_, detail)| detail.contains("per_minute")));
        logins.used(&login, &turn("a"), 150);
        let (wait, detail) = limit("d").expect_err("spent");
        assert!(detail.contains("tokens_per_hour"));
        // Half of what an hour has is owed, and one token more.
        assert!((1_800..1_900).contains(&wait.expect("a wait")), "{wait:?}");
        // What was paid for is had again; the question before this one may have been refused.
        assert_eq!(limit("a"), Ok(false));
        assert!(limit("b").is_err_and(|(_, detail)| detail.contains("tokens_per_hour")));
    }

    #[test]
    fn only_some_further_tries_of_a_turn_are_free() {
        let logins = Logins::open();
        let login = Login {
            per_minute: Some(3),
            tokens_per_hour: Some(100),
            ..Login::local()
        };
        let turn = |id: &str| TurnId::new(id).expect("an id");
        let spend = |id: &str| {
            logins
                .spend(&login, Some(&turn(id)))
                .map_err(|no| no.detail)
        };
        assert_eq!(spend("a"), Ok(true));
        // Tokens are those of the turn, however often it is asked for.
        logins.used(&login, &turn("a"), 150);
        for _ in 0..AGAIN_FREE + 2 {
            assert_eq!(spend("a"), Ok(false));
        }
        for _ in 0..2 {
            assert!(spend("a").is_err_and(|detail| detail.contains("per_minute")));
        }
    }
}
