//! Splits a question into words, each with its context. *Not* the tokens of an index.

use crate::token::TokenWords;
use crate::{is_of, months};

/// One word of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QuestionWord<'a> {
    /// As written, with the punctuation at it.
    pub(crate) raw: &'a str,
    /// In lower case, without punctuation around it and without the `'s` of a possessive.
    pub(crate) word: String,
}

impl QuestionWord<'_> {
    /// Whether it is one of `words`.
    pub(crate) fn is(&self, words: &str) -> bool {
        is_of(&self.word, words)
    }

    /// Whether a clause ends behind it.
    pub(crate) fn closes(&self) -> bool {
        self.raw.ends_with([',', ';', ':', '?', '.', '!'])
    }

    pub(crate) fn is_auxiliary(&self) -> bool {
        self.is(words!(auxiliaries))
    }

    pub(crate) fn is_asking(&self) -> bool {
        self.is(words!(asking))
    }

    /// Whether it is written with a capital.
    pub(crate) fn is_capital(&self) -> bool {
        let bare = self.raw.trim_start_matches(|c: char| !c.is_alphanumeric());
        bare.starts_with(char::is_uppercase)
    }

    /// Whether it may be a name.
    pub(crate) fn is_name(&self) -> bool {
        self.is_capital() || self.has_digit()
    }

    pub(crate) fn has_digit(&self) -> bool {
        self.word.bytes().any(|b| b.is_ascii_digit())
    }

    /// Whether it is a year that people write about.
    pub(crate) fn is_year(&self) -> bool {
        let is_near = self.word.starts_with("19") || self.word.starts_with("20");
        is_near && self.word.len() == 4 && is_digits(&self.word)
    }

    /// Whether it is the name of a month; `may` only with a capital.
    pub(crate) fn is_month(&self) -> bool {
        months::number(&self.word, 3..=3).is_some() && self.is_capital()
    }

    /// Whether it is a day as `2024-03-01`, or a year and a month of it; a time of the day may follow.
    pub(crate) fn is_iso_day(&self) -> bool {
        let day = self.word.split('t').next().unwrap_or_default();
        let parts: Vec<&str> = day.split('-').collect();
        let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
        matches!(lengths[..], [4, 2] | [4, 2, 2]) && parts.into_iter().all(is_digits)
    }

    /// Whether it is a time of the day as `21:30`.
    pub(crate) fn is_time_of_day(&self) -> bool {
        let is_two = |part: &str| part.len() == 2 && is_digits(part);
        let parts = self.word.split_once(':');
        parts.is_some_and(|(hour, minute)| is_two(hour) && is_two(minute))
    }

    /// Whether it is a stretch of the year by number: `Q3`, `FY2024`, `H1`.
    pub(crate) fn is_period(&self) -> bool {
        let mut heads = ["fy", "q", "h"].iter();
        let rest = heads.find_map(|head| self.word.strip_prefix(head));
        rest.is_some_and(|rest| (1..=4).contains(&rest.len()) && is_digits(rest))
    }

    /// Whether it says a time by itself.
    pub(crate) fn is_time(&self) -> bool {
        self.is_year() || self.is_month() || self.is_iso_day() || self.is_period()
    }
}

impl TokenWords for [QuestionWord<'_>] {
    fn word(&self, at: usize) -> &str {
        self.get(at).map_or("", |word| &word.word)
    }

    fn count(&self) -> usize {
        self.len()
    }
}

/// The words of a question, in order.
pub(crate) fn split<'a>(question: &'a str) -> Vec<QuestionWord<'a>> {
    let word = |raw: &'a str| {
        let bare = raw.trim_start_matches(is_around);
        let bare = bare.trim_end_matches(|c| is_around(c) && c != '%');
        let lower = bare.to_lowercase().replace('’', "'");
        let word = lower.strip_suffix("'s").unwrap_or(&lower).to_owned();
        (!bare.is_empty()).then_some(QuestionWord { raw, word })
    };
    question.split_whitespace().filter_map(word).collect()
}

fn is_digits(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Punctuation around a word. Signs of a currency and of a number belong to it.
fn is_around(c: char) -> bool {
    !c.is_alphanumeric() && !matches!(c, '$' | '€' | '£' | '%' | '<' | '>' | '=' | '≥' | '≤')
}
