//! Tests of the retriever's step against a scripted searcher.

use super::*;
use ::stage::BoxFuture;
use envelope::{ConditionOrigin, Doubt, Mode, ReadMark};
use linking::{Date, Intent, LinkedQuestion, QuestionCondition, Tabulation, Test};
use search::Fitting;
use serde_json::json;
use std::sync::Mutex;
use testkit::model::{passage, step};

/// A fake searcher: finds `passages` when the filter has no more than `conditions_max`
/// conditions, and keeps its requests.
struct FakeSearcher {
    passages: Vec<Passage>,
    conditions_max: usize,
    unknown_fields: Vec<String>,
    failed: Vec<search::SearchPart>,
    /// The position of its index.
    at: u64,
    /// A query that fails.
    broken: &'static str,
    /// The passages that can be fetched.
    known: Vec<Passage>,
    /// What the question says about documents.
    linked: LinkedQuestion,
    /// The passages of a search with a condition on a company.
    of_company: Vec<Passage>,
    fitting: Option<Fitting>,
    requests: Mutex<Vec<SearchRequest>>,
}

impl FakeSearcher {
    fn new(passages: Vec<Passage>, conditions_max: usize) -> Self {
        FakeSearcher {
            passages,
            conditions_max,
            unknown_fields: Vec::new(),
            failed: Vec::new(),
            at: 0,
            broken: "",
            known: Vec::new(),
            linked: LinkedQuestion::default(),
            of_company: Vec::new(),
            fitting: None,
            requests: Mutex::default(),
        }
    }
}

impl Searcher for FakeSearcher {
    fn search<'a>(
        &'a self,
        request: &'a SearchRequest,
    ) -> BoxFuture<'a, Result<SearchResult, search::Error>> {
        Box::pin(async move {
            self.requests.lock().unwrap().push(request.clone());
            if let Some(ReadAfter { sequence, .. }) = request.after.filter(|a| a.sequence > self.at)
            {
                let (wanted, at) = (sequence, self.at);
                return Err(search::Error::Behind { wanted, at });
            }
            if request.query == self.broken {
                return Err(search::Error::Index("broken".into()));
            }
            let mut found = SearchResult {
                unknown_fields: self.unknown_fields.clone(),
                failed: self.failed.clone(),
                fitting: self.fitting,
                ..SearchResult::default()
            };
            let of_company = request.filter.0.iter().any(|c| c.field == "company");
            if of_company && !self.of_company.is_empty() {
                found.passages = self.of_company.clone();
            } else if request.filter.0.len() <= self.conditions_max {
                found.passages = self.passages.clone();
                found.total_hits = 40;
            }
            Ok(found)
        })
    }

    fn places<'a>(
        &'a self,
        _principal: &'a envelope::Principal,
        text: &'a str,
        fields: &'a [String],
    ) -> BoxFuture<'a, Result<Filter, search::Error>> {
        assert_eq!((text, fields), (QUESTION, &["city".to_owned()][..]));
        let porto = json!({"city": {"in": ["porto"]}});
        Box::pin(async move { Ok(Filter::parse(&porto, ConditionOrigin::Planner).unwrap()) })
    }

    fn link<'a>(
        &'a self,
        _principal: &'a envelope::Principal,
        _question: &'a str,
        _today: Date,
    ) -> BoxFuture<'a, Result<LinkedQuestion, search::Error>> {
        Box::pin(async move { Ok(self.linked.clone()) })
    }

    fn fetch<'a>(
        &'a self,
        request: &'a SearchRequest,
        ids: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<Passage>, search::Error>> {
        assert_eq!(
            (&request.principal, &request.filter),
            (&cx().header.principal(), &cx().case.filter)
        );
        let mut there = self.known.clone();
        there.retain(|passage| ids.contains(&passage.chunk_id));
        Box::pin(async move { Ok(there) })
    }
}

const QUESTION: &str = "what is the total of the invoice?";

fn plan() -> Plan {
    let filter = json!({"source": {"contains": ".pdf"}});
    Plan {
        query: "total of the invoice".into(),
        keywords: vec!["total".into()],
        sub_queries: Vec::new(),
        filter: Filter::parse(&filter, ConditionOrigin::Planner).unwrap(),
        ..Plan::default()
    }
}

