//! Checks the values and names of a sentence: whether the passages have them, and have them for the same things.
//!
//! The words around a value tell what it belongs to. A value counts as exchanged when these words fit clearly better
//! to a sentence of the passages that has another value in its place. *Not* recognised: an exchange that the words
//! around do not show.

use crate::check::ReasonKind;
use crate::coverage::{Covered, Evidence};
use crate::names;
use crate::reading::Sentence;
use crate::thresholds::Thresholds;
use crate::values::{Amount, Likeness, Value};
use crate::vocabulary::Vocabulary;
use std::ops::Range;
use text::fold;

/// How many tokens on each side say what a value or a name stands for.
const AROUND: usize = 16;
/// How many words of them at most.
const AROUND_WORDS_MAX: usize = 5;
/// How many of them are its neighbours.
const BESIDE: usize = 4;
/// The share of its neighbours that another one must have to stand in its place.
const BESIDE_MIN: f32 = 0.5;
/// Fewest letters of a part of a name that has to stand somewhere.
const NAME_MIN: usize = 4;
/// Fewest words around a value that tell what it stands for.
const AROUND_MIN: u32 = 2;
/// The share of the words around that a sentence must have to be about the same.
const ABOUT_MIN: f32 = 0.6;

/// What is wrong with a value or a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fault {
    /// The passages have it for something else.
    Misplaced,
    /// The passages do not have it.
    Nowhere,
    /// A near-verbatim sentence has another in its place.
    Replaced,
}

/// One fault.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Finding {
    pub(crate) kind: ReasonKind,
    pub(crate) fault: Fault,
    /// The tokens of the sentence.
    pub(crate) tokens: Range<usize>,
    /// The sentence of the passages that tells.
    pub(crate) told_by: Option<usize>,
}

/// A sentence of an answer with what it is held against.
pub(crate) struct Slots<'a> {
    pub(crate) sentence: &'a Sentence,
    pub(crate) covered: &'a Covered,
    pub(crate) evidence: &'a Evidence,
    pub(crate) vocabulary: &'a Vocabulary,
    pub(crate) thresholds: &'a Thresholds,
    names: Vec<Range<usize>>,
}

/// A value or a name.
#[derive(Clone, Copy)]
enum Slot<'a> {
    Value(&'a Value),
    Name(&'a Range<usize>),
}

impl Slot<'_> {
    fn tokens(&self) -> Range<usize> {
        match self {
            Slot::Value(value) => value.tokens.clone(),
            Slot::Name(tokens) => (*tokens).clone(),
        }
    }
}

