//! Tests of streamed answers: how pieces are joined, how long the pool waits for them, and when it gives up. *Not*
//! here: how bytes are cut into events, which is tested without HTTP.

use super::*;
use testkit::node::sse::{self, DONE, PING};

const MS: Duration = Duration::from_millis(1);

/// These events at once.
fn events<const N: usize>(events: [String; N]) -> FakeNodeBehaviour {
    FakeNodeBehaviour::Stream(events.map(|event| (Duration::ZERO, event)).into())
}

/// The beginning of an answer, then so many events with a pause before each, and never an end.
fn then_only(event: &str, pause: Duration) -> FakeNodeBehaviour {
    let begin = [sse::role(), sse::token("half ")].map(|event| (Duration::ZERO, event));
    let rest = (0..10_000).map(|_| (pause, event.to_owned()));
    FakeNodeBehaviour::Stream(begin.into_iter().chain(rest).collect())
}

/// Two nodes; the second one answers "b" at once.
async fn a_and_b(a_does: FakeNodeBehaviour) -> [FakeNode; 2] {
    let nodes = [
        FakeNode::saying("a").await.unwrap(),
        FakeNode::saying("b").await.unwrap(),
    ];
    nodes[0].always(a_does);
    nodes
}

#[tokio::test]
async fn pieces_are_joined_and_counted() {
    let node = FakeNode::saying("x").await.unwrap();
    node.script([events([
        sse::role(),
        sse::token("The notice "),
        sse::token("period.\n"),
        sse::finish("stop"),
        sse::usage(21, 4),
        DONE.into(),
    ])]);
    let reply = ask(options(&[&node])).await.unwrap();
    assert_eq!(reply.text, "The notice period.");
    assert_eq!((reply.usage.tokens_in, reply.usage.tokens_out), (21, 4));
    let body = &node.prompts()[0].body;
    assert_eq!(body["stream"], true);
    assert_eq!(body["stream_options"]["include_usage"], true);
}

#[tokio::test]
async fn a_node_that_says_no_counts_or_no_goodbye_has_answered() {
    let node = FakeNode::saying("x").await.unwrap();
    let whole = [sse::role(), sse::token("all"), sse::finish("stop")];
    // It ends there; it sends nothing more and does not end.
    let hangs = whole.clone().map(|event| (Duration::ZERO, event));
    let hangs = hangs.into_iter().chain([(LONG, DONE.to_owned())]);
    let mut options = options(&[&node]);
    options.idle_timeout = Some(TimeSpan::from_millis(100));
    options.retries = 0;
    let pool = pool(options);
    for ending in [events(whole), FakeNodeBehaviour::Stream(hangs.collect())] {
        node.script([ending]);
        let reply = pool.chat(&request()).await.unwrap();
        assert_eq!((reply.text.as_str(), reply.usage.tokens_out), ("all", 1));
    }
}

#[tokio::test]
async fn half_an_answer_is_never_one() {
    let half = || [sse::role(), sse::token("half ")];
    let [role, text] = half();
    let broken = sse::event(&json!({"error": {"code": 503, "message": "shutting down"}}));
    for cut in [
        events(half()),
        // llama-cpp-python says goodbye to a call that it breaks off for the next one.
        events([role.clone(), text.clone(), DONE.into()]),
        events([role.clone(), text.clone(), broken]),
        events([role, text, "data: {nonsense\n\n".into()]),
    ] {
        let [a, b] = a_and_b(cut.clone()).await;
        assert_eq!(ask(options(&[&a, &b])).await.unwrap().text, "b", "{cut:?}");
        assert_eq!((a.seen().calls, b.seen().calls), (1, 1));
    }
}

/// llama-cpp-python with a prompt that is too long: status 200, and then nothing.
#[tokio::test]
async fn a_stream_without_a_word_is_asked_for_at_once() {
    let node = FakeNode::saying("x").await.unwrap();
    let mut options = options(&[&node]);
    options.retries = 0;
    let pool = pool(options);
    let mute = || FakeNodeBehaviour::Stream(Vec::new());
    node.script([
        mute(),
        FakeNodeBehaviour::Overflow(OverflowWording::ALL[0], 4096),
    ]);
    let error = pool.chat(&request()).await.unwrap_err();
    assert!(matches!(error, Error::TooLong { .. }), "{error:?}");
    node.script([mute()]);
    assert_eq!(pool.chat(&request()).await.unwrap().text, "x");
    let asked = node.prompts();
    let streamed: Vec<_> = asked.iter().map(|prompt| &prompt.body["stream"]).collect();
    assert_eq!(streamed, [true, false, true, false]);
    node.script([mute(), mute()]);
    let error = pool.chat(&request()).await.unwrap_err();
    assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
}

