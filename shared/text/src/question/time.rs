//! Finds where a question names a time: a day, a month, a quarter, a year, or one relative to today.
//!
//! The time is kept as worded. *Not* here: which days it means; that depends on the day on which the question is
//! asked.

use super::words::QuestionWord;

/// How many words, from the first on, name one time; 0 where they name none.
pub(crate) fn length(words: &[QuestionWord<'_>]) -> usize {
    let Some(first) = words.first() else {
        return 0;
    };
    if first.is(words!(asked_days)) || first.is_iso_day() {
        return 1;
    }
    if first.is(words!(relative)) {
        return relative(words);
    }
    if first.is("fiscal financial") {
        let year = words.get(1).is_some_and(|word| word.word == "year");
        let named = words.get(2).is_some_and(QuestionWord::is_year);
        return if year && named { 3 } else { 0 };
    }
    dated(words)
}

/// `last year`, `the past 3 months`.
fn relative(words: &[QuestionWord<'_>]) -> usize {
    let counted = usize::from(words.get(1).is_some_and(|word| number_of(word).is_some()));
    match words.get(1 + counted) {
        Some(word) if word.is(words!(stretches)) => 2 + counted,
        _ => 0,
    }
}

/// `3 May 2024`, `May 3rd, 2024`, `May 2024`, `Q3 2024`, `2024`.
fn dated(words: &[QuestionWord<'_>]) -> usize {
    let mut length = 0;
    let mut has_month = false;
    for (at, word) in words.iter().enumerate().take(4) {
        let month_comes = words.get(at + 1).is_some_and(QuestionWord::is_month);
        let is_part = match word {
            word if word.is_year() => true,
            word if word.is_month() => !std::mem::replace(&mut has_month, true),
            word if word.is_period() => at == 0,
            word => is_day_number(word) && (has_month || month_comes),
        };
        if !is_part {
            break;
        }
        length = at + 1;
        let ends = word.closes() && !is_day_number(word) && !word.is_month();
        if word.is_year() || ends {
            break;
        }
    }
    length
}

/// `3`, `3rd`, `21st`.
fn is_day_number(word: &QuestionWord<'_>) -> bool {
    let digits = word
        .word
        .trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let ending = &word.word[digits.len()..];
    matches!(ending, "" | "st" | "nd" | "rd" | "th")
        && digits
            .parse::<u8>()
            .is_ok_and(|day| (1..=31).contains(&day))
}

/// A small number in digits or in words.
fn number_of(word: &QuestionWord<'_>) -> Option<u32> {
    let named = words!(words)
        .split_ascii_whitespace()
        .position(|named| named == word.word);
    let named = named.and_then(|at| u32::try_from(at + 1).ok());
    named.or_else(|| word.word.parse().ok())
}
