//! Measures how much of a sentence is contained in a window of one to three sentences of a passage.
//!
//! The distinct words of the sentence are bits of a mask, so the words of a window are found by joining the masks of
//! its sentences.

use crate::reading::{self, Sentence};
use crate::vocabulary::{Vocabulary, Word};
use std::ops::Range;

/// Most distinct words of a sentence that are looked at.
const WORDS_MAX: usize = 128;
/// Most sentences of a window.
const WINDOW_MAX: usize = 3;
/// What each further sentence of a window costs, as a share: of windows that say the same the shortest is it.
const WIDER_COST: f32 = 0.03;
/// The credit of a word when only a related word is there: `completion` for `complete`.
const KINDRED_CREDIT: f32 = 0.6;
/// No bit.
const NONE: u8 = u8::MAX;

/// The passages, read.
pub(crate) struct Evidence {
    pub(crate) sentences: Vec<Sentence>,
    /// The sentences of each passage.
    pub(crate) passages: Vec<Range<usize>>,
    /// The stems of content words of each sentence.
    stems: Vec<Vec<u32>>,
    /// Content words that follow each other in a sentence, by stem; in order, to be searched.
    pairs: Vec<(u32, u32)>,
}

impl Evidence {
    pub(crate) fn read(passages: &[&str], vocabulary: &mut Vocabulary) -> Evidence {
        let mut evidence = Evidence {
            sentences: Vec::new(),
            passages: Vec::new(),
            stems: Vec::new(),
            pairs: Vec::new(),
        };
        for text in passages {
            let from = evidence.sentences.len();
            let sentences = reading::passage(text, vocabulary);
            evidence.sentences.extend(sentences);
            evidence.passages.push(from..evidence.sentences.len());
        }
        for sentence in &evidence.sentences {
            let stems = content(sentence);
            let pairs = stems.windows(2).map(|pair| (pair[0], pair[1]));
            evidence.pairs.extend(pairs);
            evidence.stems.push(stems);
        }
        evidence.pairs.sort_unstable();
        evidence.pairs.dedup();
        evidence
    }

    /// The passage that a sentence is of.
    pub(crate) fn passage_of(&self, sentence: usize) -> usize {
        let mut passages = self.passages.iter();
        let it = passages.position(|range| range.contains(&sentence));
        it.unwrap_or_default()
    }
}

/// The stems of the content words of a sentence that are no values, in order.
fn content(sentence: &Sentence) -> Vec<u32> {
    sentence.content().map(|token| token.word.stem).collect()
}

/// A window of a passage.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Window {
    /// Its sentences.
    pub(crate) sentences: Range<usize>,
    /// The share of the weight of the words that stands in it.
    pub(crate) share: f32,
}

/// A sentence of an answer, held against the passages word by word.
pub(crate) struct Covered {
    /// The bit of each stem.
    by_stem: Vec<u8>,
    /// The bit of each token.
    bits: Vec<u8>,
    /// What each bit weighs.
    weights: Vec<f32>,
    /// What each bit counts where it is found.
    credits: Vec<f32>,
    /// The bits that stand in each sentence of the passages.
    pub(crate) masks: Vec<u128>,
    /// The bits that stand anywhere.
    pub(crate) known: u128,
}

impl Covered {
    pub(crate) fn new(
        sentence: &Sentence,
        evidence: &Evidence,
        vocabulary: &Vocabulary,
    ) -> Covered {
        let mut covered = Covered {
            by_stem: vec![NONE; vocabulary.stems()],
            bits: vec![NONE; sentence.tokens.len()],
            weights: Vec::new(),
            credits: Vec::new(),
            masks: Vec::new(),
            known: 0,
        };
        for (at, token) in sentence.tokens.iter().enumerate() {
            let word = &token.word;
            if token.is_value || !word.is_content() {
                continue;
            }
            let stem = word.stem as usize;
            if covered.by_stem[stem] == NONE {
                if covered.weights.len() == WORDS_MAX {
                    break;
                }
                covered.by_stem[stem] = covered.weights.len() as u8;
                let weight = weight(&word.lower, token.is_capital && !token.is_first);
                covered.weights.push(weight);
                let credit = covered.alias(word, vocabulary);
                covered.credits.push(credit);
            }
            covered.bits[at] = covered.by_stem[stem];
        }
        let mask = |stems: &Vec<u32>| {
            let bits = stems.iter().map(|stem| covered.bit_of_stem(*stem));
            bits.fold(0, |mask, bit| mask | bit)
        };
        covered.masks = evidence.stems.iter().map(mask).collect();
        covered.known = covered.masks.iter().fold(0, |known, mask| known | mask);
        covered
    }

