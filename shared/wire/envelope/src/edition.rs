//! Editions: whole copies of the corpus side by side, one of which is searched.
//!
//! An edition is everything that one pipeline (chunker and embedder) has made of the documents. There are two at
//! most: the *current* one, which every search reads, and one *beside* it, which is being built or is kept so that a
//! switch can be undone. Documents are indexed for all editions. This module has the record that lists the editions,
//! and the changes that it allows. Pure. *Not* here: where the record is stored, and which processes watch it.

use crate::WIRE;
use crate::ids::id;
use crate::refusal::cut;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The rule that the name of an edition keeps, in words for error messages.
const EDITION_RULE: &str = "1 to 32 characters of a-z 0-9 -";
/// Longest name, in bytes (they are ASCII).
const EDITION_BYTES_MAX: usize = 32;

id!(
    /// The name of an edition; also a token of subjects, a folder and a part of a consumer's name.
    Edition,
    check,
    NameError
);

/// A text that breaks `EDITION_RULE`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is no name of an edition: want {EDITION_RULE}")]
pub struct NameError {
    /// What was given, cut to 80 characters.
    pub given: String,
}

fn check(text: &str) -> Result<(), NameError> {
    let good = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    match (1..=EDITION_BYTES_MAX).contains(&text.len()) && text.bytes().all(good) {
        true => Ok(()),
        false => Err(NameError { given: cut(text) }),
    }
}

impl Edition {
    /// The edition of a corpus that never had another.
    pub fn main() -> Edition {
        Edition("main".into())
    }
}

impl Default for Edition {
    fn default() -> Self {
        Edition::main()
    }
}

/// The record: which editions take documents, and which one answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Editions {
    /// Wire version.
    pub v: u16,
    /// The edition that is searched.
    pub current: Edition,
    /// The other edition, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<Edition>,
    /// A number for each edition that distinguishes it from earlier editions of the same name. An edition that the
    /// corpus always had has no number.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub begun: BTreeMap<Edition, u64>,
}

/// What holds where nothing is stored.
impl Default for Editions {
    fn default() -> Self {
        Editions {
            v: WIRE,
            current: Edition::main(),
            beside: None,
            begun: BTreeMap::new(),
        }
    }
}

/// Why a change of the record is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditionError {
    /// There are two already.
    #[error(
        "`{beside}` is beside the current edition already; `argosy edition drop {beside}` makes room"
    )]
    Two {
        /// The one in the way.
        beside: Edition,
    },
    /// It is the current one.
    #[error("`{0}` is the current edition; another has to be switched to first")]
    Current(Edition),
    /// There is no such edition beside the current one.
    #[error("there is no edition `{0}`; `argosy edition begin {0}` begins it")]
    Unknown(Edition),
}

impl Editions {
    /// All of them, the current one first.
    pub fn all(&self) -> impl Iterator<Item = &Edition> {
        std::iter::once(&self.current).chain(&self.beside)
    }

    /// Whether documents are indexed for it.
    pub fn has(&self, edition: &Edition) -> bool {
        self.all().any(|one| one == edition)
    }

    /// The number that distinguishes an edition from an earlier one of the same name, whose index may still exist; 0
    /// for an edition that the corpus always had.
    pub fn begun(&self, edition: &Edition) -> u64 {
        self.begun.get(edition).copied().unwrap_or(0)
    }

    /// The record with an edition beside the current one. `at` is its number, which has to be greater than that of
    /// any earlier edition of this name. If the edition is beside the current one already, the record stays as it is,
    /// so that an interrupted start can be repeated.
    pub fn begin(&self, edition: &Edition, at: u64) -> Result<Editions, EditionError> {
        match &self.beside {
            Some(beside) if beside == edition => Ok(self.clone()),
            _ if self.current == *edition => Err(EditionError::Current(edition.clone())),
            Some(beside) => Err(EditionError::Two {
                beside: beside.clone(),
            }),
            None => {
                let mut begun = self.begun.clone();
                begun.insert(edition.clone(), at);
                Ok(Editions {
                    beside: Some(edition.clone()),
                    begun,
                    ..self.clone()
                })
            }
        }
    }

