//! The page without scripts: questions and what they show, which forms are taken, and what a login sees there. *Not* here:
//! forms that change something (`page_forms`).

use crate::http::{Answer, send};
use crate::stand::{ANSWER, QUESTION, Stand};
use door::{KeyFile, Options};
use serde_json::json;

pub(crate) const SHEET: &str = "datasheets/hv2n4410a.md";
pub(crate) const FORM: &str = "Content-Type: application/x-www-form-urlencoded";

pub(crate) const MULTIPART: &str = "Content-Type: multipart/form-data; boundary=edge";

/// Fields as a form sends them.
pub(crate) fn encoded(fields: &[(&str, &str)]) -> String {
    let sign = |b: u8| match b.is_ascii_alphanumeric() {
        true => char::from(b).to_string(),
        false => format!("%{b:02X}"),
    };
    let of = |(name, value): &(&str, &str)| {
        format!("{name}={}", value.bytes().map(sign).collect::<String>())
    };
    fields.iter().map(of).collect::<Vec<_>>().join("&")
}

/// Sends a form of the page itself.
pub(crate) async fn post(stand: &Stand, cookie: &str, fields: &[(&str, &str)]) -> Answer {
    let origin = format!("Origin: http://{}", stand.at);
    let cookie = format!("Cookie: {cookie}");
    send(
        stand.at,
        "POST",
        "/plain",
        &[FORM, &origin, &cookie],
        &encoded(fields),
    )
    .await
}

/// Sends the form of a document, as a browser does.
pub(crate) async fn brought(
    stand: &Stand,
    cookie: &str,
    folder: &str,
    name: &str,
    text: &str,
) -> Answer {
    let origin = format!("Origin: http://{}", stand.at);
    let headers = [MULTIPART, &origin, &format!("Cookie: {cookie}")];
    let body = parts(folder, name, text);
    send(stand.at, "POST", "/plain", &headers, &body).await
}

pub(crate) fn parts(folder: &str, name: &str, text: &str) -> String {
    let part = "--edge\r\nContent-Disposition: form-data; name=";
    format!(
        "{part}\"folder\"\r\n\r\n{folder}\r\n{part}\"file\"; filename=\"{name}\"\r\n\
         Content-Type: text/markdown\r\n\r\n{text}\r\n--edge--\r\n"
    )
}

pub(crate) async fn get(stand: &Stand, cookie: &str, at: &str) -> Answer {
    let cookie = format!("Cookie: {cookie}");
    send(stand.at, "GET", &format!("/{at}"), &[&cookie], "").await
}

/// Asks, and returns the page to which the browser is sent.
pub(crate) async fn asked(
    stand: &Stand,
    cookie: &str,
    fields: &[(&str, &str)],
) -> (String, Answer) {
    let sent = post(stand, cookie, fields).await;
    assert_eq!(sent.status, 303, "{sent:?}");
    let at = sent.location.clone();
    let page = get(stand, cookie, &at).await;
    (at, page)
}

