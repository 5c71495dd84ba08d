//! Converts what a question says about documents, as the linker reads it, into conditions of a search.
//!
//! A question that asks for documents is answered only from the documents that satisfy all conditions. A question
//! about the contents of documents gets only a share of its result list from such documents (`shares`). The most
//! certain condition comes first, and conditions that find nothing are given up from the end. *Not* here: how a
//! question is linked (`linking`).

use envelope::{Bucket, Condition, ConditionOrigin, Filter, Op};
use linking::amounts::Bound;
use linking::days::DayRange;
use linking::{Intent, LinkedQuestion, NAMED, QuestionCondition, Tabulation, Test};
use search::filter_terms;
use serde_json::Value;

/// The conditions that a question states about documents.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DerivedFilter {
    /// The conditions that all have to hold, the most certain first.
    pub filter: Filter,
    /// The further conditions of each side of a comparison.
    pub sides: Vec<Filter>,
    /// The documents that a question about their contents names together.
    pub held: Vec<HeldDocument>,
    /// Whether the question asks for documents, so that only documents that satisfy the filter are an answer.
    pub is_strict: bool,
    /// The words that look like a condition but are none, each with the reason.
    pub dropped: Vec<String>,
    /// The parts of the question that are ambiguous, and the conditions that cannot all hold.
    pub doubts: Vec<String>,
}

/// One of several documents that a question names together.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldDocument {
    /// The conditions that hold for it.
    pub filter: Filter,
    /// The words of the question about this document, as a query for it.
    pub said: String,
}

impl DerivedFilter {
    /// The conditions of a linked question.
    pub fn of(linked: &LinkedQuestion) -> DerivedFilter {
        let mut derived = DerivedFilter {
            // What has words that no table has a place for is for what documents say, too.
            is_strict: matches!(linked.intent, Intent::Documents | Intent::Compute)
                && !matches!(
                    linked.tabulation,
                    Tabulation::Unfit { .. } | Tabulation::Unsure { .. }
                ),
            ..DerivedFilter::default()
        };
        for (said, why) in &linked.dropped {
            derived.dropped.push(format!("`{said}` ({why})"));
        }
        for one in &linked.ambiguous {
            let options = one.options.join("`, `");
            derived
                .doubts
                .push(format!("`{}` may be `{options}`", one.said));
        }
        for (one, other) in &linked.contradictory {
            derived
                .doubts
                .push(format!("`{one}` contradicts `{other}`"));
        }
        let mut all = |conditions: &[QuestionCondition]| {
            let mut filter = Filter::default();
            for one in conditions {
                match translated(one) {
                    Ok(new) => filter = filter.and(Filter(new)),
                    Err(why) => derived.dropped.push(format!("`{}` ({why})", one.field)),
                }
            }
            filter
        };
        let mut filter = all(&linked.conditions);
        let sides = linked
            .parts
            .iter()
            .map(|part| all(std::slice::from_ref(part)));
        let sides: Vec<Filter> = sides.filter(|side| !side.is_empty()).collect();
        let held = linked.sides.iter().map(|side| HeldDocument {
            filter: all(&side.conditions),
            said: side.said.clone(),
        });
        let held: Vec<HeldDocument> = held.collect();
        if let Some(bucket) = &linked.bucket {
            let bucket = condition("bucket", Op::Eq, bucket.as_str().into());
            filter.0.push(sure(bucket, BUCKET));
        }
        let certainty = |one: &Condition| one.certainty.unwrap_or_default();
        let conditions = &mut filter.0;
        conditions.sort_by(|one, other| certainty(other).total_cmp(&certainty(one)));
        // What only names say is no column that a schema describes, and of an assumed column nobody said that it is
        // meant; so both are a weight and exclude nothing.
        let is_exact = |one: &Condition| filter_terms::named_field(&one.field).is_none();
        let conditions = filter.0.iter().chain(sides.iter().flat_map(|side| &side.0));
        derived.is_strict &= conditions.clone().all(is_exact);
        let mut said = linked.conditions.iter().chain(&linked.parts);
        derived.is_strict &= linked.ambiguous.is_empty() && !said.any(|one| one.is_assumed);
        derived.filter = filter;
        derived.sides = sides;
        derived.held = held;
        derived
    }

