//! Finds the words that reverse the meaning of a sentence: one negation more or less, the opposite direction, or the
//! opposite bound.
//!
//! *Not* recognised: irony, quotations and subordinate clauses.

use crate::check::ReasonKind;
use crate::coverage::{Covered, Evidence};
use crate::lexicon::SIGNED;
use crate::reading::{Sentence, Token};
use crate::values::{Likeness, Value};
use crate::vocabulary::Vocabulary;
use std::ops::Range;

/// How many tokens behind a negator it can bind.
const SCOPE: usize = 6;
/// How far from a shared word a sign may stand, in tokens.
const SIGN_NEAR: usize = 5;
/// Most words that a negator binds.
const BOUND_MAX: usize = 3;
/// How many tokens on each side say what a direction is of.
const BESIDE: usize = 5;

/// How many tokens around what tells ought to be said by the claim, too.
const ECHOED: usize = 7;

/// A turn that was found.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Turn {
    pub(crate) kind: ReasonKind,
    /// The tokens of the sentence that turn it, or that ought to be turned.
    pub(crate) tokens: Range<usize>,
    /// The sentence of the passages that it was held against.
    pub(crate) told_by: usize,
    /// The share of the words around, in that sentence, that the claim has, too.
    pub(crate) echo: f32,
    /// How sure it is that both are about the same, 0 to 1.
    pub(crate) weight: f32,
}

/// A sentence of an answer beside one of a passage.
pub(crate) struct Beside<'a> {
    pub(crate) claimed: &'a Sentence,
    pub(crate) covered: &'a Covered,
    pub(crate) vocabulary: &'a Vocabulary,
    pub(crate) given: &'a Sentence,
    /// Which sentence of the passages it is.
    pub(crate) at: usize,
}

