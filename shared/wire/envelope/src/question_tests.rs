//! Tests of the ingress message: what is accepted, what is refused, and the text of each refusal.

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
    assert_eq!((question.mode, question.budget), Default::default());
}

#[test]
fn what_a_question_leaves_open_is_told_from_what_it_says() {
    let said = parse(r#"{"question": "q", "mode": "agentic", "budget": {"rounds": 3}}"#).unwrap();
    assert_eq!(said.mode, Some(ModeChoice::Agentic));
    let elsewhere = Budget {
        rounds: 7,
        searches: 9,
        ..Budget::default()
    };
    let wanted = Budget {
        rounds: 3,
        ..elsewhere
    };
    assert_eq!(said.budget.or(elsewhere), wanted);
    // A gateway that is set to something else reads the same question.
    let open = parse(r#"{"question": "q"}"#).unwrap();
    assert_eq!(open.budget.or(elsewhere), elsewhere);
    assert_eq!(open.hash(), said.hash());
    let other = parse(r#"{"question": "q", "mode": "simple"}"#).unwrap();
    assert_ne!(open.hash(), other.hash());
    let auto = parse(r#"{"question": "q", "mode": "auto"}"#).unwrap();
    assert_eq!(auto.mode, Some(ModeChoice::Auto));
    assert!(![open.hash(), other.hash()].contains(&auto.hash()));
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
        (
            br#"{"question":"q","conversation":"c 1"}"#,
            RefusalCode::BadId,
            "conversation",
        ),
        (
            br#"{"question":"q","reply_to_clarification":7}"#,
            RefusalCode::BadId,
            "reply_to_clarification",
        ),
        (
            br#"{"question":"q","conversation":"c1","when_busy":"push"}"#,
            RefusalCode::BadField,
            "interrupt",
        ),
        (
            br#"{"question":"q","when_busy":"reject"}"#,
            RefusalCode::BadField,
            "name that",
        ),
        (
            br#"{"question":"q","after":"q1"}"#,
            RefusalCode::BadField,
            "`after` goes with",
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
    let huge = format!(
        r#"{{"reply_to":"_INBOX.a","question":"{}"}}"#,
        "x".repeat(INGRESS_BYTES_MAX)
    );
    let refusal = parse(&huge).unwrap_err();
    assert_eq!(refusal.code, RefusalCode::TooLarge);
    assert_eq!(
        refusal.reply_to.as_deref(),
        Some("_INBOX.a"),
        "it is waited for there"
    );
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
    // For ever, once there is a release.
    assert_eq!(plain.hash(), "8993bc9e35d44706");
    let asked = |more: &str| {
        let body = format!(r#"{{"question":"q"{more}}}"#);
        Question::parse(body.as_bytes(), NOW, NOW).unwrap().hash()
    };
    let hashes = [
        "",
        r#","conversation":"c1""#,
        r#","conversation":"c2""#,
        r#","conversation":"c1","when_busy":"reject""#,
        r#","model":"large""#,
        r#","model":"larger""#,
        r#","reply_to_clarification":"q1""#,
        r#","reply_to_clarification":"q2""#,
        r#","conversation":"c1","reply_to_clarification":"q1""#,
    ]
    .map(asked);
    for (n, hash) in hashes.iter().enumerate() {
        assert!(!hashes[..n].contains(hash), "{n} is another question");
    }
}

#[test]
fn a_model_is_named_or_left_open() {
    let named = parse(r#"{"question":"q","model":" large "}"#).unwrap();
    assert_eq!(named.model.as_deref(), Some("large"));
    assert_eq!(
        parse(r#"{"question":"q","model":null}"#).unwrap().model,
        None
    );
    let long = format!(r#"{{"question":"q","model":"{}"}}"#, "x".repeat(257));
    for wrong in [
        r#"{"question":"q","model":""}"#,
        r#"{"question":"q","model":3}"#,
        &long,
    ] {
        let refusal = parse(wrong).unwrap_err();
        assert_eq!(refusal.code, RefusalCode::BadField, "{wrong}");
        assert!(
            refusal.message.contains("1 to 256 bytes"),
            "{}",
            refusal.message
        );
    }
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

#[test]
fn a_class_of_model_is_said_or_left_open() {
    let profile = |text: &str| parse(text).map(|question| question.profile);
    assert_eq!(profile(r#"{"question":"q"}"#).unwrap(), None);
    for one in [Profile::Small, Profile::Large] {
        let text = format!(r#"{{"question":"q","profile":"{}"}}"#, one.as_str());
        assert_eq!(profile(&text).unwrap(), Some(one));
    }
    let refusal = profile(r#"{"question":"q","profile":"huge"}"#).unwrap_err();
    assert_eq!(refusal.code, RefusalCode::BadField);
    assert!(
        refusal.message.ends_with("want small or large"),
        "{}",
        refusal.message
    );
    // A question that states a default asks the same.
    let hash = |text: &str| parse(text).unwrap().hash();
    let open = hash(r#"{"question":"q"}"#);
    assert_eq!(open, hash(r#"{"question":"q","profile":"small"}"#));
    assert_ne!(open, hash(r#"{"question":"q","profile":"large"}"#));
}

#[test]
fn a_least_score_is_a_number_from_0_to_1_and_makes_another_question() {
    let of = |least: &str| parse(&format!(r#"{{"question": "q"{least}}}"#));
    let open = of("").unwrap();
    let said = of(r#", "score_min": 0.4"#).unwrap();
    assert_eq!((open.score_min, said.score_min), (None, Some(0.4)));
    assert_ne!(open.hash(), said.hash());
    for wrong in ["1.5", "-0.1", "\"0.3\""] {
        let refused = of(&format!(r#", "score_min": {wrong}"#)).unwrap_err();
        assert!(
            refused.message.contains("want a number from 0 to 1"),
            "{}",
            refused.message
        );
    }
}
