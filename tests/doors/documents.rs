//! Documents over HTTP: stored, found, replaced, listed, deleted, and refused.

use crate::http::{Answer, send};
use crate::stand::{Stand, open};
use bus::memory::MemoryBus;
use bus::topology::Topology;
use door::Options;
use serde_json::json;
use std::time::Duration;

const AT: &str = "/api/documents/contracts/crane%20hire.md";

async fn put(stand: &Stand, path: &str, text: &str) -> Answer {
    send(stand.at, "PUT", path, &[], text).await
}

/// Asks until the answer says it. An index in this process takes in the corpus a moment later, and no question waits for
/// it here.
async fn says(stand: &Stand, wanted: &str) -> String {
    let asked = json!({"question": "How long is the notice period of the crane hire?"});
    for _ in 0..100 {
        let told = stand.post("/api/turns", &[], &asked).await.body;
        if told.contains(wanted) {
            return told;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("no answer says {wanted}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_document_is_stored_replaced_and_deleted() {
    let stand = Stand::usual().await;
    let stored = put(
        &stand,
        AT,
        "# Crane hire\n\nThe notice period of the crane hire is 17 days.\n",
    )
    .await;
    assert_eq!(stored.status, 200, "{stored:?}");
    let state = stored.json();
    assert_eq!(
        (&state["waits"], &state["source"]),
        (&json!(false), &json!("contracts/crane hire.md"))
    );
    says(&stand, "17 days").await;
    assert_eq!(stand.get(AT).await.json(), state);
    // The same again changes nothing; another text takes its place.
    let again = put(
        &stand,
        AT,
        "# Crane hire\n\nThe notice period of the crane hire is 17 days.\n",
    )
    .await;
    assert_eq!(again.json(), state);
    let other = put(
        &stand,
        AT,
        "# Crane hire\n\nThe notice period of the crane hire is 23 days.\n",
    )
    .await;
    assert_eq!(other.status, 200);
    let told = says(&stand, "23 days").await;
    assert!(!told.contains("17 days"), "{told}");

    let mut after = 0;
    let mut listed = Vec::new();
    loop {
        let page = stand
            .get(&format!("/api/documents?limit=7&after={after}"))
            .await
            .json();
        let documents = page["documents"].as_array().unwrap();
        listed.extend(
            documents
                .iter()
                .map(|one| one["source"].as_str().unwrap().to_owned()),
        );
        match page["next"].as_u64() {
            Some(next) => after = next,
            None => break,
        }
    }
    let sample = argosy::sample::documents().count();
    assert_eq!(
        listed.last().map(String::as_str),
        Some("contracts/crane hire.md")
    );
    let of_a_name: std::collections::BTreeSet<_> = listed.iter().collect();
    assert_eq!((listed.len(), of_a_name.len()), (sample + 1, sample + 1));

    assert_eq!(send(stand.at, "DELETE", AT, &[], "").await.status, 204);
    assert_eq!(stand.get(AT).await.status, 404);
    assert_eq!(send(stand.at, "DELETE", AT, &[], "").await.status, 404);
    stand.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_document_is_refused() {
    let stand = Stand::usual().await;
    let cases = [
        ("a.exe", "x", 415, "not_readable"),
        ("a.jsonl", "{}", 415, "not_readable"),
        ("a.md", "", 400, "bad_request"),
        ("..%2Fa.md", "x", 400, "bad_request"),
        ("a/..%2F/b.md", "x", 400, "bad_request"),
        ("a%0Ab.md", "x", 400, "bad_request"),
        ("a.pdf", "%PDF-1.4 no pages", 422, "broken"),
    ];
    for (path, text, status, code) in cases {
        let refused = put(&stand, &format!("/api/documents/{path}"), text).await;
        let told = (
            refused.status,
            refused.json()["code"].as_str().unwrap().to_owned(),
        );
        assert_eq!(told, (status, code.to_owned()), "{path}: {refused:?}");
    }
    let whole = "/api/documents/whole.md";
    for (header, status) in [
        ("If-None-Match: *", 400),
        ("If-Match: \"x\"", 400),
        ("Content-Range: bytes 0-0/9", 400),
        ("Content-Encoding: gzip", 415),
    ] {
        let refused = send(stand.at, "PUT", whole, &[header], "x").await;
        assert_eq!(refused.status, status, "{header}: {refused:?}");
    }
    assert_eq!(stand.get(whole).await.status, 404, "nothing was stored");
    for query in ["limit=0", "limit=1001", "limit=x", "after=-1"] {
        let refused = stand.get(&format!("/api/documents?{query}")).await;
        assert_eq!(refused.status, 400, "{query}");
    }
    stand.end().await;
}

/// Nobody indexes here: what is stored waits.
#[tokio::test]
async fn what_waits_to_be_indexed_takes_no_place_and_can_be_deleted() {
    let bus = MemoryBus::new(&Topology::default());
    let (at, stop, served) = open(bus, Options::default()).await;
    let now = ["Prefer: respond-async"];
    // More than may be on their way in at a time.
    for n in 0..6 {
        let path = format!("/api/documents/a{n}.md");
        assert_eq!(
            send(at, "PUT", &path, &now, "text").await.status,
            202,
            "{n}"
        );
    }
    let deleted = send(at, "DELETE", "/api/documents/a0.md", &now, "").await;
    assert_eq!(
        (deleted.status, deleted.json()["waits"].as_bool()),
        (202, Some(true))
    );
    assert_eq!(
        send(at, "DELETE", "/api/documents/b.md", &now, "")
            .await
            .status,
        404
    );
    stop.cancel();
    served.await.unwrap();
}
