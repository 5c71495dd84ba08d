//! Forms of the page without scripts that change something: documents, conversations and questions that run.

use crate::http::send;
use crate::keys::Keys;
use crate::page_plain::{MULTIPART, SHEET, asked, brought, encoded, get, parts, post, values};
use crate::stand::{QUESTION, Stand};
use door::Options;
use futures_util::future::BoxFuture;
use llm::{ChatModel, ChatReply, ChatRequest, Error};
use settings::TimeSpan;
use std::sync::Arc;

/// A model that is never done.
struct Never;

impl ChatModel for Never {
    fn name(&self) -> &str {
        "never"
    }

    fn chat<'a>(&'a self, _: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, Error>> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_document_is_brought_shown_listed_and_deleted() {
    let stand = Stand::usual().await;
    let text = "# Crane <b>hire</b>\n\nThe notice period of the crane hire is 17 days.\n";
    let name = "crane <i> & hire.md";
    let stored = brought(&stand, "", " contracts/ ", name, text).await;
    let at = "plain?document=contracts/crane%20%3Ci%3E%20%26%20hire.md";
    assert_eq!(
        (stored.status, stored.location.as_str()),
        (303, at),
        "{stored:?}"
    );
    let shown = get(&stand, "", at).await;
    assert!(
        shown.body.contains("It is indexed. Passages: 1"),
        "{shown:?}"
    );
    let known = stand
        .get("/api/documents/contracts/crane%20%3Ci%3E%20%26%20hire.md")
        .await;
    assert_eq!(known.status, 200, "{known:?}");
    let mut list = get(&stand, "", "plain?documents=0").await;
    let escaped = "contracts/crane &lt;i&gt; &amp; hire.md";
    assert!(
        list.body.contains(escaped) && list.body.contains("id=\"upload\""),
        "{list:?}"
    );
    assert!(list.body.contains(SHEET) && !list.body.contains("<i>") && !list.body.contains("<b>"));

    let sure = get(
        &stand,
        "",
        "plain?delete=contracts/crane%20%3Ci%3E%20%26%20hire.md",
    )
    .await;
    assert!(sure.body.contains(escaped), "{sure:?}");
    let source = "contracts/crane <i> & hire.md";
    let deleted = post(&stand, "", &[("delete", source)]).await;
    assert_eq!(
        (deleted.status, deleted.location.as_str()),
        (303, "plain?documents=0")
    );
    list = get(&stand, "", "plain?documents=0").await;
    assert!(
        list.status == 200 && !list.body.contains(escaped),
        "{list:?}"
    );
    assert_eq!(get(&stand, "", at).await.status, 404);
    assert_eq!(post(&stand, "", &[("delete", source)]).await.status, 404);
    // What bounds the form in front of a document does not bound the document.
    let long = "Cranes are hired by the day.\n".repeat(7 * 1024);
    let stored = brought(&stand, "", "", "long.md", &long).await;
    assert_eq!(stored.status, 303, "{stored:?}");

    for (folder, name, text, status, code) in [
        ("", "a.exe", "x", 415, "not_readable"),
        ("", "a.md", "", 400, "bad_request"),
        ("", "", "x", 400, "bad_request"),
        ("..", "a.md", "x", 400, "bad_request"),
        ("", "a.pdf", "%PDF-1.4 no pages", 422, "broken"),
        (&"x".repeat(2_000), "a.md", "x", 413, "too_large"),
        (
            "",
            "large.md",
            &"x ".repeat(9 * 1024 * 1024),
            413,
            "too_large",
        ),
    ] {
        let refused = brought(&stand, "", folder, name, text).await;
        assert_eq!(refused.status, status, "{name}: {}", refused.head);
        assert!(refused.body.contains(code), "{name}: {refused:?}");
    }
    let origin = format!("Origin: http://{}", stand.at);
    for (kind, body) in [
        ("Content-Type: multipart/form-data", "x".to_owned()),
        (MULTIPART, "--edge--\r\n".into()),
        (
            MULTIPART,
            "--edge\r\nContent-Disposition: form-data; name=\"folder\"\r\n\r\nx".into(),
        ),
        (
            MULTIPART,
            parts("", "a.md", "x").replace("\"file\"", "\"other\""),
        ),
    ] {
        let refused = send(stand.at, "POST", "/plain", &[kind, &origin], &body).await;
        assert_eq!(refused.status, 400, "{body}: {refused:?}");
    }
    // A head without end is not searched again and again.
    let long = format!("\r\nX: {}\r\n\r\n", "x".repeat(80 * 1024));
    let body = parts("", "a.md", "x").replacen("\r\n\r\n", &long, 1);
    let refused = send(stand.at, "POST", "/plain", &[MULTIPART, &origin], &body).await;
    assert_eq!(refused.status, 413, "{}", refused.head);
    assert!(refused.body.contains("65536 bytes"), "{refused:?}");
    stand.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_conversation_is_erased_once_that_is_meant() {
    let stand = Stand::usual().await;
    let (_, page) = asked(&stand, "", &[("question", QUESTION)]).await;
    let id = values(&page.body, "conversation").remove(0);
    let talk = get(&stand, "", &format!("plain?conversation={id}")).await;
    assert!(
        talk.body.contains(&format!("./plain?erase={id}")),
        "{talk:?}"
    );
    let sure = get(&stand, "", &format!("plain?erase={id}")).await;
    assert!(sure.body.contains(QUESTION), "{sure:?}");
    assert_eq!(values(&sure.body, "erase"), std::slice::from_ref(&id));
    // It only asked.
    assert_eq!(
        get(&stand, "", &format!("plain?conversation={id}"))
            .await
            .status,
        200
    );
    let erased = post(&stand, "", &[("erase", &id)]).await;
    assert_eq!(
        (erased.status, erased.location.as_str()),
        (303, "plain"),
        "{erased:?}"
    );
    assert_eq!(
        get(&stand, "", &format!("plain?conversation={id}"))
            .await
            .status,
        404
    );
    assert_eq!(
        get(&stand, "", &format!("plain?erase={id}")).await.status,
        404
    );
    assert_eq!(post(&stand, "", &[("erase", "none")]).await.status, 404);
    stand.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_that_runs_can_be_stopped() {
    let options = Options {
        wait: TimeSpan::from_millis(300),
        ..Options::default()
    };
    let stand = Stand::with_model(options, Arc::new(Never)).await;
    let (at, page) = asked(&stand, "", &[("question", QUESTION)]).await;
    assert!(
        page.status == 200 && page.body.contains("still being worked on"),
        "{page:?}"
    );
    let turn = values(&page.body, "stop").remove(0);
    assert!(at.ends_with(&turn), "{at}");
    let stopped = post(&stand, "", &[("stop", &turn)]).await;
    assert_eq!(
        (stopped.status, &stopped.location),
        (303, &at),
        "{stopped:?}"
    );
    let mut page = get(&stand, "", &at).await;
    for _ in 0..20 {
        if page.body.contains("Stopped. ") {
            break;
        }
        page = get(&stand, "", &at).await;
    }
    assert!(page.body.contains("Stopped. "), "{page:?}");
    assert_eq!(post(&stand, "", &[("stop", "none")]).await.status, 404);
    stand.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn forms_are_for_logins_that_may_do_it() {
    let keys = Keys::new(&[
        ("asks", "default", "ask"),
        ("reads", "default", "ask,read"),
        ("writes", "default", "ask,read,write"),
        ("theirs", "other", "ask,read,write"),
    ]);
    let stand = Stand::start(keys.options()).await;
    let cookie = |name: &str| format!("argosy-key={name}");
    let (at, page) = asked(&stand, &cookie("writes"), &[("question", QUESTION)]).await;
    let turn = at.rsplit('=').next().unwrap().to_owned();
    let id = values(&page.body, "conversation").remove(0);
    let list = get(&stand, &cookie("reads"), "plain?documents=0").await;
    assert!(
        list.body.contains(SHEET) && !list.body.contains("id=\"upload\""),
        "{list:?}"
    );
    assert_eq!(
        get(&stand, &cookie("asks"), "plain?documents=0")
            .await
            .status,
        403
    );
    let theirs = get(&stand, &cookie("theirs"), "plain?documents=0").await;
    assert!(
        theirs.status == 200 && !theirs.body.contains(SHEET),
        "{theirs:?}"
    );
    for (name, form, status) in [
        ("none", ("stop", turn.as_str()), 401),
        ("theirs", ("stop", &turn), 404),
        ("none", ("erase", &id), 401),
        ("reads", ("erase", &id), 403),
        ("theirs", ("erase", &id), 404),
        ("none", ("delete", SHEET), 401),
        ("reads", ("delete", SHEET), 403),
        ("theirs", ("delete", SHEET), 404),
    ] {
        let refused = post(&stand, &cookie(name), &[form]).await;
        assert_eq!(refused.status, status, "{name} {form:?}: {refused:?}");
        if form.0 != "stop" {
            let sure = get(
                &stand,
                &cookie(name),
                &format!("plain?{}", encoded(&[form])),
            )
            .await;
            assert_eq!(sure.status, status, "{name} {form:?}: {sure:?}");
        }
    }
    for (name, status) in [
        ("none", 401),
        ("asks", 403),
        ("reads", 403),
        ("writes", 303),
    ] {
        let sent = brought(
            &stand,
            &cookie(name),
            "",
            "note.md",
            "# A note\n\nOf no use.\n",
        )
        .await;
        assert_eq!(sent.status, status, "{name}: {sent:?}");
    }
    let kept = get(
        &stand,
        &cookie("writes"),
        &format!("plain?conversation={id}"),
    )
    .await;
    assert_eq!(kept.status, 200, "{kept:?}");
    let note = get(&stand, &cookie("theirs"), "plain?document=note.md").await;
    assert_eq!(note.status, 404, "{note:?}");
    stand.end().await;
}
