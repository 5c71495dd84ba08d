//! Tests with arbitrary texts, documents and schemas: values have their type, labels are found, nothing panics.
//!
//! A few cases run with the other tests; CI sets `ARGOSY_FUZZ_CASES=200`, which takes some 10 s of one core.

use super::tests::{INVOICES, document, table};
use super::*;
use proptest::prelude::*;

fn cases() -> ProptestConfig {
    let cases = settings::sources::variable("ARGOSY_FUZZ_CASES").map(|value| {
        let value = value.to_string_lossy();
        let number = value.parse();
        number.unwrap_or_else(|_| panic!("ARGOSY_FUZZ_CASES=`{value}`: want a number"))
    });
    ProptestConfig {
        cases: cases.unwrap_or(64),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn form() -> impl Strategy<Value = ValueForm> {
    let unit = prop::option::of(prop::sample::select(vec!["EUR".to_owned(), "V".to_owned()]));
    let decimal = prop::option::of(prop::sample::select(vec![Decimal::Point, Decimal::Comma]));
    let order = prop::option::of(prop::sample::select(vec![DateOrder::Dmy, DateOrder::Mdy]));
    let kind = prop::sample::select(vec![
        ValueKind::Text,
        ValueKind::Number,
        ValueKind::Date,
        ValueKind::Bool,
        ValueKind::List,
    ]);
    (kind, unit, decimal, order).prop_map(|(kind, unit, decimal, order)| ValueForm {
        kind,
        unit,
        decimal,
        order,
    })
}

/// Texts like those that values are written in.
fn said() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{0,60}",
        "[-−+ .,'’/:()0-9€$EURVa-cé]{0,30}",
        "[0-9]{1,4}[-./ ][0-9a-zA-ZäA-C]{1,9}[-./, ]{1,3}[0-9]{1,4}[ TZ:0-9]{0,9}",
        "(Total|tota1|Amount  due|Paid|[|:=*.] ?|[0-9.,]{1,8}| ){0,12}",
    ]
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn values_are_of_their_type_and_nothing_panics(form in form(), said in said()) {
        for value in [form.read(&said).ok(), form.first_in(&said)].into_iter().flatten() {
            let fits = match form.kind {
                ValueKind::Text => value.as_str().is_some_and(|text| !text.is_empty()),
                ValueKind::Number => value.as_f64().is_some_and(f64::is_finite),
                ValueKind::Date => value.as_str().is_some_and(|day| day.len() == 10),
                ValueKind::Bool => value.is_boolean(),
                ValueKind::List => value.as_array().is_some_and(|items| !items.is_empty()),
            };
            prop_assert!(fits, "{value}");
            // A value is its own value.
            if form.kind != ValueKind::List {
                prop_assert_eq!(form.value(&value), Ok(value.clone()));
            }
            let stands = matches!(form.kind, ValueKind::Number | ValueKind::Date);
            prop_assert!(!stands || form.stands_in(&value, &said), "{} in {}", value, said);
        }
    }

    #[test]
    fn numbers_read_back_in_either_notation(n in -9_999_999i64..9_999_999, cents in 0i64..100) {
        let value = n as f64 + (n.signum() * cents) as f64 / 100.0;
        prop_assume!(n != 0);
        let digits = n.abs().to_string();
        let groups: Vec<String> = digits
            .as_bytes()
            .rchunks(3)
            .rev()
            .map(|group| String::from_utf8_lossy(group).into_owned())
            .collect();
        let sign = if n < 0 { "-" } else { "" };
        for (group, point) in [(",", "."), (".", ","), (" ", ","), ("'", "."), ("", ".")] {
            let text = format!("{sign}{}{point}{cents:02} EUR", groups.join(group));
            let form = ValueForm { kind: ValueKind::Number, unit: None, decimal: None, order: None };
            let read = form.read(&text).unwrap();
            prop_assert!((read.as_f64().unwrap() - value).abs() < 1e-6, "{text}: {read}");
        }
    }

    #[test]
    fn a_label_is_found_whatever_stands_around_it(
        label in "[a-zä][a-zä .]{4,20}[a-z]",
        before in "[A-Z0-9|.: ]{0,12} ",
        wrong in 0usize..40,
        sign in prop::sample::select(vec!['l', '1', 'é', '|']),
        n in 0u32..100_000,
    ) {
        let label = label.split_whitespace().collect::<Vec<_>>().join("  ");
        let schema = format!("[b.n]\ntype = \"number\"\nrules = [{{ labels = [\"{label}\"] }}]");
        let mut signs: Vec<char> = label.to_uppercase().chars().collect();
        let at = wrong % signs.len();
        let tolerant = signs.len() >= 8 && signs[at].is_alphabetic();
        if tolerant {
            signs[at] = sign;
        }
        let text: String = signs.into_iter().collect();
        let mut read = document("b/a.txt", &format!("{before}{text}: {n}\nend"));
        table(&schema).apply(&mut read);
        prop_assert_eq!(read.metadata.get("n"), Some(&json!(n)), "{:?}", read.lines);
    }

    #[test]
    fn hostile_documents_and_schemas_do_no_harm(lines in prop::collection::vec(said(), 0..20), toml in "\\PC{0,80}") {
        let said = format!("x {}", lines.join("\n"));
        // A text of replacement characters is refused before any schema sees it.
        let told = said.matches('\u{fffd}').count() * 20 > said.chars().count();
        prop_assume!(!told);
        let mut read = document("invoices/acme-17.md", &said);
        let traces = table(INVOICES).trace(&read);
        let applied = table(INVOICES).apply(&mut read);
        let found = traces.iter().filter(|trace| trace.value.is_some()).count();
        prop_assert_eq!(found, applied.found as usize);
        let _ = Schemas::parse("f", &toml);
        let _ = Schemas::parse("f", &format!("[a.n]\ntype = \"text\"\nrules = [{{ {toml} }}]"));
    }
}
