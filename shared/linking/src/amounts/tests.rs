//! Tests of amounts as people write them.

use super::*;
use crate::token::tokens;
use proptest::prelude::*;

fn first(text: &str) -> Option<String> {
    let tokens = tokens(text);
    let (length, amount) = (0..tokens.len()).find_map(|at| read(&tokens, at))?;
    let bounds: Vec<String> = amount
        .bounds
        .iter()
        .map(|(bound, value)| format!("{bound:?} {value}"))
        .collect();
    let currency = amount.currency.unwrap_or_default();
    let unit = amount.unit.unwrap_or_default();
    Some(format!("{} {currency}{unit} ({length})", bounds.join(", ")))
}

#[test]
fn amounts_as_people_write_them() {
    for (text, wanted) in [
        ("over GBP 290 from Acme", "Over 290 GBP (3)"),
        ("of at least 2,700?", "AtLeast 2700  (3)"),
        ("under $1,100", "Under 1100 USD (2)"),
        ("above €1,600.50", "Over 1600.5 EUR (2)"),
        ("rated above 1.2 V", "Over 1.2 v (3)"),
        (
            "between $620 and $1,700",
            "AtLeast 620, AtMost 1700 USD (4)",
        ),
        (
            "between 300 US dollars and 850 US dollars",
            "AtLeast 300, AtMost 850 USD (8)",
        ),
        (
            "between GBP 31,000 and GBP 91,000",
            "AtLeast 31000, AtMost 91000 GBP (6)",
        ),
        ("more than 2k", "Over 2000  (3)"),
        ("at most 1.5 million euros", "AtMost 1500000 EUR (5)"),
        ("no more than 30 days", "AtMost 30 days (5)"),
        ("at least 12kg", "AtLeast 12 kg (3)"),
        ("5,000 euros or more", "AtLeast 5000 EUR (4)"),
        ("not exceeding £20", "AtMost 20 GBP (3)"),
        ("pricier than 40 euros", "Over 40 EUR (4)"),
        ("no fewer than 3 days", "AtLeast 3 days (5)"),
        ("no cheaper than 12 GBP", "AtLeast 12 GBP (5)"),
        ("smaller than or equal to 5,000", "AtMost 5000  (6)"),
        (">= 1.250,50 €", "AtLeast 1250.5 EUR (3)"),
        ("<$900", "Under 900 USD (2)"),
        ("EUR5,000 and up", "AtLeast 5000 EUR (3)"),
        ("over 5.000 euros", "Over 5000 EUR (3)"),
        ("over 5.000 V", "Over 5 v (3)"),
        ("over 12 000 francs", "Over 12000 CHF (4)"),
        ("over 2,5 million", "Over 2500000  (3)"),
        ("more than ten thousand pounds", "Over 10000 GBP (5)"),
        ("under half a million dollars", "Under 500000 USD (5)"),
        ("at least twenty-five days", "AtLeast 25 days (4)"),
        ("dollars 700 or higher", "AtLeast 700 USD (4)"),
        ("from 300 eur up", "AtLeast 300 EUR (4)"),
        ("worth 5,000+ usd", "AtLeast 5000 USD (2)"),
        ("4,000 to 9,000", "AtLeast 4000, AtMost 9000  (3)"),
        ("5 to 9 thousand euros", "AtLeast 5000, AtMost 9000 EUR (5)"),
        ("between 500 and 100", "AtLeast 100, AtMost 500  (4)"),
        ("from $900 down to $200", "AtLeast 200, AtMost 900 USD (5)"),
        (
            "ranging from $5k to $9k",
            "AtLeast 5000, AtMost 9000 USD (5)",
        ),
    ] {
        assert_eq!(first(text).as_deref(), Some(wanted), "{text}");
    }
    for text in [
        "30 days",
        "over the moon",
        "between us and them",
        "under control",
        "over 12-4-7",
        "2019 to 2021",
        "3 to 5 times",
        "later than 2020",
        "one or more than that",
    ] {
        assert_eq!(first(text), None, "{text}");
    }
}

proptest! {
    #[test]
    fn whatever_is_written_nothing_panics(text in "((over|between|and|at least|[$€0-9,.k]{1,8}|USD|pounds|\\PC{0,5}) ){0,9}") {
        let tokens = tokens(&text);
        for at in 0..=tokens.len() {
            if let Some((length, amount)) = read(&tokens, at) {
                prop_assert!(at + length <= tokens.len());
                prop_assert!(amount.bounds.iter().all(|(_, value)| value.is_finite()));
            }
        }
    }
}
