//! Logins by the tokens of an issuer of OpenID Connect: signed by one of its keys, for this door, and not expired.
//!
//! The issuer is asked for its keys when the door starts, every few minutes, and when a token names an unknown one; never for
//! a login. So a token that the issuer has taken back is good until it expires: have it issue short ones. *Not* here: how a
//! client gets a token, and tokens that only the issuer can read.
//!
//! | module | what |
//! |---|---|
//! | [`options`] | the section `door.oidc` |
//! | [`keys`] | which key signed a token |
//! | [`fetch`] | asks the issuer for its keys |
//! | [`signature`] | checks a signature |
//! | [`claims`] | what a token says of its login |

pub(crate) mod claims;
mod fetch;
mod keys;
mod options;
mod signature;

pub use options::Options;

use crate::access::Login;
use crate::problem::Problem;
use axum::http::StatusCode;
use claims::Claims;
use futures_util::FutureExt;
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Header, Validation};
use keys::{Found, Keys};
use reqwest::Client;
use std::time::{Duration, Instant};
use tokio::sync::{Notify, watch};

/// How often the issuer is asked for its keys, whatever tokens come.
const KEYS_EVERY: Duration = Duration::from_secs(300);
/// How long a token waits for the keys of its issuer: two requests, and a little.
const WAIT_MAX: Duration = fetch::TIME_MAX
    .saturating_mul(2)
    .saturating_add(Duration::from_secs(1));
/// How far clocks may be apart.
const LEEWAY: Duration = Duration::from_secs(60);
/// Most bytes of a token.
const TOKEN_MAX: usize = 16 * 1024;
/// Types that a token may say of itself (`typ`), besides none: others are no logins, whoever signed them.
const TYPES: [&str; 3] = ["jwt", "at+jwt", "application/at+jwt"];

/// An issuer, with the keys that it has named.
#[derive(Debug)]
pub(super) struct Issuer {
    options: Options,
    client: Client,
    keys: watch::Sender<Keys>,
    /// Somebody wants a key that is not known.
    wanted: Notify,
}

impl Issuer {
    /// An issuer whose keys are not known yet.
    pub(super) fn new(options: Options) -> Result<Issuer, reqwest::Error> {
        signature::install();
        Ok(Issuer {
            client: fetch::client()?,
            options,
            keys: watch::Sender::default(),
            wanted: Notify::new(),
        })
    }

    /// Its name.
    pub(super) fn name(&self) -> &str {
        &self.options.issuer
    }

    /// Asks for the keys, again and again.
    pub(super) async fn keep(&self) {
        let pause = self.options.keys_pause.duration();
        let (mut is_there, mut is_wanted) = (true, false);
        loop {
            let named = fetch::keys(&self.client, self.name()).await;
            match &named {
                // Once, and not every few seconds.
                Err(error) if is_there => {
                    tracing::warn!(%error, "the issuer of tokens does not say its keys; those that it named stay");
                }
                Ok(_) if !is_there => tracing::info!("the issuer of tokens says its keys again"),
                _ => {}
            }
            is_there = named.is_ok();
            self.keys.send_modify(|keys| {
                // Who wanted a key meanwhile looks for it among these.
                let _ = self.wanted.notified().now_or_never();
                keys.told(named.ok(), is_wanted, Instant::now());
            });
            if is_wanted || !is_there {
                tokio::time::sleep(pause).await;
            }
            let wanted = tokio::time::timeout(KEYS_EVERY, self.wanted.notified());
            is_wanted = is_there && wanted.await.is_ok();
        }
    }

    /// The login of a token.
    pub(super) async fn login(&self, token: &str) -> Result<Login, Problem> {
        let header = jsonwebtoken::decode_header(token);
        let header = header.map_err(|_| refused("it is no signed JWT"))?;
        let is_typed = |of: &String| TYPES.iter().any(|known| known.eq_ignore_ascii_case(of));
        if token.len() > TOKEN_MAX || !header.typ.as_ref().is_none_or(is_typed) {
            return Err(refused("it is no access token"));
        }
        if !signature::TAKEN.contains(&header.alg) {
            return Err(refused("it is not signed with a public key"));
        }
        let key = match self.key(&header).await {
            Found::Key(key) => key,
            Found::None => return Err(refused("its issuer has no such key, or has it no more")),
            Found::Away => return Err(self.away()),
        };
        let claims = jsonwebtoken::decode::<Claims>(token, &key, &self.rules(&header))
            .map_err(|error| refused(&why(&error)))?
            .claims;
        claims::login(&self.options, &claims, LEEWAY).map_err(|why| refused(&why))
    }

    /// The key of a token. One that is not known is waited for, if it is time to ask for it.
    async fn key(&self, header: &Header) -> Found {
        let mut told = self.keys.subscribe();
        {
            let keys = told.borrow_and_update();
            let found = keys.find(header);
            let pause = self.options.keys_pause.duration();
            if matches!(found, Found::Key(_)) || !keys.may_ask(pause, Instant::now()) {
                return found;
            }
            // Before the keys can change: later ones would be asked for in vain.
            self.wanted.notify_one();
        }
        let _ = tokio::time::timeout(WAIT_MAX, told.changed()).await;
        let keys = told.borrow();
        keys.find(header)
    }

    /// What must be true of a token: who made it, for whom, and when.
    fn rules(&self, header: &Header) -> Validation {
        let mut rules = Validation::new(header.alg);
        rules.leeway = LEEWAY.as_secs();
        rules.validate_nbf = true;
        rules.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        rules.set_issuer(&[self.name()]);
        rules.set_audience(&self.options.audience);
        rules
    }

    fn away(&self) -> Problem {
        let detail = format!(
            "the keys of {} are not there yet, so tokens cannot be checked; try again",
            self.name()
        );
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "issuer_away", detail)
    }
}

/// Why a token breaks a rule.
fn why(broken: &jsonwebtoken::errors::Error) -> String {
    match broken.kind() {
        ErrorKind::ExpiredSignature => "it has expired".into(),
        ErrorKind::ImmatureSignature => "it is not good yet (claim `nbf`)".into(),
        ErrorKind::InvalidIssuer => "another issuer made it (claim `iss`)".into(),
        ErrorKind::InvalidAudience => "it is for somebody else (claim `aud`)".into(),
        // The usual token of Keycloak.
        ErrorKind::MissingRequiredClaim(name) if name == "aud" => {
            "it does not say whom it is for (claim `aud`): have the issuer put one of `door.oidc.audience` in".into()
        }
        ErrorKind::MissingRequiredClaim(name) => format!("it has no claim `{name}`"),
        ErrorKind::InvalidSignature => "its signature is wrong".into(),
        _ => broken.to_string(),
    }
}

/// Why a token is no login.
fn refused(why: &str) -> Problem {
    let detail = format!("this token is not taken: {why}");
    Problem::new(StatusCode::UNAUTHORIZED, "invalid_token", detail)
}
