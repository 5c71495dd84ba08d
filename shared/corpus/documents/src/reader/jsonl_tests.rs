//! Tests of records as people export them.

use crate::reader::tests::{all, body, read};
use serde_json::json;

/// The sources and texts of the documents of a file, or why there is none.
fn texts(name: &str, text: &str) -> Vec<(String, String)> {
    let found = all(name, text.as_bytes()).into_iter();
    let told = found.map(|found| match found {
        Ok(document) => (document.source.clone(), body(&document).join(" / ")),
        Err(skip) => (skip.source, skip.reason.to_string()),
    });
    told.collect()
}

#[test]
fn usual_names_of_the_text_are_known() {
    for (record, expected) in [
        (
            json!({"id": "7", "url": "https://a.example", "title": "T", "text": "words"}),
            "words",
        ),
        (
            json!({"abstract": "We lift.", "authors": ["A. B."]}),
            "We lift.",
        ),
        (
            json!({"abstract": "We lift.", "body": "All of it."}),
            "We lift. / All of it.",
        ),
        (json!({"content": {"parts": ["one", "two"]}}), "one / two"),
        (json!({"_source": {"doc": {"body": "deep"}}}), "deep"),
        (
            json!({"question": "How much?", "answer": "35 t"}),
            "How much? / 35 t",
        ),
        (
            json!({"instruction": "Say it.", "input": "", "output": "It."}),
            "Say it. / It.",
        ),
        (
            json!({"question": "Who?", "context": "Anna did.", "answers": {"text": ["Anna"], "answer_start": [0]}}),
            "Who? / Anna did. / Anna",
        ),
        (
            json!({"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes?"}]}),
            "user: Hi / assistant: Yes?",
        ),
        (
            json!({"messages": [{"author": {"name": "Eva"}, "content": "Hi", "timestamp": "2025"}]}),
            "Eva: Hi",
        ),
        (
            json!({"title": "Rope", "body": "<p>It is <b>worn</b>.</p>", "answers": [{"body": "Change it.", "score": 2}]}),
            "It is worn. / Change it.",
        ),
    ] {
        let found = texts("x.jsonl", &record.to_string());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].1, expected, "{record}");
    }
}

#[test]
fn what_is_no_text_is_metadata() {
    let record = json!({"_id": 9, "headline": "Ropes", "text": "words", "url": "https://a.example", "year": 2024,
        "tags": ["a", "b"], "embedding": [0.1, 0.2], "long": "x".repeat(300), "nested": {"a": 1}, "none": null,
        "metadata": {"vendor": "Acme", "year": 2025}, "source": "s3"});
    let found = read("x.jsonl", record.to_string().as_bytes()).unwrap();
    assert_eq!(
        (found.source.as_str(), found.title.as_str()),
        ("x.jsonl#9", "Ropes")
    );
    assert_eq!(
        serde_json::to_value(found.metadata).unwrap(),
        json!({"origin": "s3", "tags": ["a", "b"], "url": "https://a.example", "vendor": "Acme", "year": 2025})
    );
}

