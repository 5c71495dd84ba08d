//! Tests the output of commands: results on stdout, everything else on stderr, JSON of one shape.

use crate::binary::argosy;
use crate::shell::{Ran, Shell, finish};
use serde_json::Value;

/// The fields of `ask -o json`, in their order.
const FIELDS: [&str; 22] = [
    "outcome",
    "answer",
    "citations",
    "table",
    "confidence",
    "overlap",
    "low_confidence",
    "sentences",
    "judgement",
    "contradictions",
    "action_items",
    "notices",
    "clarification",
    "error",
    "model",
    "usage",
    "trail",
    "turn",
    "conversation",
    "rewritten",
    "trace_id",
    "duration_ms",
];
const OF_CITATION: [&str; 9] = [
    "n", "doc_id", "chunk_id", "title", "source", "page", "line", "score", "quote",
];

fn shell() -> Shell {
    let shell = Shell::new();
    shell.write("docs/cat.md", "# Cats\n\nThe cat sat on the mat.\n");
    shell
}

fn ask(shell: &Shell, question: &str, more: &[&str]) -> Ran {
    shell.run(&[&["ask", question, "--corpus", "docs"], more].concat())
}

/// The keys of an object in the text, at the first level of indentation below it.
fn keys(text: &str, indent: usize) -> Vec<&str> {
    let start = format!("{:indent$}\"", "");
    let lines = text.lines().filter_map(|line| line.strip_prefix(&start));
    lines
        .filter_map(|line| line.split_once("\":").map(|(key, _)| key))
        .collect()
}

#[test]
fn json_has_every_field_whatever_the_outcome() {
    let shell = shell();
    let answered = ask(&shell, "Where did the cat sit?", &["-o", "json"]).exits(0);
    let asked_back = ask(&shell, "zzz qqq", &["-o", "json"]).exits(7);
    let refused = ask(&shell, "Where?", &["--bucket", "a b", "-o", "json"]).exits(1);
    for (ran, outcome) in [
        (&answered, "answered"),
        (&asked_back, "clarification"),
        (&refused, "refused"),
    ] {
        assert_eq!(ran.json()["outcome"], outcome);
        assert_eq!(keys(&ran.stdout, 2), FIELDS, "{}", ran.stdout);
        assert_eq!(ran.stderr, "", "JSON has said it all");
        assert!(ran.json()["turn"].is_string() && ran.json()["trail"].is_array());
    }
    let of = answered.json();
    assert_eq!(of["answer"], "The cat sat on the mat [1].");
    assert_eq!(of["model"], argosy::model::OFFLINE);
    assert!(of["confidence"].as_f64().unwrap() > 0.9 && of["error"].is_null());
    assert_eq!(keys(&answered.stdout, 6)[..OF_CITATION.len()], OF_CITATION);
    let citation = &of["citations"][0];
    assert_eq!(
        (&citation["n"], &citation["source"]),
        (&1.into(), &"cat.md".into())
    );
    assert_eq!(
        (&citation["line"], &citation["page"]),
        (&3.into(), &Value::Null)
    );
    assert_eq!(citation["quote"], "The cat sat on the mat.");
    let score = citation["score"].to_string();
    assert!(score.len() <= 10, "a number as people write it: {score}");
    assert_eq!(of["trail"][0]["role"], "planner");
    assert!(asked_back.json()["clarification"]["question"].is_string());
    let error = &refused.json()["error"];
    assert_eq!(error["code"], "bad_id");
    assert!(
        error["message"].as_str().unwrap().contains("`buckets`"),
        "{error}"
    );
}

