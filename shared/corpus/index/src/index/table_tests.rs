//! Tests of tables: counts, sums, groups, and the documents that are left out. *Not* here: how a question is read as a
//! request for a table.

use crate::index::{Index, VectorSource};
use envelope::{ChunkRecord, ConditionOrigin, Filter};
use linking::{ColumnOperation, CurrencySource, GroupKey, TableQuestion};
use search::{TableRequest, TableResult};
use serde_json::{Value, json};

fn index(documents: &[Value]) -> Index {
    let index = Index::open_in_ram(&VectorSource::None).unwrap();
    let mut writer = index.writer().unwrap();
    let records: Vec<ChunkRecord> = documents
        .iter()
        .enumerate()
        .map(|(n, metadata)| {
            let tenant = metadata["tenant"].as_str().unwrap_or("default");
            let bucket = metadata["bucket"].as_str().unwrap_or("invoices");
            let record = json!({
                "v": 1, "tenant": tenant, "bucket": bucket, "doc_id": format!("d{n}"), "n": 0, "of": 1,
                "hash": "h", "source": format!("invoices/{n:02}.md"), "title": format!("Invoice {n}"),
                "text": "words", "metadata": metadata,
            });
            serde_json::from_value(record).unwrap()
        })
        .collect();
    writer.apply(&records).unwrap();
    writer.commit(1, "s").unwrap();
    index
}

fn some() -> Index {
    index(&[
        json!({"vendor": "Acme Ltd", "total": 100.1, "currency": "EUR", "date": "2024-02-03"}),
        json!({"vendor": "ACME", "total": 200.2, "currency": "EUR", "date": "2024-05-03"}),
        json!({"vendor": "Bolt", "total": 50, "currency": "USD", "date": "2023-12-31"}),
        json!({"vendor": "Bolt", "total": "on request", "currency": "USD"}),
        json!({"vendor": "Acme Ltd", "total": 7, "date": "2024-05-09"}),
        json!({"tenant": "other", "vendor": "Acme Ltd", "total": 1e6, "currency": "EUR", "date": "2024-01-01"}),
    ])
}

fn table(index: &Index, question: TableQuestion, filter: Value) -> TableResult {
    let request = TableRequest {
        principal: envelope::Principal::default(),
        buckets: Vec::new(),
        filter: Filter::parse(&filter, ConditionOrigin::Planner).unwrap(),
        question,
        rows_max: 100,
        after: None,
    };
    index.table(&request).unwrap()
}

fn asked(operation: ColumnOperation) -> TableQuestion {
    TableQuestion {
        operation,
        measure: Some("total".into()),
        currency: Some("currency".into()),
        shown: vec!["total".into()],
        ..TableQuestion::default()
    }
}

fn groups(result: &TableResult) -> Vec<String> {
    let shown = |group: &search::TableGroup| {
        format!(
            "{} {} {} {}",
            group.key.as_deref().unwrap_or("-"),
            group.currency.as_deref().unwrap_or("-"),
            group.documents,
            group.sum
        )
    };
    result.groups.iter().map(shown).collect()
}

#[test]
fn currencies_are_never_added_and_what_lacks_something_is_counted() {
    let result = table(&some(), asked(ColumnOperation::Sum), json!({}));
    assert_eq!(result.documents, 5, "another tenant's is not there");
    assert_eq!(groups(&result), ["- EUR 2 300.3", "- USD 1 50"]);
    assert_eq!(
        result.missing,
        [("total".to_owned(), 1), ("currency".to_owned(), 1)]
    );
    let mean = table(&some(), asked(ColumnOperation::Average), json!({}));
    assert_eq!(mean.groups[0].mean, Some(150.15));
}

