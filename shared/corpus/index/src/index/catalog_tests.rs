//! Tests of the catalog against counts by hand: types, coverage, values, ranges, and that a tenant sees only its own
//! documents.

use super::*;
use crate::index::VectorSource;
use crate::index::tests::{STREAM, index_of, one, record};
use envelope::TenantId;
use serde_json::json;

fn request(buckets: &[&str], values_max: usize) -> CatalogRequest {
    CatalogRequest {
        principal: envelope::Principal::default(),
        buckets: buckets.iter().map(|b| Bucket::new(*b).unwrap()).collect(),
        values_max,
    }
}

fn column<'a>(catalog: &'a CorpusCatalog, bucket: usize, field: &str) -> &'a CatalogColumn {
    let columns = &catalog.buckets[bucket].columns;
    columns.iter().find(|column| column.field == field).unwrap()
}

fn range(column: &CatalogColumn) -> Option<(Value, Value)> {
    let range = column.range.clone();
    range.map(|range| (range.from, range.to))
}

#[test]
fn each_bucket_has_its_columns_with_types_coverage_values_and_ranges() {
    let index = index_of(&[
        record(
            "invoices/a.md",
            0,
            2,
            "one",
            json!({"vendor": "Acme", "total": 12, "paid": true, "due": "2024-03-05", "note": "x".repeat(81)}),
        ),
        record(
            "invoices/a.md",
            1,
            2,
            "two",
            json!({"vendor": "Acme", "total": 12, "paid": true, "due": "2024-03-05", "note": "x".repeat(81)}),
        ),
        one(
            "invoices/b.md",
            "three",
            json!({"vendor": "acme", "total": 7.5, "paid": false, "due": "2023-12-31T08:00:00Z", "parts": ["A1", "B2"]}),
        ),
        one(
            "invoices/c.md",
            "four",
            json!({"vendor": "Bolt", "total": -3, "due": "2024-02-28", "parts": ["A1"]}),
        ),
        one(
            "contracts/d.md",
            "five",
            json!({"vendor": 7, "due": "2024-02-31"}),
        ),
        one(
            "contracts/e.md",
            "six",
            json!({"vendor": "7", "empty": null}),
        ),
    ]);
    let catalog = index.catalog(&request(&[], 2)).unwrap();
    let names: Vec<_> = catalog.buckets.iter().map(|b| b.bucket.as_str()).collect();
    assert_eq!(names, ["invoices", "contracts"], "the larger one first");
    assert_eq!(catalog.buckets[0].documents, 3, "documents, not chunks");
    let of = |field| column(&catalog, 0, field);

    let vendor = of("vendor");
    assert_eq!(
        (vendor.kind, vendor.documents, vendor.coverage),
        (ColumnType::Text, 3, 1.0)
    );
    let values: Vec<_> = vendor
        .values
        .iter()
        .map(|v| (v.value.as_str(), v.documents))
        .collect();
    assert_eq!(values, [("acme", 2), ("bolt", 1)]);
    assert!(!vendor.more && vendor.range.is_none());

    assert_eq!(of("total").kind, ColumnType::Number);
    assert_eq!(
        range(of("total")),
        Some((json!(-3), json!(12))),
        "in the order of numbers, as written"
    );
    assert!(of("total").more, "three values, two shown");
    assert_eq!(
        (of("paid").kind, of("paid").coverage),
        (ColumnType::Bool, 0.6666)
    );
    assert_eq!(of("due").kind, ColumnType::Date);
    assert_eq!(
        range(of("due")),
        Some((json!("2023-12-31"), json!("2024-03-05")))
    );
    assert_eq!(
        (of("parts").kind, of("parts").documents),
        (ColumnType::TextList, 2)
    );
    assert_eq!(
        (of("note").values.len(), of("note").more),
        (0, true),
        "prose is not shown"
    );

    let fields: Vec<_> = catalog.buckets[1]
        .columns
        .iter()
        .map(|c| c.field.as_str())
        .collect();
    assert_eq!(
        fields,
        ["vendor", "due"],
        "by coverage; none that has no value"
    );
    assert_eq!(
        column(&catalog, 1, "due").kind,
        ColumnType::Text,
        "the calendar has no such day"
    );
    let mixed = column(&catalog, 1, "vendor");
    assert_eq!(
        (mixed.kind, mixed.values.len()),
        (ColumnType::Text, 1),
        "one value, of two kinds"
    );

    let one_of = index.catalog(&request(&["contracts", "none"], 0)).unwrap();
    assert_eq!(one_of.buckets.len(), 1);
    assert!(
        one_of.buckets[0]
            .columns
            .iter()
            .all(|c| c.values.is_empty() && c.more)
    );
    let names = index.buckets(&request(&[], 0)).unwrap();
    assert_eq!(
        names.iter().map(Bucket::as_str).collect::<Vec<_>>(),
        ["contracts", "invoices"]
    );
}

