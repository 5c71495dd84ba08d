//! Decides whether a table can answer a question, and which: an operation on the columns of the documents that satisfy
//! the conditions, such as a count, a sum or a list. Pure.
//!
//! The rules read the words that set no condition. Some words can be neither a condition nor part of an operation, such
//! as `about pumps`. They make the question one for a search, because a table without them would be exact but wrong.
//! This module does *not* make the table itself; the component that holds the columns does.
//!
//! | module | what |
//! |---|---|
//! | `bare` | decides whether a question says nothing that tells passages apart |
//! | `words` | words that name an operation, and filler words |
//! | `patterns` | patterns of words around one of them |
//! | `phrase` | finds the column that a few words mean |
//! | `reading` | reads a question word by word |

mod bare;
mod patterns;
mod phrase;
mod reading;
mod words;

use crate::dictionary::ColumnKind;
use crate::form::{is_explaining, says_more_than};
use crate::link::Linker;
use crate::linked::{Intent, LinkedQuestion};
use crate::mention::Named;
use crate::token::{QuestionToken, TokenWords};
use reading::Reading;
use std::collections::BTreeMap;
use std::ops::Range;

/// The most columns that are offered to tell documents apart.
const FACETS_MAX: usize = 3;

/// The operation on the documents that satisfy the conditions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ColumnOperation {
    /// Lists the documents.
    #[default]
    List,
    /// Counts the documents.
    Count,
    /// Adds up a column.
    Sum,
    /// Takes the mean of a column.
    Average,
    /// Shows the documents with the largest values of a column, or the newest documents.
    Largest,
    /// Shows the documents with the smallest values of a column, or the oldest documents.
    Smallest,
}

/// The key by which documents are grouped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GroupKey {
    /// The values of a column.
    Column(String),
    /// The years of a column of days.
    Year(String),
    /// The quarters of a column of days.
    Quarter(String),
    /// The months of a column of days.
    Month(String),
}

/// Where the documents of a bucket say the currency of an amount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CurrencySource {
    /// In a column.
    Column(String),
    /// In the unit that the schema gives the amount, as its ISO code.
    Unit(&'static str),
}

/// The table that a question asks for, besides its conditions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableQuestion {
    /// The operation.
    pub operation: ColumnOperation,
    /// The column that is added up or compared.
    pub measure: Option<String>,
    /// Whether the measure holds days. The largest value is the newest then.
    pub is_day: bool,
    /// The column with the currency of the measure. Amounts in two currencies are never added up.
    pub currency: Option<String>,
    /// Where documents say it, by bucket, if they do not all say it in one column.
    pub currency_of: BTreeMap<String, CurrencySource>,
    /// The key by which documents are grouped.
    pub group: Option<GroupKey>,
    /// The number of largest or smallest documents that are wanted.
    pub limit: Option<usize>,
    /// The columns to show of each document, the most important first.
    pub shown: Vec<String>,
    /// The column by which the question wants the documents to be sorted. A list is not sorted by a column, and the
    /// answer has to say so.
    pub unsorted: Option<String>,
    /// Words that were matched to a column by similarity of meaning alone, each with the column. The answer has to say
    /// so.
    pub likened: Vec<(String, String)>,
}

/// Whether a table can answer a question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Tabulation {
    /// The question does not ask for documents.
    #[default]
    None,
    /// The question asks for documents, but a table would not be the whole answer.
    Unfit {
        /// The reason, in words.
        why: String,
        /// The name or number that has no role in a table, without a legal form. No column has it as a value.
        name: Option<String>,
        /// Columns by which the documents could be told apart, if there are too many.
        facets: Vec<GroupKey>,
    },
    /// The table answers the question only if `words`, which have no role in it, do not tell documents apart. The
    /// caller has to check that against the documents, or with the plan of a model.
    Unsure {
        /// The table without these words.
        table: Box<TableQuestion>,
        /// The words, each run of neighbouring ones as the question has it.
        words: Vec<String>,
        /// The reason in case the words matter: see [`Tabulation::Unfit`].
        why: String,
        /// The columns in that case: see [`Tabulation::Unfit`].
        facets: Vec<GroupKey>,
    },
    /// Several columns fit the words equally well.
    Ambiguous {
        /// The words of the question.
        said: String,
        /// The columns.
        columns: Vec<String>,
    },
    /// This table answers the question.
    Fit(Box<TableQuestion>),
}

