//! The searcher over the local index: it searches by words and by vectors, merges the hits and reranks them.
//!
//! The word search and the vector search run at the same time, on the same commit of the index. If one of them fails,
//! the result has the hits of the other one and names the failure; if both fail, the search fails.

use crate::Error;
use crate::explain::explained;
use crate::index::{Hits, Index, Snapshot};
use crate::merged::{Aim, Merged, Picked, merge};
use crate::metrics::{ALL, Metrics, OTHER, SEVERAL};
use crate::model_rerank::judge;
use crate::options::Options;
use crate::rerank::QueryFeatures;
use crate::times::days;
use envelope::lookup::Explanation;
use envelope::{Bucket, Classify, Condition, ConditionOrigin, Filter, Op, Passage, Principal};
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, TryFutureExt};
use linking::{Date, LinkedQuestion};
use llm::{Embedder, Reranker, Side};
use search::{
    SearchPart, SearchRequest, SearchResult, Searcher, TableRequest, TableResult, VectorSearch,
};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tantivy::DocAddress;
use telemetry::conventions as name;
use telemetry::traces::{self, SpanKind};

/// Values that a query names and that are searched for by themselves: each costs a search.
const NAMED_SEARCHED_MAX: usize = 4;
/// So many times as many hits are asked of a place of vectors that does not know who may read what.
const UNREADABLE_FACTOR: usize = 4;
/// Each of them may add this part of what is fetched.
const NAMED_SHARE: usize = 2;

/// What a searcher may have beside its index. By default it has nothing: it searches by words, and by vectors that the
/// index makes itself.
#[derive(Clone, Default)]
pub struct Models {
    /// The encoder that made the vectors of the chunks, for queries.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// Where the vectors are when they are not in the index.
    pub elsewhere: Option<Arc<dyn VectorSearch>>,
    /// The model that reranks the best candidates; without one, the built-in reranker does.
    pub reranker: Option<Arc<dyn Reranker>>,
}

/// The searcher over an [`Index`]. Cheap to clone.
#[derive(Clone)]
pub struct HybridSearcher {
    index: Index,
    options: Options,
    models: Models,
    metrics: Option<Metrics>,
}

impl HybridSearcher {
    /// Searches `index`; a search finds everything that the writer has committed before it.
    pub fn new(index: Index, options: Options) -> HybridSearcher {
        HybridSearcher {
            index,
            options,
            models: Models::default(),
            metrics: None,
        }
    }

    /// Searches with these models.
    pub fn with_models(self, models: Models) -> HybridSearcher {
        HybridSearcher { models, ..self }
    }

    /// Counts the searches in `metrics`.
    pub fn with_metrics(self, metrics: Metrics) -> HybridSearcher {
        let metrics = Some(metrics);
        HybridSearcher { metrics, ..self }
    }

    /// Measures how long the built-in reranker takes for the best `fetch_k` candidates of a request, without the time
    /// for finding them.
    ///
    /// # Errors
    /// As [`Searcher::search`].
    pub async fn time_second_look(&self, request: &SearchRequest) -> Result<Duration, Error> {
        let (mut merged, _) = self.found(request).await?;
        merged.keep_best(request.fetch_k);
        let top_k = request.top_k;
        blocking(move || {
            let start = Instant::now();
            let picked = merged.into_result(top_k)?;
            Ok((start.elapsed(), picked))
        })
        .await
        .map(|(took, picked)| {
            self.shown(picked);
            took
        })
    }

    fn shown(&self, picked: Picked) -> SearchResult {
        if let Some(metrics) = &self.metrics {
            metrics.looked_up(&picked);
        }
        picked.result
    }

    async fn search_counted(&self, request: &SearchRequest) -> Result<SearchResult, Error> {
        let start = Instant::now();
        let place = self.label(&request.buckets);
        let mut span = traces::start(SpanKind::Internal, || {
            format!("{} {place}", name::RETRIEVAL)
        });
        span.set(name::GEN_AI_OPERATION_NAME, name::RETRIEVAL);
        span.set(name::GEN_AI_DATA_SOURCE_ID, place);
        let result = self.search_once(request).await;
        match &result {
            Ok(found) => span.set(name::HITS, found.passages.len() as u64),
            Err(error) => span.fail(error.code()),
        }
        drop(span);
        let result = result?;
        if let Some(metrics) = &self.metrics {
            metrics.searched(place, start.elapsed(), &result);
        }
        Ok(result)
    }

    async fn search_once(&self, request: &SearchRequest) -> Result<SearchResult, Error> {
        let (merged, failed) = self.judged(request).await?;
        let top_k = request.top_k;
        let picked = blocking(move || merged.into_result(top_k)).await?;
        Ok(SearchResult {
            failed,
            ..self.shown(picked)
        })
    }

