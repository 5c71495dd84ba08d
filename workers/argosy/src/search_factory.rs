//! What a search is made of: which embedder, where its vectors are, and who looks again.
//!
//! Composed here once, for the indexer, the retriever and the commands of one process alike, so that
//! who makes vectors and who compares them are of one mind. *Not* here: what each part may be tuned in,
//! which is with the part.

use crate::config::Config;
use crate::pools::Pools;
use anyhow::{Context, ensure};
use bus::BusError;
use index::{HybridSearcher, Index, Vectors};
use llm::{Embedder, Reranker};
use llm_pool::{HttpEmbedder, HttpReranker, options};
use search::VectorSearch;
use serde::{Deserialize, Serialize};
use static_embed::StaticTable;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use telemetry::Registry;
use tokio::task::JoinError;

/// Where the local encoder lies below the data folder.
const MINILM_FOLDER: &str = "models/minilm-l6-v2";

/// What a search is made of. Another embedder needs another index: `argosy index --force` makes the
/// vectors of what is indexed already.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Who makes vectors: `static`, a table that is shipped and fitted to the corpus; `minilm`, an
    /// encoder in this process; `http`, a server; `none`, so that only words are searched. Default
    /// `static`.
    pub embedder: Choice,
    /// Where vectors are kept: `embedded`, in the index of each retriever; `qdrant`, in a server.
    /// Default `embedded`.
    pub vectors: Place,
    /// How words and vectors come together.
    pub search: index::Options,
    /// The encoder in this process.
    pub minilm: MiniLm,
    /// The embedder behind HTTP.
    pub http: options::embedding::Options,
    /// The reranker behind HTTP. Without nodes, the built-in one looks again.
    pub reranker: options::reranker::Options,
    /// The Qdrant server.
    pub qdrant: qdrant::Options,
}

/// Who makes vectors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Choice {
    /// The shipped table.
    #[default]
    Static,
    /// all-MiniLM-L6-v2 in this process.
    Minilm,
    /// A server.
    Http,
    /// Nobody.
    None,
}

/// Where vectors are kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// In the index of each retriever.
    #[default]
    Embedded,
    /// In a Qdrant server.
    Qdrant,
}

/// The encoder in this process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MiniLm {
    /// Folder of its files. Default: `models/minilm-l6-v2` in the data folder.
    pub dir: Option<PathBuf>,
}

impl Options {
    /// Whether the parts go together and each can be kept to.
    ///
    /// # Errors
    /// Names the option and the fix.
    pub fn validate(&self) -> anyhow::Result<()> {
        self.search.validate().context("in `search`")?;
        self.http.validate().context("in `http`")?;
        self.reranker.validate().context("in `reranker`")?;
        self.qdrant.validate().context("in `qdrant`")?;
        ensure!(
            self.embedder != Choice::Http || !self.http.nodes.is_empty(),
            "`embedder` is `http` and there is no server: set `http.nodes`, `http.model` and `http.dims`"
        );
        ensure!(
            self.embedder != Choice::None || self.search.words,
            "`embedder` is `none` and `search.words` is off: nothing would be found"
        );
        if self.vectors == Place::Qdrant {
            ensure!(
                matches!(self.embedder, Choice::Minilm | Choice::Http),
                "`vectors` is `qdrant` and `embedder` makes no vectors that travel: set `embedder` to \
                 `minilm` or `http`, or `vectors` to `embedded`"
            );
            ensure!(
                !self.qdrant.url.is_empty(),
                "`vectors` is `qdrant` and there is no server: set `qdrant.url`"
            );
        }
        Ok(())
    }
}

/// Why there is no search as it is configured.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The embedder's server cannot be spoken to.
    #[error("in `retrieval.http`: {0}")]
    Embedder(llm_pool::Error),
    /// The reranker's server cannot be spoken to.
    #[error("in `retrieval.reranker`: {0}")]
    Reranker(llm_pool::Error),
    /// The files of the local encoder are missing or others.
    #[error(transparent)]
    Encoder(llm::embed::Error),
    /// This binary has no local encoder.
    #[error("`retrieval.embedder` is `minilm`, and this binary is built without it")]
    NoEncoder,
    /// The task that reads the encoder's files broke off.
    #[error(transparent)]
    Broken(JoinError),
    /// The Qdrant server refuses.
    #[error("in `retrieval.qdrant`: {0}")]
    Qdrant(search::Error),
    /// The bus could not be asked how far the corpus is.
    #[error(transparent)]
    Bus(#[from] BusError),
}

