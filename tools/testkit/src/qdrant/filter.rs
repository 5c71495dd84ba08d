//! Evaluates conditions on payloads for the fake Qdrant server, according to
//! <https://qdrant.tech/documentation/search/filtering/>.
//!
//! A value that is a list matches when any of its elements does. Every comparison is exact: with case, and numbers
//! with numbers only. Conditions that change with the indexes of a collection (full text) are not supported.

use qdrant_client::qdrant::condition::ConditionOneOf;
use qdrant_client::qdrant::r#match::MatchValue;
use qdrant_client::qdrant::value::Kind;
use qdrant_client::qdrant::{Condition, FieldCondition, Filter, Match, Range, Value};
use std::collections::HashMap;
use tonic::Status;

/// The payload of a point, or an object in it.
pub(super) type Payload = HashMap<String, Value>;

/// Whether a payload passes: all of `must`, at least one of `should` if there are any, none of
/// `must_not`.
pub(super) fn passes(filter: &Filter, payload: &Payload) -> Result<bool, Status> {
    if filter.min_should.is_some() {
        return Err(Status::unimplemented("the fake does not know `min_should`"));
    }
    let count = |conditions: &[Condition]| {
        conditions
            .iter()
            .map(|condition| holds(condition, payload).map(usize::from))
            .sum::<Result<usize, Status>>()
    };
    let should = filter.should.is_empty() || count(&filter.should)? > 0;
    Ok(should && count(&filter.must)? == filter.must.len() && count(&filter.must_not)? == 0)
}

fn holds(condition: &Condition, payload: &Payload) -> Result<bool, Status> {
    match &condition.condition_one_of {
        Some(ConditionOneOf::Field(field)) => field_holds(field, payload),
        Some(ConditionOneOf::Filter(filter)) => passes(filter, payload),
        Some(ConditionOneOf::Nested(nested)) => {
            let Some(filter) = &nested.filter else {
                return Err(Status::invalid_argument("a nested condition has no filter"));
            };
            let key = nested.key.trim_end_matches("[]");
            let mut any = false;
            for element in elements(payload.get(key)) {
                if let Some(Kind::StructValue(object)) = &element.kind {
                    any |= passes(filter, &object.fields)?;
                }
            }
            Ok(any)
        }
        Some(_) => Err(Status::unimplemented(
            "the fake does not know the condition",
        )),
        None => Err(Status::invalid_argument("an empty condition")),
    }
}

fn field_holds(field: &FieldCondition, payload: &Payload) -> Result<bool, Status> {
    let known = FieldCondition {
        key: field.key.clone(),
        r#match: field.r#match.clone(),
        range: field.range,
        ..FieldCondition::default()
    };
    if *field != known || field.r#match.is_some() == field.range.is_some() {
        return Err(Status::unimplemented("the fake knows a match or a range"));
    }
    let mut any = false;
    for value in elements(payload.get(&field.key)) {
        any |= match (&field.r#match, &field.range) {
            (Some(wanted), _) => matches(wanted, value)?,
            (_, Some(range)) => is_within(range, value),
            (None, None) => false,
        };
    }
    Ok(any)
}

/// The elements of a list, or the value itself.
fn elements(value: Option<&Value>) -> &[Value] {
    match value.map(|value| (value, &value.kind)) {
        Some((_, Some(Kind::ListValue(list)))) => &list.values,
        Some((value, _)) => std::slice::from_ref(value),
        None => &[],
    }
}

fn matches(wanted: &Match, value: &Value) -> Result<bool, Status> {
    let text = match &value.kind {
        Some(Kind::StringValue(text)) => Some(text),
        _ => None,
    };
    Ok(match &wanted.match_value {
        Some(MatchValue::Keyword(word)) => text == Some(word),
        Some(MatchValue::Keywords(words)) => text.is_some_and(|t| words.strings.contains(t)),
        Some(MatchValue::Substring(part)) => text.is_some_and(|t| t.contains(part.as_str())),
        Some(MatchValue::Prefix(start)) => text.is_some_and(|t| t.starts_with(start.as_str())),
        Some(MatchValue::Integer(n)) => value.kind == Some(Kind::IntegerValue(*n)),
        Some(MatchValue::Boolean(b)) => value.kind == Some(Kind::BoolValue(*b)),
        Some(_) => return Err(Status::unimplemented("the fake does not know the match")),
        None => return Err(Status::invalid_argument("an empty match")),
    })
}

