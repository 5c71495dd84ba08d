//! Tests of follow-up questions: words of earlier questions count less than its own, and chunks are fetched by id.

use super::tests::{index_of, one, record};
use super::*;
use crate::hybrid::HybridSearcher;
use crate::options::Options;
use envelope::{ConditionOrigin, Filter, TenantId};
use proptest::prelude::*;
use search::{QueryContext, SearchRequest, SearchResult, Searcher as _};
use serde_json::{Value as Json, json};

fn request(query: &str, context: Option<(&str, f32)>) -> SearchRequest {
    SearchRequest {
        context: context.map(|(text, weight)| QueryContext {
            text: text.into(),
            weight,
        }),
        ..SearchRequest::new(TenantId::default_tenant(), query, 100, 10)
    }
}

fn search(index: &Index, options: Options, request: &SearchRequest) -> SearchResult {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let searcher = HybridSearcher::new(index.clone(), options);
    let found = runtime.build().unwrap().block_on(searcher.search(request));
    found.unwrap()
}

fn found(result: &SearchResult) -> Vec<&str> {
    result.passages.iter().map(|p| p.source.as_str()).collect()
}

fn pumps() -> Index {
    index_of(&[
        one(
            "m/gamma.md",
            "The price of the Gamma pump is 90.",
            json!({}),
        ),
        one(
            "m/delta.md",
            "The price of the Delta pump is 80.",
            json!({}),
        ),
        one("m/history.md", "A history of the Delta works.", json!({})),
        one("m/cost.md", "Price and price again: a list.", json!({})),
    ])
}

#[test]
fn words_of_the_context_decide_between_what_the_query_leaves_open() {
    let pumps = pumps();
    for options in [
        Options::default(),
        Options {
            rerank: false,
            ..Options::default()
        },
    ] {
        let of = |about: &str| {
            let request = request("price of the pump", Some((about, 0.2)));
            search(&pumps, options.clone(), &request)
        };
        assert_eq!(found(&of("the Delta pump"))[0], "m/delta.md");
        assert_eq!(found(&of("the Gamma pump"))[0], "m/gamma.md");
        let plain = search(&pumps, options.clone(), &request("price of the pump", None));
        // What has only words of the context is none of those that match.
        assert_eq!(of("the Delta works").total_hits, plain.total_hits);
        assert!(!found(&of("the Delta works")).contains(&"m/history.md"));
    }
}

proptest! {
    #[test]
    fn a_context_that_says_nothing_new_changes_nothing(
        words in proptest::collection::vec("price|pump|delta|list|the|and|zzz", 1..5),
        weight in 0.01f32..0.99,
    ) {
        let pumps = pumps();
        let query = words.join(" ");
        let plain = search(&pumps, Options::default(), &request(&query, None));
        let same = search(&pumps, Options::default(), &request(&query, Some((&query, weight))));
        let scores = |result: &SearchResult| -> Vec<(String, u32)> {
            let passages = result.passages.iter();
            passages.map(|p| (p.source.clone(), p.score.to_bits())).collect()
        };
        prop_assert_eq!(scores(&plain), scores(&same));
        prop_assert_eq!(plain.total_hits, same.total_hits);
    }
}

fn fetched(index: &Index, request: &SearchRequest, ids: &[String]) -> Vec<String> {
    let passages = index.snapshot().fetch(request, ids).unwrap();
    passages.into_iter().map(|p| p.chunk_id).collect()
}

#[test]
fn chunks_are_fetched_by_id_in_their_order_under_the_conditions_of_the_request() {
    let of_year =
        |source: &str, n: u32, year: u16| record(source, n, 2, "text", json!({"year": year}));
    let foreign = ChunkRecord {
        tenant: TenantId::new("other").unwrap(),
        ..of_year("a/foreign.md", 0, 2024)
    };
    let all = [
        of_year("a/one.md", 0, 2024),
        of_year("a/one.md", 1, 2024),
        of_year("b/two.md", 0, 2023),
        foreign,
    ];
    let index = index_of(&all);
    let [first, second, other, foreign] = all.map(|record| record.chunk_id());
    let ids = [
        other.clone(),
        second.clone(),
        foreign,
        "nothing".into(),
        "no.chunk".into(),
        first.clone(),
    ];
    let plain = request("", None);
    assert_eq!(fetched(&index, &plain, &ids), [&*other, &*second, &*first]);
    let bucket = SearchRequest {
        buckets: vec![Bucket::new("a").unwrap()],
        ..plain.clone()
    };
    assert_eq!(fetched(&index, &bucket, &ids), [&*second, &*first]);
    let with = |filter: Json| SearchRequest {
        filter: Filter::parse(&filter, ConditionOrigin::User).unwrap(),
        ..plain.clone()
    };
    assert_eq!(
        fetched(&index, &with(json!({"year": 2023})), &ids),
        [&*other]
    );
    // Of a field that no document has, a search leaves the condition out; this does not.
    assert_eq!(fetched(&index, &with(json!({"yeer": 2023})), &ids), [""; 0]);
}
