//! A reranker behind HTTP, in either of the two shapes that servers speak.
//!
//! ```text
//! rerank  POST /v1/rerank  {model, query, documents}  ->  {results: [{index, relevance_score}]}
//! tei     POST /rerank     {query, texts}             ->  [{index, score}]
//! ```
//! A node without a configured shape is asked in the first one. If that path does not exist on the node, the node is
//! asked in the second shape from then on. *Not* here: the use of the scores, and the fallback when there are none.

use crate::error::Error as PoolError;
use crate::failure::Failure;
use crate::options::reranker::{Options, RerankDialect};
use crate::options::texts;
use crate::pool::Pool;
use envelope::Role;
use llm::{BoxFuture, Error, Reranker};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use telemetry::Registry;
use tokio::time::Instant;

/// A [`Reranker`] over the nodes that serve one model.
#[derive(Debug)]
pub struct HttpReranker {
    options: Options,
    pool: Arc<Pool>,
    /// Whether the nodes do not have the first address.
    is_tei: AtomicBool,
}

#[derive(Deserialize)]
struct Scored {
    index: usize,
    #[serde(alias = "relevance_score")]
    score: f32,
}

impl HttpReranker {
    /// A reranker over the nodes of `options`, counted in `registry`. Must be called within a runtime;
    /// nothing is contacted.
    ///
    /// # Errors
    /// When an option has a value that is not allowed, there are no nodes, or no HTTP client can be set up.
    pub fn new(options: Options, registry: &Registry) -> Result<Self, PoolError> {
        options.validate()?;
        let Options { model, nodes, .. } = &options;
        let pool = texts(model, nodes, options.connect_timeout, options.timeout);
        Ok(HttpReranker {
            pool: Arc::new(Pool::new(pool, registry)?),
            is_tei: AtomicBool::new(options.dialect == RerankDialect::Tei),
            options,
        })
    }

    /// The nodes that it asks.
    pub fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }

    async fn ask(&self, query: &str, texts: &[&str]) -> Result<Vec<f32>, Error> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let total = self.options.timeout.duration();
        let until = Instant::now() + total;
        let chars = self.options.text_chars as usize;
        let texts: Vec<&str> = texts.iter().map(|text| cut(text, chars)).collect();
        self.ask_in_time(query, &texts, until)
            .await
            .map_err(|failure| match Instant::now() >= until {
                true => Error::TimedOut(total),
                false => failure.into_error(),
            })
    }

    async fn ask_in_time(
        &self,
        query: &str,
        texts: &[&str],
        until: Instant,
    ) -> Result<Vec<f32>, Failure> {
        let is_open = self.options.dialect == RerankDialect::Auto;
        if !self.is_tei.load(Ordering::Relaxed) {
            let body = json!({
                "model": self.options.model, "query": query, "documents": texts,
                "top_n": texts.len(), "return_documents": false,
            });
            match self.post("rerank", &body, texts.len(), until).await {
                Err(Failure::Refused {
                    status: 404 | 405, ..
                }) if is_open => {}
                other => return other,
            }
        }
        let body = json!({"query": query, "texts": texts, "truncate": true});
        let scores = self.post("/rerank", &body, texts.len(), until).await?;
        self.is_tei.store(true, Ordering::Relaxed);
        Ok(scores)
    }

    async fn post(
        &self,
        path: &str,
        body: &Value,
        count: usize,
        until: Instant,
    ) -> Result<Vec<f32>, Failure> {
        let left = until.saturating_duration_since(Instant::now());
        let read = |answer: &[u8]| read(answer, count);
        self.pool
            .post(Role::Retriever, path, body, left, read)
            .await
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
