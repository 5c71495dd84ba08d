//! The keys of an issuer: which of them signed a token, and when it is time to ask for them again.
//!
//! Pure. What the issuer names replaces what it named before, so that a key that it has taken back is good for nothing after
//! the next look. While it is away its keys stay, for at most [`KEPT_MAX`].

use super::signature::TAKEN;
use jsonwebtoken::jwk::{Jwk, KeyOperations, PublicKeyUse};
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey, Header};
use serde::Deserialize;
use serde_json::Value;
use std::time::{Duration, Instant};

/// How long the keys of an issuer that is away are good.
const KEPT_MAX: Duration = Duration::from_secs(24 * 3_600);
/// Most keys of an issuer; further ones are left out.
const KEYS_MAX: usize = 64;

/// What is known of the keys of an issuer.
#[derive(Debug, Default)]
pub(super) struct Keys {
    keys: Vec<Key>,
    /// When the issuer named them.
    named: Option<Instant>,
    /// When and why it was asked last, and whether it was there.
    asked: Option<Asked>,
}

#[derive(Debug)]
struct Asked {
    at: Instant,
    is_there: bool,
    is_wanted: bool,
}

#[derive(Debug)]
pub(super) struct Key {
    id: Option<String>,
    /// The only algorithm that it is for, where it says so.
    only: Option<Algorithm>,
    key: DecodingKey,
}

/// What is known of the key of a token.
#[derive(Debug)]
pub(super) enum Found {
    /// The key.
    Key(DecodingKey),
    /// The issuer names no such key.
    None,
    /// The issuer could not be asked.
    Away,
}

impl Keys {
    /// Takes over what the issuer named just now; `None` where it could not be asked. `is_wanted` says whether it was asked
    /// because of an unknown key.
    pub(super) fn told(&mut self, named: Option<Vec<Key>>, is_wanted: bool, now: Instant) {
        self.asked = Some(Asked {
            at: now,
            is_there: named.is_some(),
            is_wanted,
        });
        if let Some(keys) = named {
            (self.keys, self.named) = (keys, Some(now));
        }
        if self.named.is_none_or(|named| now - named > KEPT_MAX) {
            self.keys.clear();
        }
    }

    /// Whether the issuer may be asked for an unknown key. When it was asked for one before, or was away, that must be
    /// `pause` ago; a look of another kind may have been just before it made the key.
    pub(super) fn may_ask(&self, pause: Duration, now: Instant) -> bool {
        let may = |last: &Asked| last.is_there && !last.is_wanted || now - last.at >= pause;
        self.asked.as_ref().is_none_or(may)
    }

    /// The key that a token names. One that names none has the only key that fits, if there is only one.
    pub(super) fn find(&self, header: &Header) -> Found {
        let fits = |key: &&Key| {
            key.key.family() == header.alg.family()
                && key.only.is_none_or(|only| only == header.alg)
                && (header.kid.is_none() || header.kid == key.id)
        };
        let mut fitting = self.keys.iter().filter(fits);
        match (fitting.next(), fitting.next()) {
            (Some(key), None) => Found::Key(key.key.clone()),
            _ if self.asked.as_ref().is_some_and(|last| last.is_there) => Found::None,
            _ => Found::Away,
        }
    }
}

