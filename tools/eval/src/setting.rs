//! The configured search, in one process, as a measurement uses it.

use crate::error::Error;
use index_host::search_factory::{SearchFactory, embedder};
use index_host::{Options, VectorStore};
use llm_pool::Pools;
use std::path::Path;

/// The settings of the search.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SearchSetting<'a> {
    /// Embedder, vectors and reranker. Vectors are always kept in the index, even if a vector server is configured:
    /// the measurement is about the embedder, and a server would only be further away.
    pub search: &'a Options,
    /// The folder with the files of a local encoder, unless the options name another one.
    pub data_dir: &'a Path,
    /// The options of the retriever.
    pub retriever: &'a retriever::Options,
}

impl SearchSetting<'_> {
    /// The parts of the search.
    ///
    /// # Errors
    /// When the options do not go together, or an embedder or reranker cannot be had.
    pub(crate) async fn factory(&self) -> Result<SearchFactory, Error> {
        let options = Options {
            vectors: VectorStore::Embedded,
            ..self.search.clone()
        };
        options.validate().map_err(Error::Options)?;
        let registry = telemetry::Registry::new();
        let pools = Pools::default();
        let embedder = embedder(&options, self.data_dir, &registry, &pools).await?;
        Ok(SearchFactory::new(&options, embedder, &registry, &pools)?)
    }
}
