//! Tests that the dictionaries follow the documents that arrive, are the same after a restart, and are separate for
//! each tenant.

use super::*;
use crate::index::VectorSource;
use crate::index::tests::{STREAM, index_of, one};
use envelope::lookup::Count;
use envelope::{Condition, ConditionOrigin, Filter, Op};
use linking::DescribedColumn;
use linking::days::day;
use serde_json::{Value as Json, json};

fn linked(index: &Index, tenant: &TenantId, question: &str) -> Vec<String> {
    let today = day(2024, 5, 1).unwrap();
    let linked = index.link(&tenant.clone().into(), question, today).unwrap();
    let fields = linked.conditions.into_iter();
    fields
        .map(|c| format!("{} {:?}", c.field, c.test))
        .collect()
}

fn sources(index: &Index, field: &str, op: Op, value: Json) -> Vec<String> {
    let condition = Condition::new(field, op, value, ConditionOrigin::User);
    let request = Count {
        principal: Principal::default(),
        buckets: Vec::new(),
        filter: Filter(vec![condition]),
        facets: Vec::new(),
        values_max: 0,
    };
    let counted = index.count(&request).unwrap();
    let rows = index.rows(&request.principal, &request.filter).unwrap();
    assert_eq!(counted.documents as usize, rows.len());
    assert!(counted.unknown_fields.is_empty());
    rows.into_iter().map(|row| row.source).collect()
}

const ASKED: &str = "List all invoices from Best Buy";
const FOUND: &str = "vendor Is([[\"BESTBUY\"]])";

#[test]
fn what_is_taken_in_is_known_at_once_and_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let tenant = TenantId::default_tenant();
    let open = || Index::open(folder.path(), &VectorSource::None).unwrap();
    let index = open();
    let mut writer = index.writer().unwrap();
    assert!(linked(&index, &tenant, ASKED).is_empty());
    let record = one("invoices/a.md", "one", json!({"vendor": "BESTBUY"}));
    writer.apply(&[record]).unwrap();
    assert_eq!(linked(&index, &tenant, ASKED), [FOUND]);
    writer.commit(1, STREAM).unwrap();
    writer.close().unwrap();
    let before = index.dictionary_sizes();

    let index = open();
    assert_eq!(index.dictionary_sizes().values, 0, "nobody has asked yet");
    assert_eq!(linked(&index, &tenant, ASKED), [FOUND]);
    assert_eq!(index.dictionary_sizes(), before);
    let other = TenantId::new("other").unwrap();
    assert!(linked(&index, &other, ASKED).is_empty(), "whose it is not");

    let mut writer = index.writer().unwrap();
    writer.clear().unwrap();
    assert!(
        linked(&index, &tenant, ASKED).is_empty(),
        "a stream begun anew"
    );
}

#[test]
fn a_described_column_is_known_and_paths_of_its_bucket_are_not() {
    let index = index_of(&[one(
        "invoices/acme_2018.md",
        "one",
        json!({"vendor": "Bolt"}),
    )]);
    let tenant = TenantId::default_tenant();
    let of_path = linked(&index, &tenant, "List all invoices of ACME");
    assert_eq!(of_path, ["named Is([[\"ACME\", \"acme\"]])"]);
    index.describe(vec![DescribedBucket {
        bucket: "invoices".into(),
        columns: vec![DescribedColumn {
            field: "vendor".into(),
            description: "Who sent it".into(),
            ..DescribedColumn::default()
        }],
        ..DescribedBucket::default()
    }]);
    assert!(linked(&index, &tenant, "List all invoices of ACME").is_empty());
    assert_eq!(
        linked(&index, &tenant, "List all invoices of Bolt").len(),
        1
    );
}

