//! What a question says about documents, as conditions of a search.
//!
//! A question for documents is answered from those for which all conditions hold; one for what documents say has a
//! share of its list from them. The surest condition comes first: what finds nothing is given up from the end. *Not* how a
//! question is linked (`linking`).

use envelope::{Condition, Filter, Op, Origin, Passage};
use linking::amounts::Bound;
use linking::days::DayRange;
use linking::{Intent, LinkedQuestion, NAMED, QuestionCondition, Tabulation, Test};
use search::{Request, SearchResult, Searcher};
use serde_json::Value;

/// What a question says about documents.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DerivedFilter {
    /// All of it is to hold, the surest first.
    pub filter: Filter,
    /// What holds for one side of a comparison each, beside that.
    pub sides: Vec<Filter>,
    /// It asks for documents, and those for which it does not hold are no answer.
    pub is_strict: bool,
    /// What was named and is no condition, with the reason.
    pub dropped: Vec<String>,
    /// What may be meant in two ways, or cannot all hold.
    pub doubts: Vec<String>,
}

impl DerivedFilter {
    /// What a linked question amounts to.
    pub fn of(linked: &LinkedQuestion) -> DerivedFilter {
        let mut derived = DerivedFilter {
            // What has words that no table has a place for is for what documents say, too.
            is_strict: matches!(linked.intent, Intent::Documents | Intent::Compute)
                && !matches!(linked.tabulation, Tabulation::Unfit { .. }),
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
        let mut conditions: Vec<(u8, Condition)> = Vec::new();
        for condition in &linked.conditions {
            match translated(condition) {
                Ok(new) => conditions.extend(new.map(|new| (doubt_of(condition), new))),
                Err(why) => derived
                    .dropped
                    .push(format!("`{}` ({why})", condition.field)),
            }
        }
        for side in &linked.parts {
            match translated(side) {
                Ok(side) => derived.sides.push(Filter(side.collect())),
                Err(why) => derived.dropped.push(format!("`{}` ({why})", side.field)),
            }
        }
        if let Some(bucket) = &linked.bucket {
            conditions.push((4, condition("bucket", Op::Eq, bucket.as_str().into())));
        }
        conditions.sort_by_key(|(doubt, _)| *doubt);
        derived.filter = Filter(conditions.into_iter().map(|(_, one)| one).collect());
        derived
    }

    /// The conditions as one filter: any side of a comparison may hold, as far as a filter can say so, which is where the
    /// sides are values of one column, or ranges of one: then what lies between them satisfies it, too.
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

    /// Gives the documents for which the conditions hold their part, 0 to 1, of what a request found without them: where a
    /// question is for what documents say, what they shut out may be evidence.
    ///
    /// # Errors
    /// When the search of those documents fails.
    pub async fn share(
        &self,
        searcher: &dyn Searcher,
        request: &Request,
        found: SearchResult,
        part: f32,
    ) -> Result<SearchResult, search::Error> {
        let conditions = self.joined();
        if conditions.is_empty() {
            return Ok(found);
        }
        let request = Request {
            filter: request.filter.clone().and(conditions),
            after: None,
            ..request.clone()
        };
        let holding = searcher.search(&request).await?.passages;
        Ok(SearchResult {
            passages: shared(found.passages, holding, request.top_k, part),
            ..found
        })
    }

    /// What the question was understood to say, for the trail; empty when that is nothing.
    pub(crate) fn told(&self) -> String {
        let mut told = String::new();
        if !self.filter.is_empty() {
            told = format!("; understood: {}", self.filter);
        }
        for side in &self.sides {
            told = format!("{told}; a side: {side}");
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

/// How doubtful it is that a condition was meant, least first: names are said, of days and amounts the column is guessed.
fn doubt_of(condition: &QuestionCondition) -> u8 {
    match (&condition.test, condition.is_negated) {
        (_, true) => 3,
        (Test::Is(_), _) => 0,
        (Test::Number(_), _) => 1,
        (Test::Days(_) | Test::Amount(_), _) => 2,
    }
}

/// One condition as those of a filter.
fn translated(of: &QuestionCondition) -> Result<std::vec::IntoIter<Condition>, &'static str> {
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
    Ok(conditions.into_iter())
}

/// One of some values. Where documents say so by what they are called, that is asked of those that lack the field. What
/// lacks a field does not satisfy that it is something else.
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
    either(from, until, not)
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
    let all: Vec<Condition> = all.collect();
    match (not, all.as_slice()) {
        (false, _) => Ok(all),
        (true, [one]) => Ok(vec![opposite(one)]),
        (true, _) => Err("what is outside of a range is no filter"),
    }
}

/// From the first day that a side has to the last, where each has both.
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

fn either(
    from: Option<Condition>,
    until: Option<Condition>,
    not: bool,
) -> Result<Vec<Condition>, &'static str> {
    match (not, from, until) {
        (false, from, until) => Ok(from.into_iter().chain(until).collect()),
        (true, Some(one), None) | (true, None, Some(one)) => Ok(vec![opposite(&one)]),
        (true, ..) => Err("what is outside of a range is no filter"),
    }
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
    Condition {
        field: field.to_owned(),
        op,
        value,
        origin: Origin::Planner,
    }
}

/// A list of at most `top_k` passages, of which those for which the conditions hold have `part`, from 0 to 1, while there are
/// that many; they come first. None is there twice.
fn shared(found: Vec<Passage>, holding: Vec<Passage>, top_k: usize, part: f32) -> Vec<Passage> {
    let room = (part * top_k as f32).ceil() as usize;
    let mut all: Vec<Passage> = holding.into_iter().take(room.min(top_k)).collect();
    for passage in found {
        let key = |one: &Passage| (one.bucket.clone(), one.chunk_id.clone());
        if all.len() < top_k && !all.iter().any(|known| key(known) == key(&passage)) {
            all.push(passage);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use linking::days::day;

    fn of(field: &str, test: Test) -> QuestionCondition {
        QuestionCondition {
            bucket: "invoices".into(),
            field: field.into(),
            test,
            names: Vec::new(),
            is_negated: false,
            span: 0..1,
        }
    }

    fn filter(conditions: Vec<QuestionCondition>) -> (String, Vec<String>) {
        let derived = DerivedFilter::of(&LinkedQuestion {
            intent: Intent::Documents,
            conditions,
            ..LinkedQuestion::default()
        });
        (derived.filter.to_string(), derived.dropped)
    }

    fn is(values: &[&str]) -> Test {
        Test::Is(vec![
            values.iter().map(|value| (*value).to_owned()).collect(),
        ])
    }

    #[test]
    fn each_test_is_a_condition_and_names_come_before_guesses() {
        let from = day(2024, 1, 1);
        let days = Test::Days(DayRange {
            from,
            until: day(2025, 1, 1),
        });
        let (shown, dropped) = filter(vec![
            of("date", days),
            of("total", Test::Amount(vec![(Bound::Over, 1000.0)])),
            of("year", Test::Number(vec![2024.0])),
            of("vendor", is(&["Acme Ltd", "ACME"])),
        ]);
        assert_eq!(
            shown,
            "vendor in [\"Acme Ltd\",\"ACME\"] and year in [2024.0] and date >= \"2024-01-01\" \
             and date < \"2025-01-01\" and total > 1000.0"
        );
        assert!(dropped.is_empty());
    }

    #[test]
    fn what_is_not_to_hold_is_asked_of_those_that_say_something() {
        let negated = |condition: QuestionCondition| QuestionCondition {
            is_negated: true,
            ..condition
        };
        let since = Test::Days(DayRange {
            from: day(2024, 1, 1),
            until: None,
        });
        let (shown, dropped) = filter(vec![
            negated(of("currency", is(&["GBP"]))),
            negated(of("date", since)),
        ]);
        assert_eq!(
            shown,
            "currency not in [\"GBP\"] and currency contains \"\" and date < \"2024-01-01\""
        );
        assert!(dropped.is_empty());
        let between = Test::Amount(vec![(Bound::AtLeast, 1.0), (Bound::AtMost, 2.0)]);
        let (shown, dropped) = filter(vec![negated(of("total", between))]);
        assert_eq!(shown, "");
        assert_eq!(
            dropped,
            ["`total` (what is outside of a range is no filter)"]
        );
    }

    #[test]
    fn names_are_asked_of_documents_without_the_field() {
        let mut company = of("company", is(&["Acme Ltd"]));
        company.names = vec!["ACME".into(), "Acme Ltd".into()];
        let mut path = of(NAMED, is(&["2018"]));
        path.names = vec!["2018".into()];
        let (shown, _) = filter(vec![company, path]);
        assert_eq!(
            shown,
            "named:company in [\"Acme Ltd\",\"ACME\"] and named in [\"2018\"]"
        );
    }

    #[test]
    fn years_that_documents_are_called_after_are_a_list() {
        let bounds = vec![(Bound::AtLeast, 2018.0), (Bound::AtMost, 2019.0)];
        let mut years = of("year", Test::Amount(bounds));
        years.names = vec!["2018".into(), "2019".into()];
        let (shown, _) = filter(vec![years]);
        assert_eq!(shown, "named:year in [\"2018\",\"2019\"]");
    }

    #[test]
    fn doubts_are_told() {
        let derived = DerivedFilter::of(&LinkedQuestion {
            ambiguous: vec![linking::Ambiguity {
                said: "over 5 V".into(),
                options: vec!["input".into(), "output".into()],
            }],
            contradictory: vec![("over 5".into(), "under 3".into())],
            ..LinkedQuestion::default()
        });
        assert_eq!(
            derived.told(),
            "; in doubt: `over 5 V` may be `input`, `output`, `over 5` contradicts `under 3`"
        );
    }

    #[test]
    fn spans_of_one_column_are_one_from_the_first_to_the_last() {
        let span = |year| {
            let range = DayRange {
                from: day(year, 1, 1),
                until: day(year + 1, 1, 1),
            };
            of("date", Test::Days(range))
        };
        let derived = DerivedFilter::of(&LinkedQuestion {
            parts: vec![span(2023), span(2020)],
            ..LinkedQuestion::default()
        });
        let joined = derived.joined().to_string();
        assert_eq!(joined, "date >= \"2020-01-01\" and date < \"2024-01-01\"");
    }

    #[test]
    fn sides_of_one_column_are_one_condition() {
        let side = |value| of("site", is(&[value]));
        let linked = LinkedQuestion {
            intent: Intent::Compare,
            parts: vec![side("Leeds"), side("Gdansk")],
            ..LinkedQuestion::default()
        };
        let derived = DerivedFilter::of(&linked);
        assert!(!derived.is_strict);
        assert_eq!(
            derived.joined().to_string(),
            "site in [\"Leeds\",\"Gdansk\"]"
        );
        let mut other = linked.clone();
        other
            .parts
            .push(of("total", Test::Amount(vec![(Bound::Over, 1.0)])));
        assert!(
            DerivedFilter::of(&other).joined().is_empty(),
            "no filter says that"
        );
    }
}
