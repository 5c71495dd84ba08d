//! Translates the condition `named`, which selects the documents that are called by a value in whichever field.
//!
//! A chunk matches if its path, title or metadata contains all words of the value. The first chunk of a document also
//! matches if its text contains them as a phrase. A year that is only part of a day is no name if the document has
//! another year by itself. *Not* a search: nothing is scored.

use super::filter::any;
use super::schema::{Fields, analyzer};
use super::term_query;
use crate::index::stems;
use linking::years::YEARS;
use search::filter_terms::{as_text, year_of_day};
use serde_json::Value;
use tantivy::Term;
use tantivy::query::{BooleanQuery, EmptyQuery, Occur, PhraseQuery, Query, TermSetQuery};
use tantivy::schema::Field;

/// The chunks of documents that are called one of these.
pub(super) fn named(fields: &Fields, value: &Value) -> Box<dyn Query> {
    let one = |value: &Value| {
        let name = Name::of(fields, value);
        any(vec![name.outside_text(), name.in_text()])
    };
    match value {
        Value::Array(items) => any(items.iter().map(one).collect()),
        single => one(single),
    }
}

/// A name that documents may be called by.
pub(super) struct Name<'a> {
    fields: &'a Fields,
    words: Vec<String>,
    /// The year that the name is, if it is one.
    year: Option<u16>,
}

impl Name<'_> {
    pub(super) fn of<'a>(fields: &'a Fields, value: &Value) -> Name<'a> {
        let text = as_text(value).unwrap_or_default();
        Name {
            fields,
            words: stems(&mut analyzer(), &text),
            year: text.parse().ok().filter(|year| YEARS.contains(year)),
        }
    }

    /// The chunks whose path, title or metadata has the name.
    pub(super) fn outside_text(&self) -> Box<dyn Query> {
        if self.words.is_empty() {
            return Box::new(EmptyQuery);
        }
        let Fields {
            path, title, meta, ..
        } = *self.fields;
        let all_in = |field: Field| {
            let terms = self.words.iter().map(|word| term(field, word));
            Box::new(BooleanQuery::intersection(terms.map(term_query).collect())) as Box<dyn Query>
        };
        let called = any([path, title, meta].map(all_in).into_iter().collect());
        match self.year {
            Some(year) => without(
                called,
                term_query(term(self.fields.facts, &year_of_day(year))),
            ),
            None => called,
        }
    }

    /// The first chunks of documents whose text has the name.
    pub(super) fn in_text(&self) -> Box<dyn Query> {
        let together: Box<dyn Query> = match self.words.as_slice() {
            [] => return Box::new(EmptyQuery),
            [word] => term_query(term(self.fields.text, word)),
            words => {
                let terms = words.iter().map(|word| term(self.fields.text, word));
                Box::new(PhraseQuery::new(terms.collect()))
            }
        };
        let is_head = term_query(Term::from_field_u64(self.fields.n, 0));
        let begins = Box::new(BooleanQuery::intersection(vec![is_head, together]));
        match self.year {
            Some(year) => without(begins, of_another_year(self.fields, year)),
            None => begins,
        }
    }
}

fn without(query: Box<dyn Query>, other: Box<dyn Query>) -> Box<dyn Query> {
    let clauses = vec![(Occur::Must, query), (Occur::MustNot, other)];
    Box::new(BooleanQuery::new(clauses))
}

fn term(field: Field, word: &str) -> Term {
    Term::from_field_text(field, word)
}

/// Documents that are called after another year: a report speaks of the year before, too.
fn of_another_year(fields: &Fields, year: u16) -> Box<dyn Query> {
    let others = YEARS.filter(|other| *other != year).flat_map(|other| {
        let other = other.to_string();
        [fields.path, fields.title, fields.meta].map(|field| Term::from_field_text(field, &other))
    });
    Box::new(TermSetQuery::new(others))
}
