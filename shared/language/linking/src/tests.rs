//! Tests of the whole crate, by cases in data files, and of properties that hold for any text.
//!
//! `tests-data/corpora.txt` holds the corpora, and every other file there questions with the reading of each.

use crate::days::{DayRange, FiscalEnd};
use crate::dictionary::signatures;
use crate::dictionary::{BucketWords, DescribedBucket, Dictionary};
use crate::kindred::Kin;
use crate::linked::{LinkedQuestion, QuestionCondition, Test};
use crate::merge::united;
use crate::tabulate::{TableQuestion, Tabulation};
use crate::token::{QuestionToken, tokens};
use crate::{Date, alternatives, amounts, companies, days, fiscal, form, names, signs, units};
use proptest::prelude::*;

#[path = "../../text/src/cases.rs"]
mod cases;
mod corpus;

use cases::check;
use corpus::{column, corpus, date};

macro_rules! files {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            let file = concat!(stringify!($name), ".txt");
            check(file, include_str!(concat!("../tests-data/", stringify!($name), ".txt")), told);
        })*
    };
}

files! { conditions documents prose tables wordings states naming words spans }

/// One reading of a question, as text.
fn told(place: &str, teller: &str, said: &str) -> String {
    let (of, today) = place.split_once(" on ").unwrap_or((place, "2025-12-10"));
    let (known, today) = (corpus(of.trim_start_matches(" of ")), date(today));
    let linked = || match teller {
        "likened table" => crate::link_by(said, &known, today, &ThreeWords),
        _ => crate::link(said, &known, today),
    };
    match teller {
        "conditions" => {
            let linked = linked();
            match linked.parts.is_empty() {
                true => all_shown(&linked.conditions),
                false => [all_shown(&linked.conditions), all_shown(&linked.parts)].join(" // "),
            }
        }
        "assumed" => {
            let linked = linked();
            let all = linked.conditions.iter().chain(&linked.parts);
            let assumed = all.filter(|one| one.is_assumed);
            joined(assumed.map(|one| one.field.clone()))
        }
        "intent" => format!("{:?}", linked().intent),
        "bucket" => linked().bucket.unwrap_or_default(),
        "names" => {
            let linked = linked();
            let all = linked.conditions.iter().chain(&linked.parts);
            joined(all.map(|one| format!("{} {}", one.field, one.names.join("|"))))
        }
        "sides" => {
            let sides = linked().sides.into_iter();
            joined(sides.map(|side| format!("{}: {}", all_shown(&side.conditions), side.said)))
        }
        "ambiguous" => joined(linked().ambiguous.into_iter().map(|one| {
            let what = ["values", "columns"][usize::from(one.is_of_columns)];
            format!("{}: {what} {}", one.said, one.options.join(" or "))
        })),
        "dropped" => reasons(&linked().dropped),
        "unread" => reasons(&linked().unread),
        "contradictory" => {
            let all = linked().contradictory;
            joined(all.iter().map(|one| format!("{}: {}", one.0, one.1)))
        }
        "bare" => linked().is_bare.to_string(),
        "fits no bucket" => linked().fits_no_bucket.to_string(),
        "table" => table(&linked()),
        "likened table" | "shown" | "currency sources" => match linked().tabulation {
            Tabulation::Fit(fit) if teller == "shown" => fit.shown.join(" "),
            Tabulation::Fit(fit) if teller == "currency sources" => {
                format!("{:?} {:?}", fit.currency, fit.currency_of)
            }
            Tabulation::Fit(fit) => {
                let likened = fit.likened.iter();
                let likened = likened.map(|(said, column)| format!(", {said} as {column}"));
                table(&linked()) + &likened.collect::<String>()
            }
            Tabulation::Unfit { .. } => table(&linked()),
            other => format!("{other:?}"),
        },
        "name" => match linked().tabulation {
            Tabulation::Unfit { name, .. } => name.unwrap_or_default(),
            other => format!("{other:?}"),
        },
        _ => told_of_words(teller, said, &known, today),
    }
}