#[test]
fn each_bucket_says_the_currency_in_its_own_way() {
    let index = index(&[
        json!({"total": 1}),
        json!({"total": 2, "bucket": "bills", "billed_in": "USD"}),
        json!({"total": 4, "bucket": "contracts"}),
        json!({"total": 8, "bucket": "orders"}),
        json!({"total": 16, "bucket": "bills"}),
    ]);
    let sources = [
        ("invoices", CurrencySource::Unit("EUR")),
        ("contracts", CurrencySource::Unit("USD")),
        ("bills", CurrencySource::Column("billed_in".into())),
    ];
    let sources = sources.map(|(bucket, source)| (bucket.to_owned(), source));
    let asked = |operation| TableQuestion {
        currency_of: sources.clone().into(),
        shown: vec!["total".into(), "currency".into()],
        ..asked(operation)
    };
    let sum = table(&index, asked(ColumnOperation::Sum), json!({}));
    assert_eq!(groups(&sum), ["- EUR 1 1", "- USD 2 6"]);
    assert_eq!(sum.missing, [("currency".to_owned(), 2)]);
    let largest = table(&index, asked(ColumnOperation::Largest), json!({}));
    let cells: Vec<&Vec<Value>> = largest.rows.iter().map(|row| &row.cells).collect();
    assert_eq!(
        cells,
        [&vec![json!(1), json!("EUR")], &vec![json!(4), json!("USD")]]
    );
}

#[test]
fn a_currency_that_is_none_is_counted_as_missing() {
    let index = index(&[
        json!({"total": 1, "currency": "EUR"}),
        json!({"total": 2, "currency": " "}),
        json!({"total": 3, "currency": null}),
        json!({"total": 4, "currency": ["EUR", "USD"]}),
    ]);
    for operation in [ColumnOperation::Sum, ColumnOperation::Largest] {
        let result = table(&index, asked(operation), json!({}));
        assert_eq!(result.documents, 4);
        assert_eq!(result.missing, [("currency".to_owned(), 3)]);
    }
}

#[test]
fn groups_are_of_values_however_they_are_written_and_of_the_calendar() {
    let by = |group| TableQuestion {
        group: Some(group),
        ..asked(ColumnOperation::Count)
    };
    let vendor = table(&some(), by(GroupKey::Column("vendor".into())), json!({}));
    assert_eq!(groups(&vendor), ["Acme Ltd - 3 0", "Bolt - 2 0"]);
    assert_eq!(vendor.groups[0].examples.len(), 3);
    let quarter = table(&some(), by(GroupKey::Quarter("date".into())), json!({}));
    assert_eq!(
        groups(&quarter),
        ["2023-Q4 - 1 0", "2024-Q1 - 1 0", "2024-Q2 - 2 0"]
    );
    assert_eq!(quarter.missing, [("date".to_owned(), 1)]);
    let month = table(
        &some(),
        by(GroupKey::Month("date".into())),
        json!({"date": {"gte": "2024-01-01"}}),
    );
    assert_eq!(groups(&month), ["2024-02 - 1 0", "2024-05 - 2 0"]);
    assert_eq!(
        month.missing,
        [("date".to_owned(), 1)],
        "what a condition shuts out for want of a value"
    );
}

#[test]
fn values_that_differ_in_more_than_their_spelling_are_groups_of_their_own() {
    let kinds = [
        json!(1.5),
        json!(15),
        json!(-5),
        json!(5),
        json!(1.5),
        json!("A"),
        json!("A+"),
        json!("A-"),
        json!("C"),
        json!("C++"),
        json!("C#"),
        json!("1.10"),
        json!("11.0"),
        json!("Best-Buy"),
        json!("BEST BUY"),
        json!("2024"),
        json!(2024),
    ];
    let documents: Vec<Value> = kinds.iter().map(|kind| json!({"kind": kind})).collect();
    let by_kind = TableQuestion {
        group: Some(GroupKey::Column("kind".into())),
        ..asked(ColumnOperation::Count)
    };
    let result = table(&index(&documents), by_kind, json!({}));
    let mut found = groups(&result);
    found.sort();
    let wanted = [
        "-5 - 1 0",
        "1.10 - 1 0",
        "1.5 - 2 0",
        "11.0 - 1 0",
        "15 - 1 0",
        "2024 - 2 0",
        "5 - 1 0",
        "A - 1 0",
        "A+ - 1 0",
        "A- - 1 0",
        "BEST BUY - 2 0",
        "C - 1 0",
        "C# - 1 0",
        "C++ - 1 0",
    ];
    assert_eq!(found, wanted);
}