#[test]
fn an_error_names_the_fields() {
    let found = texts("x.jsonl", r#"{"id": 1, "url": "u", "payload": "p"}"#);
    assert_eq!(
        found[0].1,
        "no JSON object with a text: it has `id`, `payload`, `url`; name the field of its text `text`, or set `text` of its bucket in `indexer.schemas` to one of these"
    );
    assert!(
        texts("x.jsonl", "{broken")[0]
            .1
            .ends_with("correct that line")
    );
    assert!(
        texts("x.jsonl", r#"["a"]"#)[0]
            .1
            .contains("correct that line")
    );
}

#[test]
fn a_file_of_json_is_its_array_of_documents() {
    let two = [
        ("a.json#1".to_owned(), "one".to_owned()),
        ("a.json#b".to_owned(), "two ] \" }".to_owned()),
    ];
    let records = json!([{"text": "one"}, {"text": "two ] \" }", "id": "b"}]);
    let wrapped = json!({"version": "1", "data": records, "tags": ["x"]});
    let below = format!(
        "{}\n{}",
        serde_json::to_string_pretty(&records[0]).unwrap(),
        records[1]
    );
    for text in [
        records.to_string(),
        serde_json::to_string_pretty(&records).unwrap(),
        wrapped.to_string(),
        below,
    ] {
        assert_eq!(texts("a.json", &text), two, "{text}");
    }
    assert_eq!(
        texts("a.json", r#"{"body": "one"}"#),
        [("a.json#1".to_owned(), "one".to_owned())]
    );
    let squad = json!({"data": [{"title": "Crane", "paragraphs": [{"context": "It lifts 35 t.",
        "qas": [{"question": "How much?", "id": "q", "answers": [{"text": "35 t", "answer_start": 9}]}]}]}]});
    let squad = texts("s.json", &squad.to_string());
    assert_eq!(squad[0].1, "It lifts 35 t. / How much? / 35 t");
    let chat = json!({"channel": {"name": "ops"}, "messages": [
        {"author": {"name": "Eva"}, "content": "The rope is worn."}, {"author": {"name": "Bo"}, "content": "Change it."}]});
    let chat = texts("c.json", &chat.to_string());
    assert_eq!(chat[0].1, "Eva: The rope is worn. / Bo: Change it.");
}

#[test]
fn broken_json_is_told_and_ends() {
    for text in [
        "[",
        "[{\"text\": \"one\"",
        "{]",
        "]]]",
        "nonsense",
        "[1, 2]",
        "\"",
        "{\"a\":[{\"b\":1}]}",
    ] {
        let found = texts("a.json", text);
        assert!(found.len() <= 3, "{found:?}");
        assert!(
            found
                .iter()
                .all(|(_, told)| told.contains("no JSON object")),
            "{text} {found:?}"
        );
    }
    let cut = texts("a.json", r#"[{"text": "one"}, {"text": "tw"#);
    assert_eq!(cut[0].1, "one");
    assert!(cut[1].1.contains("no JSON object"), "{cut:?}");
    let deep = format!("{}1{}", "{\"a\":".repeat(100_000), "}".repeat(100_000));
    assert!(texts("a.json", &deep)[0].1.contains("recursion limit"));
}

#[test]
fn html_that_is_nested_too_deep_stays_as_it_is() {
    let text_of = |html: String| {
        texts("x.jsonl", &json!({ "text": html }).to_string())[0]
            .1
            .clone()
    };
    assert!(text_of("<div>".repeat(50_000) + "</").starts_with("<div><div>"));
    // What is closed in a comment is open.
    let evading = "<div><!--</div>-->".repeat(1_000) + "words";
    assert_eq!(text_of(evading.clone()), evading);
    let flat = "<div><p>a<p>b<br></div><DIV>c</div>".repeat(1_000);
    assert!(text_of(flat).starts_with("a / b / c"));
}

#[test]
fn a_schema_says_where_records_have_what() {
    use super::record::{Record, RecordFields};
    let record = json!({"key": "T-1", "payload": {"note": "It lifts 35 t.", "head": "Limits"}, "site": "A", "a.b": "dot"});
    let of = |text: &str| {
        let fields = RecordFields {
            text: Some(text.into()),
            title: Some("payload.head".into()),
            id: Some("key".into()),
        };
        Record::of(record.as_object().unwrap().clone(), &fields)
    };
    let found = of("payload.note").unwrap();
    assert_eq!(
        (found.id, found.parsed.title),
        (Some(json!("T-1")), Some("Limits".into()))
    );
    assert_eq!(found.parsed.lines[0].text, "It lifts 35 t.");
    assert_eq!(
        serde_json::to_value(found.parsed.metadata).unwrap(),
        json!({"a.b": "dot", "site": "A"})
    );
    assert_eq!(of("a.b").unwrap().parsed.lines[0].text, "dot");
    assert_eq!(
        of("payload.text").map(|_| ()).unwrap_err(),
        "it has `a.b`, `key`, `payload.head`, `payload.note`, `site`, and no text in `payload.text`, which `text` of its bucket in `indexer.schemas` names"
    );
}
