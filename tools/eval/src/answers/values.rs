//! Whether an answer states a value. Pure.
//!
//! The text and the value are read into the same form: numbers as numbers, with what their unit measures (`500 mA` is
//! `0.5 A`), money with the code of its currency, days as ISO dates, and words as stems in which letters that scans
//! confuse are the same. So `145 V` does not state `45 V`, and `March 3rd, 2025` states `3 March 2025`.

use linking::Date;
use std::collections::HashSet;
use std::ops::Range;
use text::amounts::units;
use text::days::{self, DayRange, SpanSide};
use text::token::{QuestionToken, tokens};
use text::{currencies, fold, words};

/// Words that may stand between those of a name: `Ilse M. Brandow`.
const BETWEEN_MAX: usize = 2;
/// A day that no text means by `today`.
const NO_DAY: i32 = 1900;

/// Whether a text states a value. Alternatives of the value are separated by `|`.
pub(super) fn states(text: &str, value: &str) -> bool {
    let said = Said::of(text);
    value.split('|').any(|one| said.has(one))
}

/// What a text says, in comparable form.
pub(super) struct Said {
    /// As it is written.
    plain: Vec<Word>,
    /// With a word for each day.
    dated: Vec<Word>,
}

/// A word, or a number with its unit.
struct Word {
    form: String,
    /// The number without its unit.
    bare: Option<String>,
}

impl Word {
    fn of(form: String) -> Word {
        Word { form, bare: None }
    }

    /// Whether it states another word: a number with a unit states the number, too.
    fn states(&self, wanted: &Word) -> bool {
        self.form == wanted.form || self.bare.as_ref() == Some(&wanted.form)
    }
}

impl Said {
    pub(super) fn of(text: &str) -> Said {
        let text = without_marks(&text::unify(text).replace(['\u{2212}', '\u{2013}'], "-"));
        let mut said = Said {
            plain: Vec::new(),
            dated: Vec::new(),
        };
        let mut dated = Vec::new();
        // Long texts are read line by line, as no more than some hundred tokens are read at once.
        for line in text.lines() {
            let line = tokens(line);
            said.plain.extend(joined(pieces(&line)));
            let mut at = 0;
            while at < line.len() {
                let (length, new) = match day_at(&line, at) {
                    Some((length, day)) => (length, vec![day]),
                    None => (1, pieces(&line[at..=at])),
                };
                dated.extend(new);
                at += length;
            }
        }
        said.dated = joined(dated);
        said
    }

    /// Whether it has all words of a value at one place, in their order; those of a name in any order.
    pub(super) fn has(&self, value: &str) -> bool {
        let value = Said::of(value);
        let has_digit = |word: &Word| word.form.contains(|c: char| c.is_ascii_digit());
        let is_name = |wanted: &[Word]| !wanted.iter().any(has_digit);
        [(&self.plain, &value.plain), (&self.dated, &value.dated)]
            .into_iter()
            .any(|(said, wanted)| {
                let states = |run: &[Word]| {
                    run.iter()
                        .zip(wanted)
                        .all(|(said, wanted)| said.states(wanted))
                };
                let in_order = said.windows(wanted.len().max(1)).any(states);
                !wanted.is_empty() && (in_order || is_name(wanted) && is_near(said, wanted))
            })
    }
}

/// Whether all words stand together, with a few others between them.
fn is_near(said: &[Word], wanted: &[Word]) -> bool {
    let wanted: HashSet<&str> = wanted.iter().map(|word| word.form.as_str()).collect();
    let width = wanted.len() + BETWEEN_MAX;
    let has = |run: &[Word], word: &str| run.iter().any(|said| said.form == word);
    let has_all = |run: &[Word]| wanted.iter().all(|word| has(run, word));
    match said.len() > width {
        true => said.windows(width).any(has_all),
        false => has_all(said),
    }
}

