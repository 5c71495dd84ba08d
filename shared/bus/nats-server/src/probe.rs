//! Requests to a server's monitoring port, over a plain socket: no HTTP client is needed for two GETs to 127.0.0.1.

use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// How long one question may take.
const TIMEOUT: Duration = Duration::from_secs(2);
/// How much of an answer is read, in bytes.
const ANSWER_BYTES_MAX: u64 = 1024 * 1024;

/// The body of a 200 answer, or what came instead.
pub(super) async fn get(address: SocketAddr, path: &str) -> Result<String, String> {
    match tokio::time::timeout(TIMEOUT, fetch(address, path)).await {
        Err(_) => Err(format!("no answer from `{path}`")),
        Ok(Err(error)) => Err(error.to_string()),
        Ok(Ok(answer)) => match answer.split_once("\r\n\r\n") {
            Some((head, body)) if head.contains(" 200 ") => Ok(body.to_owned()),
            Some((_, body)) => Err(body.trim().to_owned()),
            None => Err("half an answer".to_owned()),
        },
    }
}

async fn fetch(address: SocketAddr, path: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    // HTTP/1.0 closes the connection after the answer, which marks its end.
    let request = format!("GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream
        .take(ANSWER_BYTES_MAX)
        .read_to_string(&mut answer)
        .await?;
    Ok(answer)
}
