//! Tests that a search outside of a turn treats the conditions in its query as a retriever's step does.

use super::*;
use envelope::{ConditionOrigin, Op, Passage, TenantId};
use futures_util::future::BoxFuture;
use linking::days::day;
use linking::{Intent, LinkedQuestion, NAMED, QuestionCondition, Test};
use std::sync::Mutex;
use testkit::model::passage;

/// A corpus of three reports that are found in their order; it remembers the filters.
struct Reports {
    linked: LinkedQuestion,
    filters: Mutex<Vec<String>>,
}

impl Searcher for Reports {
    fn search<'a>(
        &'a self,
        request: &'a SearchRequest,
    ) -> BoxFuture<'a, Result<SearchResult, search::Error>> {
        let filter = request.filter.to_string();
        let all = ["acme-2019", "acme-2023", "bolt-2023"];
        let holds = |condition: &Condition, name: &str| {
            let values = condition.value.as_array();
            let mut values = values.into_iter().flatten().filter_map(|one| one.as_str());
            values.any(|value| name.contains(value))
        };
        let found = all.iter().filter(|name| {
            let mut conditions = request.filter.0.iter();
            conditions.all(|condition| holds(condition, name))
        });
        let passages: Vec<Passage> = found.map(|name| passage(name, "Sales rose.")).collect();
        self.filters.lock().unwrap().push(filter);
        Box::pin(async move {
            Ok(SearchResult {
                total_hits: passages.len() as u64,
                passages,
                ..SearchResult::default()
            })
        })
    }

    fn link<'a>(
        &'a self,
        _principal: &'a envelope::Principal,
        _question: &'a str,
        _today: Date,
    ) -> BoxFuture<'a, Result<LinkedQuestion, search::Error>> {
        Box::pin(async { Ok(self.linked.clone()) })
    }
}

/// A condition on a column, or on what documents are called.
fn condition(field: &str, name: &str) -> QuestionCondition {
    let is_name = field == NAMED;
    QuestionCondition {
        bucket: "reports".into(),
        field: field.into(),
        test: Test::Is(vec![vec![name.to_owned()]]),
        names: is_name.then(|| name.to_owned()).into_iter().collect(),
        is_negated: false,
        is_assumed: false,
        span: 0..1,
    }
}

async fn found(
    intent: Intent,
    field: &str,
    names: &[&str],
    options: &Options,
) -> (Vec<String>, LinkedResult) {
    let searcher = Reports {
        linked: LinkedQuestion {
            intent,
            conditions: names.iter().map(|name| condition(field, name)).collect(),
            dropped: vec![("31 June".into(), "the calendar has no such day")],
            ..LinkedQuestion::default()
        },
        filters: Mutex::default(),
    };
    let own = Condition::new(
        "doc_id",
        Op::In,
        serde_json::json!(["-20"]),
        ConditionOrigin::User,
    );
    let request = SearchRequest {
        filter: Filter(vec![own]),
        ..SearchRequest::new(TenantId::default_tenant(), "sales", 10, 10)
    };
    let today = day(2024, 1, 1).unwrap();
    let found = search_linked(&searcher, &request, today, options).await;
    let found = found.unwrap();
    let passages = found.result.passages.iter();
    let ids = passages.map(|one| one.doc_id.to_string()).collect();
    (ids, found)
}

#[tokio::test]
async fn words_about_a_document_put_it_first_and_leave_the_rest() {
    let (ids, result) = found(Intent::Prose, NAMED, &["acme", "2023"], &Options::default()).await;
    assert_eq!(ids, ["acme-2023", "acme-2019", "bolt-2023"]);
    let told = result.conditions().unwrap();
    let share = ConditionShare {
        conditions: vec!["name is acme and is 2023".into()],
        passages: 1,
    };
    assert_eq!((told.filter, told.shared), (Vec::new(), vec![share]));
    assert_eq!(told.dropped, ["`31 June` (the calendar has no such day)"]);
}

#[tokio::test]
async fn words_for_documents_filter_and_what_nothing_satisfies_is_given_up() {
    let (ids, result) = found(Intent::Documents, "company", &["acme"], &Options::default()).await;
    assert_eq!(ids, ["acme-2019", "acme-2023"]);
    assert_eq!(
        result.conditions().unwrap().filter,
        ["company is acme"],
        "the caller's own filter is not what the words say"
    );
    let (ids, result) = found(
        Intent::Documents,
        "company",
        &["2031", "acme"],
        &Options::default(),
    )
    .await;
    assert_eq!(ids, ["acme-2019", "acme-2023"], "2031 was given up");
    let relaxed: Vec<String> = result.relaxed.iter().map(ToString::to_string).collect();
    assert_eq!(relaxed, ["company in [\"2031\"]"]);
}

#[tokio::test]
async fn what_documents_are_called_excludes_none_of_them() {
    let (ids, result) = found(Intent::Documents, NAMED, &["bolt"], &Options::default()).await;
    assert_eq!(ids, ["bolt-2023", "acme-2019", "acme-2023"]);
    assert!(result.conditions().unwrap().filter.is_empty());
}

#[tokio::test]
async fn linking_can_be_turned_off() {
    let off = Options {
        linking: false,
        ..Options::default()
    };
    let (ids, result) = found(Intent::Documents, "company", &["acme"], &off).await;
    assert_eq!(ids, ["acme-2019", "acme-2023", "bolt-2023"]);
    assert_eq!(result.conditions(), None);
}
