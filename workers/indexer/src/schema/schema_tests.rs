//! Tests of schemas, from the file to the metadata of a document.

use super::file::COLUMNS_MAX;
use super::*;
use documents::Document;
use documents::reader::read_bytes;
use envelope::TenantId;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

pub(super) const INVOICES: &str = r#"
# Comments do not count.
[invoices.total_amount]
type = "number"
unit = "EUR"
description = "what is to be paid"
rules = [
  { from = "metadata", keys = ["Total", "amount"] },
  { labels = ["Amount due", "Rechnungsbetrag"], pick = "last" },
  { from = "text", pattern = '(?i)total[^.]*? EUR ([0-9.,]+)', pick = "max" },
]

[invoices.invoice_date]
type = "date"
rules = [{ labels = ["Invoice date", "Rechnungsdatum"], lines = 20, pages = 1 }]

[invoices.vendor]
type = "text"
rules = [{ from = "title", pattern = '^(.+?) invoice' }, { from = "path", pattern = '([a-z]+)-\d' }]

[invoices.parts]
type = "list of text"
rules = [{ from = "text", pattern = '\b(HV\w+)\b', pick = "all" }]

[invoices.paid]
type = "bool"
rules = [{ labels = ["Paid"] }]

[invoices.terms]
type = "text"
model = true
rules = [{ from = "heading", pattern = 'Terms: (.+)' }]
"#;

pub(super) fn document(source: &str, text: &str) -> Document {
    let read = read_bytes(text.as_bytes(), source, &TenantId::default_tenant());
    read.unwrap().0
}

pub(super) fn table(text: &str) -> Table {
    let schemas = Schemas::parse("schema.toml", text).unwrap();
    let (_, table) = schemas.tables().next().unwrap();
    table.clone()
}

fn applied(schema: &str, text: &str) -> (Value, Vec<String>) {
    let mut document = document("invoices/acme-17.md", text);
    let applied = table(schema).apply(&mut document);
    let misfits = applied.misfits.iter().map(ToString::to_string).collect();
    assert_eq!(
        applied.found as usize + applied.missing.len(),
        table(schema).columns.len()
    );
    (serde_json::to_value(document.metadata).unwrap(), misfits)
}

#[test]
fn columns_are_found_by_the_first_rule_that_gives_a_value() {
    let text = "# Acme invoice 17\n\nInvoice  dale 3. März 2024\n\n| Part | Paid |\n|---|---|\n\
        | HV2N4410 | |\n| HV2P4410, HV2N4410 | |\n\nAmount due soon.\nAmount due: 1.234,50 EUR\n\
        Paid: no\n\n## Terms: net 30 days\n";
    let (metadata, misfits) = applied(INVOICES, text);
    assert_eq!(
        metadata,
        json!({
            "total_amount": 1234.5, "invoice_date": "2024-03-03", "vendor": "Acme",
            "parts": ["HV2N4410", "HV2P4410"], "paid": false, "terms": "net 30 days",
        })
    );
    assert_eq!(misfits, [] as [&str; 0]);
}

#[test]
fn what_the_publisher_said_wins_unless_it_does_not_fit() {
    let front = |total: &str| {
        format!("---\ntotal_amount: {total}\nnote: kept\nvendor: Bolt\n---\nAmount due: 7 EUR\n")
    };
    let (metadata, misfits) = applied(INVOICES, &front("EUR 1,203.00"));
    assert_eq!(
        metadata,
        json!({"total_amount": 1203, "note": "kept", "vendor": "Bolt"})
    );
    assert_eq!(misfits, [] as [&str; 0]);
    // It does not fit: a rule takes its place, and it is named all the same.
    let (metadata, misfits) = applied(INVOICES, &front("see below"));
    assert_eq!(metadata["total_amount"], 7);
    assert_eq!(misfits, ["`total_amount`: `see below` is no number"]);
    let (metadata, misfits) = applied(INVOICES, "---\ntotal_amount: USD 5\n---\ntext");
    assert_eq!(metadata.get("total_amount"), None, "no text among numbers");
    assert_eq!(misfits, ["`total_amount`: `USD 5` is in another currency"]);
}

