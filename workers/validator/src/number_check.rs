//! Finds the figures of an answer (numbers, dates, identifiers) that occur in none of the texts that its writer was
//! given.
//!
//! Wrong answers are mostly wrong in their figures, and figures can be compared without understanding the text:
//! `1,200.50` is `1200.5`, `2024-03-05` is `March 5, 2024`, `three` is `3`. Nothing is computed, so a sum that is
//! written nowhere counts as unfounded. Numbers of list items are not figures.

use std::collections::HashSet;
use std::sync::LazyLock;
use text::sentences::cited;
use text::{months, words};

/// The most adjacent words that are read as one identifier.
const IDENTIFIER_RUNS_MAX: usize = 4;

/// The numbers from 0 in words.
static NUMBER_WORDS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let words = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen \
                 seventeen eighteen nineteen twenty";
    words.split(' ').collect()
});

/// The figures of `answer`, as written, that stand in none of `given`.
pub(crate) fn unfounded<S: AsRef<str>>(answer: &str, given: &[S]) -> Vec<String> {
    let mut open: Vec<Figure<'_>> = answer.lines().flat_map(figures).collect();
    let mut known = Given::default();
    for text in given {
        if open.is_empty() {
            break;
        }
        known.read(text.as_ref(), &mut open);
    }
    let mut unfounded: Vec<String> = Vec::new();
    for Figure::Month(_, token) | Figure::Number(token) | Figure::Identifier(token) in open {
        if !unfounded.iter().any(|u| u == token) {
            unfounded.push(token.to_owned());
        }
    }
    unfounded
}

/// What is compared of an answer, as written.
enum Figure<'a> {
    /// A month beside a number.
    Month(u8, &'a str),
    /// Something that begins with a digit.
    Number(&'a str),
    /// Something else with a digit in it.
    Identifier(&'a str),
}

/// The figures of a line of an answer.
fn figures<'a>(line: &'a str) -> Vec<Figure<'a>> {
    let tokens: Vec<_> = tokens(without_list_number(line)).collect();
    let is_dated = |at: usize| {
        let next = tokens.get(at + 1).is_some_and(|t| starts_with_digit(t));
        next || at > 0 && starts_with_digit(tokens[at - 1])
    };
    let figure = |(at, token): (usize, &&'a str)| match month(token) {
        Some(month) => is_dated(at).then_some(Figure::Month(month, token)),
        None if starts_with_digit(token) => Some(Figure::Number(token)),
        None => has_digit(token).then_some(Figure::Identifier(token)),
    };
    tokens.iter().enumerate().filter_map(figure).collect()
}

/// The figures that an answer may state.
#[derive(Default)]
struct Given {
    /// Every number in its normal form, number words included.
    numbers: HashSet<String>,
    /// The months that are named, from 1.
    months: HashSet<u8>,
    /// Everything with a digit in it, as bare letters and digits: single tokens, and adjacent words, so that `INV
    /// 2041` is `INV-2041`.
    identifiers: HashSet<String>,
}

impl Given {
    /// Reads of a text what is asked for: of most answers little, and of many nothing. What is found is asked for no more.
    fn read(&mut self, text: &str, asked: &mut Vec<Figure<'_>>) {
        let is_identifier = |figure: &Figure<'_>| matches!(figure, Figure::Identifier(_));
        if !asked.iter().all(is_identifier) {
            self.read_numbers(text, asked);
        }
        if asked.iter().any(is_identifier) {
            self.read_identifiers(text);
            asked.retain(|figure| !self.has(figure));
        }
    }

    fn has(&self, figure: &Figure<'_>) -> bool {
        match figure {
            Figure::Month(month, _) => self.has_month(*month),
            Figure::Number(token) => self.has_numbers(token),
            Figure::Identifier(token) => self.identifiers.contains(&squash(token)),
        }
    }

