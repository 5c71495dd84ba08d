//! The words that the rules of the check know, out of the language file. *Not* a thesaurus.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::LazyLock;
use text::{currencies, stop, words};

/// Which pair of opposites a word is of, and whether it is on the second side of it.
pub(crate) type Direction = (u8, bool);

/// What the rules know of a word.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// It denies what is behind it.
    Negator,
    /// A verb or a noun that denies what it takes.
    Denying,
    /// A verb that helps another one.
    Auxiliary,
    /// A number in words may begin with it.
    Numeral,
    /// It makes the number behind it a rough one.
    Rough,
    /// A currency in words begins with it.
    Currency,
    /// It speaks of the passages, or binds an answer together.
    Frame,
    /// Neither a denial nor a word without content of its own.
    Content,
}

impl Kind {
    pub(crate) fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// The lists of the language file, to be asked for one word at a time.
pub(crate) struct Lexicon {
    /// One bit for each kind.
    kinds: HashMap<&'static str, u8>,
    irregular: HashMap<&'static str, &'static str>,
    directions: HashMap<String, Vec<Direction>>,
    /// How many of the first pairs have a sign: up or down.
    pub(crate) signed: u8,
    /// By their last word, the longest first: the words that bound a value, and from which side.
    bounds: HashMap<&'static str, Vec<(Vec<&'static str>, i8)>>,
}

/// Made once for the process: it is data that never changes.
pub(crate) static LEXICON: LazyLock<Lexicon> = LazyLock::new(Lexicon::new);

impl Lexicon {
    fn new() -> Lexicon {
        let mut lexicon = Lexicon {
            kinds: HashMap::new(),
            irregular: HashMap::new(),
            directions: HashMap::new(),
            signed: words!(signed).split(',').count() as u8,
            bounds: HashMap::new(),
        };
        for (list, kind) in [
            (words!(negators), Kind::Negator),
            (words!(denying), Kind::Denying),
            (words!(auxiliaries), Kind::Auxiliary),
            (words!(numerals), Kind::Numeral),
            (words!(roughly), Kind::Rough),
            (words!(frame), Kind::Frame),
        ] {
            lexicon.take_in(list.split_ascii_whitespace(), kind);
        }
        let currencies = currencies::WORDS.iter();
        let first = currencies.filter_map(|(words, _)| words.split(' ').next());
        lexicon.take_in(first, Kind::Currency);
        for (phrases, side) in [(words!(from_below), 1), (words!(from_above), -1)] {
            for phrase in phrases.split(',') {
                let words: Vec<&str> = phrase.split_ascii_whitespace().collect();
                let last = words.last().copied().unwrap_or_default();
                lexicon.bounds.entry(last).or_default().push((words, side));
            }
        }
        for phrases in lexicon.bounds.values_mut() {
            phrases.sort_by_key(|(words, _)| Reverse(words.len()));
        }
        for forms in words!(irregular).split(',') {
            let mut forms = forms.split_ascii_whitespace();
            let base = forms.next().unwrap_or_default();
            lexicon.irregular.extend(forms.map(|form| (form, base)));
        }
        let pairs = words!(signed).split(',').chain(words!(contrary).split(','));
        for (pair, sides) in (0u8..).zip(pairs) {
            for (words, side) in sides.split('|').zip([false, true]) {
                for word in words.split_ascii_whitespace() {
                    let of = lexicon.directions.entry(lexicon.stem(word)).or_default();
                    if !of.contains(&(pair, side)) {
                        of.push((pair, side));
                    }
                }
            }
        }
        lexicon
    }

    fn take_in(&mut self, words: impl Iterator<Item = &'static str>, kind: Kind) {
        for word in words {
            *self.kinds.entry(word).or_default() |= kind.bit();
        }
    }

    /// What a lower-case word is a form of.
    pub(crate) fn stem(&self, word: &str) -> String {
        words::stem(self.irregular.get(word).unwrap_or(&word))
    }

    /// The directions that a stem has.
    pub(crate) fn directions(&self, stem: &str) -> &[Direction] {
        self.directions.get(stem).map_or(&[], Vec::as_slice)
    }

    /// From which side words bound a value behind them: below (1), above (-1), or neither. `back` gives the word so many
    /// places before the value.
    pub(crate) fn bound<'a>(&self, back: impl Fn(usize) -> &'a str) -> i8 {
        let is_said = |words: &[&str]| {
            let mut words = (1..).zip(words.iter().rev());
            words.all(|(at, known)| back(at) == *known)
        };
        let known = self.bounds.get(back(1)).map_or(&[][..], Vec::as_slice);
        let found = known.iter().find(|(words, _)| is_said(words));
        found.map_or(0, |(_, side)| *side)
    }

    /// The kinds of a lower-case word, one bit each.
    pub(crate) fn kinds(&self, word: &str) -> u8 {
        let kinds = self.kinds.get(word).copied().unwrap_or_default();
        let is_content = kinds & (Kind::Negator.bit() | Kind::Frame.bit()) == 0;
        match is_content && !stop::is_content_free(word) {
            true => kinds | Kind::Content.bit(),
            false => kinds,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_pairs_of_opposites_have_a_sign() {
        assert_eq!(LEXICON.signed, 16);
    }

    #[test]
    fn opposites_are_of_one_pair() {
        let of = |word| LEXICON.directions(&LEXICON.stem(word)).to_vec();
        let (rises, fell) = (of("increased"), of("decreases"));
        assert!(
            rises
                .iter()
                .any(|(pair, side)| fell.contains(&(*pair, !side)))
        );
        assert!(of("table").is_empty());
        assert_eq!(LEXICON.stem("paid"), LEXICON.stem("pays"));
    }
}