impl<'a> Slots<'a> {
    pub(crate) fn new(
        sentence: &'a Sentence,
        covered: &'a Covered,
        evidence: &'a Evidence,
        vocabulary: &'a Vocabulary,
        thresholds: &'a Thresholds,
    ) -> Slots<'a> {
        Slots {
            names: names::of(sentence, vocabulary),
            sentence,
            covered,
            evidence,
            vocabulary,
            thresholds,
        }
    }

    /// How many values and names there are.
    pub(crate) fn count(&self) -> usize {
        self.sentence.values.len() + self.names.len()
    }

    /// All faults.
    pub(crate) fn findings(&self) -> Vec<Finding> {
        let values = self.sentence.values.iter().filter(|value| !value.is_weak);
        let values = values.map(Slot::Value);
        let slots: Vec<Slot<'_>> = values.chain(self.names.iter().map(Slot::Name)).collect();
        let mut found: Vec<Finding> = slots
            .iter()
            .filter_map(|slot| self.finding(*slot))
            .collect();
        if found.is_empty() {
            found.extend(self.swapped(&slots));
        }
        found
    }

    fn finding(&self, slot: Slot<'_>) -> Option<Finding> {
        let tokens = slot.tokens();
        let around = self.around(&tokens);
        let holders: Vec<usize> = self.holders(slot);
        let is_scanned = matches!(slot, Slot::Value(_)) && self.is_excused(slot);
        if holders.is_empty() && is_scanned {
            return None;
        }
        let rival = self.rival(slot, around, &holders);
        let found = |fault, kind, told_by| {
            Some(Finding {
                kind,
                fault,
                tokens: tokens.clone(),
                told_by,
            })
        };
        let kind = self.kind(slot);
        if let Some((told_by, is_aligned)) = rival {
            let fault = match (is_aligned, holders.is_empty()) {
                (true, _) => Fault::Replaced,
                (false, true) => Fault::Nowhere,
                (false, false) => Fault::Misplaced,
            };
            return found(fault, kind, Some(told_by));
        }
        if let Some(told_by) = self.part_exchanged(slot, &holders) {
            return found(Fault::Misplaced, kind, Some(told_by));
        }
        match (holders.is_empty() || self.is_partly_unknown(slot)) && !self.is_excused(slot) {
            true => found(Fault::Nowhere, kind, None),
            false => None,
        }
    }

    /// The sentence that fits best and has another part in a name: `Jets QB Zach Wilson` for `Colts QB Zach Wilson`.
    fn part_exchanged(&self, slot: Slot<'_>, holders: &[usize]) -> Option<usize> {
        let Slot::Name(tokens) = slot else {
            return None;
        };
        let words = self.clause(tokens);
        let share = |at: usize| self.covered.share(self.covered.masks[at], words);
        let best = holders
            .iter()
            .max_by(|one, other| share(**one).total_cmp(&share(**other)))?;
        let given = &self.evidence.sentences[*best];
        let is_long = |at: usize| {
            self.vocabulary
                .word(self.sentence.tokens[at].word)
                .lower
                .len()
                >= NAME_MIN
        };
        let lacks =
            |at: usize| self.covered.masks[*best] & self.covered.bit(at) == 0 && is_long(at);
        if share(*best) < self.thresholds.aligned_min || !tokens.clone().any(lacks) {
            return None;
        }
        let own = tokens
            .clone()
            .fold(0, |mask, at| mask | self.covered.bit(at));
        let names = names::of(given, self.vocabulary).into_iter();
        let mut same =
            names.filter(|name| name.clone().any(|at| self.bit_there(given, at) & own != 0));
        let has_other = |name: Range<usize>| name.clone().any(|at| self.bit_there(given, at) == 0);
        same.any(has_other).then_some(*best)
    }

    /// What a fault of it is called.
    fn kind(&self, slot: Slot<'_>) -> ReasonKind {
        let Slot::Value(value) = slot else {
            return ReasonKind::Name;
        };
        let mut given = self
            .evidence
            .sentences
            .iter()
            .flat_map(|sentence| &sentence.values);
        match value.amount {
            Amount::Day(_) => ReasonKind::Date,
            _ if given.any(|given| value.likeness(given) == Likeness::OtherUnit) => {
                ReasonKind::Unit
            }
            _ => ReasonKind::Number,
        }
    }

    /// The sentences of the passages that have it.
    fn holders(&self, slot: Slot<'_>) -> Vec<usize> {
        let sentences = 0..self.evidence.sentences.len();
        sentences.filter(|at| self.has(*at, slot)).collect()
    }

    fn has(&self, sentence: usize, slot: Slot<'_>) -> bool {
        match slot {
            Slot::Value(value) => {
                let mut given = self.evidence.sentences[sentence].values.iter();
                given.any(|given| value.likeness(given) == Likeness::Same)
            }
            // A last name stands for the whole, and so does the first word of a company.
            Slot::Name(tokens) => {
                let has = |at: usize| self.covered.masks[sentence] & self.covered.bit(at) != 0;
                let first = self
                    .vocabulary
                    .word(self.sentence.tokens[tokens.start].word);
                has(tokens.end - 1) || first.lower.len() >= NAME_MIN && has(tokens.start)
            }
        }
    }

    /// Whether a word of a name stands nowhere: `FC Ostrevane`.
    fn is_partly_unknown(&self, slot: Slot<'_>) -> bool {
        let Slot::Name(tokens) = slot else {
            return false;
        };
        let is_unknown = |at: usize| {
            let bit = self.covered.bit(at);
            let word = self.vocabulary.word(self.sentence.tokens[at].word);
            bit != 0 && self.covered.known & bit == 0 && word.lower.len() >= NAME_MIN
        };
        tokens.clone().any(is_unknown)
    }

    /// Whether what stands nowhere may be there all the same: a scan confuses digits, letters stand for names.
    fn is_excused(&self, slot: Slot<'_>) -> bool {
        match slot {
            Slot::Value(value) => value.tokens.clone().all(|at| {
                let digits = &self.vocabulary.word(self.sentence.tokens[at].word).lower;
                self.vocabulary.is_scanned(digits)
            }),
            Slot::Name(tokens) => tokens.clone().all(|at| {
                let word = self.vocabulary.word(self.sentence.tokens[at].word);
                let is_short = (2..=5).contains(&word.lower.len());
                is_short && self.has_initials(&word.lower) || self.has_code(&word.lower)
            }),
        }
    }

    /// Whether two capitals stand for a name: `CA` for `California`.
    fn has_code(&self, name: &str) -> bool {
        self.evidence.sentences.iter().any(|sentence| {
            sentence.tokens.iter().any(|token| {
                let code = self.vocabulary.word(token.word);
                let is_code = token.is_capital && code.is_content && name.len() >= NAME_MIN;
                match (code.lower.as_bytes(), name.as_bytes()) {
                    ([a, b], [first, rest @ ..]) if is_code => a == first && rest.contains(b),
                    _ => false,
                }
            })
        })
    }

    /// Whether words with these first letters follow each other somewhere.
    fn has_initials(&self, letters: &str) -> bool {
        let letters: Vec<char> = letters.chars().collect();
        self.evidence.sentences.iter().any(|sentence| {
            let capitals = sentence.tokens.iter().filter(|token| token.is_capital);
            let first: Vec<char> = capitals
                .filter_map(|token| self.vocabulary.word(token.word).lower.chars().next())
                .collect();
            first.windows(letters.len()).any(|window| window == letters)
        })
    }

    /// The words of the clause of tokens, without theirs, as a mask.
    fn clause(&self, tokens: &Range<usize>) -> u128 {
        let own = tokens
            .clone()
            .fold(0, |mask, at| mask | self.covered.bit(at));
        let clause = self.sentence.clause(tokens, self.vocabulary);
        clause.fold(0, |mask, at| mask | self.covered.bit(at)) & !own
    }

    /// The words around tokens, as a mask.
    fn around(&self, tokens: &Range<usize>) -> u128 {
        let own = tokens
            .clone()
            .fold(0, |mask, at| mask | self.covered.bit(at));
        let side = |places: &mut dyn Iterator<Item = usize>| {
            let bits = places.take(AROUND).map(|at| self.covered.bit(at) & !own);
            bits.filter(|bit| *bit != 0)
                .take(AROUND_WORDS_MAX)
                .fold(0, |mask, bit| mask | bit)
        };
        let clause = self.sentence.clause(tokens, self.vocabulary);
        side(&mut (clause.start..tokens.start).rev()) | side(&mut (tokens.end..clause.end))
    }

    /// The sentence without the slot that fits better around it than those that have it, and has another in its place;
    /// and whether it is near-verbatim.
    fn rival(&self, slot: Slot<'_>, around: u128, holders: &[usize]) -> Option<(usize, bool)> {
        if around.count_ones() < AROUND_MIN {
            return None;
        }
        let fit = |at: usize| self.covered.share(self.covered.masks[at], around);
        let held = holders.iter().map(|at| fit(*at)).fold(0.0, f32::max);
        let mut best: Option<(f32, usize)> = None;
        for at in (0..self.evidence.sentences.len()).filter(|at| !holders.contains(at)) {
            let fit = fit(at);
            if fit >= ABOUT_MIN && best.is_none_or(|(known, _)| fit > known) {
                best = Some((fit, at));
            }
        }
        let (fit, at) = best.filter(|(fit, _)| *fit >= held + self.thresholds.binding_margin)?;
        let beside = self.rival_beside(slot, at)?;
        let tokens = slot.tokens();
        let rest = self.clause(&tokens);
        let share = self.covered.share(self.covered.masks[at], rest);
        let is_aligned = share.min(fit) >= self.thresholds.aligned_min && beside >= BESIDE_MIN;
        Some((at, is_aligned))
    }

    /// How well the best slot of the same kind in a sentence of the passages stands where this one does; nothing where
    /// there is none that the claim lacks.
    fn rival_beside(&self, slot: Slot<'_>, at: usize) -> Option<f32> {
        let given = &self.evidence.sentences[at];
        let mine = self.beside(self.sentence, &slot.tokens(), |token| {
            self.covered.bit(token)
        });
        // What the passage has twice and the claim once, the claim lacks.
        let count = |sentence: &Sentence, of: &Value| {
            let same = sentence
                .values
                .iter()
                .filter(|value| value.likeness(of) == Likeness::Same);
            same.count()
        };
        let is_claimed = |other: &Value| count(self.sentence, other) >= count(given, other);
        let places: Vec<Range<usize>> = match slot {
            Slot::Value(value) => {
                let alike = given.values.iter().filter(|other| {
                    (value.is_alike(other) || value.likeness(other) == Likeness::OtherUnit)
                        && !is_claimed(other)
                });
                alike.map(|other| other.tokens.clone()).collect()
            }
            Slot::Name(_) => {
                let others = names::of(given, self.vocabulary).into_iter();
                let is_other = |name: &Range<usize>| {
                    name.clone().all(|token| self.bit_there(given, token) == 0)
                };
                others.filter(is_other).collect()
            }
        };
        let likeness = places.into_iter().map(|place| {
            let theirs = self.beside(given, &place, |token| self.bit_there(given, token));
            let shared = (mine & theirs).count_ones() as f32;
            shared / mine.count_ones().max(1) as f32
        });
        likeness.reduce(f32::max)
    }

    /// The bit of a token of the passages.
    fn bit_there(&self, given: &Sentence, token: usize) -> u128 {
        let word = self.vocabulary.word(given.tokens[token].word);
        self.covered.bit_of_stem(word.stem)
    }

    /// The words beside tokens of any sentence, as a mask.
    fn beside(
        &self,
        sentence: &Sentence,
        tokens: &Range<usize>,
        bit: impl Fn(usize) -> u128,
    ) -> u128 {
        let from = tokens.start.saturating_sub(BESIDE);
        let to = (tokens.end + BESIDE).min(sentence.tokens.len());
        (from..tokens.start)
            .chain(tokens.end..to)
            .fold(0, |mask, at| mask | bit(at))
    }

    /// Two slots of one kind that a sentence of the passages has the other way round.
    fn swapped(&self, slots: &[Slot<'_>]) -> Option<Finding> {
        for (place, one) in slots.iter().enumerate() {
            for other in &slots[place + 1..] {
                let is_kind = match (one, other) {
                    (Slot::Value(one), Slot::Value(other)) => one.is_alike(other),
                    (Slot::Name(_), Slot::Name(_)) => true,
                    _ => false,
                };
                if !is_kind {
                    continue;
                }
                if let Some(at) = self.swapped_in(*one, *other) {
                    return Some(Finding {
                        kind: self.kind(*one),
                        fault: Fault::Misplaced,
                        tokens: one.tokens(),
                        told_by: Some(at),
                    });
                }
            }
        }
        None
    }

    /// The sentence that has both the other way round, where it is the one that fits best.
    fn swapped_in(&self, one: Slot<'_>, other: Slot<'_>) -> Option<usize> {
        let all = self.clause(&one.tokens());
        let both = (0..self.evidence.sentences.len())
            .filter(|at| self.has(*at, one) && self.has(*at, other));
        let share = |at: usize| self.covered.share(self.covered.masks[at], all);
        let at = both.max_by(|one, other| share(*one).total_cmp(&share(*other)))?;
        if share(at) < self.thresholds.aligned_min {
            return None;
        }
        let given = &self.evidence.sentences[at];
        let (places_one, places_other) = (self.places_in(given, one), self.places_in(given, other));
        if places_one == places_other {
            return None;
        }
        // A value that stands there twice stands where it fits best.
        let like = |slot: Slot<'_>, places: &[Range<usize>]| {
            let fits = places.iter().map(|there| self.sides(slot, given, there));
            fits.max()
        };
        let straight = like(one, &places_one)? + like(other, &places_other)?;
        let crossed = like(one, &places_other)? + like(other, &places_one)?;
        (crossed >= straight + 2).then_some(at)
    }

    /// Where a sentence of the passages has a slot.
    fn places_in(&self, given: &Sentence, slot: Slot<'_>) -> Vec<Range<usize>> {
        match slot {
            Slot::Value(value) => {
                let values = given.values.iter();
                let same = values.filter(|other| value.likeness(other) == Likeness::Same);
                same.map(|other| other.tokens.clone()).collect()
            }
            Slot::Name(tokens) => {
                let last = self.covered.bit(tokens.end - 1);
                let is_it = |token: &usize| last != 0 && self.bit_there(given, *token) == last;
                let ends = (0..given.tokens.len()).filter(is_it);
                ends.map(|at| (at + 1).saturating_sub(tokens.len())..at + 1)
                    .collect()
            }
        }
    }

    /// How many words beside a slot stand on the same side of a place in the passages.
    fn sides(&self, slot: Slot<'_>, given: &Sentence, there: &Range<usize>) -> usize {
        let here = slot.tokens();
        let stems = |sentence: &Sentence, range: Range<usize>| -> Vec<u32> {
            let tokens = sentence.tokens[range]
                .iter()
                .filter(|token| !token.is_value && !token.is_capital);
            tokens
                .map(|token| self.vocabulary.word(token.word).stem)
                .collect()
        };
        let sides = |sentence: &Sentence, place: &Range<usize>| {
            let to = (place.end + BESIDE).min(sentence.tokens.len());
            (
                stems(sentence, place.start.saturating_sub(BESIDE)..place.start),
                stems(sentence, place.end..to),
            )
        };
        let (left, right) = sides(self.sentence, &here);
        let (left_there, right_there) = sides(given, there);
        let shared =
            |one: &[u32], other: &[u32]| one.iter().filter(|stem| other.contains(stem)).count();
        shared(&left, &left_there) + shared(&right, &right_there)
    }
}

/// Letters that scans read for digits.
pub(crate) fn looks_like_digits(word: &str, digits: &str) -> bool {
    word.len() == digits.len() && word != digits && fold::skeleton(word) == fold::skeleton(digits)
}
