//! Original files over HTTP: whole and in ranges, only those of documents that may be read, and nothing from elsewhere.

use crate::http::{Answer, send};
use crate::keys::Keys;
use crate::stand::{QUESTION, Stand, open};
use door::Options;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use tempfile::TempDir;

const SHEET: &str = "datasheets/hv2n4410a.md";

/// A folder with the sample corpus as the files of the tenant `default`, and one file beside it.
fn files() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    argosy::sample::unpack(&dir.path().join("default")).unwrap();
    fs::write(
        dir.path().join("beside.md"),
        "# Beside\n\nNobody reads this.\n",
    )
    .unwrap();
    dir
}

fn with(files: &Path, options: Options) -> Options {
    Options {
        files: Some(files.to_owned()),
        ..options
    }
}

async fn get(stand: &Stand, source: &str, headers: &[&str]) -> Answer {
    let path = format!("/api/file?source={source}");
    send(stand.at, "GET", &path, headers, "").await
}

/// Stores a document and waits until it can be looked up.
async fn put(stand: &Stand, source: &str, text: &str) {
    let path = format!("/api/documents/{source}");
    let stored = send(stand.at, "PUT", &path, &[], text).await;
    assert_eq!(stored.status, 200, "{stored:?}");
    for _ in 0..100 {
        let known = stand.get(&format!("/api/document?source={source}")).await;
        if known.status == 200 {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("{source} cannot be looked up");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_file_behind_a_citation_is_served_whole_and_in_ranges() {
    let files = files();
    let stand = Stand::start(with(files.path(), Options::default())).await;
    let text = fs::read_to_string(files.path().join("default").join(SHEET)).unwrap();
    let asked = json!({"question": QUESTION});
    let turn = stand.post("/api/turns", &[], &asked).await.json();
    let cited = format!("/api/turns/{}/citations/1", turn["turn"].as_str().unwrap());
    let at = stand.get(&cited).await.json()["file"]
        .as_str()
        .unwrap()
        .to_owned();
    let whole = stand.get(&at).await;
    assert_eq!((whole.status, &whole.body), (200, &text));
    for (name, value) in [
        ("content-type", "text/markdown; charset=utf-8"),
        (
            "content-disposition",
            "inline; filename*=utf-8''hv2n4410a.md",
        ),
        ("x-content-type-options", "nosniff"),
        ("content-security-policy", "default-src 'none'; sandbox"),
        ("cache-control", "private, no-store"),
        ("accept-ranges", "bytes"),
        ("content-length", &text.len().to_string()),
    ] {
        assert_eq!(whole.header(name), Some(value), "{name}");
    }
    let part = get(&stand, SHEET, &["Range: bytes=2-9"]).await;
    let range = format!("bytes 2-9/{}", text.len());
    assert_eq!((part.status, part.body.as_str()), (206, &text[2..10]));
    assert_eq!(part.header("content-range"), Some(range.as_str()));
    let beyond = get(&stand, SHEET, &["Range: bytes=999999-"]).await;
    let all = format!("bytes */{}", text.len());
    assert_eq!(beyond.json()["code"], "bad_range");
    assert_eq!(
        (beyond.status, beyond.header("content-range")),
        (416, Some(all.as_str()))
    );
    let marked = get(&stand, SHEET, &["Range: bytes=2-9", "If-Range: \"a\""]).await;
    assert_eq!((marked.status, &marked.body), (200, &text));

    let known = stand
        .get(&format!("/api/document?source={SHEET}"))
        .await
        .json();
    let by_id = format!("/api/file?doc_id={}", known["doc_id"].as_str().unwrap());
    assert_eq!(stand.get(&by_id).await.body, text);
    stand.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_but_the_file_of_a_document_is_served() {
    let files = files();
    let root = files.path().join("default");
    let stand = Stand::start(with(files.path(), Options::default())).await;
    fs::write(
        root.join("unindexed.md"),
        "# Not indexed\n\nOf no document.\n",
    )
    .unwrap();
    put(
        &stand,
        "page.html",
        "<p>What a page says, with a script.</p>",
    )
    .await;
    fs::write(
        root.join("page.html"),
        "<p>What a page says, with a script.</p>",
    )
    .unwrap();
    // Documents that were stored, and files under their names that are not what was stored.
    let text = "# Shadow\n\nA document without a file of its own.\n";
    for source in [
        "shadow.md",
        "linked.md",
        "out/beside.md",
        "folder.md",
        "gone.md",
        ".hidden.csv",
    ] {
        put(&stand, source, text).await;
    }
    fs::write(
        root.join("shadow.md"),
        "# Another\n\nNot what was indexed.\n",
    )
    .unwrap();
    fs::write(root.join(".hidden.csv"), "a,b\n1,2\n").unwrap();
    fs::write(files.path().join("same.md"), text).unwrap();
    symlink("../same.md", root.join("linked.md")).unwrap();
    fs::create_dir(root.join("folder.md")).unwrap();
    fs::write(files.path().join("out-beside.md"), text).unwrap();
    symlink("..", root.join("out")).unwrap();

    let page = get(&stand, "page.html", &[]).await;
    assert_eq!(page.status, 200, "{page:?}");
    let how = "attachment; filename*=utf-8''page.html";
    assert_eq!(page.header("content-disposition"), Some(how));
    for (source, status, code) in [
        ("unindexed.md", 404, "not_found"),
        ("../beside.md", 404, "not_found"),
        ("datasheets/../../beside.md", 404, "not_found"),
        ("/etc/passwd", 404, "not_found"),
        ("datasheets", 404, "not_found"),
        ("", 400, "bad_field"),
        ("shadow.md", 404, "no_such_file"),
        (".hidden.csv", 404, "no_such_file"),
        ("linked.md", 404, "no_such_file"),
        ("out/beside.md", 404, "no_such_file"),
        ("folder.md", 404, "no_such_file"),
        ("gone.md", 404, "no_such_file"),
    ] {
        let refused = get(&stand, source, &[]).await;
        let told = (refused.status, refused.json()["code"].clone());
        assert_eq!(told, (status, json!(code)), "{source}: {refused:?}");
    }
    // A file that has changed since is another one.
    fs::write(root.join(SHEET), "# Changed\n").unwrap();
    assert_eq!(get(&stand, SHEET, &[]).await.json()["code"], "no_such_file");
    stand.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_part_of_a_file_gives_the_whole_to_who_may_read_everything() {
    let files = files();
    let mut stand = Stand::usual().await;
    let lines = "{\"id\": \"one\", \"text\": \"The first of two.\"}\n{\"id\": \"two\", \"text\": \"The second.\"}\n";
    let root = files.path().join("default");
    fs::write(root.join("generic/two.jsonl"), lines).unwrap();
    stand.index(root).await;
    let listed = stand.get("/api/documents?limit=1000").await.json();
    let sources = listed["documents"].as_array().unwrap().iter();
    let mut sources = sources.map(|one| one["source"].as_str().unwrap());
    let part = sources.find(|source| source.contains(".jsonl#")).unwrap();
    let keys = json!([["all", ["*"]], ["some", ["hr"]]]);
    let keys = keys.as_array().unwrap().iter().map(|key| {
        let sha256 = door::KeyFile::hash(key[0].as_str().unwrap());
        json!({"name": key[0], "sha256": sha256, "tenant": "default", "scopes": ["read"], "groups": key[1]})
    });
    let keys = Keys::of(keys.collect());
    let (at, stop, served) = open(stand.bus.clone(), with(files.path(), keys.options())).await;
    let get = async |key: &str, source: &str| {
        let path = format!("/api/file?source={}", source.replace('#', "%23"));
        send(at, "GET", &path, &[&Keys::header(key)], "").await
    };
    let told = get("all", part).await;
    assert_eq!((told.status, told.body.as_str()), (200, lines), "{part}");
    assert_eq!(get("some", part).await.status, 404, "{part}");
    for key in ["all", "some"] {
        assert_eq!(get(key, SHEET).await.status, 200, "{key}");
    }
    stop.cancel();
    served.await.unwrap();
    stand.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tenant_has_its_own_files_and_a_door_may_have_none() {
    let files = files();
    fs::create_dir_all(files.path().join("acme/datasheets")).unwrap();
    fs::write(files.path().join("acme").join(SHEET), "# Of acme\n").unwrap();
    let stand = Stand::usual().await;
    let keys = Keys::new(&[
        ("ours", "default", "read"),
        ("acme", "acme", "read"),
        ("asker", "default", "ask"),
    ]);
    for (has_files, key, status, code) in [
        (true, "ours", 200, Value::Null),
        (true, "acme", 404, json!("not_found")),
        (true, "asker", 403, json!("no_scope")),
        (false, "ours", 501, json!("no_files")),
        (false, "acme", 404, json!("not_found")),
    ] {
        let options = match has_files {
            true => with(files.path(), keys.options()),
            false => keys.options(),
        };
        let (at, stop, served) = open(stand.bus.clone(), options).await;
        let path = format!("/api/file?source={SHEET}");
        let told = send(at, "GET", &path, &[&Keys::header(key)], "").await;
        let said = match told.status {
            200 => Value::Null,
            _ => told.json()["code"].clone(),
        };
        assert_eq!((told.status, said), (status, code), "{has_files} {key}");
        stop.cancel();
        served.await.unwrap();
    }
    stand.end().await;
}
