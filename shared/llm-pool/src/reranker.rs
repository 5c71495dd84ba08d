//! A reranker behind HTTP, in either of the two shapes that servers speak.
//!
//! ```text
//! rerank  POST /v1/rerank  {model, query, documents}  ->  {results: [{index, relevance_score}]}
//! tei     POST /rerank     {query, texts}             ->  [{index, score}]
//! ```
//! A node that is not pinned to one is asked in the first; where that address is not known, it is asked
//! in the second from then on. *Not* here: what becomes of the scores, and what is done without them.

use crate::error::Error as PoolError;
use crate::failure::Failure;
use crate::in_turn::{Turn, ask, is_elsewhere};
use crate::limits::BODY_BYTES_MAX;
use crate::node::{Node, Timeouts};
use crate::options::reranker::{Dialect, Options};
use crate::{http, options};
use llm::{BoxFuture, Error, Reranker};
use reqwest::Url;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::time::Instant;

/// A [`Reranker`] over the nodes that serve one model.
#[derive(Debug)]
pub struct HttpReranker {
    options: Options,
    nodes: Vec<Server>,
    turn: Turn,
}

/// A node under both of its addresses.
#[derive(Debug)]
struct Server {
    rerank: Node,
    tei: Node,
    /// It does not know the first address.
    is_tei: AtomicBool,
}

#[derive(Deserialize)]
struct Scored {
    index: usize,
    #[serde(alias = "relevance_score")]
    score: f32,
}

impl HttpReranker {
    /// A reranker over the nodes of `options`. Nothing is contacted.
    ///
    /// # Errors
    /// When an option cannot be kept to, there are no nodes, or no HTTP client can be set up.
    pub fn new(options: Options) -> Result<Self, PoolError> {
        options.validate()?;
        if options.nodes.is_empty() {
            return Err(PoolError::NoNodes {
                model: options.model,
            });
        }
        let nodes = options.nodes.iter().map(|node| Server::new(node, &options));
        Ok(HttpReranker {
            nodes: nodes.collect::<Result<_, _>>()?,
            turn: Turn::default(),
            options,
        })
    }

    async fn ask(&self, query: &str, texts: &[&str]) -> Result<Vec<f32>, Error> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let until = Instant::now() + self.options.timeout.duration();
        let texts: Vec<&str> = texts
            .iter()
            .map(|text| cut(text, self.options.text_chars as usize))
            .collect();
        let rests = |node: usize| self.nodes[node].rests();
        let mut last = Failure::Full;
        for node in self.turn.order(self.nodes.len(), rests) {
            match self.ask_one(&self.nodes[node], query, &texts, until).await {
                Err(failure) if is_elsewhere(&failure) => last = failure,
                other => return other.map_err(Failure::into_error),
            }
        }
        let time_up = Instant::now() >= until;
        Err(match time_up {
            true => Error::TimedOut(self.options.timeout.duration()),
            false => last.into_error(),
        })
    }

    async fn ask_one(
        &self,
        server: &Server,
        query: &str,
        texts: &[&str],
        until: Instant,
    ) -> Result<Vec<f32>, Failure> {
        let read = |answer: &[u8]| read(answer, texts.len());
        let is_open = self.options.dialect == Dialect::Auto;
        if !server.is_tei.load(Ordering::Relaxed) {
            let body = json!({
                "model": self.options.model, "query": query, "documents": texts,
                "top_n": texts.len(), "return_documents": false,
            });
            let body = body.to_string().into_bytes();
            match ask(&server.rerank, &body, until, read).await {
                Err(Failure::Refused {
                    status: 404 | 405, ..
                }) if is_open => {}
                other => return other,
            }
        }
        let body = json!({"query": query, "texts": texts, "truncate": true});
        let scores = ask(&server.tei, &body.to_string().into_bytes(), until, read).await?;
        server.is_tei.store(true, Ordering::Relaxed);
        Ok(scores)
    }
}

