//! Tests the replies of the model server, whole and streamed, and their token counts.

use crate::subject::{Counted, request, subject};
use llm::ChatModel;
use testkit::llama;

const MAX_TOKENS: u32 = 48;

#[tokio::test]
#[ignore = "wants a real model server: see docs/operations/tune.md"]
async fn answers_whole_and_in_pieces_and_says_what_they_cost() {
    let subject = subject(llama::Options::default()).await;
    for stream in [false, true] {
        let mut options = subject.options();
        options.stream = stream;
        let counted = Counted::new(options);
        let reply = counted.pool.chat(&request(MAX_TOKENS)).await;
        let reply = reply.expect("an answer");
        println!("stream {stream}: {:?} {:?}", reply.usage, reply.text);
        assert!(!reply.text.is_empty());
        assert_eq!(reply.usage.calls, 1);
        assert!((8..512).contains(&reply.usage.tokens_in), "{reply:?}");
        // Some servers count a token or two of their own.
        let most = u64::from(MAX_TOKENS) + 4;
        assert!((1..=most).contains(&reply.usage.tokens_out), "{reply:?}");
        // A server that does not stream, although it was asked to, has no first token.
        let first = counted.sum("argosy_llm_time_to_first_token_seconds_count", "real");
        assert_eq!(first, u64::from(stream), "first tokens that were seen");
        assert_eq!(counted.exchanges("ok"), 1);
        assert_eq!(counted.exchanges_made(), 1);
    }
}

#[tokio::test]
#[ignore = "wants a real model server: see docs/operations/tune.md"]
async fn many_calls_at_once_are_all_answered() {
    // Else it would break off each answer for the next call.
    let subject = subject(llama::Options {
        args: ["--interrupt_requests", "false"].map(String::from).into(),
        ..llama::Options::default()
    })
    .await;
    let counted = Counted::new(subject.options());
    let request = request(MAX_TOKENS);
    let calls = (0..12).map(|_| counted.pool.chat(&request));
    for reply in futures_util::future::join_all(calls).await {
        assert!(!reply.expect("an answer").text.is_empty());
    }
    assert_eq!(counted.node().in_flight, 0);
    assert_eq!(counted.node().breaker, "closed");
}
