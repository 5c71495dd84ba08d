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

#[test]
fn questions_of_a_business_stand_alone() {
    let limits = "What are the income limits for a family of 4? ~ They are 48,000 a year.";
    let voltage = "What is the collector-emitter voltage of the HV2N4410A? ~ 60 V.";
    let ends = "When does the Corvane agreement end? ~ It ends on 31 March 2027.";
    let app =
        "What does KinderConnect do? ~ KinderConnect records when a child arrives and leaves.";
    let paid = "How much did Bolt GmbH pay in 2023? ~ 12,400 EUR.";
    let signed = "Who signed the Corvane agreement? ~ Anna Keller signed it for the buyer.";
    let lease = "When does the lease of the Harrow workshop end? ~ On 31 March 2027.";
    let short = "When does the Harrow lease end? ~ On 31 March 2027.";
    let rent = "What is the rent of the Harrow workshop? ~ 1,200 euros a month.";
    let table = [
        (
            lease,
            "And the rent?",
            "What is the rent of the Harrow workshop?",
        ),
        (
            lease,
            "And the deposit of the workshop?",
            "What is the deposit of the workshop?",
        ),
        (
            short,
            "And the rent?",
            "What is the rent of the Harrow lease?",
        ),
        (
            lease,
            "And what about the Dover depot?",
            "When does the lease of the Dover depot end?",
        ),
        (
            lease,
            "And of the Dover depot?",
            "When does the lease of the Dover depot end?",
        ),
        (
            short,
            "What about the Dover lease?",
            "When does the Dover lease end?",
        ),
        (
            rent,
            "And the deposit?",
            "What is the deposit of the Harrow workshop?",
        ),
        (
            rent,
            "What about the Dover depot?",
            "What is the rent of the Dover depot?",
        ),
        (
            rent,
            "What about Dover?",
            "What is the rent of the Dover workshop?",
        ),
        (
            limits,
            "What about a family of 5?",
            "What are the income limits for a family of 5?",
        ),
        (
            voltage,
            "And of the HV2N4411B?",
            "What is the collector-emitter voltage of the HV2N4411B?",
        ),
        (
            voltage,
            "And the power?",
            "What is the power of the HV2N4410A?",
        ),
        (ends, "Who signed it?", "Who signed the Corvane agreement?"),
        (
            ends,
            "Can the agreement be renewed?",
            "Can the Corvane agreement be renewed?",
        ),
        (ends, "Why?", "Why does the Corvane agreement end?"),
        (
            app,
            "Can I use it on my phone?",
            "Can I use KinderConnect on my phone?",
        ),
        (app, "Is its use free?", "Is KinderConnect's use free?"),
        (paid, "And in 2024?", "How much did Bolt GmbH pay in 2024?"),
        (
            paid,
            "What about Harbour Light?",
            "How much did Harbour Light pay in 2023?",
        ),
        (
            paid,
            "How about in 2022?",
            "How much did Bolt GmbH pay in 2022?",
        ),
        (paid, "When?", "When did Bolt GmbH pay in 2023?"),
        (
            signed,
            "When did she sign it?",
            "When did Anna Keller sign the Corvane agreement?",
        ),
        (signed, "What is her role?", "What is Anna Keller's role?"),
        (
            signed,
            "Who else?",
            "Who else signed the Corvane agreement besides Anna Keller?",
        ),
    ];
    let wrong: Vec<String> = table
        .into_iter()
        .map(|(said, question, wanted)| (after(None, &[said], question), question, wanted))
        .filter(|(got, _, wanted)| got != wanted)
        .map(|(got, question, wanted)| format!("{question}\n  got  {got}\n  want {wanted}\n"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.concat());
}

#[test]
fn pronouns_and_names_become_what_they_mean() {
    let topic = Some("Marta Ilvane (chemist)");
    let born = "Where was she born? ~ Ilvane was born in Torvik.";
    let song = "Did she write songs? ~ She wrote \"Grey Harbour\" in 1994.";
    let none = "Did she marry? ~ I don't know.";
    let group = "When did they form? ~ In 2001, by Tom Arden and Lee Vost.";
    let band = Some("The Paper Lanterns (band)");
    let table = [
        (
            topic,
            vec![born],
            "When did she leave?",
            "When did Marta Ilvane leave?",
        ),
        (
            topic,
            vec![born],
            "Who were her teachers?",
            "Who were Marta Ilvane's teachers?",
        ),
        (
            topic,
            vec![born],
            "Did Ilvane have a sister?",
            "Did Marta Ilvane have a sister?",
        ),
        (
            topic,
            vec![song],
            "Was it a hit?",
            "Was \"Grey Harbour\" a hit?",
        ),
        (
            topic,
            vec![song],
            "How did that do?",
            "How did \"Grey Harbour\" do?",
        ),
        (
            topic,
            vec![song],
            "Was this song a hit?",
            "Was the song \"Grey Harbour\" a hit?",
        ),
        (
            topic,
            vec![born, none],
            "What happened in 1990?",
            "What happened in 1990 to Marta Ilvane?",
        ),
        (
            band,
            vec![group],
            "Did the band tour?",
            "Did the band The Paper Lanterns tour?",
        ),
        (
            band,
            vec![group],
            "Why did they?",
            "Why did The Paper Lanterns?",
        ),
        (
            band,
            vec![],
            "When did they form?",
            "When did The Paper Lanterns form?",
        ),
    ];
    for (topic, said, question, wanted) in table {
        assert_eq!(after(topic, &said, question), wanted, "{question}");
    }
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
