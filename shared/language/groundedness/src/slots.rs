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
pub(crate) struct Claim<'a> {
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

impl<'a> Claim<'a> {
    pub(crate) fn new(
        sentence: &'a Sentence,
        covered: &'a Covered,
        evidence: &'a Evidence,
        vocabulary: &'a Vocabulary,
        thresholds: &'a Thresholds,
    ) -> Claim<'a> {
        Claim {
            names: names::of(sentence),
            sentence,
            covered,
            evidence,
            vocabulary,
            thresholds,
        }
    }

    /// How many values and names there are.
    pub(crate) fn slots(&self) -> usize {
        self.sentence.values.len() + self.names.len()
    }

    /// All faults.
    pub(crate) fn findings(&self) -> Vec<Finding> {
        let values = self.sentence.values.iter().filter(|value| !value.is_weak);
        let values = values.map(Slot::Value);
        let slots: Vec<Slot<'_>> = values.chain(self.names.iter().map(Slot::Name)).collect();
        let found = slots.iter().filter_map(|slot| self.finding(*slot));
        let mut found: Vec<Finding> = found.collect();
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
        let is_lacking = holders.is_empty() || self.is_partly_unknown(slot);
        let (fault, told_by) =
            if let Some((told_by, is_aligned)) = self.rival(slot, around, &holders) {
                let fault = match (is_aligned, holders.is_empty()) {
                    (true, _) => Fault::Replaced,
                    (false, true) => Fault::Nowhere,
                    (false, false) => Fault::Misplaced,
                };
                (fault, Some(told_by))
            } else if let Some(told_by) = self.part_exchanged(slot, &holders) {
                (Fault::Misplaced, Some(told_by))
            } else if is_lacking && !self.is_excused(slot) {
                (Fault::Nowhere, None)
            } else {
                return None;
            };
        Some(Finding {
            kind: self.kind(slot),
            fault,
            tokens,
            told_by,
        })
    }

    /// The sentence that fits best and has another part in a name: `Jets QB Zach Wilson` for `Colts QB Zach Wilson`.
    fn part_exchanged(&self, slot: Slot<'_>, holders: &[usize]) -> Option<usize> {
        let Slot::Name(tokens) = slot else {
            return None;
        };
        let words = self.clause(tokens);
        let share = |at: usize| self.covered.share_at(at, words);
        let best = holders.iter().copied();
        let best = best.max_by(|one, other| share(*one).total_cmp(&share(*other)))?;
        let lacks = |at: usize| {
            let is_long = self.sentence.tokens[at].word.lower.len() >= NAME_MIN;
            is_long && self.covered.masks[best] & self.covered.bit(at) == 0
        };
        if share(best) < self.thresholds.aligned_min || !tokens.clone().any(lacks) {
            return None;
        }
        let given = &self.evidence.sentences[best];
        let own = self.covered.mask(tokens.clone());
        let names = names::of(given).into_iter();
        let mut same =
            names.filter(|name| name.clone().any(|at| self.bit_there(given, at) & own != 0));
        let has_other = |name: Range<usize>| name.clone().any(|at| self.bit_there(given, at) == 0);
        same.any(has_other).then_some(best)
    }

    /// What a fault of it is called.
    fn kind(&self, slot: Slot<'_>) -> ReasonKind {
        let Slot::Value(value) = slot else {
            return ReasonKind::Name;
        };
        let sentences = self.evidence.sentences.iter();
        let mut given = sentences.flat_map(|sentence| &sentence.values);
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
                let first = &self.sentence.tokens[tokens.start].word;
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
            let word = &self.sentence.tokens[at].word;
            bit != 0 && self.covered.known & bit == 0 && word.lower.len() >= NAME_MIN
        };
        tokens.clone().any(is_unknown)
    }

    /// Whether what stands nowhere may be there all the same: a scan confuses digits, letters stand for names.
    fn is_excused(&self, slot: Slot<'_>) -> bool {
        let tokens = self.sentence.tokens[slot.tokens()].iter();
        let mut words = tokens.map(|token| &*token.word.lower);
        match slot {
            Slot::Value(_) => words.all(|word| self.vocabulary.is_scanned(word)),
            Slot::Name(_) => words.all(|word| {
                let is_short = (2..=5).contains(&word.len());
                is_short && self.has_initials(word) || self.has_code(word)
            }),
        }
    }

    /// Whether two capitals stand for a name: `CA` for `California`.
    fn has_code(&self, name: &str) -> bool {
        let sentences = self.evidence.sentences.iter();
        let tokens = sentences.flat_map(|sentence| &sentence.tokens);
        let mut codes = tokens.filter(|token| token.is_capital && token.word.is_content());
        name.len() >= NAME_MIN
            && codes.any(
                |token| match (token.word.lower.as_bytes(), name.as_bytes()) {
                    ([a, b], [first, rest @ ..]) => a == first && rest.contains(b),
                    _ => false,
                },
            )
    }

    /// Whether words with these first letters follow each other somewhere.
    fn has_initials(&self, letters: &str) -> bool {
        let letters: Vec<char> = letters.chars().collect();
        self.evidence.sentences.iter().any(|sentence| {
            let capitals = sentence.tokens.iter().filter(|token| token.is_capital);
            let first = capitals.filter_map(|token| token.word.lower.chars().next());
            let first: Vec<char> = first.collect();
            first.windows(letters.len()).any(|window| window == letters)
        })
    }

    /// The words of the clause of tokens, without theirs, as a mask.
    fn clause(&self, tokens: &Range<usize>) -> u128 {
        let clause = self.sentence.clause(tokens);
        self.covered.mask(clause) & !self.covered.mask(tokens.clone())
    }

    /// The words around tokens, as a mask.
    fn around(&self, tokens: &Range<usize>) -> u128 {
        let own = self.covered.mask(tokens.clone());
        let side = |places: &mut dyn Iterator<Item = usize>| {
            let bits = places.take(AROUND).map(|at| self.covered.bit(at) & !own);
            bits.filter(|bit| *bit != 0)
                .take(AROUND_WORDS_MAX)
                .fold(0, |mask, bit| mask | bit)
        };
        let clause = self.sentence.clause(tokens);
        side(&mut (clause.start..tokens.start).rev()) | side(&mut (tokens.end..clause.end))
    }

    /// The sentence without the slot that fits better around it than those that have it, and has another in its place;
    /// and whether it is near-verbatim.
    fn rival(&self, slot: Slot<'_>, around: u128, holders: &[usize]) -> Option<(usize, bool)> {
        if around.count_ones() < AROUND_MIN {
            return None;
        }
        let fit = |at: usize| self.covered.share_at(at, around);
        let held = holders.iter().map(|at| fit(*at)).fold(0.0, f32::max);
        let others = (0..self.evidence.sentences.len()).filter(|at| !holders.contains(at));
        let others = others.map(|at| (fit(at), at));
        let best = others.reduce(|best, next| if next.0 > best.0 { next } else { best });
        let least = ABOUT_MIN.max(held + self.thresholds.binding_margin);
        let (fit, at) = best.filter(|(fit, _)| *fit >= least)?;
        let beside = self.rival_beside(slot, at)?;
        let rest = self.clause(&slot.tokens());
        let share = self.covered.share_at(at, rest);
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
            let values = sentence.values.iter();
            let same = values.filter(|value| value.likeness(of) == Likeness::Same);
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
                let bit = |token: usize| self.bit_there(given, token);
                let is_other = |name: &Range<usize>| name.clone().all(|token| bit(token) == 0);
                names::of(given).into_iter().filter(is_other).collect()
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
    pub(crate) fn bit_there(&self, given: &Sentence, token: usize) -> u128 {
        self.covered.bit_of_stem(given.tokens[token].word.stem)
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
        let pairs = (1..).zip(slots);
        let pairs =
            pairs.flat_map(|(next, one)| slots[next..].iter().map(move |other| (one, other)));
        let mut alike = pairs.filter(|(one, other)| match (one, other) {
            (Slot::Value(one), Slot::Value(other)) => one.is_alike(other),
            (Slot::Name(_), Slot::Name(_)) => true,
            _ => false,
        });
        alike.find_map(|(one, other)| {
            Some(Finding {
                told_by: Some(self.swapped_in(*one, *other)?),
                kind: self.kind(*one),
                fault: Fault::Misplaced,
                tokens: one.tokens(),
            })
        })
    }

    /// The sentence that has both the other way round, where it is the one that fits best.
    fn swapped_in(&self, one: Slot<'_>, other: Slot<'_>) -> Option<usize> {
        let all = self.clause(&one.tokens());
        let both = (0..self.evidence.sentences.len())
            .filter(|at| self.has(*at, one) && self.has(*at, other));
        let share = |at: usize| self.covered.share_at(at, all);
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
            let tokens = sentence.tokens[range].iter();
            let words = tokens.filter(|token| !token.is_value && !token.is_capital);
            words.map(|token| token.word.stem).collect()
        };
        let sides = |sentence: &Sentence, place: &Range<usize>| {
            let from = place.start.saturating_sub(BESIDE);
            let to = (place.end + BESIDE).min(sentence.tokens.len());
            [from..place.start, place.end..to].map(|side| stems(sentence, side))
        };
        let pairs = sides(self.sentence, &here)
            .into_iter()
            .zip(sides(given, there));
        let shared = pairs.map(|(mine, theirs)| {
            let is_there = |stem: &&u32| theirs.contains(stem);
            mine.iter().filter(is_there).count()
        });
        shared.sum()
    }
}
