//! Words that name an operation on documents, and filler words that mean nothing to a table.

use super::ColumnOperation::{self, Average, Count, Largest, Smallest, Sum};
use text::is_of;

/// An operation as words name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NamedOperation {
    pub(super) operation: ColumnOperation,
    /// Whether it is one on days: `newest`.
    pub(super) is_day: bool,
    /// Whether the next word belongs to it: `grand total`.
    pub(super) is_both: bool,
}

impl NamedOperation {
    pub(super) fn of(operation: ColumnOperation) -> NamedOperation {
        NamedOperation {
            operation,
            is_day: false,
            is_both: false,
        }
    }

    /// The one that a pattern means, as the language file says it; `None` for `none`.
    pub(super) fn meant(meaning: &str) -> Option<NamedOperation> {
        let all = [
            ("average", Average),
            ("sum", Sum),
            ("largest", Largest),
            ("smallest", Smallest),
            ("count", Count),
        ];
        let (_, operation) = all.iter().find(|(word, _)| is_of(word, meaning))?;
        Some(NamedOperation {
            operation: *operation,
            is_day: is_of("day", meaning),
            is_both: is_of("both", meaning),
        })
    }
}

/// The operation that a word names.
pub(super) fn operation(word: &str) -> Option<NamedOperation> {
    let all = [
        (words!(average), Average, false),
        (words!(sum), Sum, false),
        (words!(largest), Largest, false),
        (words!(smallest), Smallest, false),
        (words!(newest), Largest, true),
        ("oldest earliest", Smallest, true),
        (words!(count), Count, false),
    ];
    let (_, operation, is_day) = all.iter().find(|(words, ..)| is_of(word, words))?;
    Some(NamedOperation {
        is_day: *is_day,
        ..NamedOperation::of(*operation)
    })
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
