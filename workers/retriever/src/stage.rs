//! The step: search, relax, search again, fit. The only place that waits.

use crate::narrowing::Narrowing;
use crate::options::Options;
use crate::passages::fit;
use envelope::route::RetrieverExit;
use envelope::{Class, Classed, CodecError, Fallback, Matched, Mode, Passage, Plan, Role, Scatter};
use retrieval::{After, Gathered, Request, SearchResult, Searcher, context, search_each};
use stage::{BoxFuture, Cx, Done, Stage};
use std::sync::Arc;
use std::time::Duration;

/// Longest wait of one delivery for an index that is behind, and its part of the time that is left.
const BEHIND_WAIT_MAX: Duration = Duration::from_secs(5);
const BEHIND_WAIT_PART: u32 = 8;
/// The delivery that searches an index that is behind all the same: the ones before it may have come
/// to other replicas.
const BEHIND_ATTEMPT: u16 = 3;

/// Why there are no passages, or no retriever.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Options that cannot be kept to.
    #[error("retriever options: {0}")]
    Options(String),
    /// A passage that cannot be written as JSON.
    #[error("passage not encodable: {0}")]
    Encode(#[from] CodecError),
}

impl Classed for Error {
    fn class(&self) -> Class {
        match self {
            Error::Options(_) => Class::Permanent,
            Error::Encode(_) => Class::Bug,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Error::Options(_) => "retriever_options",
            Error::Encode(_) => "passage_encoding",
        }
    }
}

/// The retriever.
pub struct Retriever {
    searcher: Arc<dyn Searcher>,
    options: Options,
}

impl Retriever {
    /// A retriever over `searcher`; fails when the options are nonsense.
    pub fn new(searcher: Arc<dyn Searcher>, options: Options) -> Result<Self, Error> {
        options.validate()?;
        Ok(Retriever { searcher, options })
    }

    async fn retrieve(&self, cx: &Cx, plan: Plan) -> Result<Done<RetrieverExit>, stage::Error> {
        let mut narrowing = Narrowing::of(&cx.case, &plan);
        let (mut found, behind) = self.search_current(cx, &plan, &narrowing).await?;
        if found.result.passages.is_empty()
            && let Some(relaxed) = narrowing.relaxed()
        {
            narrowing = relaxed;
            found = self.search(cx, &plan, &narrowing, None).await?;
        }
        let Gathered {
            result: found,
            found: by_sub_query,
            failed,
        } = found;
        let mut fallbacks = Vec::from_iter(behind);
        fallbacks.extend(narrowing.fallbacks(&found.unknown_fields));
        fallbacks.extend(found.failed.iter().map(|leg| Fallback::SearchedWithout {
            leg: leg.as_str().into(),
        }));
        let failed = failed.into_iter();
        fallbacks.extend(failed.map(|query| Fallback::SubQueryFailed { query }));
        let mut done = if found.passages.is_empty() {
            let doubt = narrowing.doubt(&cx.case, &found.unknown_fields, &found.unlike_fields);
            Done::new(RetrieverExit::NothingFound(doubt), "nothing found")
        } else {
            let matched = narrowing.matched(&found.unknown_fields);
            self.scatter(cx.case.mode, plan, found, matched)?
        };
        done.decided.push_str(&told(&by_sub_query));
        done.fallbacks.splice(0..0, fallbacks);
        Ok(done)
    }

    /// Searches an index that has what the question wants to be searched. One that is behind gives
    /// the step to another replica, and is searched in the end, which is told: better an answer that
    /// may lack the newest document than none.
    async fn search_current(
        &self,
        cx: &Cx,
        plan: &Plan,
        narrowing: &Narrowing,
    ) -> Result<(Gathered, Option<Fallback>), retrieval::Error> {
        let after = (cx.case.min_seq > 0).then(|| After {
            sequence: cx.case.min_seq,
            wait: BEHIND_WAIT_MAX.min(cx.time_left() / BEHIND_WAIT_PART),
        });
        match self.search(cx, plan, narrowing, after).await {
            Err(retrieval::Error::Behind { wanted, at }) if cx.attempt >= BEHIND_ATTEMPT => {
                let found = self.search(cx, plan, narrowing, None).await?;
                Ok((found, Some(Fallback::SearchedBehind { wanted, at })))
            }
            other => Ok((other?, None)),
        }
    }

