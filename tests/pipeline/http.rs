//! Makes one GET request to 127.0.0.1 over a plain socket, for admin endpoints and the server's monitoring, so that
//! the tests need no HTTP client.

use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const TIMEOUT: Duration = Duration::from_secs(2);

/// The status and the body; `None` when there is no response.
pub(crate) async fn get(address: SocketAddr, path: &str) -> Option<(u16, String)> {
    let fetched = tokio::time::timeout(TIMEOUT, fetch(address, path)).await;
    let answer = fetched.ok()?.ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.split_whitespace().nth(1)?.parse().ok()?;
    Some((status, body.to_owned()))
}

async fn fetch(address: SocketAddr, path: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    // HTTP/1.0 closes the connection after the answer, which marks its end.
    let request = format!("GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    Ok(answer)
}
