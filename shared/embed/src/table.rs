//! The static table: one vector for each word piece, shipped with the program.
//!
//! Distilled once from a sentence encoder by tools/static-table, so that texts have vectors without a
//! model, a download or a GPU. *Not* an embedder yet: what a piece weighs in a text depends on the
//! corpus, see [`crate::StaticEmbedder`].

use crate::{Error, Tokenizer};
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// The name of the embedder over the shipped table. Another table is another name.
pub const STATIC_NAME: &str = "static-minilm-256";

/// Word pieces of one text that are looked at; the rest is cut. Far more than a chunk has.
pub const TOKENS_MAX: usize = 16_384;

/// What a table's file begins with; then, little endian, version, rows and dims (u32 each), one scale
/// a row (f32), and the rows (i8): value = byte x scale of its row.
const MAGIC: &[u8; 8] = b"ARGOTABL";
const VERSION: u32 = 1;
const HEADER: usize = MAGIC.len() + 3 * size_of::<u32>();

static TABLE: &[u8] = include_bytes!("../assets/static-minilm-256.bin");
static VOCABULARY: &str = include_str!("../assets/vocab.txt");

/// Vectors of word pieces, one signed byte a number, and the tokenizer that goes with them.
#[derive(Debug)]
pub struct StaticTable {
    tokenizer: Tokenizer,
    bytes: Cow<'static, [u8]>,
    scales: Vec<f32>,
    dims: usize,
}

impl StaticTable {
    /// The table that comes with the program; read on first use, shared after.
    pub fn shipped() -> Arc<Self> {
        static SHIPPED: OnceLock<Arc<StaticTable>> = OnceLock::new();
        let read = || {
            let table = Self::new(TABLE, VOCABULARY);
            Arc::new(table.expect("the shipped table is whole, a test reads it"))
        };
        Arc::clone(SHIPPED.get_or_init(read))
    }

    /// Reads a table and its vocabulary (one piece a line).
    ///
    /// # Errors
    /// [`Error::Model`] when the file is no table of this version, cut short, or of another size than
    /// the vocabulary.
    pub fn new(bytes: impl Into<Cow<'static, [u8]>>, vocabulary: &str) -> Result<Self, Error> {
        let bytes = bytes.into();
        let (scales, dims) = header(&bytes).map_err(refused)?;
        let tokenizer = Tokenizer::new(vocabulary);
        let (rows, words) = (scales.len(), tokenizer.vocabulary_len());
        if rows != words {
            return Err(refused(format!(
                "the table has `{rows}` rows, its vocabulary `{words}` pieces"
            )));
        }
        Ok(Self {
            tokenizer,
            bytes,
            scales,
            dims,
        })
    }

    /// The word pieces of the text, at most [`TOKENS_MAX`].
    pub fn tokens(&self, text: &str) -> Vec<u32> {
        self.tokenizer.encode(text, TOKENS_MAX)
    }

    /// How many word pieces there are.
    pub fn rows(&self) -> usize {
        self.scales.len()
    }

    /// Numbers in a vector.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// Adds `weight` times the vector of a piece to `sum`, which is [`Self::dims`] long. A piece that
    /// the table does not have adds nothing.
    pub(crate) fn add(&self, token: u32, weight: f32, sum: &mut [f32]) {
        let row = token as usize;
        let Some(scale) = self.scales.get(row) else {
            return;
        };
        let start = HEADER + self.rows() * size_of::<f32>() + row * self.dims;
        add_times(sum, &self.bytes[start..start + self.dims], weight * scale);
    }
}

/// Adds the numbers of a row, each times `factor`. What the processor can do is looked at once: with AVX2 it
/// takes a third of the time, and the sums are the same to the bit.
#[multiversion::multiversion(targets("x86_64+avx2", "x86_64+sse4.1"))]
fn add_times(sum: &mut [f32], row: &[u8], factor: f32) {
    for (total, byte) in sum.iter_mut().zip(row) {
        *total += factor * f32::from(byte.cast_signed());
    }
}

/// The scales and the number of dimensions, once the sizes are known to fit.
fn header(bytes: &[u8]) -> Result<(Vec<f32>, usize), String> {
    let word = |at: usize| {
        let word = bytes.get(at..at + 4)?;
        Some(u32::from_le_bytes(word.try_into().ok()?))
    };
    let field = |number: usize| word(MAGIC.len() + 4 * number).ok_or("it is cut short");
    if !bytes.starts_with(MAGIC) {
        return Err("it does not begin as a table does".to_owned());
    }
    let (version, rows, dims) = (field(0)?, field(1)?, field(2)?);
    if version != VERSION {
        return Err(format!("its version is `{version}`, not `{VERSION}`"));
    }
    let want = HEADER as u64 + u64::from(rows) * (4 + u64::from(dims));
    if dims == 0 || bytes.len() as u64 != want {
        let have = bytes.len();
        return Err(format!(
            "`{rows}` rows of `{dims}` take `{want}` bytes, it has `{have}`"
        ));
    }
    let scale = |row: u32| word(HEADER + 4 * row as usize).map(f32::from_bits);
    let scales: Vec<f32> = (0..rows).filter_map(scale).collect();
    match scales.iter().all(|s| s.is_finite() && *s > 0.0) {
        true => Ok((scales, dims as usize)),
        false => Err("a scale is no positive number".to_owned()),
    }
}

fn refused(text: String) -> Error {
    Error::Model {
        name: STATIC_NAME.to_owned(),
        text: format!("the table is damaged: {text}; make it again with tools/static-table"),
    }
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