    async fn search(
        &self,
        cx: &Cx,
        plan: &Plan,
        narrowing: &Narrowing,
        after: Option<After>,
    ) -> Result<Gathered, retrieval::Error> {
        let (fetch_k, top_k) = match cx.case.mode {
            Mode::Agentic => (self.options.fetch_k, self.options.map_max),
            Mode::Simple => (self.options.simple_k, self.options.simple_max),
        };
        let request = Request {
            tenant: cx.header.tenant.clone(),
            buckets: cx.case.buckets.clone(),
            filter: narrowing.filter.clone(),
            query: plan.query.clone(),
            keywords: plan.keywords.clone(),
            fetch_k,
            top_k,
            after,
        };
        let sub_queries = match self.options.sub_queries {
            true => &plan.sub_queries[..],
            false => &[],
        };
        let per_query_k = self.options.per_query_k;
        search_each(&*self.searcher, &request, sub_queries, per_query_k).await
    }

    fn scatter(
        &self,
        mode: Mode,
        plan: Plan,
        mut found: SearchResult,
        matched: Matched,
    ) -> Result<Done<RetrieverExit>, Error> {
        if let Some(chars) = self.options.context_chars {
            for passage in &mut found.passages {
                let asked = asked_of(&plan, passage);
                passage.text = context(&passage.text, &asked, chars);
            }
        }
        let count_max = match mode {
            Mode::Agentic => self.options.map_max,
            Mode::Simple => self.options.simple_max,
        };
        let (passages, trimmed) = fit(found.passages, count_max)?;
        let noun = if found.total_hits == 1 {
            "passage"
        } else {
            "passages"
        };
        let decided = format!("{} of {} {noun}", passages.len(), found.total_hits);
        let scatter = Scatter {
            plan,
            passages,
            matched,
            total_hits: found.total_hits,
        };
        let mut done = Done::new(RetrieverExit::Found(scatter), decided);
        if trimmed > 0 {
            done = done.with_fallback(Fallback::PassagesTrimmed { count: trimmed });
        }
        Ok(done)
    }
}

/// What a passage was found for, in words.
fn asked_of(plan: &Plan, passage: &Passage) -> String {
    let places = passage.found_by.iter();
    let parts = places.filter_map(|place| plan.sub_queries.get(usize::from(*place)));
    let parts: Vec<&str> = parts.map(String::as_str).collect();
    match parts.is_empty() {
        true => plan.query.clone(),
        false => parts.join(" "),
    }
}

/// How many passages each sub-query found.
fn told(found: &[Option<usize>]) -> String {
    if found.is_empty() {
        return String::new();
    }
    let told = found.iter().map(|found| match found {
        Some(count) => count.to_string(),
        None => "failed".into(),
    });
    let told: Vec<String> = told.collect();
    format!("; by sub-query: {}", told.join(", "))
}

impl Stage for Retriever {
    type In = Plan;
    type Out = RetrieverExit;
    const ROLE: Role = Role::Retriever;

