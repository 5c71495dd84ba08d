//! Makes the parts of a search: its embedder, its store of vectors and its reranker.
//!
//! Only this module makes them: for the indexer, for the retriever, and for commands that work in their own process.
//! So vectors are always made and compared by the same embedder. *Not* here: the settings of each part, which are with
//! the part.

use crate::options::{EmbedderChoice, Options, VectorStore};
use bus::BusError;
use index::{HybridSearcher, Index, Models, VectorSource};
use llm::{Embedder, Reranker};
use llm_pool::{HttpEmbedder, HttpReranker, Pools};
use search::VectorSearch;
use static_embed::StaticTable;
use std::path::Path;
use std::sync::Arc;
use telemetry::Registry;
use tokio::task::JoinError;

/// Why a search cannot be made from its configuration.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The server of the embedder cannot be used.
    #[error("in `retrieval.http`: {0}")]
    Embedder(llm_pool::Error),
    /// The server of the reranker cannot be used.
    #[error("in `retrieval.reranker`: {0}")]
    Reranker(llm_pool::Error),
    /// The files of the local encoder are missing, or are those of another model.
    #[error(transparent)]
    Encoder(llm::embed::Error),
    /// This binary has no local encoder.
    #[error("`retrieval.embedder` is `minilm`, and this binary is built without it")]
    NoEncoder,
    /// The task that reads the encoder's files panicked or was cancelled.
    #[error(transparent)]
    Broken(JoinError),
    /// The Qdrant server refuses the connection or the collection.
    #[error("in `retrieval.qdrant`: {0}")]
    Qdrant(search::Error),
    /// The bus could not be asked for the end of the corpus stream.
    #[error(transparent)]
    Bus(#[from] BusError),
}

/// The embedder whose vectors come with the chunks; `None` when no vectors come with them. Opening a local encoder
/// reads the files of the model, below `data_dir` unless configured otherwise; the nodes of an embedding server are
/// registered in `pools`.
///
/// # Errors
/// Files that are missing or not the model's, a binary without the encoder, a server that cannot be used: usage, with
/// the fix.
pub async fn embedder(
    options: &Options,
    data_dir: &Path,
    registry: &Registry,
    pools: &Pools,
) -> Result<Option<Arc<dyn Embedder>>, Error> {
    match options.embedder {
        EmbedderChoice::Static | EmbedderChoice::None => Ok(None),
        EmbedderChoice::Http => {
            let made = HttpEmbedder::new(options.http.clone(), registry);
            let made = made.map_err(Error::Embedder)?;
            pools.add(made.pool());
            Ok(Some(Arc::new(made)))
        }
        EmbedderChoice::Minilm => {
            let dir = options.minilm_dir(data_dir);
            let opened = tokio::task::spawn_blocking(move || minilm(&dir)).await;
            opened.map_err(Error::Broken)?.map(Some)
        }
    }
}

#[cfg(feature = "minilm")]
fn minilm(dir: &Path) -> Result<Arc<dyn Embedder>, Error> {
    let opened = static_embed::MiniLm::open(dir).map_err(Error::Encoder)?;
    Ok(Arc::new(opened))
}

#[cfg(not(feature = "minilm"))]
fn minilm(_: &Path) -> Result<Arc<dyn Embedder>, Error> {
    Err(Error::NoEncoder)
}

/// The parts of a search, ready to be combined with any index.
#[derive(Clone)]
pub struct SearchFactory {
    options: index::Options,
    vectors: VectorSource,
    models: Models,
}

