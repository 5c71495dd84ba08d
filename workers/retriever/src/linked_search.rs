//! A search in words of its own, as a retriever's step searches: what the words say about documents filters it, or has a
//! share of its list, and what finds nothing is given up from the least sure. *Not* the step itself, which has a plan, a
//! table to try first and a question to ask back.

use crate::derived::DerivedFilter;
use crate::narrowing::Narrowing;
use crate::options::Options;
use crate::shares::Shares;
use crate::worded;
use envelope::lookup::{ConditionShare, SearchConditions};
use envelope::{Condition, Filter};
use linking::Date;
use search::{SearchRequest, SearchResult, Searcher};

/// What a search found, and under which conditions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LinkedResult {
    /// What was found; counts are those of the search under the filter.
    pub result: SearchResult,
    /// What the words say that holds for every passage.
    pub filter: Filter,
    /// What they say and nothing satisfies, in the order in which it was given up.
    pub relaxed: Vec<Condition>,
    /// What they say that has a share of the list, with the number of passages that each brought.
    pub shared: Vec<(Filter, usize)>,
    /// What was named and is no condition, with the reason.
    pub dropped: Vec<String>,
    /// What may be meant in two ways, or cannot all hold.
    pub doubts: Vec<String>,
}

impl LinkedResult {
    /// What a question was understood to say, before it is searched for.
    pub(crate) fn of(derived: &DerivedFilter) -> LinkedResult {
        LinkedResult {
            dropped: derived.dropped.clone(),
            doubts: derived.doubts.clone(),
            ..LinkedResult::default()
        }
    }

    /// The conditions in words, for whoever asked, but for those that were given up; `None` when there is nothing to tell.
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

/// Searches with what the query says about documents, asked on a day; as it is where [`Options::linking`] is off.
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
            let linked = searcher.link(&request.tenant, &request.query, today);
            DerivedFilter::of(&linked.await?)
        }
        false => DerivedFilter::default(),
    };
    search_derived(searcher, request, &derived, options).await
}

/// The same with conditions that are known.
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
        let found = searcher.search(request).await?;
        let shares = Shares::of(options);
        let list = shares.take(searcher, request, found, derived).await?;
        return Ok(LinkedResult {
            result: list.result,
            shared: list.shared,
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
