//! Tests of what a listener sees of an answer while it is written: the pieces in order, of one attempt at a time,
//! without reasoning. *Not* the exact timing, which is tested without HTTP.

use super::*;
use llm::LivePiece;
use std::sync::Mutex;
use testkit::node::sse::{self, DONE};

const PAUSE: Duration = Duration::from_millis(120);

/// What was told: pieces, and `None` where it began anew.
#[derive(Default)]
struct Heard(Mutex<Vec<Option<String>>>, Mutex<Vec<Duration>>);

impl Heard {
    fn hear(&self, piece: LivePiece<'_>) {
        let piece = match piece {
            LivePiece::Expected(time) => return self.1.lock().unwrap().push(time),
            LivePiece::Anew => None,
            LivePiece::Text(text) => Some(text.to_owned()),
        };
        self.0.lock().unwrap().push(piece);
    }

    /// The drafts, each as far as it was told.
    fn drafts(&self) -> Vec<String> {
        let heard = self.0.lock().unwrap();
        let drafts = heard.split(Option::is_none);
        drafts
            .map(|draft| draft.iter().flatten().cloned().collect())
            .collect()
    }

    fn pieces(&self) -> usize {
        self.0.lock().unwrap().iter().flatten().count()
    }
}

async fn ask_aloud(pool: &Pool, request: &ChatRequest) -> (Result<ChatReply, Error>, Heard) {
    let heard = Heard::default();
    let reply = pool.chat_live(request, &|piece| heard.hear(piece)).await;
    (reply, heard)
}

fn slowly(text: &str) -> FakeNodeBehaviour {
    FakeNodeBehaviour::Stream(sse::answer(text, PAUSE))
}

/// A beginning of an answer, and then the end of the connection.
fn half(text: &str) -> FakeNodeBehaviour {
    let words = sse::answer(text, PAUSE).into_iter();
    let words = words.filter(|(pause, _)| *pause == PAUSE);
    let broken = sse::event(&json!({"error": {"code": 503, "message": "shutting down"}}));
    FakeNodeBehaviour::Stream(words.chain([(PAUSE, broken)]).collect())
}

#[tokio::test]
async fn an_answer_is_told_while_it_is_written_by_the_same_call() {
    let node = FakeNode::saying("x").await.unwrap();
    let text = "The lease ends in May.";
    node.always(slowly(text));
    let pool = pool(options(&[&node]));
    let (reply, heard) = ask_aloud(&pool, &request()).await;
    assert_eq!(reply.unwrap().text, text);
    assert_eq!(heard.drafts(), [text]);
    assert!(heard.pieces() >= 4, "{:?}", heard.0);
    assert_eq!(pool.chat(&request()).await.unwrap().text, text);
    let [aloud, silent] = &node.prompts()[..] else {
        panic!("one call each")
    };
    assert_eq!(aloud.body, silent.body);
}

#[tokio::test]
async fn how_long_a_call_will_take_is_told_once_the_node_is_measured() {
    let node = FakeNode::saying("x").await.unwrap();
    node.always(slowly("The lease ends in May."));
    let pool = pool(options(&[&node]));
    let long = ChatRequest {
        user: "lease ".repeat(400),
        ..request()
    };
    let mut told = Vec::new();
    for _ in 0..3 {
        let (reply, heard) = ask_aloud(&pool, &long).await;
        reply.unwrap();
        told.push(heard.1.lock().unwrap().len());
    }
    assert_eq!(told, [0, 1, 1]);
}

#[tokio::test]
async fn a_call_that_is_made_again_begins_anew() {
    let nodes = [
        FakeNode::saying("a").await.unwrap(),
        FakeNode::saying("b").await.unwrap(),
    ];
    let [a, b] = &nodes;
    a.script([half("It may be June or ")]);
    b.script([slowly("It is May.")]);
    let (reply, heard) = ask_aloud(&pool(options(&[a, b])), &request()).await;
    assert_eq!(reply.unwrap().text, "It is May.");
    let drafts = heard.drafts();
    assert!(drafts[0].starts_with("It may"), "{drafts:?}");
    assert_eq!(drafts[1..], ["It is May."]);
}

