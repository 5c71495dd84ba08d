//! The options of a door: the section `door` of the configuration.

use crate::access::OidcOptions;
use crate::webhook::DELAY_MAX;
use serde::{Deserialize, Serialize};
use settings::{InvalidOption, TimeSpan};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// The front doors: HTTP, OpenAI, MCP, the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// HOST:PORT to listen on. Anything but this machine itself wants `door.keys`, `door.oidc` or `door.open`. Default `127.0.0.1:8080`.
    pub listen: String,
    /// File with the keys of logins, as `argosy key` writes it. Default none: whoever reaches the port may do everything,
    /// as the tenant `default`.
    pub keys: Option<PathBuf>,
    /// Whether other machines are let in without a key. Default false.
    pub open: bool,
    /// Names by which this door may be asked for (the header `Host`, without its port), besides addresses. Default none: where nobody has to
    /// log in, the names of this machine itself, else any.
    pub hosts: Vec<String>,
    /// Folder with the original files of the corpus, in it one for each tenant (`default`, ...), laid out as they were indexed. Default
    /// none: a fleet's documents are there without their files.
    pub files: Option<PathBuf>,
    /// Time that a request waits for an answer, where it does not say; then it is told where to ask again. Default 5 min.
    pub wait: TimeSpan,
    /// Requests that may wait for an answer or follow a turn at a time, a quarter of them those of one login; others are told to try
    /// again. Default 5000.
    pub streams: u32,
    /// Origins whose pages may use this door from a browser, such as `https://chat.example`; `*` for any. Default none.
    pub origins: Vec<String>,
    /// File with the endpoints that are told of the ends of turns, as `argosy webhook` writes it. Default none.
    pub webhooks: Option<PathBuf>,
    /// How often an endpoint is told of one turn before it is given up, at most 32. Default 12.
    pub webhook_tries: u32,
    /// Time between the first try and the second, at most 30 min. It grows fourfold with each try, to 30 min. Default 5 s.
    pub webhook_delay: TimeSpan,
    /// What a reverse proxy puts before every path, such as `/argosy`. Default none.
    pub prefix: String,
    /// Logins by the tokens of an issuer of OpenID Connect.
    pub oidc: OidcOptions,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            listen: "127.0.0.1:8080".into(),
            keys: None,
            open: false,
            hosts: Vec::new(),
            files: None,
            wait: TimeSpan::from_mins(5),
            streams: 5_000,
            origins: Vec::new(),
            webhooks: None,
            webhook_tries: 12,
            webhook_delay: TimeSpan::from_secs(5),
            prefix: String::new(),
            oidc: OidcOptions::default(),
        }
    }
}

/// The longest time that a request may wait: as long as a turn may take.
pub(crate) const WAIT_MAX: Duration = Duration::from_secs(3_600);

impl Options {
    /// Checks what no single value shows.
    ///
    /// # Errors
    /// An option that is wrong, by name.
    pub fn validate(&self) -> Result<(), InvalidOption> {
        self.address()?;
        self.oidc.validate()?;
        if self.streams == 0 {
            return Err(InvalidOption::new("`door.streams` is 0: want at least 1"));
        }
        let wait = self.wait.duration();
        if wait.is_zero() || wait > WAIT_MAX {
            return Err(InvalidOption::new(
                "`door.wait`: want more than 0 and at most 1 h",
            ));
        }
        if !(1..=32).contains(&self.webhook_tries) {
            return Err(InvalidOption::new("`door.webhook_tries`: want 1 to 32"));
        }
        let delay = self.webhook_delay.duration();
        if delay.is_zero() || delay > DELAY_MAX {
            return Err(InvalidOption::new(
                "`door.webhook_delay`: want more than 0 and at most 30 min",
            ));
        }
        let is_path =
            self.prefix.is_empty() || self.prefix.starts_with('/') && !self.prefix.ends_with('/');
        if !is_path {
            return Err(InvalidOption::new(format!(
                "`door.prefix` is `{}`: want a path such as /argosy",
                self.prefix
            )));
        }
        Ok(())
    }

    /// Where to listen.
    ///
    /// # Errors
    /// When `listen` is no address, or lets other machines in without a key.
    pub fn address(&self) -> Result<SocketAddr, InvalidOption> {
        let listen = &self.listen;
        let named = listen.strip_prefix("localhost:");
        let address = named.map(|port| format!("127.0.0.1:{port}"));
        let address = address.as_ref().unwrap_or(listen).parse();
        let address: SocketAddr = address.map_err(|_| {
            InvalidOption::new(format!(
                "`door.listen` is `{listen}`: want HOST:PORT, as in 127.0.0.1:8080"
            ))
        })?;
        let is_login = self.keys.is_some() || self.oidc.are_on();
        let is_let_in = address.ip().is_loopback() || is_login || self.open;
        if !is_let_in {
            return Err(InvalidOption::new(format!(
                "`door.listen` is `{listen}`, where other machines reach it, and nobody would have to log in; name keys \
                 in `door.keys` (`argosy key create`) or an issuer in `door.oidc`, or set `door.open = true`"
            )));
        }
        Ok(address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_machines_are_let_in_with_keys_or_on_purpose_only() {
        let at = |listen: &str, keys: bool, open| {
            let keys = keys.then(|| PathBuf::from("keys.toml"));
            let listen = listen.to_owned();
            let options = Options {
                listen,
                keys,
                open,
                ..Options::default()
            };
            options.validate().map_err(|error| error.to_string())
        };
        assert_eq!(at("127.0.0.1:8080", false, false), Ok(()));
        assert_eq!(at("[::1]:0", false, false), Ok(()));
        assert_eq!(at("0.0.0.0:8080", true, false), Ok(()));
        assert_eq!(at("0.0.0.0:8080", false, true), Ok(()));
        let refused = at("0.0.0.0:8080", false, false).expect_err("open to all");
        assert!(refused.contains("argosy key create"), "{refused}");
        let wrong = at("8080", false, false).expect_err("no host");
        assert!(wrong.contains("HOST:PORT"), "{wrong}");
    }
}