async fn run(
    searcher: FakeSearcher,
    cx: &StepContext,
) -> (StepOutput<RetrieverExit>, Vec<SearchRequest>) {
    let searcher = Arc::new(searcher);
    let retriever = Retriever::new(searcher.clone(), Options::default()).unwrap();
    let done = retriever.run(cx, mapped(plan())).await.unwrap();
    let requests = searcher.requests.lock().unwrap().clone();
    (done, requests)
}

fn mapped(plan: Plan) -> Search {
    Search {
        plan,
        ..Search::default()
    }
}

fn cx() -> StepContext {
    let mut cx = step(Role::Retriever, QUESTION);
    cx.case.filter = Filter::parse(&json!({"year": 2024}), ConditionOrigin::User).unwrap();
    cx
}

#[tokio::test]
async fn searches_with_both_filters_and_the_tenant() {
    let found = vec![passage("a", "text"); 9];
    let (done, requests) = run(FakeSearcher::new(found, 2), &cx()).await;
    let [request] = &requests[..] else {
        panic!("one search")
    };
    assert_eq!(request.principal, cx().header.principal());
    assert_eq!(
        request.filter.to_string(),
        "year = 2024 and source contains \".pdf\""
    );
    assert_eq!((request.fetch_k, request.top_k), (100, 5));
    let RetrieverExit::Found(scatter) = done.out else {
        panic!("nothing found")
    };
    assert_eq!((scatter.passages.len(), scatter.total_hits), (5, 40));
    assert_eq!(
        (scatter.matched, scatter.plan),
        (FilterMatch::Matched, plan())
    );
    assert_eq!((done.fallbacks, done.usage.calls), (vec![], 0));
}

#[tokio::test]
async fn relaxes_the_planners_guess_and_says_so() {
    let (done, requests) = run(FakeSearcher::new(vec![passage("a", "t")], 1), &cx()).await;
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[1].filter.to_string(), "year = 2024");
    let RetrieverExit::Found(scatter) = done.out else {
        panic!("nothing found")
    };
    assert!(matches!(scatter.matched, FilterMatch::Relaxed { .. }));
    let condition = "source contains \".pdf\"".into();
    assert_eq!(
        done.fallbacks,
        [Fallback::FilterRelaxed {
            condition,
            read: false
        }]
    );
}

#[tokio::test]
async fn places_narrow_a_search_where_columns_hold_them() {
    let city = "city in [\"porto\"]";
    for (conditions_max, searches) in [(3, 1), (2, 2), (1, 3)] {
        let searcher = FakeSearcher::new(vec![passage("a", "t")], conditions_max);
        let searcher = Arc::new(searcher);
        let options = Options {
            location_columns: vec!["city".into()],
            ..Options::default()
        };
        let retriever = Retriever::new(searcher.clone(), options).unwrap();
        let done = retriever.run(&cx(), mapped(plan())).await.unwrap();
        let requests = searcher.requests.lock().unwrap();
        assert_eq!(requests.len(), searches);
        assert!(requests[0].filter.to_string().ends_with(city));
        let dropped = |f: &Fallback| matches!(f, Fallback::FilterRelaxed { condition, .. } if condition == city);
        assert_eq!(done.fallbacks.iter().any(dropped), searches > 1);
        assert_eq!(done.fallbacks.len(), searches - 1, "one at a time");
    }
}

#[tokio::test]
async fn never_relaxes_the_users_own_condition() {
    let (done, requests) = run(FakeSearcher::new(vec![passage("a", "t")], 0), &cx()).await;
    let asked: Vec<_> = requests
        .iter()
        .map(|one| (one.filter.0.len(), &*one.query))
        .collect();
    let query = "total of the invoice";
    assert_eq!(asked, [(2, query), (1, query), (1, QUESTION)]);
    assert_eq!(done.usage.searches, 3);
    let doubt = Doubt::NoResults {
        query: "what is the total of the invoice?".into(),
        narrowed_by: vec!["year = 2024".into()],
    };
    assert_eq!(done.out, RetrieverExit::NothingFound(doubt));
    assert_eq!(done.fallbacks.len(), 1, "the relaxing is told all the same");
}

#[tokio::test]
async fn no_more_is_searched_than_the_question_may() {
    let mut cx = cx();
    cx.case.budget.searches = 2;
    let (done, requests) = run(FakeSearcher::new(Vec::new(), 0), &cx).await;
    assert_eq!((requests.len(), done.usage.searches), (2, 2));
    let limit = "searches".into();
    assert!(done.fallbacks.contains(&Fallback::BudgetSpent { limit }));
}

