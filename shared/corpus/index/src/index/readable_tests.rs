//! Tests that to a reader an index with documents of others is the same as one without them: in searches, counts,
//! tables, catalogs, look-ups and in what questions are linked to.

use super::*;
use crate::hybrid::HybridSearcher;
use crate::index::tests::{index_of, one};
use crate::options::Options;
use envelope::lookup::{CatalogRequest, Count};
use envelope::{AccessRule, ChunkRecord, Filter, Groups, TenantId};
use linking::days::day;
use proptest::prelude::*;
use proptest::sample::select;
use search::{SearchRequest, Searcher as _};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

const VENDORS: [&str; 4] = ["Acme Ltd", "Bolt AG", "Zanzibar Freight", "Corvane GmbH"];
/// Questions that name each of them.
const QUESTION: &str = "List all invoices from ";

fn rules() -> impl Strategy<Value = AccessRules> {
    let path = "(|pay/|pay/open/|bills/|pay/a.md|bills/b.md)";
    let names = select(vec!["hr", "law", "*"]);
    prop::collection::btree_map(path, names, 0..4).prop_map(|of| AccessRules {
        tenants: BTreeMap::from([(
            TenantId::default_tenant(),
            of.into_iter().map(rule).collect(),
        )]),
        ..AccessRules::default()
    })
}

fn rule((path, name): (String, &str)) -> AccessRule {
    let groups = Groups::new([name]).unwrap();
    AccessRule { path, groups }
}

/// Documents with secrets in their text, titles, fields and values.
fn documents() -> impl Strategy<Value = Vec<ChunkRecord>> {
    let acl = select(vec![
        Json::Null,
        json!("hr"),
        json!(["law", "hr"]),
        json!([]),
        json!("*"),
    ]);
    let path = "(pay/|pay/open/|bills/|)[ab].md";
    let of = (acl, select(VENDORS.to_vec()), any::<bool>());
    prop::collection::btree_map(path, of, 1..8).prop_map(|of| {
        let document = |(source, (acl, vendor, is_secret)): (String, (Json, &str, bool))| {
            let mut fields = json!({"vendor": vendor, "total": source.len()});
            if !acl.is_null() {
                fields["acl"] = acl;
            }
            if is_secret {
                fields["codename"] = vendor.into();
            }
            one(&source, &format!("The invoice of {vendor} is due."), fields)
        };
        of.into_iter().map(document).collect()
    })
}

/// All that an index tells somebody who asks for a vendor.
fn told(index: &Index, me: &Principal) -> Json {
    let count = index
        .count(&Count {
            principal: me.clone(),
            buckets: Vec::new(),
            filter: Filter::default(),
            facets: vec![
                "vendor".into(),
                "codename".into(),
                "source".into(),
                "acl".into(),
            ],
            values_max: 20,
        })
        .unwrap();
    let catalog = index
        .catalog(&CatalogRequest {
            principal: me.clone(),
            buckets: Vec::new(),
            values_max: 20,
        })
        .unwrap();
    let rows = index.rows(me, &Filter::default()).unwrap();
    let rows: Vec<Json> = rows
        .iter()
        .map(|row| json!([row.source, row.metadata]))
        .collect();
    let places: Vec<Vec<String>> = VENDORS
        .map(|vendor| index.snapshot().places(me, vendor, "vendor").unwrap())
        .into();
    json!([count, catalog, rows, places, index.fields(me).unwrap()])
}