    fn read_numbers(&mut self, text: &str, asked: &mut Vec<Figure<'_>>) {
        for token in tokens(text) {
            if !self.read_number(token) {
                continue;
            }
            asked.retain(|figure| matches!(figure, Figure::Identifier(_)) || !self.has(figure));
            if asked
                .iter()
                .all(|figure| matches!(figure, Figure::Identifier(_)))
            {
                return;
            }
        }
    }

    /// Whether the token is a number or a month.
    fn read_number(&mut self, token: &str) -> bool {
        let month = month(token);
        self.months.extend(month);
        if has_digit(token) {
            self.numbers.extend(numbers(token));
            return true;
        }
        let mut words = NUMBER_WORDS.iter();
        let number = words.position(|word| word.eq_ignore_ascii_case(token));
        self.numbers.extend(number.map(|n| n.to_string()));
        number.is_some() || month.is_some()
    }

    fn read_identifiers(&mut self, text: &str) {
        let tokens = tokens(text).filter(|token| has_digit(token));
        self.identifiers.extend(tokens.map(squash));
        // `They come from BC. 557 units were sold.` names no BC557.
        for sentence in cited::of(text) {
            let runs: Vec<_> = words::runs(&sentence).collect();
            for beside in 1..=IDENTIFIER_RUNS_MAX {
                let windows = runs.windows(beside);
                let telling = windows.filter(|runs| runs.iter().any(|run| has_digit(run)));
                self.identifiers
                    .extend(telling.map(|runs| squash(&runs.concat())));
            }
        }
    }

    fn has_numbers(&self, token: &str) -> bool {
        let numbers = numbers(token);
        let date = numbers.len() > 1;
        numbers.iter().all(|number| {
            let month = || number.parse().is_ok_and(|n: u8| self.months.contains(&n));
            self.numbers.contains(number) || date && month()
        })
    }

    fn has_month(&self, month: u8) -> bool {
        self.months.contains(&month) || self.numbers.contains(&month.to_string())
    }
}

fn ends_token(c: char) -> bool {
    let is_sign = matches!(
        c,
        '(' | ')'
            | '['
            | ']'
            | '{'
            | '}'
            | '"'
            | '“'
            | '”'
            | '«'
            | '»'
            | ';'
            | '–'
            | '—'
            | '='
            | '<'
            | '>'
            | '|'
            | '~'
            | '±'
            | '×'
    );
    is_sign || c.is_whitespace()
}

/// Words and figures without the punctuation around them.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split(ends_token)
        .map(|token| token.trim_matches(|c: char| !c.is_alphanumeric()))
        .map(|token| {
            token
                .strip_suffix("'s")
                .or(token.strip_suffix("’s"))
                .unwrap_or(token)
        })
        .filter(|token| !token.is_empty())
}

/// The numbers in a token, in their normal form: without separators of thousands, leading zeros, and zeros at the end
/// of a fraction.
fn numbers(token: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = token;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (number, after) = leading_number(&rest[start..]);
        found.push(number);
        rest = after;
    }
    found
}

/// The number that `text` starts with, and what follows it.
fn leading_number(text: &str) -> (String, &str) {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let mut end = digits(text);
    let mut whole = text[..end].to_owned();
    let grouped = end <= 3;
    let group = |end: usize| text[end..].strip_prefix(',').filter(|g| digits(g) == 3);
    while let Some(group) = group(end).filter(|_| grouped) {
        whole.push_str(&group[..3]);
        end += 4;
    }
    let mut number = whole.trim_start_matches('0').to_owned();
    if number.is_empty() {
        number.push('0');
    }
    if let Some(fraction) = text[end..].strip_prefix('.') {
        let length = digits(fraction);
        if length > 0 {
            let significant = fraction[..length].trim_end_matches('0');
            if !significant.is_empty() {
                number.push('.');
                number.push_str(significant);
            }
            end += 1 + length;
        }
    }
    (number, &text[end..])
}

fn month(token: &str) -> Option<u8> {
    if !token.starts_with(char::is_uppercase) {
        return None;
    }
    let word = token.trim_end_matches('.').to_lowercase();
    months::number(&word, 3..=4)
}