#[tokio::test]
async fn an_unknown_field_is_visible() {
    let mut searcher = FakeSearcher::new(vec![passage("a", "t")], 2);
    searcher.unknown_fields = vec!["year".into()];
    let (done, _) = run(searcher, &cx()).await;
    assert_eq!(
        done.fallbacks,
        [Fallback::FilterUnknownField {
            field: "year".into()
        }]
    );
}

#[tokio::test]
async fn a_part_of_the_search_that_failed_is_visible() {
    let mut searcher = FakeSearcher::new(vec![passage("a", "t")], 2);
    searcher.failed = vec![search::SearchPart::Vectors];
    let (done, _) = run(searcher, &cx()).await;
    let leg = "vectors".into();
    assert_eq!(done.fallbacks, [Fallback::SearchedWithout { leg }]);
}

#[tokio::test]
async fn an_index_that_has_what_was_written_is_searched() {
    let mut searcher = FakeSearcher::new(vec![passage("a", "t")], 1);
    searcher.at = 41;
    let mut cx = cx();
    cx.case.min_seq = 41;
    let (done, requests) = run(searcher, &cx).await;
    let condition = "source contains \".pdf\"".into();
    assert_eq!(
        done.fallbacks,
        [Fallback::FilterRelaxed {
            condition,
            read: false
        }]
    );
    let wait = Duration::from_secs(5);
    let after = requests[0].after.unwrap();
    assert_eq!((after.sequence, after.wait), (41, wait));
    // Waited for once.
    assert_eq!(requests[1].after, None);
    cx.header.deadline = envelope::UnixMs(cx.started_at.0 + 8_000);
    let mut searcher = FakeSearcher::new(vec![passage("a", "t")], 2);
    searcher.at = 41;
    let (_, requests) = run(searcher, &cx).await;
    assert_eq!(requests[0].after.unwrap().wait, Duration::from_secs(1));
}

#[tokio::test]
async fn an_index_that_is_behind_is_left_to_others_and_searched_in_the_end() {
    let mut cx = cx();
    cx.case.min_seq = 42;
    for attempt in [1, 2, 3] {
        let mut searcher = FakeSearcher::new(vec![passage("a", "t")], 2);
        searcher.at = 41;
        cx.attempt = attempt;
        let retriever = Retriever::new(Arc::new(searcher), Options::default()).unwrap();
        let done = retriever.run(&cx, mapped(plan())).await;
        if attempt < 3 {
            let error = done.unwrap_err();
            assert_eq!(
                (error.class, error.code),
                (Class::Transient, "index_behind")
            );
            continue;
        }
        let done = done.unwrap();
        let behind = Fallback::SearchedBehind { wanted: 42, at: 41 };
        assert_eq!(done.fallbacks, [behind]);
        assert!(matches!(done.out, RetrieverExit::Found(_)));
    }
}

#[tokio::test]
async fn a_text_is_cut_around_what_it_was_found_for() {
    let text = format!(
        "{}The total is 5. {}",
        "Noise. ".repeat(40),
        "Noise. ".repeat(40)
    );
    let searcher = Arc::new(FakeSearcher::new(vec![passage("a", &text)], 2));
    let options = Options {
        context_chars: Some(80),
        ..Options::default()
    };
    let retriever = Retriever::new(searcher, options).unwrap();
    let done = retriever.run(&cx(), mapped(plan())).await.unwrap();
    let RetrieverExit::Found(scatter) = done.out else {
        panic!("nothing found")
    };
    let cut = &scatter.passages[0];
    assert!(cut.text.contains("The total is 5.") && cut.text.chars().count() < 90);
    assert_eq!((cut.line, cut.page), (1, None));
}

#[tokio::test]
async fn a_search_that_is_generated_from_fetches_less_in_simple_mode() {
    for (mode, counts) in [(Mode::Simple, (20, 5)), (Mode::Agentic, (100, 7))] {
        let searcher = Arc::new(FakeSearcher::new(vec![passage("a", "t")], 2));
        let retriever = Retriever::new(searcher.clone(), Options::default()).unwrap();
        let search = Search {
            plan: plan(),
            then: After::Generate,
            ..Search::default()
        };
        let mut cx = cx();
        cx.case.mode = mode;
        let done = retriever.run(&cx, search).await.unwrap();
        let requests = searcher.requests.lock().unwrap().clone();
        assert_eq!((requests[0].fetch_k, requests[0].top_k), counts, "{mode:?}");
        assert!(
            matches!(&done.out, RetrieverExit::Found(found) if found.after == After::Generate),
            "what follows stands in what is found"
        );
    }
}

