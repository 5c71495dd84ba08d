//! Tests of a search in a later round: it passes over the passages that were read, and says so when no other passage
//! is left.

use super::*;

#[tokio::test]
async fn a_later_round_reads_on_until_nothing_is_left() {
    let found: Vec<Passage> = (0..7).map(|n| passage(&format!("d{n}"), "t")).collect();
    let mut later = cx();
    later.case.read = found[..5].iter().map(ReadMark::of).collect();
    let (done, requests) = run(FakeSearcher::new(found.clone(), 2), &later).await;
    assert_eq!((requests[0].fetch_k, requests[0].top_k), (105, 10));
    let RetrieverExit::Found(scatter) = done.out else {
        panic!("nothing found")
    };
    assert_eq!(scatter.passages, found[5..]);
    later.case.read = found.iter().map(ReadMark::of).collect();
    let (done, _) = run(FakeSearcher::new(found, 2), &later).await;
    assert!(matches!(done.out, RetrieverExit::NothingFound(_)));
    let again = "searched again in the words of the question";
    assert_eq!(done.decided, format!("{again}; nothing that was not read"));
    assert_eq!(done.fallbacks.last(), Some(&Fallback::NoProgress));
}

/// In a later round, a guess may find nothing but what was read. That is reported differently from a guess that
/// nothing satisfies.
#[tokio::test]
async fn a_guess_all_of_which_was_read_is_told_as_that() {
    let mut later = cx();
    later.case.read = vec![ReadMark::of(&passage("a", "t"))];
    // Finds `a` with the guess, and nothing else without it.
    let (done, requests) = run(FakeSearcher::new(vec![passage("a", "t")], 2), &later).await;
    assert_eq!(requests[1].filter.to_string(), "year = 2024");
    let told = Fallback::FilterRelaxed {
        condition: "source contains \".pdf\"".into(),
        read: true,
    };
    assert_eq!(done.fallbacks[0], told);
    let (done, _) = run(FakeSearcher::new(vec![passage("b", "t")], 1), &later).await;
    assert!(matches!(
        &done.fallbacks[0],
        Fallback::FilterRelaxed { read: false, .. }
    ));
}
