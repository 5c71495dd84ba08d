//! Caches the vectors of sentences, within a memory limit.
//!
//! A search spends most of its time on reading candidates sentence by sentence, only to find that they are not among
//! the best. The sentences of a chunk do not change, so the cache keeps their vectors, with one byte for each number,
//! and a search compares them with the query. The comparison gives an *upper bound* of a sentence's score, too high by
//! two hundredths at most. It is *not* the score that is shown: for that, the chunk is read. So the result of a search
//! does not depend on the cache.

use super::rows::{Probe, SCALE_BYTES};
use envelope::Embedding;
use lru::LruCache;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tantivy::DocId;
use tantivy::index::SegmentId;

/// What an entry takes beside its vectors: its place in the map, and the sizes of what it owns.
const ENTRY_BYTES: usize = 128;
/// More than sums of some hundred products differ by when they are added up in another order, in parts of the
/// sum of their sizes.
const ROUNDING: f32 = 1e-4;
/// The largest number that a byte is to hold.
const LARGEST: f32 = 127.0;
/// Numbers that are looked at side by side.
const LANES: usize = 16;

/// A chunk of any generation: what it says never changes.
pub(crate) type ChunkPlace = (SegmentId, DocId);

/// The vectors of every two sentences in a row of one chunk. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct SentenceVectors {
    /// One after the other: a scale, then a byte for each number.
    rows: Arc<[u8]>,
    /// Bytes of a row.
    stride: usize,
    /// An upper bound of the error of the kept vectors.
    error: f32,
}

/// Where they are made, one chunk after the other.
#[derive(Debug, Default)]
pub(crate) struct SentenceRows {
    rows: Vec<u8>,
    stride: usize,
    error: f32,
}

/// The vector of a question, as it is compared with kept ones.
pub(crate) struct QuestionVector {
    probe: Probe,
    /// How far the true one is from it.
    error: f32,
}

impl QuestionVector {
    /// `vector` has length 1.
    pub(crate) fn new(vector: &[f32]) -> QuestionVector {
        QuestionVector {
            probe: Probe::new(vector),
            error: distance(vector, &Embedding::of("", vector)),
        }
    }
}

impl SentenceRows {
    /// Begins anew, with vectors of so many numbers.
    pub(crate) fn begin(&mut self, dims: usize) {
        self.rows.clear();
        self.stride = SCALE_BYTES + dims;
        self.error = 0.0;
    }

    /// Adds a vector, brought to length 1. `told_within` is how far its numbers may be from the true ones, in parts
    /// of its length. One that has no length to speak of is as far from all zeros as can be.
    pub(crate) fn push(&mut self, vector: &[f32], told_within: f32) {
        let (largest, square) = extent(vector);
        let length = square.sqrt();
        let is_told = length.is_normal() && largest.is_normal();
        let step = if is_told { largest / LARGEST } else { 1.0 };
        let scale = if is_told { step / length } else { 0.0 };
        let begin = self.rows.len();
        self.rows.resize(begin + self.stride, 0);
        let (head, row) = self.rows[begin..].split_at_mut(SCALE_BYTES);
        head.copy_from_slice(&scale.to_le_bytes());
        let error = match is_told {
            true => in_steps(vector, step, row).sqrt() / length + told_within,
            false => 1.0,
        };
        self.error = self.error.max(error);
    }

    /// All that were added since it began.
    pub(crate) fn kept(&self) -> SentenceVectors {
        SentenceVectors {
            rows: self.rows.as_slice().into(),
            stride: self.stride,
            error: self.error,
        }
    }
}

impl SentenceVectors {
    /// An upper bound of the cosine of the question and the closest vector, from 0 to 1.
    pub(crate) fn closest_at_most(&self, question: &QuestionVector) -> f32 {
        let rows = self.rows.chunks_exact(self.stride);
        let told = rows.filter_map(|row| {
            let (scale, values) = row.split_first_chunk::<SCALE_BYTES>()?;
            Some(question.probe.dot(values) * f32::from_le_bytes(*scale))
        });
        let Some(told) = told.reduce(f32::max) else {
            return 0.0;
        };
        // The products differ by no more than the two errors do, each times a length of 1; the kept vector
        // is longer than 1 by its own error at most.
        let error = self.error + question.error * (1.0 + self.error) + 2.0 * ROUNDING;
        (told + error).clamp(0.0, 1.0)
    }

    fn bytes(&self) -> usize {
        ENTRY_BYTES + self.rows.len()
    }
}

/// The size of the largest number, and the sum of the squares.
#[multiversion::multiversion(targets("x86_64+avx2", "x86_64+sse4.1"))]
fn extent(vector: &[f32]) -> (f32, f32) {
    let (mut largest, mut squares) = ([0.0f32; LANES], [0.0f32; LANES]);
    let (whole, rest) = vector.as_chunks::<LANES>();
    for numbers in whole {
        for lane in 0..LANES {
            largest[lane] = largest[lane].max(numbers[lane].abs());
            squares[lane] += numbers[lane] * numbers[lane];
        }
    }
    let all = largest.into_iter().chain(rest.iter().map(|x| x.abs()));
    let squares = squares.iter().sum::<f32>() + rest.iter().map(|x| x * x).sum::<f32>();
    (all.fold(0.0, f32::max), squares)
}