/// The embedder whose vectors travel with the chunks; `None` where none do. Reads the model's files; the
/// nodes of a server are noted in `pools`.
///
/// # Errors
/// Files that are missing or not the model's, a binary without the encoder, a server that cannot be
/// spoken to: usage, with the fix.
pub async fn embedder(
    config: &Config,
    registry: &Registry,
    pools: &Pools,
) -> Result<Option<Arc<dyn Embedder>>, Error> {
    match config.retrieval.embedder {
        Choice::Static | Choice::None => Ok(None),
        Choice::Http => {
            let made = HttpEmbedder::new(config.retrieval.http.clone(), registry);
            let made = made.map_err(Error::Embedder)?;
            pools.add(made.pool());
            Ok(Some(Arc::new(made)))
        }
        Choice::Minilm => {
            let dir = minilm_dir(config);
            let opened = tokio::task::spawn_blocking(move || minilm(&dir)).await;
            opened.map_err(Error::Broken)?.map(Some)
        }
    }
}

/// Where the files of the local encoder are, or would be.
pub fn minilm_dir(config: &Config) -> PathBuf {
    let own = config.retrieval.minilm.dir.clone();
    own.unwrap_or_else(|| config.data_dir.0.join(MINILM_FOLDER))
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

/// The parts of a search, ready to be put over any index.
#[derive(Clone)]
pub struct Kit {
    options: index::Options,
    vectors: Vectors,
    embedder: Option<Arc<dyn Embedder>>,
    elsewhere: Option<Arc<dyn VectorSearch>>,
    reranker: Option<Arc<dyn Reranker>>,
}

impl Kit {
    /// The parts that `config` names, with the embedder that [`embedder`] gave. The nodes of a reranker
    /// are noted in `pools`. Nothing is contacted;
    /// vectors in a server are added by [`Kit::with_vectors`].
    ///
    /// # Errors
    /// A reranker that cannot be spoken to: usage.
    pub fn new(
        config: &Config,
        embedder: Option<Arc<dyn Embedder>>,
        registry: &Registry,
        pools: &Pools,
    ) -> Result<Kit, Error> {
        let Options {
            embedder: choice,
            vectors,
            search,
            reranker,
            ..
        } = &config.retrieval;
        let vectors = match (vectors, &embedder) {
            (Place::Qdrant, _) => Vectors::None,
            (Place::Embedded, Some(embedder)) => Vectors::Carried {
                by: embedder.name().to_owned(),
                dims: embedder.dims(),
            },
            (Place::Embedded, None) if *choice == Choice::None => Vectors::None,
            (Place::Embedded, None) => Vectors::Table(StaticTable::shipped()),
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
        Ok(Kit {
            options: search.clone(),
            vectors,
            embedder,
            elsewhere: None,
            reranker,
        })
    }

    /// The same with vectors in that server.
    pub fn with_vectors(self, elsewhere: Arc<dyn VectorSearch>) -> Kit {
        Kit {
            elsewhere: Some(elsewhere),
            ..self
        }
    }

    /// The same, tuned otherwise.
    pub fn with_options(self, options: index::Options) -> Kit {
        Kit { options, ..self }
    }

    /// What vectors the index of a retriever keeps.
    pub fn vectors(&self) -> &Vectors {
        &self.vectors
    }

    /// Who makes the vectors that travel.
    pub fn embedder(&self) -> Option<Arc<dyn Embedder>> {
        self.embedder.clone()
    }

    /// What searches are tuned with.
    pub fn options(&self) -> &index::Options {
        &self.options
    }

    /// A searcher over an index that was opened with [`Kit::vectors`].
    pub fn searcher(&self, index: Index) -> HybridSearcher {
        let searcher = HybridSearcher::new(index, self.options.clone());
        let searcher = match &self.embedder {
            Some(embedder) => searcher.with_embedder(embedder.clone()),
            None => searcher,
        };
        let searcher = match &self.elsewhere {
            Some(elsewhere) => searcher.with_vectors(elsewhere.clone()),
            None => searcher,
        };
        match &self.reranker {
            Some(reranker) => searcher.with_reranker(reranker.clone()),
            None => searcher,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn options(options: Value) -> Options {
        serde_json::from_value(options).unwrap()
    }

    fn said(these: Value) -> String {
        let checked = options(these).validate();
        checked.map_or_else(|e| format!("{e:#}"), |()| String::new())
    }

    #[test]
    fn what_does_not_go_together_is_named_with_the_fix() {
        let http =
            json!({"model": "e", "dims": 3, "nodes": [{"name": "a", "base_url": "http://a"}]});
        let qdrant = json!({"url": "http://q:6334"});
        assert_eq!(said(json!({})), "");
        assert_eq!(said(json!({"embedder": "minilm"})), "");
        let good = json!({"embedder": "http", "http": http, "vectors": "qdrant", "qdrant": qdrant});
        assert_eq!(said(good), "");
        for (these, wanted) in [
            (json!({"embedder": "http"}), "set `http.nodes`"),
            (
                json!({"vectors": "qdrant", "qdrant": qdrant}),
                "set `embedder` to `minilm` or `http`",
            ),
            (
                json!({"vectors": "qdrant", "embedder": "none"}),
                "set `embedder` to",
            ),
            (
                json!({"vectors": "qdrant", "embedder": "minilm"}),
                "set `qdrant.url`",
            ),
            (
                json!({"embedder": "none", "search": {"words": false}}),
                "nothing would be found",
            ),
            (
                json!({"search": {"vector_weight": 2.0}}),
                "in `search`: `vector_weight` is 2",
            ),
            (json!({"http": {"batch": 0}}), "in `http`: `batch` is 0"),
            (
                json!({"reranker": {"candidates": 0}}),
                "in `reranker`: `candidates` is 0",
            ),
            (json!({"qdrant": {"shards": 0}}), "in `qdrant`"),
        ] {
            let said = said(these.clone());
            assert!(said.contains(wanted), "{these}: {said}");
        }
    }

    fn config(these: Value) -> Config {
        Config {
            retrieval: options(these),
            ..Config::default()
        }
    }

    #[tokio::test]
    async fn each_embedder_has_its_vectors() {
        let kit = async |config: &Config| {
            let registry = Registry::new();
            let embedder = embedder(config, &registry, &Pools::default())
                .await
                .unwrap();
            Kit::new(config, embedder, &registry, &Pools::default()).unwrap()
        };
        let by_table = kit(&config(json!({}))).await;
        assert!(matches!(by_table.vectors(), Vectors::Table(_)));
        assert!(by_table.embedder().is_none());
        let words = kit(&config(json!({"embedder": "none"}))).await;
        assert!(matches!(words.vectors(), Vectors::None));
        let http =
            json!({"model": "e", "dims": 3, "nodes": [{"name": "a", "base_url": "http://a"}]});
        let mut config = config(json!({"embedder": "http", "http": http}));
        let served = kit(&config).await;
        assert!(
            matches!(served.vectors(), Vectors::Carried { by, dims: 3 } if by == "e"),
            "the index keeps what the server makes"
        );
        config.retrieval.vectors = Place::Qdrant;
        assert!(matches!(kit(&config).await.vectors(), Vectors::None));
    }

    #[tokio::test]
    async fn a_missing_encoder_is_told_from_one_that_is_not_built_in() {
        let config = config(json!({
            "embedder": "minilm", "minilm": {"dir": "/nonexistent"},
        }));
        let error = embedder(&config, &Registry::new(), &Pools::default())
            .await
            .err()
            .unwrap();
        match cfg!(feature = "minilm") {
            true => assert!(matches!(error, Error::Encoder(_)), "{error}"),
            false => assert!(matches!(error, Error::NoEncoder), "{error}"),
        }
    }
}
