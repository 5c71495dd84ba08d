//! The HTTP client of a node, and reading a response within limits of size and time.
//!
//! There is one client for each node, so that no node can use up the connections of another. It follows no
//! redirects (a key must not follow one), uses no proxy from the environment, and makes no retries of its own.

use crate::constants::IDLE_CONNECTION_MAX;
use reqwest::{Client, Response, Url, redirect, retry};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// A client for one node; `at` is where the host of its URL is, when that has been looked up.
pub(crate) fn client(
    connect_timeout: Duration,
    at: Option<(&str, SocketAddr)>,
) -> Result<Client, reqwest::Error> {
    // Process-wide by design of rustls; that it is already there is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = match at {
        Some((host, address)) => Client::builder().resolve(host, address),
        None => Client::builder(),
    };
    builder
        .user_agent(concat!("argosy/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(connect_timeout)
        .pool_idle_timeout(IDLE_CONNECTION_MAX)
        .redirect(redirect::Policy::none())
        .retry(retry::never())
        .no_proxy()
        .build()
}

/// The address of `path` under a base URL: `/v1/<path>` when the base has no path of its own.
pub(crate) fn endpoint(base_url: &str, path: &str) -> Result<Url, &'static str> {
    let mut url = Url::parse(base_url).map_err(|_| "want `http://host:port`")?;
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
        return Err("want `http://host:port` or `https://host`");
    }
    let logs_in = !url.username().is_empty() || url.password().is_some();
    if url.query().is_some() || url.fragment().is_some() || logs_in {
        return Err("want neither user, query nor fragment");
    }
    let base = match url.path().trim_end_matches('/') {
        "" => "/v1",
        path => path,
    };
    let path = format!("{base}/{path}");
    url.set_path(&path);
    Ok(url)
}

/// The address that a URL means, as far as that can be told, without what may be a secret in it.
pub(crate) fn without_secrets(url: &str) -> String {
    if let Ok(url) = Url::parse(url)
        && let Some(host) = url.host_str()
    {
        let port = url.port().map_or(String::new(), |port| format!(":{port}"));
        return format!("{}://{host}{port}", url.scheme());
    }
    let bare = url.rsplit_once('@').map_or(url, |(_, behind)| behind);
    bare.split(['?', '#']).next().unwrap_or_default().to_owned()
}

/// A path under the base; one that begins with a slash stands beside the version, as TEI's `/rerank`.
pub(crate) fn at(base: &str, path: &str) -> String {
    let base = base.trim_end_matches('/');
    match path.strip_prefix('/') {
        Some(path) => format!("{}/{path}", base.trim_end_matches("/v1")),
        None => format!("{base}/{path}"),
    }
}

/// Why a body could not be read.
#[derive(Debug)]
pub(crate) enum BodyError {
    /// The next piece did not come in time.
    Idle,
    TooLarge,
    Broken(reqwest::Error),
}

/// The whole body, if every piece comes within `idle` of the one before and all together have at most `bytes_max`
/// bytes.
pub(crate) async fn body(
    mut response: Response,
    idle: Duration,
    bytes_max: usize,
) -> Result<Vec<u8>, BodyError> {
    let mut body = Vec::new();
    loop {
        let piece = timeout_at(Instant::now() + idle, response.chunk())
            .await
            .map_err(|_| BodyError::Idle)?
            .map_err(BodyError::Broken)?;
        let Some(piece) = piece else {
            return Ok(body);
        };
        if body.len() + piece.len() > bytes_max {
            return Err(BodyError::TooLarge);
        }
        body.extend_from_slice(&piece);
    }
}

/// What went wrong below HTTP, with its causes, without the address.
pub(crate) fn reason(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut reason = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(next) = cause {
        reason.push_str(": ");
        reason.push_str(&next.to_string());
        cause = next.source();
    }
    reason
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stands_under_the_version_or_beside_it() {
        assert_eq!(at("/v1/", "rerank"), "/v1/rerank");
        assert_eq!(at("/v1/", "/rerank"), "/rerank");
        assert_eq!(at("/models/v1", "/rerank"), "/models/rerank");
        assert_eq!(at("/models", "/rerank"), "/models/rerank");
    }

    #[test]
    fn adds_the_version_only_to_a_bare_host() {
        let at = |base| endpoint(base, "models").map(String::from);
        for (base, url) in [
            ("http://a:8000", "http://a:8000/v1/models"),
            ("http://a:8000/", "http://a:8000/v1/models"),
            ("http://a:8000/v1/", "http://a:8000/v1/models"),
            ("https://a/openai/v1", "https://a/openai/v1/models"),
            ("http://[::1]:8000", "http://[::1]:8000/v1/models"),
        ] {
            assert_eq!(at(base).as_deref(), Ok(url), "{base}");
        }
        for bad in [
            "",
            "a:8000",
            "ftp://a",
            "http://",
            "http://k@a",
            "http://a?x=1",
        ] {
            assert!(at(bad).is_err(), "{bad}");
        }
    }
}
