//! Fair places: one login that keeps many streams or files open takes none of another's.

use crate::http::{begin, send};
use crate::keys::Keys;
use crate::stand::{Stand, open};
use bus::Bus;
use bus::memory::MemoryBus;
use bus::topology::Topology;
use door::{KeyFile, Options};
use envelope::{Outcome, TenantId, Terminal, TurnId};
use serde_json::json;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

/// Asks with a key and follows the turn, which nobody answers. Returns the status and the open stream.
async fn follow(at: SocketAddr, key: &str) -> (u16, String, TcpStream) {
    let key = Keys::header(key);
    let headers = [key.as_str(), "Accept: text/event-stream"];
    let asked = json!({"question": "Who?"}).to_string();
    let mut stream = begin(at, "POST", "/api/turns", &headers, &asked).await;
    let mut head = vec![0; 4_096];
    let read = stream.read(&mut head).await.unwrap();
    let head = String::from_utf8_lossy(&head[..read]).to_lowercase();
    let status = head.split_whitespace().nth(1).unwrap().parse().unwrap();
    (status, head, stream)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_login_follows_a_quarter_of_all_streams() {
    let keys = Keys::new(&["a", "b", "c", "d", "e"].map(|name| (name, "default", "ask")));
    let options = Options {
        streams: 8,
        ..keys.options()
    };
    let bus = MemoryBus::new(&Topology::default());
    let (at, stop, served) = open(bus, options).await;
    let mut held = Vec::new();
    for name in ["a", "b", "c", "d"] {
        for _ in 0..2 {
            let (status, head, stream) = follow(at, name).await;
            assert_eq!(status, 200, "{name}: {head}");
            held.push(stream);
        }
        let (status, head, _) = follow(at, name).await;
        assert_eq!(status, 429, "{name}: {head}");
        assert!(head.contains("retry-after: 2\r\n"), "{head}");
    }
    let (status, head, _) = follow(at, "e").await;
    assert!(status == 503 && head.contains("retry-after:"), "{head}");
    // Who hangs up has a place again, in a moment.
    held.remove(0);
    let mut again = 0;
    for _ in 0..200 {
        let (status, _, _stream) = follow(at, "a").await;
        again = status;
        if again == 200 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(again, 200);
    stop.cancel();
    served.await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_reads_files_slowly_leaves_places_to_others() {
    let files = tempfile::tempdir().unwrap();
    let root = files.path().join("default");
    std::fs::create_dir(&root).unwrap();
    // More than the buffers of a connection take.
    let text = format!(
        "# Large\n\n{}\n",
        "All of these words are the same. ".repeat(400_000)
    );
    std::fs::write(root.join("large.md"), &text).unwrap();
    std::fs::write(root.join("small.md"), "# Small\n\nA small document.\n").unwrap();
    let mut stand = Stand::usual().await;
    stand.index(root).await;
    let key = |name: &str| json!({"name": name, "sha256": KeyFile::hash(name), "tenant": "default", "scopes": ["read"], "groups": ["*"]});
    let keys = Keys::of(vec![key("slow"), key("other")]);
    let options = Options {
        files: Some(files.path().to_owned()),
        ..keys.options()
    };
    let (at, stop, served) = open(stand.bus.clone(), options).await;
    let (slow, other) = (Keys::header("slow"), Keys::header("other"));
    let mut held = Vec::new();
    for n in 0..16 {
        let mut stream = begin(at, "GET", "/api/file?source=large.md", &[&slow], "").await;
        let mut head = [0; 12];
        stream.read_exact(&mut head).await.unwrap();
        assert_eq!(&head, b"HTTP/1.1 200", "{n}");
        held.push(stream);
    }
    let small = "/api/file?source=small.md";
    let refused = send(at, "GET", small, &[&slow], "").await;
    assert_eq!(
        (refused.status, refused.header("retry-after")),
        (429, Some("2")),
        "{refused:?}"
    );
    assert_eq!(refused.json()["code"], "rate_limited");
    assert_eq!(send(at, "GET", small, &[&other], "").await.status, 200);
    drop(held);
    stop.cancel();
    served.await.unwrap();
    stand.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ends_that_nobody_waits_for_have_places_of_their_own() {
    let keys = Keys::of(vec![
        json!({"name": "k", "sha256": KeyFile::hash("k"), "tenant": "default",
        "scopes": ["ask"], "groups": ["*"], "tokens_per_hour": 1_000_000}),
    ]);
    let options = Options {
        streams: 8,
        ..keys.options()
    };
    let bus = MemoryBus::new(&Topology::default());
    let (at, stop, served) = open(bus.clone(), options).await;
    let ask = async || {
        let headers = [&*Keys::header("k"), "Prefer: respond-async"];
        let asked = json!({"question": "Who?"}).to_string();
        send(at, "POST", "/api/turns", &headers, &asked).await
    };
    // The ends of two are looked for in places of their own. Those of two more keep the places that they were asked in.
    let mut turns = Vec::new();
    for n in 0..2 {
        let both = tokio::join!(ask(), ask());
        for asked in [both.0, both.1] {
            assert_eq!(asked.status, 202, "{n}: {asked:?}");
            turns.push(TurnId::new(asked.json()["turn"].as_str().unwrap()).unwrap());
        }
    }
    let refused = ask().await;
    assert_eq!(refused.status, 429, "{refused:?}");
    // When one of the latter ends, there is a place again.
    let ended = Terminal::bare(
        turns.remove(2),
        TenantId::default_tenant(),
        Outcome::Answered,
        bus.now(),
    );
    let message = streams::outbox::terminal(&ended, None).unwrap();
    bus.publish(message).await.unwrap();
    let mut again = 429;
    for _ in 0..200 {
        again = ask().await.status;
        if again != 429 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(again, 202);
    assert_eq!(ask().await.status, 429);
    stop.cancel();
    served.await.unwrap();
}
