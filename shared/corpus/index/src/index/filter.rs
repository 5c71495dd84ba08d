//! Translates a [`Filter`](envelope::Filter) into tantivy queries that restrict the hits and add nothing to their
//! scores.

use super::named::named;
use super::readable::Readable;
use super::schema::Fields;
use super::{Index, any_term, term_query};
use crate::Error;
use envelope::{Bucket, Condition, Filter, Op, Principal};
use search::filter_terms::{self, BUILT_IN, as_number, as_text, is_partial_date};
use serde_json::Value;
use std::collections::BTreeSet;
use std::ops::Bound;
use tantivy::collector::Count;
use tantivy::query::{
    AllQuery, BooleanQuery, ConstScoreQuery, EmptyQuery, InvertedIndexRangeQuery, Occur, Query,
};
use tantivy::{Searcher, TantivyError, Term};

/// What restricts a search.
pub(crate) struct Restrictions {
    /// Whether they are the tenant and nothing else.
    pub(super) is_tenant_alone: bool,
    /// All must match; none scores.
    pub(super) queries: Vec<Box<dyn Query>>,
    /// Fields of the filter that no document has; their conditions are left out.
    pub(crate) unknown_fields: Vec<String>,
    /// Fields that have no value of the compared kind, for example a text compared with a number. Their conditions
    /// stay, and match nothing.
    pub(super) unlike_fields: Vec<String>,
}

/// Facts from the first up to the second, without that one.
type FactRange = (String, String);

