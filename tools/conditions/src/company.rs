//! The companies of a corpus, and the other names by which documents call them.

use crate::dice::Dice;
use crate::half::Half;
use crate::money::Currency;
use crate::words::Fixed;
use std::collections::BTreeSet;

/// A company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Company {
    /// The name with the legal suffix.
    pub name: String,
    /// The name without the suffix.
    pub short: String,
    /// The month that its fiscal years begin with.
    pub fiscal_start: u8,
    /// The currency of most of the company's papers.
    pub currency: Currency,
    /// How often the company has papers, relative to the others.
    pub(crate) weight: usize,
    /// Whether the corpus also calls the company by its first letters.
    pub(crate) has_acronym: bool,
}

/// The weight of a company that a family of near-misses needs; that of other companies lies between the two below.
const FIXED_WEIGHT: usize = 26;
const USUAL_WEIGHTS: (usize, usize) = (4, 40);
/// The fewest and the most companies that no family needs.
const USUAL: (usize, usize) = (16, 58);
/// The documents for each of them.
const DOCUMENTS_EACH: usize = 75;

impl Company {
    fn of(fixed: Fixed, weight: usize, currency: Currency) -> Company {
        Company {
            name: format!("{} {}", fixed.name, fixed.suffix),
            short: fixed.name.to_owned(),
            fiscal_start: fixed.fiscal_start,
            currency,
            weight,
            has_acronym: false,
        }
    }

    /// The first letters of its words.
    pub(crate) fn acronym(&self) -> String {
        self.short
            .split(' ')
            .filter_map(|word| word.chars().next())
            .collect()
    }

    /// The name in capitals without blanks, `HALDENMARINE`; or the first letters, where the company is known by them.
    pub(crate) fn squashed(&self) -> String {
        match self.has_acronym {
            true => self.acronym(),
            false => self.short.replace(' ', "").to_uppercase(),
        }
    }

    /// All names that documents and questions use for it, sorted.
    pub fn forms(&self) -> Vec<String> {
        let mut forms = BTreeSet::from([
            self.name.clone(),
            self.short.clone(),
            self.short.to_lowercase().replace(' ', "-"),
            self.short.to_uppercase(),
            self.short.to_uppercase().replace(' ', "-"),
            self.squashed(),
        ]);
        if self.has_acronym {
            forms.insert(self.acronym());
        }
        forms.into_iter().collect()
    }
}

/// The companies of a side, for a corpus of so many documents.
pub(crate) fn companies(half: Half, documents: usize, seed: u64) -> Vec<Company> {
    let words = half.words();
    let mut dice = Dice::new(seed, "companies");
    let mut all: Vec<Company> = Vec::new();
    for fixed in words.fixed() {
        let currency = *dice.pick(&Currency::ALL);
        all.push(Company::of(fixed, FIXED_WEIGHT, currency));
    }
    for one in &mut all {
        let is_lone = one.short == words.lone_acronym.name;
        let is_pair = words
            .acronyms
            .iter()
            .any(|(a, b)| one.short == a.name || one.short == b.name);
        one.has_acronym = is_lone || is_pair;
    }
    let mut roots: Vec<&str> = words.roots.to_vec();
    dice.shuffle(&mut roots);
    let usual = (documents / DOCUMENTS_EACH).clamp(USUAL.0, USUAL.1.min(roots.len()));
    for (rank, root) in roots.into_iter().take(usual).enumerate() {
        let name = format!("{root} {}", dice.pick(words.trades));
        let weight = (USUAL_WEIGHTS.1 / (rank + 1)).max(USUAL_WEIGHTS.0);
        let currency = *dice.pick(&Currency::ALL);
        let suffix = *dice.pick(words.suffixes);
        all.push(Company {
            name: format!("{name} {suffix}"),
            short: name,
            fiscal_start: 1,
            currency,
            weight,
            has_acronym: false,
        });
    }
    all
}
