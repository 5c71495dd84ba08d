//! Tests of verdicts on single sentences and of values, by cases in a data file.

use super::*;
use crate::claims;
use crate::reading::Sentence;
use crate::values::Value;
use crate::vocabulary::Vocabulary;
use proptest::prelude::*;

#[path = "../../text/src/cases.rs"]
mod cases;

const CONTRACT: &str = "This agreement runs from 1 January 2026 to 31 December 2028. Either party may terminate the 2026 \
    cleaning agreement with 60 days' written notice to the end of a month. It renews for one year at a time unless notice is given.";
const LIABILITY: &str = "The Contractor's liability is limited to EUR 250,000 per year. Northmoor law applies. Invoices are \
    monthly, payable within 30 days.";
const NEWS: &str = "Flexport named Dave Clark as its new chief executive in March 2023. He was ousted after a year in the job. \
    The startup, valued at $8 billion, laid off 20% of its staff. Ryan Petersen returned to lead the company.";

const SCAN: &str = "The forward vo1tage of the HVD-15O4 is at rnost 0.52 V at 1.5 A. The\nreverse current is at rnost 0.2 rnA at 40 V \
    and 25 °C and rises to\nl0 rnA at 100 °C.   . Therma1 resis-\ntance junction to 1ead: 28 K/W.";

#[test]
fn sentences() {
    let file = "sentences.txt";
    cases::check(file, include_str!("../tests-data/sentences.txt"), told);
}

/// One reading of a text, as text.
fn told(place: &str, teller: &str, said: &str) -> String {
    let passages: &[&str] = match place.trim_start_matches(" of ") {
        "contract" => &[CONTRACT, LIABILITY, NEWS],
        "scan" => &[SCAN],
        "twice" => &["Before it. aa 6 not 0 not not not 6. After it."],
        "warranty" => {
            &["| warranty | four years |\nUsers with a low rating are not replaced before May."]
        }
        "" => &[],
        _ => panic!("no passages are called `{place}`"),
    };
    let checked = check(said, passages, &Thresholds::default()).sentences;
    let reason = |one: &SentenceCheck| match &one.reason {
        Some(reason) => reason.kind.as_str(),
        None => "",
    };
    match teller {
        "verdict" => {
            let all = checked.iter().map(|one| {
                let verdict = match one.verdict {
                    SentenceVerdict::Supported => "supported",
                    SentenceVerdict::Unsupported => "unsupported",
                    SentenceVerdict::Contradicted => "contradicted",
                    SentenceVerdict::NoClaim => "no claim",
                };
                format!("{verdict} {}", reason(one)).trim().to_owned()
            });
            all.collect::<Vec<_>>().join("; ")
        }
        "refused" => match &checked[..] {
            [one] if one.verdict != SentenceVerdict::Supported => reason(one).to_owned(),
            other => format!("{other:?}"),
        },
        "denies alone" => checked.iter().any(|one| one.denies_alone).to_string(),
        "likeness" => {
            let (one, other) = said.split_once(" | ").expect("two values");
            match (&values(one)[..], &values(other)[..]) {
                ([one], [other]) => format!("{:?}", one.likeness(other)),
                other => format!("{other:?}"),
            }
        }
        "bound" => values(said)[0].bound.to_string(),
        "claims" => {
            let sentences = claims::sentences(said).into_iter();
            let claims = sentences
                .filter(|one| one.is_claim)
                .map(|one| &said[one.at]);
            claims.collect::<Vec<_>>().join(" / ")
        }
        "blanked" => claims::blanked(said).replace(' ', "_"),
        _ => panic!("nothing is called `{teller}`"),
    }
}

fn values(text: &str) -> Vec<Value> {
    Sentence::read(text, 0..text.len(), &mut Vocabulary::default()).values
}

#[test]
fn an_identifier_is_at_most_one_value() {
    assert!(values("the HVD-1504A and 2N4410").len() <= 1);
}

#[test]
fn what_is_empty_is_not_made_up() {
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
fn what_is_no_prose_is_unsupported_and_bounded() {
    let endless = "word ".repeat(5_000);
    let checked = check(&endless, &[LIABILITY], &Thresholds::default());
    let verdicts: Vec<_> = checked.sentences.iter().map(|one| one.verdict).collect();
    assert_eq!(verdicts, [SentenceVerdict::Unsupported]);
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
