//! What is true: a predicate held against one record after the other, and nothing else.
//!
//! No index, no text, no name that is nearly another. A value that stands nowhere makes a predicate neither true nor
//! false: such a document is left out, unless something else rules it out.

use crate::field::{Datum, Field, Stand};
use crate::record::BusinessRecord;
use std::cmp::Ordering;

/// A comparison, as the wire calls it; `not_in` beside those that it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Comparison {
    Eq,
    Ne,
    Gt,
    Gte,
    Lt,
    Lte,
    In,
    NotIn,
}

impl Comparison {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Comparison::Eq => "eq",
            Comparison::Ne => "ne",
            Comparison::Gt => "gt",
            Comparison::Gte => "gte",
            Comparison::Lt => "lt",
            Comparison::Lte => "lte",
            Comparison::In => "in",
            Comparison::NotIn => "not_in",
        }
    }
}

/// One comparison of one field. All of a predicate's have to hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Check {
    pub(crate) field: Field,
    pub(crate) comparison: Comparison,
    /// One value; of `in` and `not_in` several.
    pub(crate) values: Vec<Datum>,
}

impl Check {
    pub(crate) fn new(field: Field, comparison: Comparison, value: Datum) -> Check {
        let values = vec![value];
        Check {
            field,
            comparison,
            values,
        }
    }

    pub(crate) fn eq(field: Field, value: Datum) -> Check {
        Check::new(field, Comparison::Eq, value)
    }

    /// Whether it holds; none where the document does not say.
    fn holds(&self, record: &BusinessRecord) -> Option<bool> {
        let said = record.said(self.field)?;
        let order = said.order(&self.values[0]);
        let is_one = self.values.contains(&said);
        Some(match self.comparison {
            Comparison::Eq => order == Ordering::Equal,
            Comparison::Ne => order != Ordering::Equal,
            Comparison::Gt => order == Ordering::Greater,
            Comparison::Gte => order != Ordering::Less,
            Comparison::Lt => order == Ordering::Less,
            Comparison::Lte => order != Ordering::Greater,
            Comparison::In => is_one,
            Comparison::NotIn => !is_one,
        })
    }
}

/// What a scan comes to: indexes of records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Matches {
    pub(crate) found: Vec<usize>,
    pub(crate) left_out: Vec<usize>,
}

/// Looks at every record. Fields that are `needed` for what is then done with a document, as to be added up, have to
/// be said too.
pub(crate) fn scan<'a>(
    records: impl Iterator<Item = (usize, &'a BusinessRecord)>,
    checks: &[Check],
    needed: &[Field],
) -> Matches {
    let mut matches = Matches::default();
    'records: for (at, record) in records {
        let mut is_unknown = needed
            .iter()
            .any(|field| record.stand(*field) == Stand::Nowhere);
        for check in checks {
            match check.holds(record) {
                Some(false) => continue 'records,
                Some(true) => {}
                None => is_unknown = true,
            }
        }
        match is_unknown {
            true => matches.left_out.push(at),
            false => matches.found.push(at),
        }
    }
    matches
}
