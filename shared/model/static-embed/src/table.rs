//! The static table: one vector for each word piece, shipped with the program.
//!
//! tools/static-table distilled it once from a sentence encoder, so that texts have vectors without a model, a
//! download or a GPU. *Not* an embedder yet: the weight of a piece in a text depends on the corpus, see
//! [`crate::StaticEmbedder`].

use crate::Tokenizer;
use llm::embed::Error;
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// The name of the embedder over the shipped table. Another table has to have another name.
pub const STATIC_NAME: &str = "static-minilm-256";

/// Word pieces of one text that are looked at; the rest is cut. Far more than a chunk has.
const TOKENS_MAX: usize = 16_384;

/// What a table's file begins with; then, little endian, version, rows and dims (u32 each), one scale
/// a row (f32), and the rows (i8): value = byte x scale of its row.
const MAGIC: &[u8; 8] = b"ARGOTABL";
const VERSION: u32 = 1;
const HEADER: usize = MAGIC.len() + 3 * size_of::<u32>();

static TABLE: &[u8] = include_bytes!("../assets/static-minilm-256.bin");
static VOCABULARY: &str = include_str!("../assets/vocab.txt");

/// Vectors of word pieces, with one signed byte for each number, and the tokenizer for these pieces.
#[derive(Debug)]
pub struct StaticTable {
    tokenizer: Tokenizer,
    bytes: Cow<'static, [u8]>,
    scales: Vec<f32>,
    dims: usize,
}

impl StaticTable {
    /// The table that is shipped with the program; it is read on first use and then shared.
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

    /// The word pieces of the text, at most `TOKENS_MAX`.
    pub fn tokens(&self, text: &str) -> Vec<u32> {
        self.tokenizer.encode(text, TOKENS_MAX)
    }

    /// The same in the place of what is in `tokens`.
    pub(crate) fn tokens_into(&self, text: &str, tokens: &mut Vec<u32>) {
        self.tokenizer.encode_into(text, TOKENS_MAX, tokens);
    }

    /// How many word pieces there are.
    pub fn rows(&self) -> usize {
        self.scales.len()
    }

    /// Numbers in a vector.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// Adds the vector of a piece times its weight to `sum`, which is [`Self::dims`] long, for each of some
    /// pieces, one after the other. A piece that the table does not have adds nothing.
    pub(crate) fn add(&self, pieces: impl Iterator<Item = (u32, f32)>, sum: &mut [f32]) {
        self.add_with(pieces, sum, &mut Vec::new());
    }

    /// The same with `rows` for room.
    pub(crate) fn add_with(
        &self,
        pieces: impl Iterator<Item = (u32, f32)>,
        sum: &mut [f32],
        rows: &mut Vec<(usize, f32)>,
    ) {
        let first = HEADER + self.rows() * size_of::<f32>();
        let row = |(token, weight): (u32, f32)| {
            let row = token as usize;
            let scale = self.scales.get(row)?;
            Some((first + row * self.dims, weight * scale))
        };
        rows.clear();
        rows.extend(pieces.filter_map(row));
        add_rows(&self.bytes, rows, sum);
    }
}

/// Numbers of a vector that are added up before the next ones: a line of the processor's cache.
const LINE: usize = 64;

/// Adds rows that begin at some places of `bytes`, each times a factor. A part of the sum is kept at hand while
/// all rows are added to it, and what the processor can do is looked at once. The sums are those of adding row
/// after row, to the bit.
#[multiversion::multiversion(targets("x86_64+avx2", "x86_64+sse4.1"))]
fn add_rows(bytes: &[u8], rows: &[(usize, f32)], sum: &mut [f32]) {
    for (part, begin) in sum.chunks_mut(LINE).zip((0..).step_by(LINE)) {
        if let Ok(part) = <&mut [f32; LINE]>::try_from(&mut *part) {
            let mut total = *part;
            for (row, factor) in rows {
                let from = row + begin;
                if let Some(row) = bytes
                    .get(from..)
                    .and_then(|bytes| bytes.first_chunk::<LINE>())
                {
                    for (total, byte) in total.iter_mut().zip(row) {
                        *total += factor * f32::from(byte.cast_signed());
                    }
                }
            }
            *part = total;
            continue;
        }
        for (row, factor) in rows {
            let row = bytes.get(row + begin..).unwrap_or_default();
            for (total, byte) in part.iter_mut().zip(row) {
                *total += factor * f32::from(byte.cast_signed());
            }
        }
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