    /// What was found, reranked by the model if there is one, and which parts of the search failed.
    async fn judged(&self, request: &SearchRequest) -> Result<(Merged, Vec<SearchPart>), Error> {
        let (mut merged, mut failed) = self.found(request).await?;
        if let Some(reranker) = self
            .models
            .reranker
            .as_ref()
            .filter(|_| self.options.rerank)
        {
            let shown = reranker.texts_max();
            merged = blocking(move || merged.with_records(shown)).await?;
            let candidates = &mut merged.candidates;
            if let Err(error) = judge(&**reranker, &request.query, candidates).await {
                tracing::warn!(%error, "reranked without the model");
                failed.push(SearchPart::Reranker);
            }
        }
        Ok((merged, failed))
    }

    /// The hits by words and by vectors, and which of the two searches failed.
    pub(crate) async fn found(
        &self,
        request: &SearchRequest,
    ) -> Result<(Merged, Vec<SearchPart>), Error> {
        let snapshot = self.index.snapshot();
        let has_vectors =
            self.options.vectors && (snapshot.fitted().is_some() || self.models.embedder.is_some());
        let (mut options, missing) = self.options.of(request.strategy, has_vectors);
        let mut failed = Vec::from_iter(missing);
        let (words, vectors) = tokio::join!(
            self.words(&snapshot, request),
            self.vectors(&snapshot, request, &options)
        );
        let (words, vectors) = match (words, vectors) {
            (Err(error), Err(_)) => return Err(error),
            (Err(error), Ok(vectors)) if vectors.is_some() => {
                tracing::warn!(%error, "the search went on without words");
                failed.push(SearchPart::Words);
                (None, vectors)
            }
            (Err(error), Ok(_)) => return Err(error),
            // Nothing else looks for anything.
            (Ok(_), Err(error)) if !self.options.words => return Err(error),
            (Ok(words), Err(error)) => {
                tracing::warn!(%error, "the search went on without vectors");
                failed.push(SearchPart::Vectors);
                // Words count, also where vectors were to be alone.
                options = self.options.clone();
                (Some(words), None)
            }
            (Ok(words), Ok(vectors)) => (Some(words), vectors),
        };
        let asks = request.clone();
        let merged = blocking(move || merge(snapshot, &asks, &options, words, vectors));
        Ok((merged.await?, failed))
    }

    /// The words are looked for in any case: they say how many chunks match, and which fields the
    /// corpus has.
    async fn words(
        &self,
        snapshot: &Snapshot,
        request: &SearchRequest,
    ) -> Result<(Hits, QueryFeatures), Error> {
        let (snapshot, request) = (snapshot.clone(), request.clone());
        blocking(move || {
            let terms = snapshot.terms(&request)?;
            let mut hits = snapshot.by_words(&request, &terms)?;
            let named = snapshot.named(&request.query)?;
            let each = request.fetch_k / NAMED_SHARE;
            for value in named.iter().take(NAMED_SEARCHED_MAX) {
                let more = snapshot.by_name(&request, &terms, value, each)?;
                hits.best.extend(more);
            }
            let days = days(&request.query);
            let asked = QueryFeatures {
                terms,
                named,
                days,
                vector_share: 0.0,
                meaning: None,
            };
            Ok((hits, asked))
        })
        .await
    }

    async fn vectors(
        &self,
        snapshot: &Snapshot,
        request: &SearchRequest,
        options: &Options,
    ) -> Result<Option<(Vec<(f32, DocAddress)>, Aim)>, Error> {
        if !options.vectors {
            return Ok(None);
        }
        let Some(aim) = self.aim(snapshot, request).await? else {
            return Ok(None);
        };
        if let Some(elsewhere) = &self.models.elsewhere {
            let found = found_elsewhere(&**elsewhere, snapshot, &aim, request).await?;
            return Ok(Some((found, aim)));
        }
        let (snapshot, request) = (snapshot.clone(), request.clone());
        blocking(move || {
            let found = snapshot.by_vector(&request, &aim.vector, request.fetch_k)?;
            Ok(Some((found, aim)))
        })
        .await
    }