impl SearchFactory {
    /// The parts that `options` name, with the embedder that [`embedder`] returned. The nodes of a reranker are
    /// registered in `pools`. Nothing is contacted; vectors in a server are added by `SearchFactory::with_vectors`.
    ///
    /// # Errors
    /// A reranker that cannot be used: usage.
    pub fn new(
        options: &Options,
        embedder: Option<Arc<dyn Embedder>>,
        registry: &Registry,
        pools: &Pools,
    ) -> Result<SearchFactory, Error> {
        let Options {
            embedder: choice,
            vectors,
            search,
            reranker,
            ..
        } = options;
        let vectors = match (vectors, &embedder) {
            (VectorStore::Qdrant, _) => VectorSource::None,
            (VectorStore::Embedded, Some(embedder)) => VectorSource::Carried {
                by: embedder.name().to_owned(),
                dims: embedder.dims(),
            },
            (VectorStore::Embedded, None) if *choice == EmbedderChoice::None => VectorSource::None,
            (VectorStore::Embedded, None) => VectorSource::Table(StaticTable::shipped()),
        };
        let reranker = match reranker.nodes.is_empty() {
            true => None,
            false => {
                let made = HttpReranker::new(reranker.clone(), registry);
                let made = made.map_err(Error::Reranker)?;
                pools.add(made.pool());
                Some(Arc::new(made) as Arc<dyn Reranker>)
            }
        };
        Ok(SearchFactory {
            options: search.clone(),
            vectors,
            models: Models {
                embedder,
                elsewhere: None,
                reranker,
            },
        })
    }

    /// The same with vectors in that server.
    pub(crate) fn with_vectors(mut self, elsewhere: Arc<dyn VectorSearch>) -> SearchFactory {
        self.models.elsewhere = Some(elsewhere);
        self
    }

    /// The same parts with other search options.
    pub fn with_options(self, options: index::Options) -> SearchFactory {
        SearchFactory { options, ..self }
    }

    /// The source of the vectors that the index of a retriever keeps.
    pub fn vectors(&self) -> &VectorSource {
        &self.vectors
    }

    /// The embedder whose vectors come with the chunks.
    pub fn embedder(&self) -> Option<Arc<dyn Embedder>> {
        self.models.embedder.clone()
    }

    /// The options of the searches.
    pub fn options(&self) -> &index::Options {
        &self.options
    }

    /// A searcher over an index that was opened with [`SearchFactory::vectors`].
    pub fn searcher(&self, index: Index) -> HybridSearcher {
        HybridSearcher::new(index, self.options.clone()).with_models(self.models.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn options(options: Value) -> Options {
        serde_json::from_value(options).unwrap()
    }

    #[tokio::test]
    async fn each_embedder_has_its_vectors() {
        let factory = async |options: &Options| {
            let (registry, pools) = (Registry::new(), Pools::default());
            let embedder = embedder(options, Path::new("data"), &registry, &pools)
                .await
                .unwrap();
            SearchFactory::new(options, embedder, &registry, &Pools::default()).unwrap()
        };
        let by_table = factory(&options(json!({}))).await;
        assert!(matches!(by_table.vectors(), VectorSource::Table(_)));
        assert!(by_table.embedder().is_none());
        let words = factory(&options(json!({"embedder": "none"}))).await;
        assert!(matches!(words.vectors(), VectorSource::None));
        let http =
            json!({"model": "e", "dims": 3, "nodes": [{"name": "a", "base_url": "http://a"}]});
        let mut options = options(json!({"embedder": "http", "http": http}));
        let served = factory(&options).await;
        assert!(
            matches!(served.vectors(), VectorSource::Carried { by, dims: 3 } if by == "e"),
            "the index keeps what the server makes"
        );
        options.vectors = VectorStore::Qdrant;
        assert!(matches!(
            factory(&options).await.vectors(),
            VectorSource::None
        ));
    }

    #[tokio::test]
    async fn a_missing_encoder_is_told_from_one_that_is_not_built_in() {
        let options = options(json!({
            "embedder": "minilm", "minilm": {"dir": "/nonexistent"},
        }));
        let error = embedder(
            &options,
            Path::new("data"),
            &Registry::new(),
            &Pools::default(),
        )
        .await
        .err()
        .unwrap();
        match cfg!(feature = "minilm") {
            true => assert!(matches!(error, Error::Encoder(_)), "{error}"),
            false => assert!(matches!(error, Error::NoEncoder), "{error}"),
        }
    }
}
