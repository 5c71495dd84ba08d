//! Related words that people use for days and amounts: `expiring` for an end, `payable` for what is due. Pure.
//!
//! The list is English and short, because the words of a schema's own descriptions are compared first. It does *not*
//! list anything that documents contain.

use std::collections::HashMap;
use std::sync::LazyLock;
use text::fold;
use text::is_of;

/// The families and the roles of each known word, one bit each.
static KNOWN: LazyLock<HashMap<&str, (u32, u32)>> = LazyLock::new(|| {
    let mut known: HashMap<&str, (u32, u32)> = HashMap::new();
    let places = |list: &'static str| {
        let groups = list.split(',').enumerate();
        groups.flat_map(|(place, group)| {
            group
                .split_ascii_whitespace()
                .map(move |word| (word, 1 << place))
        })
    };
    for (word, family) in places(words!(families)) {
        known.entry(word).or_default().0 |= family;
    }
    for (word, role) in places(words!(roles)) {
        known.entry(word).or_default().1 |= role;
    }
    known
});

const ROOT_MIN: usize = 5;

/// A word prepared for comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Kin {
    word: String,
    stem: String,
    /// The families that contain the word, one bit each.
    families: u32,
    /// The groups of nouns that contain the word or its plural, one bit each.
    roles: u32,
}

impl Kin {
    /// Prepares a word, which has to be in lower case.
    pub(crate) fn of(word: &str) -> Kin {
        let (families, _) = KNOWN.get(word).copied().unwrap_or_default();
        let one = KNOWN.get(fold::singular(word).as_str());
        let (_, roles) = one.or_else(|| KNOWN.get(word)).copied().unwrap_or_default();
        Kin {
            word: word.to_owned(),
            stem: text::words::stem(word),
            families,
            roles,
        }
    }

    /// Whether two words have the same root and differ at most in their endings.
    pub(crate) fn is_like(&self, other: &Kin) -> bool {
        if self.word == other.word || self.stem == other.stem {
            return true;
        }
        let (short, long) = match self.stem.len() < other.stem.len() {
            true => (&self.stem, &other.stem),
            false => (&other.stem, &self.stem),
        };
        short.chars().count() >= ROOT_MIN && long.starts_with(short.as_str())
    }

    pub(crate) fn stem(&self) -> &str {
        &self.stem
    }

    /// Whether two words have the same stem: `spent` and `spends` do not, `bill` and `billing` do.
    pub(crate) fn is_form_of(&self, other: &Kin) -> bool {
        self.word == other.word || self.stem == other.stem
    }

    /// Whether two words belong to one family.
    pub(crate) fn stands_for(&self, other: &Kin) -> bool {
        self.families & other.families != 0
    }

    /// Whether two nouns are for the same kind of person or thing.
    pub(crate) fn plays_role_of(&self, other: &Kin) -> bool {
        self.roles & other.roles != 0
    }

    pub(crate) fn is_of(&self, words: &str) -> bool {
        is_of(&self.word, words)
    }

    /// Whether the word means something by itself. `from` and `over` do so only as part of a column's name.
    pub(crate) fn is_telling(&self) -> bool {
        !is_of(&self.word, words!(function_words))
    }
}
