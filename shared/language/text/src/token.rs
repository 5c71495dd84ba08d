//! Splits a question into tokens with their positions. Pure.
//!
//! A token is the text between blanks without the punctuation around it: `HX-2033A`, `$1,100` and `2024-05-03` are one
//! token each. A comparison sign such as `<=` is a token of its own. This is *not* the analyser of an index.

use crate::lists::is_of_either;
use crate::{is_of, months};
use std::ops::Range;

/// The most tokens that are read. The search, which gets the whole question, still sees the words behind them.
const TOKENS_MAX: usize = 512;

/// One token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionToken {
    /// The token as it is written, without a possessive `'s`.
    pub text: String,
    /// In lower case.
    pub lower: String,
    /// The position in the question, in bytes.
    pub span: Range<usize>,
    /// Whether it is the first token of a sentence, where a capital letter says nothing.
    pub is_first: bool,
    /// Whether a punctuation mark separates it from the next token: a comma, a colon, the end of a sentence.
    pub is_last: bool,
    /// Whether that mark may also stand inside a name: `The Courier - Sport`, `Daily | News of the World`.
    pub is_joint: bool,
}

impl QuestionToken {
    fn sign(text: &str, start: usize) -> QuestionToken {
        QuestionToken {
            text: text.to_owned(),
            lower: text.to_owned(),
            span: start..start + text.len(),
            is_first: false,
            is_last: false,
            is_joint: false,
        }
    }

    /// Whether it begins with a capital letter.
    pub fn is_capital(&self) -> bool {
        self.text.chars().next().is_some_and(char::is_uppercase)
    }

    /// Whether it has a capital that no beginning of a sentence explains.
    pub fn is_name(&self) -> bool {
        self.is_capital() && !self.is_first
    }

    /// Whether a capital letter follows a small one, which happens in names alone: `TechWeek`, `eBay`.
    pub fn has_inner_capital(&self) -> bool {
        let letters: Vec<char> = self.text.chars().collect();
        let behind = |pair: &[char]| pair[0].is_lowercase() && pair[1].is_uppercase();
        letters.windows(2).any(behind)
    }

    /// Whether there is a digit in it.
    pub fn has_digit(&self) -> bool {
        self.text.contains(|c: char| c.is_ascii_digit())
    }
}

/// The words of a question by their place. A place without a word has an empty one.
pub trait TokenWords {
    /// The word at a place, in lower case.
    fn word(&self, at: usize) -> &str;
    /// The word so many places before one.
    fn back(&self, at: usize, back: usize) -> &str {
        at.checked_sub(back).map_or("", |at| self.word(at))
    }
    /// Whether the word at a place is one of those in a list.
    fn is(&self, at: usize, words: &str) -> bool {
        is_of(self.word(at), words)
    }
    /// Whether these words stand at a place.
    fn says(&self, at: usize, words: &str) -> bool {
        let mut said = words.split_ascii_whitespace().enumerate();
        said.all(|(i, word)| self.word(at + i) == word)
    }
    /// Whether one of some phrases, between commas, stands at a place.
    fn says_any(&self, at: usize, phrases: &str) -> bool {
        phrases.split(',').any(|phrase| self.says(at, phrase))
    }
    /// How many words there are.
    fn count(&self) -> usize;
    /// Whether one of the words is in a list.
    fn has(&self, words: &str) -> bool {
        (0..self.count()).any(|at| self.is(at, words))
    }
    /// Whether a word of one list stands before a word of another.
    fn has_pair(&self, one: &str, other: &str) -> bool {
        (1..self.count()).any(|at| self.is(at - 1, one) && self.is(at, other))
    }
    /// Whether these words stand anywhere.
    fn has_phrase(&self, words: &str) -> bool {
        (0..self.count()).any(|at| self.says(at, words))
    }
}

impl TokenWords for [QuestionToken] {
    fn word(&self, at: usize) -> &str {
        self.get(at).map_or("", |token| &token.lower)
    }

    fn count(&self) -> usize {
        self.len()
    }
}

/// The tokens as they are written, with blanks between them.
pub fn text_of(tokens: &[QuestionToken]) -> String {
    let words: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
    words.join(" ")
}

/// The token at which the reply to a question back begins: `… - User clarified: due date`.
pub fn reply_start(tokens: &[QuestionToken]) -> Option<usize> {
    let mut pairs = tokens.windows(2);
    let at = pairs.position(|pair| pair[0].text == "User" && pair[1].text == "clarified")?;
    Some(at + 2)
}

