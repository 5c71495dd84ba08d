//! The settings of an embedder behind HTTP.

use super::{Node, bad, check, check_nodes, check_span};
use serde::{Deserialize, Serialize};
use settings::{InvalidOption, TimeSpan};

/// Most texts of a call, and most numbers of a vector.
const BATCH_MAX: u32 = 2_048;
const DIMS_MAX: u32 = 16_384;

/// An embedding model and the nodes that serve it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// The name that nodes know the model by; also the name of its vectors. Default: none, so it must
    /// be given with the nodes.
    pub model: String,
    /// Numbers in a vector. Default: none, so it must be given with the nodes; at most 16,384.
    pub dims: u32,
    /// The nodes that serve the model, called in turn. Default: none; at most 64.
    pub nodes: Vec<Node>,
    /// Texts of one call. Default 32, at most 2,048.
    pub batch: u32,
    /// Most time to open a connection. Default `2s`.
    pub connect_timeout: TimeSpan,
    /// Most time for a batch of passages, over all nodes. Default `30s`.
    pub timeout: TimeSpan,
    /// Most time for the vector of a query; then the search goes on with words. Default `2s`.
    pub query_timeout: TimeSpan,
    /// Put before every query, as some models want it. Default: nothing.
    pub query_prefix: String,
    /// Put before every passage. Another one is another embedder. Default: nothing.
    pub passage_prefix: String,
    /// Sent as `input_type` with every query, where a server tells queries from passages by that (`query` for NVIDIA's and
    /// Voyage's, `search_query` for Cohere's). Default: not sent.
    pub query_input_type: String,
    /// The same with every passage. Another one is another embedder. Default: not sent.
    pub passage_input_type: String,
    /// What its vectors are worth in a fused score, 0 to 1. Default 0.6.
    pub weight: f32,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            model: String::new(),
            dims: 0,
            nodes: Vec::new(),
            batch: 32,
            connect_timeout: TimeSpan::from_secs(2),
            timeout: TimeSpan::from_secs(30),
            query_timeout: TimeSpan::from_secs(2),
            query_prefix: String::new(),
            passage_prefix: String::new(),
            query_input_type: String::new(),
            passage_input_type: String::new(),
            weight: 0.6,
        }
    }
}

impl Options {
    /// Checks that every option has an allowed value. Options without nodes are allowed: then there is no such
    /// embedder.
    ///
    /// # Errors
    /// The error names the option, its value and what is wanted.
    pub fn validate(&self) -> Result<(), InvalidOption> {
        for (name, span) in [
            ("connect_timeout", self.connect_timeout),
            ("timeout", self.timeout),
            ("query_timeout", self.query_timeout),
        ] {
            check_span(name, span, TimeSpan::from_millis(1))?;
        }
        check("`batch`", self.batch, 1..=BATCH_MAX)?;
        check("`weight`", self.weight, 0.0..=1.0)?;
        check_nodes(&self.model, &self.nodes)?;
        if !self.nodes.is_empty() && !(1..=DIMS_MAX).contains(&self.dims) {
            let given = self.dims;
            return bad(format!(
                "`dims` is {given}: want 1 to {DIMS_MAX}, as many numbers as its vectors have"
            ));
        }
        Ok(())
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
        assert_eq!(said(json!({"nodes": nodes, "model": "e", "dims": 384})), "");
        assert!(said(json!({"nodes": nodes, "dims": 384})).contains("`model` must be given"));
        assert!(said(json!({"nodes": nodes, "model": "e"})).contains("`dims` is 0: want 1 to"));
        assert!(said(json!({"batch": 0})).contains("`batch` is 0: want 1 to 2048"));
        assert!(said(json!({"weight": 1.5})).contains("`weight` is 1.5: want 0 to 1"));
        assert!(said(json!({"query_timeout": "0s"})).contains("`query_timeout`"));
        let twice = json!([nodes[0], nodes[0]]);
        let twice = said(json!({"nodes": twice, "model": "e", "dims": 3}));
        assert!(twice.contains("used twice"), "{twice}");
    }
}