#[tokio::test]
async fn a_node_that_breaks_off_answers_is_busy() {
    let node = FakeNode::saying("x").await.unwrap();
    node.always(events([sse::role(), sse::token("half "), DONE.into()]));
    let pool = pool(options(&[&node]));
    let error = pool.chat(&request()).await.unwrap_err();
    assert!(matches!(error, Error::Overloaded { .. }), "{error:?}");
    assert!(pool.nodes()[0].permits < 8, "{:?}", pool.nodes());
}

#[tokio::test]
async fn signs_of_life_are_no_first_token() {
    let naming = (Duration::ZERO, sse::role());
    let pings = (0..10_000).map(|_| (10 * MS, PING.to_owned()));
    let [a, b] = a_and_b(FakeNodeBehaviour::Stream(
        [naming].into_iter().chain(pings).collect(),
    ))
    .await;
    let mut options = options(&[&a, &b]);
    options.first_token_timeout = Some(TimeSpan::from_millis(150));
    let began = Instant::now();
    assert_eq!(ask(options).await.unwrap().text, "b");
    assert!(began.elapsed() >= 150 * MS);
    a.until(|seen| seen.abandoned == 1).await;
}

#[tokio::test]
async fn signs_of_life_do_not_hold_an_answer_that_has_stopped() {
    for said in [PING.to_owned(), sse::token(""), "da".to_owned()] {
        let [a, b] = a_and_b(then_only(&said, 10 * MS)).await;
        let mut options = options(&[&a, &b]);
        options.idle_timeout = Some(TimeSpan::from_millis(150));
        let began = Instant::now();
        assert_eq!(ask(options).await.unwrap().text, "b", "{said:?}");
        assert!(began.elapsed() >= 150 * MS);
        a.until(|seen| seen.abandoned == 1).await;
        assert_eq!((a.seen().calls, b.seen().calls), (1, 1));
    }
}

#[tokio::test]
async fn who_thinks_for_long_is_not_idle() {
    for field in ["reasoning_content", "reasoning"] {
        let node = FakeNode::saying("x").await.unwrap();
        let thoughts = (0..8).map(|_| (50 * MS, sse::thought(field, "hm ")));
        let answer = sse::answer("well thought", Duration::ZERO);
        node.script([FakeNodeBehaviour::Stream(thoughts.chain(answer).collect())]);
        let mut options = options(&[&node]);
        options.idle_timeout = Some(TimeSpan::from_millis(200));
        options.retries = 0;
        let reply = ask(options).await;
        assert_eq!(reply.unwrap().text, "well thought", "{field}");
    }
}

#[tokio::test]
async fn a_node_that_trickles_for_ever_holds_its_place_no_longer_than_the_call_may_take() {
    let node = FakeNode::saying("x").await.unwrap();
    node.script([then_only(&sse::token("so "), 10 * MS)]);
    let mut options = options(&[&node]);
    options.nodes[0].max_in_flight = 1;
    options.total_timeout = Some(TimeSpan::from_millis(400));
    let pool = pool(options);
    let error = pool.chat(&request()).await.unwrap_err();
    assert!(matches!(error, Error::TimedOut(_)), "{error:?}");
    node.until(|seen| seen.abandoned == 1).await;
    assert_eq!(pool.chat(&request()).await.unwrap().text, "x");
}

#[tokio::test]
async fn white_space_without_end_is_cut_off() {
    let node = FakeNode::saying("x").await.unwrap();
    let blanks = (0..10_000).map(|_| (Duration::ZERO, sse::token("\n  ")));
    let begin = [(Duration::ZERO, sse::token(r#"{"a":1}"#))];
    node.script([FakeNodeBehaviour::Stream(
        begin.into_iter().chain(blanks).collect(),
    )]);
    assert_eq!(ask(options(&[&node])).await.unwrap().text, r#"{"a":1}"#);
    node.until(|seen| seen.abandoned == 1).await;
}
