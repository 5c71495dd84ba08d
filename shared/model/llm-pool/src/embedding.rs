//! An embedder behind HTTP: `POST /v1/embeddings` in OpenAI's shape.
//!
//! It is meant for production, where a server with a GPU makes the vectors. Texts are sent in batches to the nodes in
//! turn. The reply is checked: it must have as many vectors as texts, each of the configured length; each vector is
//! then brought to length 1. No node is tried twice: when all fail, a document stays in its stream for a later
//! delivery, and a search goes on with words alone. *Not* here: where vectors are kept.

use crate::error::Error as PoolError;
use crate::failure::Failure;
use crate::options::embedding::Options;
use crate::options::texts;
use crate::pool::Pool;
use envelope::Role;
use envelope::ids::fnv1a_64;
use llm::embed::Error;
use llm::{BoxFuture, Embedder, Side};
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;
use telemetry::Registry;

/// Bytes of a number of a vector in JSON, with room; and of what stands around the vectors.
const NUMBER_BYTES: usize = 32;
const AROUND_BYTES: usize = 64 * 1024;

/// An [`Embedder`] over the nodes that serve one model.
#[derive(Debug)]
pub struct HttpEmbedder {
    options: Options,
    name: String,
    pool: Arc<Pool>,
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    embedding: Vec<f32>,
    index: Option<usize>,
}

impl HttpEmbedder {
    /// An embedder over the nodes of `options`, counted in `registry`. Must be called within a runtime;
    /// nothing is contacted.
    ///
    /// # Errors
    /// When an option has a value that is not allowed, there are no nodes, or no HTTP client can be set up.
    pub fn new(options: Options, registry: &Registry) -> Result<Self, PoolError> {
        options.validate()?;
        let bytes = options.batch as usize * options.dims as usize * NUMBER_BYTES + AROUND_BYTES;
        let Options { model, nodes, .. } = &options;
        let pool = texts(model, nodes, options.connect_timeout, options.timeout);
        Ok(HttpEmbedder {
            pool: Arc::new(Pool::reading(pool, bytes, registry)?),
            name: name(&options),
            options,
        })
    }

    /// The nodes that it asks.
    pub fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }

    async fn vectors(&self, texts: &[&str], side: Side) -> Result<Vec<Vec<f32>>, Error> {
        let o = &self.options;
        let (role, prefix, input_type, timeout) = match side {
            Side::Query => (
                Role::Retriever,
                &o.query_prefix,
                &o.query_input_type,
                o.query_timeout,
            ),
            Side::Passage => (
                Role::Indexer,
                &o.passage_prefix,
                &o.passage_input_type,
                o.timeout,
            ),
        };
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(o.batch as usize) {
            let texts: Vec<String> = batch.iter().map(|t| format!("{prefix}{t}")).collect();
            let mut body = json!({"model": o.model, "input": texts, "encoding_format": "float"});
            // Not sent unless it is set: OpenAI's own endpoint refuses fields that it does not know.
            if !input_type.is_empty() {
                body["input_type"] = json!(input_type);
            }
            let read = |answer: &[u8]| read(answer, texts.len(), o.dims as usize);
            let post = self
                .pool
                .post(role, "embeddings", &body, timeout.into(), read);
            vectors.extend(post.await.map_err(|failure| self.error(failure))?);
        }
        Ok(vectors)
    }

    fn error(&self, failure: Failure) -> Error {
        let name = self.name.clone();
        let retry_after = failure.retry_after();
        let away = |text: String| Error::Away {
            name: name.clone(),
            text,
            retry_after,
        };
        match failure {
            Failure::Busy { .. } => away("every node is busy".into()),
            Failure::Full => away("no node had a free place in time".into()),
            Failure::Away { .. } => away("every node failed lately and is left alone".into()),
            Failure::Down { reason, .. } => away(reason),
            Failure::Slow { what, .. } => away(what.into()),
            Failure::TooLong { limit } => Error::Refused {
                text: limit.map_or_else(
                    || "it is too long".into(),
                    |limit| format!("it is longer than {limit} tokens"),
                ),
                name,
            },
            // These statuses concern the texts; any other concerns the credentials or the address.
            Failure::Refused { status, message } if matches!(status, 400 | 413 | 422) => {
                Error::Refused {
                    text: format!("status {status}: {message}"),
                    name,
                }
            }
            Failure::Refused { status, message } => Error::Model {
                text: format!("status {status}: {message}; look at address, model and key"),
                name,
            },
            Failure::Garbled { reason } | Failure::Empty { reason } => {
                Error::Model { text: reason, name }
            }
            Failure::Dialect { message, .. } => Error::Model {
                text: message,
                name,
            },
        }
    }
}

