//! Compares a query with a candidate sentence by sentence, by their vectors.
//!
//! The vector of a chunk covers its whole text, but only one or two of its sentences answer a question. *Not* for
//! encoders: a hundred candidates are a thousand texts, and only the static table can embed them while a user waits.
//! Pure.

use crate::index::{QuestionVector, SentenceRows, SentenceVectors};
use static_embed::{StaticEmbedder, SumBuffer};
use std::sync::Arc;
use text::sentences::cut;

/// Cosines that are told from one look differ from the true ones by less than half of this, where enough of a
/// sum is left; then the largest is among those that are not further from the largest one told.
const TOLD_WITHIN: f32 = 0.005;
/// Where less than this part of a sum's square is left once the common is taken away, nothing is told.
const LEFT_MIN: f32 = 0.05;
/// More than the length of a sum differs by when it is added up in another order, in parts of it.
const ROUNDING: f32 = 3e-5;
/// Numbers that are added up side by side.
const LANES: usize = 16;

/// The vector of a query, and the embedder that made it.
pub(crate) struct SentenceSimilarity {
    by: Arc<StaticEmbedder>,
    vector: Vec<f32>,
    /// How far the vector goes in the common direction.
    along: f32,
    /// The same, for texts that were read before.
    question: QuestionVector,
}

/// Buffers that are reused for one text after the other.
#[derive(Default)]
pub(crate) struct Desk {
    room: SumBuffer,
    /// Of each sentence, in a row.
    sums: Vec<f32>,
    /// One that is made of them.
    vector: Vec<f32>,
    /// What is to be kept of all.
    rows: SentenceRows,
}

impl SentenceSimilarity {
    /// `vector` is of `by`'s making.
    pub(crate) fn new(by: Arc<StaticEmbedder>, vector: Vec<f32>) -> SentenceSimilarity {
        let pairs = by.common().0.iter().zip(&vector);
        let along = pairs.map(|(c, x)| c * x).sum();
        SentenceSimilarity {
            question: QuestionVector::new(&vector),
            by,
            vector,
            along,
        }
    }

    /// The cosine of the closest two sentences in a row, from 0 to 1: what points the other way is no worse than
    /// what has nothing to do with the query. A text of one sentence is compared as it is. Two in a row instead of
    /// one, because the second often says `it`: measured, see docs/retrieval.md.
    pub(crate) fn closest(&self, text: &str, desk: &mut Desk) -> f32 {
        let dims = self.vector.len();
        let Desk { room, sums, .. } = desk;
        sums.clear();
        for sentence in cut::of_piece(text) {
            let begin = sums.len();
            sums.resize(begin + dims, 0.0);
            self.by.sum_into(sentence, room, &mut sums[begin..]);
        }
        let sum = |n: usize| &sums[n * dims..(n + 1) * dims];
        match sums.len() / dims.max(1) {
            0 => 0.0,
            1 => self.closeness(sum(0).to_vec()),
            many => self.closest_two((1..many).map(|n| (sum(n - 1), sum(n)))),
        }
    }

    /// What [`SentenceSimilarity::closest`] gives at most for a text that was read before.
    pub(crate) fn closest_at_most(&self, read: &SentenceVectors) -> f32 {
        read.closest_at_most(&self.question)
    }

    /// What is to be kept of the text that was read last.
    pub(crate) fn to_keep(&self, desk: &mut Desk) -> SentenceVectors {
        let dims = self.vector.len().max(1);
        let Desk {
            sums, vector, rows, ..
        } = desk;
        vector.resize(dims, 0.0);
        let count = sums.len() / dims;
        rows.begin(dims);
        let (common, taken) = self.by.common();
        let sum = |n: usize| &sums[n * dims..(n + 1) * dims];
        // A text of one sentence is compared as it is.
        let pairs = if count == 1 {
            1
        } else {
            count.saturating_sub(1)
        };
        for n in 0..pairs {
            let second = if count == 1 { &[][..] } else { sum(n + 1) };
            let (before, left) = without_common(sum(n), second, common, taken, vector);
            rows.push(
                vector,
                ROUNDING * (before / left.max(f32::MIN_POSITIVE)).sqrt(),
            );
        }
        rows.kept()
    }

