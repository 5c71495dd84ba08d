//! Finds the words that reverse the meaning of a sentence: one negation more or less, the opposite direction, or the
//! opposite bound.
//!
//! *Not* recognised: irony, quotations and subordinate clauses.

use crate::check::ReasonKind;
use crate::coverage::share;
use crate::lexicon::{Kind, LEXICON};
use crate::reading::{Sentence, Token};
use crate::slots::Claim;
use crate::values::{Likeness, Value};
use crate::vocabulary::Word;
use std::ops::Range;
use text::is_of;

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
    claim: &'a Claim<'a>,
    claimed: &'a Sentence,
    given: &'a Sentence,
    /// Which sentence of the passages it is.
    at: usize,
}

impl<'a> Beside<'a> {
    pub(crate) fn new(claim: &'a Claim<'a>, at: usize) -> Beside<'a> {
        Beside {
            claim,
            claimed: claim.sentence,
            given: &claim.evidence.sentences[at],
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
            let is_same = |given: &&Value| value.likeness(given) == Likeness::Same;
            let same: Vec<&Value> = self.given.values.iter().filter(is_same).collect();
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
        let (claimed, given) = (denials(self.claimed), denials(self.given));
        // Two denials say what none does: their number in both clauses is compared, too.
        let count = |denials: &[Denial], sentence: &Sentence, at: usize| {
            let clause = sentence.clause(&(at..at + 1));
            let inside = denials.iter().filter(|denial| clause.contains(&denial.at));
            inside.count()
        };
        let balance = |at: usize, there: usize| {
            count(&claimed, self.claimed, at).cmp(&count(&given, self.given, there))
        };
        let is_denied = |by: &[Denial], stem: u32| by.iter().any(|one| one.bound.contains(&stem));
        let mut turns = Vec::new();
        for denial in claimed.iter().filter(|denial| !denial.is_quoted) {
            let mut bound = denial.bound.iter();
            let shared = bound.find_map(|stem| Some((*stem, place(self.given, *stem)?)));
            if let Some((stem, there)) = shared
                && !is_denied(&given, stem)
                && balance(denial.at, there).is_gt()
            {
                let tokens = denial.at..denial.at + 1;
                turns.push(self.turn(ReasonKind::Polarity, tokens, there, 1.0));
            }
        }
        for denial in given.iter().filter(|denial| !denial.is_quoted) {
            let mut bound = denial.bound.iter().take(2);
            let shared = bound.find_map(|stem| Some((*stem, place(self.claimed, *stem)?)));
            if let Some((stem, at)) = shared
                && !is_denied(&claimed, stem)
                && balance(at, denial.at).is_lt()
            {
                turns.push(self.turn(ReasonKind::Polarity, at..at + 1, denial.at, 1.0));
            }
        }
        turns
    }

    /// Directions of which the other side has the opposite.
    fn directions(&self) -> Vec<Turn> {
        let mut turns = Vec::new();
        let is_more_there = |word: &Word| count(self.given, word) > count(self.claimed, word);
        for (at, token) in self.claimed.tokens.iter().enumerate() {
            let word = &token.word;
            let is_there = || count(self.given, word) >= count(self.claimed, word);
            if token.is_value || word.directions.is_empty() || is_there() {
                continue;
            }
            // Another word of the same side says the same, unless the claim has it, too: then it stands there for
            // something else.
            let is_shared = |token: &Token| {
                let mut directions = word.directions.iter();
                directions.any(|one| token.word.directions.contains(one))
                    && count(self.claimed, &token.word) == 0
            };
            if self.given.tokens.iter().any(is_shared) {
                continue;
            }
            let is_opposite = |token: &Token| {
                let mut directions = word.directions.iter();
                directions.any(|(pair, side)| token.word.directions.contains(&(*pair, !side)))
                    && !token.is_value
                    && is_more_there(&token.word)
            };
            let there = self.given.tokens.iter().enumerate();
            let there = there.filter(|(_, token)| is_opposite(token));
            let weights = there.map(|(there, _)| (self.likeness(at, there), there));
            let best = weights.max_by(|(one, _), (other, _)| one.total_cmp(other));
            if let Some((weight, there)) = best {
                turns.push(self.turn(ReasonKind::Direction, at..at + 1, there, weight));
            }
        }
        turns
    }

    /// The share of the words around a token of the passage that the claim has.
    fn echo(&self, there: usize) -> f32 {
        let clause = self.given.clause(&(there..there + 1));
        let from = there.saturating_sub(ECHOED).max(clause.start);
        let to = (there + ECHOED + 1).min(clause.end);
        let around = self.given.tokens[from..to].iter();
        let telling = around.filter(|token| {
            token.word.is_content() && !token.is_value && token.word.directions.is_empty()
        });
        let is_found = |token: &&Token| self.claim.covered.bit_of_stem(token.word.stem) != 0;
        share(telling.clone().filter(is_found).count(), telling.count())
    }

