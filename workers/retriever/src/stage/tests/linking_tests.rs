//! Tests of conditions that a question states about documents, against a scripted searcher that links them.

use super::*;

pub(super) fn of_acme(intent: Intent) -> LinkedQuestion {
    let condition = QuestionCondition {
        bucket: "reports".into(),
        field: "company".into(),
        test: Test::Is(vec![vec!["Acme Ltd".into(), "ACME".into()]]),
        names: Vec::new(),
        is_negated: false,
        is_assumed: false,
        span: 0..4,
    };
    LinkedQuestion {
        intent,
        bucket: Some("reports".into()),
        conditions: vec![condition],
        ..LinkedQuestion::default()
    }
}

#[tokio::test]
async fn a_question_for_documents_is_searched_among_those_that_it_says() {
    let acme = "company in [\"Acme Ltd\",\"ACME\"]";
    // How many conditions may be left, how many searches, and how many guesses are given up: first the weakest, which is
    // the planner's own, then the part of the corpus, then the company.
    for (conditions_max, searches) in [(4, 1), (3, 2), (2, 3), (1, 4)] {
        let mut searcher = FakeSearcher::new(vec![passage("a", "t")], conditions_max);
        searcher.linked = of_acme(Intent::Documents);
        let (done, requests) = run(searcher, &cx()).await;
        assert_eq!(requests.len(), searches);
        let first = requests[0].filter.to_string();
        assert_eq!(
            first,
            format!("year = 2024 and {acme} and bucket = \"reports\" and source contains \".pdf\"")
        );
        let dropped: Vec<String> = done.fallbacks.iter().map(|f| format!("{f:?}")).collect();
        assert_eq!(dropped.len(), searches - 1);
        assert_eq!(dropped.iter().any(|f| f.contains("company")), searches == 4);
        assert!(
            done.decided.contains("understood: company in"),
            "{}",
            done.decided
        );
        let held = done.conditions.unwrap_or_default();
        let named = ["company is Acme Ltd or ACME", "bucket is reports"];
        let kept = 2_usize.min(4 - searches);
        assert_eq!(held.filter, named[..kept], "{searches} searches");
        assert!(held.shared.is_empty());
    }
}

#[tokio::test]
async fn a_question_for_what_documents_say_gives_those_that_it_names_a_share() {
    let others: Vec<Passage> = (0..9).map(|n| passage(&format!("o{n}"), "t")).collect();
    let mut searcher = FakeSearcher::new(others, 4);
    searcher.linked = of_acme(Intent::Prose);
    searcher.of_company = (0..9).map(|n| passage(&format!("c{n}"), "t")).collect();
    let (done, requests) = run(searcher, &cx()).await;
    assert_eq!(requests.len(), 2);
    assert!(!requests[0].filter.to_string().contains("company"));
    let candidates = requests.iter().map(|request| request.fetch_k);
    assert_eq!(
        candidates.collect::<Vec<_>>(),
        [100, 20],
        "four for each place of the list where it is narrowed to what is named"
    );
    let RetrieverExit::Found(scatter) = done.out else {
        panic!("nothing found")
    };
    let ids: Vec<&str> = scatter.passages.iter().map(|p| p.doc_id.as_str()).collect();
    assert_eq!(
        ids,
        ["c0", "c1", "c2", "o0", "o1"],
        "nine tenths of a list, but two places of a short one"
    );
    assert_eq!(scatter.matched, FilterMatch::Matched);
    let understood = done.conditions.unwrap();
    assert!(understood.filter.is_empty());
    assert_eq!(understood.shared[0].passages, 9);
    assert_eq!(
        understood.shared[0].conditions,
        ["company is Acme Ltd or ACME", "bucket is reports"]
    );
}

