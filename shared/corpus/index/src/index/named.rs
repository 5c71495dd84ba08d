//! Translates the condition `named`, which selects the documents that are called by a value in whichever field.
//!
//! A chunk matches if its path, title or metadata contains all words of the value. The first chunk of a document also
//! matches if its text contains them as a phrase. *Not* a search: nothing is scored.

use super::filter::any;
use super::schema::{Fields, analyzer, analyzer_of};
use super::{any_term, term_query};
use crate::index::stems;
use search::filter_terms::as_text;
use serde_json::Value;
use std::collections::BTreeSet;
use tantivy::Term;
use tantivy::query::{BooleanQuery, EmptyQuery, Occur, PhraseQuery, Query};
use tantivy::schema::Field;
use text::Language;

/// What four digits may be a year.
const YEARS: std::ops::RangeInclusive<u16> = 1900..=2100;

/// The chunks of documents that are called one of these.
pub(super) fn named(fields: &Fields, value: &Value) -> Box<dyn Query> {
    match value {
        Value::Array(items) => any(items.iter().map(|item| one(fields, item)).collect()),
        single => one(fields, single),
    }
}

/// The words of a value as texts of each language have them, each way once.
fn in_all_languages(text: &str) -> impl Iterator<Item = Vec<String>> {
    let ways = Language::ALL.iter();
    let ways = ways.map(|language| stems(&mut analyzer_of(*language), text));
    ways.filter(|words| !words.is_empty())
        .collect::<BTreeSet<_>>()
        .into_iter()
}

/// What has the words one behind the other.
fn phrase(fields: &Fields, words: Vec<String>) -> Box<dyn Query> {
    let mut terms = words
        .iter()
        .map(|word| Term::from_field_text(fields.text, word));
    match (terms.len(), terms.next()) {
        (1, Some(term)) => term_query(term),
        (_, first) => Box::new(PhraseQuery::new(first.into_iter().chain(terms).collect())),
    }
}

fn one(fields: &Fields, value: &Value) -> Box<dyn Query> {
    let text = as_text(value).unwrap_or_default();
    let words = stems(&mut analyzer(), &text);
    if words.is_empty() {
        return Box::new(EmptyQuery);
    }
    let term = |field: Field, word: &String| Term::from_field_text(field, word);
    let all_in = |field: Field| {
        let queries = words.iter().map(|word| term_query(term(field, word)));
        Box::new(BooleanQuery::intersection(queries.collect())) as Box<dyn Query>
    };
    let mut places: Vec<Box<dyn Query>> = [fields.path, fields.title, fields.meta]
        .map(all_in)
        .into_iter()
        .collect();
    let together = any(in_all_languages(&text)
        .map(|words| phrase(fields, words))
        .collect());
    let is_head = term_query(Term::from_field_u64(fields.n, 0));
    let mut begins: Box<dyn Query> = Box::new(BooleanQuery::intersection(vec![is_head, together]));
    if let Some(year) = text.parse().ok().filter(|year| YEARS.contains(year)) {
        begins = Box::new(BooleanQuery::new(vec![
            (Occur::Must, begins),
            (Occur::MustNot, of_another_year(fields, year)),
        ]));
    }
    places.push(begins);
    any(places)
}

/// Documents that are called after another year: a report speaks of the year before, too.
fn of_another_year(fields: &Fields, year: u16) -> Box<dyn Query> {
    let others = YEARS.filter(|other| *other != year).flat_map(|other| {
        let other = other.to_string();
        [fields.path, fields.title, fields.meta].map(|field| Term::from_field_text(field, &other))
    });
    any_term(others)
}