    /// The share of the words beside a token of the claim that stand beside one of the passage, too.
    fn likeness(&self, at: usize, there: usize) -> f32 {
        let beside = |sentence: &Sentence, at: usize| {
            let from = at.saturating_sub(BESIDE);
            from..(at + BESIDE + 1).min(sentence.tokens.len())
        };
        let clause = self.claimed.clause(&(at..at + 1));
        let mine = beside(self.claimed, at).filter(|token| *token != at && clause.contains(token));
        let mine = self.claim.covered.mask(mine);
        let theirs = beside(self.given, there).map(|token| self.claim.bit_there(self.given, token));
        let theirs = theirs.fold(0, |mask, bit| mask | bit);
        (mine & theirs).count_ones() as f32 / mine.count_ones().max(1) as f32
    }
}

/// Whether the signs of a sentence near the words that `is_shared` has come to up or down: each word for down and each
/// denial turns it. Nothing where there is none.
pub(crate) fn sign(sentence: &Sentence, is_shared: impl Fn(&Token) -> bool) -> Option<bool> {
    let places = sentence.tokens.iter().enumerate();
    let shared = places.clone().filter(|(_, token)| is_shared(token));
    let shared: Vec<usize> = shared.map(|(at, _)| at).collect();
    let is_near = |at: usize| shared.iter().any(|place| place.abs_diff(at) <= SIGN_NEAR);
    let (mut is_up, mut has_sign) = (true, false);
    for (at, token) in places.filter(|(at, _)| is_near(*at)) {
        let mut directions = token.word.directions.iter();
        let side = directions.find(|(pair, _)| *pair < LEXICON.signed);
        let turns = side.map_or(token.word.denies(), |(_, is_down)| *is_down);
        is_up ^= turns && (side.is_some() || at > 0);
        has_sign |= turns || side.is_some();
    }
    has_sign.then_some(is_up)
}

/// Whether a sentence of an answer denies something, and none of these of the passages does.
pub(crate) fn denies_alone(claimed: &Sentence, given: &[Sentence]) -> bool {
    let denies = |token: &Token| token.word.denies() || &*token.word.lower == "false";
    let mut own = denials(claimed).into_iter();
    own.any(|denial| !denial.is_quoted)
        && !given
            .iter()
            .flat_map(|sentence| &sentence.tokens)
            .any(denies)
}

/// A negator with the stems of the words that it binds.
struct Denial {
    at: usize,
    bound: Vec<u32>,
    is_quoted: bool,
}

/// The denials of a sentence. `not only` denies nothing, and neither does what bounds a value.
fn denials(sentence: &Sentence) -> Vec<Denial> {
    let tokens = &sentence.tokens;
    let lower = |at: usize| tokens.get(at).map_or("", |token| &*token.word.lower);
    let mut denials: Vec<Denial> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let word = &token.word;
        // `"OutdoorSeating": false` denies the words before it.
        if &*word.lower == "false" && at > 0 {
            let before = tokens[..at].iter().rev().take(2);
            let bound = before.filter(|token| token.word.is_content());
            denials.push(Denial {
                at,
                bound: bound.map(|token| token.word.stem).collect(),
                is_quoted: false,
            });
            continue;
        }
        let before = at.checked_sub(1).map_or("", lower);
        let is_none = match &*word.lower {
            "no" => tokens.get(at + 1).is_some_and(|token| token.is_value),
            "nor" => denials.iter().any(|denial| denial.at + 9 > at),
            "not" => matches!(before, "or" | "if"),
            _ => false,
        };
        let is_bound = word.is(Kind::Negator) && is_of(lower(at + 1), words!(negated_bounds));
        if is_none || is_bound || !word.denies() {
            continue;
        }
        let behind = || tokens[at + 1..].iter().take(SCOPE);
        let before = || tokens[..at].iter().rev().take(SCOPE);
        let mut bound = bound_of(behind().take_while(|token| !token.is_parted));
        // `is not 18 months`: what is denied stands before it.
        if bound.is_empty() {
            bound = bound_of(before());
        }
        // `not, however, possible`
        if bound.is_empty() {
            bound = bound_of(behind());
        }
        denials.push(Denial {
            at,
            bound,
            is_quoted: token.is_quoted,
        });
    }
    denials
}

/// The stems of the first few words that a negator can bind.
fn bound_of<'a>(tokens: impl Iterator<Item = &'a Token>) -> Vec<u32> {
    let words = tokens
        .filter(|token| !token.is_value)
        .map(|token| &token.word);
    let telling = words.filter(|word| {
        !word.is(Kind::Auxiliary) && (word.is_content() || !word.directions.is_empty())
    });
    telling.map(|word| word.stem).take(BOUND_MAX).collect()
}

fn count(sentence: &Sentence, word: &Word) -> usize {
    let tokens = sentence.tokens.iter();
    tokens.filter(|token| token.word.stem == word.stem).count()
}

/// Where a stem stands first.
fn place(sentence: &Sentence, stem: u32) -> Option<usize> {
    let mut tokens = sentence.tokens.iter();
    tokens.position(|token| token.word.stem == stem)
}
