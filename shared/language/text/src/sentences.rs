//! Splits texts into sentences: there is one splitter for each use.
//!
//! The splitters differ on purpose. The chunker's splitter belongs to the version of the chunks, the offline reader has
//! weights that were measured with its splitter, and the splitter for citations may cut once too often. *Not* a
//! grammar.

pub mod cited;
pub mod cut;
mod read;

pub use read::sentences as read;

use crate::months;

/// Marks that end a sentence without a blank behind them.
const WIDE_MARKS: [&str; 3] = ["。", "！", "？"];

/// Whether a word is a day and what follows begins with a month, as German has it: `27. Juni`.
fn is_day_of_month(word: &str, rest: &str) -> bool {
    let mut words = rest.trim_start().split(|c: char| !c.is_alphabetic());
    let month = words.next().unwrap_or_default();
    // English begins sentences with these.
    let is_english = matches!(month, "May" | "Mar" | "March");
    let is_day = word.len() <= 2 && word.bytes().all(|b| b.is_ascii_digit());
    is_day && !is_english && months::number_in_either(month).is_some()
}