    /// The record with the other edition as the current one.
    pub fn switch(&self, edition: &Edition) -> Result<Editions, EditionError> {
        if self.current == *edition {
            return Err(EditionError::Current(edition.clone()));
        }
        if self.beside.as_ref() != Some(edition) {
            return Err(EditionError::Unknown(edition.clone()));
        }
        Ok(Editions {
            current: edition.clone(),
            beside: Some(self.current.clone()),
            ..self.clone()
        })
    }

    /// The record without an edition. It is no error if the edition is not in the record, so that an interrupted
    /// removal can be repeated.
    pub fn drop(&self, edition: &Edition) -> Result<Editions, EditionError> {
        if self.current == *edition {
            return Err(EditionError::Current(edition.clone()));
        }
        let mut begun = self.begun.clone();
        begun.remove(edition);
        Ok(Editions {
            beside: self.beside.clone().filter(|beside| beside != edition),
            begun,
            ..self.clone()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn edition(name: &str) -> Edition {
        Edition::new(name).unwrap()
    }

    #[test]
    fn a_name_is_a_token_and_a_folder() {
        for good in ["main", "e2", "2026-11", &"x".repeat(32)] {
            assert!(Edition::new(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "Main",
            "a.b",
            "a_b",
            "..",
            "a/b",
            "*",
            "ä",
            &"x".repeat(33),
        ] {
            let said = Edition::new(bad).unwrap_err().to_string();
            assert!(said.contains(EDITION_RULE), "{said}");
        }
    }

    #[test]
    fn the_record_stays_as_it_is() {
        let record = Editions::default();
        let golden = r#"{"v":1,"current":"main"}"#;
        assert_eq!(serde_json::to_string(&record).unwrap(), golden);
        let two = record.begin(&edition("small"), 7).unwrap();
        let golden = r#"{"v":1,"current":"main","beside":"small","begun":{"small":7}}"#;
        assert_eq!(serde_json::to_string(&two).unwrap(), golden);
        assert_eq!(serde_json::from_str::<Editions>(golden).unwrap(), two);
    }

    #[test]
    fn an_edition_is_begun_switched_reverted_and_dropped() {
        let (main, small) = (edition("main"), edition("small"));
        let one = Editions::default();
        let two = one.begin(&small, 7).unwrap();
        assert_eq!(two.begin(&small, 8), Ok(two.clone()));
        assert_eq!((two.begun(&main), two.begun(&small)), (0, 7));
        let switched = two.switch(&small).unwrap();
        assert_eq!(
            (&switched.current, &switched.beside),
            (&small, &Some(main.clone()))
        );
        assert_eq!(switched.switch(&main), Ok(two.clone()));
        let alone = switched.drop(&main).unwrap();
        assert_eq!((&alone.current, &alone.beside), (&small, &None));
        assert_eq!(alone.drop(&main), Ok(alone.clone()));
        let again = alone.begin(&main, 9).unwrap();
        assert_eq!((again.begun(&main), again.begun(&small)), (9, 7));
    }

    #[test]
    fn what_cannot_be_done_says_what_can() {
        let (main, small, third) = (edition("main"), edition("small"), edition("third"));
        let one = Editions::default();
        let two = one.begin(&small, 7).unwrap();
        assert_eq!(
            two.begin(&main, 8),
            Err(EditionError::Current(main.clone()))
        );
        let full = two.begin(&third, 8).unwrap_err();
        assert!(full.to_string().contains("drop small"), "{full}");
        assert_eq!(two.switch(&third), Err(EditionError::Unknown(third)));
        assert_eq!(two.switch(&main), Err(EditionError::Current(main.clone())));
        assert_eq!(two.drop(&main), Err(EditionError::Current(main)));
    }

    proptest! {
        /// Whatever is tried, there is a current edition, and never one twice.
        #[test]
        fn there_is_always_one_that_answers(steps in prop::collection::vec((0..3u8, 0..3u8), 0..20)) {
            let mut record = Editions::default();
            for (what, who) in steps {
                let who = edition(["main", "a", "b"][who as usize]);
                let tried = match what {
                    0 => record.begin(&who, 1),
                    1 => record.switch(&who),
                    _ => record.drop(&who),
                };
                let current = record.current.clone();
                record = tried.unwrap_or(record);
                prop_assert!(record.beside.as_ref() != Some(&record.current));
                prop_assert!(what == 1 || record.current == current, "only a switch switches");
            }
        }
    }
}
