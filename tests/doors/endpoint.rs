//! An endpoint of webhooks: it answers as a script says, and remembers what it was told.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(40);

/// What an endpoint does with a request. Without a script it takes all with 204.
#[derive(Debug, Clone)]
pub(crate) enum Does {
    /// Answers with a status and further headers, each `name: value`.
    Says(u16, String),
    /// Never answers.
    Hangs,
}

/// A request as it came.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Told {
    pub(crate) id: String,
    pub(crate) seconds: u64,
    pub(crate) signatures: Vec<String>,
    pub(crate) body: String,
}

impl Told {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// Whether one of its signatures was made with this secret: as the specification says it, on our own.
    pub(crate) fn is_signed_with(&self, secret: &str) -> bool {
        let key = STANDARD
            .decode(secret.strip_prefix("whsec_").unwrap())
            .unwrap();
        let message = format!("{}.{}.{}", self.id, self.seconds, self.body);
        let signature = format!("v1,{}", STANDARD.encode(hmac(&key, message.as_bytes())));
        self.signatures.contains(&signature)
    }
}

/// RFC 2104 over SHA-256, for keys of at most one block.
fn hmac(key: &[u8], message: &[u8]) -> Vec<u8> {
    let mut block = [0; 64];
    block[..key.len()].copy_from_slice(key);
    let padded = |with: u8| block.map(|byte| byte ^ with);
    let inner = Sha256::new()
        .chain_update(padded(0x36))
        .chain_update(message);
    let outer = Sha256::new()
        .chain_update(padded(0x5c))
        .chain_update(inner.finalize());
    outer.finalize().to_vec()
}

/// An endpoint on this machine.
pub(crate) struct Endpoint {
    pub(crate) port: u16,
    told: Arc<Mutex<Vec<Told>>>,
    _served: JoinSet<()>,
}

impl Endpoint {
    pub(crate) async fn new(script: impl IntoIterator<Item = Does>) -> Endpoint {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let told: Arc<Mutex<Vec<Told>>> = Arc::default();
        let (script, seen) = (script.into_iter().collect::<VecDeque<_>>(), told.clone());
        let script = Arc::new(Mutex::new(script));
        let mut served = JoinSet::new();
        served.spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                connections.spawn(answer(stream, script.clone(), seen.clone()));
            }
        });
        Endpoint {
            port,
            told,
            _served: served,
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/hook", self.port)
    }

    pub(crate) fn told(&self) -> Vec<Told> {
        self.told.lock().unwrap().clone()
    }

    /// What it was told, once that are so many requests.
    pub(crate) async fn after(&self, requests: usize) -> Vec<Told> {
        let until = Instant::now() + PATIENCE;
        while self.told().len() < requests {
            assert!(
                Instant::now() < until,
                "{} of {requests} requests",
                self.told().len()
            );
            sleep(Duration::from_millis(10)).await;
        }
        self.told()
    }
}

async fn answer(
    stream: TcpStream,
    script: Arc<Mutex<VecDeque<Does>>>,
    seen: Arc<Mutex<Vec<Told>>>,
) {
    let mut stream = BufReader::new(stream);
    let Ok(Some(told)) = timeout(PATIENCE, read(&mut stream)).await else {
        return;
    };
    seen.lock().unwrap().push(told);
    let does = script.lock().unwrap().pop_front();
    let (status, headers) = match does {
        None => (204, String::new()),
        Some(Does::Says(status, headers)) => (status, headers),
        Some(Does::Hangs) => return std::future::pending().await,
    };
    let headers = match headers.as_str() {
        "" => headers,
        some => format!("{some}\r\n"),
    };
    let head = format!(
        "HTTP/1.1 {status} As said\r\n{headers}Content-Length: 0\r\nConnection: close\r\n\r\n"
    );
    let _ = stream.write_all(head.as_bytes()).await;
}

/// A request; `None` when it is none, as in TLS.
async fn read(stream: &mut BufReader<TcpStream>) -> Option<Told> {
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.ok()?;
        match line.trim_end() {
            "" => break,
            line => head.push(line.to_owned()),
        }
    }
    assert_eq!(head.first()?, "POST /hook HTTP/1.1");
    let header = |name: &str| {
        let of = |line: &String| {
            let (of, value) = line.split_once(": ")?;
            of.eq_ignore_ascii_case(name).then(|| value.to_owned())
        };
        head.iter().find_map(of)
    };
    assert_eq!(header("content-type").as_deref(), Some("application/json"));
    let mut body = vec![0; header("content-length")?.parse().ok()?];
    stream.read_exact(&mut body).await.ok()?;
    Some(Told {
        id: header("webhook-id")?,
        seconds: header("webhook-timestamp")?.parse().ok()?,
        signatures: header("webhook-signature")?
            .split(' ')
            .map(str::to_owned)
            .collect(),
        body: String::from_utf8(body).ok()?,
    })
}
