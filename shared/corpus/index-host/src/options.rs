//! The settings of a search: which embedder it uses, where the vectors are, and which reranker it uses.
//!
//! *Not* here: the settings of each part, which are with the part.

use llm_pool::options;
use serde::{Deserialize, Serialize};
use settings::InvalidOption;
use std::path::{Path, PathBuf};

/// Where the local encoder lies below the data folder.
const MINILM_FOLDER: &str = "models/minilm-l6-v2";

/// The parts of a search. Another embedder needs another index: `argosy index --force` makes the vectors of what is
/// indexed already.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// The embedder: `static`, a table that is shipped and fitted to the corpus; `minilm`, an encoder in this
    /// process; `http`, a server; `none`, so that only words are searched. Default `static`.
    pub embedder: EmbedderChoice,
    /// Where vectors are kept: `embedded`, in the index of each retriever; `qdrant`, in a server.
    /// Default `embedded`.
    pub vectors: VectorStore,
    /// How words and vectors are combined.
    pub search: index::Options,
    /// The encoder in this process.
    pub minilm: MiniLmOptions,
    /// The embedder behind HTTP.
    pub http: options::embedding::Options,
    /// The reranker behind HTTP. Without nodes, the built-in one is used.
    pub reranker: options::reranker::Options,
    /// A file of rules of who may read which documents, for a fleet in one process over a folder: a JSON list such as
    /// `[{"path": "pay/", "groups": ["hr"]}]`. A fleet on NATS has the rules of `argosy access`. Default none.
    pub access: Option<PathBuf>,
    /// The Qdrant server.
    pub qdrant: qdrant::Options,
}

/// The embedder.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EmbedderChoice {
    /// The shipped table.
    #[default]
    Static,
    /// all-MiniLM-L6-v2 in this process.
    Minilm,
    /// A server.
    Http,
    /// None.
    None,
}

/// Where vectors are kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VectorStore {
    /// In the index of each retriever.
    #[default]
    Embedded,
    /// In a Qdrant server.
    Qdrant,
}

/// The encoder in this process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MiniLmOptions {
    /// Folder of its files. Default: `models/minilm-l6-v2` in the data folder.
    pub dir: Option<PathBuf>,
}

impl Options {
    /// Checks that the parts go together and that each is valid.
    ///
    /// # Errors
    /// The error names the option and the fix.
    pub fn validate(&self) -> Result<(), InvalidOption> {
        for (section, checked) in [
            ("search", self.search.validate()),
            ("http", self.http.validate()),
            ("reranker", self.reranker.validate()),
            ("qdrant", self.qdrant.validate()),
        ] {
            checked.map_err(|wrong| wrong.in_section(section))?;
        }
        let makes_vectors = matches!(self.embedder, EmbedderChoice::Minilm | EmbedderChoice::Http);
        let is_elsewhere = self.vectors == VectorStore::Qdrant;
        let what = if self.embedder == EmbedderChoice::Http && self.http.nodes.is_empty() {
            "`embedder` is `http` and there is no server: set `http.nodes`, `http.model` and `http.dims`"
        } else if self.embedder == EmbedderChoice::None && !self.search.words {
            "`embedder` is `none` and `search.words` is off: nothing would be found"
        } else if is_elsewhere && !makes_vectors {
            "`vectors` is `qdrant` and `embedder` makes no vectors that travel: set `embedder` to `minilm` or `http`, or \
             `vectors` to `embedded`"
        } else if is_elsewhere && self.qdrant.url.is_empty() {
            "`vectors` is `qdrant` and there is no server: set `qdrant.url`"
        } else {
            return Ok(());
        };
        Err(InvalidOption::new(what))
    }

    /// Where the files of the local encoder are, or would be, with this data folder.
    pub fn minilm_dir(&self, data_dir: &Path) -> PathBuf {
        let own = self.minilm.dir.clone();
        own.unwrap_or_else(|| data_dir.join(MINILM_FOLDER))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn said(these: Value) -> String {
        let options: Options = serde_json::from_value(these).unwrap();
        let checked = options.validate();
        checked.map_or_else(|e| e.to_string(), |()| String::new())
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
}
