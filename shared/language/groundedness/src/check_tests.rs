//! Tests of verdicts on single sentences, one case for each rule.

use super::*;
use proptest::prelude::*;

const CONTRACT: &str = "This agreement runs from 1 January 2026 to 31 December 2028. Either party may terminate the 2026 \
    cleaning agreement with 60 days' written notice to the end of a month. It renews for one year at a time unless notice is given.";
const LIABILITY: &str = "The Contractor's liability is limited to EUR 250,000 per year. Northmoor law applies. Invoices are \
    monthly, payable within 30 days.";
const NEWS: &str = "Flexport named Dave Clark as its new chief executive in March 2023. He was ousted after a year in the job. \
    The startup, valued at $8 billion, laid off 20% of its staff. Ryan Petersen returned to lead the company.";

fn one(sentence: &str, passages: &[&str]) -> (SentenceVerdict, Option<ReasonKind>) {
    let checked = check(sentence, passages, &Thresholds::default());
    let [one] = &checked.sentences[..] else {
        panic!("{sentence}: {checked:?}")
    };
    (one.verdict, one.reason.as_ref().map(|reason| reason.kind))
}

fn verdict(sentence: &str) -> (SentenceVerdict, Option<ReasonKind>) {
    one(sentence, &[CONTRACT, LIABILITY, NEWS])
}

#[test]
fn what_passages_say_is_supported() {
    for sentence in [
        "Either party may terminate the 2026 cleaning agreement with 60 days' written notice to the end of a month.",
        "With 60 days' written notice, either party may terminate the cleaning agreement [1].",
        "The liability of the Contractor is limited to €250,000 per year (Passage 2).",
        "3. The agreement runs from January 1, 2026 to 2028-12-31.",
        "Flexport is valued at 8 billion dollars.",
        "The startup laid off 20 percent of its staff.",
        "Invoices are payable within thirty days.",
    ] {
        assert_eq!(
            verdict(sentence),
            (SentenceVerdict::Supported, None),
            "{sentence}"
        );
    }
}

#[test]
fn what_turns_a_sentence_round_contradicts() {
    use ReasonKind::{Direction, Number, Polarity};
    for (sentence, kind) in [
        (
            "Neither party may terminate the 2026 cleaning agreement with 60 days' written notice.",
            Polarity,
        ),
        (
            "Either party may not terminate the 2026 cleaning agreement with 60 days' written notice.",
            Polarity,
        ),
        (
            "Either party may terminate the 2026 cleaning agreement with 90 days' written notice to the end of a month.",
            Number,
        ),
        ("He was ousted before a year in the job.", Direction),
    ] {
        assert_eq!(
            verdict(sentence),
            (SentenceVerdict::Contradicted, Some(kind)),
            "{sentence}"
        );
    }
}

#[test]
fn what_stands_nowhere_is_unsupported() {
    use ReasonKind::{Name, Number, Unit, Words};
    for (sentence, kind) in [
        ("Zorvex Holdings guarantees it with the Client.", Name),
        (
            "The Contractor pays a penalty of EUR 750 for late cleaning.",
            Number,
        ),
        (
            "The liability is limited to 250,000 dollars per year.",
            Unit,
        ),
        ("Elephants sleep standing up in the rain at night.", Words),
    ] {
        let (verdict, reason) = verdict(sentence);
        assert_ne!(verdict, SentenceVerdict::Supported, "{sentence}");
        assert_eq!(reason, Some(kind), "{sentence}");
    }
}

#[test]
fn what_claims_nothing_is_no_claim() {
    let answer = "Based on the documents:\n\n1. Northmoor law applies [2].\n\nThe passages do not provide information on deposits.";
    let checked = check(answer, &[LIABILITY], &Thresholds::default());
    let verdicts: Vec<SentenceVerdict> = checked.sentences.iter().map(|one| one.verdict).collect();
    assert_eq!(
        verdicts,
        [
            SentenceVerdict::NoClaim,
            SentenceVerdict::Supported,
            SentenceVerdict::NoClaim
        ]
    );
    assert_eq!(check("", &[LIABILITY], &Thresholds::default()).score, 1.0);
}