impl TableQuestion {
    /// All columns that it names; some may come twice.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        let of_currency = self.currency_of.values().filter_map(|from| match from {
            CurrencySource::Column(column) => Some(column),
            CurrencySource::Unit(_) => None,
        });
        let named = self
            .measure
            .iter()
            .chain(&self.currency)
            .chain(&self.unsorted);
        let shown = self
            .shown
            .iter()
            .chain(self.likened.iter().map(|(_, column)| column));
        let group = self.group.as_ref().map(GroupKey::column);
        named
            .chain(of_currency)
            .chain(shown)
            .map(String::as_str)
            .chain(group)
    }
}

impl GroupKey {
    /// The column that the key reads.
    pub fn column(&self) -> &str {
        match self {
            GroupKey::Column(column)
            | GroupKey::Year(column)
            | GroupKey::Quarter(column)
            | GroupKey::Month(column) => column,
        }
    }

    /// The title of the column of groups, with the column that the days are taken from: `year of invoice_date`.
    pub fn column_title(&self) -> String {
        match self {
            GroupKey::Column(column) => column.clone(),
            of_days => format!("{} of {}", of_days.title(), of_days.column()),
        }
    }

    /// The title of the groups: a column, or a unit of the calendar.
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
    /// Decides whether a table can answer a linked question, and which.
    pub(crate) fn tabulate(&self, linked: &LinkedQuestion) -> Tabulation {
        // A search answers questions about what documents say, and comparisons without a noun and without named sides.
        let is_sided = !linked.parts.is_empty();
        if linked.intent == Intent::Prose && linked.is_bare {
            return Tabulation::Unfit {
                why: "it is about all that these documents say".into(),
                name: None,
                facets: self.facets(linked.bucket.as_deref()),
            };
        }
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
            Err(Tabulation::Unfit { why, name, .. }) => Tabulation::Unfit {
                why,
                name,
                facets: self.facets(linked.bucket.as_deref()),
            },
            Err(other) => other,
        }
    }

    pub(crate) fn names_numbers(&self) -> bool {
        let names = |tokens: &[QuestionToken]| {
            let fit = self.number_called(tokens);
            fit.is_some_and(|fit| fit.score >= phrase::NAMED_MIN)
        };
        self.tokens.windows(2).any(names)
    }

    /// The columns of numbers that tokens mean.
    fn number_called(&self, tokens: &[QuestionToken]) -> Option<phrase::Fit> {
        let said: Vec<&str> = tokens.iter().map(|token| token.lower.as_str()).collect();
        phrase::best(self.dictionary, None, &said, phrase::is_number)
    }

    /// Whether the question compares a figure of two documents and no noun says which documents: `voltage limit: HX-1
    /// or HX-2?`.
    pub(crate) fn is_of_two(&self) -> bool {
        let subject = self.frame.subject.as_ref();
        self.names_two()
            && self.names_measure()
            && subject.is_none_or(|subject| self.is_measure(subject))
    }

    /// Whether all of the words may mean a column of numbers and none of them names a bucket.
    fn is_measure(&self, tokens: &Range<usize>) -> bool {
        self.tokens[tokens.clone()].iter().all(|token| {
            self.number_called(std::slice::from_ref(token)).is_some()
                && self.dictionary.bucket_called(&token.lower).is_none()
        })
    }

    /// Whether one word or two neighbours may mean a column of numbers, by name, by description or by a related word.
    fn names_measure(&self) -> bool {
        let is_said = |token: &QuestionToken| !text::stop::is_content_free(&token.lower);
        let names = |tokens: &[QuestionToken]| {
            tokens.iter().all(is_said) && self.number_called(tokens).is_some()
        };
        self.tokens.windows(2).any(names) || self.tokens.windows(1).any(names)
    }

    /// Whether the question names two documents by their numbers and does not ask for an explanation.
    fn names_two(&self) -> bool {
        let tokens = &self.tokens;
        let is_beside = tokens.has("beat beats win wins apart differ differs different");
        let says_why = tokens.has(words!(tabulate_explaining));
        let asks_what_both_have = tokens.has("have has") && tokens.has("what which");
        let is_for_both = !says_why && (asks_what_both_have || says_more_than(tokens));
        let is_explaining = is_explaining(&self.tokens) && !is_beside && !is_for_both;
        let numbers = self.mentions.iter().filter(|mention| {
            let mut tokens = self.tokens[mention.at.clone()].iter();
            matches!(mention.what, Named::Value(_))
                && tokens.any(QuestionToken::has_digit)
                && self.is_evident(mention)
        });
        !is_explaining && numbers.count() == 2
    }

    /// The columns that tell the documents of a bucket apart: the years of a column of days or a column of years, then
    /// columns with few values.
    fn facets(&self, bucket: Option<&str>) -> Vec<GroupKey> {
        let of_kind = |kind| {
            let columns = self.dictionary.columns(bucket).map(|(_, column)| column);
            columns.filter(move |column| column.kind() == kind && !column.is_named())
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
