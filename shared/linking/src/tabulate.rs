//! What a question wants counted, added up or listed of the documents that it is about: an operation on their columns.
//!
//! By rule, from the words that no condition was made of. Words that say nothing to a table (`about pumps`) make the
//! question one for a search: a table without them would be exact, and wrong. *Not* the table itself, which whoever has
//! the columns makes. Pure.
//!
//! | module | what |
//! |---|---|
//! | `words` | words that say what is to be done |
//! | `phrase` | which column a few words mean |
//! | `reading` | a question, word by word |

mod phrase;
mod reading;
mod words;

use crate::dictionary::ColumnKind;
use crate::form::is_explaining;
use crate::frame::is_of;
use crate::link::Linker;
use crate::linked::{Intent, LinkedQuestion};
use crate::mention::Named;
use crate::token::QuestionToken;
use reading::Reading;
use std::ops::Range;

/// Most columns by which documents are told apart.
const FACETS_MAX: usize = 3;

/// What is done with the documents that satisfy the conditions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ColumnOperation {
    /// Each of them is shown.
    #[default]
    List,
    /// They are counted.
    Count,
    /// A column is added up.
    Sum,
    /// The mean of a column.
    Average,
    /// Those with most of a column, or the newest.
    Largest,
    /// Those with least of it, or the oldest.
    Smallest,
}

/// By what documents are taken together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GroupKey {
    /// The values of a column.
    Column(String),
    /// The years of a column of days.
    Year(String),
    /// Its quarters.
    Quarter(String),
    /// Its months.
    Month(String),
}

/// What a table is asked for, beside the conditions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableQuestion {
    /// What is done.
    pub operation: ColumnOperation,
    /// The column that is added up, or that says which is the largest.
    pub measure: Option<String>,
    /// Whether the measure is a day: the largest is the newest then.
    pub is_day: bool,
    /// The column that says in which currency the measure is: amounts of two are never added.
    pub currency: Option<String>,
    /// By what documents are taken together.
    pub group: Option<GroupKey>,
    /// How many of the largest or smallest are wanted.
    pub limit: Option<usize>,
    /// Columns to show of each document, the most telling ones first.
    pub shown: Vec<String>,
    /// Words that were taken for a column because they are near to it in meaning, each with that column: to be told.
    pub likened: Vec<(String, String)>,
}

/// Whether a table answers a question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Tabulation {
    /// It asks for no documents.
    #[default]
    None,
    /// It does, but a table would not be all of the answer.
    Unfit {
        /// Why, in words.
        why: String,
        /// By what the documents could be told apart, if there are too many.
        facets: Vec<GroupKey>,
    },
    /// It is answered by this if `words`, which have no place in a table, say nothing that tells documents apart: whoever has
    /// the documents, or the model's plan, knows.
    Unsure {
        /// The table without these words.
        table: Box<TableQuestion>,
        /// The words, each run of them as it is said.
        words: Vec<String>,
        /// What it is else: see [`Tabulation::Unfit`].
        why: String,
        /// See there, too.
        facets: Vec<GroupKey>,
    },
    /// Several columns fit what is said, and none better than another.
    Ambiguous {
        /// The words of the question.
        said: String,
        /// The columns.
        columns: Vec<String>,
    },
    /// It is answered by this.
    Fit(Box<TableQuestion>),
}

impl GroupKey {
    /// The column that it reads.
    pub fn column(&self) -> &str {
        match self {
            GroupKey::Column(column)
            | GroupKey::Year(column)
            | GroupKey::Quarter(column)
            | GroupKey::Month(column) => column,
        }
    }

    /// What its groups are called.
    pub fn title(&self) -> &str {
        match self {
            GroupKey::Column(column) => column,
            GroupKey::Year(_) => "year",
            GroupKey::Quarter(_) => "quarter",
            GroupKey::Month(_) => "month",
        }
    }
}

