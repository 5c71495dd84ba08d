//! The filter of a search: a list of conditions, all of which have to hold.
//!
//! The planner and the user write filters, and the retriever applies them. There is no OR and no nesting, on purpose.
//! People and models may write filters in several forms, which are all parsed into this one.

use crate::limits::CONDITIONS_MAX;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// All conditions must hold; empty matches everything.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Filter(pub Vec<Condition>);

/// One condition on one field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// `source`, `bucket`, `doc_id`, `title`, or a metadata field of the corpus.
    pub field: String,
    /// How to compare.
    pub op: Op,
    /// A string, a number, a boolean, or for [`Op::In`] and [`Op::NotIn`] a list of them. Dates are ISO 8601 text.
    pub value: Value,
    /// The origin of the condition. Only an inferred one may be relaxed, and never silently.
    #[serde(default)]
    pub origin: ConditionOrigin,
    /// How sure it is that the question means it, 0 to 1, where a retriever derived it: the least sure condition is
    /// relaxed first. Default none: not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certainty: Option<f32>,
}

/// The origin of a condition.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConditionOrigin {
    /// The publisher of the question: never relaxed.
    #[default]
    User,
    /// The planner, from the question's words.
    Planner,
    /// A retriever, from what the question names and the documents have.
    Derived,
}

impl ConditionOrigin {
    /// Whether the condition is only a guess, so that it may be given up.
    pub const fn is_guess(self) -> bool {
        matches!(self, ConditionOrigin::Planner | ConditionOrigin::Derived)
    }
}

/// A comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Op {
    /// Equal, ignoring case for text.
    Eq,
    /// Not equal; a missing field is not equal to anything.
    Ne,
    /// Greater.
    Gt,
    /// Greater or equal.
    Gte,
    /// Less.
    Lt,
    /// Less or equal.
    Lte,
    /// The text contains the value, ignoring case.
    Contains,
    /// Equal to one of a list.
    In,
    /// Equal to none of a list; a missing field is not equal to anything.
    NotIn,
}

/// Why a filter was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FilterError {
    /// Not an object of fields.
    #[error("filters must be an object of fields, such as {{\"total\": {{\"gte\": 100}}}}")]
    Shape,
    /// An operator that does not exist.
    #[error(
        "`{field}`: unknown operator `{op}`: want eq, ne, gt, gte, lt, lte, contains, in or not_in"
    )]
    Op {
        /// The field it was used on.
        field: String,
        /// What was written.
        op: String,
    },
    /// A value that no operator can compare with.
    #[error(
        "`{field}`: the value must be a string, a number, a boolean or (for `in` and `not_in`) a list of them"
    )]
    Value {
        /// The field it was given for.
        field: String,
    },
    /// Too many conditions.
    #[error("more than {CONDITIONS_MAX} conditions")]
    TooMany,
}

impl Op {
    /// Reads an operator as people write it: words, symbols, SQL's `like`.
    pub fn parse(word: &str) -> Option<Op> {
        Some(match word.trim().to_ascii_lowercase().as_str() {
            "eq" | "=" | "==" => Op::Eq,
            "ne" | "!=" | "<>" => Op::Ne,
            "gt" | ">" => Op::Gt,
            "gte" | ">=" => Op::Gte,
            "lt" | "<" => Op::Lt,
            "lte" | "<=" => Op::Lte,
            "contains" | "like" => Op::Contains,
            "in" => Op::In,
            "not_in" | "not in" | "nin" => Op::NotIn,
            _ => return None,
        })
    }

    /// The operator as it is shown to people.
    pub const fn symbol(self) -> &'static str {
        match self {
            Op::Eq => "=",
            Op::Ne => "!=",
            Op::Gt => ">",
            Op::Gte => ">=",
            Op::Lt => "<",
            Op::Lte => "<=",
            Op::Contains => "contains",
            Op::In => "in",
            Op::NotIn => "not in",
        }
    }
}

impl Filter {
    /// True when everything matches.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Reads the object forms: `{"f": v}`, `{"f": {">": v, …}}`, `{"f": {"op": "…", "value": v}}`,
    /// `{"f": {"operator": "…", "value": v}}`.
    pub fn parse(value: &Value, origin: ConditionOrigin) -> Result<Self, FilterError> {
        let object = value.as_object().ok_or(FilterError::Shape)?;
        let mut conditions = Vec::new();
        for (field, wanted) in object {
            match wanted.as_object() {
                None => {
                    let op = if wanted.is_array() { Op::In } else { Op::Eq };
                    conditions.push(Condition::checked(field, op, wanted, origin)?);
                }
                Some(form) => {
                    let named = form.get("op").or_else(|| form.get("operator"));
                    if let (Some(op), Some(value)) =
                        (named.and_then(Value::as_str), form.get("value"))
                    {
                        conditions.push(Condition::checked(
                            field,
                            read_op(field, op)?,
                            value,
                            origin,
                        )?);
                    } else {
                        for (op, value) in form {
                            conditions.push(Condition::checked(
                                field,
                                read_op(field, op)?,
                                value,
                                origin,
                            )?);
                        }
                    }
                }
            }
        }
        if conditions.len() > CONDITIONS_MAX {
            return Err(FilterError::TooMany);
        }
        Ok(Filter(conditions))
    }

