//! Splits a passage into words once, keeps them in one piece of memory, and scores how well some of them match a term
//! of a question.

use super::lexicon::{Lexicon, akin, misspelt};
use super::question::{Kind, Term, is_year};
use std::ops::Range;
use text::{Language, compounds, words};

/// What another form of a word counts.
const AKIN: f32 = 0.8;
/// What a word counts that is a part of a longer one, or the other way round.
const COMPOUND: f32 = 0.9;
/// What a word counts that is one slip away.
const MISSPELT: f32 = 0.6;

/// The words of several texts, one after another.
pub(super) struct Words<'l> {
    lexicon: &'l Lexicon,
    language: Language,
    /// The letters that the words point into.
    letters: String,
    words: Vec<Word<'l>>,
}

struct Word<'l> {
    /// In lower case.
    run: Range<usize>,
    stem: Range<usize>,
    /// The stem of what a scanner could have read.
    blurred: Range<usize>,
    /// The stems of the parts of a compound, each before a blank.
    parts: Range<usize>,
    /// What stands for the stem in the lexicon; not looked up for a stop word.
    known: Option<&'l str>,
    is_stop: bool,
}

impl<'l> Words<'l> {
    /// The words of no text of a language.
    pub(super) fn new(lexicon: &'l Lexicon, language: Language) -> Self {
        Words {
            lexicon,
            language,
            letters: String::new(),
            words: Vec::new(),
        }
    }

    /// Adds the words of a text, and says where they stand.
    pub(super) fn add(&mut self, text: &str) -> Range<usize> {
        let from = self.words.len();
        let (mut lower, mut stem, mut blurred) = (String::new(), String::new(), String::new());
        for run in words::runs(text) {
            lower.clear();
            words::push_lower(&mut lower, run);
            stem.clear();
            self.language.push_stem(&mut stem, &lower);
            blur_word(&mut blurred, &lower, &stem, self.language);
            let is_stop = self.language.is_stop(&lower);
            let mut parts = String::new();
            for (head, tail) in compounds::parts(self.language, &lower) {
                for part in [head, tail] {
                    self.language.push_stem(&mut parts, part);
                    parts.push(' ');
                }
            }
            let word = Word {
                run: self.keep(&lower),
                stem: self.keep(&stem),
                blurred: self.keep(&blurred),
                parts: self.keep(&parts),
                known: (self.lexicon.known(&stem, self.language)).filter(|_| !is_stop),
                is_stop,
            };
            self.words.push(word);
        }
        from..self.words.len()
    }

    fn keep(&mut self, letters: &str) -> Range<usize> {
        let from = self.letters.len();
        self.letters.push_str(letters);
        from..self.letters.len()
    }

    /// Some of the words.
    pub(super) fn bag(&self, at: Range<usize>) -> Bag<'_> {
        Bag {
            of: self,
            words: &self.words[at],
        }
    }

    /// All of the words.
    pub(super) fn all(&self) -> Bag<'_> {
        self.bag(0..self.words.len())
    }
}

/// The words of a text, ready to be looked up in.
#[derive(Clone, Copy)]
pub(super) struct Bag<'a> {
    of: &'a Words<'a>,
    words: &'a [Word<'a>],
}

impl<'a> Bag<'a> {
    fn letters(self, at: &Range<usize>) -> &'a str {
        &self.of.letters[at.clone()]
    }

    /// How many words there are.
    pub(super) fn len(self) -> usize {
        self.words.len()
    }

    /// The language of the text.
    pub(super) fn language(self) -> Language {
        self.of.language
    }

    /// A word in lower case.
    pub(super) fn run(self, at: usize) -> &'a str {
        self.letters(&self.words[at].run)
    }

    /// The words in lower case.
    pub(super) fn runs(self) -> impl Iterator<Item = &'a str> {
        self.words.iter().map(move |word| self.letters(&word.run))
    }

    /// A word as it is compared, also when it is a stop word.
    pub(super) fn key(self, at: usize) -> &'a str {
        let word = &self.words[at];
        let stem = self.letters(&word.stem);
        let known = match word.is_stop {
            true => self.of.lexicon.known(stem, self.of.language),
            false => word.known,
        };
        known.unwrap_or(stem)
    }

    /// The words with content as they are compared.
    fn keys(self) -> impl Iterator<Item = &'a str> {
        let content = self.words.iter().filter(|word| !word.is_stop);
        content.map(move |word| word.known.unwrap_or_else(|| self.letters(&word.stem)))
    }

    /// How well it holds a term, 0 to 1.
    pub(super) fn holds(self, sought: &Sought<'_>) -> f32 {
        let term = sought.term;
        if matches!(term.kind, Kind::Identifier | Kind::Label | Kind::Number) {
            return f32::from(u8::from(self.spells(&sought.blurred)));
        }
        let (mut is_akin, mut is_misspelt) = (false, false);
        for key in self.keys() {
            if key == term.key {
                return 1.0;
            }
            is_akin = is_akin || akin(key, &term.key);
            is_misspelt = is_misspelt || misspelt(key, &term.key);
        }
        let is_blurred = |word: &Word<'_>| self.letters(&word.blurred) == sought.blurred;
        match () {
            () if self.is_written(&sought.lower) => 1.0,
            () if self.of.language.has_compounds() && self.is_in_compound(sought) => COMPOUND,
            () if is_akin => AKIN,
            () if term.key.len() >= 4 && self.words.iter().any(is_blurred) => 1.0,
            () if is_misspelt => MISSPELT,
            () => 0.0,
        }
    }

    /// Whether a word stands there as it is written: a name in a text of another language.
    fn is_written(self, lower: &str) -> bool {
        let is_sign = lower.contains(words::is_unspaced) && lower.chars().count() == 1;
        self.runs()
            .any(|run| run == lower || is_sign && run.contains(lower))
    }

    /// Whether a word is a part of a longer one of the text, or its parts are words of it.
    fn is_in_compound(self, sought: &Sought<'_>) -> bool {
        let parts = self.words.iter().map(|word| self.letters(&word.parts));
        let mut parts = parts.flat_map(str::split_ascii_whitespace);
        parts.any(|part| part == sought.term.key)
            || sought.parts.iter().any(|(head, tail)| {
                let has = |part: &str| self.keys().any(|known| known == part);
                has(head) && has(tail)
            })
    }

    /// Whether a label is there with another number: `line 3` for `line 5`.
    pub(super) fn labels_another(self, term: &Term) -> bool {
        let label = term.text.split_whitespace().next().unwrap_or_default();
        let label = label.to_lowercase();
        (1..self.len()).any(|at| {
            let next = self.run(at);
            self.run(at - 1) == label
                && next.len() <= 2
                && next.starts_with(|c: char| c.is_ascii_digit())
        })
    }

    /// Whether neighbouring runs, put together, are exactly `wanted`: `INV-20` is not in `INV-2041`.
    fn spells(self, wanted: &str) -> bool {
        let from = |at: usize| {
            let mut rest = wanted;
            for word in &self.words[at..] {
                match without_blurred(rest, self.letters(&word.run)) {
                    Some("") => return true,
                    Some(more) => rest = more,
                    None => return false,
                }
            }
            false
        };
        (0..self.len()).any(from)
    }

    /// Whether it names a year.
    pub(super) fn has_year(self) -> bool {
        self.runs().any(is_year)
    }
}