    /// Lets another word of the passages stand for one that they lack; what it counts then.
    fn alias(&mut self, word: &Word, vocabulary: &Vocabulary) -> f32 {
        if vocabulary.is_known(word) {
            return 1.0;
        }
        let same = vocabulary.confused(word).or_else(|| vocabulary.torn(word));
        let (other, credit) = match same {
            Some(other) => (Some(other), 1.0),
            None => (vocabulary.kindred(word), KINDRED_CREDIT),
        };
        match other {
            Some(other) if self.by_stem[other as usize] == NONE => {
                self.by_stem[other as usize] = self.by_stem[word.stem as usize];
                credit
            }
            // The other word is itself one of the sentence: it stands there for both.
            _ => 1.0,
        }
    }

    /// The bit of a token, as a mask.
    pub(crate) fn bit(&self, token: usize) -> u128 {
        match self.bits[token] {
            NONE => 0,
            bit => 1 << bit,
        }
    }

    /// The bits of tokens, as a mask.
    pub(crate) fn mask(&self, tokens: impl IntoIterator<Item = usize>) -> u128 {
        let tokens = tokens.into_iter();
        tokens.fold(0, |mask, token| mask | self.bit(token))
    }

    /// The bit of a stem of the passages, as a mask.
    pub(crate) fn bit_of_stem(&self, stem: u32) -> u128 {
        match self.by_stem.get(stem as usize) {
            None | Some(&NONE) => 0,
            Some(bit) => 1 << bit,
        }
    }

    /// What the words weigh that a mask has, found or not.
    pub(crate) fn weight(&self, mask: u128) -> f32 {
        bits(mask).map(|bit| self.weights[bit]).sum()
    }

    /// All words.
    pub(crate) fn all(&self) -> u128 {
        match self.weights.len() {
            WORDS_MAX => u128::MAX,
            count => (1 << count) - 1,
        }
    }

    /// The share of the weight of `of` that a sentence of the passages has.
    pub(crate) fn share_at(&self, sentence: usize, of: u128) -> f32 {
        self.share(self.masks[sentence], of)
    }

    /// The sentences of the passages that have at least this share of the weight of `of`, with their shares, the
    /// greatest first.
    pub(crate) fn nearest(&self, of: u128, least: f32) -> Vec<(usize, f32)> {
        let shares = (0..self.masks.len()).map(|at| (at, self.share_at(at, of)));
        let mut shares: Vec<(usize, f32)> = shares.filter(|(_, share)| *share >= least).collect();
        shares.sort_by(|one, other| other.1.total_cmp(&one.1));
        shares
    }

    /// The share of the weight of `of` that a mask has.
    pub(crate) fn share(&self, mask: u128, of: u128) -> f32 {
        let found: f32 = bits(mask & of)
            .map(|bit| self.weights[bit] * self.credits[bit])
            .sum();
        let all = self.weight(of);
        if all > 0.0 { found / all } else { 1.0 }
    }

    /// The window that has most of the words.
    pub(crate) fn best(&self, evidence: &Evidence) -> Option<Window> {
        let mut best: Option<(f32, Window)> = None;
        for passage in &evidence.passages {
            for start in passage.clone() {
                let mut mask = 0;
                for end in start..passage.end.min(start + WINDOW_MAX) {
                    mask |= self.masks[end];
                    let share = self.share(mask, self.all());
                    let rank = share - WIDER_COST * (end - start) as f32;
                    if best.as_ref().is_none_or(|(known, _)| rank > *known) {
                        let sentences = start..end + 1;
                        best = Some((rank, Window { sentences, share }));
                    }
                }
            }
        }
        best.map(|(_, window)| window)
    }
}

/// The share of the neighbouring words of a sentence that are neighbours in the passages, too.
pub(crate) fn pairs(sentence: &Sentence, evidence: &Evidence) -> f32 {
    let stems = content(sentence);
    let pairs = stems.windows(2).map(|pair| (pair[0], pair[1]));
    let is_there = |pair: &(u32, u32)| evidence.pairs.binary_search(pair).is_ok();
    share(pairs.clone().filter(is_there).count(), pairs.count())
}

/// A share of a number; all of nothing.
pub(crate) fn share(found: usize, all: usize) -> f32 {
    match all {
        0 => 1.0,
        all => found as f32 / all as f32,
    }
}

/// The bits of a mask, in order.
fn bits(mut mask: u128) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = mask.trailing_zeros();
        (mask != 0).then(|| {
            mask &= mask - 1;
            bit as usize
        })
    })
}

/// The weight of a word: a long word is rarer, and a capitalised one is a name.
fn weight(lower: &str, is_capital: bool) -> f32 {
    let length = lower.chars().count().clamp(3, 10) as f32;
    0.6 + 0.08 * length + if is_capital { 0.4 } else { 0.0 }
}
