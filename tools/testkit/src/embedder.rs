//! A fake embedder without a model. The test decides which vectors it makes, and it counts its calls.

use llm::embed::Error;
use llm::{BoxFuture, Embedder, Side};
use std::sync::{Arc, Mutex, PoisonError};

type Vector = Box<dyn Fn(&str) -> Vec<f32> + Send + Sync>;

/// A fake embedder that makes the vector of each text by a function, and fails the calls that the test chooses.
pub struct FakeEmbedder {
    name: &'static str,
    dims: usize,
    vector: Vector,
    is_away: fn(usize) -> bool,
    calls: Mutex<Vec<(Side, usize)>>,
}

impl FakeEmbedder {
    /// An embedder that answers every call.
    pub fn new<const DIMS: usize>(
        name: &'static str,
        vector: impl Fn(&str) -> [f32; DIMS] + Send + Sync + 'static,
    ) -> Arc<FakeEmbedder> {
        FakeEmbedder::away(name, |_| false, vector)
    }

    /// An embedder that fails the calls, numbered from 0, for which `is_away` holds.
    pub fn away<const DIMS: usize>(
        name: &'static str,
        is_away: fn(usize) -> bool,
        vector: impl Fn(&str) -> [f32; DIMS] + Send + Sync + 'static,
    ) -> Arc<FakeEmbedder> {
        Arc::new(FakeEmbedder {
            name,
            dims: DIMS,
            vector: Box::new(move |text| vector(text).to_vec()),
            is_away,
            calls: Mutex::default(),
        })
    }

    /// The side and the number of texts of each call, including failed calls.
    pub fn calls(&self) -> Vec<(Side, usize)> {
        let calls = self.calls.lock();
        calls.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Texts of all calls.
    pub fn texts(&self) -> usize {
        self.calls().iter().map(|(_, texts)| texts).sum()
    }
}

impl Embedder for FakeEmbedder {
    fn name(&self) -> &str {
        self.name
    }

    fn dims(&self) -> usize {
        self.dims
    }

    fn weight(&self) -> f32 {
        0.5
    }

    fn embed<'a>(
        &'a self,
        texts: &'a [&'a str],
        side: Side,
    ) -> BoxFuture<'a, Result<Vec<Vec<f32>>, Error>> {
        let call = {
            let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
            calls.push((side, texts.len()));
            calls.len() - 1
        };
        let came = match (self.is_away)(call) {
            true => Err(Error::Away {
                name: self.name.to_owned(),
                text: "no answer".to_owned(),
                retry_after: None,
            }),
            false => Ok(texts.iter().map(|text| (self.vector)(text)).collect()),
        };
        Box::pin(std::future::ready(came))
    }
}
