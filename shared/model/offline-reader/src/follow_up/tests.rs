//! Tests of conversations, and of the rewrites of their follow-up questions.

use super::*;
use proptest::prelude::*;

/// Rewrites `question` after exchanges written as "question ~ answer".
fn after(topic: Option<&str>, before: &[&str], question: &str) -> String {
    let before: Vec<PastExchange<'_>> = before
        .iter()
        .map(|said| {
            let (question, answer) = said.split_once(" ~ ").expect("question ~ answer");
            PastExchange { question, answer }
        })
        .collect();
    rewrite(topic, &before, question).map_or_else(|| question.to_owned(), |r| r.question)
}

/// Each line of the file: a title, what was said before, a question, and how it stands alone.
#[test]
fn questions_stand_alone() {
    let lines = include_str!("cases.tsv").lines();
    let mut wrong = String::new();
    for line in lines.filter(|line| !line.starts_with('#')) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [topic, said, question, wanted] = cells[..] else {
            panic!("four cells: {line}");
        };
        let topic = Some(topic).filter(|topic| !topic.is_empty());
        let said: Vec<&str> = said.split(" | ").filter(|said| !said.is_empty()).collect();
        let got = after(topic, &said, question);
        if got != wanted {
            wrong.push_str(&format!("{question}\n  got  {got}\n  want {wanted}\n"));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn what_stands_alone_stays() {
    let said = "When does the Corvane agreement end? ~ It ends on 31 March 2027.";
    for question in [
        "What is the notice period of the Bolt contract?",
        "Is there a canteen in Basel?",
        "Did Anna Keller say when she signed?",
        "Is it true that HV2N4410A parts are lead-free?",
        "",
        "?!",
        "   ",
    ] {
        assert_eq!(after(None, &[said], question), question);
    }
    let long = "Who signed it? ".repeat(100);
    assert_eq!(after(None, &[said], &long), long);
}

#[test]
fn says_which_words_were_added() {
    let before = [PastExchange {
        question: "What does KinderConnect do?",
        answer: "It keeps attendance.",
    }];
    let rewritten = rewrite(None, &before, "Can I use it on my phone?").expect("a follow-up");
    assert_eq!(rewritten.added, ["KinderConnect"]);
}

/// What a question is made of, good and bad.
fn words() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("the "),
        Just("his "),
        Just("it "),
        Just("What about "),
        Just("And "),
        Just("Why? "),
        Just("that "),
        Just("\"Grey"),
        Just("\" "),
        Just("Ada "),
        Just("Byron's "),
        Just("else "),
        Just("in 2024? "),
        Just("of 4 "),
        Just("band "),
        Just("é’s "),
        Just("İ "),
        Just("ﬁ, "),
        Just("\u{301}"),
        Just("any "),
        Just("for "),
        Just("did "),
        Just("X1234 "),
        Just("\n"),
    ];
    let made = proptest::collection::vec(word, 0..40).prop_map(|words| words.concat());
    prop_oneof![3 => made, 1 => "\\PC{0,200}"]
}

proptest! {
    #[test]
    fn any_input_gives_the_same_bounded_rewrite(
        topic in proptest::option::of(words()),
        said in proptest::collection::vec((words(), words()), 0..6),
        question in words(),
    ) {
        let before: Vec<PastExchange<'_>> = said
            .iter()
            .map(|(question, answer)| PastExchange { question, answer })
            .collect();
        let one = rewrite(topic.as_deref(), &before, &question);
        prop_assert_eq!(&one, &rewrite(topic.as_deref(), &before, &question));
        if let Some(FollowUp { question: rewritten, added }) = one {
            prop_assert!(rewritten.len() <= QUESTION_BYTES_MAX * 8, "{} bytes", rewritten.len());
            prop_assert!(!added.is_empty());
        }
    }

    #[test]
    fn nothing_said_before_and_no_topic_is_no_follow_up(question in words()) {
        prop_assert_eq!(rewrite(None, &[], &question), None);
    }
}

#[test]
fn eight_thousand_characters_are_read_in_part() {
    let long = "The Corvane agreement “é’s” ends, and it İs Ä. ".repeat(170);
    let before = [PastExchange {
        question: &long,
        answer: &long,
    }; 12];
    assert_eq!(rewrite(Some(&long), &before, &long), None);
    let rewritten = rewrite(None, &before, "Who signed it?").map(|r| r.question.len());
    assert!(rewritten.is_none_or(|len| len < QUESTION_BYTES_MAX));
}
