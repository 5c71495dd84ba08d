//! Tests of the offline reader as a whole: every role writes its format, and no input panics.

use super::*;
use proptest::prelude::*;
use serde_json::Value;
use std::time::Duration;

fn request(role: Role, user: &str) -> ChatRequest {
    ChatRequest {
        role,
        model: None,
        turn: envelope::TurnId::new("t1").unwrap(),
        tenant: envelope::TenantId::default_tenant(),
        system: String::new(),
        user: user.to_owned(),
        max_tokens: 256,
        likely: 0,
        schema: None,
        timeout: Duration::from_secs(1),
    }
}

#[tokio::test]
async fn every_role_gets_its_shape() {
    let reader = OfflineReader::new();
    let text = "<question>When does the Acme contract end?</question>\n<text>\nsource: a.md\ntitle: Acme\nThe Acme contract ends on 3 May 2027.\n</text>";
    let reply = reader.chat(&request(Role::Mapper, text)).await.unwrap();
    assert_eq!(reply.model, NAME);
    assert_eq!(reply.usage.calls, 1);
    let found: Value = serde_json::from_str(&reply.text).unwrap();
    assert_eq!(found["facts"][0], "The Acme contract ends on 3 May 2027.");
    assert_eq!(found["grade"], 1);

    let facts =
        "<question>When does it end?</question><facts>\n[1] It ends on 3 May 2027.\n</facts>";
    let reply = reader.chat(&request(Role::Reducer, facts)).await.unwrap();
    assert_eq!(reply.text, "It ends on 3 May 2027 [1].");

    let facts = "<question>And that one?\n<meaning>When does the lease end?</meaning></question><facts>\n\
                 [1] The rent is 900.\n[2] The lease ends on 3 May 2027.\n</facts>";
    let reply = reader.chat(&request(Role::Reducer, facts)).await.unwrap();
    assert_eq!(reply.text, "The lease ends on 3 May 2027 [2].");

    let error = reader
        .chat(&request(Role::Mapper, facts))
        .await
        .unwrap_err();
    assert!(matches!(error, Error::Refused { status: 400, .. }));
}

#[tokio::test]
async fn questions_in_other_languages_are_answered_by_the_sentence_that_says_it() {
    let reader = OfflineReader::new();
    for (question, text, wanted) in [
        (
            "Wie hoch ist die Miete?",
            "Der Vertrag beginnt am 1. Mai. Die Kaltmiete beträgt 900 Euro. Die Wohnung hat drei Zimmer.",
            "Die Kaltmiete beträgt 900 Euro.",
        ),
        (
            "冷却水の点検はいつ?",
            "冷却水は屋上の槽にある。冷却水の点検は毎月五日に行う。担当は小野寺である。",
            "冷却水の点検は毎月五日に行う。",
        ),
        (
            "冷却水多久检查一次?",
            "冷却水在屋顶水箱。冷却水每月五日检查。由设备科负责。",
            "冷却水每月五日检查。",
        ),
        (
            "¿Cuánto dura el contrato?",
            "El contrato se firmó en Zaragoza. El contrato dura tres años. La calle es tranquila.",
            "El contrato dura tres años.",
        ),
        (
            "휴가는 며칠입니까?",
            "휴가는 부서장이 승인한다. 휴가는 일년에 15일이다. 사무실은 대전에 있다.",
            "휴가는 일년에 15일이다.",
        ),
    ] {
        let section = format!(
            "<question>{question}</question>\n<text>\nsource: a.md\ntitle: A\n{text}\n</text>"
        );
        let reply = reader.chat(&request(Role::Mapper, &section)).await.unwrap();
        let found: Value = serde_json::from_str(&reply.text).unwrap();
        assert_eq!(found["facts"][0], wanted, "{question}: {found}");
    }
    let section = "<question>Wie hoch ist der Turm?</question>\n<text>\nsource: a.md\ntitle: A\nDie Kaltmiete beträgt 900 Euro.\n</text>";
    let reply = reader.chat(&request(Role::Mapper, section)).await.unwrap();
    let found: Value = serde_json::from_str(&reply.text).unwrap();
    assert_eq!(found["grade"], 0, "{found}");
}