#[test]
fn what_a_pattern_caught_in_vain_is_named_and_a_label_in_a_sentence_is_not() {
    let schema = "[b.n]\ntype = \"number\"\nrules = [{ labels = [\"Sum\"] }, \
        { from = \"text\", pattern = 'is (\\w+)' }]";
    let (metadata, misfits) = applied(schema, "The sum is open.");
    assert_eq!(
        (metadata, misfits),
        (json!({}), vec!["`n`: `open` is no number".into()])
    );
}

#[test]
fn rules_stay_within_lines_and_pages() {
    let schema = |limit: &str| {
        format!(
            "[b.n]\ntype = \"number\"\nrules = [{{ labels = [\"Sum\"], pick = \"max\", {limit} }}]"
        )
    };
    let found = |limit: &str| {
        let mut read = document("b/a.txt", "Sum 1\nSum 9\n\u{c}Sum 20\nSum 8\n");
        table(&schema(limit)).apply(&mut read);
        read.metadata.get("n").cloned()
    };
    assert_eq!(found("lines = 1"), Some(json!(1)));
    assert_eq!(found("pages = 1"), Some(json!(9)));
    assert_eq!(found("pages = 2"), Some(json!(20)));
}

#[test]
fn a_label_to_the_letter_hides_those_that_are_nearly_it() {
    let schema = "[b.n]\ntype = \"number\"\nrules = [{ labels = [\"Total net\"] }]";
    assert_eq!(
        applied(schema, "Total new 5\nTotal net 6\n").0,
        json!({"n": 6})
    );
    assert_eq!(applied(schema, "Total new 5\n").0, json!({"n": 5}));
}

#[test]
fn a_trace_shows_every_rule_and_where_it_looked() {
    let read = document(
        "invoices/acme-17.md",
        "# Acme invoice\n\nAmount due: 7 EUR\ntotal is EUR 9",
    );
    let traces = table(INVOICES).trace(&read);
    let total = traces
        .iter()
        .find(|trace| trace.column == "total_amount")
        .unwrap();
    assert_eq!(total.value, Some(json!(7)));
    let shown: Vec<_> = total
        .attempts
        .iter()
        .map(|a| (a.rule.as_str(), a.value.clone(), a.place.clone()))
        .collect();
    assert_eq!(
        shown,
        [
            ("metadata `Total`, `amount`", None, None),
            (
                "labels `Amount due`, `Rechnungsbetrag`, last",
                Some(json!(7)),
                Some(RulePlace::Line(3, None))
            ),
            (
                "text /(?i)total[^.]*? EUR ([0-9.,]+)/, max",
                Some(json!(9)),
                Some(RulePlace::Line(4, None))
            ),
        ]
    );
    let vendor = traces
        .iter()
        .find(|trace| trace.column == "vendor")
        .unwrap();
    let places: Vec<_> = vendor.attempts.iter().map(|a| a.place.clone()).collect();
    assert_eq!(places, [Some(RulePlace::Title), Some(RulePlace::Path)]);
    let asked: Vec<_> = traces
        .iter()
        .filter(|t| t.asks_model)
        .map(|t| &t.column)
        .collect();
    assert_eq!(asked, ["terms"]);
    assert_eq!(read.metadata.len(), 0, "nothing was changed");
}