#[test]
fn there_is_room_for_so_many_values() {
    let mut known = Known::default();
    let head = |n: usize| {
        one(
            &format!("a/{n}.md"),
            "",
            json!({"name": format!("value {n}")}),
        )
    };
    known.take_in(&head(1));
    let first = known.values;
    assert!(first > 0);
    known
        .of
        .values_mut()
        .for_each(|dictionary| dictionary.set_room(0));
    known.values = VALUES_MAX;
    known.take_in(&head(2));
    assert_eq!(known.values, VALUES_MAX, "full");
}

#[test]
fn documents_are_found_by_what_they_are_called() {
    let index = index_of(&[
        one("reports/ACME_2018_10K.pdf", "Revenue grew.", json!({})),
        one(
            "reports/one.md",
            "This is the 10-K of Acme for 2018.",
            json!({}),
        ),
        one("reports/two.md", "Acme grew.", json!({"company": "Bolt"})),
        one("reports/three.md", "Grew.", json!({"company": "Acme"})),
        one("reports/BOLT_2019_10K.pdf", "Less than in 2018.", json!({})),
    ]);
    let is = |field: &str, op, value: Json| {
        let found = sources(&index, field, op, value);
        let short = found.iter().map(|s| s.trim_start_matches("reports/"));
        short.map(str::to_owned).collect::<Vec<_>>()
    };
    let acme = ["ACME_2018_10K.pdf", "one.md", "three.md", "two.md"];
    assert_eq!(is("named", Op::Eq, json!("acme")), acme);
    // A question that names its company is for that one alone.
    let fielded = ["ACME_2018_10K.pdf", "one.md", "three.md"];
    assert_eq!(
        is("named:company", Op::In, json!(["Acme", "ACME"])),
        fielded
    );
    assert_eq!(
        is("named:company", Op::NotIn, json!(["Acme"])),
        ["BOLT_2019_10K.pdf", "two.md"]
    );
    // A name that contains a year is not the shorter name that it begins with.
    assert_eq!(
        is("named", Op::In, json!(["2018"])),
        ["ACME_2018_10K.pdf", "one.md"]
    );
    assert_eq!(
        is("named", Op::Gt, json!("a")),
        [""; 0],
        "names have no order"
    );
    assert_eq!(is("named", Op::Eq, json!("...")), [""; 0]);
}

/// What the dictionary adds to a commit, and how long it is read anew, in a release build:
/// `cargo test --release -p argosy-index --lib a_commit_waits -- --ignored --nocapture`.
#[test]
#[ignore = "measures; wants a release build"]
fn a_commit_waits_little_for_names() {
    const DOCUMENTS: usize = 20_000;
    let heads: Vec<ChunkRecord> = (0..DOCUMENTS)
        .map(|n| {
            let metadata = json!({
                "vendor": format!("Vendor {} Works Ltd", n % 500),
                "invoice_number": format!("INV-{n:06}"),
                "invoice_date": "2024-05-03",
                "total": n,
            });
            let text = format!("Document {n}\nCost centre: {}\nPay soon.", n % 40);
            one(
                &format!("invoices/VENDOR{}_{n}.md", n % 500),
                &text,
                metadata,
            )
        })
        .collect();
    let mut known = Known::default();
    let begun = std::time::Instant::now();
    heads.iter().for_each(|head| known.take_in(head));
    let each = begun.elapsed().as_secs_f64() * 1e6 / DOCUMENTS as f64;

    let index = index_of(&[]);
    let mut writer = index.writer().unwrap();
    let begun = std::time::Instant::now();
    writer.apply(&heads).unwrap();
    writer.commit(1, STREAM).unwrap();
    let taken = begun.elapsed().as_secs_f64() * 1e3;
    let begun = std::time::Instant::now();
    index.read_names_anew().unwrap();
    let anew = begun.elapsed().as_secs_f64() * 1e3;
    println!(
        "{DOCUMENTS} documents, {} values: {each:.1} us a document, of {:.1} us that it takes in all; \
         read anew, after a commit, in {anew:.0} ms",
        index.dictionary_sizes().values,
        taken * 1e3 / DOCUMENTS as f64,
    );
    assert!(each * DOCUMENTS as f64 / 1e3 < taken, "more than all");
}
