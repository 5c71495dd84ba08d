//! Searches for a query outside of a turn, with the same rules as the retriever's step. The conditions that the query
//! states filter the search or have a share of its result list. Conditions that find nothing are given up, the least
//! certain first. *Not* here: the step itself, which also has a plan, tries a table first, and can ask the user back.

use crate::derived::DerivedFilter;
use crate::narrowing::Narrowing;
use crate::options::Options;
use crate::shares::{self, Shared};
use crate::worded;
use envelope::lookup::{ConditionShare, SearchConditions};
use envelope::{Condition, Filter};
use futures_util::future::join;
use linking::Date;
use search::{SearchRequest, SearchResult, Searcher};

/// The result of a search, and the conditions that it was made under.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LinkedResult {
    /// The result; its counts are those of the search under the filter.
    pub result: SearchResult,
    /// The conditions that the query states and every passage satisfies.
    pub filter: Filter,
    /// The conditions that the query states and no document satisfies, in the order in which they were given up.
    pub relaxed: Vec<Condition>,
    /// The conditions that the query states and that have a share of the list, each with the number of passages that
    /// it brought.
    pub shared: Shared,
    /// The words that look like a condition but are none, each with the reason.
    pub dropped: Vec<String>,
    /// The parts of the query that are ambiguous, and the conditions that cannot all hold.
    pub doubts: Vec<String>,
}

impl LinkedResult {
    /// How a question was understood, before it is searched for.
    pub(crate) fn of(derived: &DerivedFilter) -> LinkedResult {
        LinkedResult {
            dropped: derived.dropped.clone(),
            doubts: derived.doubts.clone(),
            ..LinkedResult::default()
        }
    }

    /// The conditions of a table in words: those that all of its documents satisfy, and before them the sides of a
    /// comparison, each by itself.
    pub(crate) fn of_table(derived: &DerivedFilter) -> Option<SearchConditions> {
        let understood = LinkedResult {
            filter: derived.filter.clone(),
            ..LinkedResult::of(derived)
        };
        let mut told = understood.conditions().unwrap_or_default();
        told.filter.splice(0..0, worded::sides(&derived.sides));
        (told != SearchConditions::default()).then_some(told)
    }

    /// The conditions in words, for the caller, without those that were given up; `None` when there is nothing to
    /// tell.
    pub fn conditions(&self) -> Option<SearchConditions> {
        let shared = self.shared.iter().map(|(filter, passages)| ConditionShare {
            conditions: worded::conditions(filter),
            passages: u32::try_from(*passages).unwrap_or(u32::MAX),
        });
        let told = SearchConditions {
            filter: worded::conditions(&self.filter),
            shared: shared.collect(),
            dropped: self.dropped.clone(),
            doubts: self.doubts.clone(),
        };
        (told != SearchConditions::default()).then_some(told)
    }
}

/// Searches with the conditions that the query states about documents, as of the given day; where
/// [`Options::linking`] is off, it searches for the query as it is.
///
/// # Errors
/// When the query cannot be linked, or a search fails and nothing is left.
pub async fn search_linked(
    searcher: &dyn Searcher,
    request: &SearchRequest,
    today: Date,
    options: &Options,
) -> Result<LinkedResult, search::Error> {
    let derived = match options.linking {
        true => {
            let linked = searcher.link(&request.principal, &request.query, today);
            DerivedFilter::of(&linked.await?)
        }
        false => DerivedFilter::default(),
    };
    search_derived(searcher, request, &derived, options).await
}

/// Searches with conditions that are already derived.
///
/// # Errors
/// When a search fails and nothing is left.
pub async fn search_derived(
    searcher: &dyn Searcher,
    request: &SearchRequest,
    derived: &DerivedFilter,
    options: &Options,
) -> Result<LinkedResult, search::Error> {
    let told = LinkedResult::of(derived);
    if !derived.is_strict {
        let named = shares::search(searcher, request, derived, options);
        let (found, named) = join(searcher.search(request), named).await;
        let (result, shared) = shares::merge(found?, named?, request.top_k, options);
        return Ok(LinkedResult {
            result,
            shared,
            ..told
        });
    }
    let filter = request.filter.clone().and(derived.joined());
    let mut narrowing = Narrowing::over(filter, options.relax_max);
    loop {
        let narrowed = SearchRequest {
            filter: narrowing.filter.clone(),
            ..request.clone()
        };
        let result = searcher.search(&narrowed).await?;
        let next = narrowing
            .relaxed(false)
            .filter(|_| result.passages.is_empty());
        let Some(next) = next else {
            let own = &request.filter.0;
            let derived = narrowing.filter.0.iter().filter(|one| !own.contains(one));
            return Ok(LinkedResult {
                filter: Filter(derived.cloned().collect()),
                relaxed: narrowing.given_up().to_vec(),
                result,
                ..told
            });
        };
        narrowing = next;
    }
}

#[cfg(test)]
#[path = "linked_search_tests.rs"]
mod tests;
