use super::*;
use proptest::prelude::*;

/// Rewrites `question` after exchanges written as "question ~ answer".
fn after(topic: Option<&str>, before: &[&str], question: &str) -> String {
    let split = |said: &&'static str| said.split_once(" ~ ").expect("question ~ answer");
    let _ = split;
    let before: Vec<Exchange<'_>> = before
        .iter()
        .map(|said| {
            let (question, answer) = said.split_once(" ~ ").expect("question ~ answer");
            Exchange { question, answer }
        })
        .collect();
    rewrite(topic, &before, question).map_or_else(|| question.to_owned(), |r| r.question)
}

#[test]
fn questions_of_a_business_stand_alone() {
    let limits = "What are the income limits for a family of 4? ~ They are 48,000 a year.";
    let voltage = "What is the collector-emitter voltage of the HV2N4410A? ~ 60 V.";
    let ends = "When does the Corvane agreement end? ~ It ends on 31 March 2027.";
    let app = "What does KinderConnect do? ~ KinderConnect records when a child arrives and leaves.";
    let paid = "How much did Bolt GmbH pay in 2023? ~ 12,400 EUR.";
    let signed = "Who signed the Corvane agreement? ~ Anna Keller signed it for the buyer.";
    let table = [
        (limits, "What about a family of 5?", "What are the income limits for a family of 5?"),
        (voltage, "And of the HV2N4411B?", "What is the collector-emitter voltage of the HV2N4411B?"),
        (voltage, "And the power?", "What is the power of the HV2N4410A?"),
        (ends, "Who signed it?", "Who signed the Corvane agreement?"),
        (ends, "Can the agreement be renewed?", "Can the Corvane agreement be renewed?"),
        (ends, "Why?", "Why does the Corvane agreement end?"),
        (app, "Can I use it on my phone?", "Can I use KinderConnect on my phone?"),
        (app, "Is its use free?", "Is KinderConnect's use free?"),
        (paid, "And in 2024?", "How much did Bolt GmbH pay in 2024?"),
        (paid, "What about Harbour Light?", "How much did Harbour Light pay in 2023?"),
        (paid, "How about in 2022?", "How much did Bolt GmbH pay in 2022?"),
        (paid, "When?", "When did Bolt GmbH pay in 2023?"),
        (signed, "When did she sign it?", "When did Anna Keller sign the Corvane agreement?"),
        (signed, "What is her role?", "What is Anna Keller's role?"),
        (signed, "Who else?", "Who else signed the Corvane agreement besides Anna Keller?"),
    ];
    let wrong: Vec<String> = table
        .into_iter()
        .map(|(said, question, wanted)| (after(None, &[said], question), question, wanted))
        .filter(|(got, _, wanted)| got != wanted)
        .map(|(got, question, wanted)| format!("{question}\n  got  {got}\n  want {wanted}\n"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.concat());
}