#[tokio::test]
async fn a_question_that_no_table_answers_gives_those_that_it_names_a_share() {
    let others: Vec<Passage> = (0..9).map(|n| passage(&format!("o{n}"), "t")).collect();
    let mut searcher = FakeSearcher::new(others, 4);
    searcher.linked = LinkedQuestion {
        tabulation: Tabulation::Unfit {
            why: "`leaking` is no condition".into(),
            name: None,
            facets: Vec::new(),
        },
        unread: vec![("over 10 kg".into(), "no column is known to hold that")],
        ..of_acme(Intent::Documents)
    };
    searcher.of_company = (0..9).map(|n| passage(&format!("c{n}"), "t")).collect();
    let (done, requests) = run(searcher, &cx()).await;
    assert_eq!(requests.len(), 2);
    assert!(!requests[0].filter.to_string().contains("company"));
    assert!(requests[1].filter.to_string().contains("company"));
    assert!(done.decided.contains("no table"), "{}", done.decided);
    let unread = Fallback::ConditionUnread {
        said: "over 10 kg".into(),
        why: "no column is known to hold that".into(),
    };
    assert!(done.fallbacks.contains(&unread), "{:?}", done.fallbacks);
}

#[tokio::test]
async fn that_no_bucket_fits_better_is_said() {
    for (fits_none, hints) in [(true, 0), (true, 1), (false, 0)] {
        let mut searcher = FakeSearcher::new(vec![passage("a", "t")], 4);
        searcher.linked.fits_no_bucket = fits_none;
        let retriever = Retriever::new(Arc::new(searcher), Options::default()).unwrap();
        let plan = Plan {
            bucket_hints: vec![envelope::Bucket::new("bills").unwrap(); hints],
            ..plan()
        };
        let done = retriever.run(&cx(), mapped(plan)).await.unwrap();
        assert_eq!(
            done.decided.contains("in all buckets: none fits better"),
            fits_none && hints == 0,
            "{}",
            done.decided
        );
    }
}

#[tokio::test]
async fn who_wants_no_linking_has_none() {
    let mut searcher = FakeSearcher::new(vec![passage("a", "t")], 4);
    searcher.linked = of_acme(Intent::Documents);
    let searcher = Arc::new(searcher);
    let options = Options {
        linking: false,
        ..Options::default()
    };
    let retriever = Retriever::new(searcher.clone(), options).unwrap();
    let done = retriever.run(&cx(), mapped(plan())).await.unwrap();
    assert!(!done.decided.contains("understood"));
    let requests = searcher.requests.lock().unwrap();
    assert!(!requests[0].filter.to_string().contains("company"));
}

#[tokio::test]
async fn what_a_question_for_documents_leaves_open_is_asked_back_once() {
    let mut linked = of_acme(Intent::Documents);
    linked.ambiguous = vec![linking::Ambiguity {
        said: "over 5 V".into(),
        options: vec!["input".into(), "output".into()],
        is_of_columns: true,
    }];
    let contradictory = LinkedQuestion {
        contradictory: vec![("over 5".into(), "under 3".into())],
        ..linked.clone()
    };
    for (linked, code) in [(&linked, "ambiguous"), (&contradictory, "unclear")] {
        for (intent, is_reply, asks) in [
            (Intent::Documents, false, true),
            (Intent::Documents, true, false),
            (Intent::Prose, false, false),
        ] {
            let mut searcher = FakeSearcher::new(vec![passage("a", "t")], 4);
            searcher.linked = LinkedQuestion {
                intent,
                ..linked.clone()
            };
            let mut cx = cx();
            cx.header.parent = is_reply.then(|| cx.header.turn.clone());
            let (done, requests) = run(searcher, &cx).await;
            let RetrieverExit::NothingFound(doubt) = &done.out else {
                assert!(!asks, "{}", done.decided);
                continue;
            };
            assert!(asks && requests.is_empty());
            let told = serde_json::to_value(doubt).unwrap().to_string();
            assert!(told.contains(code), "{told}");
        }
    }
}
