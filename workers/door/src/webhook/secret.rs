//! Secrets of webhooks, and what is signed with them: `v1`, HMAC with SHA-256 over id, time and body.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;
use ring::rand::{SecureRandom, SystemRandom};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::RangeInclusive;

/// What a secret begins with, so that one in a wrong place is noticed.
const PREFIX: &str = "whsec_";
/// Bytes that a secret may have.
const BYTES: RangeInclusive<usize> = 24..=64;
/// Bytes of a new one.
const NEW_BYTES: usize = 32;

/// A secret that a door and an endpoint share. It is not shown by `Debug`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct WebhookSecret(Vec<u8>);

impl WebhookSecret {
    /// A new one, which nobody can guess; `None` when the system has no random bytes.
    pub fn random() -> Option<WebhookSecret> {
        let mut bytes = vec![0; NEW_BYTES];
        SystemRandom::new().fill(&mut bytes).ok()?;
        Some(WebhookSecret(bytes))
    }

    /// The signature of a message.
    pub(super) fn sign(&self, id: &str, seconds: u64, body: &[u8]) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &self.0);
        let mut signed = hmac::Context::with_key(&key);
        signed.update(format!("{id}.{seconds}.").as_bytes());
        signed.update(body);
        format!("v1,{}", STANDARD.encode(signed.sign()))
    }
}

impl TryFrom<String> for WebhookSecret {
    type Error = String;
    fn try_from(text: String) -> Result<WebhookSecret, String> {
        let bytes = text
            .strip_prefix(PREFIX)
            .and_then(|rest| STANDARD.decode(rest).ok());
        let bytes = bytes.filter(|bytes| BYTES.contains(&bytes.len()));
        let wanted = || format!("a secret is {PREFIX} and 24 to 64 random bytes in base64");
        bytes.map(WebhookSecret).ok_or_else(wanted)
    }
}

impl From<WebhookSecret> for String {
    fn from(secret: WebhookSecret) -> String {
        format!("{PREFIX}{}", STANDARD.encode(&secret.0))
    }
}

impl fmt::Debug for WebhookSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed with Python's `hmac`.
    #[test]
    fn a_signature_is_what_others_compute() {
        let secret = format!("{PREFIX}{}", STANDARD.encode((0..24).collect::<Vec<u8>>()));
        let secret = WebhookSecret::try_from(secret).expect("a secret");
        let signature = secret.sign("turn-t1", 1_674_087_231, br#"{"test": 2432232314}"#);
        assert_eq!(signature, "v1,cx8hxx0saheTSca7GRKoDWUReviCW0paUD387w7uyZg=");
    }

    #[test]
    fn what_is_no_secret_is_refused_without_showing_it() {
        let of = |bytes: usize| format!("{PREFIX}{}", STANDARD.encode(vec![7; bytes]));
        assert!(WebhookSecret::try_from(of(24)).is_ok() && WebhookSecret::try_from(of(64)).is_ok());
        let bare = STANDARD.encode([7; 32]);
        for wrong in [of(23), of(65), bare, format!("{PREFIX}%%"), String::new()] {
            let said = WebhookSecret::try_from(wrong.clone()).expect_err("no secret");
            assert!(wrong.is_empty() || !said.contains(&wrong), "{said}");
        }
        let (one, other) = (WebhookSecret::random(), WebhookSecret::random());
        assert!(one.is_some() && one != other);
    }
}