/// A term as it is looked up in many bags.
pub(super) struct Sought<'a> {
    pub(super) term: &'a Term,
    /// In lower case.
    lower: String,
    /// As scanners confuse it: a part number as a whole, a word by its stem.
    blurred: String,
    /// The stems of what it may be composed of.
    parts: Vec<(String, String)>,
}

impl<'a> Sought<'a> {
    pub(super) fn new(term: &'a Term) -> Self {
        let (mut blurred, lower) = (String::new(), term.text.to_lowercase());
        match term.kind {
            Kind::Identifier | Kind::Label | Kind::Number => {
                blurred.extend(term.key.chars().map(blur));
            }
            Kind::Name | Kind::Plain | Kind::Generic => {
                let stem = term.language.stem(&lower);
                blur_word(&mut blurred, &lower, &stem, term.language);
            }
        }
        let stem = |part: &str| term.language.stem(part);
        let parts = compounds::parts(term.language, &lower).into_iter();
        Sought {
            term,
            blurred,
            parts: parts.map(|(head, tail)| (stem(head), stem(tail))).collect(),
            lower,
        }
    }
}

/// Sets `out` to the stem of a word in which scanners took letters for digits and `m` for `rn`. `stem` is
/// that of the word as it stands.
fn blur_word(out: &mut String, lower: &str, stem: &str, language: Language) {
    out.clear();
    let is_clear = !lower.contains(['0', '1']) && !lower.contains("rn");
    if is_clear {
        return out.extend(stem.chars().map(|c| if c == 'i' { 'l' } else { c }));
    }
    let letters = lower.replace('1', "l").replace('0', "o");
    let stem = language.stem(&letters.replace("rn", "m"));
    out.push_str(&stem.replace('i', "l"));
}

/// A sign of a part number as scanners confuse it: `O` and `0`, `l`, `I` and `1` are one.
fn blur(c: char) -> char {
    match c {
        'o' => '0',
        'l' | 'i' => '1',
        other => other,
    }
}

/// What is left of `blurred` after `run`, which is blurred on the way: byte by byte, since only ASCII is.
fn without_blurred<'a>(blurred: &'a str, run: &str) -> Option<&'a str> {
    let head = blurred.as_bytes().get(..run.len())?;
    let is_head = head
        .iter()
        .zip(run.bytes())
        .all(|(wanted, byte)| *wanted == blur(char::from(byte)) as u8);
    is_head.then(|| &blurred[run.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::Question;

    #[test]
    fn what_a_scanner_misread_is_compared_by_the_stem_of_its_language() {
        for (language, asked, misread) in [
            (
                Language::German,
                "Wann treten Vibrationen auf?",
                "Vlbratlonen",
            ),
            (Language::English, "When do vibrations occur?", "vlbratlons"),
        ] {
            let lexicon = Lexicon::new();
            let question = Question::read(&lexicon, asked);
            let is_it = |term: &&Term| term.text.to_lowercase().starts_with("vibration");
            let term = question.terms.iter().find(is_it).unwrap();
            assert_eq!(term.language, language, "{asked}");
            let mut words = Words::new(&lexicon, language);
            words.add(misread);
            assert_eq!(words.all().holds(&Sought::new(term)), 1.0, "{misread}");
        }
    }
}