/// One reading of a text that needs no question.
fn told_of_words(teller: &str, said: &str, known: &Dictionary, today: Date) -> String {
    let of = tokens(said);
    let (first, second) = said.split_once(" | ").unwrap_or((said, ""));
    let kin = || (Kin::of(first), Kin::of(second));
    let forms = || -> Vec<String> { second.split('|').map(str::to_owned).collect() };
    match teller {
        "span" => first_span(&of, None, today),
        "fiscal span" => {
            let (month, day) = second.split_once('-').expect("a day");
            let (month, day) = (month.parse().expect("a month"), day.parse().expect("a day"));
            first_span(&tokens(first), Some(FiscalEnd { month, day }), today)
        }
        "impossible day" => shown_of(days::impossible(&of, 0, today)),
        "amount" => first_amount(&of),
        "explains" => form::is_explaining(&of).to_string(),
        "tokens" => {
            let shown = of.iter().map(|one| {
                let (first, last) = (
                    ["", "^"][usize::from(one.is_first)],
                    ["", "|"][usize::from(one.is_last)],
                );
                format!("{first}{}{last}", one.text)
            });
            shown.collect::<Vec<_>>().join(" ")
        }
        "small tokens" => {
            let lower: Vec<String> = of.into_iter().map(|one| one.lower).collect();
            lower.join(" ")
        }
        "longest key" => shown_of(known.longest_at(&of, 0)),
        "called" => known.is_called(first, second).to_string(),
        "bucket named" => shown_of(known.bucket_named(said)),
        "year" => crate::dictionary::is_year(said).to_string(),
        "paper" => crate::dictionary::find::is_paper(said).to_string(),
        "one edit" => {
            let is_one = crate::dictionary::signatures::is_one_edit;
            format!("{} {}", is_one(first, second), is_one(second, first))
        }
        "bucket keys" => crate::dictionary::described::keys(said).join(" "),
        "siblings" => match companies::siblings(&forms(), first) {
            Some((own, longer)) => format!("{}, not {}", own.join("|"), longer.join("|")),
            None => "none".to_owned(),
        },
        "other suffixes left out" => {
            let (mut forms, words) = (forms(), first.split(' ').collect::<Vec<_>>());
            companies::leave_out_others(&mut forms, &words);
            forms.join("|")
        }
        "other signs left out" => {
            let mut forms = forms();
            signs::leave_out_others(&mut forms, first);
            forms.join("|")
        }
        "alternatives" => sides_by_year(said).join(" / "),
        "factor" => {
            let (unit, said) = second.split_once(" | ").unwrap_or((second, ""));
            let last = first.rsplit('_').next().unwrap_or(first);
            shown_of(units::between(unit.trim(), last, said))
        }
        "fiscal end" => shown_of(fiscal::end_in(said).map(|end| (end.month, end.day))),
        "end in field" => {
            shown_of(fiscal::end_in_field(first, second).map(|end| (end.month, end.day)))
        }
        "lines" => {
            let lines = names::of_lines(said.lines()).into_iter();
            joined(lines.map(|(field, value)| format!("{field}: {value}")))
        }
        "path" => names::of_path(said).join(" | "),
        "like" => kin().0.is_like(&kin().1).to_string(),
        "form of" => kin().0.is_form_of(&kin().1).to_string(),
        "stands for" => kin().0.stands_for(&kin().1).to_string(),
        "plays role of" => kin().0.plays_role_of(&kin().1).to_string(),
        "telling" => Kin::of(said).is_telling().to_string(),
        _ => panic!("nothing is called `{teller}`"),
    }
}

fn joined(all: impl Iterator<Item = String>) -> String {
    all.collect::<Vec<_>>().join("; ")
}

fn shown_of(thing: Option<impl std::fmt::Debug>) -> String {
    thing.map_or("none".to_owned(), |thing| format!("{thing:?}"))
}

