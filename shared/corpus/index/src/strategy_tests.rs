//! Tests of searches by words alone or by vectors alone: which hits they find, and which search takes over if one of
//! the two is not available.

use super::tests::{by_compass, found, index_of, record, request, three};
use super::{HybridSearcher, Options};
use envelope::SearchStrategy;
use search::{SearchPart, SearchRequest, SearchResult, Searcher};

async fn searched(searcher: &HybridSearcher, strategy: SearchStrategy) -> SearchResult {
    let request = SearchRequest {
        strategy,
        ..request("north")
    };
    searcher.search(&request).await.unwrap()
}

#[tokio::test]
async fn a_strategy_asks_one_part_alone() {
    let searcher = HybridSearcher::new(index_of(&three()), Options::default());
    let searcher = searcher.with_models(by_compass(false));
    let hybrid = searched(&searcher, SearchStrategy::Hybrid).await;
    assert_eq!(found(&hybrid)[0], "both");
    assert_eq!(
        hybrid,
        searcher.search(&request("north")).await.unwrap(),
        "the default"
    );

    let keyword = searched(&searcher, SearchStrategy::Keyword).await;
    let mut by_words = found(&keyword);
    by_words.sort_unstable();
    assert_eq!(by_words, ["both", "word"], "nothing that only points there");

    let semantic = searched(&searcher, SearchStrategy::Semantic).await;
    assert_eq!(
        found(&semantic)[..2],
        ["both", "direction"],
        "in the order of directions"
    );
    assert_eq!(
        semantic.total_hits, 2,
        "what matches by words is counted all the same"
    );
    assert!(
        [&hybrid, &keyword, &semantic]
            .iter()
            .all(|result| result.failed.is_empty())
    );
}

#[tokio::test]
async fn a_part_that_is_not_there_is_named_and_the_other_answers() {
    let index = || index_of(&three());
    for (searcher, strategy, missing) in [
        // The embedder fails.
        (
            HybridSearcher::new(index(), Options::default()).with_models(by_compass(true)),
            SearchStrategy::Semantic,
            SearchPart::Vectors,
        ),
        // There is none.
        (
            HybridSearcher::new(index(), Options::default()),
            SearchStrategy::Semantic,
            SearchPart::Vectors,
        ),
        // Vectors are off, and words are.
        (
            HybridSearcher::new(index(), off(true, false)).with_models(by_compass(false)),
            SearchStrategy::Semantic,
            SearchPart::Vectors,
        ),
        (
            HybridSearcher::new(index(), off(false, true)).with_models(by_compass(false)),
            SearchStrategy::Keyword,
            SearchPart::Words,
        ),
    ] {
        let result = searched(&searcher, strategy).await;
        assert_eq!(result.failed, [missing]);
        assert!(found(&result).contains(&"both"), "{strategy:?}: {result:?}");
    }
}

fn off(words: bool, vectors: bool) -> Options {
    Options {
        words,
        vectors,
        ..Options::default()
    }
}

#[tokio::test]
async fn what_the_words_of_a_question_fit_is_the_product_of_their_shares() {
    let texts = (0..40).map(|n| match n % 4 {
        0 => "the other lease ends",
        1 => "one lease ends",
        _ => "the crane lifts",
    });
    // Half of them are called what their text says.
    let records: Vec<_> = texts
        .enumerate()
        .map(|(n, text)| match n % 4 {
            0 | 1 => record(&format!("d{n}"), text, None),
            _ => record(&format!("crane-{n}"), text, None),
        })
        .collect();
    let searcher = HybridSearcher::new(index_of(&records), Options::default());
    for (query, share) in [
        // `Other` means nothing by itself.
        ("And the other one?", 0.25),
        ("When does the lease end?", 0.5 * 0.5),
        ("When does the frobnication end?", 0.0),
        ("What does it lift?", 0.5),
        // As if a single passage had it.
        ("And the crane?", 1.5 / 40.0),
    ] {
        let result = searcher.search(&request(query)).await.unwrap();
        let fitting = result.fitting.unwrap();
        assert!((fitting.share - share).abs() < 0.03, "{query}: {fitting:?}");
        assert!((fitting.passages - 40.0 * fitting.share).abs() < 0.01);
    }
}
