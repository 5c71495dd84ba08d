//! Fetches a large file over HTTP: the part that is there already is kept, and only the rest is requested.
//!
//! It is for the files of a model, *not* for calls of a model: it follows redirects, since hubs redirect to other
//! hosts, and uses a proxy from the environment. The caller checks whether the file is the right one.

use crate::constants::DOWNLOAD_IDLE_MAX;
use crate::http::reason;
use reqwest::header::{CONTENT_LENGTH, RANGE};
use reqwest::{Client, Response, redirect};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::time::timeout;

/// Most addresses that a download is sent on to.
const REDIRECTS_MAX: usize = 5;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Why a file was not downloaded completely.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The server cannot be reached, or the connection broke; the bytes that have arrived are kept.
    #[error("`{url}`: {reason}")]
    Away {
        /// Where.
        url: String,
        /// What happened.
        reason: String,
    },
    /// The server refuses to send the file.
    #[error("the server answered `{url}` with status {status}")]
    Refused {
        /// Where.
        url: String,
        /// HTTP status.
        status: u16,
    },
    /// The file is larger than allowed.
    #[error("`{url}` is larger than the limit of {bytes_max} bytes")]
    TooLarge {
        /// Where.
        url: String,
        /// The allowed size.
        bytes_max: u64,
    },
    /// The file cannot be written.
    #[error("`{path}`: {source}")]
    Io {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

/// Downloads `url` into the file `to`, from the end of that file on. `tell` is called with the number of bytes that are
/// there, and with the total if the server reports it. If the server does not support ranges, the download starts from
/// the beginning.
///
/// # Errors
/// As [`Error`] has them; after all but [`Error::TooLarge`] the next call continues.
pub async fn download(
    url: &str,
    to: &Path,
    bytes_max: u64,
    mut tell: impl FnMut(u64, Option<u64>) + Send,
) -> Result<(), Error> {
    let io = |source| Error::Io {
        path: to.to_owned(),
        source,
    };
    let there = std::fs::metadata(to).map_or(0, |file| file.len());
    let mut response = ask(url, there).await?;
    let (mut file, mut done) = match response.status().as_u16() {
        206 => (File::options().append(true).open(to).map_err(io)?, there),
        // Nothing follows what is there: it is whole, or not the beginning of this file.
        416 if there > 0 => return Ok(()),
        _ => (File::create(to).map_err(io)?, 0),
    };
    let total = length(&response).map(|rest| done + rest);
    loop {
        if done.max(total.unwrap_or(0)) > bytes_max {
            drop(file);
            let _ = std::fs::remove_file(to);
            let url = url.to_owned();
            return Err(Error::TooLarge { url, bytes_max });
        }
        tell(done, total);
        let piece = match timeout(DOWNLOAD_IDLE_MAX, response.chunk()).await {
            Ok(Ok(piece)) => piece,
            Ok(Err(error)) => return Err(away(url, reason(error))),
            Err(_) => return Err(away(url, "nothing came for a while".into())),
        };
        let Some(piece) = piece else { break };
        file.write_all(&piece).map_err(io)?;
        done += piece.len() as u64;
    }
    file.sync_all().map_err(io)
}

async fn ask(url: &str, from: u64) -> Result<Response, Error> {
    // Process-wide by design of rustls; that it is already there is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = Client::builder()
        .user_agent(concat!("argosy/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT_TIMEOUT)
        .redirect(redirect::Policy::limited(REDIRECTS_MAX))
        .build()
        .map_err(|error| away(url, reason(error)))?;
    let request = client.get(url);
    let request = match from {
        0 => request,
        from => request.header(RANGE, format!("bytes={from}-")),
    };
    let response = match timeout(DOWNLOAD_IDLE_MAX, request.send()).await {
        Ok(Ok(response)) => response,
        Ok(Err(error)) => return Err(away(url, reason(error))),
        Err(_) => return Err(away(url, "no answer".into())),
    };
    match response.status().as_u16() {
        200 | 206 | 416 => Ok(response),
        status => Err(Error::Refused {
            url: url.to_owned(),
            status,
        }),
    }
}

fn length(response: &Response) -> Option<u64> {
    let length = response.headers().get(CONTENT_LENGTH)?;
    length.to_str().ok()?.parse().ok()
}

fn away(url: &str, reason: String) -> Error {
    Error::Away {
        url: url.to_owned(),
        reason,
    }
}