/// A name that stands at the beginning of the document tells what the passage is about; other words there tell nothing.
#[tokio::test]
async fn the_beginning_of_a_document_names_what_a_passage_is_about() {
    let reader = OfflineReader::new();
    let facts = async |question: &str, front: &str| {
        let section = format!(
            "<question>{question}</question>\n<text>\nsource: a.md\ntitle: Lease{front}\nThe rent is 900 euro.\n</text>"
        );
        let reply = reader.chat(&request(Role::Mapper, &section)).await.unwrap();
        let found: Value = serde_json::from_str(&reply.text).unwrap();
        found["facts"].as_array().map_or(0, Vec::len)
    };
    let front = " … The lease is of Harrow House and the garden.";
    let rent = "How much is the rent of Harrow House?";
    assert_eq!((facts(rent, "").await, facts(rent, front).await), (0, 1));
    assert_eq!(facts("How much is the garden?", front).await, 0);
}

#[tokio::test]
async fn a_clarified_question_is_read_without_the_words_between_its_parts() {
    let facts = "<question>Help me with it - User clarified: When does the lease end?</question><facts>\n\
                 [1] The rent is 900.\n[2] The lease ends on 3 May 2027.\n</facts>";
    let reader = OfflineReader::new();
    let reply = reader.chat(&request(Role::Reducer, facts)).await.unwrap();
    assert_eq!(reply.text, "The lease ends on 3 May 2027 [2].");
    let plan = "<question>Help me - User clarified: with the lease of Acme</question>";
    let reply = reader.chat(&request(Role::Planner, plan)).await.unwrap();
    let plan: Value = serde_json::from_str(&reply.text).unwrap();
    assert_eq!(plan["query"], "Help me with the lease of Acme");
}

#[tokio::test]
async fn it_is_no_other_model() {
    let mut request = request(Role::Planner, "<question>x</question>");
    request.model = Some(NAME.into());
    OfflineReader::new().chat(&request).await.unwrap();
    request.model = Some("large".into());
    let error = OfflineReader::new().chat(&request).await.unwrap_err();
    assert!(
        matches!(error, Error::Refused { status: 404, .. }),
        "{error}"
    );
}

#[test]
fn the_role_is_told_by_the_sections() {
    let q = "<question>x</question>";
    assert_eq!(role_of(q), Some(Role::Planner));
    assert_eq!(role_of(&format!("{q}<text>y</text>")), Some(Role::Mapper));
    assert_eq!(role_of(&format!("{q}<facts></facts>")), Some(Role::Reducer));
    assert_eq!(
        role_of(&format!("{q}<passages></passages>")),
        Some(Role::Reducer)
    );
    assert_eq!(
        role_of(&format!("{q}<narrowed_by></narrowed_by>")),
        Some(Role::Clarifier)
    );
    assert_eq!(
        role_of(&format!("{q}<reason></reason>")),
        Some(Role::Clarifier)
    );
    assert_eq!(
        role_of(&format!("{q}<history></history>")),
        Some(Role::Planner)
    );
    assert_eq!(role_of("hello"), None);
}

proptest! {
    #[test]
    fn never_panics_and_always_answers(
        question in "([a-zA-Z0-9 ?.'-]|\\PC){0,60}",
        text in "([a-zA-Z0-9 ?.|:\n#\\[\\]-]|\\PC){0,200}",
    ) {
        let reader = OfflineReader::new();
        for (role, tag) in [
            (Role::Mapper, "text"),
            (Role::Reducer, "facts"),
            (Role::Reducer, "passages"),
            (Role::Planner, "earlier_queries"),
            (Role::Planner, "history"),
            (Role::Clarifier, "narrowed_by"),
            (Role::Clarifier, "reason"),
        ] {
            let user = format!("<question>{question}</question><{tag}>{text}</{tag}>");
            let answer = reader.answer(role, &user, 200);
            prop_assert!(answer.is_some_and(|a| !a.is_empty()));
        }
    }
}

#[test]
fn a_review_asks_for_another_search_in_other_words() {
    let reader = OfflineReader::new();
    let question = "How long is the guarantee on the pump?";
    let user = format!(
        "<question>\n{question}\n</question>\n<earlier_queries>\n{question}\n</earlier_queries>\n<evaluation>\nnothing\n</evaluation>"
    );
    let answer = reader.answer(Role::Planner, &user, 400).unwrap();
    let review: serde_json::Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(review["status"], "more");
    let query = review["next_tool_call"]["args"]["query"].as_str().unwrap();
    assert!(!query.is_empty() && query != question, "{query}");
}