#[tokio::test]
async fn what_is_far_below_the_best_goes_into_no_prompt_of_all_passages() {
    let scores = [0.9, 0.8, 0.1, 0.1, 0.5];
    for (then, mode, kept) in [
        (After::Generate, Mode::Agentic, 4),
        (After::Generate, Mode::Simple, 5),
        (After::Map, Mode::Agentic, 5),
    ] {
        let scored = scores.iter().enumerate().map(|(i, score)| Passage {
            score: *score,
            ..passage(&format!("d{i}"), "t")
        });
        let searcher = Arc::new(FakeSearcher::new(scored.collect(), 2));
        let retriever = Retriever::new(searcher, Options::default()).unwrap();
        let search = Search {
            plan: plan(),
            then,
            ..Search::default()
        };
        let mut cx = cx();
        cx.case.mode = mode;
        let done = retriever.run(&cx, search).await.unwrap();
        let RetrieverExit::Found(found) = &done.out else {
            panic!("nothing found")
        };
        assert_eq!(found.passages.len(), kept, "{then:?} {mode:?}");
        let is_told = done.decided.contains("1 far below the best left out");
        assert_eq!(is_told, kept < 5, "{}", done.decided);
    }
}

/// Runs a step that knows two chunks, of which the index has `known`.
async fn looked(question: &str, known: &[Passage]) -> (StepOutput<RetrieverExit>, usize) {
    let ids = ["a", "b"].map(|doc| passage(doc, "").chunk_id);
    let mut searcher = FakeSearcher::new(vec![passage("c", "t")], 2);
    searcher.known = known.to_vec();
    let searcher = Arc::new(searcher);
    let retriever = Retriever::new(searcher.clone(), Options::default()).unwrap();
    let mut cx = cx();
    cx.case.question.rewritten = Some(question.into());
    let search = Search {
        fetch: ids.into(),
        ..mapped(plan())
    };
    let done = retriever.run(&cx, search).await.unwrap();
    let searches = searcher.requests.lock().unwrap().len();
    (done, searches)
}

#[tokio::test]
async fn known_chunks_answer_where_they_hold_all_that_is_asked_for() {
    let known = [
        passage("a", "The grant of Acme is 800 for 2 children."),
        passage("b", "It is paid in May."),
    ];
    let question = "How much is the grant of Acme for 2 children?";
    let (done, searches) = looked(question, &known).await;
    assert_eq!(searches, 0);
    assert_eq!(done.decided, "known: 2 of 2 passages");
    let RetrieverExit::Found(scatter) = done.out else {
        panic!("nothing found")
    };
    assert_eq!(
        (scatter.after, &scatter.passages[..]),
        (After::Generate, &known[..])
    );
    let question = "How much is the grant of Acme for 3 children?";
    let (done, searches) = looked(question, &known).await;
    assert_eq!(searches, 1);
    assert!(matches!(&done.out, RetrieverExit::Found(found) if found.after == After::Map));
    assert_eq!(
        done.decided,
        "the known passages lack `3`; 1 of 40 passages"
    );
    let (done, searches) = looked("Who is Acme?", &known[..1]).await;
    assert_eq!(searches, 1);
    assert!(done.decided.starts_with("1 of 2 known passages not there"));
}

#[tokio::test]
async fn a_search_leans_on_the_question_before() {
    for (weight, leans) in [(0.3, true), (0.0, false)] {
        let searcher = Arc::new(FakeSearcher::new(vec![passage("a", "t")], 2));
        let options = Options {
            context_weight: weight,
            ..Options::default()
        };
        let retriever = Retriever::new(searcher.clone(), options).unwrap();
        let context = "which invoices are there?".to_owned();
        let leaning = Plan {
            context: context.clone(),
            ..plan()
        };
        retriever.run(&cx(), mapped(leaning)).await.unwrap();
        let requests = searcher.requests.lock().unwrap();
        let text = context;
        assert_eq!(
            requests[0].context,
            leans.then_some(QueryContext { text, weight })
        );
    }
}

#[test]
fn what_only_vectors_found_is_none_of_those_that_match() {
    assert_eq!(counted(3, 19), "3 of 19 passages");
    assert_eq!(counted(1, 1), "1 of 1 passage");
    assert_eq!(counted(3, 2), "3 passages, 2 by words");
    assert_eq!(counted(1, 0), "1 passage, 0 by words");
}

mod later;
mod linking_tests;
mod named;
mod sub_queries;
