//! Searches for a question and its sub-queries at the same time, and merges the results into one list.
//!
//! It works with any [`Searcher`]. A search that fails is named in the result and the others go on; there is an
//! error only when all fail. *Not* here: splitting a question, which the planner does.

use crate::error::Error;
use crate::searcher::{SearchRequest, SearchResult, Searcher};
use crate::share::share;
use envelope::limits::SUB_QUERIES_MAX;
use futures_util::future::join_all;

/// The merged result of the searches for one question.
#[derive(Debug, Clone, PartialEq)]
pub struct MergedSearch {
    /// One list of the passages of all searches. Counts, unknown fields and relevance are those of the search for the
    /// whole question.
    pub result: SearchResult,
    /// How many passages each sub-query found; `None` for one whose search failed.
    pub found: Vec<Option<usize>>,
    /// The queries whose searches failed.
    pub failed: Vec<String>,
}

/// Searches for the question of `request` and for each of `sub_queries` (at most [`SUB_QUERIES_MAX`]), with the same
/// conditions, `fetch_k` candidates and `per_query_k` passages each. The merged list has at most `top_k` passages, see
/// `share`. Fails if every search fails, or if one search finds that the index is behind, because then the other
/// searches lack the same records.
pub async fn search_each(
    searcher: &dyn Searcher,
    request: &SearchRequest,
    sub_queries: &[String],
    per_query_k: usize,
) -> Result<MergedSearch, Error> {
    let sub_queries = &sub_queries[..sub_queries.len().min(SUB_QUERIES_MAX)];
    if sub_queries.is_empty() {
        let result = searcher.search(request).await?;
        return Ok(MergedSearch {
            result,
            found: Vec::new(),
            failed: Vec::new(),
        });
    }
    let whole = SearchRequest {
        top_k: request.top_k.max(per_query_k),
        ..request.clone()
    };
    let parts = sub_queries.iter().map(|query| SearchRequest {
        query: query.clone(),
        keywords: Vec::new(),
        // It is complete in itself.
        context: None,
        top_k: per_query_k,
        ..request.clone()
    });
    let requests: Vec<SearchRequest> = [whole].into_iter().chain(parts).collect();
    let results = join_all(requests.iter().map(|request| searcher.search(request))).await;
    gathered(&requests, results, request.top_k)
}

fn gathered(
    requests: &[SearchRequest],
    results: Vec<Result<SearchResult, Error>>,
    top_k: usize,
) -> Result<MergedSearch, Error> {
    let behind = results.iter().find_map(|result| match result {
        Err(Error::Behind { wanted, at }) => Some(Error::Behind {
            wanted: *wanted,
            at: *at,
        }),
        _ => None,
    });
    if let Some(behind) = behind {
        return Err(behind);
    }
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
                        all.read_before += result.read_before;
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
    let (passages, repeated) = share(whole, lists, top_k);
    result.passages = passages;
    result.repeated += repeated;
    Ok(MergedSearch {
        result,
        found,
        failed,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::searcher::SearchPart;
    use envelope::TenantId;
    use futures_util::future::BoxFuture;
    use testkit::model::passage;

    /// Finds one passage, named after the query; a query with `broken` in it fails, one with `late` finds
    /// the index behind, one with `lame` is without vectors.
    struct Fake;

    impl Searcher for Fake {
        fn search<'a>(
            &'a self,
            request: &'a SearchRequest,
        ) -> BoxFuture<'a, Result<SearchResult, Error>> {
            Box::pin(async move {
                if request.query.contains("broken") {
                    return Err(Error::Index(request.query.clone()));
                }
                if request.query.contains("late") {
                    return Err(Error::Behind { wanted: 7, at: 5 });
                }
                let lame = request.query.contains("lame");
                Ok(SearchResult {
                    passages: vec![passage(&request.query, &request.query); 1],
                    total_hits: request.query.len() as u64,
                    failed: lame.then_some(SearchPart::Vectors).into_iter().collect(),
                    ..SearchResult::default()
                })
            })
        }
    }

    fn request(query: &str) -> SearchRequest {
        SearchRequest {
            keywords: vec!["word".into()],
            ..SearchRequest::new(TenantId::default_tenant(), query, 100, 5)
        }
    }

    async fn each(query: &str, parts: &[&str]) -> Result<MergedSearch, Error> {
        let parts: Vec<String> = parts.iter().map(|p| (*p).into()).collect();
        search_each(&Fake, &request(query), &parts, 10).await
    }

    #[tokio::test]
    async fn all_are_searched_and_made_one() {
        let gathered = each("whole", &["a", "lame", "lamer"]).await.unwrap();
        assert_eq!(gathered.found, [Some(1); 3]);
        assert_eq!(gathered.failed, Vec::<String>::new());
        assert_eq!(gathered.result.passages.len(), 4);
        assert_eq!(gathered.result.total_hits, 5, "of the whole question");
        assert_eq!(gathered.result.failed, [SearchPart::Vectors], "named once");
        let simple = each("whole", &[]).await.unwrap();
        assert_eq!((simple.found.len(), simple.result.passages.len()), (0, 1));
    }

    #[tokio::test]
    async fn one_that_fails_is_named_and_the_others_go_on() {
        let gathered = each("broken whole", &["a", "broken b"]).await.unwrap();
        assert_eq!(gathered.found, [Some(1), None]);
        assert_eq!(gathered.failed, ["broken whole", "broken b"]);
        assert_eq!(gathered.result.passages[0].found_by, [0]);
        let error = each("broken", &["broken a"]).await.unwrap_err();
        assert!(error.to_string().contains("broken"), "the first of them");
    }

    #[tokio::test]
    async fn an_index_that_is_behind_for_one_is_behind_for_all() {
        for (whole, parts) in [("whole", ["a", "late"]), ("broken", ["late", "b"])] {
            let error = each(whole, &parts).await.unwrap_err();
            assert!(
                matches!(error, Error::Behind { wanted: 7, at: 5 }),
                "{error}"
            );
        }
    }

    #[tokio::test]
    async fn no_more_are_searched_than_the_limit() {
        let gathered = each("whole", &["a", "b", "c", "d", "e"]).await.unwrap();
        assert_eq!(gathered.found.len(), SUB_QUERIES_MAX);
    }
}
