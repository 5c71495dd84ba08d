//! What becomes of a dialogue: cases, and dialogues that are too long.

use super::*;
use crate::openai::reply::of;
use envelope::{Clarification, Outcome, TenantId, Terminal, TurnId, UnixMs};

const AT: &str = "messages";

fn asked(messages: &Value) -> Result<Map<String, Value>, Problem> {
    ask(Map::new(), dialogue(Some(messages), AT)?, None, AT)
}

/// A question back, as a client has it in its history.
fn question_back() -> String {
    let turn = TurnId::new("t").expect("an id");
    let mut ended = Terminal::bare(
        turn,
        TenantId::default_tenant(),
        Outcome::Clarification,
        UnixMs(1),
    );
    ended.clarification = Some(Clarification {
        id: "t".into(),
        kind: "unclear".into(),
        question: "Of what?".into(),
        options: vec!["Of all".into()],
        widens: None,
        expires: None,
    });
    of(ended, "/", &[]).text
}

#[test]
fn the_last_message_of_the_user_is_the_question() {
    let fields = asked(&json!([
        {"role": "system", "content": "Be nice."},
        {"role": "user", "content": "What failed in May?"},
        {"role": "assistant", "content": "Two lamps [1].\n\nSources:\n- [1] [Log](http://x/#citation-1)\n\nNote: x"},
        {"role": "tool", "content": "42"},
        {"role": "user", "content": [{"type": "text", "text": "And"}, {"type": "text", "text": "in June?"}]},
        {"role": "assistant", "content": "In June"},
    ]))
    .expect("a question");
    assert_eq!(fields["question"], "And\nin June?");
    let earlier = json!([
        {"role": "user", "content": "What failed in May?"}, {"role": "assistant", "content": "Two lamps [1]."},
    ]);
    assert_eq!(fields["messages"], earlier);
}

#[test]
fn a_reply_is_joined_with_its_question() {
    let fields = asked(&json!([
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": "What is the total?"},
        {"role": "assistant", "content": question_back()},
        {"role": "user", "content": "Of invoice 7"},
    ]))
    .expect("a question");
    assert_eq!(
        fields["question"],
        "What is the total? - User clarified: Of invoice 7"
    );
    assert_eq!(
        fields["messages"].as_array().map(Vec::len),
        Some(2),
        "{fields:?}"
    );
    // A second question back about the same, and what was settled earlier.
    let fields = asked(&json!([
        {"role": "user", "content": "Total?"}, {"role": "assistant", "content": question_back()},
        {"role": "user", "content": "Of 7"}, {"role": "assistant", "content": question_back()},
        {"role": "user", "content": "Of 2025"}, {"role": "assistant", "content": "It is 3."},
        {"role": "user", "content": "And of 8?"},
    ]))
    .expect("a question");
    let first = "Total? - User clarified: Of 7 - User clarified: Of 2025";
    assert_eq!(fields["messages"][0]["content"], first);
    assert_eq!(fields["question"], "And of 8?");
}

#[test]
fn a_conversation_brings_what_was_said_before() {
    let messages = json!([
        {"role": "user", "content": "Total?"}, {"role": "assistant", "content": question_back()},
        {"role": "user", "content": "Of 7"},
    ]);
    let dialogue = dialogue(Some(&messages), AT).expect("a dialogue");
    let fields = ask(Map::new(), dialogue, Some("c1"), AT).expect("a question");
    assert_eq!(
        (fields["question"].as_str(), fields["conversation"].as_str()),
        (Some("Of 7"), Some("c1"))
    );
    assert!(!fields.contains_key("messages"));
}

#[test]
fn a_long_dialogue_fits() {
    for (letter, count, length) in [
        ("x", 200, 10),
        ("x", 40, 20_000),
        ("\u{1}", 64, 8_000),
        ("é", 64, 8_000),
    ] {
        let mut messages: Vec<Value> = (0..count)
            .flat_map(|n| {
                let text = format!("{n} {}", letter.repeat(length));
                [
                    json!({"role": "user", "content": text}),
                    json!({"role": "assistant", "content": text}),
                ]
            })
            .collect();
        messages.push(json!({"role": "user", "content": "é".repeat(7_999)}));
        let fields = asked(&messages.into()).expect("a question");
        let text = Value::Object(fields.clone()).to_string();
        let question = envelope::Question::parse(text.as_bytes(), UnixMs(1), UnixMs(1));
        question.expect("one that the fleet takes");
        let kept = fields["messages"].as_array().expect("a list");
        let last = format!("{} ", count - 1);
        let newest = kept.last().expect("some history")["content"].as_str();
        assert!(newest.expect("a text").starts_with(&last), "{letter:?}");
    }
}

#[test]
fn what_is_wrong_is_named() {
    for (wrong, named) in [
        (json!(null), "want a list of messages"),
        (json!([]), "no message of the user"),
        (
            json!([{"role": "system", "content": "x"}]),
            "no message of the user",
        ),
        (json!([{"role": "user", "content": 7}]), "want texts"),
        (
            json!([{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}]),
            "`image_url` cannot be read here",
        ),
        (
            json!([{"type": "item_reference", "id": "x"}]),
            "nothing is stored",
        ),
    ] {
        let problem = asked(&wrong).expect_err("refused");
        assert!(problem.detail.contains(named), "{}", problem.detail);
        assert_eq!((problem.status.as_u16(), problem.param), (400, Some(AT)));
    }
}
