//! Tests of the whole crate, by cases in data files, and of properties that hold for any text.

use crate::alignment::{AlignedText, figures, units};
use crate::question::{self, scope};
use crate::sentences::{cited, read};
use crate::{
    cases, coverage, fold, line_of, months, one_line, overlap, shortened, stop, unaccented, unify,
    words,
};
use proptest::prelude::*;

const DELTA: &str = "The Delta pump is blue. Its guaran-\ntee runs for 24 months, counted from 3 May 2021.\n\n\
                     The total comes to 1,200.50 EUR. Lamps [7] are sold apart by Orlin Ltd.\n\
                     | part | weight |\n| --- | --- |\n| pump | 9 kg |\n| lamp | 2 kg |";

#[test]
fn questions() {
    cases::check(
        "questions.txt",
        include_str!("../tests-data/questions.txt"),
        of_question,
    );
}

#[test]
fn statements() {
    cases::check(
        "statements.txt",
        include_str!("../tests-data/statements.txt"),
        of_text,
    );
}

#[test]
fn single_words() {
    cases::check(
        "words.txt",
        include_str!("../tests-data/words.txt"),
        of_words,
    );
}

fn of_question(_: &str, teller: &str, question: &str) -> String {
    let reading = question::read(question);
    match teller {
        "class" => reading.class.as_str().to_owned(),
        "intent" => reading.intent.as_str().to_owned(),
        "form" => reading.form.as_str().to_owned(),
        "declines citations" => reading.declines_citations.to_string(),
        "literal" => reading.is_literal.to_string(),
        "scope" => scope(question, false).as_str().to_owned(),
        "following scope" => scope(question, true).as_str().to_owned(),
        "words" => {
            let said = question::words::split(question).into_iter();
            let shown = said.map(|word| {
                let is = [
                    (word.closes(), "closes"),
                    (word.is_month(), "month"),
                    (word.is_year(), "year"),
                    (word.is_iso_day(), "day"),
                    (word.is_period(), "period"),
                ];
                let is = is
                    .iter()
                    .filter(|(is, _)| *is)
                    .map(|(_, name)| format!(" {name}"));
                format!("{}{}", word.word, is.collect::<String>())
            });
            shown.collect::<Vec<_>>().join("; ")
        }
        _ => panic!("nothing is called `{teller}`"),
    }
}

fn of_text(_: &str, teller: &str, text: &str) -> String {
    let delta = AlignedText::new(DELTA, &["Delta manual", "manuals/delta-2021.md"]);
    match teller {
        "found in delta" => match delta.align(text, 0.6) {
            Some(found) if found.is_verbatim => format!("copied: {}", &DELTA[found.span]),
            Some(found) => format!("reworded: {}", &DELTA[found.span]),
            None => "none".to_owned(),
        },
        "nearest in delta" => delta
            .nearest(text)
            .map_or("none".to_owned(), |near| DELTA[near.span].to_owned()),
        "opening" => text[AlignedText::new(text, &[]).opening()].to_owned(),
        "verbatim" => {
            let (text, part) = pair(text);
            let found = AlignedText::new(text, &[]).verbatim(part);
            found.map_or("none".to_owned(), |span| text[span].to_owned())
        }
        "covered" => {
            let (parts, said) = pair(text);
            let parts: Vec<&str> = parts.split(" / ").collect();
            coverage(&parts, said.split(" / ").filter(|said| !said.is_empty())).to_string()
        }
        "overlap" => {
            let (answer, fact) = pair(text);
            overlap(answer, &[fact]).to_string()
        }
        "figures" => figures::figures(text).join(" "),
        "given figures" => {
            let mut given: Vec<_> = figures::given_figures(text).into_iter().collect();
            given.sort();
            given.join(" ")
        }
        "whole words" => units::without_hyphens(text),
        "units" => {
            let units = units::units(text).into_iter();
            let shown = units.map(|unit| format!("{:?} {}", unit.head, &text[unit.span]));
            shown.collect::<Vec<_>>().join(" / ")
        }
        "read sentences" => read(text).join(" / "),
        "cited sentences" => {
            let spans = cited::spans(text).into_iter();
            spans
                .map(|span| &text[span])
                .collect::<Vec<_>>()
                .join(" / ")
        }
        "cited lines" => cited::of(text).join(" / "),
        _ => panic!("nothing is called `{teller}`"),
    }
}

/// Two texts with a bar between them.
fn pair(said: &str) -> (&str, &str) {
    said.split_once(" | ").unwrap_or((said, ""))
}

