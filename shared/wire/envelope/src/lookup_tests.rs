//! Tests of the requests that look into the corpus.

use super::*;
use proptest::prelude::*;
use serde_json::json;

fn search(request: Value) -> Result<SearchQuery, Problem> {
    SearchQuery::parse(request.to_string().as_bytes())
}

#[test]
fn the_smallest_request_has_every_default() {
    let asked = search(json!({"query": " rent "})).unwrap();
    assert_eq!((asked.query.as_str(), asked.top_k), ("rent", TOP_K));
    assert_eq!(asked.principal.tenant, TenantId::default_tenant());
    assert!(asked.buckets.is_empty() && asked.filter.is_empty());
    assert_eq!((asked.context_chars, asked.link), (None, true));
    assert_eq!(
        (asked.strategy, asked.document),
        (SearchStrategy::Hybrid, None)
    );
    let counted = Count::parse(b"{}").unwrap();
    assert_eq!(
        (counted.facets.len(), counted.values_max),
        (0, FACET_VALUES)
    );
}

#[test]
fn everything_can_be_said() {
    let asked = search(json!({
        "query": "rent", "tenant": "acme", "buckets": ["contracts"], "top_k": 100,
        "filters": {"year": {"gte": 2024}}, "context_chars": 80, "strategy": "semantic",
        "source": "contracts/lease.md", "link": false,
    }))
    .unwrap();
    assert!(!asked.link);
    assert_eq!(asked.strategy, SearchStrategy::Semantic);
    assert_eq!(
        asked.document,
        Some(DocumentName::Source("contracts/lease.md".into()))
    );
    assert_eq!((asked.top_k, asked.context_chars), (100, Some(80)));
    assert_eq!(asked.filter.to_string(), "year >= 2024");
    let which = |request: Value| {
        Metadata::parse(request.to_string().as_bytes())
            .unwrap()
            .which
    };
    let doc_id = DocId::new("lease-1").unwrap();
    assert_eq!(
        which(json!({"doc_id": "lease-1"})),
        DocumentName::DocId(doc_id)
    );
    let source = "contracts/lease.md";
    assert_eq!(
        which(json!({"source": source})),
        DocumentName::Source(source.into())
    );
}

#[test]
fn what_is_wrong_is_named_with_its_fix() {
    for (request, code, says) in [
        (json!([]), "not_json", "send {\"query\""),
        (json!({}), "missing_query", "`query`"),
        (json!({"query": "  "}), "missing_query", "`query`"),
        (
            json!({"query": "x".repeat(8_001)}),
            "query_too_long",
            "8001",
        ),
        (json!({"query": "x", "k": 3}), "unknown_field", "top_k"),
        (
            json!({"query": "x", "top_k": 0}),
            "bad_field",
            "from 1 to 100",
        ),
        (
            json!({"query": "x", "top_k": 101}),
            "bad_field",
            "from 1 to 100",
        ),
        (json!({"query": "x", "top_k": "5"}), "bad_field", "`top_k`"),
        (
            json!({"query": "x", "context_chars": 5}),
            "bad_field",
            "from 80",
        ),
        (
            json!({"query": "x", "strategy": "fuzzy"}),
            "bad_field",
            "want keyword, semantic or hybrid",
        ),
        (
            json!({"query": "x", "strategy": 3}),
            "bad_field",
            "`strategy` is 3",
        ),
        (json!({"query": "x", "doc_id": "a/b"}), "bad_id", "`doc_id`"),
        (
            json!({"query": "x", "doc_id": "a", "source": "b.md"}),
            "bad_field",
            "not both",
        ),
        (json!({"query": "x", "tenant": "a.b"}), "bad_id", "`tenant`"),
        (
            json!({"query": "x", "buckets": "b"}),
            "bad_field",
            "`buckets`",
        ),
        (
            json!({"query": "x", "filters": 1}),
            "bad_filter",
            "`filters`",
        ),
    ] {
        let problem = search(request.clone()).unwrap_err();
        assert_eq!(problem.code, code, "{request}");
        assert!(problem.message.contains(says), "{}", problem.message);
    }
    for (request, says) in [
        ("{}", "doc_id"),
        (r#"{"doc_id": "a", "source": "b"}"#, "name one"),
        (r#"{"source": 3}"#, "`source`"),
        (r#"{"source": ""}"#, "`source`"),
    ] {
        let problem = Metadata::parse(request.as_bytes()).unwrap_err();
        assert!(problem.message.contains(says), "{}", problem.message);
    }
    let problem = Count::parse(br#"{"facets": ["a", 1]}"#).unwrap_err();
    assert!(problem.message.contains("`facets`"));
    let huge = format!(r#"{{"query": "{}"}}"#, "x".repeat(100_000));
    assert_eq!(
        SearchQuery::parse(huge.as_bytes()).unwrap_err().code,
        "too_large"
    );
    assert_eq!(
        SearchQuery::parse(b"\xff\xfe").unwrap_err().code,
        "not_json"
    );
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), text in "\\PC{0,80}") {
        let _ = SearchQuery::parse(&bytes);
        let request = json!({"query": text, "filters": {text.clone(): text.clone()}, text.clone(): 1});
        if let Err(problem) = search(request) {
            prop_assert!(!problem.message.contains('\n'));
        }
    }
}
