//! Asks an issuer where its keys are, and for them.
//!
//! No redirects are followed and no proxy is used; what comes is cut off at a size and a time.

use super::keys::{self, Key};
use super::options::is_safe;
use reqwest::{Client, Url, redirect};
use serde::Deserialize;
use std::time::Duration;

/// Most time for a request.
pub(super) const TIME_MAX: Duration = Duration::from_secs(5);
/// Most bytes of an answer.
const BYTES_MAX: usize = 256 * 1024;

/// What is read of the document in which an issuer describes itself.
#[derive(Deserialize)]
struct Described {
    issuer: String,
    jwks_uri: String,
}

pub(super) fn client() -> Result<Client, reqwest::Error> {
    // Process-wide by design of rustls; that it is already there is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder()
        .user_agent(concat!("argosy/", env!("CARGO_PKG_VERSION")))
        .timeout(TIME_MAX)
        .redirect(redirect::Policy::none())
        .no_proxy()
        .build()
}

/// The keys that the issuer names now, or why not.
pub(super) async fn keys(client: &Client, issuer: &str) -> Result<Vec<Key>, String> {
    let at = format!(
        "{}/.well-known/openid-configuration",
        issuer.trim_end_matches('/')
    );
    let described = read(client, &at).await?;
    let described: Described =
        serde_json::from_slice(&described).map_err(|error| format!("{at}: {error}"))?;
    if described.issuer != issuer {
        let is = described.issuer;
        return Err(format!("{at}: it is the issuer `{is}`, not `{issuer}`"));
    }
    let at = described.jwks_uri;
    if !Url::parse(&at).is_ok_and(|url| is_safe(&url)) {
        return Err(format!("its keys are at `{at}`, which is not https"));
    }
    let document = read(client, &at).await?;
    keys::read(&document).ok_or_else(|| format!("{at}: want keys, as in {{\"keys\": [...]}}"))
}

async fn read(client: &Client, at: &str) -> Result<Vec<u8>, String> {
    let failed = |error: reqwest::Error| {
        let error = error.without_url();
        let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
        format!("{at}: {error}{}", cause.unwrap_or_default())
    };
    let mut response = client.get(at).send().await.map_err(failed)?;
    if !response.status().is_success() {
        return Err(format!("{at}: status {}", response.status().as_u16()));
    }
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(failed)? {
        body.extend_from_slice(&piece);
        if body.len() > BYTES_MAX {
            return Err(format!("{at}: more than {BYTES_MAX} bytes"));
        }
    }
    Ok(body)
}
