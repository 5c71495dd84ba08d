//! The conditions that narrow a search, and those that were given up. Every condition that is given up is recorded.

use envelope::{Case, Condition, ConditionOrigin, Doubt, Fallback, Filter, FilterMatch, Op, Plan};

/// The filter of a search, before and after guesses were given up.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Narrowing {
    /// What must hold for every passage.
    pub(crate) filter: Filter,
    /// The guesses that were given up, in that order.
    relaxed: Vec<Condition>,
    /// Those of them that were given up although documents satisfy them, because all of these had been read.
    read: Vec<Condition>,
    /// How many guesses are given up one by one; each costs a search.
    one_by_one: usize,
}

impl Narrowing {
    /// The narrowing by the publisher's filter and the planner's.
    pub(crate) fn of(case: &Case, plan: &Plan, one_by_one: usize) -> Self {
        Narrowing::over(case.filter.clone().and(plan.filter.clone()), one_by_one)
    }

    /// The narrowing by a whole filter.
    pub(crate) fn over(filter: Filter, one_by_one: usize) -> Self {
        Narrowing {
            filter,
            relaxed: Vec::new(),
            read: Vec::new(),
            one_by_one,
        }
    }

    /// The conditions that the question itself states, without those that were given up.
    pub(crate) fn derived(&self) -> Filter {
        let conditions = self.filter.0.iter();
        let derived = conditions.filter(|one| one.origin == ConditionOrigin::Derived);
        Filter(derived.cloned().collect())
    }

    /// Whether a condition is not the user's own, and so may be given up.
    pub(crate) fn has_guesses(&self) -> bool {
        let mut conditions = self.filter.0.iter();
        conditions.any(|one| one.origin.is_guess())
    }

    /// The guesses that were given up, in that order.
    pub(crate) fn given_up(&self) -> &[Condition] {
        &self.relaxed
    }

    /// The narrowing without the least certain guess. It is without any guess once so many were given up one by one,
    /// or `all` are to go; `None` when there is no guess left. A guess without a measured certainty, such as the
    /// planner's, is the least certain one, and of equally certain ones the last. Both ends of a range are one guess.
    pub(crate) fn relaxed(&self, all: bool) -> Option<Self> {
        let mut next = self.clone();
        if all || self.relaxed.len() >= self.one_by_one {
            let (filter, relaxed) = self.filter.relax();
            next.filter = filter;
            next.relaxed.extend(relaxed);
        } else {
            let certainty = |condition: &Condition| condition.certainty.unwrap_or_default();
            let guesses = self
                .filter
                .0
                .iter()
                .rev()
                .filter(|one| one.origin.is_guess());
            let least = guesses.min_by(|one, other| certainty(one).total_cmp(&certainty(other)))?;
            let is_same = |one: &Condition| {
                let is_span = one.origin == ConditionOrigin::Derived && one.field == least.field;
                // Two names in one path are two guesses.
                let are_lists = one.op == Op::In && least.op == Op::In;
                one == least || is_span && !are_lists && one.certainty == least.certainty
            };
            let (dropped, kept) = next.filter.0.into_iter().partition(is_same);
            next.filter = Filter(kept);
            next.relaxed.extend::<Vec<Condition>>(dropped);
        }
        (next.relaxed.len() > self.relaxed.len()).then_some(next)
    }

    /// The narrowing after `before`, which found only passages that had been read: the guesses that were given up
    /// since do hold for some documents.
    pub(crate) fn after_all_was_read(mut self, before: &Narrowing) -> Self {
        let dropped = self.relaxed.iter().skip(before.relaxed.len());
        self.read.extend(dropped.cloned());
        self
    }

    /// How the filter fared in a search that found something and left out the conditions on `unknown` fields.
    pub(crate) fn matched(&self, unknown: &[String]) -> FilterMatch {
        let left_out = self.filter.0.iter().filter(|c| unknown.contains(&c.field));
        let dropped: Vec<_> = self
            .relaxed
            .iter()
            .chain(left_out)
            .map(Condition::to_string)
            .collect();
        if dropped.is_empty() {
            FilterMatch::Matched
        } else {
            FilterMatch::Relaxed { dropped }
        }
    }

    /// A fallback for every condition that did not hold.
    pub(crate) fn fallbacks(&self, unknown: &[String]) -> Vec<Fallback> {
        let relaxed = self.relaxed.iter().map(|c| Fallback::FilterRelaxed {
            condition: c.to_string(),
            read: self.read.contains(c),
        });
        let left_out = unknown.iter().map(|field| Fallback::FilterUnknownField {
            field: field.clone(),
        });
        relaxed.chain(left_out).collect()
    }