impl Server {
    fn new(node: &options::Node, options: &Options) -> Result<Server, PoolError> {
        let bad = |what: &str| PoolError::Options(format!("node `{}`: {what}", node.name));
        let timeouts = Timeouts {
            connect: options.connect_timeout.into(),
            first_byte: options.timeout.into(),
            idle: options.timeout.into(),
        };
        let url = http::endpoint(&node.base_url, "rerank").map_err(bad)?;
        let at = |url| Node::at(url, BODY_BYTES_MAX, node, timeouts, None);
        Ok(Server {
            tei: at(without_version(url.clone()))?,
            rerank: at(url)?,
            is_tei: AtomicBool::new(options.dialect == Dialect::Tei),
        })
    }

    fn rests(&self) -> bool {
        self.rerank.rest_left().is_some() || self.tei.rest_left().is_some()
    }
}

impl Reranker for HttpReranker {
    fn name(&self) -> &str {
        &self.options.model
    }

    fn texts_max(&self) -> usize {
        self.options.candidates as usize
    }

    fn scores<'a>(
        &'a self,
        query: &'a str,
        texts: &'a [&'a str],
    ) -> BoxFuture<'a, Result<Vec<f32>, Error>> {
        Box::pin(self.ask(query, texts))
    }
}

/// `/v1/rerank` becomes `/rerank`.
fn without_version(mut url: Url) -> Url {
    let path = url.path().trim_end_matches("/v1/rerank").to_owned();
    let path = match path.ends_with("/rerank") {
        true => path,
        false => format!("{path}/rerank"),
    };
    url.set_path(&path);
    url
}

/// The first characters of a text.
fn cut(text: &str, chars: usize) -> &str {
    let end = text.char_indices().nth(chars);
    end.map_or(text, |(end, _)| &text[..end])
}

/// The scores of an answer in the order of the texts.
fn read(answer: &[u8], count: usize) -> Result<Vec<f32>, Failure> {
    let garbled = |reason: String| Failure::Garbled { reason };
    let answer: Value =
        serde_json::from_slice(answer).map_err(|e| garbled(format!("no scores came: {e}")))?;
    let list = answer.get("results").unwrap_or(&answer);
    let list = Vec::<Scored>::deserialize(list)
        .map_err(|e| garbled(format!("no list of scores came: {e}")))?;
    let mut scores = vec![None; count];
    for Scored { index, score } in list {
        let place = scores.get_mut(index).filter(|place| place.is_none());
        match place {
            Some(place) if score.is_finite() => *place = Some(score),
            _ => return Err(garbled(format!("score {index} of {count} is wrong"))),
        }
    }
    let scores: Option<Vec<f32>> = scores.into_iter().collect();
    scores.ok_or_else(|| garbled(format!("not every one of {count} texts has a score")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn both_shapes_are_read_in_any_order() {
        let rerank = br#"{"results":[{"index":1,"relevance_score":0.2,"document":{}},
            {"index":0,"relevance_score":0.9}]}"#;
        assert_eq!(read(rerank, 2).unwrap(), [0.9, 0.2]);
        let tei = br#"[{"index":0,"score":-3.5},{"index":1,"score":4}]"#;
        assert_eq!(read(tei, 2).unwrap(), [-3.5, 4.0]);
    }

    #[test]
    fn what_is_missing_or_twice_is_refused() {
        for body in [
            "{}",
            "nothing",
            r#"[{"index":0,"score":1}]"#,
            r#"[{"index":0,"score":1},{"index":0,"score":1}]"#,
            r#"[{"index":0,"score":1},{"index":2,"score":1}]"#,
        ] {
            assert!(read(body.as_bytes(), 2).is_err(), "{body}");
        }
    }

    #[test]
    fn the_second_address_is_beside_the_version() {
        let at = |base: &str| {
            let url = http::endpoint(base, "rerank").unwrap();
            String::from(without_version(url))
        };
        assert_eq!(at("http://a:80/v1"), "http://a/rerank");
        assert_eq!(at("http://a:8080"), "http://a:8080/rerank");
        assert_eq!(at("http://a/models/v1"), "http://a/models/rerank");
        assert_eq!(at("http://a/models"), "http://a/models/rerank");
    }

    #[test]
    fn texts_are_cut_between_characters() {
        assert_eq!(cut("größer", 3), "grö");
        assert_eq!(cut("ab", 3), "ab");
    }

    proptest! {
        #[test]
        fn any_answer_is_read_or_refused(body in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(&body, 1);
        }
    }
}
