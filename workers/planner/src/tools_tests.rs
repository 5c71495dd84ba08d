//! Tests the parser with calls as models write them.

use super::*;
use envelope::Profile;

fn toolbox(locations: bool) -> Toolbox {
    let bucket = |name: &str| Bucket::new(name).unwrap();
    let places = locations.then(|| bucket("facilities"));
    let options = Options {
        location_buckets: places.into_iter().collect(),
        ..Options::default()
    };
    let named = [bucket("contracts"), bucket("bills")];
    Toolbox::of(&options, &CorpusCatalog::default(), &named)
}

fn read(value: Value) -> String {
    match toolbox(false).read(&value) {
        Ok(call) => call.to_string(),
        Err(wrong) => format!("! {wrong}"),
    }
}

#[test]
fn a_call_is_taken_in_the_forms_that_models_write() {
    for (args, wanted) in [
        (
            json!({"query": " notice\nperiod "}),
            "search_text \"notice period\"",
        ),
        (
            json!({"bucket": "contracts", "query": "q", "filters": [], "doc_id": null}),
            "search_text \"q\" where bucket = \"contracts\"",
        ),
        (
            json!({"query": "q", "bucket": "null", "filters": {"total": {">": 1000}}, "doc_id": "acme-2023"}),
            "search_text \"q\" where total > 1000 and doc_id = \"acme-2023\"",
        ),
        (
            json!({"query": "q", "filters": [
                {"field": "year", "operator": "gte", "value": 2023},
                {"field": "party", "value": ["ACME", "Bolt"]}]}),
            "search_text \"q\" where year >= 2023 and party in [\"ACME\",\"Bolt\"]",
        ),
    ] {
        assert_eq!(read(json!({"tool": "search_text", "args": args})), wanted);
    }
}

#[test]
fn a_call_that_cannot_be_used_is_refused_with_what_is_wrong() {
    for (call, wanted) in [
        (
            json!({"tool": "delete_all", "args": {"query": "q"}}),
            "! there is no tool `delete_all`; there are search_text, search_semantic",
        ),
        (
            json!({"tool": "search_location", "args": {"query": "q"}}),
            "! there is no tool `search_location`; there are search_text, search_semantic",
        ),
        (
            json!("search_text"),
            "! there is no tool ``; there are search_text, search_semantic",
        ),
        (
            json!({"tool": "search_text", "args": "q"}),
            "! search_text wants `args`, an object",
        ),
        (
            json!({"tool": "search_text", "args": {"query": " "}}),
            "! `query` is missing",
        ),
        (
            json!({"tool": "search_text", "args": {"query": ["q"]}}),
            "! `query` must be a text",
        ),
        (
            json!({"tool": "search_text", "args": {"query": "q".repeat(401)}}),
            "! `query` is over 400 characters",
        ),
        (
            json!({"tool": "search_text", "args": {"query": "q", "top_k": 50}}),
            "! search_text takes no `top_k`; it takes bucket, query, filters, doc_id",
        ),
        (
            json!({"tool": "search_text", "args": {"query": "q", "bucket": "memos"}}),
            "! there is no bucket `memos`; there are contracts, bills",
        ),
        (
            json!({"tool": "search_text", "args": {"query": "q", "filters": {"a": {"near": 1}}}}),
            "! `filters`: `a`: unknown operator `near`: want eq, ne, gt, gte, lt, lte, contains, in or not_in",
        ),
        (
            json!({"tool": "search_text", "args": {"query": "q", "filters": [{"value": 1}]}}),
            "! `filters`: each wants `field`, `operator` and `value`",
        ),
        (
            json!({"tool": "search_text", "args": {"query": "q", "filters": [{"field": "a", "operator": "gt"}]}}),
            "! `filters`: `a`: the value must be a string, a number, a boolean or (for `in` and `not_in`) a list of them",
        ),
    ] {
        assert_eq!(read(call), wanted);
    }
    let bad = read(json!({"tool": "search_text", "args": {"query": "q", "doc_id": "a b"}}));
    assert!(bad.starts_with("! `doc_id`: "), "{bad}");
}

#[test]
fn a_call_is_a_search_of_its_kind_and_its_conditions_are_guesses() {
    let options = Options {
        location_buckets: vec![Bucket::new("facilities").unwrap()],
        ..Options::default()
    };
    let limits = ListLimits::new(Profile::Large, &options);
    for (tool, strategy, conditions) in [
        ("search_text", SearchStrategy::Keyword, ""),
        ("search_semantic", SearchStrategy::Semantic, ""),
        (
            "search_location",
            SearchStrategy::Hybrid,
            "bucket in [\"facilities\"]",
        ),
    ] {
        let call = toolbox(true)
            .read(&json!({"tool": tool, "args": {"query": "q"}}))
            .unwrap();
        let plan = call.plan("Which bills are over 5 EUR?", &limits, &options);
        assert_eq!((plan.query.as_str(), plan.strategy), ("q", strategy));
        assert_eq!(plan.filter.to_string(), conditions);
        assert!(plan.filter.0.iter().all(|one| one.origin.is_guess()));
        assert_eq!(plan.constraints.len(), 1, "what the question says holds on");
    }
}

#[test]
fn a_tool_that_is_not_there_is_not_told() {
    assert!(toolbox(true).lines().contains("- search_location(query)"));
    let lines = toolbox(false).lines();
    assert!(
        !lines.contains("search_location") && lines.ends_with("Buckets: contracts, bills"),
        "{lines}"
    );
}