/// The values of the fields of this name.
pub(crate) fn values(page: &str, name: &str) -> Vec<String> {
    let begin = format!("name=\"{name}\" value=\"");
    let parts = page.split(&begin).skip(1);
    parts
        .filter_map(|rest| Some(rest.split_once('"')?.0.to_owned()))
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_form_is_answered_with_its_sources() {
    let stand = Stand::usual().await;
    let first = get(&stand, "", "plain").await;
    assert!(
        first.status == 200 && first.body.contains("<textarea"),
        "{first:?}"
    );
    assert!(stand.get("/").await.body.contains("href=\"./plain\""));
    let policy = first.header("content-security-policy").unwrap();
    assert!(
        policy.starts_with("default-src 'none'; style-src 'self'; img-src 'self';"),
        "{policy}"
    );
    assert!(
        policy.contains("form-action 'self'") && !policy.contains("script"),
        "{policy}"
    );
    assert_eq!(first.header("cache-control"), Some("no-store"));
    // With `no-referrer`, a browser says `Origin: null` of our own forms.
    assert_eq!(first.header("referrer-policy"), Some("same-origin"));

    let (at, page) = asked(&stand, "", &[("question", QUESTION)]).await;
    assert!(
        page.body.contains(ANSWER) && page.body.contains("sentences supported"),
        "{page:?}"
    );
    let passage = get(&stand, "", &format!("{at}&citation=1")).await;
    let marked = passage
        .body
        .split("<mark>")
        .nth(1)
        .and_then(|rest| rest.split("</mark>").next());
    let turn = at.rsplit('=').next().unwrap();
    let cited = stand
        .get(&format!("/api/turns/{turn}/citations/1"))
        .await
        .json();
    let quote = cited["citation"]["quote"]
        .as_str()
        .unwrap()
        .replace('"', "&quot;");
    assert_eq!(marked, Some(quote.as_str()), "{passage:?}");

    // A question back has its options as buttons, and one of them is the reply.
    let (_, back) = asked(&stand, "", &[("question", "List contracts by date")]).await;
    let options = values(&back.body, "question");
    assert_eq!(options, ["end date", "start date"], "{back:?}");
    let reply_to = values(&back.body, "reply_to");
    let conversation = values(&back.body, "conversation")
        .first()
        .cloned()
        .unwrap_or_default();
    let fields = [
        ("question", "start date"),
        ("reply_to", &reply_to[0]),
        ("conversation", &conversation),
    ];
    let (_, table) = asked(&stand, "", &fields).await;
    assert!(
        table.body.contains("<th scope=\"col\">start date</th>"),
        "{table:?}"
    );

    let found = get(&stand, "", "plain?query=collector-emitter%20voltage").await;
    assert!(found.body.contains("<div class=\"passage\">"), "{found:?}");
    assert_eq!(get(&stand, "", "plain?query=").await.status, 200);
    for (at, status) in [
        ("turn=none", 404),
        ("turn=none&citation=1", 404),
        ("turn=%00", 404),
        ("conversation=none", 404),
        ("citation=x", 400),
    ] {
        let none = get(&stand, "", &format!("plain?{at}")).await;
        assert_eq!(
            (none.status, none.header("content-type")),
            (status, Some("text/html; charset=utf-8")),
            "{at}"
        );
    }
    let empty = post(&stand, "", &[("question", "")]).await;
    assert!(
        empty.status == 400 && empty.body.contains("box bad"),
        "{empty:?}"
    );
    stand.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_form_of_another_page_neither_asks_nor_logs_in() {
    // Not even one whose scripts may use the door.
    let options = Options {
        origins: vec!["http://chat.example".into(), "*".into()],
        ..Options::default()
    };
    let stand = Stand::start(options).await;
    let port = format!(
        "Origin: http://127.0.0.1:{}",
        stand.at.port().wrapping_add(1)
    );
    for origin in [
        "X: y",
        "Origin: null",
        "Origin: http://chat.example",
        "Origin: http://evil.example",
        "Origin:",
        &port,
    ] {
        for fields in [
            [("question", QUESTION)],
            [("key", "argosy-1")],
            [("stop", "t")],
            [("erase", "c")],
            [("delete", SHEET)],
        ] {
            let refused = send(
                stand.at,
                "POST",
                "/plain",
                &[FORM, origin],
                &encoded(&fields),
            )
            .await;
            assert_eq!(refused.status, 403, "{origin}");
            assert!(
                refused.body.contains("foreign_origin") && refused.header("set-cookie").is_none(),
                "{refused:?}"
            );
        }
        let body = parts("", "theirs.md", "# Theirs\n\nBrought by another page.\n");
        let refused = send(stand.at, "POST", "/plain", &[MULTIPART, origin], &body).await;
        assert_eq!(refused.status, 403, "{origin}: {refused:?}");
    }
    let brought = stand.get("/api/documents/theirs.md").await;
    assert_eq!(brought.status, 404, "{brought:?}");
    // An address never asks, and never deletes.
    let sure = get(
        &stand,
        "",
        &format!("plain?{}", encoded(&[("delete", SHEET)])),
    )
    .await;
    assert!(
        sure.status == 200 && sure.body.contains("id=\"sure\""),
        "{sure:?}"
    );
    let kept = stand.get(&format!("/api/documents/{SHEET}")).await;
    assert_eq!(kept.status, 200, "{kept:?}");
    let asked = get(
        &stand,
        "",
        &format!("plain?{}", encoded(&[("question", QUESTION)])),
    )
    .await;
    assert!(
        asked.status == 200 && !asked.body.contains(ANSWER),
        "{asked:?}"
    );
    let metrics = stand
        .bus
        .last(bus::Stream::Inbox, envelope::subject::QUERY)
        .await
        .unwrap();
    assert!(metrics.is_none(), "something was asked");
    stand.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_that_is_said_becomes_markup() {
    let stand = Stand::usual().await;
    let hostile = "</textarea></title>\"'><script>alert(1)</script><img src=x onerror=alert(1)>";
    let text = format!(
        "---\ntitle: {}\n---\n# Crane {hostile}\n\nThe notice period of the crane hire is 17 days {hostile}.\n",
        json!(hostile)
    );
    let stored = send(
        stand.at,
        "PUT",
        "/api/documents/contracts/%3Cb%3Ecrane%22%3E.md",
        &[],
        &text,
    )
    .await;
    assert_eq!(stored.status, 200, "{stored:?}");
    let question = format!("How long is the notice period of the crane hire? {hostile}");
    let mut pages = Vec::new();
    for _ in 0..100 {
        let (at, page) = asked(&stand, "", &[("question", &question)]).await;
        if page.body.contains("17 days") {
            pages.push(get(&stand, "", &format!("{at}&citation=1")).await);
            pages.push(page);
            break;
        }
    }
    assert_eq!(pages.len(), 2, "the document was not found");
    let words = encoded(&[("query", &format!("crane {hostile}"))]);
    pages.push(get(&stand, "", &format!("plain?{words}")).await);
    for at in [
        encoded(&[("turn", hostile)]),
        encoded(&[("conversation", hostile)]),
    ] {
        pages.push(get(&stand, "", &format!("plain?{at}")).await);
    }
    for page in &pages {
        let body = &page.body;
        assert!(
            !body.contains("<script") && !body.contains("<img src=x") && !body.contains("<b>"),
            "{body}"
        );
    }
    let escaped = pages
        .iter()
        .filter(|page| page.body.contains("&lt;script&gt;alert(1)"))
        .count();
    assert!(escaped >= 4, "{escaped} of {}", pages.len());
    stand.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cookie_is_a_login_of_this_page_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("keys.json");
    let key = |name: &str, tenant: &str, scopes: &[&str]| json!({"name": name, "sha256": KeyFile::hash(name), "tenant": tenant, "scopes": scopes});
    let keys = json!({"keys": [
        key("ours", "default", &["ask", "read"]), key("theirs", "other", &["ask", "read", "write"]),
        key("asks", "default", &["ask"]), key("reads", "default", &["read"]),
    ]});
    std::fs::write(&path, keys.to_string()).unwrap();
    let options = Options {
        keys: Some(path),
        prefix: "/argosy".into(),
        ..Options::default()
    };
    let stand = Stand::start(options).await;
    for cookie in ["", "argosy-key=nobody", "argosy-key=", "other=ours"] {
        for at in ["plain", "plain?query=x", "plain?turn=t"] {
            let refused = get(&stand, cookie, at).await;
            assert!(
                refused.status == 401 && refused.body.contains("name=\"key\""),
                "{cookie}: {refused:?}"
            );
        }
        assert_eq!(
            post(&stand, cookie, &[("question", QUESTION)]).await.status,
            401,
            "{cookie}"
        );
    }
    // Without a login, a header is none either: only one way in.
    let header = send(
        stand.at,
        "GET",
        "/plain",
        &["Authorization: Bearer ours"],
        "",
    )
    .await;
    assert_eq!(header.status, 401);

    let wrong = post(&stand, "", &[("key", "nobody")]).await;
    assert!(
        wrong.status == 401 && wrong.header("set-cookie").is_none(),
        "{wrong:?}"
    );
    let right = post(&stand, "", &[("key", " ours ")]).await;
    assert_eq!(
        (right.status, right.header("set-cookie")),
        (
            303,
            Some("argosy-key=ours; path=/argosy/plain; httponly; samesite=strict")
        )
    );
    let secure = format!("Origin: https://{}", stand.at);
    let right = send(stand.at, "POST", "/plain", &[FORM, &secure], "key=ours").await;
    assert!(
        right.header("set-cookie").unwrap().ends_with("; secure"),
        "{right:?}"
    );
    let left = post(&stand, "argosy-key=ours", &[("key", "")]).await;
    assert!(
        left.header("set-cookie").unwrap().contains("argosy-key=; ")
            && left.head.contains("max-age=0"),
        "{left:?}"
    );
    let broken = post(&stand, "", &[("key", "a\r\nSet-Cookie: b=c")]).await;
    assert!(
        broken.status == 401 && broken.header("set-cookie").is_none(),
        "{broken:?}"
    );

    let ours = "x=y; argosy-key=ours";
    let (at, page) = asked(&stand, ours, &[("question", QUESTION)]).await;
    assert!(page.body.contains(ANSWER), "{page:?}");
    for (at, as_asks, as_reads) in [
        (at.clone(), 200, 403),
        (format!("{at}&citation=1"), 403, 200),
    ] {
        assert_eq!(get(&stand, ours, &at).await.status, 200, "{at}");
        assert_eq!(
            get(&stand, "argosy-key=asks", &at).await.status,
            as_asks,
            "{at}"
        );
        assert_eq!(
            get(&stand, "argosy-key=reads", &at).await.status,
            as_reads,
            "{at}"
        );
        let foreign = get(&stand, "argosy-key=theirs", &at).await;
        assert!(
            foreign.status == 404 && !foreign.body.contains(ANSWER),
            "{foreign:?}"
        );
    }
    let (_, nothing) = asked(&stand, "argosy-key=theirs", &[("question", QUESTION)]).await;
    assert!(!nothing.body.contains(ANSWER), "{nothing:?}");
    assert_eq!(
        post(&stand, "argosy-key=reads", &[("question", QUESTION)])
            .await
            .status,
        403
    );

    // Elsewhere it is nothing.
    let cookie = "Cookie: argosy-key=ours";
    for (method, at) in [
        ("GET", "/api/catalog"),
        ("GET", "/api/conversations"),
        ("POST", "/api/turns"),
        ("GET", "/v1/models"),
        ("POST", "/mcp"),
    ] {
        let refused = send(stand.at, method, at, &[cookie], "").await;
        assert_eq!(refused.status, 401, "{at}");
    }
    stand.end().await;
}
