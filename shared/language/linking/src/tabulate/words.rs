//! Words that name an operation on documents, and filler words that mean nothing to a table.

use super::ColumnOperation;
use text::is_of;

/// The operation that a word names, as a pattern says it.
pub(super) fn operation(word: &str) -> Option<&'static str> {
    let all = [
        (words!(average), "average"),
        (words!(sum), "sum"),
        (words!(largest), "largest"),
        (words!(smallest), "smallest"),
        (words!(newest), "largest day"),
        ("oldest earliest", "smallest day"),
        (words!(count), "count"),
    ];
    let found = all.iter().find(|(words, _)| is_of(word, words));
    found.map(|(_, said)| *said)
}

/// The operation that a pattern means.
pub(super) fn operation_called(said: &str) -> Option<ColumnOperation> {
    let all = [
        ("average", ColumnOperation::Average),
        ("sum", ColumnOperation::Sum),
        ("largest", ColumnOperation::Largest),
        ("smallest", ColumnOperation::Smallest),
        ("count", ColumnOperation::Count),
    ];
    let found = all.iter().find(|(word, _)| is_of(word, said));
    found.map(|(_, operation)| *operation)
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
