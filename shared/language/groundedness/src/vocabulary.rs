//! Numbers the words of an answer and its passages: equal words have the same number.

use crate::lexicon::{self, Direction, LEXICON};
use crate::slots;
use std::collections::HashMap;
use text::{currencies, fold, stop, unaccented, unify, words};

/// Fewest letters of a word that a scan may have confused, or torn apart.
const CONFUSED_MIN: usize = 4;

/// A word in one of its forms.
pub(crate) struct Word {
    /// In lower case, without accents.
    pub(crate) lower: Box<str>,
    /// The number of what it is a form of.
    pub(crate) stem: u32,
    /// Whether it says something of its own.
    pub(crate) is_content: bool,
    pub(crate) is_negator: bool,
    pub(crate) is_denying: bool,
    pub(crate) is_auxiliary: bool,
    /// Whether a number in words may begin with it.
    pub(crate) is_numeral: bool,
    /// Whether it makes the number behind it a rough one.
    pub(crate) is_rough: bool,
    /// Whether a currency in words begins with it.
    pub(crate) is_currency: bool,
    pub(crate) directions: &'static [Direction],
    /// Whether the passages have it in small letters.
    pub(crate) is_seen_small: bool,
    /// Whether they have it with a capital inside a sentence.
    pub(crate) is_seen_capital: bool,
}

/// All words that were read.
#[derive(Default)]
pub(crate) struct Vocabulary {
    by_form: HashMap<Box<str>, u32>,
    words: Vec<Word>,
    /// The word that is asked for, in lower case: kept for its room, since every word of a passage is asked for.
    lower: String,
    stems: HashMap<String, u32>,
    /// By stem: whether the passages have it.
    is_in_passages: Vec<bool>,
    /// The stems of passages with easily confused letters unified; made on first use.
    skeletons: Option<HashMap<String, u32>>,
}

impl Vocabulary {
    /// The number of a word as it is written.
    pub(crate) fn number(&mut self, run: &str) -> u32 {
        self.lower.clear();
        match run.is_ascii() {
            true => words::push_lower(&mut self.lower, run),
            false => self.lower.push_str(&unaccented(&unify(run)).to_lowercase()),
        }
        // A mark of omission or ownership inside a word says nothing that its letters do not.
        self.lower.retain(|c| c.is_alphanumeric());
        if let Some(known) = self.by_form.get(self.lower.as_str()) {
            return *known;
        }
        let lower = self.lower.clone();
        let stem = LEXICON.stem(&lower);
        let directions = LEXICON.directions(&stem);
        let next = self.stems.len() as u32;
        let stem = *self.stems.entry(stem).or_insert(next);
        if stem == next {
            self.is_in_passages.push(false);
        }
        let is_negator = LEXICON.is_negator(&lower);
        let is_content = !is_negator && !stop::is_content_free(&lower) && !LEXICON.is_frame(&lower);
        let number = self.words.len() as u32;
        self.words.push(Word {
            stem,
            is_content,
            is_negator,
            is_denying: LEXICON.is_denying(&lower),
            is_auxiliary: LEXICON.is_auxiliary(&lower),
            is_numeral: LEXICON.is_numeral(&lower),
            is_rough: lexicon::is_of(&lower, lexicon::ROUGHLY),
            is_currency: currencies::WORDS
                .iter()
                .any(|(words, _)| words.split(' ').next() == Some(&lower)),
            directions,
            is_seen_small: false,
            is_seen_capital: false,
            lower: lower.clone().into(),
        });
        self.by_form.insert(lower.into(), number);
        number
    }

    /// The word with a number.
    pub(crate) fn word(&self, number: u32) -> &Word {
        &self.words[number as usize]
    }

    /// How many stems there are.
    pub(crate) fn stems(&self) -> usize {
        self.is_in_passages.len()
    }

    /// Takes note that the passages have a word.
    pub(crate) fn see(&mut self, number: u32, is_capital: bool, is_first: bool) {
        let word = &mut self.words[number as usize];
        word.is_seen_small |= !is_capital;
        word.is_seen_capital |= is_capital && !is_first;
        self.is_in_passages[word.stem as usize] = true;
    }

    /// Whether the passages have a form of the word.
    pub(crate) fn is_known(&self, number: u32) -> bool {
        self.is_in_passages[self.word(number).stem as usize]
    }

    /// The stem of a word of the passages that a scan may have made of this one, or it of that.
    pub(crate) fn confused(&mut self, number: u32) -> Option<u32> {
        let lower = &self.words[number as usize].lower;
        if lower.len() < CONFUSED_MIN {
            return None;
        }
        let skeletons = self.skeletons.get_or_insert_with(|| {
            let words = self.words.iter();
            let known = words.filter(|word| {
                self.is_in_passages[word.stem as usize] && word.lower.len() >= CONFUSED_MIN
            });
            // Numbers are compared as values: 15 is not `is`.
            let known = known.filter(|word| !word.lower.bytes().all(|byte| byte.is_ascii_digit()));
            known
                .map(|word| (fold::skeleton(&word.lower), word.stem))
                .collect()
        });
        skeletons.get(&fold::skeleton(lower)).copied()
    }

    /// The first half of a word that the passages have in two: `Sto rage`. The halves need not stand beside each other.
    pub(crate) fn torn(&self, number: u32) -> Option<u32> {
        let lower = &*self.word(number).lower;
        if lower.len() < CONFUSED_MIN + 2 {
            return None;
        }
        let is_known = |half: &str| {
            let number = self.by_form.get(half)?;
            self.is_known(*number).then_some(self.word(*number).stem)
        };
        (2..=lower.len() - 2)
            .filter(|at| lower.is_char_boundary(*at))
            .find_map(|at| {
                let (first, second) = lower.split_at(at);
                // Two words of the language make a third one: one of the halves has to be none.
                let is_none = |half| stop::is_content_free(half);
                let stem = is_known(first).filter(|_| !is_none(first) && !is_none(second))?;
                is_known(second).map(|_| stem)
            })
    }

    /// The longest word of the passages that begins as this one does: `completion` and `complete`.
    pub(crate) fn kindred(&self, number: u32) -> Option<u32> {
        let lower = &*self.word(number).lower;
        if lower.len() < 6 || !lower.is_ascii() {
            return None;
        }
        let shared = |other: &str| {
            let pairs = lower.bytes().zip(other.bytes());
            pairs.take_while(|(one, other)| one == other).count()
        };
        let head = &lower.as_bytes()[..4];
        let words = self.words.iter().filter(|word| {
            word.is_content
                && self.is_in_passages[word.stem as usize]
                && word.lower.as_bytes().starts_with(head)
        });
        let near = words.filter_map(|word| {
            let shared = shared(&word.lower);
            let longer = lower.len().max(word.lower.len());
            (shared >= 5 && shared * 10 >= longer * 6).then_some((shared, word.stem))
        });
        near.max().map(|(_, stem)| stem)
    }
}

impl Vocabulary {
    /// Whether the passages have digits as a scan may have read them: `l0` for `10`.
    pub(crate) fn is_scanned(&self, digits: &str) -> bool {
        let known = self
            .words
            .iter()
            .filter(|word| self.is_in_passages[word.stem as usize]);
        let mut mixed = known.filter(|word| {
            word.lower.contains(|c: char| c.is_ascii_digit())
                && word.lower.contains(char::is_alphabetic)
        });
        digits.bytes().all(|byte| byte.is_ascii_digit())
            && mixed.any(|word| slots::looks_like_digits(&word.lower, digits))
    }
}