#[test]
fn pipes_and_no_color_have_no_escape_codes() {
    let commands: [&[&str]; 5] = [
        &[
            "ask",
            "Where did the cat sit?",
            "--corpus",
            "docs",
            "--trail",
        ],
        &["ask", "zzz", "--corpus", "docs"],
        &["index", "docs"],
        &["ask", "x", "--corpus", "nowhere"],
        &["demo"],
    ];
    let ends = |shell: Shell| -> Vec<String> {
        shell.write("docs/cat.md", "The cat sat on the mat.\n");
        shell.write("docs/image.png", "x");
        commands
            .iter()
            .map(|args| format!("{:?}", shell.run(args)))
            .collect()
    };
    let has_codes = |ran: &String| ran.contains("\\u{1b}");
    for ran in ends(Shell::new())
        .iter()
        .chain(&ends(Shell::new().env("NO_COLOR", "1")))
    {
        assert!(!has_codes(ran), "{ran}");
    }
    // The other way round, so that the check above is known to be able to fail.
    let forced = ends(Shell::new().env("CLICOLOR_FORCE", "1"));
    assert!(forced.iter().all(has_codes), "{forced:?}");
}

/// Whether a file holds a text unchanged.
fn holds(file: &[u8], text: &str) -> bool {
    file.windows(text.len()).any(|part| part == text.as_bytes())
}

#[test]
fn the_demo_runs_anywhere_and_as_json() {
    // What it might read of the checkout would be named in it, and the corpus itself is in it.
    let binary = std::fs::read(argosy()).unwrap();
    let (path, sentence) = (
        "fixtures/corpus",
        "The TP-120 measures gauge pressure of liquids",
    );
    assert!(!holds(&binary, path), "`{path}` is named in the binary");
    assert!(holds(&binary, sentence), "the sample is not in the binary");

    let shell = Shell::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let copy = elsewhere.path().join("argosy");
    std::fs::copy(argosy(), &copy).unwrap();
    let copied = shell.command_of(&copy, &["demo"]).spawn().unwrap();
    let text = finish(copied, &["demo"]).exits(0).stdout;
    for part in [
        "Model:",
        "Corpus:",
        "Question (fact)",
        "[1] ",
        "There are 2 invoices",
        "20,526.00 USD",
        "Which of them do you mean",
        "No relevant information found.",
        "What next",
    ] {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
    let all = shell.run(&["demo", "-o", "json"]).exits(0).json();
    assert_eq!(all.as_array().unwrap().len(), 8);
    let left: Vec<_> = std::fs::read_dir(shell.dir()).unwrap().collect();
    assert!(left.is_empty(), "the demo leaves nothing behind: {left:?}");
}

#[test]
fn all_rows_of_a_table_are_written_as_csv() {
    let shell = Shell::new();
    for n in 0..60 {
        let text = format!(
            "---\nvendor_name: Acme Pumps\ninvoice_number: AP-{n}\ntotal_amount: {n}.5\ncurrency: EUR\n---\n# Invoice AP-{n}\n\nPumps.\n"
        );
        shell.write(&format!("docs/invoices/{n}.md"), text);
    }
    let asked = [
        "ask",
        "List all invoices from Acme Pumps",
        "--corpus",
        "docs",
        "--csv",
        "all.csv",
    ];
    let said = shell.run(&asked).exits(0).stdout;
    assert!(said.contains("There are 60 invoices"), "{said}");
    assert!(said.contains("The first 50 of 60 rows are here"), "{said}");
    let csv = std::fs::read_to_string(shell.dir().join("all.csv")).unwrap();
    assert_eq!(csv.lines().count(), 61, "{csv}");
    assert!(csv.starts_with("source,vendor_name,"), "{csv}");

    let table = shell
        .run(&[&asked[..4], &["-o", "json"]].concat())
        .exits(0)
        .json();
    assert_eq!(table["table"]["rows"].as_array().unwrap().len(), 50);
    assert_eq!(table["table"]["file"]["media_type"], "text/csv");

    shell.write("cats/cat.md", "# Cats\n\nThe cat sat on the mat.\n");
    let none = shell.run(&[
        "ask",
        "Where did the cat sit?",
        "--corpus",
        "cats",
        "--csv",
        "none.csv",
    ]);
    let said = none.exits(1).stderr;
    assert!(said.contains("has no table"), "{said}");
}
