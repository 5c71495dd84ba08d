//! Tests JSON formats: each dialect by itself, and how the pool finds the dialect that a server supports.

use crate::subject::{Counted, is_verdict, only_own, request, request_for_json, subject};
use llm::{ChatModel, Error};
use llm_pool::JsonDialect;
use testkit::llama;

#[tokio::test]
#[ignore = "wants a real model server: see docs/operations/tune.md"]
async fn every_dialect_is_answered_and_what_a_server_enforces_is_json() {
    let subject = subject(llama::Options::default()).await;
    for (pinned, word) in [
        (JsonDialect::JsonSchema, "json_schema"),
        (JsonDialect::JsonObject, "json_object"),
        (JsonDialect::Plain, "plain"),
    ] {
        let mut options = subject.options();
        options.nodes[0].dialect = Some(pinned);
        let counted = Counted::new(options);
        let reply = counted.pool.chat(&request_for_json()).await;
        let now = counted.node().dialect;
        println!("asked as {word}, answered as {now}: {reply:?}");
        match reply {
            Ok(reply) if now != "plain" => assert!(is_verdict(&reply), "{word}: {reply:?}"),
            Ok(_) => {}
            // In plain words a model may write nothing at all.
            Err(Error::Protocol(_)) if now == "plain" => {}
            Err(error) => panic!("{word}: {error}"),
        }
        // It steps down only when it is told to.
        let stepped = now != word;
        assert_eq!(counted.exchanges("dialect") > 0, stepped, "{word}");
    }
}

/// llama-cpp-python does not know `json_schema` and says so with status 500 and a validation error, which looks like
/// a failure of the server.
#[tokio::test]
#[ignore = "wants a real model server: see docs/operations/tune.md"]
async fn a_dialect_that_is_refused_is_learned_and_remembered() {
    let what = "which dialect is refused";
    let Some(subject) = only_own(what, llama::Options::default()).await else {
        return;
    };
    let mut options = subject.options();
    // Learning is no retry.
    options.retries = 0;
    let counted = Counted::new(options);
    assert_eq!(counted.node().dialect, "json_schema");
    for calls in 1..=3 {
        let reply = counted.pool.chat(&request_for_json()).await;
        assert!(is_verdict(&reply.expect("an answer")));
        assert_eq!(counted.node().dialect, "json_object");
        assert_eq!(counted.exchanges("dialect"), 1, "it is refused once");
        assert_eq!(counted.exchanges("ok"), calls);
    }
    // A refusal says nothing against the node.
    assert_eq!(
        (counted.node().breaker.as_str(), counted.node().failed),
        ("closed", 0)
    );
    let plain = counted.pool.chat(&request(8)).await;
    assert!(!plain.expect("an answer").text.is_empty());
}
