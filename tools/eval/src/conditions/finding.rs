//! Measures whether a right document is among the first ten passages: in a search without conditions, with the linked
//! conditions, and with the right ones.
//!
//! Searches use words alone, like those of a retriever without vectors. For a question that asks for documents, the
//! conditions filter the search. While nothing is found, they are dropped one by one, the last one first. For any
//! other question, the conditions only reserve a share of the list.

use super::gold::{GoldCondition, GoldQuestion};
use super::known::Known;
use crate::Error;
use crate::dataset::whole_day;
use crate::measure::request;
use envelope::{Filter, Principal};
use index::{HybridSearcher, Options};
use linking::amounts::Bound;
use linking::days::DayRange;
use linking::{LinkedQuestion, QuestionCondition, Test};
use retriever::{DerivedFilter, search_derived};
use search::{SearchRequest, SearchResult, Searcher};
use serde::Serialize;
use serde_json::Value;

/// How many passages are looked at.
const PASSAGES: usize = 10;

/// For how many questions a right document was found.
#[derive(Debug, Default)]
pub(super) struct AmongTen {
    /// How conditions are dropped, and which share of a list they have.
    options: retriever::Options,
    questions: usize,
    without: usize,
    linked: usize,
    gold: usize,
}

/// The same as shares.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct TenShares {
    questions: usize,
    linking_off: f64,
    linking_on: f64,
    right_conditions_given: f64,
}

impl TenShares {
    pub(super) fn rows(&self) -> [(&'static str, f64); 3] {
        [
            ("linking off", self.linking_off),
            ("linking on", self.linking_on),
            ("right conditions given", self.right_conditions_given),
        ]
    }
}

/// A search without vectors.
pub(super) fn by_words() -> Options {
    Options {
        vectors: false,
        ..Options::default()
    }
}

impl AmongTen {
    pub(super) fn of(options: retriever::Options) -> AmongTen {
        AmongTen {
            options,
            ..AmongTen::default()
        }
    }

    /// Searches for a question in all three ways; one without right documents does not count.
    pub(super) async fn add(
        &mut self,
        known: &Known,
        searcher: &HybridSearcher,
        question: &GoldQuestion,
        linked: &LinkedQuestion,
    ) -> Result<(), Error> {
        if question.documents.is_empty() {
            return Ok(());
        }
        let request = words_of(&known.principal, &question.question, Filter::default());
        let has_right = |found: &SearchResult| {
            let mut passages = found.passages.iter();
            passages.any(|passage| question.documents.contains(&passage.source))
        };
        let broken = |error| broken(question, error);
        let derived = DerivedFilter::of(linked);
        let gold = right(question, known);
        let without = searcher.search(&request).await.map_err(broken)?;
        self.questions += 1;
        self.without += usize::from(has_right(&without));
        let options = &self.options;
        let by_linked = search_derived(searcher, &request, &derived, options).await;
        self.linked += usize::from(has_right(&by_linked.map_err(broken)?.result));
        let by_gold = search_derived(searcher, &request, &gold, options).await;
        self.gold += usize::from(has_right(&by_gold.map_err(broken)?.result));
        Ok(())
    }

    pub(super) fn shares(&self) -> TenShares {
        let share = |part: usize| part as f64 / self.questions.max(1) as f64;
        TenShares {
            questions: self.questions,
            linking_off: share(self.without),
            linking_on: share(self.linked),
            right_conditions_given: share(self.gold),
        }
    }
}

/// A search for what a question says.
pub(super) fn words_of(principal: &Principal, question: &str, filter: Filter) -> SearchRequest {
    SearchRequest {
        principal: principal.clone(),
        filter,
        ..request(question, PASSAGES)
    }
}

/// A search for a question that failed.
pub(super) fn broken(question: &GoldQuestion, error: search::Error) -> Error {
    Error::Question {
        id: question.id.clone(),
        error,
    }
}

/// The right conditions, as a user would give them.
fn right(question: &GoldQuestion, known: &Known) -> DerivedFilter {
    let bucket = question.bucket.clone();
    let of = |conditions: &[GoldCondition]| {
        let is_bare = !known.is_described(question);
        let conditions = conditions.iter();
        conditions
            .filter_map(|one| condition(one, is_bare))
            .collect::<Vec<_>>()
    };
    let derived = |conditions| {
        DerivedFilter::of(&LinkedQuestion {
            conditions,
            ..LinkedQuestion::default()
        })
    };
    let all = DerivedFilter::of(&LinkedQuestion {
        bucket: bucket.clone(),
        conditions: of(&question.conditions),
        ..LinkedQuestion::default()
    });
    let sides = question.parts.iter().map(|part| derived(of(part)).filter);
    DerivedFilter {
        sides: sides.collect(),
        is_strict: true,
        ..all
    }
}

/// A right condition in the linker's terms.
fn condition(gold: &GoldCondition, is_bare: bool) -> Option<QuestionCondition> {
    let values = match &gold.value {
        Value::Array(items) => items.clone(),
        one => vec![one.clone()],
    };
    let texts: Vec<String> = values
        .iter()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect();
    let number = values.first().and_then(Value::as_f64);
    let day = texts.first().and_then(|text| whole_day(text));
    let test = match (gold.op.as_str(), day, number) {
        ("gte", Some(from), _) => Test::Days(DayRange {
            from: Some(from),
            until: None,
        }),
        ("lt", Some(until), _) => Test::Days(DayRange {
            from: None,
            until: Some(until),
        }),
        ("gt", _, Some(n)) => Test::Amount(vec![(Bound::Over, n)]),
        ("gte", _, Some(n)) => Test::Amount(vec![(Bound::AtLeast, n)]),
        ("lt", _, Some(n)) => Test::Amount(vec![(Bound::Under, n)]),
        ("lte", _, Some(n)) => Test::Amount(vec![(Bound::AtMost, n)]),
        (_, _, Some(_)) => Test::Number(values.iter().filter_map(Value::as_f64).collect()),
        _ => Test::Is(vec![texts.iter().chain(&gold.forms).cloned().collect()]),
    };
    let names = match &test {
        Test::Is(things) if is_bare => things.concat(),
        Test::Number(numbers) if is_bare => numbers.iter().map(f64::to_string).collect(),
        _ => Vec::new(),
    };
    Some(QuestionCondition {
        bucket: String::new(),
        field: gold.field.clone(),
        test,
        names,
        is_negated: matches!(gold.op.as_str(), "ne" | "not_in"),
        is_assumed: false,
        span: 0..0,
    })
}