/// The keys in a document of the issuer; `None` where it is no such document. Keys that check no signature that is taken are
/// left out, whatever they are.
pub(super) fn read(document: &[u8]) -> Option<Vec<Key>> {
    #[derive(Deserialize)]
    struct Set {
        keys: Vec<Value>,
    }
    let set: Set = serde_json::from_slice(document).ok()?;
    let keys = set.keys.into_iter().filter_map(|key| {
        let key: Jwk = serde_json::from_value(key).ok()?;
        let common = &key.common;
        let is_other = |of: &PublicKeyUse| *of != PublicKeyUse::Signature;
        let verifies = |of: &Vec<KeyOperations>| of.contains(&KeyOperations::Verify);
        if common.public_key_use.as_ref().is_some_and(is_other)
            || !common.key_operations.as_ref().is_none_or(verifies)
        {
            return None;
        }
        let only = match common.key_algorithm {
            Some(of) => Some(
                Algorithm::try_from(of)
                    .ok()
                    .filter(|of| TAKEN.contains(of))?,
            ),
            None => None,
        };
        let id = common.key_id.clone();
        let key = DecodingKey::from_jwk(&key).ok()?;
        (key.family() != AlgorithmFamily::Hmac).then_some(Key { id, only, key })
    });
    Some(keys.take(KEYS_MAX).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const X: &str = "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4";

    /// What is found for a token that names this key and algorithm: a letter for each outcome.
    fn found(keys: &Keys, kid: Option<&str>, alg: Algorithm) -> char {
        let mut header = Header::new(alg);
        header.kid = kid.map(str::to_owned);
        match keys.find(&header) {
            Found::Key(_) => 'k',
            Found::None => 'n',
            Found::Away => 'a',
        }
    }

    fn of(keys: Value) -> Vec<Key> {
        read(json!({ "keys": keys }).to_string().as_bytes()).expect("a document")
    }

    #[test]
    fn keys_that_check_nothing_are_left_out() {
        let ec = |more: Value| {
            let mut key = json!({"kty": "EC", "crv": "P-256", "x": X, "y": X, "kid": "1"});
            key.as_object_mut()
                .expect("an object")
                .extend(more.as_object().expect("an object").clone());
            key
        };
        for (key, is_kept) in [
            (ec(json!({})), true),
            (
                ec(json!({"use": "sig", "alg": "ES256", "key_ops": ["verify"], "x5c": ["x"]})),
                true,
            ),
            (ec(json!({"use": "enc"})), false),
            (ec(json!({"key_ops": ["sign"]})), false),
            (ec(json!({"alg": "ECDH-ES"})), false),
            (ec(json!({"crv": "secp256k1"})), false),
            (json!({"kty": "oct", "k": X, "kid": "1"}), false),
            (json!({"kty": "RSA", "n": "!", "e": "AQAB"}), false),
            (json!({"kty": "AKP", "pub": X}), false),
            (json!(7), false),
        ] {
            assert_eq!(
                of(json!([key.clone()])).len(),
                usize::from(is_kept),
                "{key}"
            );
        }
        assert!(read(b"[]").is_none() && read(b"{\"keys\": 7}").is_none());
    }

    #[test]
    fn a_key_is_found_by_its_id_and_what_is_taken_back_is_gone() {
        let ec = |kid: &str| json!({"kty": "EC", "crv": "P-256", "x": X, "y": X, "kid": kid});
        let ed = json!({"kty": "OKP", "crv": "Ed25519", "x": X, "kid": "ed"});
        let (mut keys, begun, pause) = (Keys::default(), Instant::now(), Duration::from_secs(10));
        let at = |seconds| begun + Duration::from_secs(seconds);
        assert_eq!(found(&keys, Some("1"), Algorithm::ES256), 'a');
        assert!(keys.may_ask(pause, begun));
        keys.told(None, false, at(0));
        assert_eq!(found(&keys, Some("1"), Algorithm::ES256), 'a');
        assert!(!keys.may_ask(pause, at(9)) && keys.may_ask(pause, at(10)));

        keys.told(Some(of(json!([ec("1"), ec("2"), ed]))), false, at(10));
        assert!(keys.may_ask(pause, at(10)));
        assert_eq!(found(&keys, Some("1"), Algorithm::ES256), 'k');
        assert_eq!(found(&keys, Some("3"), Algorithm::ES256), 'n');
        assert_eq!(found(&keys, Some("1"), Algorithm::RS256), 'n');
        assert_eq!(found(&keys, Some("1"), Algorithm::EdDSA), 'n');
        // Without a name there must be no choice.
        assert_eq!(found(&keys, None, Algorithm::ES256), 'n');
        assert_eq!(found(&keys, None, Algorithm::EdDSA), 'k');

        keys.told(Some(of(json!([ec("2")]))), true, at(20));
        assert!(!keys.may_ask(pause, at(29)) && keys.may_ask(pause, at(30)));
        assert_eq!(found(&keys, Some("1"), Algorithm::ES256), 'n');
        // While the issuer is away its keys stay, for a day.
        keys.told(None, true, at(30));
        assert_eq!(found(&keys, Some("2"), Algorithm::ES256), 'k');
        assert_eq!(found(&keys, Some("1"), Algorithm::ES256), 'a');
        keys.told(None, false, at(20 + 24 * 3_600));
        assert_eq!(found(&keys, Some("2"), Algorithm::ES256), 'k');
        keys.told(None, false, at(21 + 24 * 3_600));
        assert_eq!(found(&keys, Some("2"), Algorithm::ES256), 'a');
    }
}