impl<'a> Beside<'a> {
    pub(crate) fn new(
        claimed: &'a Sentence,
        covered: &'a Covered,
        vocabulary: &'a Vocabulary,
        evidence: &'a Evidence,
        at: usize,
    ) -> Beside<'a> {
        Beside {
            claimed,
            covered,
            vocabulary,
            given: &evidence.sentences[at],
            at,
        }
    }

    /// All turns, the surest first.
    pub(crate) fn turns(&self) -> Vec<Turn> {
        let mut turns = self.bounds();
        turns.extend(self.negations());
        turns.extend(self.directions());
        turns.sort_by(|one, other| other.weight.total_cmp(&one.weight));
        turns
    }

    fn turn(&self, kind: ReasonKind, tokens: Range<usize>, there: usize, weight: f32) -> Turn {
        Turn {
            kind,
            tokens,
            told_by: self.at,
            echo: self.echo(there),
            weight,
        }
    }

    /// Values that both have, bounded from opposite sides.
    fn bounds(&self) -> Vec<Turn> {
        let mut turns = Vec::new();
        for value in self.claimed.values.iter().filter(|value| value.bound != 0) {
            let same = self.given.values.iter();
            let same: Vec<&Value> = same
                .filter(|given| value.likeness(given) == Likeness::Same)
                .collect();
            let is_opposite = same.iter().all(|given| given.bound == -value.bound);
            if let Some(first) = same.first().filter(|_| is_opposite) {
                let there = first.tokens.start;
                turns.push(self.turn(ReasonKind::Direction, value.tokens.clone(), there, 1.0));
            }
        }
        turns
    }

    /// Words that one side denies and the other does not.
    fn negations(&self) -> Vec<Turn> {
        let claimed = denials(self.claimed, self.vocabulary);
        let given = denials(self.given, self.vocabulary);
        // Two denials say what none does: their number in both clauses is compared, too.
        let balance = |claimed: &[Denial], at: usize, given: &[Denial], there: usize| {
            let count = |denials: &[Denial], sentence: &Sentence, at: usize| {
                let clause = sentence.clause(&(at..at + 1), self.vocabulary);
                let inside = denials
                    .iter()
                    .filter(|denial| clause.contains(&denial.tokens.start));
                inside.count()
            };
            count(claimed, self.claimed, at).cmp(&count(given, self.given, there))
        };
        let mut turns = Vec::new();
        for denial in claimed.iter().filter(|denial| !denial.is_quoted) {
            let Some(stem) = denial
                .bound
                .iter()
                .find(|stem| has(self.given, **stem, self.vocabulary))
            else {
                continue;
            };
            let is_denied_too = given.iter().any(|other| other.bound.contains(stem));
            let there = place(self.given, *stem, self.vocabulary);
            let at = denial.tokens.start;
            if !is_denied_too && balance(&claimed, at, &given, there).is_gt() {
                turns.push(self.turn(ReasonKind::Polarity, denial.tokens.clone(), there, 1.0));
            }
        }
        for denial in given.iter().filter(|denial| !denial.is_quoted) {
            let first = denial.bound.iter().take(2);
            let Some(stem) = first
                .clone()
                .find(|stem| has(self.claimed, **stem, self.vocabulary))
            else {
                continue;
            };
            let is_denied_too = claimed.iter().any(|other| other.bound.contains(stem));
            let at = place(self.claimed, *stem, self.vocabulary);
            let there = denial.tokens.start;
            if !is_denied_too && balance(&claimed, at, &given, there).is_lt() {
                turns.push(self.turn(ReasonKind::Polarity, at..at + 1, there, 1.0));
            }
        }
        turns
    }

    /// Directions of which the other side has the opposite.
    fn directions(&self) -> Vec<Turn> {
        let mut turns = Vec::new();
        for (at, token) in self
            .claimed
            .tokens
            .iter()
            .enumerate()
            .filter(|(_, token)| !token.is_value)
        {
            let word = self.vocabulary.word(token.word);
            let count = |sentence: &Sentence, stem: u32| count(sentence, stem, self.vocabulary);
            let is_there = |stem: u32| count(self.given, stem) >= count(self.claimed, stem);
            if word.directions.is_empty() || is_there(word.stem) {
                continue;
            }
            let is_shared = |pair: u8, side: bool| {
                let mut words = self
                    .given
                    .tokens
                    .iter()
                    .map(|token| self.vocabulary.word(token.word));
                // One that the claim has, too, stands there for something else.
                words.any(|word| {
                    word.directions.contains(&(pair, side)) && count(self.claimed, word.stem) == 0
                })
            };
            // Another word of the same side says the same.
            if word
                .directions
                .iter()
                .any(|(pair, side)| is_shared(*pair, *side))
            {
                continue;
            }
            let weight = self
                .given
                .tokens
                .iter()
                .enumerate()
                .filter_map(|(there, token)| {
                    let other = self.vocabulary.word(token.word);
                    let is_opposite = word
                        .directions
                        .iter()
                        .any(|(pair, side)| other.directions.contains(&(*pair, !side)));
                    let is_free = is_opposite
                        && !token.is_value
                        && count(self.given, other.stem) > count(self.claimed, other.stem);
                    is_free.then(|| (self.likeness(at, there), there))
                });
            let best = weight.max_by(|(one, _), (other, _)| one.total_cmp(other));
            if let Some((weight, there)) = best {
                turns.push(self.turn(ReasonKind::Direction, at..at + 1, there, weight));
            }
        }
        turns
    }

    /// The share of the words around a token of the passage that the claim has.
    fn echo(&self, there: usize) -> f32 {
        let clause = self.given.clause(&(there..there + 1), self.vocabulary);
        let from = there.saturating_sub(ECHOED).max(clause.start);
        let to = (there + ECHOED + 1).min(clause.end);
        let words = (from..to).filter_map(|at| {
            let token = &self.given.tokens[at];
            let word = self.vocabulary.word(token.word);
            let is_telling = word.is_content && !token.is_value && word.directions.is_empty();
            is_telling.then(|| self.covered.bit_of_stem(word.stem) != 0)
        });
        let (found, all) = words.fold((0, 0), |(found, all), is_found| {
            (found + usize::from(is_found), all + 1)
        });
        if all == 0 {
            1.0
        } else {
            found as f32 / all as f32
        }
    }

    /// The share of the words beside a token of the claim that stand beside one of the passage, too.
    fn likeness(&self, at: usize, there: usize) -> f32 {
        let beside = |sentence: &Sentence, at: usize| {
            let from = at.saturating_sub(BESIDE);
            from..(at + BESIDE + 1).min(sentence.tokens.len())
        };
        let clause = self.claimed.clause(&(at..at + 1), self.vocabulary);
        let mine = beside(self.claimed, at).filter(|token| *token != at && clause.contains(token));
        let mine = mine.fold(0u128, |mask, token| mask | self.covered.bit(token));
        let stem = |token: usize| self.vocabulary.word(self.given.tokens[token].word).stem;
        let theirs = beside(self.given, there).fold(0u128, |mask, token| {
            mask | self.covered.bit_of_stem(stem(token))
        });
        (mine & theirs).count_ones() as f32 / mine.count_ones().max(1) as f32
    }
}

/// Whether the signs of a sentence near the words that `is_shared` has come to up or down: each word for down and each
/// denial turns it. Nothing where there is none.
pub(crate) fn sign(
    sentence: &Sentence,
    vocabulary: &Vocabulary,
    is_shared: impl Fn(&Token) -> bool,
) -> Option<bool> {
    let places = sentence.tokens.iter().enumerate();
    let shared: Vec<usize> = places
        .filter(|(_, token)| is_shared(token))
        .map(|(at, _)| at)
        .collect();
    let is_near = |at: usize| shared.iter().any(|place| place.abs_diff(at) <= SIGN_NEAR);
    let (mut is_up, mut has_sign) = (true, false);
    for (at, token) in sentence
        .tokens
        .iter()
        .enumerate()
        .filter(|(at, _)| is_near(*at))
    {
        let word = vocabulary.word(token.word);
        let side = word.directions.iter().find(|(pair, _)| *pair < SIGNED);
        let turns = match side {
            Some((_, is_down)) => {
                has_sign = true;
                *is_down
            }
            None => word.is_negator || word.is_denying,
        };
        is_up ^= turns && (side.is_some() || at > 0);
        has_sign |= turns;
    }
    has_sign.then_some(is_up)
}

