//! Decides what follows a search: whether its results are enough, and which search to try next if it found nothing.
//!
//! There is *no* second search if the first one found something: reading on in the same result list finds more than
//! every other rule that was measured (docs/retrieval.md).

use crate::narrowing::Narrowing;
use envelope::{Case, Plan, SearchStrategy};

/// A search after one that found nothing.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FurtherSearch {
    pub(crate) plan: Plan,
    pub(crate) narrowing: Narrowing,
    /// What is different about it, for the trail; empty where an entry tells it already.
    pub(crate) told: &'static str,
}

/// The search that follows one with `plan` under `narrowing` that found so many passages, where so many more searches
/// are `left`; `None` when it found something, or when nothing is left to try. First the conditions are given up, the
/// least certain one at a time, and with the last search all of them. Then the kind of search changes, and then the
/// words of the plan give way to those of the question.
pub(crate) fn further(
    found: usize,
    case: &Case,
    plan: &Plan,
    narrowing: &Narrowing,
    left: u16,
) -> Option<FurtherSearch> {
    if found > 0 {
        return None;
    }
    let search = |plan: Plan, narrowing: Narrowing, told: &'static str| {
        Some(FurtherSearch {
            plan,
            narrowing,
            told,
        })
    };
    if let Some(relaxed) = narrowing.relaxed(left <= 1) {
        return search(plan.clone(), relaxed, "");
    }
    if plan.strategy != SearchStrategy::Hybrid {
        let strategy = SearchStrategy::Hybrid;
        let other = Plan {
            strategy,
            ..plan.clone()
        };
        return search(other, narrowing.clone(), "searched again in both ways");
    }
    let question = case.question.best();
    if plan.query != question {
        let own = Plan {
            query: question.to_owned(),
            keywords: Vec::new(),
            ..plan.clone()
        };
        let told = "searched again in the words of the question";
        return search(own, narrowing.clone(), told);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::{ConditionOrigin, Filter, Role};
    use serde_json::json;

    const QUESTION: &str = "what is the total?";

    fn guessed() -> Plan {
        let guesses = json!({"year": 2024, "source": {"contains": ".pdf"}});
        Plan {
            query: "sum".into(),
            keywords: vec!["sum".into()],
            filter: Filter::parse(&guesses, ConditionOrigin::Planner).unwrap(),
            strategy: SearchStrategy::Keyword,
            ..Plan::default()
        }
    }

    /// Every search that follows where none finds anything: the number of conditions, the kind and the query of each.
    fn all(plan: Plan, limit: u16) -> Vec<(usize, SearchStrategy, String)> {
        let case = testkit::model::step(Role::Retriever, QUESTION).case;
        let mut search = FurtherSearch {
            narrowing: Narrowing::of(&case, &plan, 3),
            plan,
            told: "",
        };
        let mut seen = Vec::new();
        for left in (0..limit).rev() {
            let FurtherSearch {
                plan, narrowing, ..
            } = &search;
            let Some(next) = further(0, &case, plan, narrowing, left + 1) else {
                break;
            };
            search = next;
            let conditions = search.narrowing.filter.0.len();
            seen.push((conditions, search.plan.strategy, search.plan.query.clone()));
        }
        seen
    }

    #[test]
    fn what_was_found_is_enough() {
        let case = testkit::model::step(Role::Retriever, QUESTION).case;
        let narrowing = Narrowing::of(&case, &guessed(), 3);
        let further = further(1, &case, &guessed(), &narrowing, 9);
        assert_eq!(further, None);
    }

    #[test]
    fn guesses_go_first_then_the_kind_of_search_then_the_words() {
        let sum = || "sum".to_owned();
        let wanted = [
            (1, SearchStrategy::Keyword, sum()),
            (0, SearchStrategy::Keyword, sum()),
            (0, SearchStrategy::Hybrid, sum()),
            (0, SearchStrategy::Hybrid, QUESTION.to_owned()),
        ];
        assert_eq!(all(guessed(), 9), wanted);
    }

    #[test]
    fn the_last_search_gives_up_every_guess() {
        assert_eq!(
            all(guessed(), 1),
            [(0, SearchStrategy::Keyword, "sum".to_owned())]
        );
    }

    #[test]
    fn a_search_for_the_question_itself_has_nothing_after_it() {
        let plain = Plan {
            query: QUESTION.into(),
            ..Plan::default()
        };
        assert_eq!(all(plain, 9), []);
    }
}
