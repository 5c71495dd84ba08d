//! The search methods that can be measured, by name. They are a table, so a new method needs only a few lines.

use super::Error;
use super::ground::Ground;
use futures_util::future::BoxFuture;
use index::Options;
use offline_reader::sub_queries;
use retriever::search_linked;
use search::{SearchRequest, SearchResult, Searcher, search_each};
use std::sync::Arc;

/// A way to search.
pub(super) struct Method {
    /// Its name on the command line and in reports.
    pub(super) name: &'static str,
    /// Which legs it has, and whether it looks again.
    words: bool,
    vectors: bool,
    rerank: bool,
    /// Whether the parts of a question are searched for as well.
    parts: bool,
    /// Whether what the question says about documents counts, as it does in a retriever.
    linked: bool,
}

/// All ways, in the order of reports.
const METHODS: &[Method] = &[
    method("bm25", true, false, false),
    method("lexical", true, false, true),
    method("vectors", false, true, false),
    method("fused", true, true, false),
    plain(),
    Method {
        parts: true,
        ..method("sub_queries", true, true, true)
    },
    linked(),
];

const fn method(name: &'static str, words: bool, vectors: bool, rerank: bool) -> Method {
    Method {
        name,
        words,
        vectors,
        rerank,
        parts: false,
        linked: false,
    }
}

/// Passages of each part: the retriever's default.
const PER_QUERY_K: usize = 10;

/// Searches for the parts of a question as well, as the offline reader takes it apart.
struct InParts(Arc<dyn Searcher>);

impl Searcher for InParts {
    fn search<'a>(
        &'a self,
        request: &'a SearchRequest,
    ) -> BoxFuture<'a, Result<SearchResult, search::Error>> {
        Box::pin(async move {
            let parts = sub_queries(&request.query);
            let gathered = search_each(&*self.0, request, &parts, PER_QUERY_K).await?;
            Ok(gathered.result)
        })
    }
}

/// Does what a retriever does with what a question names, by its options. The day is that of the questions' data set, no
/// matter: none of them says `last month`.
struct Linked {
    searcher: Arc<dyn Searcher>,
    options: retriever::Options,
}

impl Searcher for Linked {
    fn search<'a>(
        &'a self,
        request: &'a SearchRequest,
    ) -> BoxFuture<'a, Result<SearchResult, search::Error>> {
        Box::pin(async move {
            let Some(today) = linking::days::day(2024, 1, 1) else {
                return self.searcher.search(request).await;
            };
            let found = search_linked(&*self.searcher, request, today, &self.options);
            Ok(found.await?.result)
        })
    }
}

impl Method {
    /// The searcher over an index, with the options of a retriever.
    pub(super) fn build(
        &self,
        ground: &Ground,
        retriever: &retriever::Options,
    ) -> Arc<dyn Searcher> {
        let options = Options {
            words: self.words,
            vectors: self.vectors,
            rerank: self.rerank,
            ..ground.factory.options().clone()
        };
        let factory = ground.factory.clone().with_options(options);
        let searcher = Arc::new(factory.searcher(ground.index.clone()));
        match (self.parts, self.linked) {
            (true, _) => Arc::new(InParts(searcher)),
            (_, true) => linked_over(searcher, retriever),
            _ => searcher,
        }
    }
}

/// A search that does with what a question names what a retriever does, by its options.
pub(super) fn linked_over(
    searcher: Arc<dyn Searcher>,
    retriever: &retriever::Options,
) -> Arc<dyn Searcher> {
    // Both ways are measured, whatever is configured.
    let options = retriever::Options {
        linking: true,
        ..retriever.clone()
    };
    Arc::new(Linked { searcher, options })
}

/// The one that links nothing.
pub(super) const fn plain() -> Method {
    method("fused_rerank", true, true, true)
}

/// The one that does what a retriever does.
pub(super) const fn linked() -> Method {
    Method {
        linked: true,
        ..method("linked", true, true, true)
    }
}

/// The methods with these names; all of them for none.
pub(super) fn chosen(names: &[String]) -> Result<Vec<&'static Method>, Error> {
    if names.is_empty() {
        return Ok(METHODS.iter().collect());
    }
    let find = |name: &String| {
        METHODS.iter().find(|m| m.name == name).ok_or_else(|| {
            let known: Vec<&str> = METHODS.iter().map(|m| m.name).collect();
            Error::NoMethod {
                name: name.clone(),
                known: known.join(", "),
            }
        })
    };
    names.iter().map(find).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_looked_up() {
        assert_eq!(chosen(&[]).unwrap().len(), METHODS.len());
        assert_eq!(chosen(&["lexical".into()]).unwrap()[0].name, "lexical");
        let error = chosen(&["grep".into()]).err().unwrap();
        assert!(matches!(error, Error::NoMethod { known, .. } if known.contains("bm25")));
    }
}