/// The texts of what is found for a vendor, how many there are, and the sources. Of documents with the same text one is shown, and
/// which one depends on how the index is cut into segments.
fn found(index: &Index, me: &Principal, vendor: &str) -> ((Vec<String>, u64), Vec<String>) {
    let request = SearchRequest::new(me.clone(), format!("invoice {vendor}"), 100, 50);
    let searcher = HybridSearcher::new(index.clone(), Options::default());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let found = runtime.block_on(searcher.search(&request)).unwrap();
    let all = found.passages.into_iter().map(|p| (p.text, p.source));
    let (mut texts, sources): (Vec<String>, Vec<String>) = all.unzip();
    texts.sort();
    ((texts, found.total_hits), sources)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_must_not_be_read_is_as_if_it_were_not_there(
        rules in rules(),
        records in documents(),
        groups in select(vec![vec![], vec!["hr"], vec!["law"], vec!["hr", "law"], vec!["*"]]),
    ) {
        let me = Principal { groups: Groups::new(groups).unwrap(), ..Principal::default() };
        let access = Access::default();
        access.set(rules.clone());
        let mut mine = records.clone();
        mine.retain(|record| rules.may_read(&me, &record.source, &record.metadata));
        let with = index_of(&records).with_access(access.clone());
        let without = index_of(&mine);
        let all = Principal { groups: Groups::all(), ..Principal::default() };
        prop_assert_eq!(told(&with, &me), told(&without, &all));
        for vendor in VENDORS {
            let (what, sources) = found(&with, &me, vendor);
            prop_assert_eq!(what, found(&without, &all, vendor).0);
            let is_mine = |source: &String| mine.iter().any(|record| record.source == *source);
            prop_assert!(sources.iter().all(is_mine), "{:?}", sources);
            let question = format!("{QUESTION}{vendor}");
            let today = day(2024, 5, 1).unwrap();
            let linked = with.link(&me, &question, today).unwrap();
            let is_known = mine.iter().any(|record| record.metadata["vendor"] == vendor);
            let says = format!("{:?} {:?}", linked.conditions, linked.parts);
            prop_assert!(is_known || !says.contains(vendor), "{}", says);
            let is_told = format!("{:?}", linked.tabulation).contains("codename");
            let has_column = mine.iter().any(|record| record.metadata.contains_key("codename"));
            prop_assert!(has_column || !is_told);
        }
        // Other rules hold at once, without another commit.
        access.set(AccessRules::default());
        let mut mine = records.clone();
        mine.retain(|record| AccessRules::default().may_read(&me, &record.source, &record.metadata));
        prop_assert_eq!(told(&with, &me), told(&index_of(&mine), &all));
    }
}

#[test]
fn a_reader_of_some_documents_is_linked_to_what_those_say() {
    let of = |path: &str, vendor: &str, acl: Option<&str>| {
        let text = format!("The invoice of {vendor} is due.");
        let mut fields = json!({"vendor": vendor});
        if let Some(acl) = acl {
            fields["acl"] = acl.into();
        }
        one(path, &text, fields)
    };
    let index = index_of(&[
        of("bills/a.md", "Acme Ltd", None),
        of("bills/b.md", "Bolt AG", None),
        of("pay/c.md", "Zanzibar Freight", Some("hr")),
    ]);
    let today = day(2024, 5, 1).unwrap();
    for (vendor, is_told) in [("Acme Ltd", true), ("Zanzibar Freight", false)] {
        let question = format!("{QUESTION}{vendor}");
        let linked = index.link(&Principal::default(), &question, today).unwrap();
        let says = format!("{:?} {:?}", linked.conditions, linked.parts);
        assert_eq!(says.contains(vendor), is_told, "{says}");
    }
}

#[test]
fn columns_that_only_others_documents_have_are_not_told() {
    let of = |groups: &[&str]| Principal {
        groups: Groups::new(groups.iter().copied()).unwrap(),
        ..Principal::default()
    };
    let index = index_of(&[
        one(
            "bills/a.md",
            "a bill",
            json!({"total amount": 5, "vendor": "Acme"}),
        ),
        one(
            "bills/b.md",
            "a bill",
            json!({"retention amount": 7, "codename": "Obsidian", "acl": "hr"}),
        ),
    ]);
    let today = day(2024, 5, 1).unwrap();
    let mut told = 0;
    for question in [
        "What is the sum of the retention amount of all bills?",
        "What is the average amount of all bills?",
        "List all bills by codename",
        "How many bills are there by codename?",
        "Show all bills with the largest retention amount",
        "List all bills about Obsidian",
        "List all bills of Obsidian",
    ] {
        let said = |me: &Principal| format!("{:?}", index.link(me, question, today).unwrap());
        let (mine, theirs) = (said(&of(&[])).to_lowercase(), said(&of(&["hr"])));
        // The words of the question are its own.
        let secret =
            |said: &str| said.contains("\"retention amount\"") || said.contains("\"codename\"");
        assert!(
            !secret(&mine) && !mine.contains("[[\"obsidian"),
            "{question}: {mine}"
        );
        told += usize::from(secret(&theirs.to_lowercase()));
    }
    assert!(told >= 3, "{told} questions tell a member of the group");
}

#[test]
fn a_document_of_others_cannot_be_looked_up_or_fetched() {
    let secret = one("pay/a.md", "the salary", json!({"acl": "hr"}));
    let id = secret.doc_id.clone();
    let index = index_of(&[secret]);
    let of = |groups: &[&str]| Principal {
        groups: Groups::new(groups.iter().copied()).unwrap(),
        ..Principal::default()
    };
    for (groups, there) in [(&["hr"][..], true), (&["law"], false), (&[], false)] {
        let me = of(groups);
        assert_eq!(index.document(&me, &id).unwrap().is_some(), there);
        let request = SearchRequest::new(me, "q", 1, 1);
        let chunks = index.snapshot().fetch(&request, &[format!("{id}.0")]);
        assert_eq!(chunks.unwrap().len(), usize::from(there), "{groups:?}");
    }
}