#[test]
fn columns_together_have_a_limit() {
    let columns: String = (0..COLUMNS_MAX)
        .map(|n| format!("[b.c{n}]\ntype = \"text\"\n"))
        .collect();
    let front: String = (0..COLUMNS_MAX)
        .map(|n| format!("c{n}: {}\n", "x".repeat(180)))
        .collect();
    // The front matter has a limit of its own: the notice of a publisher has a higher one.
    let mut read = document("b/a.md", &format!("---\n{front}---\ntext"));
    for n in 0..COLUMNS_MAX {
        read.metadata
            .insert(format!("c{n}"), "x".repeat(180).into());
    }
    let applied = table(&columns).apply(&mut read);
    assert_eq!(applied.found, 22);
    assert_eq!(applied.misfits.len(), COLUMNS_MAX - 22);
    assert!(applied.misfits[0].to_string().contains("has no room"));
}

#[test]
fn what_is_wrong_is_named_with_its_line_and_what_is_wanted() {
    let rule = |rule: &str| format!("[a.n]\ntype = \"number\"\nrules = [\n  {{ {rule} }},\n]\n");
    let column = |line: &str| format!("# one\n[a.n]\ntype = \"number\"\n{line}\n");
    for (text, parts) in [
        ("[a.n\n".to_owned(), &["line 1"][..]),
        ("".to_owned(), &["no bucket in it"]),
        (
            "[\"a b\".n]\ntype = \"text\"".to_owned(),
            &["line 1", "`a b`", "1 to 64"],
        ),
        (
            "[a.n]\ntype = \"real\"".to_owned(),
            &["line 2", "`a.n.type`", "list of text"],
        ),
        (
            "[a.n]\nunit = \"EUR\"".to_owned(),
            &["line 1", "`a.n`", "type"],
        ),
        (
            "[a.n]\ntype = \"text\"\n[a.n]\ntype = \"text\"".to_owned(),
            &["line 3", "duplicate"],
        ),
        (
            "[a.Total]\ntype = \"text\"".to_owned(),
            &["line 1", "`a.Total`", "a-z, 0-9"],
        ),
        (
            "[a.title]\ntype = \"text\"".to_owned(),
            &["`a.title`", "another one"],
        ),
        (
            column("units = \"EUR\""),
            &["line 4", "`a.n.units`", "unknown field", "`unit`"],
        ),
        (
            column("order = \"dmy\""),
            &["line 2", "`order` is for the type `date`"],
        ),
        (column("decimal = \";\""), &["line 4", "`a.n.decimal`"]),
        (
            "[a.n]\ntype = \"bool\"\nmodel = true".to_owned(),
            &["stand in the text"],
        ),
        (
            "[a.n]\ntype = \"text\"\nunit = \"m\"".to_owned(),
            &["are for the type `number`"],
        ),
        (
            rule("label = [\"x\"]"),
            &["line 4", "`a.n.rules[0].label`", "`labels`"],
        ),
        (
            rule("from = \"text\""),
            &["line 4", "`a.n, rule 1`", "with a `pattern`"],
        ),
        (
            rule("labels = [\"x\"], from = \"title\""),
            &["a rule is one of"],
        ),
        (rule("labels = [\"...\"]"), &["a letter or digit"]),
        (rule("labels = []"), &["1 to 16 texts"]),
        (
            rule("from = \"text\", pattern = '('"),
            &["line 4", "unclosed group"],
        ),
        (
            rule("from = \"text\", pattern = 'a'"),
            &["has 0 groups", "one `( )`"],
        ),
        (
            rule("from = \"text\", pattern = '(a)(b)'"),
            &["has 2 groups"],
        ),
        (
            rule("from = \"text\", pattern = '(\\w{999}{999})'"),
            &["line 4", "size limit"],
        ),
        (
            rule("labels = [\"x\"], pick = \"all\""),
            &["is for `list of text`"],
        ),
        (
            rule("from = \"metadata\", lines = 4"),
            &["stands in the text"],
        ),
        (rule("labels = [\"x\"], lines = 0"), &["from 1"]),
        (rule("keys = []"), &["1 to 16 names"]),
    ] {
        let wrong = Schemas::parse("mine.toml", &text)
            .expect_err(&text)
            .to_string();
        assert!(wrong.starts_with("`mine.toml`"), "{wrong}");
        for part in parts {
            assert!(wrong.contains(part), "no `{part}` in: {wrong}");
        }
    }
}