    /// The conditions with the buckets that a planner takes the question to be about, where it names none itself.
    pub(crate) fn with_hints(mut self, hints: &[Bucket]) -> DerivedFilter {
        let names_one = self.filter.0.iter().any(|one| one.field == "bucket");
        if !hints.is_empty() && !names_one {
            let names: Value = hints.iter().map(|bucket| bucket.as_str()).collect();
            let hinted = Condition::new("bucket", Op::In, names, ConditionOrigin::Planner);
            self.filter.0.push(sure(hinted, HINT));
        }
        self
    }

    /// The conditions as one filter, in which any side of a comparison may hold. A filter can express that only if
    /// the sides are values of one column or ranges of one column. Values between the ranges then satisfy the filter,
    /// too.
    pub fn joined(&self) -> Filter {
        if let Some(hull) = hull(&self.sides) {
            return hull.and(self.filter.clone());
        }
        let mut joined: Option<Condition> = None;
        for side in &self.sides {
            let [one] = side.0.as_slice() else {
                return self.filter.clone();
            };
            match &mut joined {
                None => joined = Some(one.clone()),
                Some(all) if all.field == one.field && all.op == Op::In && one.op == Op::In => {
                    if let (Value::Array(all), Value::Array(more)) = (&mut all.value, &one.value) {
                        all.extend(more.iter().cloned());
                    }
                }
                Some(_) => return self.filter.clone(),
            }
        }
        let sides = Filter(joined.into_iter().collect());
        sides.and(self.filter.clone())
    }

    /// How the question was understood, for the trail; empty when it says nothing.
    pub(crate) fn told(&self) -> String {
        let mut told = String::new();
        if !self.filter.is_empty() {
            told = format!("; understood: {}", self.filter);
        }
        for side in &self.sides {
            told = format!("{told}; a side: {side}");
        }
        for one in &self.held {
            told = format!("{told}; held together: {}", one.filter);
        }
        if !self.dropped.is_empty() {
            told = format!("{told}; not understood: {}", self.dropped.join(", "));
        }
        if !self.doubts.is_empty() {
            told = format!("{told}; in doubt: {}", self.doubts.join(", "));
        }
        told
    }
}

/// How certain it is that a question means what became a condition. The values for names and days of documents are
/// measured on MultiHop-RAG (docs/retrieval.md); of the others only the order matters, which follows the generated
/// corpus.
const NAME: f32 = 0.99;
const DAY: f32 = 0.98;
const NUMBER: f32 = 0.985;
const AMOUNT: f32 = 0.95;
const NEGATED: f32 = 0.9;
/// The certainty of a bucket that follows from what is named.
const BUCKET: f32 = 0.8;
/// The certainty of a model's guess.
const HINT: f32 = 0.7;

fn certainty_of(of: &QuestionCondition) -> f32 {
    match (&of.test, of.is_negated) {
        (_, true) => NEGATED,
        // A year in a path.
        (Test::Is(things), _) if things.iter().flatten().all(|form| is_number(form)) => NUMBER,
        (Test::Is(_), _) => NAME,
        (Test::Number(_), _) => NUMBER,
        (Test::Days(_), _) => DAY,
        (Test::Amount(_), _) => AMOUNT,
    }
}

fn is_number(form: &str) -> bool {
    form.bytes().all(|byte| byte.is_ascii_digit())
}

fn sure(condition: Condition, certainty: f32) -> Condition {
    Condition {
        certainty: Some(certainty),
        ..condition
    }
}

/// One condition of the question as conditions of a filter.
fn translated(of: &QuestionCondition) -> Result<Vec<Condition>, &'static str> {
    let conditions = match &of.test {
        Test::Is(things) => {
            let texts = things.iter().flatten().map(String::as_str);
            list(of, texts.map(Value::from).collect())
        }
        Test::Number(numbers) => list(of, numbers.iter().map(|number| (*number).into()).collect()),
        Test::Days(range) => days(&of.field, *range, of.is_negated)?,
        // Documents are called after the years that are meant.
        Test::Amount(_) if !of.names.is_empty() => list(of, Vec::new()),
        Test::Amount(bounds) => amounts(&of.field, bounds, of.is_negated)?,
    };
    let certainty = certainty_of(of);
    let conditions = conditions.into_iter();
    Ok(conditions.map(|one| sure(one, certainty)).collect())
}

