//! Compares the verdicts with true sentences in other words, and with copies in which one place was made false. Also
//! measures what the check of an answer costs.

use groundedness::{SentenceVerdict, Thresholds, check};
use mutations::{Mutation, MutationCase, MutationSplit};
use serde::Serialize;
use std::time::Instant;

/// Words of the answer that is timed.
const TIMED_WORDS: usize = 200;
/// How often one is timed.
const TIMED_ROUNDS: usize = 200;

/// How many sentences of one mutation are flagged, among those with the rewordings of test.
#[derive(Debug, Serialize)]
pub(super) struct MutationFigures {
    pub(super) mutation: &'static str,
    pub(super) sentences: usize,
    /// The share that is unsupported or contradicted.
    pub(super) flagged: f64,
    /// The share that is contradicted.
    pub(super) contradicted: f64,
}

/// The figures of each mutation.
pub(super) fn figures(
    cases: &[MutationCase],
    thresholds: &Thresholds,
    failed: &mut Vec<String>,
) -> Vec<MutationFigures> {
    let mutations = Mutation::ALL.into_iter();
    let of = |mutation: Mutation| {
        let cases = cases
            .iter()
            .filter(|case| case.mutation == mutation && case.split == MutationSplit::Test);
        let (mut sentences, mut flagged, mut contradicted) = (0, 0, 0);
        for case in cases {
            let verdict = worst(case, thresholds);
            let is_flagged = verdict != SentenceVerdict::Supported;
            sentences += 1;
            flagged += usize::from(is_flagged);
            contradicted += usize::from(verdict == SentenceVerdict::Contradicted);
            if is_flagged == (mutation == Mutation::None) {
                failed.push(format!(
                    "{}, {}: {}",
                    mutation.as_str(),
                    case.rewordings.join(", "),
                    text::one_line(&case.sentence)
                ));
            }
        }
        MutationFigures {
            mutation: mutation.as_str(),
            sentences,
            flagged: share(flagged, sentences),
            contradicted: share(contradicted, sentences),
        }
    };
    mutations.map(of).collect()
}

/// One number over another; 0 over none.
pub(super) fn share(part: usize, all: usize) -> f64 {
    part as f64 / all.max(1) as f64
}

/// The worst verdict of what a case says: a sentence may be taken for two.
fn worst(case: &MutationCase, thresholds: &Thresholds) -> SentenceVerdict {
    let passages: Vec<&str> = case.passages.iter().map(String::as_str).collect();
    let sentences = check(&case.sentence, &passages, thresholds).sentences;
    let has = |verdict| sentences.iter().any(|one| one.verdict == verdict);
    match (
        has(SentenceVerdict::Contradicted),
        has(SentenceVerdict::Unsupported),
    ) {
        (true, _) => SentenceVerdict::Contradicted,
        (false, true) => SentenceVerdict::Unsupported,
        (false, false) => SentenceVerdict::Supported,
    }
}

/// How long the check of an answer of 200 words beside five passages takes, in microseconds: half of the rounds less.
pub(super) fn micros(cases: &[MutationCase], thresholds: &Thresholds) -> f64 {
    let true_ones = cases.iter().filter(|case| case.mutation == Mutation::None);
    let mut words = 0;
    let mut answer = Vec::new();
    for case in true_ones.clone() {
        words += case.sentence.split_whitespace().count();
        answer.push(case.sentence.as_str());
        if words >= TIMED_WORDS {
            break;
        }
    }
    let answer = answer.join(" ");
    let mut micros: Vec<f64> = true_ones
        .take(TIMED_ROUNDS)
        .map(|case| {
            let passages: Vec<&str> = case.passages.iter().map(String::as_str).collect();
            let begun = Instant::now();
            let checked = check(&answer, &passages, thresholds);
            let micros = begun.elapsed().as_secs_f64() * 1e6;
            std::hint::black_box(checked);
            micros
        })
        .collect();
    micros.sort_by(f64::total_cmp);
    micros.get(micros.len() / 2).copied().unwrap_or_default()
}
