//! Gives a share of the result list to the documents that a question names.
//!
//! If a question is about the contents of documents, passages that its conditions exclude may be evidence, too.
//! Therefore passages that satisfy the conditions get only a share of the list, and a search without conditions fills
//! the rest. Each side of a comparison or of a timeline is searched with its own conditions. *Not* for questions that
//! ask for documents, which are filtered.

use crate::derived::DerivedFilter;
use crate::options::Options;
use envelope::{Condition, ConditionOrigin, Filter, Passage};
use futures_util::future::join_all;
use search::{SearchRequest, SearchResult, Searcher};

/// The most searches besides the one without conditions.
const SEARCHES_MAX: usize = 3;

/// How many candidates are ranked again for each place of the list. Under the conditions only the named documents are
/// left, so their best candidates are near the top.
const CANDIDATES_A_PLACE: usize = 4;

/// A list of fewer passages is short, and leaves so many of its places to passages that are not named. With two
/// such places, 76 of the golden questions of the sample corpus (five passages each) are answered; with one place 73,
/// and with none 70.
const SHORT: usize = 8;
const LEFT_OF_SHORT: usize = 2;

/// Conditions that had a share of a result list, with the number of passages that each brought.
pub(crate) type Shared = Vec<(Filter, usize)>;

/// The passages of the searches for what a question names.
#[derive(Debug, Default)]
pub(crate) struct NamedLists {
    /// The conditions of each search.
    filters: Vec<Filter>,
    lists: Vec<Vec<Passage>>,
    /// How many of the searches, 0 or 1, are for all that is named; the others are for one side each.
    named: usize,
}

impl NamedLists {
    /// Whether a side of a comparison or a timeline was searched for by itself. The scores of its passages are by what the
    /// question says of this side, so they are not comparable with others.
    pub(crate) fn has_sides(&self) -> bool {
        self.lists.len() > self.named
    }
}

/// The conditions that had a share, for the trail; empty when none had.
pub(crate) fn told(shared: &Shared) -> String {
    let told = shared
        .iter()
        .map(|(filter, count)| format!("; a share of the list to {filter}: {count} found"));
    told.collect()
}

/// Searches for the documents that a question names. Each side of a comparison or a timeline is searched separately.
///
/// # Errors
/// When the search of all that is named, or of every side, fails.
pub(crate) async fn search(
    searcher: &dyn Searcher,
    request: &SearchRequest,
    derived: &DerivedFilter,
    options: &Options,
) -> Result<NamedLists, search::Error> {
    let joined = derived.joined();
    // A part of the corpus by itself follows from what is named, and says nothing of what was not; unless a planner says it.
    let says = |one: &Condition| one.field != "bucket" || one.origin == ConditionOrigin::Planner;
    let says_more = joined.0.iter().any(says);
    let has_sides = options.side_share > 0.0 && !derived.held.is_empty();
    let has_room = !has_sides || derived.held.len() < SEARCHES_MAX;
    let mut searches: Vec<(&Filter, Option<&String>)> = Vec::new();
    if options.named_share > 0.0 && has_room && says_more {
        searches.push((&joined, None));
    }
    let named = searches.len();
    if has_sides {
        let held = derived.held.iter().take(SEARCHES_MAX);
        searches.extend(held.map(|one| (&one.filter, Some(&one.said))));
    }
    if searches.is_empty() {
        return Ok(NamedLists::default());
    }
    let lists = each(searcher, request, &searches).await?;
    let filters = searches.iter().map(|(filter, _)| (*filter).clone());
    Ok(NamedLists {
        filters: filters.collect(),
        lists,
        named,
    })
}

/// The list of results in which the passages of the named documents have their share, `named_share` of it, after those
/// of the sides of a comparison or timeline together, which have `side_share`. The counts stay those of `found`.
pub(crate) fn merge(
    found: SearchResult,
    by: NamedLists,
    top_k: usize,
    options: &Options,
) -> (SearchResult, Shared) {
    if by.lists.is_empty() {
        return (found, Shared::new());
    }
    let counts = by.lists.iter().map(Vec::len);
    let shared = by.filters.into_iter().zip(counts).collect();
    let (named, sides) = by.lists.split_at(by.named);
    let passages = merged(found.passages, named, top_k, options.named_share);
    let passages = merged(passages, sides, top_k, options.side_share);
    (SearchResult { passages, ..found }, shared)
}

