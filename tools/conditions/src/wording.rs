//! The wording of a split: the patterns of its questions and of the phrases in them. No pattern of the splits dev,
//! third, fourth, fifth, sixth and seventh is in another split.

pub(crate) mod dev;
pub(crate) mod extra;
pub(crate) mod fifth;
pub(crate) mod fourth;
pub(crate) mod seventh;
pub(crate) mod sixth;
pub(crate) mod test;
pub(crate) mod third;

use crate::field::{Field, Shelf};
use crate::half::Half;
use crate::question::QuestionKind;

/// What a phrase states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Slot {
    /// A field is this value.
    Is(Field),
    /// A field is not this value, or neither of two.
    IsNot(Field),
    Over(Field),
    AtLeast(Field),
    Under(Field),
    Between(Field),
    /// The words before a span of time.
    When(Field),
    /// A year of reports: one, one of two, or a range.
    Years,
}

/// A span of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Span {
    Month,
    Quarter,
    Half,
    Year,
    Fiscal,
    Since,
    Between,
    Before,
    After,
    LastMonth,
    LastQuarter,
    LastYear,
    ThisYear,
    LastDays,
}

/// The value that is called largest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Most {
    Largest,
    Smallest,
    Newest,
    Oldest,
}

/// The column by which things are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Group {
    By(Field),
    /// The year, the quarter or the month of the day.
    Year,
    Quarter,
    Month,
}

/// A variant of a kind that is asked in other words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Turn {
    Plain,
    /// By its number.
    Numbered,
    /// With an amount to be added up.
    Amount,
    /// A value of two parts.
    Parts,
    Most(Most),
}

/// The name of a paper in a question.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Noun {
    pub(crate) shelf: Shelf,
    /// The nature that it implies.
    pub(crate) nature: Option<&'static str>,
    pub(crate) many: &'static str,
    pub(crate) one: &'static str,
}

pub(crate) type Patterns = &'static [&'static str];

/// The wording of a side. In patterns, `{what}` is the plural of a noun, `{one}` its singular, `{which}` the phrases
/// with a blank before each, and `{}` a value.
pub(crate) struct Wording {
    pub(crate) nouns: &'static [Noun],
    pub(crate) frames: &'static [(QuestionKind, Turn, Patterns)],
    pub(crate) phrases: &'static [(Shelf, Slot, Patterns)],
    pub(crate) spans: &'static [(Span, Patterns)],
    /// The fields that are added up or compared. A field with several names stands here once for each.
    pub(crate) measures: &'static [(Shelf, Field, &'static str)],
    /// The columns by which things are counted; also once for each name.
    pub(crate) groups: &'static [(Shelf, Group, &'static str)],
    /// Years of reports: one, two, and a range.
    pub(crate) years: [&'static str; 3],
    /// An amount: with its currency, and without.
    pub(crate) money: Patterns,
    pub(crate) bare_money: Patterns,
    /// The names of the currencies: EUR, USD, GBP.
    pub(crate) currencies: [&'static str; 3],
    /// Patterns that must not become a condition.
    pub(crate) none: Patterns,
    pub(crate) and: &'static str,
}

impl Half {
    pub(crate) const fn wording(self) -> &'static Wording {
        match self {
            Half::Dev => &dev::WORDING,
            Half::Test => &test::WORDING,
            Half::Extra => &extra::WORDING,
            Half::Third => &third::WORDING,
            Half::Fourth => &fourth::WORDING,
            Half::Fifth => &fifth::WORDING,
            Half::Sixth => &sixth::WORDING,
            Half::Seventh => &seventh::WORDING,
        }
    }
}

impl Wording {
    pub(crate) fn phrases(&self, shelf: Shelf, slot: Slot) -> Option<Patterns> {
        let found = self
            .phrases
            .iter()
            .find(|(s, of, _)| *s == shelf && *of == slot);
        found.map(|(_, _, patterns)| *patterns)
    }

    pub(crate) fn frames(&self, kind: QuestionKind, turn: Turn) -> Option<Patterns> {
        let found = self
            .frames
            .iter()
            .find(|(k, t, _)| *k == kind && *t == turn);
        found.map(|(_, _, patterns)| *patterns)
    }

    /// The names of a field where it is added up.
    pub(crate) fn measures(&self, shelf: Shelf, field: Field) -> Vec<&'static str> {
        let all = self.measures.iter();
        let here = all.filter(|(s, f, _)| *s == shelf && *f == field);
        here.map(|(_, _, said)| *said).collect()
    }

    /// The names of a group.
    pub(crate) fn groups(&self, shelf: Shelf, group: Group) -> Vec<&'static str> {
        let all = self.groups.iter();
        let here = all.filter(|(s, g, _)| *s == shelf && *g == group);
        here.map(|(_, _, said)| *said).collect()
    }

    /// All patterns, for the test that the sides share none.
    #[cfg(test)]
    pub(crate) fn all(&self) -> Vec<&'static str> {
        let mut all: Vec<&str> = Vec::new();
        all.extend(self.frames.iter().flat_map(|(_, _, patterns)| *patterns));
        all.extend(self.phrases.iter().flat_map(|(_, _, patterns)| *patterns));
        all.extend(self.spans.iter().flat_map(|(_, patterns)| *patterns));
        all.extend(self.measures.iter().map(|(_, _, said)| *said));
        all.extend(self.groups.iter().map(|(_, _, said)| *said));
        all.extend(self.years);
        all.extend(self.currencies);
        all.extend(self.none);
        all.extend(self.money.iter().chain(self.bare_money));
        all.extend(self.nouns.iter().flat_map(|noun| [noun.many, noun.one]));
        all
    }
}
