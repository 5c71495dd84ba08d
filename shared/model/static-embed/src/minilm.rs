//! all-MiniLM-L6-v2 in this process, in pure Rust.
//!
//! A sentence encoder of 23 million weights for fleets without an embedding server: it reads the model's own files
//! and runs on tract. *Not* a downloader, and not fast at bulk: one core embeds about twenty chunks a second. Off
//! unless the crate is built with the feature `minilm`.

mod encoder;
mod graph;
mod weights;

use crate::Tokenizer;
use encoder::{Encoder, LENGTHS};
use graph::Shape;
use llm::embed::Error;
use llm::{BoxFuture, Embedder, Side};
use std::path::Path;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use weights::Weights;

const NAME: &str = "minilm-l6-v2";

/// What its vectors are worth beside the lexical score: of 0.3 to 0.85, the best compromise on the dev
/// splits of three data sets (docs/retrieval.md).
const WEIGHT: f32 = 0.7;

/// all-MiniLM-L6-v2.
const SHAPE: Shape = Shape {
    width: 384,
    inner: 1_536,
    layers: 6,
    heads: 12,
};

/// The files that a folder has to have.
const WEIGHTS_FILE: &str = "model.safetensors";
const VOCABULARY_FILE: &str = "vocab.txt";

/// The encoder, cheap to clone. Texts run one a core, on blocking threads.
#[derive(Debug, Clone)]
pub struct MiniLm {
    model: Arc<Model>,
    cores: Arc<Semaphore>,
}

#[derive(Debug)]
struct Model {
    encoder: Encoder,
    tokenizer: Tokenizer,
    /// The pieces around every text: `[CLS]` and `[SEP]`.
    frame: (u32, u32),
}

impl MiniLm {
    /// Reads the model from a folder with `model.safetensors` and `vocab.txt`. This takes part of a second, and 180 MB
    /// of memory, or 320 MB after texts of all lengths. Call it on a blocking thread.
    ///
    /// # Errors
    /// [`Error::Model`] when a file is missing or another model's.
    pub fn open(dir: &Path) -> Result<Self, Error> {
        let bytes = read(dir, WEIGHTS_FILE)?;
        let vocabulary = String::from_utf8(read(dir, VOCABULARY_FILE)?)
            .map_err(|e| refused(dir, VOCABULARY_FILE, &e.to_string()))?;
        let encoder = Weights::parse(&bytes).and_then(|weights| Encoder::new(weights, SHAPE));
        let encoder = encoder.map_err(|why| refused(dir, WEIGHTS_FILE, &why))?;
        let model = Model::new(encoder, Tokenizer::new(&vocabulary));
        let model = model.map_err(|why| refused(dir, VOCABULARY_FILE, &why))?;
        let cores = std::thread::available_parallelism().map_or(1, Into::into);
        Ok(Self {
            model: Arc::new(model),
            cores: Arc::new(Semaphore::new(cores)),
        })
    }

    /// The vector of a text, computed on the calling thread: for tools and blocking threads.
    ///
    /// # Errors
    /// [`Error::Model`] when the model cannot be run.
    pub fn vector(&self, text: &str) -> Result<Vec<f32>, Error> {
        self.model.vector(text)
    }

    /// One blocking task for each text, as many at once as there are cores. Dropping the future leaves
    /// those that run to end by themselves, and starts no more.
    async fn vectors(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Error> {
        let mut vectors = vec![Vec::new(); texts.len()];
        let mut running = JoinSet::new();
        for (at, text) in texts.iter().enumerate() {
            let core = self.core().await?;
            let (model, text) = (Arc::clone(&self.model), (*text).to_owned());
            running.spawn_blocking(move || {
                let _core = core;
                (at, model.vector(&text))
            });
        }
        while let Some(ended) = running.join_next().await {
            let (at, vector) = ended.map_err(|e| unusable(&e.to_string()))?;
            vectors[at] = vector?;
        }
        Ok(vectors)
    }

    async fn core(&self) -> Result<OwnedSemaphorePermit, Error> {
        let core = Arc::clone(&self.cores).acquire_owned().await;
        core.map_err(|e| unusable(&e.to_string()))
    }
}

impl Model {
    fn new(encoder: Encoder, tokenizer: Tokenizer) -> Result<Self, String> {
        let piece = |name| tokenizer.id(name).ok_or(format!("it has no `{name}`"));
        let frame = (piece("[CLS]")?, piece("[SEP]")?);
        let (rows, pieces) = (encoder.vocabulary_len(), tokenizer.vocabulary_len());
        if rows != pieces {
            return Err(format!("it has `{pieces}` pieces, the weights `{rows}`"));
        }
        Ok(Self {
            encoder,
            tokenizer,
            frame,
        })
    }

    fn vector(&self, text: &str) -> Result<Vec<f32>, Error> {
        let room = LENGTHS[LENGTHS.len() - 1] - 2;
        let pieces = self.tokenizer.encode(text, room);
        if pieces.is_empty() {
            return Ok(vec![0.0; SHAPE.width]);
        }
        let (first, last) = self.frame;
        let ids = [&[first], &pieces[..], &[last]].concat();
        self.encoder.vector(&ids).map_err(|why| unusable(&why))
    }
}

impl Embedder for MiniLm {
    fn name(&self) -> &str {
        NAME
    }

    fn dims(&self) -> usize {
        SHAPE.width
    }

    fn weight(&self) -> f32 {
        WEIGHT
    }

    /// Both sides are the same to it. Texts are cut after 254 word pieces.
    fn embed<'a>(
        &'a self,
        texts: &'a [&'a str],
        _: Side,
    ) -> BoxFuture<'a, Result<Vec<Vec<f32>>, Error>> {
        Box::pin(self.vectors(texts))
    }
}

fn read(dir: &Path, file: &str) -> Result<Vec<u8>, Error> {
    std::fs::read(dir.join(file)).map_err(|e| refused(dir, file, &e.to_string()))
}

fn refused(dir: &Path, file: &str, why: &str) -> Error {
    let path = dir.join(file);
    unusable(&format!(
        "`{}`: {why}; `argosy models pull` fetches it",
        path.display()
    ))
}

fn unusable(text: &str) -> Error {
    Error::Model {
        name: NAME.to_owned(),
        text: text.to_owned(),
    }
}

#[cfg(test)]
#[path = "minilm/minilm_tests.rs"]
mod tests;