    /// The conditions of both filters.
    pub fn and(mut self, other: Filter) -> Filter {
        for condition in other.0 {
            if !self.0.contains(&condition) {
                self.0.push(condition);
            }
        }
        self
    }

    /// The filter without its guesses, and the conditions that were dropped.
    pub fn relax(&self) -> (Filter, Vec<Condition>) {
        let (dropped, kept) = self.0.iter().cloned().partition(|c| c.origin.is_guess());
        (Filter(kept), dropped)
    }
}

fn read_op(field: &str, op: &str) -> Result<Op, FilterError> {
    Op::parse(op).ok_or_else(|| FilterError::Op {
        field: field.into(),
        op: op.into(),
    })
}

fn is_scalar(value: &Value) -> bool {
    value.is_string() || value.is_number() || value.is_boolean()
}

impl Condition {
    /// A condition with the confidence of its origin.
    pub fn new(
        field: impl Into<String>,
        op: Op,
        value: impl Into<Value>,
        origin: ConditionOrigin,
    ) -> Self {
        Condition {
            field: field.into(),
            op,
            value: value.into(),
            origin,
            certainty: None,
        }
    }

    fn checked(
        field: &str,
        op: Op,
        value: &Value,
        origin: ConditionOrigin,
    ) -> Result<Self, FilterError> {
        let fits = match op {
            Op::In | Op::NotIn => value
                .as_array()
                .is_some_and(|v| !v.is_empty() && v.iter().all(is_scalar)),
            _ => is_scalar(value),
        };
        if !fits {
            return Err(FilterError::Value {
                field: field.into(),
            });
        }
        let mut value = value.clone();
        if op == Op::Contains
            && let Some(text) = value.as_str()
        {
            value = Value::String(text.trim_matches('%').into()); // SQL's LIKE %x%
        }
        Ok(Condition::new(field, op, value, origin))
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.field, self.op.symbol(), self.value)
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, condition) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str(" and ")?;
            }
            condition.fmt(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parsed(value: Value) -> String {
        match Filter::parse(&value, ConditionOrigin::User) {
            Ok(filter) => filter.to_string(),
            Err(error) => format!("refused: {error}"),
        }
    }

    #[test]
    fn reads_every_form_that_people_write() {
        assert_eq!(
            parsed(json!({"total_amount": {">": 1000}})),
            "total_amount > 1000"
        );
        assert_eq!(
            parsed(json!({"device_type": "NPN"})),
            "device_type = \"NPN\""
        );
        assert_eq!(
            parsed(json!({"vendor": {"operator": "LIKE", "value": "%Acme%"}})),
            "vendor contains \"Acme\""
        );
        assert_eq!(
            parsed(json!({"source": {"contains": ".pdf"}})),
            "source contains \".pdf\""
        );
        assert_eq!(parsed(json!({"year": [2022, 2023]})), "year in [2022,2023]");
        assert_eq!(
            parsed(json!({"year": {"not in": [2022, 2023]}})),
            "year not in [2022,2023]"
        );
        assert_eq!(
            parsed(json!({"date": {"gte": "2024-01-01", "lt": "2025-01-01"}})),
            "date >= \"2024-01-01\" and date < \"2025-01-01\""
        );
    }

    #[test]
    fn names_what_is_wrong() {
        assert!(parsed(json!([1])).starts_with("refused: filters must be an object"));
        assert!(parsed(json!({"a": {"near": 1}})).contains("unknown operator `near`"));
        assert!(parsed(json!({"a": null})).contains("`a`: the value"));
        assert!(parsed(json!({"a": {"in": []}})).contains("`a`: the value"));
        assert!(parsed(json!({"a": {"not_in": 3}})).contains("`a`: the value"));
    }

    #[test]
    fn only_the_planners_guesses_are_relaxed() {
        let user = Filter::parse(&json!({"year": 2024}), ConditionOrigin::User).unwrap();
        let planner = Filter::parse(
            &json!({"source": {"contains": ".pdf"}}),
            ConditionOrigin::Planner,
        )
        .unwrap();
        let (kept, dropped) = user.clone().and(planner).relax();
        assert_eq!(kept, user);
        assert_eq!(dropped.len(), 1);
    }
}
