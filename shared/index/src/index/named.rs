//! Documents that are called something, whatever field says so: a condition on `named`.
//!
//! A value holds for the chunks whose path, title or metadata has all words of it, and for the head of a document that
//! begins with a text where they stand together. *Not* a search: nothing scores.

use super::filter::{any, none_of};
use super::schema::{Fields, analyzer};
use super::term_query;
use crate::index::stems;
use envelope::Op;
use search::filter_terms::as_text;
use serde_json::Value;
use tantivy::Term;
use tantivy::query::{BooleanQuery, EmptyQuery, PhraseQuery, Query};
use tantivy::schema::Field;

/// The chunks for which a condition on what they are called holds. To be called nothing is never asked for: an order
/// of names means nothing.
pub(super) fn named(fields: &Fields, op: Op, value: &Value) -> Box<dyn Query> {
    let called = || match value {
        Value::Array(items) => any(items.iter().map(|item| one(fields, item)).collect()),
        single => one(fields, single),
    };
    match op {
        Op::Eq | Op::In | Op::Contains => called(),
        Op::Ne | Op::NotIn => none_of(called()),
        Op::Gt | Op::Gte | Op::Lt | Op::Lte => Box::new(EmptyQuery),
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
    places.push(Box::new(BooleanQuery::intersection(vec![
        is_head, together,
    ])));
    any(places)
}