    /// The question back when even this narrowing finds nothing. What still narrows the search then are the user's
    /// own conditions and buckets, so the user is asked which of those to give up. A condition on an `unlike` field
    /// can hold for nothing, and the doubt says so.
    pub(crate) fn doubt(&self, case: &Case, unknown: &[String], unlike: &[String]) -> Doubt {
        let buckets: Vec<_> = case.buckets.iter().map(|bucket| bucket.as_str()).collect();
        let buckets = (!buckets.is_empty()).then(|| format!("bucket in {}", buckets.join(", ")));
        let conditions = self.filter.0.iter();
        let conditions = conditions.filter(|c| !unknown.contains(&c.field)).map(|c| {
            match unlike.contains(&c.field) {
                true => format!("{c} (`{}` holds no values to compare with that)", c.field),
                false => c.to_string(),
            }
        });
        Doubt::NoResults {
            query: case.question.best().to_owned(),
            narrowed_by: buckets.into_iter().chain(conditions).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::{Bucket, Role};
    use serde_json::json;

    fn narrowing(user: serde_json::Value, planner: serde_json::Value) -> (Case, Narrowing) {
        let mut case = testkit::model::step(Role::Retriever, "what?").case;
        case.filter = Filter::parse(&user, ConditionOrigin::User).unwrap();
        let plan = Plan {
            filter: Filter::parse(&planner, ConditionOrigin::Planner).unwrap(),
            ..Plan::default()
        };
        let narrowing = Narrowing::of(&case, &plan, 3);
        (case, narrowing)
    }

    fn narrowed_by(doubt: Doubt) -> Vec<String> {
        match doubt {
            Doubt::NoResults { narrowed_by, .. } => narrowed_by,
            _ => panic!("another doubt"),
        }
    }

    #[test]
    fn only_the_planners_conditions_are_dropped_and_each_is_named() {
        let (_, both) = narrowing(
            json!({"year": 2024}),
            json!({"source": {"contains": ".pdf"}}),
        );
        assert_eq!(
            both.filter.to_string(),
            "year = 2024 and source contains \".pdf\""
        );
        assert_eq!(both.matched(&[]), FilterMatch::Matched);
        let relaxed = both.relaxed(false).unwrap();
        assert_eq!(relaxed.filter.to_string(), "year = 2024");
        let dropped = vec!["source contains \".pdf\"".to_owned()];
        assert_eq!(relaxed.matched(&[]), FilterMatch::Relaxed { dropped });
        assert_eq!(
            relaxed.fallbacks(&[]),
            [Fallback::FilterRelaxed {
                condition: "source contains \".pdf\"".into(),
                read: false,
            }]
        );
        assert_eq!(
            relaxed.relaxed(false),
            None,
            "the user's own is never dropped"
        );
    }

    #[test]
    fn the_least_sure_goes_first_and_the_ends_of_a_span_together() {
        let derived = |field: &str, op, certainty| Condition {
            certainty: Some(certainty),
            ..Condition::new(field, op, 1, ConditionOrigin::Derived)
        };
        let filter = Filter(vec![
            Condition::new("year", Op::Eq, 2024, ConditionOrigin::User),
            derived("total", Op::Gte, 0.9),
            derived("vendor", Op::Eq, 0.99),
            derived("total", Op::Lt, 0.9),
            Condition::new("source", Op::Eq, "a", ConditionOrigin::Planner),
        ]);
        let plan = Plan {
            filter,
            ..Plan::default()
        };
        let case = testkit::model::step(Role::Retriever, "what?").case;
        let mut narrowing = Narrowing::of(&case, &plan, 3);
        let mut left = Vec::new();
        while let Some(next) = narrowing.relaxed(false) {
            narrowing = next;
            left.push(narrowing.filter.0.len());
        }
        assert_eq!(left, [4, 2, 1], "the planner's, the span, the name");
        let all = Narrowing::of(&case, &plan, 0).relaxed(false).unwrap();
        assert_eq!(all.filter.to_string(), "year = 2024");
    }

    #[test]
    fn a_field_that_no_document_has_is_visible_even_when_the_user_named_it() {
        let (case, own) = narrowing(json!({"yeer": 2024, "lang": "de"}), json!({}));
        let unknown = ["yeer".to_owned()];
        let dropped = vec!["yeer = 2024".to_owned()];
        assert_eq!(own.matched(&unknown), FilterMatch::Relaxed { dropped });
        assert_eq!(
            own.fallbacks(&unknown),
            [Fallback::FilterUnknownField {
                field: "yeer".into()
            }]
        );
        let narrowed_by = narrowed_by(own.doubt(&case, &unknown, &[]));
        assert_eq!(
            narrowed_by,
            ["lang = \"de\""],
            "what was left out did not narrow anything"
        );
    }

    #[test]
    fn a_comparison_that_can_hold_for_nothing_says_so() {
        let (case, own) = narrowing(json!({"vendor": {"gt": 1000}, "lang": "de"}), json!({}));
        let narrowed_by = narrowed_by(own.doubt(&case, &[], &["vendor".to_owned()]));
        assert_eq!(
            narrowed_by,
            [
                "lang = \"de\"",
                "vendor > 1000 (`vendor` holds no values to compare with that)"
            ]
        );
    }

    #[test]
    fn a_doubt_names_buckets_too() {
        let (mut case, own) = narrowing(json!({}), json!({}));
        case.buckets = vec![
            Bucket::new("invoices").unwrap(),
            Bucket::new("mail").unwrap(),
        ];
        let query = "what?".into();
        let narrowed_by = vec!["bucket in invoices, mail".to_owned()];
        assert_eq!(
            own.doubt(&case, &[], &[]),
            Doubt::NoResults { query, narrowed_by }
        );
    }
}
