//! Tests of counting documents and the values of their metadata, and that counts of a tenant have only its own
//! documents.

use super::*;
use crate::index::VectorSource;
use crate::index::tests::{STREAM, index_of, one, record};
use envelope::lookup::FacetValue;
use envelope::{ConditionOrigin, TenantId};
use serde_json::{Value as Json, json};

fn pair(value: &str, documents: u64) -> FacetValue {
    let value = value.to_owned();
    FacetValue { value, documents }
}

#[test]
fn documents_are_counted_by_value_and_nothing_is_fetched() {
    let records = [
        record(
            "invoices/a.md",
            0,
            2,
            "one",
            json!({"vendor": "Acme", "year": 2023}),
        ),
        record(
            "invoices/a.md",
            1,
            2,
            "two",
            json!({"vendor": "Acme", "year": 2023}),
        ),
        one(
            "invoices/b.md",
            "three",
            json!({"vendor": "acme", "year": 2024}),
        ),
        one(
            "invoices/c.md",
            "four",
            json!({"vendor": "Bolt", "year": 2024}),
        ),
        one("contracts/d.md", "five", json!({"vendor": "Bolt"})),
    ];
    let index = index_of(&records);
    let count = |buckets: &[&str], filter: Json, fields: &[&str], values_max| {
        let request = lookup::Count {
            principal: Principal::default(),
            buckets: buckets.iter().map(|b| Bucket::new(*b).unwrap()).collect(),
            filter: Filter::parse(&filter, ConditionOrigin::User).unwrap(),
            facets: fields.iter().map(|f| (*f).to_owned()).collect(),
            values_max,
        };
        index.count(&request).unwrap()
    };
    let all = count(&[], json!({}), &["vendor", "year", "colour"], 10);
    assert_eq!(all.documents, 4);
    let values: Vec<_> = all.facets.iter().map(|f| f.values.clone()).collect();
    assert_eq!(values[0], [pair("acme", 2), pair("bolt", 2)]);
    assert_eq!(values[1], [pair("2024", 2), pair("2023", 1)]);
    assert!(values[2].is_empty());

    let some = count(&["invoices"], json!({"year": 2024}), &["vendor"], 1);
    assert_eq!(some.documents, 2);
    assert_eq!(
        (some.facets[0].values.len(), some.facets[0].more),
        (1, true)
    );
    let unknown = count(&[], json!({"colour": "red"}), &[], 1);
    assert_eq!(
        (unknown.documents, unknown.unknown_fields),
        (4, vec!["colour".into()])
    );
}

#[test]
fn a_value_is_one_whether_it_is_a_text_or_a_number() {
    let year = |source: &str, year: Json| one(source, "text", json!({ "year": year }));
    let batches = [
        vec![
            year("a/1.md", json!("2024")),
            year("a/2.md", json!(2024)),
            year("a/3.md", json!(["2024", 2024])),
            year("a/4.md", json!("2023")),
        ],
        vec![
            year("a/5.md", json!(2023)),
            year("a/6.md", json!("2022")),
            year("a/7.md", json!("2022")),
            year("a/8.md", json!(2024)),
        ],
    ];
    let index = Index::open_in_ram(&VectorSource::None).unwrap();
    let mut writer = index.writer().unwrap();
    for (batch, sequence) in batches.iter().zip(1..) {
        writer.apply(batch).unwrap();
        writer.commit(sequence, STREAM).unwrap();
    }
    let count = |filter: Json, values_max| {
        let counted = index.count(&lookup::Count {
            principal: Principal::default(),
            buckets: vec![],
            filter: Filter::parse(&filter, ConditionOrigin::User).unwrap(),
            facets: vec!["year".into()],
            values_max,
        });
        counted.unwrap()
    };
    let all = &count(json!({}), 10).facets[0];
    let wanted = [pair("2024", 4), pair("2022", 2), pair("2023", 2)];
    assert_eq!((&all.values[..], all.more), (&wanted[..], false));
    let filtered = count(json!({"year": 2024}), 10);
    assert_eq!(filtered.documents, 4, "the filter counts as the facet does");
    let cut = &count(json!({}), 1).facets[0];
    assert_eq!((&cut.values[..], cut.more), (&wanted[..1], true));
}

#[test]
fn a_tenant_s_counts_are_right_however_much_others_have() {
    let other = TenantId::new("other").unwrap();
    let crowd = (0..1_500).map(|i| {
        let metadata = json!({format!("a{:02}", i % 80): i, "vendor": format!("a{i}")});
        let mut record = one(&format!("b/{i}.md"), "text", metadata);
        record.tenant = other.clone();
        record
    });
    let own = (0..30).map(|i| {
        let vendor = if i < 20 { "Zebra" } else { "Yak" };
        one(
            &format!("c/{i}.md"),
            "text",
            json!({"vendor": vendor, "zone": i}),
        )
    });
    let mut records: Vec<_> = crowd.chain(own).collect();
    // In several segments, one of them with a chunk that is gone.
    records.push(one("c/gone.md", "text", json!({"vendor": "Zebra"})));
    let index = Index::open_in_ram(&VectorSource::None).unwrap();
    let mut writer = index.writer().unwrap();
    for (batch, sequence) in records.chunks(400).zip(1..) {
        writer.apply(batch).unwrap();
        writer.commit(sequence, STREAM).unwrap();
    }
    let mut gone = one("c/gone.md", "", json!({}));
    gone.deleted = true;
    writer.apply(&[gone]).unwrap();
    writer.commit(9, STREAM).unwrap();

    let counted = index.count(&lookup::Count {
        principal: Principal::default(),
        buckets: vec![],
        filter: Filter::default(),
        facets: ["vendor", "zone", "a00"].map(str::to_owned).to_vec(),
        values_max: 2,
    });
    let counted = counted.unwrap();
    let [vendors, zones, foreign] = &counted.facets[..] else {
        panic!("{counted:?}");
    };
    assert_eq!(vendors.values, [pair("zebra", 20), pair("yak", 10)]);
    assert_eq!((vendors.more, zones.more), (false, true));
    assert_eq!(zones.values, [pair("0", 1), pair("1", 1)]);
    assert!(foreign.values.is_empty());
    assert_eq!(counted.unknown_fields, ["a00"]);
    let fields = index.fields(&Principal::default()).unwrap();
    assert!(fields.contains(&"zone".to_owned()), "{fields:?}");
}

#[test]
fn a_document_is_known_to_its_tenant_only() {
    let index = index_of(&[one("invoices/a.md", "one", json!({"vendor": "Acme"}))]);
    let tenant = TenantId::default_tenant();
    let id = documents::document::doc_id_of(&tenant, "invoices/a.md");
    let known = index
        .document(&tenant.clone().into(), &id)
        .unwrap()
        .unwrap();
    assert_eq!(
        (known.chunks, &known.metadata["vendor"]),
        (1, &json!("Acme"))
    );
    let other = TenantId::new("other").unwrap();
    assert_eq!(index.document(&other.into(), &id).unwrap(), None);
}
