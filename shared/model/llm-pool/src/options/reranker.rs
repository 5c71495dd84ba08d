//! The settings of a reranker behind HTTP.

use super::{Node, check, check_nodes, check_span};
use serde::{Deserialize, Serialize};
use settings::{InvalidOption, TimeSpan};

/// Most texts of a call, and most characters of one.
const CANDIDATES_MAX: u32 = 1_000;
const TEXT_CHARS_MAX: u32 = 100_000;

/// A reranking model and the nodes that serve it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// The name that nodes know the model by. Default: none, so it must be given with the nodes.
    pub model: String,
    /// The nodes that serve the model, called in turn. Default: none, so the built-in reranker is used; at most 64.
    pub nodes: Vec<Node>,
    /// How they are asked. Default `auto`: `rerank`, and `tei` where that is not known.
    pub dialect: RerankDialect,
    /// Most time to open a connection. Default `500ms`.
    pub connect_timeout: TimeSpan,
    /// Most time for a search's passages, over all nodes; then the built-in reranker is used. Default
    /// `1s`.
    pub timeout: TimeSpan,
    /// How many of the best passages it is given, at least as many as are shown. Default 100, at most
    /// 1,000.
    pub candidates: u32,
    /// Characters of a passage after which it is cut. Default 2,000, at most 100,000.
    pub text_chars: u32,
}

/// How a node is asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RerankDialect {
    /// What the node answers to, remembered.
    #[default]
    Auto,
    /// `POST /v1/rerank` with `documents`: Jina, Cohere, vLLM, llama.cpp and others.
    Rerank,
    /// `POST /rerank` with `texts`: Text Embeddings Inference.
    Tei,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            model: String::new(),
            nodes: Vec::new(),
            dialect: RerankDialect::Auto,
            connect_timeout: TimeSpan::from_millis(500),
            timeout: TimeSpan::from_secs(1),
            candidates: 100,
            text_chars: 2_000,
        }
    }
}

impl Options {
    /// Checks that every option has an allowed value. Options without nodes are allowed: then there is no such
    /// reranker.
    ///
    /// # Errors
    /// The error names the option, its value and what is wanted.
    pub fn validate(&self) -> Result<(), InvalidOption> {
        for (name, span) in [
            ("connect_timeout", self.connect_timeout),
            ("timeout", self.timeout),
        ] {
            check_span(name, span, TimeSpan::from_millis(1))?;
        }
        check("`candidates`", self.candidates, 1..=CANDIDATES_MAX)?;
        check("`text_chars`", self.text_chars, 1..=TEXT_CHARS_MAX)?;
        check_nodes(&self.model, &self.nodes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn said(options: Value) -> String {
        let options: Options = serde_json::from_value(options).unwrap();
        let checked = options.validate();
        checked.map_or_else(|e| e.to_string(), |()| String::new())
    }

    #[test]
    fn what_cannot_be_kept_to_is_named() {
        let nodes = json!([{"name": "a", "base_url": "http://a:8080"}]);
        assert_eq!(said(json!({})), "");
        assert_eq!(
            said(json!({"nodes": nodes, "model": "r", "dialect": "tei"})),
            ""
        );
        assert!(said(json!({"nodes": nodes})).contains("`model` must be given"));
        assert!(said(json!({"candidates": 0})).contains("`candidates` is 0: want 1 to 1000"));
        assert!(said(json!({"text_chars": 0})).contains("`text_chars` is 0"));
        assert!(said(json!({"timeout": "2h"})).contains("`timeout`"));
    }
}
