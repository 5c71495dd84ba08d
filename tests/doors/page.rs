//! The page: its files as they are served, and what must not be in them. What it does in a browser is in
//! `workers/door/tests/clients/page.py`.

use crate::http::{Answer, send};
use crate::stand::{Stand, open};
use door::Options;
use std::collections::BTreeSet;

/// Most bytes of a first view, without what it asks the door for.
const FIRST_VIEW_MAX: usize = 45_000;
/// Most bytes of all files, with those of views that few open: uploads and the fleet.
const ALL_MAX: usize = 78_000;
const POLICY: [&str; 8] = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
];

/// What stands between quotes behind each of these words.
fn named(text: &str, words: &[&str]) -> BTreeSet<String> {
    let of = |word: &&str| {
        let behind = text.split(*word).skip(1);
        let all = behind.filter_map(|rest| rest.split(['"', '\'']).next());
        all.map(|file| file.trim_start_matches("./").to_owned())
            .collect::<Vec<_>>()
    };
    let all = words.iter().flat_map(of);
    all.filter(|file| file.contains('.')).collect()
}

/// The page and every file that it leads to; with whether it is needed for the first view.
async fn files(stand: &Stand) -> Vec<(String, bool, Answer)> {
    let page = stand.get("/").await;
    let mut waiting: Vec<(String, bool)> = named(&page.body, &["href=\"", "src=\""])
        .into_iter()
        .map(|file| (file, true))
        .collect();
    let mut found = vec![(String::new(), true, page)];
    while let Some((file, is_first)) = waiting.pop() {
        if found
            .iter()
            .any(|(known, was_first, _)| *known == file && *was_first >= is_first)
        {
            continue;
        }
        let answer = stand.get(&format!("/{file}")).await;
        let now = named(&answer.body, &["from '"]);
        let later = named(&answer.body, &["import('"]);
        waiting.extend(now.into_iter().map(|file| (file, is_first)));
        waiting.extend(later.into_iter().map(|file| (file, false)));
        found.retain(|(known, ..)| *known != file);
        found.push((file, is_first, answer));
    }
    found
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_file_is_served_as_what_it_is_and_under_a_strict_policy() {
    let stand = Stand::usual().await;
    let files = files(&stand).await;
    let names: Vec<&str> = files.iter().map(|(file, ..)| file.as_str()).collect();
    for wanted in [
        "",
        "app.js",
        "style.css",
        "icon.svg",
        "turn.js",
        "answer.js",
        "trail.js",
    ] {
        assert!(names.contains(&wanted), "{wanted} of {names:?}");
    }
    for (file, _, answer) in &files {
        assert_eq!(answer.status, 200, "{file}");
        let kind = match file.rsplit_once('.').map(|(_, end)| end) {
            Some("js") => "text/javascript; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            Some("svg") => "image/svg+xml",
            _ => "text/html; charset=utf-8",
        };
        assert_eq!(answer.header("content-type"), Some(kind), "{file}");
        let policy = answer.header("content-security-policy").unwrap();
        let mut rules: Vec<&str> = policy.split(';').map(str::trim).collect();
        rules.sort_unstable();
        let mut wanted = POLICY;
        wanted.sort_unstable();
        assert_eq!(rules, wanted, "{file}");
        assert_eq!(
            answer.header("x-content-type-options"),
            Some("nosniff"),
            "{file}"
        );
        assert_eq!(
            answer.header("referrer-policy"),
            Some("no-referrer"),
            "{file}"
        );
        assert_eq!(answer.header("cache-control"), Some("no-cache"), "{file}");
        // Who has it already is told so, and only then.
        let tag = answer.header("etag").unwrap();
        let known = format!("If-None-Match: {tag}");
        let again = send(stand.at, "GET", &format!("/{file}"), &[&known], "").await;
        assert_eq!((again.status, again.body.as_str()), (304, ""), "{file}");
        assert!(again.header("content-security-policy").is_some(), "{file}");
        let other = send(
            stand.at,
            "GET",
            &format!("/{file}"),
            &["If-None-Match: \"x\""],
            "",
        )
        .await;
        assert_eq!(other.body, answer.body, "{file}");
    }
    stand.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_is_small_and_neither_reads_markup_nor_asks_elsewhere() {
    let stand = Stand::usual().await;
    let files = files(&stand).await;
    let size = |first: bool| -> usize {
        let counted = files.iter().filter(|(_, is_first, _)| *is_first || !first);
        counted.map(|(.., answer)| answer.body.len()).sum()
    };
    assert!(size(true) < FIRST_VIEW_MAX, "{} bytes at first", size(true));
    assert!(size(false) < ALL_MAX, "{} bytes in all", size(false));
    let forbidden = [
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "DOMParser",
        "createContextualFragment",
        "srcdoc",
        "eval(",
        "new Function",
        "javascript:",
        "http:",
        "https:",
        "//cdn",
        "@import",
        "url(",
    ];
    for (file, _, answer) in &files {
        // The name of a namespace is no address.
        let text = answer.body.replace("http://www.w3.org/2000/svg", "");
        for word in forbidden {
            assert!(!text.contains(word), "{file} has {word}");
        }
        // The policy forbids both, so they would do nothing.
        let is_page = file.is_empty();
        assert!(
            !is_page || !text.contains("style=") && !text.contains("<style"),
            "{file}"
        );
    }
    stand.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn behind_a_prefix_the_page_links_below_it() {
    let stand = Stand::usual().await;
    let options = Options {
        prefix: "/argosy".into(),
        ..Options::default()
    };
    let (at, stop, served) = open(stand.bus.clone(), options).await;
    let page = send(at, "GET", "/", &[], "").await.body;
    assert!(page.contains("src=\"/argosy/app.js\"") && page.contains("href=\"/argosy/style.css\""));
    assert!(!page.contains("\"./"));
    // Without one, its links are relative, so that it works below any.
    let usual = stand.get("/").await.body;
    assert!(usual.contains("src=\"./app.js\"") && usual.contains("href=\"./style.css\""));
    // Scripts name each other relative to themselves, and the door relative to the scripts.
    let script = send(at, "GET", "/api.js", &[], "").await.body;
    assert!(script.contains("new URL('.', import.meta.url)") && script.contains("from './dom.js'"));
    stop.cancel();
    served.await.unwrap();
    stand.end().await;
}