/// The day that is named at a token, with the number of tokens that name it.
fn day_at(line: &[QuestionToken], at: usize) -> Option<(usize, String)> {
    let today = days::day(NO_DAY, 1, 1)?;
    let (length, span) = days::read(line, at, today)?;
    let DayRange { from, until } = span.range;
    let has_digit = line[at..at + length].iter().any(QuestionToken::has_digit);
    let is_day = span.side == SpanSide::In && from.and_then(Date::next_day) == until;
    let day = from.filter(|day| is_day && has_digit && day.year() > NO_DAY)?;
    Some((length, format!("day {day}")))
}

/// The words and numbers of some tokens: `45V` are two, and so is `HX-2033A` four.
fn pieces(tokens: &[QuestionToken]) -> Vec<String> {
    let mut pieces = Vec::new();
    for token in tokens {
        let text = unblurred(&token.text);
        let chars: Vec<char> = text.chars().collect();
        let mut at = 0;
        while at < chars.len() {
            let length = run(&chars[at..]);
            let Range { start, end } = at..at + length.max(1);
            let piece: String = chars[start..end].iter().collect();
            let is_negative = start > 0
                && chars[start - 1] == '-'
                && (start == 1 || !chars[start - 2].is_alphanumeric());
            if chars[start].is_ascii_digit() {
                let sign = if is_negative { "-" } else { "" };
                pieces.push(format!("{sign}{}", number(&piece)));
            } else if length > 0 {
                pieces.push(piece);
            }
            at = end;
        }
    }
    pieces
}

/// Characters of the number or the word at the beginning; 0 for another sign.
fn run(chars: &[char]) -> usize {
    let is_digit = |at: usize| chars.get(at).is_some_and(char::is_ascii_digit);
    let is_mark = |at: usize| matches!(chars[at], '.' | ',' | '\'') && is_digit(at + 1);
    let is_sign = |c: &char| matches!(c, '%' | '°' | '$' | '€' | '£' | '¥');
    match is_digit(0) {
        true => (0..chars.len())
            .take_while(|at| is_digit(*at) || is_mark(*at))
            .count(),
        false if is_sign(&chars[0]) => {
            1 + usize::from(chars[0] == '°' && chars.get(1).is_some_and(|c| c.is_alphabetic()))
        }
        false => chars.iter().take_while(|c| c.is_alphabetic()).count(),
    }
}

/// A number without signs between its digits and without zeros at its end: `5,376.360` is `5376.36`.
fn number(text: &str) -> String {
    let is_grouped = |mark: char| {
        let mut groups = text.split(['.', ',', '\'']).skip(1);
        text.contains(mark) && groups.clone().count() > 0 && groups.all(|group| group.len() == 3)
    };
    let marks: Vec<char> = text.chars().filter(|c| !c.is_ascii_digit()).collect();
    let bare = match marks.as_slice() {
        [] => text.to_owned(),
        // `1.234` is a fraction more often than a number of thousands.
        [one] if *one != '.' && is_grouped(*one) => text.replace(*one, ""),
        [first, .., last] if first == last => text.replace(*first, ""),
        [.., last] => {
            let (whole, fraction) = text.rsplit_once(*last).unwrap_or((text, ""));
            format!(
                "{}.{fraction}",
                whole.replace(|c: char| !c.is_ascii_digit(), "")
            )
        }
    };
    let bare = match bare.contains('.') {
        true => bare.trim_end_matches('0').trim_end_matches('.'),
        false => &bare,
    };
    let bare = bare.trim_start_matches('0');
    match bare.starts_with('.') || bare.is_empty() {
        true => format!("0{bare}"),
        false => bare.to_owned(),
    }
}

/// `5,782.8O` as a number; a word as it is.
fn unblurred(token: &str) -> String {
    let is_of_number = |c: char| !c.is_alphabetic() || matches!(c, 'O' | 'o' | 'l' | 'I');
    let has_digit = token.contains(|c: char| c.is_ascii_digit());
    match has_digit && token.chars().all(is_of_number) {
        true => token.replace(['O', 'o'], "0").replace(['l', 'I'], "1"),
        false => token.to_owned(),
    }
}