#[test]
fn two_legal_forms_of_a_name_are_two_groups_and_one_is_none() {
    let documents = [
        json!({"vendor": "Acme Ltd", "total": 1, "currency": "EUR"}),
        json!({"vendor": "Acme GmbH", "total": 2, "currency": "EUR"}),
        json!({"vendor": "ACME", "total": 4, "currency": "EUR"}),
        json!({"vendor": "Bolt Ltd", "total": 8, "currency": "EUR"}),
        json!({"vendor": ["BOLT", "Bolt Limited"], "total": 16, "currency": "EUR"}),
        json!({"vendor": "Bolt", "total": 32, "currency": "EUR"}),
    ];
    let by_vendor = |operation| TableQuestion {
        group: Some(GroupKey::Column("vendor".into())),
        ..asked(operation)
    };
    let result = table(
        &index(&documents),
        by_vendor(ColumnOperation::Sum),
        json!({}),
    );
    assert_eq!(
        groups(&result),
        [
            "ACME EUR 1 4",
            "Acme GmbH EUR 1 2",
            "Acme Ltd EUR 1 1",
            "Bolt EUR 3 56"
        ]
    );
    let bolt = &result.groups[3];
    let sources: Vec<&str> = bolt
        .examples
        .iter()
        .map(|row| row.source.as_str())
        .collect();
    assert_eq!(
        sources,
        ["invoices/03.md", "invoices/04.md", "invoices/05.md"]
    );
    assert_eq!((bolt.values.len(), result.rows_total), (3, 4));
}

#[test]
fn documents_with_the_same_largest_value_are_all_shown() {
    let of = |total: u32| json!({"vendor": "Acme", "total": total, "currency": "EUR"});
    let documents = [of(5), of(9), of(9), of(7)];
    let largest = |limit| TableQuestion {
        limit: Some(limit),
        ..asked(ColumnOperation::Largest)
    };
    let found = |limit| {
        let result = table(&index(&documents), largest(limit), json!({}));
        let rows = result.rows.iter().map(|row| row.source.clone());
        rows.collect::<Vec<String>>()
    };
    assert_eq!(found(1), ["invoices/01.md", "invoices/02.md"]);
    assert_eq!(
        found(3),
        ["invoices/01.md", "invoices/02.md", "invoices/03.md"]
    );
}

#[test]
fn a_value_that_a_scanner_misread_is_counted_as_the_right_one() {
    let of =
        |vendor: &str, total: u32| json!({"vendor": vendor, "total": total, "currency": "EUR"});
    let documents = [
        of("Brightwater Ltd", 1),
        of("Brightwater", 2),
        of("BRIGHTWATER LTD", 4),
        of("Brlghtwater Ltd", 8),
        of("HX-1001", 16),
        of("HX-1001", 16),
        of("HX-1001", 16),
        of("HX-100I", 32),
    ];
    let by_vendor = TableQuestion {
        group: Some(GroupKey::Column("vendor".into())),
        ..asked(ColumnOperation::Sum)
    };
    let result = table(&index(&documents), by_vendor, json!({}));
    assert_eq!(
        groups(&result),
        [
            "BRIGHTWATER LTD EUR 4 15",
            "HX-1001 EUR 3 48",
            "HX-100I EUR 1 32"
        ]
    );
}

#[test]
fn the_largest_of_each_currency_and_the_newest() {
    let largest = table(&some(), asked(ColumnOperation::Largest), json!({}));
    let sources: Vec<&str> = largest.rows.iter().map(|row| row.source.as_str()).collect();
    assert_eq!(sources, ["invoices/01.md", "invoices/02.md"]);
    let newest = TableQuestion {
        measure: Some("date".into()),
        is_day: true,
        currency: None,
        limit: Some(2),
        ..asked(ColumnOperation::Largest)
    };
    let newest = table(&some(), newest, json!({}));
    let sources: Vec<&str> = newest.rows.iter().map(|row| row.source.as_str()).collect();
    assert_eq!(sources, ["invoices/04.md", "invoices/01.md"]);
    let smallest = table(
        &some(),
        asked(ColumnOperation::Smallest),
        json!({"currency": "EUR"}),
    );
    assert_eq!(smallest.rows[0].cells, [json!(100.1)]);
}