#[test]
fn the_window_that_decided_is_told() {
    let checked = check(
        "Northmoor law applies.",
        &[NEWS, LIABILITY],
        &Thresholds::default(),
    );
    let told = &checked.sentences[0];
    assert_eq!(told.passage, Some(1));
    assert_eq!(
        &LIABILITY[told.window.clone().unwrap()],
        "Northmoor law applies."
    );
    let answer = "Either party may terminate the 2026 cleaning agreement with 90 days' written notice to the end of a month.";
    let checked = check(answer, &[NEWS, CONTRACT], &Thresholds::default());
    let reason = checked.sentences[0].reason.as_ref().unwrap();
    assert_eq!(reason.words, "90 days");
}

#[test]
fn noise_of_a_scan_makes_nothing_unsupported() {
    let scan = "The forward vo1tage of the HVD-15O4 is at rnost 0.52 V at 1.5 A. The\nreverse current is at rnost 0.2 rnA at 40 V \
        and 25 °C and rises to\nl0 rnA at 100 °C.   . Therma1 resis-\ntance junction to 1ead: 28 K/W.";
    for sentence in [
        "The forward vo1tage of the HVD-15O4 is at rnost 0.52 V at 1.5 A.",
        "The forward voltage of the HVD-1504 is at most 0.52 V at 1.5 A.",
        "The reverse current is at most 0.2 mA at 40 V and 25 °C.",
    ] {
        assert_eq!(
            one(sentence, &[scan]),
            (SentenceVerdict::Supported, None),
            "{sentence}"
        );
    }
}

#[test]
fn what_is_no_prose_is_unsupported_and_bounded() {
    let endless = "word ".repeat(5_000);
    assert_eq!(one(&endless, &[LIABILITY]).0, SentenceVerdict::Unsupported);
    let many = "Northmoor law applies. ".repeat(300);
    let checked = check(&many, &[LIABILITY], &Thresholds::default());
    let first = checked.sentences.first().map(|one| one.verdict);
    let last = checked.sentences.last().map(|one| one.verdict);
    assert_eq!(first, Some(SentenceVerdict::Supported));
    assert_eq!(last, Some(SentenceVerdict::Unsupported));
    assert!(
        check(&" \n".repeat(50_000), &[LIABILITY], &Thresholds::default())
            .sentences
            .is_empty()
    );
}

#[test]
fn a_denial_that_is_nowhere_else_is_told() {
    let passage = "| warranty | four years |\nUsers with a low rating are not replaced before May.";
    let denies_alone = |answer: &str| {
        let checked = check(answer, &[passage], &Thresholds::default());
        checked.sentences.iter().any(|one| one.denies_alone)
    };
    for (answer, expected) in [
        ("The warranty is not four years.", true),
        ("The warranty is four years.", false),
        (
            "Users with a low rating are not replaced before May.",
            false,
        ),
        (
            "A user with a low rating is never replaced before May.",
            false,
        ),
        ("The warranty is not only four years.", false),
    ] {
        assert_eq!(denies_alone(answer), expected, "{answer}");
    }
}

#[test]
fn a_value_that_stands_twice_is_not_exchanged() {
    let copied = "aa 6 not 0 not not not 6.";
    let passage = format!("Before it. {copied} After it.");
    assert_eq!(one(copied, &[&passage]), (SentenceVerdict::Supported, None));
}

proptest! {
    #[test]
    fn whatever_is_answered_is_checked(
        answer in "([A-Z][a-z]{1,8} |not |[0-9]{1,4}|\\$|[a-z]{1,8} |\\. |\\[1\\]|\n|: |\\PC){0,40}",
        passage in "([A-Z][a-z]{1,8} |[0-9]{1,4}|%|[a-z]{1,8} |\\. |\n|\\PC){0,60}",
    ) {
        let checked = check(&answer, &[&passage], &Thresholds::default());
        prop_assert!((0.0..=1.0).contains(&checked.score));
        for one in checked.sentences {
            prop_assert!(one.start < one.end && answer.get(one.start..one.end).is_some());
            prop_assert!((0.0..=1.0).contains(&one.score));
            if let Some(window) = one.window {
                prop_assert!(passage.get(window).is_some());
            }
        }
    }

    #[test]
    fn what_is_copied_is_supported(words in "([a-z]{2,9}|[A-Z][a-z]{2,8}|[0-9]{1,5}|not)( ([a-z]{2,9}|[A-Z][a-z]{2,8}|[0-9]{1,5}|not)){4,14}") {
        let sentence = format!("{words}.");
        let passage = format!("Before it. {sentence} After it.");
        for one in check(&sentence, &[&passage], &Thresholds::default()).sentences {
            prop_assert!(matches!(one.verdict, SentenceVerdict::Supported | SentenceVerdict::NoClaim), "{one:?}");
        }
    }
}
