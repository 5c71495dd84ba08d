//! Translates a [`Filter`](envelope::Filter) into a filter of a Qdrant server. The filter selects the same chunks as
//! `index::filter`, and a property test compares the two. For a server without substring conditions, these are left out
//! of the filter, which then selects all the right chunks and some more.

use crate::order;
use crate::order::Place;
use crate::point::{BUCKET, FACTS, OF, ORDER, TENANT, TEXTS, V};
use crate::version::Version;
use envelope::principal::ALL_GROUPS;
use envelope::{Groups, Op, TenantId};
use qdrant_client::qdrant::r#match::MatchValue;
use qdrant_client::qdrant::{Condition, Filter, Range};
use search::filter_terms::{as_number, as_text, is_partial_date};
use search::{SearchRequest, filter_terms};
use serde_json::Value;

/// A fact that no chunk has: all facts begin with a kind and NUL.
const NO_FACT: &str = "none";

/// The filter of a request, as far as a server of this version can evaluate it. The tenant is always one, and so are
/// the readers that documents name; rules by path are left to the index.
pub(super) fn restrictions(request: &SearchRequest, version: Version) -> Filter {
    let mut must = vec![of_tenant(&request.principal.tenant)];
    must.extend(of_readers(&request.principal.groups));
    if !request.buckets.is_empty() {
        let buckets: Vec<String> = request.buckets.iter().map(ToString::to_string).collect();
        must.push(Condition::matches(BUCKET, buckets));
    }
    // What documents are called, the server cannot say: the index sorts out what it lets through besides.
    let known = |c: &&envelope::Condition| {
        filter_terms::named_field(&filter_terms::field_name(&c.field)).is_none()
    };
    let conditions = request.filter.0.iter().filter(known);
    must.extend(conditions.map(|c| translate(c, version)));
    Filter::must(must)
}

/// A payload has exactly this word. The client takes a text with a space for one to be searched in,
/// so the kind of the condition is named.
pub(super) fn is(key: &str, word: String) -> Condition {
    Condition::matches(key, MatchValue::Keyword(word))
}

fn of_tenant(tenant: &TenantId) -> Condition {
    is(TENANT, tenant.to_string())
}

/// The documents that name no readers, or one of these.
fn of_readers(groups: &Groups) -> Option<Condition> {
    let names = groups.names().chain([ALL_GROUPS]);
    let mine: Vec<String> = names.map(filter_terms::acl_term).collect();
    let unmarked = Filter::must_not([is(FACTS, filter_terms::ACL_MARKER.to_owned())]);
    let any = [unmarked.into(), Condition::matches(FACTS, mine)];
    (!groups.is_all()).then(|| Filter::should(any).into())
}

/// Whether a condition is one that only a server with substrings evaluates.
pub(super) fn needs_substring(condition: &envelope::Condition) -> bool {
    let text = as_text(&condition.value).map(|text| filter_terms::folded(&text));
    condition.op == Op::Contains && text.is_some_and(|text| !text.is_empty())
}

fn translate(condition: &envelope::Condition, version: Version) -> Condition {
    let field = filter_terms::field_name(&condition.field);
    let value = &condition.value;
    match condition.op {
        Op::Eq => one_of(equal(&field, value)),
        Op::Ne => Filter::must_not([one_of(equal(&field, value))]).into(),
        Op::In => one_of(equal_to_any(&field, value)),
        Op::NotIn => Filter::must_not([one_of(equal_to_any(&field, value))]).into(),
        Op::Contains => contains(&field, value, version),
        Op::Gt | Op::Gte | Op::Lt | Op::Lte => compare(&field, condition.op, value),
    }
}

/// The facts that a chunk with this value has one of.
fn equal(field: &str, value: &Value) -> Vec<String> {
    let text = as_text(value).map(|text| filter_terms::text_term(field, &text));
    let number = as_number(value).map(|n| filter_terms::number_term(field, n));
    text.into_iter().chain(number).collect()
}

/// The same for a list of values.
fn equal_to_any(field: &str, value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().flat_map(|v| equal(field, v)).collect(),
        single => equal(field, single),
    }
}

fn one_of(facts: Vec<String>) -> Condition {
    match facts.is_empty() {
        true => nothing(),
        false => Condition::matches(FACTS, facts),
    }
}

fn nothing() -> Condition {
    is(FACTS, NO_FACT.to_owned())
}

/// Without substrings: the field has some text.
fn contains(field: &str, value: &Value, version: Version) -> Condition {
    let Some(text) = as_text(value) else {
        return nothing();
    };
    let text = filter_terms::folded(&text);
    let mut must = vec![is(OF, field.to_owned())];
    if !text.is_empty() && version.knows_substrings() {
        must.push(Condition::matches(V, MatchValue::Substring(text)));
    }
    Condition::nested(TEXTS, Filter::must(must))
}

/// See `index::filter` for why a value may be compared as both, and what a partial date is.
fn compare(field: &str, op: Op, value: &Value) -> Condition {
    let mut any = Vec::new();
    let number = as_number(value);
    if let Some(n) = number {
        any.push(at(order::of_number(field, n), |v| side(op, v)));
    }
    if let Some(text) = as_text(value)
        && (number.is_none() || is_partial_date(&text))
    {
        any.extend(compare_text(field, op, &text));
    }
    match any.is_empty() {
        true => nothing(),
        false => Filter::should(any).into(),
    }
}

/// One condition per block of the bound: equal before it, and on the right side in it.
fn compare_text(field: &str, op: Op, text: &str) -> Vec<Condition> {
    let mut bound = filter_terms::folded(text);
    if is_partial_date(text) && matches!(op, Op::Gt | Op::Lte) {
        bound.push(char::MAX);
    }
    let digits = bound.starts_with(|c: char| c.is_ascii_digit());
    let places = order::of_text(field, &bound);
    let last = places.len() - 1;
    let strict = match op {
        Op::Gte => Op::Gt,
        Op::Lte => Op::Lt,
        op => op,
    };
    let range = |i: usize, v: f64| {
        let mut range = side(if i == last { op } else { strict }, v);
        // Dates are among what begins with a digit. Later blocks have such a beginning.
        if i == 0 && digits {
            match strict {
                Op::Gt => range.lt = Some(order::block(b":")),
                _ => range.gte = Some(order::block(b"0")),
            }
        }
        range
    };
    let places = places.into_iter().enumerate();
    places
        .map(|(i, place)| at(place, |v| range(i, v)))
        .collect()
}

/// A number under the key of the place that is in a range.
fn at(place: Place, range: impl Fn(f64) -> Range) -> Condition {
    let of = is(OF, place.of);
    let v = Condition::range(V, range(place.v));
    Condition::nested(ORDER, Filter::must([of, v]))
}

fn side(op: Op, v: f64) -> Range {
    let mut range = Range::default();
    match op {
        Op::Gt => range.gt = Some(v),
        Op::Gte => range.gte = Some(v),
        Op::Lt => range.lt = Some(v),
        _ => range.lte = Some(v),
    }
    range
}
