//! Numbers the stems of an answer and its passages: words of one stem have the same number.

use crate::lexicon::{Direction, Kind, LEXICON};
use std::cell::{Cell, OnceCell};
use std::collections::HashMap;
use std::rc::Rc;
use text::{fold, stop, unaccented, unify, words};

/// Fewest letters of a word that a scan may have confused, or torn apart.
const CONFUSED_MIN: usize = 4;

/// A word in one of its forms.
#[derive(Debug)]
pub(crate) struct Word {
    /// In lower case, without accents.
    pub(crate) lower: Box<str>,
    /// The number of what it is a form of.
    pub(crate) stem: u32,
    kinds: u8,
    pub(crate) directions: &'static [Direction],
    /// Whether the passages have it in small letters.
    pub(crate) is_seen_small: Cell<bool>,
    /// Whether they have it with a capital inside a sentence.
    pub(crate) is_seen_capital: Cell<bool>,
}

impl Word {
    pub(crate) fn is(&self, kind: Kind) -> bool {
        self.kinds & kind.bit() != 0
    }

    /// Whether it says something of its own.
    pub(crate) fn is_content(&self) -> bool {
        self.is(Kind::Content)
    }

    /// Whether it denies the words beside it.
    pub(crate) fn denies(&self) -> bool {
        self.is(Kind::Negator) || self.is(Kind::Denying)
    }
}

/// All words that were read.
#[derive(Default)]
pub(crate) struct Vocabulary {
    by_form: HashMap<Box<str>, Rc<Word>>,
    /// In the order in which they were read.
    words: Vec<Rc<Word>>,
    /// The word that is asked for, in lower case: kept for its room, since every word of a passage is asked for.
    lower: String,
    stems: HashMap<String, u32>,
    /// By stem: whether the passages have it.
    is_in_passages: Vec<bool>,
    /// The stems of passages with easily confused letters unified; made on first use.
    skeletons: OnceCell<HashMap<String, u32>>,
}

impl Vocabulary {
    /// A word as it is written.
    pub(crate) fn word(&mut self, run: &str) -> Rc<Word> {
        self.lower.clear();
        match run.is_ascii() {
            true => words::push_lower(&mut self.lower, run),
            false => self.lower.push_str(&unaccented(&unify(run)).to_lowercase()),
        }
        // A mark of omission or ownership inside a word says nothing that its letters do not.
        self.lower.retain(|c| c.is_alphanumeric());
        if let Some(known) = self.by_form.get(self.lower.as_str()) {
            return Rc::clone(known);
        }
        let lower: Box<str> = self.lower.as_str().into();
        let stem = LEXICON.stem(&lower);
        let directions = LEXICON.directions(&stem);
        let next = self.stems.len() as u32;
        let stem = *self.stems.entry(stem).or_insert(next);
        if stem == next {
            self.is_in_passages.push(false);
        }
        let word = Rc::new(Word {
            stem,
            kinds: LEXICON.kinds(&lower),
            directions,
            is_seen_small: Cell::new(false),
            is_seen_capital: Cell::new(false),
            lower: lower.clone(),
        });
        self.words.push(Rc::clone(&word));
        self.by_form.insert(lower, Rc::clone(&word));
        word
    }

    /// How many stems there are.
    pub(crate) fn stems(&self) -> usize {
        self.is_in_passages.len()
    }

    /// Takes note that the passages have a word.
    pub(crate) fn see(&mut self, word: &Word, is_capital: bool, is_first: bool) {
        if !is_capital {
            word.is_seen_small.set(true);
        } else if !is_first {
            word.is_seen_capital.set(true);
        }
        self.is_in_passages[word.stem as usize] = true;
    }

    /// Whether the passages have a form of the word.
    pub(crate) fn is_known(&self, word: &Word) -> bool {
        self.is_in_passages[word.stem as usize]
    }

    fn known(&self) -> impl Iterator<Item = &Rc<Word>> {
        self.words.iter().filter(|word| self.is_known(word))
    }

    /// The stem of a word of the passages that a scan may have made of this one, or it of that.
    pub(crate) fn confused(&self, word: &Word) -> Option<u32> {
        if word.lower.len() < CONFUSED_MIN {
            return None;
        }
        let skeletons = self.skeletons.get_or_init(|| {
            let known = self.known().filter(|word| word.lower.len() >= CONFUSED_MIN);
            // Numbers are compared as values: 15 is not `is`.
            let known = known.filter(|word| !word.lower.bytes().all(|byte| byte.is_ascii_digit()));
            known
                .map(|word| (fold::skeleton(&word.lower), word.stem))
                .collect()
        });
        skeletons.get(&fold::skeleton(&word.lower)).copied()
    }

    /// The first half of a word that the passages have in two: `Sto rage`. The halves need not stand beside each other.
    pub(crate) fn torn(&self, word: &Word) -> Option<u32> {
        let lower = &*word.lower;
        if lower.len() < CONFUSED_MIN + 2 {
            return None;
        }
        // Two words of the language make a third one: neither half may be such a word.
        let known = |half: &str| {
            let word = self.by_form.get(half).filter(|word| self.is_known(word))?;
            (!stop::is_content_free(half)).then_some(word.stem)
        };
        (2..=lower.len() - 2)
            .filter(|at| lower.is_char_boundary(*at))
            .find_map(|at| {
                let (first, second) = lower.split_at(at);
                known(first).filter(|_| known(second).is_some())
            })
    }

    /// The longest word of the passages that begins as this one does: `completion` and `complete`.
    pub(crate) fn kindred(&self, word: &Word) -> Option<u32> {
        let lower = &*word.lower;
        if lower.len() < 6 || !lower.is_ascii() {
            return None;
        }
        let near = self.known().filter_map(|word| {
            let pairs = lower.bytes().zip(word.lower.bytes());
            let shared = pairs.take_while(|(one, other)| one == other).count();
            let longer = lower.len().max(word.lower.len());
            let is_near = shared >= 5 && shared * 10 >= longer * 6 && word.is_content();
            is_near.then_some((shared, word.stem))
        });
        near.max().map(|(_, stem)| stem)
    }

    /// Whether the passages have digits as a scan may have read them: `l0` for `10`.
    pub(crate) fn is_scanned(&self, digits: &str) -> bool {
        let is_mixed = |word: &str| {
            word.contains(|c: char| c.is_ascii_digit()) && word.contains(char::is_alphabetic)
        };
        let looks_like_them = |word: &str| {
            word.len() == digits.len() && fold::skeleton(word) == fold::skeleton(digits)
        };
        digits.bytes().all(|byte| byte.is_ascii_digit())
            && self
                .known()
                .any(|word| is_mixed(&word.lower) && looks_like_them(&word.lower))
    }
}
