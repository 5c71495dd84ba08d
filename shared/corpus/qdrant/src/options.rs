//! The settings of a Qdrant server.

use serde::{Deserialize, Serialize};
use settings::{InvalidOption, Secret, TimeSpan};

/// Least and most time of a call.
const TIMEOUTS: (TimeSpan, TimeSpan) = (TimeSpan::from_millis(1), TimeSpan::from_mins(10));
/// Most points of one write: a point of 1024 dimensions is some 10 KiB, a server takes 32 MiB.
const BATCH_MAX: u32 = 1_000;
/// Longest prefix, in characters: the name of a collection has at most 255.
const PREFIX_CHARS_MAX: usize = 64;
/// Most shards, and most copies of one.
const SHARDS_MAX: u32 = 1_024;

/// A Qdrant server and the collection in it. The settings of a new collection (`quantisation`, `on_disk`, `shards`,
/// `replication_factor`) do not change one that exists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Where its gRPC port listens, `http://host:6334`; `https://` checks the certificate against
    /// the roots of the system. Default: none, so it must be given.
    pub url: String,
    /// Sent with every call; use `https://` with it. Default: none.
    pub api_key: Secret,
    /// Begins the name of the collection; embedder and dimensions follow. Lower case letters, digits,
    /// `-` and `_`. Default `argosy`, at most 64 characters.
    pub collection_prefix: String,
    /// Most time for one call. Default `5s`, at most `10m`.
    pub timeout: TimeSpan,
    /// Most points of one write. Default 256, at most 1000.
    pub batch_size: u32,
    /// How vectors are held for a search. Default `int8`.
    pub quantisation: Quantisation,
    /// Keeps full vectors on disk instead of in memory; with `int8` the bytes stay in memory.
    /// Default false.
    pub on_disk: bool,
    /// Parts of the collection, for the nodes of a cluster to share. Default 1, at most 1024.
    pub shards: u32,
    /// Copies of each part, on as many nodes. Default 1, at most 1024.
    pub replication_factor: u32,
}

/// How vectors are held for a search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantisation {
    /// As they are: four bytes a number.
    None,
    /// One byte a number in memory, which is what travels anyway; the best are scored again with
    /// the full vectors.
    #[default]
    Int8,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            url: String::new(),
            api_key: Secret::default(),
            collection_prefix: "argosy".into(),
            timeout: TimeSpan::from_secs(5),
            batch_size: 256,
            quantisation: Quantisation::Int8,
            on_disk: false,
            shards: 1,
            replication_factor: 1,
        }
    }
}

impl Options {
    /// Checks that every option has an allowed value. Options without a `url` are allowed: then there is no server.
    ///
    /// # Errors
    /// The error names the option, its value and what is wanted.
    pub fn validate(&self) -> Result<(), InvalidOption> {
        let url = &self.url;
        if !url.is_empty() && !url.starts_with("http://") && !url.starts_with("https://") {
            return bad(format!("`url` is `{url}`: want `http://` or `https://`"));
        }
        let prefix = &self.collection_prefix;
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c);
        if prefix.is_empty() || prefix.len() > PREFIX_CHARS_MAX || !prefix.chars().all(plain) {
            return bad(format!(
                "`collection_prefix` is `{prefix}`: want 1 to {PREFIX_CHARS_MAX} lower case \
                 letters, digits, `-` or `_`"
            ));
        }
        if let Err(rule) = self.timeout.within(TIMEOUTS.0, TIMEOUTS.1) {
            return bad(format!("`timeout`: {rule}"));
        }
        for (name, given, most) in [
            ("batch_size", self.batch_size, BATCH_MAX),
            ("shards", self.shards, SHARDS_MAX),
            ("replication_factor", self.replication_factor, SHARDS_MAX),
        ] {
            if !(1..=most).contains(&given) {
                return bad(format!("`{name}` is {given}: want 1 to {most}"));
            }
        }
        Ok(())
    }
}

fn bad(text: String) -> Result<(), InvalidOption> {
    Err(InvalidOption::new(format!("qdrant, options: {text}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn said(options: Value) -> String {
        let options: Options = serde_json::from_value(options).unwrap();
        options
            .validate()
            .map_or_else(|e| e.to_string(), |()| String::new())
    }

    #[test]
    fn what_cannot_be_kept_to_is_named() {
        assert_eq!(said(json!({})), "");
        assert_eq!(
            said(json!({"url": "https://q:6334", "quantisation": "none"})),
            ""
        );
        assert!(said(json!({"url": "q:6334"})).contains("`url` is `q:6334`: want `http://`"));
        assert!(said(json!({"collection_prefix": "a/b"})).contains("`a/b`: want 1 to 64"));
        assert!(said(json!({"timeout": "0s"})).contains("`timeout`: `0s` must be between"));
        assert!(said(json!({"batch_size": 1001})).contains("is 1001: want 1 to 1000"));
        assert!(said(json!({"shards": 0})).contains("`shards` is 0"));
        assert!(serde_json::from_value::<Options>(json!({"uri": ""})).is_err());
    }
}
