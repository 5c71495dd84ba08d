//! A plain HTTP/1.1 client for one request, so that the tests see what is sent, byte for byte.

use serde_json::Value;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// How long a request may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A response, read until the server closes the connection.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Its headers, in lower case.
    pub(crate) head: String,
    /// Where it leads, as it was sent.
    pub(crate) location: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find_map(|(of, value)| (of == name).then_some(value))
    }
}

/// Sends a request with these further headers, each `name: value`.
pub(crate) async fn send(
    at: SocketAddr,
    method: &str,
    path: &str,
    headers: &[&str],
    body: &str,
) -> Answer {
    let exchange = async {
        let mut stream = begin(at, method, path, headers, body).await;
        let mut all = Vec::new();
        stream.read_to_end(&mut all).await.unwrap();
        parsed(&String::from_utf8(all).unwrap())
    };
    tokio::time::timeout(PATIENCE, exchange).await.unwrap()
}

/// Sends a request and leaves reading to the caller.
pub(crate) async fn begin(
    at: SocketAddr,
    method: &str,
    path: &str,
    headers: &[&str],
    body: &str,
) -> TcpStream {
    let mut stream = TcpStream::connect(at).await.unwrap();
    let is_host = |header: &&&str| header.to_lowercase().starts_with("host:");
    let host = match headers.iter().find(is_host) {
        Some(_) => String::new(),
        None => format!("Host: {at}\r\n"),
    };
    let mut request = format!("{method} {path} HTTP/1.1\r\n{host}Connection: close\r\n");
    for header in headers {
        request += &format!("{header}\r\n");
    }
    let is_kind = |header: &&str| header.to_lowercase().starts_with("content-type:");
    if !body.is_empty() && !headers.iter().any(is_kind) {
        request += "Content-Type: application/json\r\n";
    }
    request += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

fn parsed(text: &str) -> Answer {
    let (head, body) = text.split_once("\r\n\r\n").expect("a head");
    let (status, head) = head.split_once("\r\n").unwrap_or((head, ""));
    let status = status.split_whitespace().nth(1).unwrap().parse().unwrap();
    let location = head
        .lines()
        .find_map(|line| line.strip_prefix("location: "));
    let location = location.unwrap_or_default().to_owned();
    let head = head.to_lowercase();
    let body = match head.contains("transfer-encoding: chunked") {
        true => unchunked(body),
        false => body.to_owned(),
    };
    Answer {
        status,
        head,
        location,
        body,
    }
}

fn unchunked(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 {
            break;
        }
        whole += &rest[..size];
        body = rest[size..].trim_start_matches("\r\n");
    }
    whole
}