impl Linker<'_> {
    /// What a linked question wants tabulated.
    pub(crate) fn tabulate(&self, linked: &LinkedQuestion) -> Tabulation {
        // Sides that nobody named, and words about documents in general, are for a search.
        let is_sided = !linked.parts.is_empty();
        if linked.intent == Intent::Prose
            || linked.intent == Intent::Compare && self.frame.subject.is_none() && !is_sided
        {
            return Tabulation::None;
        }
        match Reading::of(self, linked).table() {
            Ok((table, words)) if words.is_empty() => Tabulation::Fit(Box::new(table)),
            Ok((table, words)) => Tabulation::Unsure {
                table: Box::new(table),
                why: format!("`{}` is no condition on a column", words.join("`, `")),
                words,
                facets: self.facets(linked.bucket.as_deref()),
            },
            Err(Tabulation::Unfit { why, .. }) => Tabulation::Unfit {
                why,
                facets: self.facets(linked.bucket.as_deref()),
            },
            Err(other) => other,
        }
    }

    /// Whether neighbouring words name a column of numbers.
    pub(crate) fn names_numbers(&self) -> bool {
        let names = |tokens: &[QuestionToken]| {
            let said: Vec<&str> = tokens.iter().map(|token| token.lower.as_str()).collect();
            let fit = phrase::best(self.dictionary, None, &said, phrase::is_number);
            fit.is_some_and(|fit| fit.score >= phrase::NAMED_MIN)
        };
        self.tokens.windows(2).any(names)
    }

    /// Whether a figure of two documents is asked for, and no noun says which documents: `voltage limit: HX-1 or HX-2?`.
    pub(crate) fn is_of_two(&self) -> bool {
        let subject = self.frame.subject.as_ref();
        self.names_two()
            && self.names_measure()
            && subject.is_none_or(|subject| self.is_measure(subject))
    }

    /// Whether all words are of what is measured, and none is what documents are called.
    fn is_measure(&self, tokens: &Range<usize>) -> bool {
        self.tokens[tokens.clone()].iter().all(|token| {
            let fit = phrase::best(self.dictionary, None, &[&token.lower], phrase::is_number);
            fit.is_some() && self.dictionary.bucket_named(&token.lower).is_none()
        })
    }

    /// Whether a word or two next to one another may mean a column of numbers, in whatever words.
    fn names_measure(&self) -> bool {
        let names = |tokens: &[QuestionToken]| {
            let said: Vec<&str> = tokens.iter().map(|token| token.lower.as_str()).collect();
            let is_said = |word: &&str| !text::stop::is_content_free(word);
            said.iter().all(is_said)
                && phrase::best(self.dictionary, None, &said, phrase::is_number).is_some()
        };
        self.tokens.windows(2).any(names) || self.tokens.windows(1).any(names)
    }

    /// Whether two documents are named, each by a number of its own, and nothing is to be explained.
    fn names_two(&self) -> bool {
        let mut tokens = self.tokens.iter();
        let is_beside = tokens.any(|token| {
            is_of(
                &token.lower,
                "beat beats win wins apart differ differs different",
            )
        });
        let is_explaining = is_explaining(&self.tokens) && !is_beside;
        let numbers = self.mentions.iter().filter(|mention| {
            let mut tokens = self.tokens[mention.at.clone()].iter();
            matches!(mention.what, Named::Value(_))
                && tokens.any(QuestionToken::has_digit)
                && self.is_evident(mention)
        });
        !is_explaining && numbers.count() == 2
    }

    /// By what the documents of a part of the corpus can be told apart: the years of its days, then columns with few
    /// values.
    fn facets(&self, bucket: Option<&str>) -> Vec<GroupKey> {
        let all: Vec<_> = self
            .dictionary
            .columns(bucket)
            .map(|(_, column)| column)
            .collect();
        let of_kind = |kind| {
            all.iter()
                .filter(move |column| column.kind() == kind && !column.is_named())
        };
        let days = of_kind(ColumnKind::Day).map(|column| GroupKey::Year(column.field.clone()));
        let years = of_kind(ColumnKind::Year).map(|column| GroupKey::Column(column.field.clone()));
        let texts = of_kind(ColumnKind::Text)
            .filter(|column| column.has_few_values() && !column.is_naming());
        let texts = texts.map(|column| GroupKey::Column(column.field.clone()));
        let first = days.chain(years).take(1);
        first.chain(texts.take(FACETS_MAX - 1)).collect()
    }
}

#[cfg(test)]
#[path = "tabulate_tests.rs"]
mod tests;
#[cfg(test)]
#[path = "tabulate_wording_tests.rs"]
mod wording_tests;
