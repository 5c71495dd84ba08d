//! Tests of finding statements in a text. The statements are copied, misread by a scanner, reworded, or made up.

use super::*;
use proptest::prelude::*;

const TEXT: &str = "The Delta pump is blue. Its guaran-\ntee runs for 24 months, counted from 3 May 2021.\n\n\
                    The total comes to 1,200.50 EUR. Lamps [7] are sold apart by Orlin Ltd.\n\
                    | part | weight |\n| --- | --- |\n| pump | 9 kg |\n| lamp | 2 kg |";

fn found(statement: &str, least: f32) -> Option<(&'static str, bool)> {
    let text = AlignedText::new(TEXT, &["Delta manual", "manuals/delta-2021.md"]);
    let found = text.align(statement, least)?;
    Some((&TEXT[found.span], found.is_verbatim))
}

#[test]
fn what_was_copied_is_found_through_what_copying_does() {
    for (statement, span) in [
        ("The Delta pump is blue.", "The Delta pump is blue."),
        ("the DELTA pump: is blue", "The Delta pump is blue"),
        (
            "Its guarantee runs for 24 months",
            "Its guaran-\ntee runs for 24 months",
        ),
        ("runs for24 m0nths", "runs for 24 months"),
        (
            "The tota1 cornes to 1200.5 EUR",
            "The total comes to 1,200.50 EUR",
        ),
        ("Lamps 7 are sold", "Lamps [7] are sold"),
        ("3 May 2021", "3 May 2021"),
    ] {
        let wanted = match statement {
            // Another notation is no copy, and says the same.
            "The tota1 cornes to 1200.5 EUR" => Some(("The total comes to 1,200.50 EUR.", false)),
            _ => Some((span, true)),
        };
        assert_eq!(found(statement, 0.6), wanted, "{statement}");
    }
}

#[test]
fn what_was_reworded_is_found_in_the_nearest_sentences() {
    for (statement, span) in [
        (
            "Guarantee period: 24 months",
            "Its guaran-\ntee runs for 24 months, counted from 3 May 2021.",
        ),
        ("The pump has a weight of 9 kg", "| pump | 9 kg |"),
        (
            "Orlin Ltd. sells lamps",
            "Lamps [7] are sold apart by Orlin Ltd.",
        ),
    ] {
        assert_eq!(found(statement, 0.6), Some((span, false)), "{statement}");
    }
}

#[test]
fn what_stands_nowhere_is_found_nowhere() {
    for statement in [
        "The pump was serviced on 3 May 2021.",
        "The guarantee runs for 36 months",
        "The total comes to 1,201.50 EUR",
        "The total comes to 120050 EUR",
        "The total comes to 1,200",
        "200.50 EUR",
        "The lamp has a weight of 9 kg for 24 months",
        "The Delta pump is not blue",
        "Lamps aren't sold by Orlin Ltd.",
        "Napoleon was born on Corsica",
        "pum",
        "",
        "It is so.",
    ] {
        assert_eq!(found(statement, 0.6), None, "{statement}");
    }
}

#[test]
fn the_nearest_sentence_may_be_anything_and_the_opening_is_the_first() {
    let text = AlignedText::new(TEXT, &[]);
    let nearest = text
        .nearest("a guarantee of 36 months")
        .map(|near| near.span);
    assert!(TEXT[nearest.unwrap_or_default()].starts_with("Its guaran-"));
    assert_eq!(text.nearest("Napoleon"), None);
    assert_eq!(&TEXT[text.opening()], "The Delta pump is blue.");
    assert_eq!(AlignedText::new(" \n", &[]).opening(), 0..0);
}

#[test]
fn scripts_without_blanks_have_no_words_to_keep_whole() {
    let text = "契約は三月三十一日に終了します。";
    let found = AlignedText::new(text, &[]).verbatim("三月三十一日に終了");
    assert_eq!(found.map(|span| &text[span]), Some("三月三十一日に終了"));
}

proptest! {
    #[test]
    fn a_part_of_a_text_stands_in_it(
        words in proptest::collection::vec("[a-zA-Z]{1,8}|[0-9]{1,4}|\\PC{1,3}", 1..30),
        from in 0usize..30,
        length in 1usize..12,
    ) {
        let text = words.join("\n");
        let part: Vec<&str> = words.iter().map(String::as_str).collect();
        let from = from % words.len();
        let part = part[from..(from + length).min(words.len())].join(" ");
        prop_assume!(part.chars().any(|c| c.is_ascii_alphanumeric()));
        let aligned = AlignedText::new(&text, &[]);
        prop_assert!(aligned.verbatim(&part).is_some(), "{} in {}", part, text);
    }

    #[test]
    fn spans_are_of_the_text(
        text in "([a-zA-Z0-9.!? |\n-]|\\PC){0,200}",
        statement in "([a-zA-Z0-9.!? |\n-]|\\PC){0,60}",
    ) {
        let aligned = AlignedText::new(&text, &["a title"]);
        for found in [aligned.align(&statement, 0.0), aligned.nearest(&statement)] {
            let Some(found) = found else { continue };
            prop_assert!(text.get(found.span).is_some_and(|inside| !inside.is_empty()));
            prop_assert!((0.0..=1.0).contains(&found.coverage));
        }
    }
}