    async fn aim(
        &self,
        snapshot: &Snapshot,
        request: &SearchRequest,
    ) -> Result<Option<Aim>, Error> {
        let weight = |embedder: &dyn Embedder| {
            let own = self.options.vector_weight;
            own.unwrap_or_else(|| embedder.weight())
        };
        if let Some(fitted) = snapshot.fitted() {
            let vector = fitted.vector(&request.query);
            return Ok(Aim::new(vector, weight(&**fitted)));
        }
        let Some(embedder) = &self.models.embedder else {
            return Ok(None);
        };
        if let Some(by) = snapshot.carried_by().filter(|by| *by != embedder.name()) {
            let text = format!(
                "the vectors of the index are by `{by}`, queries are embedded by `{}`",
                embedder.name()
            );
            return Err(search::Error::Options(text).into());
        }
        let mut vectors = embedder.embed(&[&request.query], Side::Query).await?;
        let weight = weight(&**embedder);
        Ok(vectors.pop().and_then(|vector| Aim::new(vector, weight)))
    }

    fn label<'a>(&self, buckets: &'a [Bucket]) -> &'a str {
        match buckets {
            [] => ALL,
            [one] if self.index.has_bucket(one) => one.as_str(),
            [_] => OTHER,
            _ => SEVERAL,
        }
    }
}

impl Searcher for HybridSearcher {
    fn search<'a>(
        &'a self,
        request: &'a SearchRequest,
    ) -> BoxFuture<'a, Result<SearchResult, search::Error>> {
        self.search_counted(request).err_into().boxed()
    }

    fn explain<'a>(
        &'a self,
        request: &'a SearchRequest,
    ) -> BoxFuture<'a, Result<Explanation, search::Error>> {
        let explanation = async {
            let (merged, _) = self.judged(request).await?;
            let top_k = request.top_k;
            blocking(move || explained(merged, top_k)).await
        };
        explanation.err_into().boxed()
    }

    fn places<'a>(
        &'a self,
        principal: &'a Principal,
        text: &'a str,
        fields: &'a [String],
    ) -> BoxFuture<'a, Result<Filter, search::Error>> {
        if fields.is_empty() {
            return std::future::ready(Ok(Filter::default())).boxed();
        }
        let (snapshot, principal) = (self.index.snapshot(), principal.clone());
        let (text, fields) = (text.to_owned(), fields.to_vec());
        let places = move || -> Result<Filter, Error> {
            let mut filter = Filter::default();
            for field in fields {
                let values = snapshot.places(&principal, &text, &field)?;
                if !values.is_empty() {
                    filter.0.push(Condition::new(
                        field,
                        Op::In,
                        values,
                        ConditionOrigin::Planner,
                    ));
                }
            }
            Ok(filter)
        };
        blocking(places).err_into().boxed()
    }

    fn link<'a>(
        &'a self,
        principal: &'a Principal,
        question: &'a str,
        today: Date,
    ) -> BoxFuture<'a, Result<LinkedQuestion, search::Error>> {
        let (index, principal) = (self.index.clone(), principal.clone());
        let question = question.to_owned();
        let linked = move || index.link(&principal, &question, today);
        blocking(linked).err_into().boxed()
    }

    fn table<'a>(
        &'a self,
        request: &'a TableRequest,
    ) -> BoxFuture<'a, Result<TableResult, search::Error>> {
        let (index, request) = (self.index.clone(), request.clone());
        let table = move || index.table(&request);
        blocking(table).err_into().boxed()
    }

    fn fetch<'a>(
        &'a self,
        request: &'a SearchRequest,
        ids: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<Passage>, search::Error>> {
        let (snapshot, request, ids) = (self.index.snapshot(), request.clone(), ids.to_vec());
        let fetched = move || snapshot.fetch(&request, &ids);
        blocking(fetched).err_into().boxed()
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(Error::index)?
}

/// What the place of the vectors finds, as far as it holds in this index: it alone says which fields
/// there are and what a chunk is now.
async fn found_elsewhere(
    elsewhere: &dyn VectorSearch,
    snapshot: &Snapshot,
    aim: &Aim,
    request: &SearchRequest,
) -> Result<Vec<(f32, DocAddress)>, Error> {
    let (here, asks) = (snapshot.clone(), request.clone());
    let (restrictions, reads_all) = blocking(move || {
        let reads_all = here.reads_all(&asks.principal)?;
        Ok((here.restrictions(&asks)?, reads_all))
    })
    .await?;
    let request = request.without_fields(&restrictions.unknown_fields);
    let most = request.fetch_k;
    let asked = match reads_all {
        true => most,
        false => most * UNREADABLE_FACTOR,
    };
    let near = elsewhere.nearest(&aim.vector, &request, asked).await?;
    let here = snapshot.clone();
    blocking(move || here.find(&near, restrictions, most)).await
}

#[cfg(test)]
#[path = "kept_tests.rs"]
mod kept_tests;
#[cfg(test)]
#[path = "strategy_tests.rs"]
mod strategy_tests;
#[cfg(test)]
#[path = "hybrid_tests.rs"]
mod tests;