impl Index {
    /// Whether any document has a fact in one of some ranges: any that `among` matches, where that is given.
    fn has_any(
        &self,
        searcher: &Searcher,
        among: Option<&dyn Query>,
        ranges: &[FactRange],
    ) -> Result<bool, Error> {
        let term = |text: &str| Term::from_field_text(self.fields.facts, text);
        for (start, end) in ranges {
            let is_there = match among {
                None => self.has_fact_in(searcher, start, end)?,
                Some(among) => {
                    let (from, until) = (Bound::Included(term(start)), Bound::Excluded(term(end)));
                    let range = InvertedIndexRangeQuery::new(from, until);
                    let both = vec![Box::new(range) as Box<dyn Query>, among.box_clone()];
                    searcher.search(&BooleanQuery::intersection(both), &Count)? > 0
                }
            };
            if is_there {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn has_fact_in(&self, searcher: &Searcher, start: &str, end: &str) -> Result<bool, Error> {
        for segment in searcher.segment_readers() {
            let index = segment.inverted_index(self.fields.facts)?;
            let range = index.terms().range().ge(start).lt(end);
            if range.into_stream().map_err(TantivyError::from)?.advance() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The restrictions of a request. What its principal may read is always one, and the first.
    pub(super) fn restrictions(
        &self,
        searcher: &Searcher,
        (principal, buckets, filter): (&Principal, &[Bucket], &Filter),
    ) -> Result<Restrictions, Error> {
        let fields = &self.fields;
        let Readable {
            query,
            is_whole_tenant,
        } = self.readable(searcher, principal)?;
        let among = (!is_whole_tenant).then(|| query.box_clone());
        let among = among.as_deref();
        let mut queries = vec![query];
        if !buckets.is_empty() {
            let buckets = buckets.iter();
            let terms = buckets.map(|b| Term::from_field_text(fields.bucket, b.as_str()));
            queries.push(any(terms.map(term_query).collect()));
        }
        let named = filter.0.iter().map(|condition| &condition.field);
        let unknown_fields = self.unknown_fields(searcher, principal, named)?;
        for condition in &filter.0 {
            if !unknown_fields.contains(&condition.field) {
                queries.push(translate(searcher, fields, condition)?);
            }
        }
        let mut unlike_fields = Vec::new();
        for condition in &filter.0 {
            let known = !unknown_fields.contains(&condition.field);
            if known && is_unlike(condition, &|ranges| self.has_any(searcher, among, ranges))? {
                unlike_fields.push(condition.field.clone());
            }
        }
        let unscored = |query| Box::new(ConstScoreQuery::new(query, 0.0)) as Box<dyn Query>;
        Ok(Restrictions {
            is_tenant_alone: is_whole_tenant && queries.len() == 1,
            queries: queries.into_iter().map(unscored).collect(),
            unknown_fields,
            unlike_fields,
        })
    }

    /// Those of some fields that none of a principal's documents has, each once.
    pub(super) fn unknown_fields<'a>(
        &self,
        searcher: &Searcher,
        principal: &Principal,
        named: impl Iterator<Item = &'a String>,
    ) -> Result<Vec<String>, Error> {
        let mut unknown = Vec::new();
        for name in named {
            let field = filter_terms::field_name(name);
            let is_named = filter_terms::named_field(&field).is_some();
            if is_named || BUILT_IN.contains(&field.as_str()) || unknown.contains(name) {
                continue;
            }
            let marker = filter_terms::marker(&field);
            if !self.has_fact(searcher, principal, &marker)? {
                unknown.push(name.clone());
            }
        }
        Ok(unknown)
    }

    /// Whether a document that a principal may read has a fact.
    pub(super) fn has_fact(
        &self,
        searcher: &Searcher,
        principal: &Principal,
        fact: &str,
    ) -> Result<bool, Error> {
        let fact = Term::from_field_text(self.fields.facts, fact);
        if searcher.doc_freq(&fact)? == 0 {
            return Ok(false);
        }
        let readable = self.readable(searcher, principal)?.query;
        let both = BooleanQuery::intersection(vec![term_query(fact), readable]);
        Ok(searcher.search(&both, &Count)? > 0)
    }
}

/// Whether no value of a field can be compared with that of a condition; `has_any` says whether any has a fact in a range.
fn is_unlike(
    condition: &Condition,
    has_any: &dyn Fn(&[FactRange]) -> Result<bool, Error>,
) -> Result<bool, Error> {
    let field = filter_terms::field_name(&condition.field);
    let all = |kind| {
        (
            filter_terms::start_of(kind, &field),
            filter_terms::end_of(kind, &field),
        )
    };
    let (start, end) = all('t');
    let days = (format!("{start}0"), format!("{start}:"));
    let value = &condition.value;
    let alike = match condition.op {
        // A word is no day, and no number either.
        Op::Gt | Op::Gte | Op::Lt | Op::Lte if is_word(value) => {
            vec![(start, days.0), (days.1, end)]
        }
        Op::Gt | Op::Gte | Op::Lt | Op::Lte => match as_number(value) {
            None => vec![all('t')],
            // Four digits are a number and a year.
            Some(_) if is_partial_date(&as_text(value).unwrap_or_default()) => {
                vec![all('n'), days]
            }
            Some(_) => vec![all('n')],
        },
        // A field of numbers has no value that is a word; one of nothing but yes and no has texts.
        Op::Eq | Op::In if are_words(value) && has_any(&[all('n')])? => vec![all('t')],
        _ => return Ok(false),
    };
    Ok(!has_any(&alike)?)
}

fn are_words(value: &Value) -> bool {
    match value {
        Value::Array(items) => !items.is_empty() && items.iter().all(is_word),
        single => is_word(single),
    }
}

/// Whether a value is a text that begins with a letter, and so is neither a number nor a day.
fn is_word(value: &Value) -> bool {
    let text = value.as_str().map(str::trim).unwrap_or_default();
    as_number(value).is_none() && text.starts_with(char::is_alphabetic)
}

fn translate(
    searcher: &Searcher,
    fields: &Fields,
    condition: &Condition,
) -> Result<Box<dyn Query>, Error> {
    let field = filter_terms::field_name(&condition.field);
    let value = &condition.value;
    let asked = Asked {
        searcher,
        fields,
        field: filter_terms::named_field(&field)
            .unwrap_or(&field)
            .to_owned(),
    };
    if filter_terms::named_field(&field).is_some() {
        return Ok(asked.field_or_name(condition.op, value));
    }
    Ok(match condition.op {
        Op::Eq => asked.equal(value),
        Op::Ne => none_of(asked.equal(value)),
        Op::In => asked.one_of(value),
        Op::NotIn => none_of(asked.one_of(value)),
        Op::Contains => asked.contains(value)?,
        Op::Gt | Op::Gte | Op::Lt | Op::Lte => asked.compare(condition.op, value),
    })
}

/// All but these; what lacks the field is among them.
fn none_of(query: Box<dyn Query>) -> Box<dyn Query> {
    Box::new(BooleanQuery::new(vec![
        (Occur::Must, Box::new(AllQuery)),
        (Occur::MustNot, query),
    ]))
}

/// One field that is asked.
struct Asked<'a> {
    searcher: &'a Searcher,
    fields: &'a Fields,
    field: String,
}

impl Asked<'_> {
    fn term(&self, fact: &str) -> Term {
        Term::from_field_text(self.fields.facts, fact)
    }

    /// A text that reads as a number is both: models put numbers into quotes.
    fn equal(&self, value: &Value) -> Box<dyn Query> {
        let text = as_text(value).map(|text| filter_terms::text_term(&self.field, &text));
        let number = as_number(value).map(|n| filter_terms::number_term(&self.field, n));
        let terms = text.into_iter().chain(number);
        any(terms.map(|fact| term_query(self.term(&fact))).collect())
    }

    /// A value of the field, or where that is lacking something that a document is called.
    fn field_or_name(&self, op: Op, value: &Value) -> Box<dyn Query> {
        let called = named(self.fields, value);
        let either = match self.field.is_empty() {
            true => called,
            false => {
                let has_field = term_query(self.term(&filter_terms::marker(&self.field)));
                let lacking =
                    BooleanQuery::new(vec![(Occur::Must, called), (Occur::MustNot, has_field)]);
                any(vec![self.one_of(value), Box::new(lacking)])
            }
        };
        match op {
            Op::Eq | Op::In | Op::Contains => either,
            Op::Ne | Op::NotIn => none_of(either),
            // Names have no order.
            Op::Gt | Op::Gte | Op::Lt | Op::Lte => Box::new(EmptyQuery),
        }
    }

    /// Equal to one of a list.
    fn one_of(&self, value: &Value) -> Box<dyn Query> {
        match value {
            Value::Array(items) => any(items.iter().map(|item| self.equal(item)).collect()),
            single => self.equal(single),
        }
    }

    /// Looks through the values of the field: as many as it has different ones, and no pattern
    /// language between what was asked and what is compared.
    fn contains(&self, value: &Value) -> Result<Box<dyn Query>, Error> {
        let Some(text) = as_text(value) else {
            return Ok(Box::new(EmptyQuery));
        };
        let text = filter_terms::folded(&text);
        let mut found = BTreeSet::new();
        for segment in self.searcher.segment_readers() {
            let index = segment.inverted_index(self.fields.facts)?;
            for kind in ['t', 'd'] {
                let start = filter_terms::start_of(kind, &self.field);
                let end = filter_terms::end_of(kind, &self.field);
                let range = index.terms().range().ge(&start).lt(&end);
                let mut terms = range.into_stream().map_err(TantivyError::from)?;
                while terms.advance() {
                    let fact = std::str::from_utf8(terms.key()).unwrap_or_default();
                    if fact.get(start.len()..).is_some_and(|v| v.contains(&text)) {
                        found.insert(fact.to_owned());
                    }
                }
            }
        }
        let terms = found.iter().map(|fact| self.term(fact));
        Ok(any_term(terms))
    }

    fn compare(&self, op: Op, value: &Value) -> Box<dyn Query> {
        let mut ranges = Vec::new();
        let number = as_number(value);
        if let Some(n) = number {
            let number = filter_terms::number_term(&self.field, n);
            ranges.push(self.range(op, ('n', "", ""), &number));
        }
        if let Some(text) = as_text(value)
            && (number.is_none() || is_partial_date(&text))
        {
            let mut bound = filter_terms::text_term(&self.field, &text);
            // A year or a month stands for all its days: after 2024 begins in 2025.
            if is_partial_date(&text) && matches!(op, Op::Gt | Op::Lte) {
                bound.push(char::MAX);
            }
            // What begins with a digit is a date: `unknown` is not after 2024.
            let digits = text.trim().starts_with(|c: char| c.is_ascii_digit());
            let among = if digits {
                ('t', "0", ":")
            } else {
                ('t', "", "")
            };
            ranges.push(self.range(op, among, &bound));
        }
        any(ranges)
    }

    /// The terms of one kind on one side of `bound`, among those from a first text to before a
    /// last one; the empty text stands for no such limit.
    fn range(&self, op: Op, (kind, from, to): (char, &str, &str), bound: &str) -> Box<dyn Query> {
        let start = filter_terms::start_of(kind, &self.field);
        let end = match to {
            "" => filter_terms::end_of(kind, &self.field),
            to => format!("{start}{to}"),
        };
        let start = Bound::Included(self.term(&format!("{start}{from}")));
        let end = Bound::Excluded(self.term(&end));
        let bound = self.term(bound);
        let (lower, upper) = match op {
            Op::Gt => (Bound::Excluded(bound), end),
            Op::Gte => (Bound::Included(bound), end),
            Op::Lt => (start, Bound::Excluded(bound)),
            _ => (start, Bound::Included(bound)),
        };
        Box::new(InvertedIndexRangeQuery::new(lower, upper))
    }
}

/// At least one holds; nothing to hold matches nothing.
pub(super) fn any(mut queries: Vec<Box<dyn Query>>) -> Box<dyn Query> {
    match queries.len() {
        0 => Box::new(EmptyQuery),
        1 => queries.remove(0),
        _ => Box::new(BooleanQuery::union(queries)),
    }
}
