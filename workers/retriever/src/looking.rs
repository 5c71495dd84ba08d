//! Searches until something is found, at most as often as the turn may search. [`assessment`](crate::assessment)
//! chooses the next search after one that found nothing, and this module carries it out.

use crate::assessment::{FurtherSearch, further};
use crate::narrowing::Narrowing;
use crate::stage::{BEHIND_ATTEMPT, Retriever};
use crate::unread::UnreadSearcher;
use envelope::{After, Fallback, Plan, QuestionClass};
use search::{MergedSearch, ReadAfter, search_each};
use stage::StepContext;

/// The result, and the search that brought it.
pub(crate) struct Looked {
    /// The plan of the last search.
    pub(crate) plan: Plan,
    pub(crate) narrowing: Narrowing,
    pub(crate) found: MergedSearch,
    /// How the last search differs from the plan, in words that the rest of a sentence follows.
    pub(crate) told: String,
    pub(crate) fallbacks: Vec<Fallback>,
    /// How many searches it took.
    pub(crate) searches: u16,
}

impl Retriever {
    /// Searches and, where nothing is found, searches again with fewer conditions or in another way.
    pub(crate) async fn look(
        &self,
        cx: &StepContext,
        then: After,
        plan: Plan,
        narrowing: Narrowing,
    ) -> Result<Looked, search::Error> {
        let limit = cx.case.budget.searches.max(1);
        let (found, behind) = self.search_current(cx, &plan, then, &narrowing).await?;
        let mut looked = Looked {
            plan,
            narrowing,
            found,
            told: String::new(),
            fallbacks: Vec::from_iter(behind),
            searches: 1,
        };
        while let Some(next) = looked.further(cx, limit) {
            if looked.searches == limit {
                let limit = "searches".into();
                looked.fallbacks.push(Fallback::BudgetSpent { limit });
                break;
            }
            let FurtherSearch {
                plan,
                narrowing,
                told,
            } = next;
            if !told.is_empty() {
                looked.told.push_str(&format!("{told}; "));
            }
            let narrowing = match looked.found.result.read_before {
                0 => narrowing,
                _ => narrowing.after_all_was_read(&looked.narrowing),
            };
            looked.found = self.search(cx, &plan, then, &narrowing, None).await?;
            looked.searches += 1;
            (looked.plan, looked.narrowing) = (plan, narrowing);
        }
        Ok(looked)
    }

    /// Searches an index that has the documents that the question wants to be searched. An index that is behind gives
    /// the step to another replica. In the end it is searched all the same, and the trail says so: an answer that may
    /// lack the newest document is better than none.
    pub(crate) async fn search_current(
        &self,
        cx: &StepContext,
        plan: &Plan,
        then: After,
        narrowing: &Narrowing,
    ) -> Result<(MergedSearch, Option<Fallback>), search::Error> {
        match self.search(cx, plan, then, narrowing, self.after(cx)).await {
            Err(search::Error::Behind { wanted, at }) if cx.attempt >= BEHIND_ATTEMPT => {
                let found = self.search(cx, plan, then, narrowing, None).await?;
                Ok((found, Some(Fallback::SearchedBehind { wanted, at })))
            }
            other => Ok((other?, None)),
        }
    }

    async fn search(
        &self,
        cx: &StepContext,
        plan: &Plan,
        then: After,
        narrowing: &Narrowing,
        after: Option<ReadAfter>,
    ) -> Result<MergedSearch, search::Error> {
        let request = self.request(cx, plan, then, narrowing.filter.clone(), after);
        // A simple question has no parts: its one sub-query is the question in other words.
        let has_parts = plan.class != QuestionClass::Simple;
        let sub_queries = match self.options.sub_queries && has_parts {
            true => &plan.sub_queries[..],
            false => &[],
        };
        let per_query_k = self.options.per_query_k;
        let searcher = UnreadSearcher::over(&self.searcher, &cx.case.read);
        search_each(&*searcher, &request, sub_queries, per_query_k).await
    }
}

impl Looked {
    fn further(&self, cx: &StepContext, limit: u16) -> Option<FurtherSearch> {
        let found = self.found.result.passages.len();
        let left = limit - self.searches;
        further(found, &cx.case, &self.plan, &self.narrowing, left)
    }
}
