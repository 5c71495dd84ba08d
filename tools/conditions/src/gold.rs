//! Finds the true answers: it evaluates a predicate on one record after the other, and uses nothing else: no index,
//! no text and no similarity of names.
//!
//! A predicate on a value that the document does not state is neither true nor false. Such a document is left out of
//! the answer, unless another condition excludes it.

use crate::field::{Datum, Field, Stand};
use crate::record::BusinessRecord;
use std::cmp::Ordering;

/// A comparison, named as on the wire, with `not_in` in addition.
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

/// One comparison of one field. All comparisons of a predicate have to hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Check {
    pub(crate) field: Field,
    pub(crate) comparison: Comparison,
    /// One value, or several for `in` and `not_in`.
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

    /// Whether the comparison holds; `None` where the document does not state the field.
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

/// The result of a scan, as indexes of records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Matches {
    pub(crate) found: Vec<usize>,
    pub(crate) left_out: Vec<usize>,
}

/// Checks every record. The record also has to state the `needed` fields, as those that are added up.
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
