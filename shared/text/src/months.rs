//! The names of the months. *Not* how a date is read: forms and languages differ by use.

/// English, in full, in lower case, January first. The first three letters are the short form.
pub const ENGLISH: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
