//! Signatures of tokens, checked with `ring`, which the process has for TLS anyway.
//!
//! An algorithm belongs to a kind of key, and a key of another kind never checks it: a public key is no shared secret. *Not*
//! here: shared secrets and signing.

use jsonwebtoken::crypto::{CryptoProvider, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{ErrorKind, Result, new_error};
use jsonwebtoken::signature::{Error, Verifier};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind};
use ring::signature::{self as with, RsaPublicKeyComponents, UnparsedPublicKey};

/// The algorithms that are taken, all of them with a public key.
pub(super) const TAKEN: [Algorithm; 9] = [
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
];

static RING: CryptoProvider = CryptoProvider {
    signer_factory: |_, _| Err(new_error(ErrorKind::UnsupportedAlgorithm)),
    verifier_factory: verifier,
    key_utils: KeyUtils::new_unimplemented(),
};

/// Makes `jsonwebtoken` check signatures in this way, in the whole process, as it wants it.
pub(super) fn install() {
    let _ = RING.install_default();
}

struct Ring {
    algorithm: Algorithm,
    key: DecodingKey,
}

fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>> {
    if !TAKEN.contains(algorithm) || key.family() != algorithm.family() {
        return Err(new_error(ErrorKind::InvalidAlgorithm));
    }
    Ok(Box::new(Ring {
        algorithm: *algorithm,
        key: key.clone(),
    }))
}

impl JwtVerifier for Ring {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

impl Verifier<Vec<u8>> for Ring {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> std::result::Result<(), Error> {
        let checked = match self.key.kind() {
            DecodingKeyKind::RsaModulusExponent { n, e } => {
                let of = match self.algorithm {
                    Algorithm::RS256 => &with::RSA_PKCS1_2048_8192_SHA256,
                    Algorithm::RS384 => &with::RSA_PKCS1_2048_8192_SHA384,
                    Algorithm::RS512 => &with::RSA_PKCS1_2048_8192_SHA512,
                    Algorithm::PS256 => &with::RSA_PSS_2048_8192_SHA256,
                    Algorithm::PS384 => &with::RSA_PSS_2048_8192_SHA384,
                    Algorithm::PS512 => &with::RSA_PSS_2048_8192_SHA512,
                    _ => return Err(Error::new()),
                };
                RsaPublicKeyComponents { n, e }.verify(of, message, signature)
            }
            DecodingKeyKind::SecretOrDer(key) => {
                let of: &dyn with::VerificationAlgorithm = match self.algorithm {
                    Algorithm::ES256 => &with::ECDSA_P256_SHA256_FIXED,
                    Algorithm::ES384 => &with::ECDSA_P384_SHA384_FIXED,
                    Algorithm::EdDSA => &with::ED25519,
                    _ => return Err(Error::new()),
                };
                UnparsedPublicKey::new(of, key).verify(message, signature)
            }
        };
        checked.map_err(|_| Error::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jsonwebtoken::Validation;
    use jsonwebtoken::jwk::Jwk;
    use serde_json::{Map, Value};

    /// Keys with a token that each has signed, made by OpenSSL 3.0 (by way of PyPI `cryptography` 48.0).
    const SIGNED: &str = include_str!("signatures.json");

    fn is_good(key: &Value, token: &str, by: Algorithm) -> bool {
        install();
        let key: Jwk = serde_json::from_value(key.clone()).expect("a key");
        let key = DecodingKey::from_jwk(&key).expect("a key");
        let mut rules = Validation::new(by);
        rules.required_spec_claims.clear();
        rules.validate_exp = false;
        jsonwebtoken::decode::<Map<String, Value>>(token, &key, &rules).is_ok()
    }

    #[test]
    fn a_key_checks_what_it_signed_and_nothing_else() {
        let signed: Value = serde_json::from_str(SIGNED).expect("JSON");
        let of = |kind: &str| signed[kind].as_array().expect("a list").clone();
        let good = of("good");
        assert_eq!(good.len(), TAKEN.len());
        for one in &good {
            let by: Algorithm = one["alg"].as_str().expect("a text").parse().expect("known");
            let token = one["token"].as_str().expect("a text");
            assert!(is_good(&one["key"], token, by), "{by:?}");
            let (message, signature) = token.rsplit_once('.').expect("a signature");
            let (header, _) = message.split_once('.').expect("claims");
            // {"sub":"bert"}
            assert!(!is_good(
                &one["key"],
                &format!("{header}.eyJzdWIiOiJiZXJ0In0.{signature}"),
                by
            ));
            assert!(!is_good(&one["key"], &format!("{message}."), by));
            for other in good.iter().filter(|other| other["alg"] != one["alg"]) {
                let other: Algorithm = other["alg"]
                    .as_str()
                    .expect("a text")
                    .parse()
                    .expect("known");
                assert!(!is_good(&one["key"], token, other), "{by:?} as {other:?}");
            }
            for other in good.iter().filter(|other| other["key"] != one["key"]) {
                assert!(!is_good(&other["key"], token, by), "{by:?}");
            }
        }
        for one in of("weak") {
            let token = one["token"].as_str().expect("a text");
            assert!(!is_good(&one["key"], token, Algorithm::RS256), "1024 bits");
        }
    }
}
