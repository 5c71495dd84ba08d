//! Tests prompts that are too long: the pool tells them from failures, remembers the limit, and sends no such prompt
//! again.

use crate::subject::{Counted, request, subject};
use envelope::{Class, Classify};
use llm::{ChatModel, Error};
use testkit::llama;

/// More words than most contexts hold, and little to send: 1.2 MB.
const WORDS: usize = 200_000;

#[tokio::test]
#[ignore = "wants a real model server: see docs/operations/tune.md"]
async fn a_prompt_that_is_too_long_is_known_as_such_and_not_repeated() {
    let server = llama::Options {
        context_tokens: 2_048,
        ..llama::Options::default()
    };
    let subject = subject(server).await;
    let counted = Counted::new(subject.options());
    let mut long = request(16);
    long.user = "notice ".repeat(WORDS);
    let error = match counted.pool.chat(&long).await {
        Err(error @ Error::TooLong { .. }) => error,
        other if subject.own.is_none() => {
            println!("left out: {WORDS} words are not too long for it, or too much: {other:?}");
            return;
        }
        other => panic!("{other:?}"),
    };
    println!("{error}");
    assert_eq!(error.class(), Class::TooLarge);
    assert_eq!(counted.exchanges_made(), 1, "it is not asked again");
    assert_eq!(counted.node().breaker, "closed");
    let Error::TooLong { limit: Some(limit) } = error else {
        assert!(subject.own.is_none(), "our own server names its context");
        return;
    };
    assert_eq!(counted.node().context, Some(limit));
    if subject.own.is_some() {
        assert_eq!(limit, 2_048);
    }
    // The next one is not even sent; what fits is.
    let again = counted.pool.chat(&long).await;
    assert!(matches!(again, Err(Error::TooLong { limit: Some(l) }) if l == limit));
    assert_eq!(counted.exchanges_made(), 1);
    assert!(counted.pool.chat(&request(16)).await.is_ok());
}