    /// All are looked at, and those are compared of which one must be the closest.
    fn closest_two<'a>(&self, pairs: impl Iterator<Item = (&'a [f32], &'a [f32])> + Clone) -> f32 {
        let told: Vec<Option<f32>> = pairs.clone().map(|(a, b)| self.told(a, b)).collect();
        let largest = told.iter().flatten().copied().fold(f32::MIN, f32::max);
        let may_be = |told: &Option<f32>| told.is_none_or(|told| told >= largest - TOLD_WITHIN);
        let left = pairs.zip(&told).filter(|(_, told)| may_be(told));
        let compared = left.map(|((a, b), _)| {
            let both = a.iter().zip(b).map(|(a, b)| a + b);
            self.closeness(both.collect())
        });
        compared.fold(0.0, f32::max)
    }

    fn closeness(&self, sum: Vec<f32>) -> f32 {
        let vector = self.by.finished(sum);
        let cosine: f32 = vector.iter().zip(&self.vector).map(|(a, b)| a * b).sum();
        cosine.clamp(0.0, 1.0)
    }

    /// The cosine of what two sums make together, see [`TOLD_WITHIN`], without a vector of it: what it would
    /// be follows from three products.
    fn told(&self, a: &[f32], b: &[f32]) -> Option<f32> {
        let (common, taken) = self.by.common();
        let [square, ahead, along] = products(a, b, &self.vector, common);
        let left = square - taken * (2.0 - taken) * along * along;
        let is_enough = left > LEFT_MIN * square && left.is_normal();
        is_enough.then(|| (ahead - taken * along * self.along) / left.sqrt())
    }
}

/// What is left of a sum of two without what all documents have in common, and the squares of both. `b` may be
/// empty.
#[multiversion::multiversion(targets("x86_64+avx2", "x86_64+sse4.1"))]
fn without_common(a: &[f32], b: &[f32], common: &[f32], taken: f32, out: &mut [f32]) -> (f32, f32) {
    out.copy_from_slice(a);
    out.iter_mut().zip(b).for_each(|(x, b)| *x += b);
    let (mut along, mut before, mut left) = ([0.0f32; LANES], [0.0f32; LANES], [0.0f32; LANES]);
    let (common, common_rest) = common.as_chunks::<LANES>();
    let (out, out_rest) = out.as_chunks_mut::<LANES>();
    for (numbers, common) in out.iter().zip(common) {
        for lane in 0..LANES {
            along[lane] += numbers[lane] * common[lane];
            before[lane] += numbers[lane] * numbers[lane];
        }
    }
    for (lane, (x, c)) in out_rest.iter().zip(common_rest).enumerate() {
        along[lane] += x * c;
        before[lane] += x * x;
    }
    let along = taken * along.iter().sum::<f32>();
    for (numbers, common) in out.iter_mut().zip(common) {
        for lane in 0..LANES {
            numbers[lane] -= along * common[lane];
            left[lane] += numbers[lane] * numbers[lane];
        }
    }
    for (lane, (x, c)) in out_rest.iter_mut().zip(common_rest).enumerate() {
        *x -= along * c;
        left[lane] += *x * *x;
    }
    (before.iter().sum(), left.iter().sum())
}

