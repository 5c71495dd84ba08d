//! Vectors of chunks: how they travel, and what can be asked of a place that keeps them.
//!
//! *Not* how they are made (`embed`) nor how their hits are merged with those of words.

use crate::search::{Error, Request};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use envelope::{Bucket, DocId};
use futures_util::future::BoxFuture;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The vector of a chunk, one byte a number: a quarter of the room, and the order of hits stays
/// (docs/retrieval.md).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Embedding {
    /// The embedder that made it, see `embed::Embedder::name`.
    pub by: String,
    /// What one unit of [`Embedding::values`] stands for.
    pub scale: f32,
    /// The numbers in units of the scale, -127 to 127; in JSON: Base64 of their bytes.
    #[serde(serialize_with = "to_base64", deserialize_with = "from_base64")]
    pub values: Vec<i8>,
}

impl Embedding {
    /// Rounds a vector to bytes. The largest number becomes 127.
    pub fn of(by: &str, vector: &[f32]) -> Embedding {
        let largest = vector.iter().fold(0.0f32, |max, x| max.max(x.abs()));
        let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
        Embedding {
            by: by.to_owned(),
            scale,
            values: vector.iter().map(|x| (x / scale).round() as i8).collect(),
        }
    }

    /// The vector, as good as it is kept.
    pub fn vector(&self) -> Vec<f32> {
        self.values
            .iter()
            .map(|v| f32::from(*v) * self.scale)
            .collect()
    }
}

fn to_base64<S: Serializer>(values: &[i8], serializer: S) -> Result<S::Ok, S::Error> {
    let bytes: Vec<u8> = values.iter().map(|v| v.cast_unsigned()).collect();
    serializer.serialize_str(&STANDARD_NO_PAD.encode(bytes))
}

fn from_base64<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<i8>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let bytes = STANDARD_NO_PAD.decode(text).map_err(D::Error::custom)?;
    Ok(bytes.into_iter().map(u8::cast_signed).collect())
}

/// Which chunk.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChunkKey {
    /// Part of the corpus.
    pub bucket: Bucket,
    /// The document.
    pub doc_id: DocId,
    /// Which chunk of it, from 0.
    pub n: u32,
}

/// A chunk whose vector is close.
#[derive(Debug, Clone, PartialEq)]
pub struct Near {
    /// Which.
    pub chunk: ChunkKey,
    /// Cosine of the angle between the vectors, -1 to 1.
    pub score: f32,
}

/// A place that keeps vectors of chunks.
pub trait VectorSearch: Send + Sync + 'static {
    /// The `k` chunks closest to `vector` among those that the request's tenant, buckets and filter
    /// let through, closest first. Every condition has to hold: which fields nobody has is for the
    /// lexical index to say ([`Request::without_fields`]), because this place may be behind it or before
    /// it. The words of the request are not looked at.
    ///
    /// A place that cannot evaluate a condition leaves it out and returns more than `k`, so that
    /// enough are left when the lexical index has checked them.
    fn nearest<'a>(
        &'a self,
        vector: &'a [f32],
        request: &'a Request,
        k: usize,
    ) -> BoxFuture<'a, Result<Vec<Near>, Error>>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bytes_are_close_to_numbers(vector in prop::collection::vec(-1.0f32..1.0, 0..64)) {
            let kept = Embedding::of("e", &vector);
            let json = serde_json::to_string(&kept).unwrap();
            let back: Embedding = serde_json::from_str(&json).unwrap();
            prop_assert_eq!(&back.values, &kept.values);
            for (a, b) in vector.iter().zip(back.vector()) {
                prop_assert!((a - b).abs() <= kept.scale / 2.0 + 1e-6);
            }
        }
    }
}