#[test]
fn a_list_is_by_source_and_bounded_and_a_field_that_nobody_has_is_told() {
    let index = some();
    let list = TableQuestion {
        operation: ColumnOperation::List,
        ..asked(ColumnOperation::List)
    };
    let request = TableRequest {
        principal: envelope::Principal::default(),
        buckets: Vec::new(),
        filter: Filter::parse(
            &json!({"nobody": 1, "vendor": {"gt": 5}}),
            ConditionOrigin::User,
        )
        .unwrap(),
        question: list.clone(),
        rows_max: 2,
        after: None,
    };
    let none = index.table(&request).unwrap();
    assert_eq!((none.documents, none.rows.len()), (0, 0));
    assert_eq!(
        (none.unknown_fields, none.unlike_fields),
        (vec!["nobody".to_owned()], vec!["vendor".to_owned()])
    );
    let two = index
        .table(&TableRequest {
            filter: Filter::default(),
            ..request
        })
        .unwrap();
    assert_eq!((two.documents, two.rows_total, two.rows.len()), (5, 5, 2));
    assert_eq!(two.rows[1].source, "invoices/01.md");
}

/// Prints how long a table takes: `ARGOSY_TABLE_DOCUMENTS=100000 cargo test --release -p argosy-index -- --ignored --nocapture a_table_of_many`.
#[test]
#[ignore = "a measurement"]
fn a_table_of_many() {
    let many = settings::sources::variable("ARGOSY_TABLE_DOCUMENTS")
        .and_then(|many| many.to_str()?.parse().ok())
        .unwrap_or(5_000);
    let text =
        "It was issued on the day that is named above, and it is payable in full. ".repeat(20);
    let documents: Vec<Value> = (0..many)
        .map(|n: u32| {
            let currency = ["EUR", "USD"][(n % 2) as usize];
            json!({
                "vendor": format!("Vendor {}", n % 300), "total": f64::from(n) / 7.0, "currency": currency,
                "date": format!("20{:02}-{:02}-11", 10 + n % 15, 1 + n % 12), "number": format!("N-{n}"), "note": text,
            })
        })
        .collect();
    let index = index(&documents);
    for (name, question) in [
        (
            "list",
            TableQuestion {
                operation: ColumnOperation::List,
                ..asked(ColumnOperation::List)
            },
        ),
        ("sum", asked(ColumnOperation::Sum)),
        (
            "by vendor",
            TableQuestion {
                group: Some(GroupKey::Column("vendor".into())),
                ..asked(ColumnOperation::Sum)
            },
        ),
    ] {
        let mut times: Vec<f64> = (0..5)
            .map(|_| {
                let begun = std::time::Instant::now();
                let result = table(&index, question.clone(), json!({}));
                assert_eq!(result.documents, u64::from(many));
                begun.elapsed().as_secs_f64() * 1e3
            })
            .collect();
        times.sort_by(f64::total_cmp);
        println!("{name}: {:.1} ms of {many} documents", times[2]);
    }
}

#[test]
fn documents_without_a_column_are_grouped_by_what_they_are_called() {
    let record = |n: u32, source: &str, metadata: Value| -> ChunkRecord {
        let record = json!({
            "v": 1, "tenant": "default", "bucket": "reports", "doc_id": format!("r{n}"), "n": 0, "of": 1, "hash": "h",
            "source": format!("reports/{source}"), "title": "Report", "text": "words", "metadata": metadata,
        });
        serde_json::from_value(record).unwrap()
    };
    let index = Index::open_in_ram(&VectorSource::None).unwrap();
    let mut writer = index.writer().unwrap();
    let records = [
        record(0, "a.md", json!({"site": "Porto"})),
        record(1, "Porto_2018.md", json!({})),
        record(2, "Leeds_2018.md", json!({})),
        record(3, "b.md", json!({"site": "Leeds"})),
        record(4, "c.md", json!({})),
        record(5, "d.md", json!({"site": "Acme Ltd"})),
        record(6, "e.md", json!({"site": "Acme Ltd"})),
        record(7, "f.md", json!({"site": "Acme GmbH"})),
        record(8, "Acme GmbH_2018.md", json!({})),
    ];
    writer.apply(&records).unwrap();
    writer.commit(1, "s").unwrap();
    let by_site = TableQuestion {
        operation: ColumnOperation::Count,
        group: Some(GroupKey::Column("site".into())),
        ..TableQuestion::default()
    };
    let result = table(&index, by_site, json!({}));
    assert_eq!(
        groups(&result),
        [
            "Acme GmbH - 2 0",
            "Acme Ltd - 2 0",
            "Leeds - 2 0",
            "Porto - 2 0"
        ]
    );
    assert_eq!(result.called, 3);
    assert_eq!(result.missing, [("site".to_owned(), 1)]);
}
