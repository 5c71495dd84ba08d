//! Tests of tables, against a searcher with given columns.

use crate::{Options, Retriever};
use envelope::hop::RetrieverExit;
use envelope::table::Listing;
use envelope::{
    AnswerForm, ConditionOrigin, DocId, Fallback, Filter, Plan, QuestionIntent, Role, Search,
};
use linking::days::{DayRange, day};
use linking::{
    ColumnOperation, Date, Intent, LinkedQuestion, QuestionCondition, TableQuestion, Tabulation,
    Test,
};
use search::{
    SearchRequest, SearchResult, Searcher, TableDocument, TableGroup, TableRequest, TableResult,
};
use serde_json::{Value, json};
use stage::{BoxFuture, Stage, StepContext, StepOutput};
use std::sync::{Arc, Mutex};
use testkit::model::step;

/// A fake searcher with so many documents, two columns each.
pub(super) struct Columns {
    documents: u64,
    pub(super) linked: LinkedQuestion,
    requests: Mutex<Vec<TableRequest>>,
    pub(super) is_behind: bool,
    /// A word that the documents contain.
    pub(super) said: &'static str,
}

impl Searcher for Columns {
    fn search<'a>(
        &'a self,
        request: &'a SearchRequest,
    ) -> BoxFuture<'a, Result<SearchResult, search::Error>> {
        if self.is_behind && request.after.is_some() {
            return Box::pin(async { Err(search::Error::Behind { wanted: 9, at: 4 }) });
        }
        let is_said = !self.said.is_empty() && request.query.contains(self.said);
        let total_hits = u64::from(is_said);
        Box::pin(async move {
            Ok(SearchResult {
                total_hits,
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

    fn table<'a>(
        &'a self,
        request: &'a TableRequest,
    ) -> BoxFuture<'a, Result<TableResult, search::Error>> {
        Box::pin(async move {
            self.requests.lock().unwrap().push(request.clone());
            if self.is_behind && request.after.is_some() {
                return Err(search::Error::Behind { wanted: 9, at: 4 });
            }
            let document = |n: u64| TableDocument {
                doc_id: DocId::new(format!("d{n}")).unwrap(),
                title: format!("Invoice {n}"),
                source: format!("invoices/{n}.md"),
                cells: request
                    .question
                    .shown
                    .iter()
                    .map(|it| cell(it, n))
                    .collect(),
            };
            let mut result = TableResult {
                documents: self.documents,
                rows_total: self.documents,
                unknown_fields: request
                    .filter
                    .0
                    .iter()
                    .filter(|c| c.field == "nobody")
                    .map(|c| c.field.clone())
                    .collect(),
                ..TableResult::default()
            };
            match request.question.operation {
                ColumnOperation::List => result.rows = (0..self.documents).map(document).collect(),
                _ => {
                    let key = |n: u64| request.question.group.as_ref().map(|_| format!("202{n}"));
                    let group = |n: u64| TableGroup {
                        key: key(n),
                        documents: self.documents / 2,
                        examples: vec![document(n)],
                        ..TableGroup::default()
                    };
                    let groups = if request.question.group.is_some() {
                        2
                    } else {
                        1
                    };
                    result.groups = (0..groups).map(group).collect();
                    result.rows_total = groups;
                }
            }
            Ok(result)
        })
    }
}

fn cell(column: &str, n: u64) -> Value {
    match column {
        "remarks" => json!("long ".repeat(40)),
        _ => json!(n),
    }
}

fn linked(tabulation: Tabulation) -> LinkedQuestion {
    LinkedQuestion {
        intent: Intent::Documents,
        bucket: Some("invoices".into()),
        conditions: vec![QuestionCondition {
            bucket: "invoices".into(),
            field: "vendor_name".into(),
            test: Test::Is(vec![vec!["Acme".into(), "ACME".into()]]),
            names: Vec::new(),
            is_negated: false,
            is_assumed: false,
            span: 0..1,
        }],
        tabulation,
        ..LinkedQuestion::default()
    }
}

fn list() -> Tabulation {
    Tabulation::Fit(Box::new(TableQuestion {
        shown: vec!["total".into()],
        ..TableQuestion::default()
    }))
}

pub(super) async fn run(searcher: &Arc<Columns>, cx: &StepContext) -> StepOutput<RetrieverExit> {
    run_with(searcher, cx, Plan::default()).await
}

async fn run_with(
    searcher: &Arc<Columns>,
    cx: &StepContext,
    plan: Plan,
) -> StepOutput<RetrieverExit> {
    let retriever = Retriever::new(searcher.clone(), Options::default()).unwrap();
    let plan = Plan {
        query: "q".into(),
        // What a planner guesses of texts narrows no table.
        filter: Filter::parse(
            &json!({"source": {"contains": "x"}}),
            ConditionOrigin::Planner,
        )
        .unwrap(),
        ..plan
    };
    let search = Search {
        plan,
        ..Search::default()
    };
    retriever.run(cx, search).await.unwrap()
}

pub(super) fn columns(documents: u64, tabulation: Tabulation) -> Arc<Columns> {
    Arc::new(Columns {
        documents,
        linked: linked(tabulation),
        requests: Mutex::default(),
        is_behind: false,
        said: "",
    })
}

/// A question with a word that has no place in its table; the documents contain `said`.
fn unsure(said: &'static str) -> Arc<Columns> {
    let tabulation = Tabulation::Unsure {
        table: Box::default(),
        words: vec!["gist".into()],
        why: "`gist` is no condition on a column".into(),
        facets: Vec::new(),
    };
    let searcher = Arc::into_inner(columns(3, tabulation)).unwrap();
    Arc::new(Columns { said, ..searcher })
}

fn listing(done: &StepOutput<RetrieverExit>) -> &Listing {
    match &done.out {
        RetrieverExit::Listed(listing) => listing,
        other => panic!("no table: {other:?}"),
    }
}

pub(super) fn cx(question: &str) -> StepContext {
    step(Role::Retriever, question)
}

#[tokio::test]
async fn what_fits_a_message_is_a_table_and_the_rest_a_file() {
    let few = columns(3, list());
    let done = run(&few, &cx("List all invoices from Acme")).await;
    let table = &listing(&done).table;
    assert_eq!(table.columns, ["source", "total"]);
    assert_eq!(
        (
            table.rows.len(),
            table.documents,
            table.rows[2].cites.clone()
        ),
        (3, 3, vec![3])
    );
    assert_eq!(
        table.conditions,
        ["vendor name is Acme or ACME", "bucket is invoices"]
    );
    assert!(table.file.is_none() && done.files.is_empty());
    assert_eq!(
        done.decided,
        "listed: list of 3 documents; understood: vendor_name in [\"Acme\",\"ACME\"] and bucket = \"invoices\""
    );
    let asked = few.requests.lock().unwrap()[0].filter.to_string();
    assert!(!asked.contains("source contains"), "{asked}");

    let many = columns(1_000, list());
    let done = run(&many, &cx("List all invoices from Acme as CSV")).await;
    let listing = listing(&done);
    let file = listing.table.file.as_ref().unwrap();
    assert_eq!(
        (listing.table.rows.len(), listing.table.rows_total),
        (50, 1_000)
    );
    assert_eq!(
        (listing.form, done.files[0].file.clone()),
        (AnswerForm::Csv, file.clone())
    );
    let text = String::from_utf8(done.files[0].bytes.to_vec()).unwrap();
    assert_eq!(text.lines().count(), 1_001);
    let step = serde_json::to_vec(listing).unwrap();
    assert!(step.len() < 64 * 1024, "{} bytes", step.len());
}

#[tokio::test]
async fn a_table_with_a_shortened_cell_has_a_file_with_the_whole_one() {
    let list = Tabulation::Fit(Box::new(TableQuestion {
        shown: vec!["total".into(), "remarks".into()],
        ..TableQuestion::default()
    }));
    let done = run(&columns(2, list), &cx("List all invoices from Acme")).await;
    let table = &listing(&done).table;
    assert!(table.csv().contains('…') && !table.is_cut());
    assert_eq!(table.file.as_ref(), Some(&done.files[0].file));
    let whole = String::from_utf8(done.files[0].bytes.to_vec()).unwrap();
    assert_eq!(whole.matches(&"long ".repeat(40)).count(), 2, "{whole}");
}

#[tokio::test]
async fn a_field_that_nobody_has_and_an_index_that_is_behind_are_told() {
    let mut behind = cx("List all invoices");
    behind.case.min_seq = 9;
    behind.attempt = 3;
    behind.case.filter = Filter::parse(&json!({"nobody": 1}), ConditionOrigin::User).unwrap();
    let searcher = Arc::new(Columns {
        is_behind: true,
        said: "",
        documents: 1,
        linked: linked(list()),
        requests: Mutex::default(),
    });
    let done = run(&searcher, &behind).await;
    assert!(
        done.decided.starts_with("listed: list of 1 document;"),
        "{}",
        done.decided
    );
    assert_eq!(
        done.fallbacks,
        [
            Fallback::SearchedBehind { wanted: 9, at: 4 },
            Fallback::FilterUnknownField {
                field: "nobody".into()
            }
        ]
    );
    assert!(
        !listing(&done)
            .table
            .conditions
            .iter()
            .any(|said| said.contains("nobody"))
    );
}

#[tokio::test]
async fn sides_are_told_by_themselves_without_what_lies_between_them() {
    let year = |year| QuestionCondition {
        bucket: "invoices".into(),
        field: "invoice_date".into(),
        test: Test::Days(DayRange {
            from: day(year, 1, 1),
            until: day(year + 1, 1, 1),
        }),
        names: Vec::new(),
        is_negated: false,
        is_assumed: false,
        span: 0..1,
    };
    let count = Tabulation::Fit(Box::new(TableQuestion {
        operation: ColumnOperation::Count,
        ..TableQuestion::default()
    }));
    let mut searcher = Arc::into_inner(columns(4, count)).unwrap();
    searcher.linked.parts = vec![year(2022), year(2024)];
    let question = cx("How many invoices from Acme are there in 2022 and in 2024?");
    let done = run(&Arc::new(searcher), &question).await;
    let told = [
        "invoice date is 2022-01-01 or later and is before 2023-01-01, \
         or is 2024-01-01 or later and is before 2025-01-01",
        "vendor name is Acme or ACME",
        "bucket is invoices",
    ];
    assert_eq!(listing(&done).table.conditions, told);
    assert_eq!(done.conditions.unwrap().filter, told);
}

#[tokio::test]
async fn words_without_a_place_are_left_out_where_they_say_nothing_and_that_is_told() {
    let question = cx("Give me the gist of all invoices from Acme");
    let done = run(&unsure(""), &question).await;
    let told = "Left out of account, since no document says them: `gist`.";
    assert_eq!(listing(&done).notices, [told]);

    let done = run(&unsure("gist"), &question).await;
    assert!(
        done.decided.contains("no table: `gist` is no condition"),
        "{}",
        done.decided
    );
    // A plan that knows what the question is about knows better, if documents are wanted at all.
    let plan = |intent, topic: &str| Plan {
        intent,
        topics: vec![topic.into()],
        ..Plan::default()
    };
    for (plan, is_left_out) in [
        (plan(QuestionIntent::List, "invoices of Acme"), true),
        (plan(QuestionIntent::List, "the gist"), false),
        (plan(QuestionIntent::Qa, "invoices of Acme"), false),
        // As of rules, which name no topics.
        (
            Plan {
                topics: Vec::new(),
                ..plan(QuestionIntent::List, "")
            },
            false,
        ),
    ] {
        let done = run_with(&unsure("gist"), &question, plan.clone()).await;
        let is_listed = matches!(done.out, RetrieverExit::Listed(_));
        assert_eq!(is_listed, is_left_out, "{plan:?}");
    }
}

#[tokio::test]
async fn what_was_likened_to_a_column_is_told() {
    let likened = Tabulation::Fit(Box::new(TableQuestion {
        likened: vec![("debtor".into(), "vendor_name".into())],
        ..TableQuestion::default()
    }));
    let done = run(&columns(3, likened), &cx("List all invoices from Acme")).await;
    let told = "`debtor` was taken for vendor name.";
    assert_eq!(listing(&done).notices, [told]);
}

#[tokio::test]
async fn nothing_is_counted_as_nothing() {
    let count = Tabulation::Fit(Box::new(TableQuestion {
        operation: ColumnOperation::List,
        ..TableQuestion::default()
    }));
    let done = run(&columns(0, count), &cx("List all invoices from Acme")).await;
    let table = &listing(&done).table;
    assert_eq!(
        (table.documents, table.rows.len(), table.rows_total),
        (0, 0, 0)
    );
    let cells: Vec<Value> = table
        .rows
        .iter()
        .flat_map(|row| row.cells.clone())
        .collect();
    assert!(cells.is_empty());
}

#[test]
fn values_beyond_the_limit_are_told_with_their_number() {
    let linked = |dropped: &[(&str, &'static str)]| LinkedQuestion {
        dropped: dropped
            .iter()
            .map(|(said, why)| ((*said).to_owned(), *why))
            .collect(),
        ..LinkedQuestion::default()
    };
    assert_eq!(
        super::beyond_limit(&linked(&[("Acme", "another reason")])),
        None
    );
    assert_eq!(
        super::beyond_limit(&linked(&[
            ("Acme", linking::TOO_MANY_VALUES),
            ("Bolt", linking::TOO_MANY_VALUES)
        ]))
        .as_deref(),
        Some(
            "Left out: `Acme` and 1 further value, since the question has more than 50 values of one column."
        )
    );
}
