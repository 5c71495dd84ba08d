//! A question and its sub-queries: searched for at the same time, and made one list.
//!
//! Over any [`Searcher`]. One search that fails is named and the others go on (R60); only when all
//! fail there is nothing. *Not* here: who takes a question apart, which is the planner.

use crate::search::{Error, Request, SearchResult, Searcher};
use crate::share::share;
use envelope::limits::SUB_QUERIES_MAX;
use futures_util::future::join_all;

/// What came of the searches for one question.
#[derive(Debug, Clone, PartialEq)]
pub struct Gathered {
    /// One list of all of them. Counts, unknown fields and relevance are those of the whole question.
    pub result: SearchResult,
    /// How many passages each sub-query found; `None` for one whose search failed.
    pub found: Vec<Option<usize>>,
    /// What was searched for in vain because the search failed.
    pub failed: Vec<String>,
}

/// Searches for the question of `request` and for each of `sub_queries` (at most
/// [`SUB_QUERIES_MAX`]), with the same conditions, `fetch_k` candidates and `per_query_k` passages
/// each. The list has at most `top_k`, see [`share`]. Fails when every search does.
pub async fn search_each(
    searcher: &dyn Searcher,
    request: &Request,
    sub_queries: &[String],
    per_query_k: usize,
) -> Result<Gathered, Error> {
    let sub_queries = &sub_queries[..sub_queries.len().min(SUB_QUERIES_MAX)];
    if sub_queries.is_empty() {
        let result = searcher.search(request).await?;
        return Ok(Gathered {
            result,
            found: Vec::new(),
            failed: Vec::new(),
        });
    }
    let whole = Request {
        top_k: request.top_k.max(per_query_k),
        ..request.clone()
    };
    let parts = sub_queries.iter().map(|query| Request {
        query: query.clone(),
        keywords: Vec::new(),
        top_k: per_query_k,
        ..request.clone()
    });
    let requests: Vec<Request> = [whole].into_iter().chain(parts).collect();
    let results = join_all(requests.iter().map(|request| searcher.search(request))).await;
    gathered(&requests, results, request.top_k)
}

fn gathered(
    requests: &[Request],
    results: Vec<Result<SearchResult, Error>>,
    top_k: usize,
) -> Result<Gathered, Error> {
    let mut failed = Vec::new();
    let mut why = None;
    let mut lists = Vec::new();
    let mut found = Vec::new();
    let mut all: Option<SearchResult> = None;
    for (request, result) in requests.iter().zip(results) {
        match result {
            Ok(mut result) => {
                found.push(Some(result.passages.len()));
                lists.push(std::mem::take(&mut result.passages));
                match &mut all {
                    None => all = Some(result),
                    Some(all) => {
                        let new = result.failed.into_iter();
                        let new: Vec<_> = new.filter(|leg| !all.failed.contains(leg)).collect();
                        all.failed.extend(new);
                    }
                }
            }
            Err(error) => {
                tracing::warn!(%error, "a search of several failed");
                failed.push(request.query.clone());
                found.push(None);
                lists.push(Vec::new());
                why.get_or_insert(error);
            }
        }
    }
    let Some(mut result) = all else {
        return Err(why.unwrap_or_else(|| Error::Index("nothing was searched for".into())));
    };
    let whole = lists.remove(0);
    found.remove(0);
    result.passages = share(whole, lists, top_k);
    Ok(Gathered {
        result,
        found,
        failed,
    })
}
