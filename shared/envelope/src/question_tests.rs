//! What is understood, what is refused, and with which words.

use super::*;
use proptest::prelude::*;

const NOW: UnixMs = UnixMs(1_000_000);

fn parse(text: &str) -> Result<Question, Refusal> {
    Question::parse(text.as_bytes(), NOW, NOW)
}

#[test]
fn the_smallest_question() {
    let question = parse(r#"{"question": " When does it end? "}"#).unwrap();
    assert_eq!(question.question, "When does it end?");
    assert_eq!(question.tenant, TenantId::default_tenant());
    assert_eq!(question.budget, Budget::default());
}

#[test]
fn every_refusal_names_its_reason() {
    let cases: &[(&[u8], RefusalCode, &str)] = &[
        (b"\xff\xfe", RefusalCode::NotUtf8, "UTF-8"),
        (b"what?", RefusalCode::NotJson, "not JSON"),
        (b"[1]", RefusalCode::NotJson, "not an object"),
        (b"{}", RefusalCode::MissingQuestion, "`question`"),
        (
            br#"{"question":"  "}"#,
            RefusalCode::MissingQuestion,
            "`question`",
        ),
        (
            b"{\"question\":\"q\",\"id\":\"a\\r\\nb\"}",
            RefusalCode::BadId,
            r"`a\r\nb`",
        ),
        (
            br#"{"question":"q","colour":1}"#,
            RefusalCode::UnknownField,
            "`colour`",
        ),
        (
            br#"{"question":"q","id":"a.b"}"#,
            RefusalCode::BadId,
            "`a.b`",
        ),
        (
            br#"{"question":"q","id":"t1-a"}"#,
            RefusalCode::BadId,
            "given",
        ),
        (br#"{"question":"q","id":7}"#, RefusalCode::BadId, "`id`"),
        (
            br#"{"question":"q","tenant":"*"}"#,
            RefusalCode::BadId,
            "`tenant`",
        ),
        (
            br#"{"question":"q","reply_to":"argosy.query"}"#,
            RefusalCode::BadReplyTo,
            "_INBOX",
        ),
        (
            br#"{"question":"q","deadline":5}"#,
            RefusalCode::BadDeadline,
            "future",
        ),
        (
            br#"{"question":"q","deadline":"9h"}"#,
            RefusalCode::BadDeadline,
            "limit",
        ),
        (
            br#"{"question":"q","deadline":"soon"}"#,
            RefusalCode::BadDeadline,
            "90s",
        ),
        (
            br#"{"question":"q","mode":"fast"}"#,
            RefusalCode::BadField,
            "agentic",
        ),
        (
            br#"{"question":"q","budget":{"rounds":0}}"#,
            RefusalCode::BadField,
            "rounds",
        ),
        (
            br#"{"question":"q","min_seq":"41"}"#,
            RefusalCode::BadField,
            "whole number",
        ),
        (
            br#"{"question":"q","min_seq":-1}"#,
            RefusalCode::BadField,
            "whole number",
        ),
        (
            br#"{"question":"q","filters":{"a":{"near":1}}}"#,
            RefusalCode::BadFilter,
            "near",
        ),
        (
            br#"{"question":"q","buckets":["a b"]}"#,
            RefusalCode::BadId,
            "buckets",
        ),
    ];
    for (bytes, code, words) in cases {
        let refusal = Question::parse(bytes, NOW, NOW).unwrap_err();
        assert_eq!(refusal.code, *code, "{}", String::from_utf8_lossy(bytes));
        assert!(refusal.message.contains(words), "{}", refusal.message);
    }
    let long = format!(
        "{{\"question\":\"{}\"}}",
        "x".repeat(QUESTION_CHARS_MAX + 1)
    );
    assert_eq!(parse(&long).unwrap_err().code, RefusalCode::QuestionTooLong);
    let huge = format!("{{\"question\":\"{}\"}}", "x".repeat(INGRESS_BYTES_MAX));
    assert_eq!(parse(&huge).unwrap_err().code, RefusalCode::TooLarge);
}

#[test]
fn a_question_about_a_later_corpus_is_another_one() {
    let plain = parse(r#"{"question":"q"}"#).unwrap();
    let after =
        |sequence: u64| parse(&format!(r#"{{"question":"q","min_seq":{sequence}}}"#)).unwrap();
    assert_eq!((plain.min_seq, after(41).min_seq), (0, 41));
    assert_eq!(after(0).hash(), plain.hash());
    assert_ne!(after(41).hash(), plain.hash());
    assert_ne!(after(41).hash(), after(42).hash());
    // As releases before `min_seq` wrote it.
    assert_eq!(plain.hash(), "ce40e2c8a21b15b2");
}

#[test]
fn a_refusal_goes_to_an_allowed_subject_only() {
    let refusal = parse(r#"{"reply_to":"_INBOX.a"}"#).unwrap_err();
    assert_eq!(refusal.reply_to.as_deref(), Some("_INBOX.a"));
    let refusal = parse(r#"{"question":"q","reply_to":"$JS.API.STREAM.DELETE.x"}"#).unwrap_err();
    assert_eq!(refusal.reply_to, None);
}

#[test]
fn listeners_of_one_turn_may_differ_in_where_they_listen() {
    let a = parse(r#"{"question":"q","reply_to":"_INBOX.a"}"#).unwrap();
    let b = parse(r#"{"question":"q","reply_to":"_INBOX.b","stream":true}"#).unwrap();
    let c = parse(r#"{"question":"q","tenant":"other"}"#).unwrap();
    assert_eq!(a.hash(), b.hash());
    assert_ne!(a.hash(), c.hash());
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = Question::parse(&bytes, NOW, NOW);
    }
}