/// The products of a sum of two with itself, with `x` and with `y`.
#[multiversion::multiversion(targets("x86_64+avx2", "x86_64+sse4.1"))]
fn products(a: &[f32], b: &[f32], x: &[f32], y: &[f32]) -> [f32; 3] {
    let mut sums = [[0.0f32; LANES]; 3];
    let lines = |of: &[f32]| of.len() / LANES;
    let whole = lines(a).min(lines(b)).min(lines(x)).min(lines(y)) * LANES;
    let parts = a[..whole]
        .chunks_exact(LANES)
        .zip(b[..whole].chunks_exact(LANES))
        .zip(x[..whole].chunks_exact(LANES))
        .zip(y[..whole].chunks_exact(LANES));
    for (((a, b), x), y) in parts {
        for lane in 0..LANES {
            let sum = a[lane] + b[lane];
            sums[0][lane] += sum * sum;
            sums[1][lane] += sum * x[lane];
            sums[2][lane] += sum * y[lane];
        }
    }
    let mut sums = sums.map(|lanes| lanes.iter().sum::<f32>());
    let rest = a[whole..]
        .iter()
        .zip(&b[whole..])
        .zip(x[whole..].iter().zip(&y[whole..]));
    for ((a, b), (x, y)) in rest {
        let sum = a + b;
        sums[0] += sum * sum;
        sums[1] += sum * x;
        sums[2] += sum * y;
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use static_embed::{Frequencies, StaticTable};

    fn meaning(query: &str) -> SentenceSimilarity {
        let by = StaticEmbedder::new(StaticTable::shipped(), &Frequencies::default());
        let vector = by.vector(query);
        SentenceSimilarity::new(Arc::new(by), vector)
    }

    #[test]
    fn the_closest_two_in_a_row_count_wherever_they_stand() {
        let meaning = meaning("the doctor");
        let [told, other] = [
            "A physician came. She works in the hospital.",
            "Bread is taxed. Ships are late.",
        ];
        let alone = meaning.closest(told, &mut Desk::default());
        assert!(alone > meaning.closest(other, &mut Desk::default()) + 0.1);
        for text in [format!("{told} {other}"), format!("{other}\n\n{told}")] {
            let found = meaning.closest(&text, &mut Desk::default());
            assert!(found >= alone - 1e-4, "{text}: {found}, alone {alone}");
            let whole = meaning.by.vector(&text);
            let whole: f32 = whole.iter().zip(&meaning.vector).map(|(a, b)| a * b).sum();
            assert!(found > whole, "{text}: {found}, as a whole {whole}");
        }
    }

    #[test]
    fn a_text_of_one_sentence_is_compared_whole() {
        let meaning = meaning("overdue invoices");
        assert!(meaning.closest("Overdue invoices", &mut Desk::default()) > 0.99);
        assert_eq!(meaning.closest(" \n\n", &mut Desk::default()), 0.0);
    }

    /// Every two in a row, each compared.
    fn one_after_the_other(meaning: &SentenceSimilarity, text: &str) -> f32 {
        let sum = |text: &str| {
            let mut sum = vec![0.0; meaning.vector.len()];
            meaning
                .by
                .sum_into(text, &mut SumBuffer::default(), &mut sum);
            sum
        };
        let sums: Vec<Vec<f32>> = cut::of_piece(text).map(sum).collect();
        let both = |two: &[Vec<f32>]| two[0].iter().zip(&two[1]).map(|(a, b)| a + b).collect();
        let pairs = sums.windows(2).map(|two| meaning.closeness(both(two)));
        match &sums[..] {
            [one] => meaning.closeness(one.clone()),
            _ => pairs.fold(0.0, f32::max),
        }
    }

    proptest! {
        #[test]
        fn the_closest_is_that_of_all(
            counted in prop::collection::vec("([a-z]{1,3} ){0,4}(harbour|doctor|bread|the) (tax|ship|she)", 0..40),
            texts in prop::collection::vec(
                "(((the )?(harbour|doctor|bread|tax|ship|of|x|Paris)|[a-z]{1,4}) ?){0,4}[.!?。]? ?(The )?",
                0..12,
            ),
            query in "((the )?(harbour|doctor|bread|tax|ship|of|x|[a-z]{1,4}) ?){1,4}",
        ) {
            let table = StaticTable::shipped();
            let mut frequencies = Frequencies::default();
            counted.iter().for_each(|text| frequencies.count(&table.tokens(text)));
            let by = StaticEmbedder::new(table, &frequencies);
            let vector = by.vector(&query);
            let meaning = SentenceSimilarity::new(Arc::new(by), vector);
            let text = texts.concat();
            let (found, wanted) = (meaning.closest(&text, &mut Desk::default()), one_after_the_other(&meaning, &text));
            prop_assert_eq!(found.to_bits(), wanted.to_bits(), "{}", text);
            let mut desk = Desk::default();
            meaning.closest(&text, &mut desk);
            let most = meaning.closest_at_most(&meaning.to_keep(&mut desk));
            prop_assert!(found <= most && most <= found + 0.05, "{text}: {found}, at most {most}");
        }

        #[test]
        fn any_text_has_a_number_from_0_to_1(text in any::<String>(), query in "[a-z ]{0,20}") {
            let found = meaning(&query).closest(&text, &mut Desk::default());
            prop_assert!((0.0..=1.0).contains(&found), "{found}");
        }
    }
}
