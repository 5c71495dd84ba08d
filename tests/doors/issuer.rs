//! A small issuer of tokens: it describes itself, names its keys and signs with them, and can be away.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use door::{OidcOptions, Options};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use ring::{hmac, signature};
use serde_json::{Value, json};
use settings::TimeSpan;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// For whom the tokens of tests are.
pub(crate) const AUDIENCE: &str = "argosy";
/// The least time between two requests of a door for the keys.
pub(crate) const PAUSE: TimeSpan = TimeSpan::from_secs(1);

/// How a token is signed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Signed {
    /// With the key of this name.
    By(&'static str),
    /// With the public key of this name as a shared secret.
    WithPublic(&'static str),
    /// Not at all.
    Not,
}

#[derive(Default)]
struct State {
    /// All keys that it has made, by name.
    keys: Mutex<Vec<(&'static str, EcdsaKeyPair)>>,
    /// Those that it names.
    named: Mutex<Vec<&'static str>>,
    is_away: AtomicBool,
    asked: AtomicUsize,
}

pub(crate) struct Issuer {
    at: SocketAddr,
    state: Arc<State>,
    served: JoinHandle<()>,
}

impl Drop for Issuer {
    fn drop(&mut self) {
        self.served.abort();
    }
}

impl Issuer {
    /// Starts it with the key `1`.
    pub(crate) async fn start() -> Issuer {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let (at, state) = (listener.local_addr().unwrap(), Arc::<State>::default());
        let of = state.clone();
        let served = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                answer(stream, at, &of).await;
            }
        });
        let issuer = Issuer { at, state, served };
        issuer.make("1");
        issuer.name(&["1"]);
        issuer
    }

    /// Makes a key, which nobody is told of yet.
    pub(crate) fn make(&self, kid: &'static str) {
        let random = SystemRandom::new();
        let of = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let key = EcdsaKeyPair::generate_pkcs8(of, &random).unwrap();
        let key = EcdsaKeyPair::from_pkcs8(of, key.as_ref(), &random).unwrap();
        self.state.keys.lock().unwrap().push((kid, key));
    }

    /// Names these keys from now on, and no others.
    pub(crate) fn name(&self, kids: &[&'static str]) {
        *self.state.named.lock().unwrap() = kids.to_vec();
    }

    /// Whether it answers no more.
    pub(crate) fn is_away(&self, is_away: bool) {
        self.state.is_away.store(is_away, Ordering::Relaxed);
    }

    /// How often it has been asked for its keys.
    pub(crate) fn asked(&self) -> usize {
        self.state.asked.load(Ordering::Relaxed)
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.at)
    }

    /// The options of a door that takes its tokens.
    pub(crate) fn options(&self) -> Options {
        Options {
            oidc: OidcOptions {
                issuer: self.url(),
                audience: vec![AUDIENCE.into()],
                keys_pause: PAUSE,
                ..OidcOptions::default()
            },
            ..Options::default()
        }
    }

    /// The header of a request with a good token, with these further claims.
    pub(crate) fn login(&self, claims: Value) -> String {
        let token = self.token(json!({"alg": "ES256", "kid": "1"}), claims, Signed::By("1"));
        format!("Authorization: Bearer {token}")
    }

    /// A token with this header; `null` takes a usual claim away.
    pub(crate) fn token(&self, header: Value, claims: Value, signed: Signed) -> String {
        let mut all =
            json!({"iss": self.url(), "aud": AUDIENCE, "sub": "anna", "exp": now() + 600});
        for (name, claim) in claims.as_object().unwrap() {
            all[name] = claim.clone();
        }
        all.as_object_mut()
            .unwrap()
            .retain(|_, claim| !claim.is_null());
        let message = [header, all]
            .map(|part| BASE64.encode(part.to_string()))
            .join(".");
        let keys = self.state.keys.lock().unwrap();
        let of = |kid: &str| &keys.iter().find(|(of, _)| *of == kid).unwrap().1;
        let signature = match signed {
            Signed::By(kid) => {
                let signed: signature::Signature = of(kid)
                    .sign(&SystemRandom::new(), message.as_bytes())
                    .unwrap();
                signed.as_ref().to_vec()
            }
            Signed::WithPublic(kid) => {
                let secret = hmac::Key::new(hmac::HMAC_SHA256, of(kid).public_key().as_ref());
                hmac::sign(&secret, message.as_bytes()).as_ref().to_vec()
            }
            Signed::Not => Vec::new(),
        };
        format!("{message}.{}", BASE64.encode(signature))
    }
}

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap().as_secs()
}

async fn answer(mut stream: TcpStream, at: SocketAddr, state: &State) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        if stream.read_exact(&mut byte).await.is_err() {
            return;
        }
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    let path = head.split(' ').nth(1).unwrap();
    if path == "/keys" {
        state.asked.fetch_add(1, Ordering::Relaxed);
    }
    if state.is_away.load(Ordering::Relaxed) {
        return;
    }
    let (status, body) = match path {
        "/.well-known/openid-configuration" => {
            let url = format!("http://{at}");
            let body = json!({"issuer": url, "jwks_uri": format!("{url}/keys"), "response_types_supported": ["code"]});
            ("200 OK", body)
        }
        "/keys" => ("200 OK", json!({ "keys": public(state) })),
        _ => ("404 Not Found", json!({})),
    };
    let body = body.to_string();
    let response = format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    let _ = stream.write_all(response.as_bytes()).await;
}

fn public(state: &State) -> Vec<Value> {
    let (keys, named) = (state.keys.lock().unwrap(), state.named.lock().unwrap());
    let keys = keys.iter().filter(|(kid, _)| named.contains(kid));
    let keys = keys.map(|(kid, key)| {
        let (x, y) = key.public_key().as_ref()[1..].split_at(32);
        json!({"kty": "EC", "crv": "P-256", "kid": kid, "use": "sig", "alg": "ES256",
               "x": BASE64.encode(x), "y": BASE64.encode(y)})
    });
    keys.collect()
}