/// Writes a vector in whole steps; returns the square of the distance.
#[multiversion::multiversion(targets("x86_64+avx2", "x86_64+sse4.1"))]
fn in_steps(vector: &[f32], step: f32, out: &mut [u8]) -> f32 {
    let per_step = step.recip();
    let mut squares = [0.0f32; LANES];
    let (whole, rest) = vector.as_chunks::<LANES>();
    let (whole_out, rest_out) = out.as_chunks_mut::<LANES>();
    for (numbers, bytes) in whole.iter().zip(whole_out) {
        for lane in 0..LANES {
            let count = (numbers[lane] * per_step).round_ties_even();
            let off = numbers[lane] - count * step;
            squares[lane] += off * off;
            bytes[lane] = (count as i32 as i8).cast_unsigned();
        }
    }
    for ((x, byte), square) in rest.iter().zip(rest_out).zip(&mut squares) {
        let count = (x * per_step).round_ties_even();
        *square += (x - count * step).powi(2);
        *byte = (count as i32 as i8).cast_unsigned();
    }
    squares.iter().sum()
}

fn distance(vector: &[f32], row: &Embedding) -> f32 {
    let pairs = vector.iter().zip(&row.values);
    let squares = pairs.map(|(x, value)| (x - f32::from(*value) * row.scale).powi(2));
    squares.sum::<f32>().sqrt()
}

/// What is kept of the chunks that were read last, all of them by one embedder.
pub(crate) struct SentenceCache(Mutex<Kept>);

struct Kept {
    by_chunk: LruCache<ChunkPlace, SentenceVectors>,
    bytes: usize,
}

impl Default for SentenceCache {
    fn default() -> Self {
        SentenceCache(Mutex::new(Kept {
            by_chunk: LruCache::unbounded(),
            bytes: 0,
        }))
    }
}

impl SentenceCache {
    /// What is kept of some chunks, in their order.
    pub(super) fn get(
        &self,
        chunks: impl Iterator<Item = ChunkPlace>,
    ) -> Vec<Option<SentenceVectors>> {
        let mut kept = self.lock();
        chunks
            .map(|chunk| kept.by_chunk.get(&chunk).cloned())
            .collect()
    }

    /// Keeps the vectors of a chunk; the least recently used ones are evicted when all take more than this many
    /// bytes.
    pub(super) fn put(&self, chunk: ChunkPlace, vectors: SentenceVectors, most_bytes: usize) {
        let bytes = vectors.bytes();
        // All others would go for it, and then it itself.
        if bytes > most_bytes {
            return;
        }
        let mut kept = self.lock();
        kept.bytes += bytes;
        let before = kept.by_chunk.put(chunk, vectors);
        kept.bytes -= before.map_or(0, |before| before.bytes());
        while kept.bytes > most_bytes {
            let Some((_, oldest)) = kept.by_chunk.pop_lru() else {
                break;
            };
            kept.bytes -= oldest.bytes();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn chunk(n: DocId) -> ChunkPlace {
        let id = SegmentId::from_uuid_string("0123456789abcdef0123456789abcdef");
        (id.unwrap(), n)
    }

    fn vectors(count: usize) -> SentenceVectors {
        let mut rows = SentenceRows::default();
        rows.begin(2);
        (0..count).for_each(|_| rows.push(&[0.6, 0.8], 0.0));
        rows.kept()
    }

    #[test]
    fn what_was_used_longest_ago_goes_first() {
        let cache = SentenceCache::default();
        let room = 2 * vectors(3).bytes();
        cache.put(chunk(1), vectors(3), room);
        cache.put(chunk(2), vectors(3), room);
        assert!(cache.get([chunk(1)].into_iter())[0].is_some());
        cache.put(chunk(3), vectors(3), room);
        let there = cache.get((1..4).map(chunk));
        let there: Vec<bool> = there.iter().map(Option::is_some).collect();
        assert_eq!(there, [true, false, true]);
        // The same once more takes no more room.
        cache.put(chunk(3), vectors(3), room);
        assert_eq!(cache.lock().by_chunk.len(), 2);
        assert_eq!(cache.lock().bytes, room);
    }

    #[test]
    fn more_than_there_is_room_for_is_not_kept() {
        let cache = SentenceCache::default();
        let room = vectors(3).bytes();
        cache.put(chunk(1), vectors(3), room);
        cache.put(chunk(2), vectors(4), room);
        let there = cache.get((1..3).map(chunk));
        assert_eq!(
            there.iter().map(Option::is_some).collect::<Vec<_>>(),
            [true, false]
        );
        cache.put(chunk(3), vectors(2), 10);
        assert_eq!(cache.lock().bytes, room);
    }

    #[test]
    fn a_text_without_a_sentence_is_worth_nothing() {
        let question = QuestionVector::new(&[0.6, 0.8]);
        assert_eq!(vectors(0).closest_at_most(&question), 0.0);
    }

    fn unit() -> impl Strategy<Value = Vec<f32>> {
        let number = prop_oneof![Just(0.0f32), -1.0f32..1.0, -0.01f32..0.01];
        prop::collection::vec(number, 24).prop_map(|mut vector| {
            llm::embed::normalise(&mut vector);
            vector
        })
    }

    proptest! {
        #[test]
        fn the_most_is_no_less_and_hardly_more(
            sentences in prop::collection::vec(unit(), 1..8),
            question in unit(),
            length in 0.001f32..1000.0,
        ) {
            let cosine = |one: &Vec<f32>| -> f32 { one.iter().zip(&question).map(|(a, b)| a * b).sum() };
            let closest = sentences.iter().map(cosine).fold(0.0, f32::max);
            let mut rows = SentenceRows::default();
            rows.begin(24);
            sentences.iter().for_each(|one| rows.push(&one.iter().map(|x| x * length).collect::<Vec<_>>(), 0.0));
            let most = rows.kept().closest_at_most(&QuestionVector::new(&question));
            let is_told = sentences.iter().all(|one| one.iter().any(|x| *x != 0.0));
            prop_assert!(most >= closest, "{} of {}", most, closest);
            prop_assert!(!is_told || most <= closest + 0.05, "{} of {}", most, closest);
        }
    }
}
