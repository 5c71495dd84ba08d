//! Reads the lines of `tests/scenarios`, one case per line.

use bus::Headers;
use bytes::Bytes;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;

/// A bad message. Its bytes are given by `body`, `text` or `hex`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BadQuestion {
    pub(crate) name: String,
    /// JSON to send.
    body: Option<Value>,
    /// Text to send, `times` over.
    text: Option<String>,
    #[serde(default = "once")]
    times: usize,
    /// Bytes to send, two digits each.
    hex: Option<String>,
    /// How often the question in `body` is repeated.
    times_question: Option<usize>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    /// Whether the case is not sent by request and reply, which sets the reply subject itself.
    #[serde(default)]
    pub(crate) by_inbox_only: bool,
    /// The code of its refusal.
    pub(crate) code: String,
    /// A part of the sentence of its refusal.
    pub(crate) says: String,
}

/// A step that no worker can read. `{turn}` in its subject stands for a turn of its own.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BadStep {
    pub(crate) name: String,
    pub(crate) subject: String,
    text: Option<String>,
    hex: Option<String>,
    /// The reason of its dead letter.
    pub(crate) reason: String,
    /// How its turn ends, where the step ends it.
    pub(crate) outcome: Option<envelope::Outcome>,
}

fn once() -> usize {
    1
}

fn unhex(text: &str) -> Vec<u8> {
    let digits = text.as_bytes().chunks(2);
    digits
        .map(|two| u8::from_str_radix(std::str::from_utf8(two).unwrap(), 16).unwrap())
        .collect()
}

impl BadQuestion {
    pub(crate) fn bytes(&self) -> Bytes {
        match (&self.body, &self.text, &self.hex) {
            (Some(body), None, None) => {
                let mut body = body.clone();
                if let Some(times) = self.times_question {
                    let question = body["question"].as_str().unwrap().repeat(times);
                    body["question"] = question.into();
                }
                body.to_string().into()
            }
            (None, Some(text), None) => text.repeat(self.times).into(),
            (None, None, Some(hex)) => unhex(hex).into(),
            _ => panic!("{}: one of body, text and hex", self.name),
        }
    }

    pub(crate) fn headers(&self) -> Headers {
        let pairs = self.headers.iter();
        Headers(pairs.map(|(n, v)| (n.clone(), v.clone())).collect())
    }
}

impl BadStep {
    pub(crate) fn bytes(&self) -> Bytes {
        match (&self.text, &self.hex) {
            (Some(text), None) => text.clone().into(),
            (None, Some(hex)) => unhex(hex).into(),
            _ => panic!("{}: one of text and hex", self.name),
        }
    }
}

/// Every case of a file, which has at least one.
pub(crate) fn all<T: DeserializeOwned>(file: &str) -> Vec<T> {
    let path = format!("{}/scenarios/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap();
    let read = |(n, line)| {
        serde_json::from_str(line).unwrap_or_else(|e| panic!("{path}, line {}: {e}", n + 1))
    };
    let cases: Vec<T> = text.lines().enumerate().map(read).collect();
    assert!(!cases.is_empty(), "{path} is empty");
    cases
}