#[test]
fn nothing_of_another_tenant_is_told_nor_of_what_was_replaced() {
    let mut secret = one("secrets/s.md", "one", json!({"pin": 1, "vendor": "Hidden"}));
    secret.tenant = TenantId::new("other").unwrap();
    let mut shared = one("invoices/s.md", "two", json!({"vendor": "Hidden"}));
    shared.tenant = secret.tenant.clone();
    let old = one(
        "invoices/a.md",
        "old",
        json!({"vendor": "Old", "gone": "x"}),
    );
    let mut new = one("invoices/a.md", "new", json!({"vendor": "New"}));
    new.hash = "h2".into();
    let index = Index::open_in_ram(&VectorSource::None).unwrap();
    let mut writer = index.writer().unwrap();
    writer.apply(&[secret, shared, old]).unwrap();
    writer.commit(1, STREAM).unwrap();
    writer.apply(&[new]).unwrap();
    writer.commit(2, STREAM).unwrap();
    let told = serde_json::to_string(&index.catalog(&request(&[], 9)).unwrap()).unwrap();
    assert_eq!(
        told,
        r#"{"buckets":[{"bucket":"invoices","documents":1,"columns":[{"field":"vendor","type":"text","documents":1,"coverage":1.0,"values":[{"value":"new","documents":1}]}]}]}"#
    );
    let nobody = CatalogRequest {
        principal: TenantId::new("nobody").unwrap().into(),
        ..request(&[], 9)
    };
    assert!(index.catalog(&nobody).unwrap().is_empty());
}

#[test]
fn what_is_too_much_is_left_out_and_counted() {
    let fields = |n: usize| -> serde_json::Map<String, Value> {
        (0..n)
            .map(|n| (format!("field_{n:04}"), json!(n)))
            .collect()
    };
    let wide = [one(
        "a/wide.md",
        "text",
        fields(CATALOG_COLUMNS_MAX + 3).into(),
    )];
    let bucket = &index_of(&wide).catalog(&request(&[], 1)).unwrap().buckets[0];
    assert_eq!(
        (bucket.columns.len(), bucket.columns_left_out),
        (CATALOG_COLUMNS_MAX, 3)
    );

    let many: Vec<_> = (0..CATALOG_BUCKETS_MAX + 2)
        .map(|n| one(&format!("bucket{n}/a.md"), "text", json!({})))
        .collect();
    let catalog = index_of(&many).catalog(&request(&[], 1)).unwrap();
    assert_eq!(
        (catalog.buckets.len(), catalog.buckets_left_out),
        (CATALOG_BUCKETS_MAX, 2)
    );

    let wider = [one("a/wide.md", "text", fields(FIELDS_MAX + 5).into())];
    let catalog = index_of(&wider).catalog(&request(&[], 1)).unwrap();
    assert_eq!(catalog.fields_left_out, 5);
}

#[test]
fn a_day_is_one_that_the_calendar_has() {
    for (text, day) in [
        ("2024-02-29", Some("2024-02-29")),
        ("2024-02-29t10:00:00z", Some("2024-02-29")),
        ("2023-02-29", None),
        ("2024-02-291", None),
        ("2024-2-29", None),
        ("2024-02", None),
        ("ä024-02-29", None),
        ("", None),
    ] {
        assert_eq!(day_of(text), day, "{text}");
    }
}
