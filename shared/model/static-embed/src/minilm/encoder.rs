//! Computes the vector of a text from its word pieces, on the calling thread.
//!
//! It has the arithmetic of the model and nothing else: *not* its files, and no threads.

use super::graph::{Plan, Shape, plan};
use super::weights::{Weights, numbers};
use std::sync::{Arc, OnceLock};
use tract_core::internal::tvec;
use tract_core::prelude::{IntoTensor, Tensor, TractResult};

/// Lengths that there are graphs for, in word pieces with their frame: a text takes the next longer
/// one. Each graph has its own copy of the layers' weights (43 MB), made when it is first needed.
pub(super) const LENGTHS: [usize; 4] = [32, 64, 128, 256];

/// Added to the attention of a place that is only filling.
const MASKED: f32 = -1e9;

/// An encoder whose weights are in memory.
#[derive(Debug)]
pub(super) struct Encoder {
    weights: Weights,
    shape: Shape,
    words: Arc<Tensor>,
    places: Arc<Tensor>,
    kinds: Arc<Tensor>,
    plans: [OnceLock<Result<Plan, String>>; LENGTHS.len()],
}

impl Encoder {
    /// Takes the weights, and looks whether all are there: the graph for short texts is made at once.
    pub(super) fn new(weights: Weights, shape: Shape) -> Result<Self, String> {
        let table = |name: &str| {
            let name = format!("embeddings.{name}_embeddings.weight");
            weights.get(&name, &[0, shape.width])
        };
        let (words, places, kinds) = (table("word")?, table("position")?, table("token_type")?);
        if places.shape()[0] < LENGTHS[LENGTHS.len() - 1] || kinds.shape()[0] == 0 {
            return Err("it has too few places".to_owned());
        }
        let encoder = Self {
            weights,
            shape,
            words,
            places,
            kinds,
            plans: Default::default(),
        };
        encoder.plan(0)?;
        Ok(encoder)
    }

    /// How many word pieces it knows.
    pub(super) fn vocabulary_len(&self) -> usize {
        self.words.shape()[0]
    }

    /// The vector of a text by its word pieces, frame included: the mean of the last hidden states,
    /// brought to length 1. Pieces beyond the longest graph are cut.
    pub(super) fn vector(&self, ids: &[u32]) -> Result<Vec<f32>, String> {
        let ids = &ids[..ids.len().min(LENGTHS[LENGTHS.len() - 1])];
        let fits = |length: &usize| ids.len() <= *length;
        let bucket = LENGTHS.iter().position(fits).unwrap_or(0);
        let states = self.states(ids, bucket)?;
        let mut sum = vec![0.0; self.shape.width];
        for state in numbers(&states)?
            .chunks_exact(self.shape.width)
            .take(ids.len())
        {
            sum.iter_mut().zip(state).for_each(|(s, x)| *s += x);
        }
        llm::embed::normalise(&mut sum);
        Ok(sum)
    }

    /// The last hidden states, those of the filling included.
    fn states(&self, ids: &[u32], bucket: usize) -> Result<Tensor, String> {
        let plan = self.plan(bucket)?;
        let (words, mask) = self.inputs(ids, LENGTHS[bucket])?;
        let run = || -> TractResult<Tensor> {
            let mut out = plan.run(tvec!(words.into(), mask.into()))?;
            Ok(out.remove(0).into_tensor())
        };
        run().map_err(|e| format!("{e:#}"))
    }

    fn plan(&self, bucket: usize) -> Result<&Plan, String> {
        let make =
            || plan(&self.weights, self.shape, LENGTHS[bucket]).map_err(|e| format!("{e:#}"));
        self.plans[bucket]
            .get_or_init(make)
            .as_ref()
            .map_err(Clone::clone)
    }

    /// Word, place and kind of each piece added up, and the mask that hides the filling.
    fn inputs(&self, ids: &[u32], length: usize) -> Result<(Tensor, Tensor), String> {
        let width = self.shape.width;
        let (words, places) = (numbers(&self.words)?, numbers(&self.places)?);
        let kind = &numbers(&self.kinds)?[..width];
        let mut sums = vec![0.0; length * width];
        let rows = sums.chunks_exact_mut(width).zip(places.chunks_exact(width));
        for ((row, place), id) in rows.zip(ids) {
            let start = *id as usize * width;
            let word = words
                .get(start..start + width)
                .ok_or(format!("it has no piece `{id}`"))?;
            for (((x, w), p), k) in row.iter_mut().zip(word).zip(place).zip(kind) {
                *x = w + p + k;
            }
        }
        let mask: Vec<f32> = (0..length)
            .map(|at| if at < ids.len() { 0.0 } else { MASKED })
            .collect();
        let tensor = |shape: &[usize], numbers: &[f32]| {
            Tensor::from_shape(shape, numbers).map_err(|e| e.to_string())
        };
        Ok((
            tensor(&[length, width], &sums)?,
            tensor(&[1, 1, length], &mask)?,
        ))
    }
}

#[cfg(test)]
#[path = "encoder_tests.rs"]
mod tests;
