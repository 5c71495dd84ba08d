//! Tests, without nodes, of what a listener sees while an answer is written.

use super::*;
use proptest::prelude::*;
use std::time::Duration;

/// What was told: pieces, and `None` where it began anew.
type Heard = Mutex<Vec<Option<String>>>;

fn keep(heard: &Heard) -> impl Fn(LivePiece<'_>) + Send + Sync {
    |piece| {
        let piece = match piece {
            LivePiece::Expected(_) => return,
            LivePiece::Anew => None,
            LivePiece::Text(text) => Some(text.to_owned()),
        };
        heard.lock().unwrap().push(piece);
    }
}

/// The text that a listener that joins the pieces has in the end, and how often it began again.
fn shown(heard: &Heard) -> (String, usize) {
    let heard = heard.lock().unwrap();
    let last = heard.rsplit(Option::is_none).next().unwrap_or_default();
    let text = last.iter().flatten().cloned().collect();
    (text, heard.iter().filter(|piece| piece.is_none()).count())
}

async fn later() {
    tokio::time::advance(PIECE_EVERY).await;
}

#[tokio::test(start_paused = true)]
async fn a_fast_model_is_told_in_few_pieces() {
    let heard = Heard::default();
    let listener = keep(&heard);
    let stream = DraftStream::new(&listener);
    let thoughts = Thoughts::default();
    let mut pen = stream.pen(&thoughts);
    let mut text = String::new();
    for _ in 0..500 {
        text.push_str("word ");
        pen.write(&text);
        tokio::time::advance(Duration::from_millis(2)).await;
    }
    let last = text.trim_end();
    pen.done(last);
    let told = heard.lock().unwrap().len();
    assert!((10..=12).contains(&told), "{told} pieces a second");
    assert_eq!(shown(&heard), (last.to_owned(), 0));
}

#[tokio::test(start_paused = true)]
async fn two_tries_are_never_mixed() {
    let heard = Heard::default();
    let listener = keep(&heard);
    let stream = DraftStream::new(&listener);
    let thoughts = Thoughts::default();
    let (mut first, mut second) = (stream.pen(&thoughts), stream.pen(&thoughts));
    first.write("The lease");
    second.write("It");
    later().await;
    first.write("The lease ends");
    second.write("It ends in");
    assert_eq!(shown(&heard), ("The lease ends".into(), 0));
    // The one that is heard fails; the other is heard from its beginning.
    drop(first);
    assert_eq!(shown(&heard), (String::new(), 1));
    later().await;
    second.write("It ends in May");
    assert_eq!(shown(&heard), ("It ends in May".into(), 1));
    second.done("It ends in May.");
    assert_eq!(shown(&heard), ("It ends in May.".into(), 1));
}

#[tokio::test(start_paused = true)]
async fn who_was_done_first_is_heard_in_the_end() {
    let heard = Heard::default();
    let listener = keep(&heard);
    let stream = DraftStream::new(&listener);
    let thoughts = Thoughts::default();
    let (mut first, mut second) = (stream.pen(&thoughts), stream.pen(&thoughts));
    first.write("The lease");
    second.write("It ends");
    second.done("It ends in May.");
    drop(first);
    assert_eq!(shown(&heard), ("It ends in May.".into(), 1));
}

#[test]
fn a_try_that_told_nothing_leaves_nothing_to_begin_anew() {
    let heard = Heard::default();
    let listener = keep(&heard);
    let stream = DraftStream::new(&listener);
    let thoughts = Thoughts::default();
    let mut pen = stream.pen(&thoughts);
    pen.write("<think>hm");
    drop(pen);
    stream.pen(&thoughts).done("Yes.");
    assert_eq!(shown(&heard), ("Yes.".into(), 0));
}

#[test]
fn what_is_too_long_for_a_message_comes_in_several() {
    let heard = Heard::default();
    let listener = keep(&heard);
    let stream = DraftStream::new(&listener);
    let text = "ä".repeat(LIVE_TEXT_BYTES_MAX);
    stream.pen(&Thoughts::default()).done(&text);
    assert_eq!(shown(&heard), (text, 0));
    let heard = heard.lock().unwrap();
    let fits = |piece: &Option<String>| piece.as_ref().unwrap().len() <= LIVE_TEXT_BYTES_MAX;
    assert!(heard.len() == 2 && heard.iter().all(fits));
}

#[test]
fn thoughts_white_space_and_half_tags_are_no_words() {
    for (text, words) in [
        ("", ""),
        ("\n It ends. \n", "It ends."),
        ("<thi", ""),
        ("<think>It may be 7.", ""),
        ("<think>It may be 7.</think>", ""),
        ("<think>It may be 7.</think>\n\nIt is 5.", "It is 5."),
        ("It is 5 </thin", "It is 5"),
        ("It is 5 <b", "It is 5 <b"),
        ("It is 5.<think>Or 7?", "It is 5."),
        ("7?</think>It is 5", "It is 5"),
    ] {
        assert_eq!(&text[prose(text, false)], words, "{text}");
    }
    assert_eq!(prose("a <", true), 0..3, "no tag comes any more");
}

#[tokio::test(start_paused = true)]
async fn thoughts_without_a_tag_in_front_are_taken_back_once_and_not_told_again() {
    let heard = Heard::default();
    let listener = keep(&heard);
    let thoughts = Thoughts::default();
    let answer = "Is it 7?</think>It is 5.";
    let stream = DraftStream::new(&listener);
    let mut pen = stream.pen(&thoughts);
    pen.write("Is it 7?");
    later().await;
    pen.write("Is it 7?</think>");
    assert_eq!(shown(&heard), (String::new(), 1));
    pen.done(answer);
    assert_eq!(shown(&heard), ("It is 5.".into(), 1));

    thoughts.learn(answer);
    heard.lock().unwrap().clear();
    let stream = DraftStream::new(&listener);
    let mut pen = stream.pen(&thoughts);
    pen.write("Is it 7?");
    assert_eq!(shown(&heard), (String::new(), 0));
    pen.write("Is it 7?</think>It is");
    assert_eq!(shown(&heard), ("It is".into(), 0));
}

proptest! {
    /// However an answer is cut, what was told is a part of the words that it has in the end, or was taken back.
    #[test]
    fn what_is_told_is_what_is_said_in_the_end(
        parts in prop::collection::vec("<think>|</think>|<th|[a-z<>/ \n]{0,6}|\\PC{0,3}", 0..12),
    ) {
        let heard = Heard::default();
        let listener = keep(&heard);
        let stream = DraftStream::new(&listener);
        let thoughts = Thoughts::default();
        let mut pen = stream.pen(&thoughts);
        let mut text = String::new();
        for part in &parts {
            text.push_str(part);
            pen.last = None;
            pen.write(&text);
        }
        let text = text.trim_end();
        pen.done(text);
        let after = text.rsplit_once(CLOSE).map_or(text, |(_, after)| after);
        let words = after.split_once(OPEN).map_or(after, |(words, _)| words);
        prop_assert_eq!(shown(&heard).0, words.trim());
    }
}