fn reasons(all: &[(String, &'static str)]) -> String {
    joined(all.iter().map(|(said, why)| format!("{said}: {why}")))
}

fn range(range: DayRange) -> String {
    let day = |day: Option<Date>| day.map(|day| day.to_string()).unwrap_or_default();
    format!("{}..{}", day(range.from), day(range.until))
}

fn bounds(bounds: &[(amounts::Bound, f64)]) -> String {
    let all = bounds
        .iter()
        .map(|(bound, value)| format!("{bound:?} {value}"));
    all.collect::<Vec<_>>().join(", ")
}

fn all_shown(conditions: &[QuestionCondition]) -> String {
    joined(conditions.iter().map(|condition| {
        let not = if condition.is_negated { "not " } else { "" };
        let test = match &condition.test {
            Test::Is(things) => things.concat().join("|"),
            Test::Number(numbers) => format!("{numbers:?}"),
            Test::Days(days) => range(*days),
            Test::Amount(of) => bounds(of),
        };
        format!("{not}{} is {test}", condition.field)
    }))
}

/// The table, such as `sum total_amount currency by year of invoice_date`, or the reason for which there is none. The
/// number of the sides of a comparison stands before it.
fn table(linked: &LinkedQuestion) -> String {
    let sides = match linked.parts.len() {
        0 => String::new(),
        sides => format!("{sides} sides: "),
    };
    match &linked.tabulation {
        Tabulation::None => "none".into(),
        Tabulation::Unfit { why, .. } => format!("unfit: {why}"),
        Tabulation::Unsure { table, words, .. } => {
            format!("{sides}{} unless `{}`", table_of(table), words.join("`, `"))
        }
        Tabulation::Ambiguous { said, columns } => format!("`{said}`: {}", columns.join(" or ")),
        Tabulation::Fit(table) => format!("{sides}{}", table_of(table)),
    }
}

fn table_of(table: &TableQuestion) -> String {
    let mut told = vec![format!("{:?}", table.operation).to_lowercase()];
    told.extend(table.limit.map(|limit| limit.to_string()));
    told.extend(table.measure.clone());
    told.extend(table.currency.clone());
    let group = table.group.as_ref();
    told.extend(group.map(|group| format!("by {} of {}", group.title(), group.column())));
    told.join(" ")
}

/// `from..until` of the first span in a text.
fn first_span(of: &[QuestionToken], end: Option<FiscalEnd>, today: Date) -> String {
    let found = (0..of.len()).find_map(|at| days::read(of, at, today));
    found.map_or("none".to_owned(), |(_, span)| range(span.days(end)))
}

fn first_amount(of: &[QuestionToken]) -> String {
    let Some((length, amount)) = (0..of.len()).find_map(|at| amounts::read(of, at)) else {
        return "none".to_owned();
    };
    let (currency, unit) = (
        amount.currency.unwrap_or_default(),
        amount.unit.unwrap_or_default(),
    );
    format!("{} {currency}{unit} ({length})", bounds(&amount.bounds))
}

/// The words of the sides of a comparison by years.
fn sides_by_year(question: &str) -> Vec<&str> {
    let years = ["2019", "2020", "2021", "2022"];
    let places = years.iter().flat_map(|year| question.match_indices(year));
    let mut places: Vec<usize> = places.map(|(at, _)| at).collect();
    places.sort_unstable();
    let part = |at: usize| QuestionCondition {
        bucket: "reports".into(),
        field: "year".into(),
        test: Test::Number(vec![question[at..at + 4].parse().unwrap()]),
        names: Vec::new(),
        is_negated: false,
        is_assumed: false,
        span: at..at + 4,
    };
    let mut parts: Vec<QuestionCondition> = places.into_iter().map(part).collect();
    alternatives::join(&mut parts, question);
    parts
        .iter()
        .map(|part| &question[part.span.clone()])
        .collect()
}

/// Word vectors that know three words.
struct ThreeWords;

impl crate::WordLikeness for ThreeWords {
    fn likeness(&self, said: &str, known: &str) -> f32 {
        match (said, known) {
            ("debtor", "cost centre") | ("recipient", "vendor name") => 0.6,
            ("payer", "cost centre" | "vendor name") => 0.6,
            ("debtor", "vendor name") => 0.4,
            _ => 0.0,
        }
    }
}

#[test]
fn overlapping_amounts_are_one_range() {
    use crate::amounts::Bound::{AtLeast, AtMost, Exactly, Over, Under};
    let range = |low, high| vec![(AtLeast, low), (AtMost, high)];
    let over = |low| vec![(Over, low)];
    for (one, other, wanted) in [
        (over(500.0), over(1000.0), Some(over(500.0))),
        (
            vec![(Under, 3.0)],
            vec![(AtMost, 3.0)],
            Some(vec![(AtMost, 3.0)]),
        ),
        (range(2.0, 6.0), range(4.0, 9.0), Some(range(2.0, 9.0))),
        (over(5.0), range(3.0, 7.0), Some(vec![(AtLeast, 3.0)])),
        (vec![(Exactly, 4.0)], range(3.0, 7.0), Some(range(3.0, 7.0))),
        (over(2.0), vec![(Under, 9.0)], None),
    ] {
        assert_eq!(united(&one, &other), wanted, "{one:?} or {other:?}");
        assert_eq!(united(&other, &one), wanted, "{other:?} or {one:?}");
    }
}

#[test]
fn a_side_holds_all_values_that_it_was_joined_of() {
    let numbers = |numbers: &[f64]| Test::Number(numbers.to_vec());
    let of = |names: &[&str]| Test::Is(names.iter().map(|name| vec![(*name).to_owned()]).collect());
    for (one, other, wanted) in [
        (
            numbers(&[2020.0]),
            numbers(&[2021.0]),
            Some(numbers(&[2020.0, 2021.0])),
        ),
        (
            numbers(&[2020.0]),
            numbers(&[2020.0]),
            Some(numbers(&[2020.0])),
        ),
        (of(&["Acme"]), of(&["Bell"]), Some(of(&["Acme", "Bell"]))),
        (of(&["Acme"]), numbers(&[1.0]), None),
    ] {
        assert_eq!(
            alternatives::either(&one, &other),
            wanted,
            "{one:?} or {other:?}"
        );
    }
}

#[test]
fn words_decide_for_one_column_at_most_and_nouns_for_none() {
    let words = BucketWords::from(&DescribedBucket {
        bucket: "invoices".into(),
        synonyms: vec!["bill".into()],
        columns: vec![
            column("net_amount | | | outlay, pre-tax outlay"),
            column("total_amount | | | gross outlay, billed sum"),
            column("customer | | | bill to, drawn on"),
        ],
    });
    // `outlay` alone is a synonym of the first column only; `bill` is what the documents are called.
    let wanted = ["outlai pre tax outlai", "gross sum", "drawn"];
    for ((_, column), wanted) in words.columns.iter().zip(wanted) {
        let stems: Vec<&str> = column.also_called.iter().map(Kin::stem).collect();
        assert_eq!(stems.join(" "), wanted);
    }
}

#[test]
fn of_two_hundred_names_fifty_are_taken_and_the_rest_is_told() {
    let names: Vec<String> = (0..200).map(|at| format!("Seller Z{at}q")).collect();
    let question = format!("List the bills from {}.", names.join(", "));
    let found = crate::link(&question, &corpus("sellers"), date("2025-12-10"));
    let [one] = found.conditions.as_slice() else {
        panic!("{:?}", found.conditions);
    };
    assert!(matches!(&one.test, Test::Is(things) if things.len() == 50));
    assert_eq!(found.dropped.len(), 150);
    assert_eq!(found.dropped[0].1, "more than 50 values of one column");
    assert_eq!(found.unread, found.dropped[..1], "told once");
    let table = &found.tabulation;
    assert!(matches!(table, Tabulation::Fit(_)), "{table:?}");
}

#[test]
fn a_path_gives_a_bounded_number_of_names() {
    assert!(names::of_path(&format!("b/{}", "a_b c-d ".repeat(200))).len() <= names::NAMES_MAX);
}

proptest! {
    #[test]
    fn no_question_breaks_it(words in proptest::collection::vec("(invoices|by|per|year|largest|most|recent|of|total amount|5|2024|Acme Pumps|[a-z]{1,6}|\\PC)", 0..14)) {
        let _ = crate::link(&words.join(" "), &corpus("invoices"), date("2025-06-02"));
    }

    #[test]
    fn tokens_stand_where_they_say(text in "\\PC{0,80}") {
        for token in tokens(&text) {
            prop_assert_eq!(&text[token.span.clone()], &token.text);
        }
    }

    #[test]
    fn whatever_is_written_a_span_has_its_days_in_order(text in "((in|last|Q[0-9]|H1|of|fiscal|FY|[0-9]{1,4}|May|march|between|and|since|[0-9./-]{1,10}|days|\\PC{0,6}) ){0,12}") {
        let tokens = tokens(&text);
        for at in 0..tokens.len() {
            if let Some((length, span)) = days::read(&tokens, at, date("2025-12-10")) {
                prop_assert!((1..=tokens.len() - at).contains(&length));
                if let (Some(from), Some(until)) = (span.range.from, span.range.until) {
                    prop_assert!(from < until);
                }
                span.days(Some(FiscalEnd { month: 2, day: 29 }));
            }
        }
    }

    #[test]
    fn whatever_is_written_an_amount_is_finite(text in "((over|between|and|at least|[$€0-9,.k]{1,8}|USD|pounds|\\PC{0,5}) ){0,9}") {
        let tokens = tokens(&text);
        for at in 0..=tokens.len() {
            if let Some((length, amount)) = amounts::read(&tokens, at) {
                prop_assert!(at + length <= tokens.len());
                prop_assert!(amount.bounds.iter().all(|(_, value)| value.is_finite()));
            }
        }
    }

    #[test]
    fn a_misspelt_key_shares_a_part_with_its_key(key in "[a-z]{6,20}", at in 0_usize..19, letter in "[a-z]", how in 0..4) {
        let mut misspelt: Vec<char> = key.chars().collect();
        let at = at % (misspelt.len() - 1);
        let letter = letter.chars().next().unwrap();
        match how {
            0 => misspelt.swap(at, at + 1),
            1 => misspelt.insert(at, letter),
            2 => misspelt[at] = letter,
            _ => { misspelt.remove(at); }
        }
        let misspelt: String = misspelt.into_iter().collect();
        prop_assert!(misspelt == key || signatures::is_one_edit(&key, &misspelt));
        let mut known = signatures::Signatures::default();
        for (part, text) in signatures::parts(&key) {
            known.insert(part, &text, 7);
        }
        let near = signatures::parts_near(&misspelt);
        let found = near.into_iter().any(|(part, text)| known.get(part, &text) == [7]);
        prop_assert!(found, "{key} {misspelt}");
    }
}
