//! Tests calls that are cancelled, and a server that is killed and restarted.

use crate::subject::{Counted, only_own, request, subject};
use envelope::{Class, Classify};
use llm::ChatModel;
use std::time::Duration;
use testkit::llama;
use tokio::time::{Instant, sleep, timeout};

/// A reply so long that its end does not come by chance.
const LONG_ANSWER: u32 = 600;

/// The server takes one call at a time to its end, so it becomes free only by noticing that the client has gone.
fn in_turns() -> llama::Options {
    llama::Options {
        args: ["--interrupt_requests", "false"].map(String::from).into(),
        ..llama::Options::default()
    }
}

#[tokio::test]
#[ignore = "wants a real model server: see docs/operations/tune.md"]
async fn a_call_that_is_dropped_frees_the_server() {
    let subject = subject(in_turns()).await;
    let counted = Counted::new(subject.options());
    let short = async || {
        let began = Instant::now();
        counted.pool.chat(&request(8)).await.expect("an answer");
        began.elapsed()
    };
    short().await;
    let usual = short().await;
    let began = Instant::now();
    let long = request(LONG_ANSWER);
    counted.pool.chat(&long).await.expect("an answer");
    let whole = began.elapsed();
    // Once it writes, nobody listens any more.
    let head = (whole / 8).min(Duration::from_secs(1));
    let dropped = timeout(head, counted.pool.chat(&long)).await;
    assert!(dropped.is_err(), "it was answered within {head:?}");
    assert_eq!(counted.node().in_flight, 0);
    let after = short().await;
    println!("a short call takes {usual:?}, a long one {whole:?}; after a dropped one {after:?}");
    assert!(
        after < usual * 3 + whole / 4,
        "it went on writing for nobody"
    );
}

#[tokio::test]
#[ignore = "wants a real model server: see docs/operations/tune.md"]
async fn a_server_that_is_killed_is_left_alone_and_taken_back() {
    let Some(mut subject) = only_own("a restart", in_turns()).await else {
        return;
    };
    let counted = Counted::new(subject.options());
    let pool = &counted.pool;
    pool.chat(&request(8)).await.expect("an answer");

    // In the midst of an answer.
    let long = request(LONG_ANSWER);
    let server = subject.own.as_mut().expect("our own");
    let calling = pool.chat(&long);
    let killing = async {
        sleep(Duration::from_millis(300)).await;
        server.kill();
    };
    let (cut, ()) = tokio::join!(calling, killing);
    let error = cut.expect_err("a server that is gone does not answer");
    assert_eq!(error.class(), Class::Transient, "{error}");

    // Whoever asks on, as a worker does, is answered when it is back, and does not hammer at it.
    let began = Instant::now();
    let restarting = async {
        sleep(Duration::from_secs(2)).await;
        server.restart().await;
        began.elapsed()
    };
    let asking = async {
        let (mut failed, mut seen) = (0, Vec::new());
        while pool.chat(&request(8)).await.is_err() {
            failed += 1;
            seen.push(counted.node().breaker);
            sleep(Duration::from_millis(200)).await;
        }
        (failed, seen, began.elapsed())
    };
    let (back, (failed, seen, answered)) = tokio::join!(restarting, asking);
    println!("back after {back:?}, answered after {answered:?}; {failed} calls failed: {seen:?}");
    assert!(seen.iter().any(|state| state == "open"), "{seen:?}");
    assert!(failed <= 20, "{failed} calls failed in {answered:?}");
    assert!(answered < back + Duration::from_secs(20));
    assert_eq!(counted.node().breaker, "closed");
    assert!(pool.chat(&request(8)).await.is_ok());
}