fn is_within(range: &Range, value: &Value) -> bool {
    let n = match value.kind {
        Some(Kind::DoubleValue(n)) => n,
        Some(Kind::IntegerValue(n)) => n as f64,
        _ => return false,
    };
    range.gt.is_none_or(|bound| n > bound)
        && range.gte.is_none_or(|bound| n >= bound)
        && range.lt.is_none_or(|bound| n < bound)
        && range.lte.is_none_or(|bound| n <= bound)
}

#[cfg(test)]
mod tests {
    use super::*;
    use qdrant_client::qdrant::{ListValue, Struct};

    fn list(values: Vec<Value>) -> Value {
        Kind::ListValue(ListValue { values }).into_value()
    }

    trait IntoValue {
        fn into_value(self) -> Value;
    }

    impl IntoValue for Kind {
        fn into_value(self) -> Value {
            Value { kind: Some(self) }
        }
    }

    fn object(fields: [(&str, Value); 2]) -> Value {
        let fields = fields.map(|(key, value)| (key.to_owned(), value)).into();
        Kind::StructValue(Struct { fields }).into_value()
    }

    fn payload() -> Payload {
        let diet = vec![
            object([("food", "meat".into()), ("n", 3.into())]),
            object([("food", "leaves".into()), ("n", 1.5.into())]),
        ];
        Payload::from([
            ("city".to_owned(), "Berlin".into()),
            ("tags".to_owned(), list(vec!["red".into(), 7.into()])),
            ("diet".to_owned(), list(diet)),
        ])
    }

    fn is(condition: Condition) -> bool {
        passes(&Filter::must([condition]), &payload()).unwrap()
    }

    fn is_word(key: &str, word: &str) -> Condition {
        Condition::matches(key, MatchValue::Keyword(word.to_owned()))
    }

    fn at_least(n: f64) -> Range {
        Range {
            gte: Some(n),
            ..Range::default()
        }
    }

    #[test]
    fn any_element_of_a_list_will_do() {
        assert!(is(is_word("tags", "red")));
        assert!(is(Condition::matches("tags", 7)));
        assert!(is(Condition::range("tags", at_least(7.0))));
        assert!(!is(Condition::range("tags", at_least(7.5))));
        assert!(!is(Condition::range("city", at_least(0.0))));
        assert!(!is(is_word("none", "red")));
    }

    #[test]
    fn texts_compare_with_case() {
        assert!(is(is_word("city", "Berlin")));
        assert!(!is(is_word("city", "berlin")));
        assert!(is(Condition::matches_substring("city", "erl")));
        assert!(!is(Condition::matches_substring("city", "ERL")));
        let words = vec!["London".to_owned(), "Berlin".to_owned()];
        assert!(is(Condition::matches("city", words)));
    }

    #[test]
    fn nested_conditions_hold_in_one_element() {
        let both = |food: &str, n| {
            let food = is_word("food", food);
            is(Condition::nested(
                "diet",
                Filter::must([food, Condition::range("n", at_least(n))]),
            ))
        };
        assert!(both("meat", 3.0));
        assert!(!both("leaves", 3.0));
    }

    #[test]
    fn clauses_are_all_to_hold() {
        let yes = || is_word("city", "Berlin");
        let no = || is_word("city", "Rome");
        let holds = |filter: Filter| passes(&filter, &payload()).unwrap();
        assert!(holds(Filter::default()));
        assert!(holds(Filter::should([no(), yes()])));
        assert!(!holds(Filter::should([no()])));
        assert!(!holds(Filter::must_not([yes()])));
        assert!(is(Filter::must_not([no()]).into()));
        assert!(
            passes(
                &Filter::must([Condition::matches_text("city", "b")]),
                &payload()
            )
            .is_err()
        );
    }
}
