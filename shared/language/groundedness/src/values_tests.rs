//! Tests of values in the forms in which they are written.

use super::*;
use crate::reading::Sentence;
use crate::vocabulary::Vocabulary;

fn values(text: &str) -> Vec<Value> {
    let mut vocabulary = Vocabulary::default();
    Sentence::read(text, 0..text.len(), &mut vocabulary).values
}

#[test]
fn one_value_is_written_in_many_ways() {
    for (one, other) in [
        ("1,200 g of it", "it weighs 1.2 kg"),
        ("$1.5bn", "1.5 billion dollars"),
        ("EUR 668.00", "668 €"),
        ("24 months", "two years"),
        ("45 %", "forty-five percent"),
        ("45 per cent", "45% of it"),
        ("March 5, 2024", "on 2024-03-05"),
        ("the 5th of March 2024", "5 Mar. 2024"),
        ("in 2023", "2023"),
        ("a million users", "1,000,000 users"),
        ("$5M", "5 million US dollars"),
        ("it is -5 °C", "at -5°C"),
        ("3-ounce cups", "3 ounces"),
        ("250 mA", "0.25 A"),
    ] {
        let (claimed, given) = (values(one), values(other));
        assert_eq!(
            (claimed.len(), given.len()),
            (1, 1),
            "{one} {claimed:?}, {other} {given:?}"
        );
        assert_eq!(
            claimed[0].likeness(&given[0]),
            Likeness::Same,
            "{claimed:?} {given:?}"
        );
    }
}

#[test]
fn other_values_are_others() {
    for (one, other, likeness) in [
        ("60 days", "30 days", Likeness::Other),
        ("60 days", "60 weeks", Likeness::OtherUnit),
        ("$60", "€60", Likeness::OtherUnit),
        ("5 million", "5 billion", Likeness::Other),
        ("5 March 2024", "6 March 2024", Likeness::Other),
        ("5 March 2024", "March 2024", Likeness::Other),
        ("May 2024", "6 May", Likeness::Same),
        ("1,201", "1200", Likeness::Other),
    ] {
        assert_eq!(
            values(one)[0].likeness(&values(other)[0]),
            likeness,
            "{one}, {other}"
        );
    }
    assert!(values("the HVD-1504A and 2N4410").len() <= 1);
}

#[test]
fn bounds_are_read_before_and_behind() {
    for (text, bound) in [
        ("at least 5 days", 1),
        ("not more than 5 days", -1),
        ("no less than EUR 5", 1),
        ("5 days or more", 1),
        ("before 5 March", -1),
        ("for 5 days", 0),
        ("up to $5", -1),
    ] {
        assert_eq!(values(text)[0].bound, bound, "{text}");
    }
}