fn has_digit(token: &str) -> bool {
    token.bytes().any(|b| b.is_ascii_digit())
}

fn starts_with_digit(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_digit())
}

fn squash(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

fn without_list_number(line: &str) -> &str {
    let line = line.trim_start();
    let after = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let marked = after.len() < line.len() && (after.starts_with(". ") || after.starts_with(") "));
    if marked { &after[2..] } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn normal_forms() {
        for (token, normal) in [
            ("1,200.50", &["1200.5"][..]),
            ("1,234,567", &["1234567"]),
            ("1,2", &["1", "2"]),
            ("12,3456", &["12", "3456"]),
            ("2024,100", &["2024", "100"]),
            ("007", &["7"]),
            ("0.0", &["0"]),
            ("2024-03-05", &["2024", "3", "5"]),
            ("3.5kg", &["3.5"]),
            ("5.", &["5"]),
            ("2N2222", &["2", "2222"]),
        ] {
            assert_eq!(numbers(token), normal, "{token}");
        }
    }

    #[test]
    fn a_figure_stands_whatever_it_looks_like() {
        for (answer, given) in [
            ("It costs $1,200.00.", "price: 1200 USD"),
            ("Due March 5, 2024", "due 2024-03-05"),
            ("Due 2024-03-05", "due on 5 March 2024"),
            ("Due on the 5th of Mar.", "due 5 March"),
            ("The warranty is 3 years", "a warranty of three years"),
            ("Invoice INV-2041's total", "inv 2041 is open"),
            ("About 45% of it", "45 percent"),
            ("The 2N2222 does", "(2N2222)"),
            ("From 2021–2023", "between 2021 and 2023"),
            ("1. First\n2) Second", "nothing"),
            ("It may 5", "5"),
            ("Q3 was good", "the Q3 report"),
            ("No figures at all", ""),
        ] {
            assert_eq!(
                unfounded(answer, &[given]),
                Vec::<String>::new(),
                "{answer}"
            );
        }
    }

    #[test]
    fn a_figure_that_stands_nowhere_is_named() {
        for (answer, given, named) in [
            ("It costs 1,201.", "1200", "1,201"),
            ("Due April 5, 2024", "due 2024-03-05", "April"),
            ("Due 2024-04-05", "due 5 March 2024", "2024-04-05"),
            ("INV-2042", "INV-2041", "INV-2042"),
            ("INV-204", "INV-2041", "INV-204"),
            ("BC557", "BC547", "BC557"),
            ("BC557", "They come from BC. 557 units were sold.", "BC557"),
            ("12.5", "125", "12.5"),
            ("2N2907", "2N2222", "2N2907"),
            ("for 24 months", "for two years", "24"),
        ] {
            assert_eq!(unfounded(answer, &[given]), [named], "{answer}");
        }
    }

    proptest! {
        #[test]
        fn what_was_given_may_be_said(text in "([A-Za-z]{1,6}|[0-9]{1,6}|[-,./: \n$%'\\[\\]()]|\\PC){0,40}") {
            prop_assert_eq!(unfounded(&text, &[&text]), Vec::<String>::new());
        }

        #[test]
        fn grouping_does_not_matter(n in 0u32..2_000_000_000) {
            let plain = n.to_string();
            let mut grouped = String::new();
            for (i, digit) in plain.chars().enumerate() {
                if i > 0 && (plain.len() - i).is_multiple_of(3) {
                    grouped.push(',');
                }
                grouped.push(digit);
            }
            prop_assert_eq!(numbers(&grouped), vec![plain.clone()]);
            prop_assert_eq!(unfounded(&grouped, &[plain]), Vec::<String>::new());
        }

        #[test]
        fn another_number_is_noticed(a in 21u32..1_000_000, b in 21u32..1_000_000) {
            prop_assume!(a != b);
            prop_assert_eq!(unfounded(&format!("It is {a}."), &[b.to_string()]).len(), 1);
        }
    }
}