/// Numbers with their units and currencies as one word each; other words as stems.
fn joined(pieces: Vec<String>) -> Vec<Word> {
    let mut all: Vec<Word> = Vec::with_capacity(pieces.len());
    let mut at = 0;
    while let Some(piece) = pieces.get(at) {
        let next = pieces.get(at + 1);
        let amount = next.filter(|next| is_number(next));
        let (length, word) = match (currency(piece), amount) {
            _ if piece.starts_with("day ") => (1, Word::of(piece.clone())),
            (Some(code), Some(amount)) => (2, with_unit(amount, format!("{amount} {code}"))),
            _ if is_number(piece) => match next.and_then(|next| measured(piece, next)) {
                Some(form) => (2, with_unit(piece, form)),
                None => (1, Word::of(piece.clone())),
            },
            _ => (
                1,
                Word::of(fold::skeleton(&words::stem(&piece.to_lowercase()))),
            ),
        };
        all.push(word);
        at += length;
    }
    all
}

fn is_number(piece: &str) -> bool {
    let digits = piece.trim_start_matches('-');
    digits.starts_with(|c: char| c.is_ascii_digit())
}

fn with_unit(number: &str, form: String) -> Word {
    let bare = Some(number.to_owned());
    Word { form, bare }
}

/// A number with its currency, or with what its unit measures.
fn measured(number: &str, unit: &str) -> Option<String> {
    if let Some(code) = currency(unit) {
        return Some(format!("{number} {code}"));
    }
    let (measured, scale) = units::scale(unit)?;
    let value: f64 = number.parse().ok()?;
    // Rounded, as a factor may not be exact in binary.
    Some(format!("{measured} {:.9e}", value * scale))
}

fn currency(word: &str) -> Option<&'static str> {
    let lower = word.to_lowercase();
    let named = currencies::WORDS.iter().find(|(words, _)| *words == lower);
    currencies::of_unit(&lower).or(named.map(|(_, code)| *code))
}

/// A text without its marks `[n]`.
pub(crate) fn without_marks(text: &str) -> String {
    let mut parts = text.split('[');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| match part.split_once(']') {
        Some((n, rest)) if n.split(',').all(|n| n.trim().parse::<u16>().is_ok()) => text + rest,
        _ => text + "[" + part,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts with a value that they state.
    const STATED: &[(&str, &str)] = &[
        ("It is 45 V [1].", "45 V"),
        ("It withstands 45V.", "45 V"),
        ("45 volts", "45 V"),
        ("EUR 5,376.36 in all", "5,376.36"),
        ("at most 500 mA", "0.5 A"),
        ("EUR 5,376.36 in all", "5,376.36 EUR"),
        ("5376.36 euros", "EUR 5,376.36"),
        ("€5.376,36", "EUR 5,376.36"),
        ("5,782.8O is due", "5,782.80"),
        ("on March 3rd, 2025", "3 March 2025"),
        ("on 2025-03-03.", "3 March 2025"),
        ("on 3 March 2025", "March 2025"),
        ("The drurns are blue", "drums"),
        ("by Ilse M. Brandow", "Ilse Brandow"),
        ("Brandow, Ilse", "Ilse Brandow"),
        ("type HX-2033A", "HX 2033A"),
        ("at -25 °C", "-25 °C"),
        ("about half an hour", "30 minutes|half an hour"),
        ("12 percent", "12 %"),
        ("The parts are not interchangeable.", "not interchangeable"),
        ("60 days [1] after [2] it", "60 days after it"),
    ];
    const NOT_STATED: &[(&str, &str)] = &[
        ("145 V", "45 V"),
        ("45.5 V", "45 V"),
        ("45 A", "45 V"),
        ("5 March 2025", "3 March 2025"),
        ("25 °C", "-25 °C"),
        ("EUR 5,376.36", "USD 5,376.36"),
        ("6 weeks and 45 days", "6 days"),
        (
            "Ilse was there, and much later in the evening Brandow",
            "Ilse Brandow",
        ),
        ("HX-2033B", "HX-2033A"),
        ("", "yes"),
    ];

    #[test]
    fn a_value_is_found_in_any_form_and_no_other_is() {
        for (text, value) in STATED {
            assert!(states(text, value), "{text:?} states {value:?}");
        }
        for (text, value) in NOT_STATED {
            assert!(!states(text, value), "{text:?} does not state {value:?}");
        }
    }
}