/// The passages of each search; all searches run at the same time. A search that fails has no passages, and it is an
/// error when all of them fail.
async fn each(
    searcher: &dyn Searcher,
    request: &SearchRequest,
    searches: &[(&Filter, Option<&String>)],
) -> Result<Vec<Vec<Passage>>, search::Error> {
    let candidates = request.fetch_k.min(CANDIDATES_A_PLACE * request.top_k);
    let requests = searches.iter().map(|(filter, said)| SearchRequest {
        fetch_k: candidates.max(request.top_k),
        filter: request.filter.clone().and((*filter).clone()),
        query: said.unwrap_or(&request.query).clone(),
        // They are of the whole question.
        keywords: match said {
            Some(_) => Vec::new(),
            None => request.keywords.clone(),
        },
        after: None,
        ..request.clone()
    });
    let requests: Vec<SearchRequest> = requests.collect();
    let results = join_all(requests.iter().map(|request| searcher.search(request))).await;
    let mut lists = Vec::new();
    let mut why = None;
    for result in results {
        match result {
            Ok(result) => lists.push(result.passages),
            Err(error) => {
                why.get_or_insert(error);
                lists.push(Vec::new());
            }
        }
    }
    match why.filter(|_| lists.iter().all(Vec::is_empty)) {
        Some(error) => Err(error),
        None => Ok(lists),
    }
}

/// A list of at most `top_k` passages, of which the given lists fill `part`, from 0 to 1, in turns, as far as they
/// reach; their passages come first. A part below 1 leaves a place for others in a short list, too, because a name
/// that was linked wrongly must not exclude everything else. Of one or two places the first goes to what is named. No
/// passage is there twice.
fn merged(found: Vec<Passage>, lists: &[Vec<Passage>], top_k: usize, part: f32) -> Vec<Passage> {
    let room = ((part * top_k as f32).round() as usize).min(top_k);
    let left = if top_k < SHORT { LEFT_OF_SHORT } else { 1 };
    let room = match part < 1.0 {
        true => room.min(top_k.saturating_sub(left).max(1)),
        false => room,
    };
    let longest = lists.iter().map(Vec::len).max().unwrap_or_default();
    let turns = (0..longest).flat_map(|turn| lists.iter().filter_map(move |list| list.get(turn)));
    let mut all: Vec<Passage> = Vec::new();
    let is_there = |all: &[Passage], new: &Passage| {
        let key = |one: &Passage| (one.bucket.clone(), one.chunk_id.clone());
        all.iter().any(|known| key(known) == key(new))
    };
    for passage in turns {
        if all.len() < room && !is_there(&all, passage) {
            all.push(passage.clone());
        }
    }
    for passage in found {
        if all.len() < top_k && !is_there(&all, &passage) {
            all.push(passage);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::model::passage;

    fn ids(passages: &[Passage]) -> String {
        let ids: Vec<&str> = passages.iter().map(|one| one.doc_id.as_str()).collect();
        ids.join(" ")
    }

    fn list(ids: &str) -> Vec<Passage> {
        ids.split(' ').map(|id| passage(id, "t")).collect()
    }

    #[test]
    fn sides_take_turns_and_leave_the_rest() {
        let found = list("a b c d");
        let sides = [list("x a y"), list("p q")];
        assert_eq!(ids(&merged(found.clone(), &sides, 6, 0.5)), "x p a b c d");
        assert_eq!(ids(&merged(found.clone(), &sides, 5, 1.0)), "x p a q y");
        assert_eq!(
            ids(&merged(found.clone(), &[list("d")], 4, 0.75)),
            "d a b c"
        );
        assert_eq!(
            ids(&merged(found.clone(), &[list("v w x y z")], 5, 0.9)),
            "v w x a b"
        );
        for (top_k, wanted) in [(1, "d"), (2, "d a"), (3, "d a b")] {
            let listed = merged(found.clone(), &[list("d c")], top_k, 0.9);
            assert_eq!(ids(&listed), wanted);
        }
        assert_eq!(ids(&merged(found, &[Vec::new()], 4, 0.5)), "a b c d");
    }
}