#[test]
fn limits_are_kept_to() {
    let many = |n: usize| {
        (0..n)
            .map(|n| format!("[a.c{n}]\ntype = \"text\"\n"))
            .collect::<String>()
    };
    assert!(Schemas::parse("f", &many(COLUMNS_MAX)).is_ok());
    let wrong = Schemas::parse("f", &many(COLUMNS_MAX + 1)).unwrap_err();
    assert!(wrong.what.contains("at most 32"), "{wrong}");
    let rules = vec!["{ from = \"metadata\" }"; 17].join(", ");
    let wrong = Schemas::parse("f", &format!("[a.c]\ntype = \"text\"\nrules = [{rules}]"));
    assert!(wrong.unwrap_err().what.contains("at most 16"));
}

#[test]
fn a_name_changes_with_what_documents_would_get() {
    let name = |text: &str| Schemas::parse("f", text).unwrap().name();
    let plain = name(INVOICES);
    assert!(
        plain.starts_with("schema-1-") && plain.len() == 21,
        "{plain}"
    );
    assert_eq!(name(&format!("# more words\n{INVOICES}")), plain);
    for (old, new) in [
        ("lines = 20", "lines = 21"),
        ("EUR\"", "USD\""),
        ("model = true", ""),
    ] {
        assert_ne!(name(&INVOICES.replace(old, new)), plain, "{old}");
    }
    assert!(Schemas::parse("f", INVOICES).unwrap().asks_model());
}

#[test]
fn schemas_load_from_a_folder_and_each_bucket_from_one_file() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    let none = Schemas::load(dir.path()).unwrap_err().to_string();
    assert!(none.contains("holds 0 files"), "{none}");
    write("a.toml", INVOICES);
    write("b.toml", "[contracts.until]\ntype = \"date\"");
    write("c.md", "no schema");
    let schemas = Schemas::load(dir.path()).unwrap();
    let buckets: Vec<&str> = schemas
        .tables()
        .map(|(bucket, _)| bucket.as_str())
        .collect();
    assert_eq!(buckets, ["contracts", "invoices"]);
    write("c.toml", "[contracts.since]\ntype = \"date\"");
    let twice = Schemas::load(dir.path()).unwrap_err().to_string();
    assert!(
        twice.contains("b.toml") && twice.contains("c.toml"),
        "{twice}"
    );
    let missing = Schemas::load(&dir.path().join("none.toml"))
        .unwrap_err()
        .to_string();
    assert!(missing.contains("none.toml"), "{missing}");
    let large = "#".repeat(300 * 1024);
    write("large.toml", &large);
    let large = Schemas::load(&dir.path().join("large.toml"))
        .unwrap_err()
        .to_string();
    assert!(large.contains("256 KiB"), "{large}");
}

#[test]
fn a_large_hostile_text_is_read_in_bounded_time() {
    let labels = "labels = [\"Amount due\", \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\"]";
    let schema = format!(
        "[b.n]\ntype = \"number\"\nrules = [{{ {labels}, pick = \"max\" }}, \
         {{ from = \"text\", pattern = '(?:a|aa)+([0-9]+)', pick = \"max\" }}]\n\
         [b.d]\ntype = \"date\"\nrules = [{{ labels = [\"a\"], pick = \"last\" }}]\n"
    );
    for unit in [
        "a ",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "amount due 1.1.1 ",
        "1,",
        "a a\n",
        "\n",
    ] {
        let mut read = document(
            "b/a.txt",
            &format!("x{}", unit.repeat(1_200_000 / unit.len())),
        );
        let begun = Instant::now();
        table(&schema).apply(&mut read);
        // Far above what a debug build needs for a linear scan.
        assert!(
            begun.elapsed() < Duration::from_secs(20),
            "{unit:?}: {:?}",
            begun.elapsed()
        );
    }
}
