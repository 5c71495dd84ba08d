//! Finds the metadata values of the corpus that a question names, such as publishers, places and vendors. Pure.
//!
//! "What did Northwind invoice in Lisbon" names a vendor and a city that no model has to guess: they are values of the
//! corpus. Only fields with few different values take part; a field with a different value in every document (a number,
//! a title) is searched as text.

use envelope::ChunkRecord;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};

/// Longest value that is looked for, in words.
const WORDS_MAX: usize = 8;
/// A value of fewer letters is named by accident.
const LETTERS_MIN: usize = 3;

/// A value of a field that a question names.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Named {
    pub(crate) field: String,
    /// As it is compared: lower case.
    pub(crate) value: String,
}

/// The values of a corpus, by their first word.
#[derive(Debug, Default)]
pub(crate) struct Gazetteer {
    by_first_word: HashMap<String, Vec<(Vec<String>, Named)>>,
}

impl Gazetteer {
    /// Takes in values; those that are too short or too long are left out.
    pub(crate) fn new(values: impl IntoIterator<Item = Named>) -> Gazetteer {
        let mut gazetteer = Gazetteer::default();
        for named in values {
            let words = words(&named.value);
            let letters = named.value.chars().filter(|c| c.is_alphabetic()).count();
            if letters < LETTERS_MIN || words.len() > WORDS_MAX {
                continue;
            }
            if let Some(first) = words.first() {
                let list = gazetteer.by_first_word.entry(first.clone()).or_default();
                list.push((words, named));
            }
        }
        for list in gazetteer.by_first_word.values_mut() {
            // The longest value wins: `fox news - health` before `fox news`.
            list.sort_by(|(a, x), (b, y)| b.len().cmp(&a.len()).then_with(|| x.cmp(y)));
        }
        gazetteer
    }

    /// The values that a text names, each once, in order of their names. Inside a longer value a
    /// shorter one of the same field is not named.
    pub(crate) fn named(&self, text: &str) -> Vec<Named> {
        let words = words(text);
        let mut found = BTreeSet::new();
        let mut taken: HashMap<&str, usize> = HashMap::new();
        for at in 0..words.len() {
            for (value, named) in self.by_first_word.get(&words[at]).into_iter().flatten() {
                let free = taken.get(named.field.as_str()).is_none_or(|end| *end <= at);
                if free && words[at..].starts_with(value) {
                    taken.insert(&named.field, at + value.len());
                    found.insert(named.clone());
                }
            }
        }
        found.into_iter().collect()
    }
}

impl Named {
    /// Whether a chunk has this value.
    pub(crate) fn is_of(&self, record: &ChunkRecord) -> bool {
        let field = record
            .metadata
            .iter()
            .find(|(field, _)| field.to_lowercase() == self.field);
        field.is_some_and(|(_, value)| self.is_in(value))
    }

    fn is_in(&self, value: &Value) -> bool {
        match value {
            Value::String(text) => text.trim().to_lowercase() == self.value,
            Value::Array(items) => items.iter().any(|item| self.is_in(item)),
            _ => false,
        }
    }
}

/// Words in lower case; `'s` at the end of a name belongs to the sentence.
fn words(text: &str) -> Vec<String> {
    text.replace("'s", " ")
        .replace("’s", " ")
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn gazetteer(values: &[(&str, &str)]) -> Gazetteer {
        Gazetteer::new(values.iter().map(|(field, value)| Named {
            field: (*field).into(),
            value: (*value).into(),
        }))
    }

    fn names(gazetteer: &Gazetteer, text: &str) -> Vec<String> {
        let named = gazetteer.named(text).into_iter();
        named.map(|n| format!("{} {}", n.field, n.value)).collect()
    }

    #[test]
    fn values_are_found_as_whole_words_and_the_longest_wins() {
        let known = gazetteer(&[
            ("paper", "the harbour post"),
            ("paper", "harbour post - health"),
            ("paper", "harbour post"),
            ("city", "porto"),
            ("city", "de"),
            ("vendor", "porto"),
        ]);
        let text = "What did The Harbour Post's report and Harbour Post - Health say of Porto?";
        assert_eq!(
            names(&known, text),
            [
                "city porto",
                "paper harbour post - health",
                "paper the harbour post",
                "vendor porto"
            ]
        );
        assert!(names(&known, "the harbour posts of portos").is_empty());
        assert!(names(&known, "de").is_empty(), "two letters are no name");
    }

    proptest! {
        #[test]
        fn a_value_is_named_by_itself(value in "[a-z]{3,9}( [a-z]{1,9}){0,5}", around in "[ ,.]{0,3}") {
            let known = gazetteer(&[("f", &value)]);
            let text = format!("{around}{}{around}", value.to_uppercase());
            prop_assert_eq!(known.named(&text).len(), 1);
        }
    }
}
