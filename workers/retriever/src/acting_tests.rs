//! Tests of the actions of a loop (a search, a look at a document) against a stub index with fixed results.

use super::*;
use crate::options::Options;
use envelope::{Passage, ReadMark, Role, Search};
use search::{SearchRequest, Searcher};
use stage::{BoxFuture, Stage, StepOutput};
use std::sync::{Arc, Mutex};
use testkit::model::{passage, step};

/// An index that finds `a` and `b` for every query but "nothing", and knows the chunk `a.0`.
#[derive(Default)]
struct Found {
    asked: Mutex<Vec<SearchRequest>>,
}

impl Searcher for Found {
    fn search<'a>(
        &'a self,
        request: &'a SearchRequest,
    ) -> BoxFuture<'a, Result<SearchResult, search::Error>> {
        self.asked.lock().unwrap().push(request.clone());
        let all = match request.query.as_str() {
            "nothing" => vec![],
            _ => vec![passage("a", "It ends."), passage("b", "It begins.")],
        };
        Box::pin(std::future::ready(Ok(SearchResult {
            total_hits: all.len() as u64,
            passages: all,
            ..SearchResult::default()
        })))
    }

    fn fetch<'a>(
        &'a self,
        _: &'a SearchRequest,
        ids: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<Passage>, search::Error>> {
        let known = ids.iter().filter(|id| *id == "a.0");
        let found = known.map(|_| passage("a", "It ends.")).collect();
        Box::pin(std::future::ready(Ok(found)))
    }
}

async fn run(
    index: &Arc<Found>,
    query: &str,
    fetch: &[&str],
    read: &[&str],
) -> StepOutput<RetrieverExit> {
    let retriever = Retriever::new(index.clone(), Options::default()).unwrap();
    let mut cx = step(Role::Retriever, "When does it end?");
    cx.case.read = read
        .iter()
        .map(|name| ReadMark::of(&passage(name, "")))
        .collect();
    let guess = serde_json::json!({"bucket": "leases"});
    let search = Search {
        plan: Plan {
            query: query.into(),
            filter: envelope::Filter::parse(&guess, envelope::ConditionOrigin::Planner).unwrap(),
            ..Plan::default()
        },
        then: After::Review,
        fetch: fetch.iter().map(|id| (*id).to_owned()).collect(),
    };
    retriever.run(&cx, search).await.unwrap()
}

fn found(done: &StepOutput<RetrieverExit>) -> (Vec<(&str, &str)>, &FilterMatch) {
    let RetrieverExit::Found(scatter) = &done.out else {
        panic!("{:?}", done.out)
    };
    assert_eq!(scatter.after, After::Review);
    let passages = scatter.passages.iter();
    let passages = passages.map(|one| (one.doc_id.as_str(), one.text.as_str()));
    (passages.collect(), &scatter.matched)
}

#[tokio::test]
async fn an_action_is_one_search_whatever_it_finds() {
    let index = Arc::new(Found::default());
    let done = run(&index, "end", &[], &["a"]).await;
    assert_eq!(
        found(&done),
        (vec![("b", "It begins.")], &FilterMatch::Matched)
    );
    let nothing = run(&index, "nothing", &[], &[]).await;
    assert_eq!(found(&nothing), (vec![], &FilterMatch::Empty));
    assert_eq!((done.usage.searches, nothing.usage.searches), (1, 1));
    let other = run(&index, "nothing", &[], &["a"]).await;
    assert_eq!(other.decided, "nothing found", "whatever was read before");
    let unread = run(&index, "end", &[], &["a", "b"]).await;
    let told = [&done, &nothing, &unread].map(|one| one.decided.as_str());
    let wanted = [
        "1 of 2 passages",
        "nothing found",
        "nothing that was not read",
    ];
    assert_eq!(told, wanted);
    let asked = index.asked.lock().unwrap();
    let queries: Vec<_> = asked.iter().map(|one| one.query.as_str()).collect();
    assert_eq!(
        queries,
        ["end", "nothing", "nothing", "end"],
        "nothing is tried that was not asked for"
    );
    assert!(
        asked
            .iter()
            .all(|one| one.filter.to_string() == "bucket = \"leases\"")
    );
}

#[tokio::test]
async fn a_look_at_a_document_is_no_search_and_reads_no_text() {
    let index = Arc::new(Found::default());
    let done = run(&index, "get_document_metadata a", &["a.0"], &["a"]).await;
    assert_eq!(found(&done), (vec![("a", "")], &FilterMatch::Matched));
    assert_eq!(
        (done.usage.searches, done.decided.as_str()),
        (0, "what the document says of itself")
    );
    let gone = run(&index, "get_document_metadata z", &["z.0"], &[]).await;
    assert_eq!(
        (found(&gone).0, gone.decided.as_str()),
        (vec![], "no such document")
    );
    assert!(index.asked.lock().unwrap().is_empty());
}
