//! Tests of searches for the sub-queries of a plan, against a scripted searcher.

use super::*;
use envelope::QuestionClass;

#[tokio::test]
async fn sub_queries_are_searched_for_as_well_and_one_may_fail() {
    let mut searcher = FakeSearcher::new(vec![passage("a", "t"), passage("b", "u")], 2);
    searcher.broken = "total of bill 8";
    let searcher = Arc::new(searcher);
    let options = Options {
        sub_queries: true,
        ..Options::default()
    };
    let retriever = Retriever::new(searcher.clone(), options).unwrap();
    let plan = Plan {
        class: QuestionClass::MultiStep,
        sub_queries: vec!["total of bill 7".into(), "total of bill 8".into()],
        ..plan()
    };
    let done = retriever.run(&cx(), mapped(plan)).await.unwrap();
    let requests = searcher.requests.lock().unwrap();
    let asked: Vec<_> = requests
        .iter()
        .map(|r| (r.query.as_str(), r.top_k))
        .collect();
    assert_eq!(
        asked,
        [
            ("total of the invoice", 10),
            ("total of bill 7", 10),
            ("total of bill 8", 10)
        ]
    );
    assert!(
        requests
            .iter()
            .all(|r| r.filter == requests[0].filter && r.fetch_k == 100)
    );
    let query = "total of bill 8".into();
    assert_eq!(done.fallbacks, [Fallback::SubQueryFailed { query }]);
    assert_eq!(done.decided, "2 of 40 passages; by sub-query: 2, failed");
    let RetrieverExit::Found(scatter) = done.out else {
        panic!("nothing found")
    };
    assert!(scatter.passages.iter().all(|p| p.found_by == [0]));
}

#[tokio::test]
async fn sub_queries_are_left_alone_unless_they_are_wanted_and_there_are_parts() {
    for (is_wanted, class) in [
        (false, QuestionClass::MultiStep),
        (true, QuestionClass::Simple),
    ] {
        let searcher = Arc::new(FakeSearcher::new(vec![passage("a", "t")], 2));
        let options = Options {
            sub_queries: is_wanted,
            ..Options::default()
        };
        let retriever = Retriever::new(searcher.clone(), options).unwrap();
        let plan = Plan {
            class,
            sub_queries: vec!["total of bill 7".into()],
            ..plan()
        };
        let done = retriever.run(&cx(), mapped(plan)).await.unwrap();
        assert_eq!(searcher.requests.lock().unwrap().len(), 1, "{class:?}");
        assert_eq!(
            done.decided,
            "1 of 40 passages; 1 sub-query not searched for"
        );
    }
}