/// The tokens of a text, in order.
pub fn tokens(text: &str) -> Vec<QuestionToken> {
    let mut tokens: Vec<QuestionToken> = Vec::new();
    let mut at = 0;
    let mut is_first = true;
    for word in text.split_whitespace().take(TOKENS_MAX) {
        let start = at + text[at..].find(word).unwrap_or(0);
        at = start + word.len();
        let (start, word) = match sign(word) {
            Some(length) => {
                tokens.push(QuestionToken::sign(&word[..length], start));
                (start + length, &word[length..])
            }
            None => (start, word),
        };
        let opened = word.trim_start_matches(|c: char| !is_kept_first(c));
        let kept = opened.trim_end_matches(|c: char| !is_kept_last(c));
        let kept = &opened[..kept.len() + usize::from(is_graded(kept, &opened[kept.len()..]))];
        let marks = &opened[kept.len()..];
        let next = text[at..].split_whitespace().next().unwrap_or_default();
        let is_short =
            marks == "." && (is_abbreviation(kept) && !next.is_empty() || is_ordinal(kept, next));
        let ends = marks.contains(['.', '?', '!']) && !is_short;
        let parts = ends || marks.contains([',', ';', ':', ')']);
        let is_sign = !kept.is_empty() && kept.chars().all(|c| SIGNS.contains(c));
        if !is_sign && !kept.contains(char::is_alphanumeric) {
            let Some(before) = tokens.last_mut() else {
                continue;
            };
            // A dash between two numbers or days means `to`; any other mark separates the tokens around it.
            let is_dash = matches!(word, "-" | "–" | "—" | "−");
            let is_range = before.has_digit() && next.starts_with(is_number_first)
                || may_bound(&before.text) && may_bound(next);
            match is_dash && is_range {
                true => tokens.push(QuestionToken {
                    lower: "to".into(),
                    ..QuestionToken::sign(word, start)
                }),
                false if !matches!(word, "&" | "+" | "") => {
                    before.is_joint =
                        !before.is_last && matches!(word, "-" | "–" | "—" | "|" | "/");
                    before.is_last = true;
                }
                false => {}
            }
            continue;
        }
        let owner = kept.strip_suffix("'s").or_else(|| kept.strip_suffix("’s"));
        let kept = owner.unwrap_or(kept);
        let from = start + (word.len() - opened.len());
        tokens.push(QuestionToken {
            lower: kept.to_lowercase(),
            span: from..from + kept.len(),
            text: kept.to_owned(),
            is_first,
            is_last: parts,
            is_joint: marks == ":",
        });
        is_first = ends;
    }
    tokens
}

/// Whether a full stop after a word marks an abbreviation and does not end the sentence.
fn is_abbreviation(word: &str) -> bool {
    is_of_either(&word.to_lowercase(), both!(shortened))
}

/// Whether a full stop after a number makes an ordinal, as German writes it: `3. Mai`, `3. Quartal`.
fn is_ordinal(word: &str, next: &str) -> bool {
    let next = next.trim_end_matches(|c: char| !c.is_alphanumeric());
    let next = next.to_lowercase();
    let number = word.parse::<u8>().unwrap_or_default();
    (1..=31).contains(&number)
        && (months::number_in_either(&next).is_some()
            || is_of_either(&next, [both!(quarter)[1], both!(half)[1]]))
}

/// The length in bytes of the comparison sign at the beginning of a word.
fn sign(word: &str) -> Option<usize> {
    let length = word.len() - word.trim_start_matches(['<', '>', '=', '≥', '≤']).len();
    (length > 0).then_some(length)
}

/// Currency signs.
const SIGNS: &str = "$€£¥₹";

/// Whether a word may be at an end of a range: a number, a quarter, or a month in letters.
fn may_bound(word: &str) -> bool {
    let is_quarter = |word: &str| {
        word.starts_with(['Q', 'H', 'q', 'h']) && word.len() == 2 && word[1..].parse::<u8>().is_ok()
    };
    let word = word.trim_end_matches([',', '.', '?', '!', ';', ':', ')']);
    word.starts_with(is_number_first)
        || is_quarter(word)
        || word.len() > 2 && months::number_in_either(word).is_some()
}

fn is_number_first(c: char) -> bool {
    c.is_ascii_digit() || SIGNS.contains(c)
}

/// A currency sign, or a plus or minus sign, belongs to the number behind it.
fn is_kept_first(c: char) -> bool {
    c.is_alphanumeric() || SIGNS.contains(c) || matches!(c, '-' | '+')
}

fn is_kept_last(c: char) -> bool {
    c.is_alphanumeric() || SIGNS.contains(c) || matches!(c, '%' | '+' | '#')
}

/// Whether a minus sign belongs to the capital letter before it: `AA-`.
fn is_graded(kept: &str, marks: &str) -> bool {
    marks.starts_with('-') && kept.ends_with(char::is_uppercase)
}
