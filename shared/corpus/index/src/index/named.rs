//! Translates the condition `named`, which selects the documents that are called by a value in whichever field.
//!
//! A chunk matches if its path, title or metadata contains all words of the value. The first chunk of a document also
//! matches if its text contains them as a phrase. *Not* a search: nothing is scored.

use super::filter::any;
use super::schema::{Fields, analyzer};
use super::term_query;
use crate::index::stems;
use search::filter_terms::as_text;
use serde_json::Value;
use tantivy::Term;
use tantivy::query::{BooleanQuery, EmptyQuery, Occur, PhraseQuery, Query, TermSetQuery};
use tantivy::schema::Field;

/// What four digits may be a year.
const YEARS: std::ops::RangeInclusive<u16> = 1900..=2100;

/// The chunks of documents that are called one of these.
pub(super) fn named(fields: &Fields, value: &Value) -> Box<dyn Query> {
    match value {
        Value::Array(items) => any(items.iter().map(|item| one(fields, item)).collect()),
        single => one(fields, single),
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
    let together: Box<dyn Query> = match words.len() {
        1 => term_query(term(fields.text, &words[0])),
        _ => {
            let terms = words.iter().map(|word| term(fields.text, word));
            Box::new(PhraseQuery::new(terms.collect()))
        }
    };
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
    Box::new(TermSetQuery::new(others))
}
