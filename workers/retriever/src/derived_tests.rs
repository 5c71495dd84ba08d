//! Tests of the conditions of a search.

use super::*;
use linking::days::day;

fn of(field: &str, test: Test) -> QuestionCondition {
    QuestionCondition {
        bucket: "invoices".into(),
        field: field.into(),
        test,
        names: Vec::new(),
        is_negated: false,
        is_assumed: false,
        span: 0..1,
    }
}

fn filter(conditions: Vec<QuestionCondition>) -> (String, Vec<String>) {
    let derived = DerivedFilter::of(&LinkedQuestion {
        intent: Intent::Documents,
        conditions,
        ..LinkedQuestion::default()
    });
    (derived.filter.to_string(), derived.dropped)
}

fn is(values: &[&str]) -> Test {
    Test::Is(vec![
        values.iter().map(|value| (*value).to_owned()).collect(),
    ])
}

#[test]
fn each_test_is_a_condition_and_names_come_before_guesses() {
    let from = day(2024, 1, 1);
    let days = Test::Days(DayRange {
        from,
        until: day(2025, 1, 1),
    });
    let (shown, dropped) = filter(vec![
        of("date", days),
        of("total", Test::Amount(vec![(Bound::Over, 1000.0)])),
        of("year", Test::Number(vec![2024.0])),
        of("vendor", is(&["Acme Ltd", "ACME"])),
    ]);
    assert_eq!(
        shown,
        "vendor in [\"Acme Ltd\",\"ACME\"] and year in [2024.0] and date >= \"2024-01-01\" \
         and date < \"2025-01-01\" and total > 1000.0"
    );
    assert!(dropped.is_empty());
}

#[test]
fn a_negated_condition_requires_the_column_to_have_a_value() {
    let negated = |condition: QuestionCondition| QuestionCondition {
        is_negated: true,
        ..condition
    };
    let since = Test::Days(DayRange {
        from: day(2024, 1, 1),
        until: None,
    });
    let (shown, dropped) = filter(vec![
        negated(of("currency", is(&["GBP"]))),
        negated(of("date", since)),
    ]);
    assert_eq!(
        shown,
        "currency not in [\"GBP\"] and currency contains \"\" and date < \"2024-01-01\""
    );
    assert!(dropped.is_empty());
    let between = Test::Amount(vec![(Bound::AtLeast, 1.0), (Bound::AtMost, 2.0)]);
    let (shown, dropped) = filter(vec![negated(of("total", between))]);
    assert_eq!(shown, "");
    assert_eq!(
        dropped,
        ["`total` (what is outside of a range is no filter)"]
    );
}

#[test]
fn names_are_asked_of_documents_without_the_field() {
    let mut company = of("company", is(&["Acme Ltd"]));
    company.names = vec!["ACME".into(), "Acme Ltd".into()];
    let mut path = of(NAMED, is(&["2018"]));
    path.names = vec!["2018".into()];
    let (shown, _) = filter(vec![company, path]);
    assert_eq!(
        shown,
        "named:company in [\"Acme Ltd\",\"ACME\"] and named in [\"2018\"]"
    );
}

#[test]
fn years_that_documents_are_called_after_are_a_list() {
    let bounds = vec![(Bound::AtLeast, 2018.0), (Bound::AtMost, 2019.0)];
    let mut years = of("year", Test::Amount(bounds));
    years.names = vec!["2018".into(), "2019".into()];
    let (shown, _) = filter(vec![years]);
    assert_eq!(shown, "named:year in [\"2018\",\"2019\"]");
}

#[test]
fn doubts_are_told() {
    let derived = DerivedFilter::of(&LinkedQuestion {
        ambiguous: vec![linking::Ambiguity {
            said: "over 5 V".into(),
            options: vec!["input".into(), "output".into()],
            is_of_columns: true,
        }],
        contradictory: vec![("over 5".into(), "under 3".into())],
        ..LinkedQuestion::default()
    });
    assert_eq!(
        derived.told(),
        "; in doubt: `over 5 V` may be `input`, `output`, `over 5` contradicts `under 3`"
    );
}

#[test]
fn spans_of_one_column_are_one_from_the_first_to_the_last() {
    let span = |year| {
        let range = DayRange {
            from: day(year, 1, 1),
            until: day(year + 1, 1, 1),
        };
        of("date", Test::Days(range))
    };
    let derived = DerivedFilter::of(&LinkedQuestion {
        parts: vec![span(2023), span(2020)],
        ..LinkedQuestion::default()
    });
    let joined = derived.joined().to_string();
    assert_eq!(joined, "date >= \"2020-01-01\" and date < \"2024-01-01\"");
}

#[test]
fn only_a_column_that_is_meant_for_certain_excludes_documents() {
    let is_strict = |is_assumed| {
        let of = QuestionCondition {
            is_assumed,
            ..of("vendor", is(&["Acme"]))
        };
        let linked = LinkedQuestion {
            intent: Intent::Documents,
            conditions: vec![of],
            ..LinkedQuestion::default()
        };
        DerivedFilter::of(&linked).is_strict
    };
    assert!(is_strict(false) && !is_strict(true));
}

#[test]
fn sides_of_one_column_are_one_condition() {
    let side = |value| of("site", is(&[value]));
    let linked = LinkedQuestion {
        intent: Intent::Compare,
        parts: vec![side("Leeds"), side("Gdansk")],
        ..LinkedQuestion::default()
    };
    let derived = DerivedFilter::of(&linked);
    assert!(!derived.is_strict);
    assert_eq!(
        derived.joined().to_string(),
        "site in [\"Leeds\",\"Gdansk\"]"
    );
    let mut other = linked.clone();
    other
        .parts
        .push(of("total", Test::Amount(vec![(Bound::Over, 1.0)])));
    assert!(
        DerivedFilter::of(&other).joined().is_empty(),
        "no filter says that"
    );
}
