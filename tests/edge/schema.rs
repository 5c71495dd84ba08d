//! Tests schemas on the sample corpus, from the command line to the filter of a question.

use crate::shell::Shell;
use argosy::config::Config;
use argosy::local::index_dir;
use envelope::lookup::Count;
use envelope::{Bucket, ConditionOrigin, Filter, Principal};
use index::{Index, VectorSource};
use indexer::schema::Schemas;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn fixtures() -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    path.canonicalize().unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The invoices that a filter lets through, as a separate index counts them.
fn invoices(shell: &Shell, corpus: &Path, filter: Value) -> BTreeSet<String> {
    let mut config = Config::default();
    config.data_dir.0 = shell.dir().join(".argosy");
    let index = Index::open(&index_dir(&config, corpus), &VectorSource::None).unwrap();
    let counted = index.count(&Count {
        principal: Principal::default(),
        buckets: vec![Bucket::new("invoices").unwrap()],
        filter: Filter::parse(&filter, ConditionOrigin::User).unwrap(),
        facets: vec!["source".into()],
        values_max: 100,
    });
    let counted = counted.unwrap();
    assert_eq!(counted.unknown_fields, [] as [&str; 0]);
    let sources = counted.facets[0].values.iter();
    let sources = sources.filter_map(|source| source.value.strip_prefix("invoices/"));
    let sources: BTreeSet<String> = sources.map(str::to_owned).collect();
    assert_eq!(sources.len() as u64, counted.documents);
    sources
}

#[test]
fn invoices_over_1000_since_march_have_the_scans_among_them() {
    let shell = Shell::new();
    let (corpus, schema) = (fixtures().join("corpus"), fixtures().join("schema.toml"));
    let setting = format!("indexer.schemas={}", text(&schema));
    let run = |more: &[&str]| {
        let args = [
            "index",
            text(&corpus),
            "-o",
            "json",
            "--set",
            setting.as_str(),
        ];
        shell.run(&[&args, more].concat()).exits(0).json()
    };
    assert_eq!(run(&[])["skipped"], json!([]), "the sample fits its schema");

    let since_march = json!({"total_amount": {">": 1000}, "invoice_date": {">=": "2025-03-01"}});
    let wanted = [
        "brightmoor-bs-88241-scan.txt",
        "corvane-cl-25-0317.md",
        "corvane-cl-25-0371.md",
        "helvion-hs-30551.md",
        "lumenford-lf-8741.md",
        "marrowgate-mg-5107-scan.txt",
        "osterby-oc-2025-06.html",
        "osterby-oc-2026-06.html",
        "pellworth-pl-1188.md",
    ];
    let found = invoices(&shell, &corpus, since_march.clone());
    assert_eq!(found, wanted.map(str::to_owned).into());
    // Values that stand nowhere but in the text of the scans.
    for (filter, source) in [
        (
            json!({"total_amount": 5782.8}),
            "brightmoor-bs-88241-scan.txt",
        ),
        (
            json!({"total_amount": 10368}),
            "marrowgate-mg-5107-scan.txt",
        ),
        (
            json!({"order_number": "4500-2156"}),
            "brightmoor-bs-88241-scan.txt",
        ),
        (
            json!({"invoice_number": "BS-88241"}),
            "brightmoor-bs-88241-scan.txt",
        ),
        (json!({"net_days": {"gte": 60}}), "helvion-hs-30551.md"),
    ] {
        let found = invoices(&shell, &corpus, filter.clone());
        assert!(found.contains(source), "{filter}: {found:?}");
    }

    // A question with that filter is answered from these documents alone.
    let filters = json!({"total_amount": {">": 10_000}, "invoice_date": {">=": "2025-03-01"}});
    let question = "What is the total of the invoice for housing castings?";
    let (filters, corpus_dir) = (filters.to_string(), text(&corpus));
    let args = [
        "ask",
        question,
        "--corpus",
        corpus_dir,
        "--filters",
        &filters,
        "-o",
        "json",
    ];
    let asked = shell.run(&[&args[..], &["--set", &setting]].concat());
    let asked = asked.exits(0).json();
    let cited = asked["citations"].as_array().unwrap();
    assert!(!cited.is_empty());
    for citation in cited {
        let source = citation["source"].as_str().unwrap();
        let large = [
            "invoices/marrowgate-mg-5107-scan.txt",
            "invoices/lumenford-lf-8741.md",
        ];
        assert!(large.contains(&source), "{source}");
    }
    assert_eq!(asked["notices"], json!([]));
    // Once it is indexed it stays, and without the schema it is made anew.
    assert_eq!(run(&[])["indexed"], 0);
    let plain = shell
        .run(&["index", corpus_dir, "-o", "json"])
        .exits(0)
        .json();
    assert_eq!(plain["unchanged"], 0, "{plain}");
    assert!(!invoices(&shell, &corpus, since_march).contains("marrowgate-mg-5107-scan.txt"));
}

#[test]
fn the_example_of_the_documentation_is_a_schema() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/schema.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (_, example) = page.split_once("```toml\n").unwrap();
    let (example, _) = example.split_once("```").unwrap();
    let schemas = Schemas::parse("schema.toml", example).unwrap();
    let columns: usize = schemas.tables().map(|(_, table)| table.columns.len()).sum();
    assert_eq!((columns, schemas.asks_model()), (5, true));
}