impl Embedder for HttpEmbedder {
    fn name(&self) -> &str {
        &self.name
    }

    fn dims(&self) -> usize {
        self.options.dims as usize
    }

    fn weight(&self) -> f32 {
        self.options.weight
    }

    fn embed<'a>(
        &'a self,
        texts: &'a [&'a str],
        side: Side,
    ) -> BoxFuture<'a, Result<Vec<Vec<f32>>, Error>> {
        Box::pin(self.vectors(texts, side))
    }
}

/// What its vectors are called. Another text before the passages, or another type of them, makes other vectors.
fn name(options: &Options) -> String {
    let made_with = match options.passage_input_type.as_str() {
        "" => options.passage_prefix.clone(),
        input_type => format!("{}\0{input_type}", options.passage_prefix),
    };
    match made_with.as_str() {
        "" => options.model.clone(),
        with => format!("{}+{:08x}", options.model, fnv1a_64(with.as_bytes()) as u32),
    }
}

/// The vectors of an answer in the order of the texts, each of length 1.
fn read(answer: &[u8], count: usize, dims: usize) -> Result<Vec<Vec<f32>>, Failure> {
    let garbled = |reason: String| Failure::Garbled { reason };
    let answer: Answer = serde_json::from_slice(answer)
        .map_err(|e| garbled(format!("no list of vectors came: {e}")))?;
    if answer.data.len() != count {
        let came = answer.data.len();
        return Err(garbled(format!("{came} vectors came for {count} texts")));
    }
    let mut vectors = vec![Vec::new(); count];
    for (at, row) in answer.data.into_iter().enumerate() {
        let len = row.embedding.len();
        if len != dims {
            return Err(garbled(format!(
                "its vectors have {len} numbers, `dims` says {dims}"
            )));
        }
        let place = vectors
            .get_mut(row.index.unwrap_or(at))
            .filter(|place| place.is_empty());
        let place = place.ok_or_else(|| garbled("the places of the vectors are wrong".into()))?;
        *place = row.embedding;
    }
    vectors
        .iter_mut()
        .for_each(|vector| llm::embed::normalise(vector));
    Ok(vectors)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn said(answer: &str) -> String {
        match read(answer.as_bytes(), 2, 2) {
            Err(Failure::Garbled { reason }) => reason,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn vectors_come_in_any_order_and_of_any_length() {
        let answer = br#"{"data":[{"index":1,"embedding":[0,5]},{"index":0,"embedding":[3,4]}]}"#;
        let vectors = read(answer, 2, 2).unwrap();
        assert_eq!(vectors, [[0.6, 0.8], [0.0, 1.0]]);
        let without_places = br#"{"data":[{"embedding":[1,0]},{"embedding":[0,0]}]}"#;
        assert_eq!(
            read(without_places, 2, 2).unwrap(),
            [[1.0, 0.0], [0.0, 0.0]]
        );
    }

    #[test]
    fn what_is_wrong_with_an_answer_is_named() {
        assert!(said("{}").starts_with("no list of vectors came"));
        assert_eq!(said(r#"{"data":[]}"#), "0 vectors came for 2 texts");
        let other = said(r#"{"data":[{"embedding":[1]},{"embedding":[1]}]}"#);
        assert_eq!(other, "its vectors have 1 numbers, `dims` says 2");
        let twice = r#"{"data":[{"index":0,"embedding":[1,0]},{"index":0,"embedding":[1,0]}]}"#;
        assert_eq!(said(twice), "the places of the vectors are wrong");
    }

    proptest! {
        #[test]
        fn any_answer_is_read_or_refused(body in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(&body, 1, 1);
        }
    }
}