#[tokio::test]
async fn what_was_told_of_a_call_that_fails_is_taken_back() {
    let node = FakeNode::saying("a").await.unwrap();
    node.always(half("It may be June or "));
    let mut options = options(&[&node]);
    options.retries = 0;
    let (reply, heard) = ask_aloud(&pool(options), &request()).await;
    assert!(reply.is_err());
    let drafts = heard.drafts();
    assert!(drafts[0].starts_with("It may"), "{drafts:?}");
    assert_eq!(drafts[1..], [""]);
}

#[tokio::test]
async fn of_two_calls_that_race_one_is_told_and_in_the_end_the_one_that_counts() {
    const SLOW: &str = "slow one two three four five six seven eight nine ten";
    const QUICK: &str = "quick one two three";
    let [slow, quick] = [
        FakeNode::saying("x").await.unwrap(),
        FakeNode::saying("x").await.unwrap(),
    ];
    let mut options = options(&[&slow, &quick]);
    options.hedge_share = 0.5;
    let pool = pool(options);
    // Until it is known what late is.
    for _ in 0..60 {
        pool.chat(&request()).await.unwrap();
    }
    slow.always(slowly(SLOW));
    quick.always(slowly(QUICK));
    let mut outrun = 0;
    for _ in 0..4 {
        let (reply, heard) = ask_aloud(&pool, &request()).await;
        let (text, drafts) = (reply.unwrap().text, heard.drafts());
        for draft in &drafts {
            let is_of_one = SLOW.starts_with(draft) || QUICK.starts_with(draft);
            assert!(is_of_one, "{drafts:?}");
        }
        assert_eq!(drafts.last(), Some(&text));
        outrun += drafts.len() - 1;
    }
    assert!(outrun > 0, "nothing was ever outrun");
}

#[tokio::test]
async fn thoughts_are_not_told() {
    let node = FakeNode::saying("x").await.unwrap();
    let pool = pool(options(&[&node]));
    let beside = (0..3).map(|_| (PAUSE, sse::thought("reasoning_content", "June? ")));
    let beside = beside.chain(sse::answer("It is May.", PAUSE)).collect();
    node.script([
        FakeNodeBehaviour::Stream(beside),
        slowly("<think>Is it June or is it not? </think> It is May."),
    ]);
    for _ in 0..2 {
        let (reply, heard) = ask_aloud(&pool, &request()).await;
        assert!(reply.unwrap().text.ends_with("It is May."));
        assert_eq!(heard.drafts(), ["It is May."]);
    }
}

#[tokio::test]
async fn of_json_nothing_is_told_and_what_comes_at_once_is_told_at_once() {
    let node = FakeNode::saying(r#"{"a":1}"#).await.unwrap();
    node.script([slowly(r#"{"a": 1, "b": 2}"#)]);
    let pool = pool(options(&[&node]));
    let (reply, heard) = ask_aloud(&pool, &request_for_json()).await;
    assert!(reply.is_ok());
    assert_eq!(heard.pieces(), 0);
    let (reply, heard) = ask_aloud(&pool, &request()).await;
    assert_eq!(heard.drafts(), [reply.unwrap().text]);
    assert_eq!(heard.pieces(), 1);
}

#[tokio::test]
async fn white_space_without_end_is_not_told() {
    let node = FakeNode::saying("x").await.unwrap();
    let blanks = (0..10_000).map(|_| (Duration::ZERO, sse::token("\n  ")));
    let said = [(Duration::ZERO, sse::token("It is May."))].into_iter();
    let end = [(Duration::ZERO, DONE.to_owned())];
    node.script([FakeNodeBehaviour::Stream(
        said.chain(blanks).chain(end).collect(),
    )]);
    let (reply, heard) = ask_aloud(&pool(options(&[&node])), &request()).await;
    assert_eq!(reply.unwrap().text, "It is May.");
    assert_eq!(heard.drafts(), ["It is May."]);
}