    fn run<'a>(
        &'a self,
        cx: &'a Cx,
        plan: Plan,
    ) -> BoxFuture<'a, Result<Done<RetrieverExit>, stage::Error>> {
        Box::pin(self.retrieve(cx, plan))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::{Doubt, Filter, Origin};
    use serde_json::json;
    use std::sync::Mutex;
    use testkit::model::{passage, step};

    /// A fake searcher: finds `passages` when the filter has no more than `conditions_max`
    /// conditions, and keeps its requests.
    struct FakeSearcher {
        passages: Vec<Passage>,
        conditions_max: usize,
        unknown_fields: Vec<String>,
        failed: Vec<retrieval::Leg>,
        /// Where its index is.
        at: u64,
        /// A query that fails.
        broken: &'static str,
        requests: Mutex<Vec<Request>>,
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
                requests: Mutex::default(),
            }
        }
    }

    impl Searcher for FakeSearcher {
        fn search<'a>(
            &'a self,
            request: &'a Request,
        ) -> BoxFuture<'a, Result<SearchResult, retrieval::Error>> {
            Box::pin(async move {
                self.requests.lock().unwrap().push(request.clone());
                if let Some(After { sequence, .. }) = request.after.filter(|a| a.sequence > self.at)
                {
                    let (wanted, at) = (sequence, self.at);
                    return Err(retrieval::Error::Behind { wanted, at });
                }
                if request.query == self.broken {
                    return Err(retrieval::Error::Index("broken".into()));
                }
                let mut found = SearchResult {
                    unknown_fields: self.unknown_fields.clone(),
                    failed: self.failed.clone(),
                    ..SearchResult::default()
                };
                if request.filter.0.len() <= self.conditions_max {
                    found.passages = self.passages.clone();
                    found.total_hits = 40;
                }
                Ok(found)
            })
        }
    }

    fn plan() -> Plan {
        let filter = json!({"source": {"contains": ".pdf"}});
        Plan {
            query: "total of the invoice".into(),
            keywords: vec!["total".into()],
            sub_queries: Vec::new(),
            filter: Filter::parse(&filter, Origin::Planner).unwrap(),
        }
    }

    async fn run(searcher: FakeSearcher, cx: &Cx) -> (Done<RetrieverExit>, Vec<Request>) {
        let searcher = Arc::new(searcher);
        let retriever = Retriever::new(searcher.clone(), Options::default()).unwrap();
        let done = retriever.run(cx, plan()).await.unwrap();
        let requests = searcher.requests.lock().unwrap().clone();
        (done, requests)
    }

    fn cx() -> Cx {
        let mut cx = step(Role::Retriever, "what is the total of the invoice?");
        cx.case.filter = Filter::parse(&json!({"year": 2024}), Origin::User).unwrap();
        cx
    }

    #[tokio::test]
    async fn searches_with_both_filters_and_the_tenant() {
        let found = vec![passage("a", "text"); 9];
        let (done, requests) = run(FakeSearcher::new(found, 2), &cx()).await;
        let [request] = &requests[..] else {
            panic!("one search")
        };
        assert_eq!(request.tenant, cx().header.tenant);
        assert_eq!(
            request.filter.to_string(),
            "year = 2024 and source contains \".pdf\""
        );
        assert_eq!((request.fetch_k, request.top_k), (100, 5));
        let RetrieverExit::Found(scatter) = done.out else {
            panic!("nothing found")
        };
        assert_eq!((scatter.passages.len(), scatter.total_hits), (5, 40));
        assert_eq!((scatter.matched, scatter.plan), (Matched::Matched, plan()));
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
        assert!(matches!(scatter.matched, Matched::Relaxed { .. }));
        let condition = "source contains \".pdf\"".into();
        assert_eq!(done.fallbacks, [Fallback::FilterRelaxed { condition }]);
    }

    #[tokio::test]
    async fn never_relaxes_the_users_own_condition() {
        let (done, requests) = run(FakeSearcher::new(vec![passage("a", "t")], 0), &cx()).await;
        assert_eq!(requests.len(), 2);
        let RetrieverExit::NothingFound(Doubt::NoResults { query, narrowed_by }) = done.out else {
            panic!("found something")
        };
        assert_eq!(query, "what is the total of the invoice?");
        assert_eq!(narrowed_by, ["year = 2024"]);
        assert_eq!(done.fallbacks.len(), 1, "the relaxing is told all the same");
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
        searcher.failed = vec![retrieval::Leg::Vectors];
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
        assert_eq!(done.fallbacks, [Fallback::FilterRelaxed { condition }]);
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
            let done = retriever.run(&cx, plan()).await;
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
            sub_queries: vec!["total of bill 7".into(), "total of bill 8".into()],
            ..plan()
        };
        let done = retriever.run(&cx(), plan).await.unwrap();
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
    async fn sub_queries_are_left_alone_unless_they_are_wanted() {
        let searcher = Arc::new(FakeSearcher::new(vec![passage("a", "t")], 2));
        let retriever = Retriever::new(searcher.clone(), Options::default()).unwrap();
        let plan = Plan {
            sub_queries: vec!["total of bill 7".into()],
            ..plan()
        };
        let done = retriever.run(&cx(), plan).await.unwrap();
        assert_eq!(searcher.requests.lock().unwrap().len(), 1);
        assert_eq!(done.decided, "1 of 40 passages");
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
        let done = retriever.run(&cx(), plan()).await.unwrap();
        let RetrieverExit::Found(scatter) = done.out else {
            panic!("nothing found")
        };
        let cut = &scatter.passages[0];
        assert!(cut.text.contains("The total is 5.") && cut.text.chars().count() < 90);
        assert_eq!((cut.line, cut.page), (1, None));
    }

    #[tokio::test]
    async fn simple_mode_fetches_less() {
        let mut cx = cx();
        cx.case.mode = Mode::Simple;
        let (_, requests) = run(FakeSearcher::new(vec![passage("a", "t")], 2), &cx).await;
        assert_eq!((requests[0].fetch_k, requests[0].top_k), (20, 5));
    }
}