/// Whether a sentence of an answer denies something, and none of these of the passages does.
pub(crate) fn denies_alone(
    claimed: &Sentence,
    given: &[Sentence],
    vocabulary: &Vocabulary,
) -> bool {
    let denies = |sentence: &Sentence| {
        let mut words = sentence.tokens.iter();
        words.any(|token| {
            let word = vocabulary.word(token.word);
            word.is_negator || word.is_denying || &*word.lower == "false"
        })
    };
    let mut own = denials(claimed, vocabulary).into_iter();
    own.any(|denial| !denial.is_quoted) && !given.iter().any(denies)
}

/// A negator with the words that it binds.
struct Denial {
    tokens: Range<usize>,
    bound: Vec<u32>,
    is_quoted: bool,
}

/// The denials of a sentence. `not only` denies nothing, and neither does what bounds a value.
fn denials(sentence: &Sentence, vocabulary: &Vocabulary) -> Vec<Denial> {
    let tokens = &sentence.tokens;
    let lower = |at: usize| {
        tokens
            .get(at)
            .map_or("", |token| &*vocabulary.word(token.word).lower)
    };
    let mut denials = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let word = vocabulary.word(token.word);
        let is_bound = matches!(
            lower(at + 1),
            "only"
                | "more"
                | "less"
                | "fewer"
                | "later"
                | "earlier"
                | "exceed"
                | "exceeding"
                | "just"
                | "least"
        );
        // `"OutdoorSeating": false` denies the words before it.
        if &*word.lower == "false" && at > 0 {
            let before = tokens[..at]
                .iter()
                .rev()
                .take(2)
                .map(|token| vocabulary.word(token.word));
            let bound = before
                .filter(|word| word.is_content)
                .map(|word| word.stem)
                .collect();
            denials.push(Denial {
                tokens: at..at + 1,
                bound,
                is_quoted: false,
            });
            continue;
        }
        let before = at.checked_sub(1).map_or("", lower);
        let is_counted =
            &*word.lower == "no" && tokens.get(at + 1).is_some_and(|token| token.is_value);
        let is_paired = &*word.lower == "nor"
            && denials
                .iter()
                .any(|denial: &Denial| denial.tokens.end + 8 > at);
        if matches!(before, "or" | "if") && &*word.lower == "not" || is_counted || is_paired {
            continue;
        }
        if !(word.is_negator || word.is_denying) || word.is_negator && is_bound {
            continue;
        }
        let clause = tokens[at + 1..]
            .iter()
            .take(SCOPE)
            .take_while(|token| !token.is_parted);
        let mut bound = bound_of(clause, vocabulary);
        // `is not 18 months`: what is denied stands before it.
        if bound.is_empty() {
            let before = tokens[..at].iter().rev().take(SCOPE);
            bound = bound_of(before, vocabulary);
        }
        // `not, however, possible`
        if bound.is_empty() {
            bound = bound_of(tokens[at + 1..].iter().take(SCOPE), vocabulary);
        }
        denials.push(Denial {
            tokens: at..at + 1,
            bound,
            is_quoted: token.is_quoted,
        });
    }
    denials
}

/// The stems of the first few words that a negator can bind.
fn bound_of<'a>(tokens: impl Iterator<Item = &'a Token>, vocabulary: &Vocabulary) -> Vec<u32> {
    let words = tokens
        .filter(|token| !token.is_value)
        .map(|token| vocabulary.word(token.word));
    let telling =
        words.filter(|word| !word.is_auxiliary && (word.is_content || !word.directions.is_empty()));
    telling.map(|word| word.stem).take(BOUND_MAX).collect()
}

fn count(sentence: &Sentence, stem: u32, vocabulary: &Vocabulary) -> usize {
    let tokens = sentence.tokens.iter();
    tokens
        .filter(|token| vocabulary.word(token.word).stem == stem)
        .count()
}

fn has(sentence: &Sentence, stem: u32, vocabulary: &Vocabulary) -> bool {
    sentence
        .tokens
        .iter()
        .any(|token| vocabulary.word(token.word).stem == stem)
}

fn place(sentence: &Sentence, stem: u32, vocabulary: &Vocabulary) -> usize {
    let is_it = |token: &Token| vocabulary.word(token.word).stem == stem;
    sentence.tokens.iter().position(is_it).unwrap_or_default()
}
