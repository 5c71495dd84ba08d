//! What narrowed a search, and what of it was given up. Nothing is given up in silence.

use envelope::{Case, Condition, Doubt, Fallback, Filter, Matched, Origin, Plan};

/// How many guesses are dropped one by one: each costs a search.
const ONE_BY_ONE: usize = 3;

/// The filter of a search, before and after the planner's guesses were dropped.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Narrowing {
    /// What must hold for every passage.
    pub(crate) filter: Filter,
    /// The planner's guesses that were dropped.
    relaxed: Vec<Condition>,
}

impl Narrowing {
    /// The publisher's filter and the planner's.
    pub(crate) fn of(case: &Case, plan: &Plan) -> Self {
        Narrowing {
            filter: case.filter.clone().and(plan.filter.clone()),
            relaxed: Vec::new(),
        }
    }

    /// The same without the least sure of the planner's guesses, which is the last, and without any of them after
    /// [`ONE_BY_ONE`]; `None` when there is none to drop.
    pub(crate) fn relaxed(&self) -> Option<Self> {
        let mut next = self.clone();
        if self.relaxed.len() >= ONE_BY_ONE {
            let (filter, relaxed) = self.filter.relax();
            next.filter = filter;
            next.relaxed.extend(relaxed);
        } else {
            let guess = |condition: &Condition| condition.origin == Origin::Planner;
            let last = self.filter.0.iter().rposition(guess)?;
            next.relaxed.push(next.filter.0.remove(last));
        }
        (next.relaxed.len() > self.relaxed.len()).then_some(next)
    }

    /// How the filter fared in a search that found something and left out the conditions on
    /// `unknown` fields.
    pub(crate) fn matched(&self, unknown: &[String]) -> Matched {
        let left_out = self.filter.0.iter().filter(|c| unknown.contains(&c.field));
        let dropped: Vec<_> = self
            .relaxed
            .iter()
            .chain(left_out)
            .map(Condition::to_string)
            .collect();
        if dropped.is_empty() {
            Matched::Matched
        } else {
            Matched::Relaxed { dropped }
        }
    }

    /// An entry for every condition that did not hold.
    pub(crate) fn fallbacks(&self, unknown: &[String]) -> Vec<Fallback> {
        let relaxed = self.relaxed.iter().map(|c| Fallback::FilterRelaxed {
            condition: c.to_string(),
        });
        let left_out = unknown.iter().map(|field| Fallback::FilterUnknownField {
            field: field.clone(),
        });
        relaxed.chain(left_out).collect()
    }

    /// Why the user has to be asked when even this found nothing: what still narrows the search
    /// are the user's own conditions and buckets, so those are what can be given up. A condition on an
    /// `unlike` field can hold for nothing, and says so.
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
        case.filter = Filter::parse(&user, Origin::User).unwrap();
        let plan = Plan {
            filter: Filter::parse(&planner, Origin::Planner).unwrap(),
            ..Plan::default()
        };
        let narrowing = Narrowing::of(&case, &plan);
        (case, narrowing)
    }

    fn narrowed_by(doubt: Doubt) -> Vec<String> {
        match doubt {
            Doubt::NoResults { narrowed_by, .. } => narrowed_by,
            Doubt::Unclear { .. }
            | Doubt::Ungrounded { .. }
            | Doubt::TooMany { .. }
            | Doubt::Ambiguous { .. } => panic!("another doubt"),
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
        assert_eq!(both.matched(&[]), Matched::Matched);
        let relaxed = both.relaxed().unwrap();
        assert_eq!(relaxed.filter.to_string(), "year = 2024");
        let dropped = vec!["source contains \".pdf\"".to_owned()];
        assert_eq!(relaxed.matched(&[]), Matched::Relaxed { dropped });
        assert_eq!(
            relaxed.fallbacks(&[]),
            [Fallback::FilterRelaxed {
                condition: "source contains \".pdf\"".into()
            }]
        );
        assert_eq!(relaxed.relaxed(), None, "the user's own is never dropped");
    }

    #[test]
    fn a_field_that_no_document_has_is_visible_even_when_the_user_named_it() {
        let (case, own) = narrowing(json!({"yeer": 2024, "lang": "de"}), json!({}));
        let unknown = ["yeer".to_owned()];
        let dropped = vec!["yeer = 2024".to_owned()];
        assert_eq!(own.matched(&unknown), Matched::Relaxed { dropped });
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