/// The condition that a field is one of some values. Where documents show the value in their names, documents without
/// the field are matched by them. A document that lacks the field does not satisfy that it is something else.
fn list(of: &QuestionCondition, mut values: Vec<Value>) -> Vec<Condition> {
    let field = &match (of.names.is_empty(), of.field == NAMED) {
        (true, _) | (_, true) => of.field.clone(),
        (false, false) => format!("{NAMED}:{}", of.field),
    };
    for name in &of.names {
        let name = Value::from(name.as_str());
        if !values.contains(&name) {
            values.push(name);
        }
    }
    match of.is_negated {
        false => vec![condition(field, Op::In, values.into())],
        true if !of.names.is_empty() => vec![condition(field, Op::NotIn, values.into())],
        true => vec![
            condition(field, Op::NotIn, values.into()),
            condition(field, Op::Contains, "".into()),
        ],
    }
}

fn days(field: &str, range: DayRange, not: bool) -> Result<Vec<Condition>, &'static str> {
    let from = range
        .from
        .map(|from| condition(field, Op::Gte, from.to_string().into()));
    let until = range.until;
    let until = until.map(|until| condition(field, Op::Lt, until.to_string().into()));
    within(from.into_iter().chain(until).collect(), not)
}

fn amounts(
    field: &str,
    bounds: &[(Bound, f64)],
    not: bool,
) -> Result<Vec<Condition>, &'static str> {
    let all = bounds.iter().map(|(bound, number)| {
        let op = match bound {
            Bound::Over => Op::Gt,
            Bound::AtLeast => Op::Gte,
            Bound::Under => Op::Lt,
            Bound::AtMost => Op::Lte,
            Bound::Exactly => Op::Eq,
        };
        condition(field, op, (*number).into())
    });
    within(all.collect(), not)
}

/// All conditions of a range, or what is outside of it where that is one condition.
fn within(all: Vec<Condition>, not: bool) -> Result<Vec<Condition>, &'static str> {
    match (not, all.as_slice()) {
        (false, _) => Ok(all),
        (true, [one]) => Ok(vec![opposite(one)]),
        (true, _) => Err("what is outside of a range is no filter"),
    }
}

/// From the first day of any side to the last one, where each side has both ends.
fn hull(sides: &[Filter]) -> Option<Filter> {
    let range = |side: &Filter| match side.0.as_slice() {
        [from, until] if from.op == Op::Gte && until.op == Op::Lt => {
            let [from_day, until_day] =
                [from, until].map(|one| one.value.as_str().map(str::to_owned));
            (from.field == until.field).then_some((from.field.clone(), from_day?, until_day?))
        }
        _ => None,
    };
    let (field, mut from, mut until) = range(sides.first()?)?;
    for side in &sides[1..] {
        let (other, first, last) = range(side)?;
        if other != field {
            return None;
        }
        // Days sort as they are written.
        (from, until) = (from.min(first), until.max(last));
    }
    Some(Filter(vec![
        condition(&field, Op::Gte, from.into()),
        condition(&field, Op::Lt, until.into()),
    ]))
}

fn opposite(of: &Condition) -> Condition {
    let op = match of.op {
        Op::Gt => Op::Lte,
        Op::Gte => Op::Lt,
        Op::Lt => Op::Gte,
        Op::Lte => Op::Gt,
        Op::In => Op::NotIn,
        Op::NotIn => Op::In,
        Op::Ne => Op::Eq,
        Op::Eq | Op::Contains => Op::Ne,
    };
    condition(&of.field, op, of.value.clone())
}

fn condition(field: &str, op: Op, value: Value) -> Condition {
    Condition::new(field, op, value, ConditionOrigin::Derived)
}

#[cfg(test)]
#[path = "derived_tests.rs"]
mod tests;