fn of_words(_: &str, teller: &str, said: &str) -> String {
    let alike = |form: fn(&str) -> String| {
        let (one, other) = pair(said);
        let words = ["different", "same"];
        words[usize::from(form(one) == form(other))].to_owned()
    };
    let month = |month: Option<u8>| month.map_or("none".to_owned(), |month| month.to_string());
    match teller {
        "name key" => fold::name_key(said),
        "name keys" => alike(fold::name_key),
        "value keys" => alike(fold::value_key),
        "skeletons" => alike(fold::skeleton),
        "legal form" => fold::legal_form(said).unwrap_or("none".to_owned()),
        "legal form word" => fold::is_legal_form(said).to_string(),
        "company suffix" => fold::is_company_suffix(said).to_string(),
        "acronym" => fold::acronym(said).unwrap_or("none".to_owned()),
        "singular" => fold::singular(said),
        "unaccented" => unaccented(said),
        "unified" => unify(said),
        "stems" => said
            .split(' ')
            .map(words::stem)
            .collect::<Vec<_>>()
            .join(" "),
        "content" => words::content(said).join(" "),
        "content free" => stop::is_content_free(said).to_string(),
        "unsearched" => stop::is_unsearched(said).to_string(),
        "month in date" => month(months::number_in_date(said)),
        "month in either" => month(months::number_in_either(said)),
        "one line" => one_line(said),
        "first 3" => line_of(said, 3),
        "shortened to 2" => shortened(said, 2),
        _ => panic!("nothing is called `{teller}`"),
    }
}

proptest! {
    #[test]
    fn any_text_can_be_read(text in "(from|over|not|between|and|May|2024|\\$3k|Acme| |,|\\PC){0,40}") {
        let _ = (question::read(&text), scope(&text, true));
    }

    #[test]
    fn a_part_of_a_text_stands_in_it(
        words in proptest::collection::vec("[a-zA-Z]{1,8}|[0-9]{1,4}|\\PC{1,3}", 1..30),
        from in 0usize..30,
        length in 1usize..12,
    ) {
        let text = words.join("\n");
        let from = from % words.len();
        let part = words[from..(from + length).min(words.len())].join(" ");
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

    #[test]
    fn what_stands_in_a_text_is_given(text in "([0-9]{1,5}[.,]?|[a-zA-Z ]|\\PC){0,30}") {
        let given = figures::given_figures(&text);
        prop_assert!(figures::figures(&text).iter().all(|figure| given.contains(figure)));
    }

    #[test]
    fn units_are_in_order_and_short(text in "([a-zA-Z0-9.!? |\n-]|\\PC){0,400}") {
        let units = units::units(&text);
        prop_assert!(units.windows(2).all(|two| two[0].span.end <= two[1].span.start));
        for unit in &units {
            prop_assert!(!text[unit.span.clone()].is_empty());
            prop_assert!(unit.span.len() <= units::UNIT_BYTES_MAX);
        }
        let joined: String = units.iter().map(|unit| &text[unit.span.clone()]).collect();
        prop_assert_eq!(bare(&joined), bare(&text));
    }

    #[test]
    fn nothing_is_lost_and_spans_are_in_order(text in "([a-zA-Z0-9.!? \n]|\\PC){0,80}") {
        let spans = cited::spans(&text);
        let joined: String = spans.iter().map(|span| &text[span.clone()]).collect();
        prop_assert_eq!(bare(&joined), bare(&text));
        prop_assert!(spans.windows(2).all(|two| two[0].end <= two[1].start));
    }

    #[test]
    fn a_key_is_its_own(name in "\\PC{0,40}") {
        let once = fold::key(&name);
        prop_assert_eq!(fold::key(&once), once);
    }

    #[test]
    fn more_passages_cover_no_less(
        part in "[a-z ]{0,30}",
        passages in proptest::collection::vec("[a-z ]{0,40}", 1..5),
    ) {
        let all = coverage(&[&part], passages.iter().map(String::as_str));
        let fewer = coverage(&[&part], passages[1..].iter().map(String::as_str));
        prop_assert!((0.0..=1.0).contains(&all) && fewer <= all);
    }

    #[test]
    fn capitals_throughout_change_no_word(text in "\\PC{0,120}", ascii in "[ -~]{0,80}") {
        let _ = words::content(&text); // does not panic
        // Capitals among small letters are acronyms, which show no language.
        let small = ascii.to_lowercase();
        prop_assert_eq!(words::content(&small), words::content(&small.to_uppercase()));
    }

    #[test]
    fn an_overlap_is_a_share(answer in "\\PC{0,80}", fact in "\\PC{0,80}") {
        let share = overlap(&answer, &[fact]);
        prop_assert!((0.0..=1.0).contains(&share));
        let itself = overlap(&answer, &[crate::overlap::without_marks(&answer)]);
        let is_empty = words::content(&crate::overlap::without_marks(&answer)).is_empty();
        prop_assert!(itself == 1.0 || is_empty);
    }
}

fn bare(text: &str) -> String {
    text.split_whitespace().collect()
}
