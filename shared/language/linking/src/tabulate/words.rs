//! Words that name an operation on documents, and filler words that mean nothing to a table.

use super::ColumnOperation;
use text::is_of;

/// The operation that a word names, and whether it is an operation on days.
pub(super) fn operation(word: &str) -> Option<(ColumnOperation, bool)> {
    let all = [
        (words!(average), ColumnOperation::Average, false),
        (words!(sum), ColumnOperation::Sum, false),
        (words!(largest), ColumnOperation::Largest, false),
        (words!(smallest), ColumnOperation::Smallest, false),
        (words!(newest), ColumnOperation::Largest, true),
        ("oldest earliest", ColumnOperation::Smallest, true),
        (words!(count), ColumnOperation::Count, false),
    ];
    let found = all.iter().find(|(words, ..)| is_of(word, words));
    found.map(|(_, operation, is_day)| (*operation, *is_day))
}

pub(super) fn is_per(word: &str) -> bool {
    is_of(word, words!(per))
}

pub(super) fn is_size(word: &str) -> bool {
    is_of(word, words!(size))
}

/// Whether a word says what somebody does with documents, and not which documents they are.
pub(super) fn is_handling(word: &str) -> bool {
    is_of(word, words!(handling))
}

pub(super) fn is_filler(word: &str) -> bool {
    text::stop::is_content_free(word) || is_per(word) || is_of(word, words!(filler))
}

/// A unit of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Period {
    Year,
    Quarter,
    Month,
}

/// The unit of the calendar that a word names, and whether the word also says that documents are grouped by it.
pub(super) fn period(word: &str) -> Option<(Period, bool)> {
    Some(match word {
        "year" | "years" => (Period::Year, false),
        "yearly" | "annually" => (Period::Year, true),
        "quarter" | "quarters" => (Period::Quarter, false),
        "quarterly" => (Period::Quarter, true),
        "month" | "months" => (Period::Month, false),
        "monthly" => (Period::Month, true),
        _ => return None,
    })
}
