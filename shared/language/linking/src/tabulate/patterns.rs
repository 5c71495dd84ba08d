//! Patterns of words around one of them, as the language file has them; it says how they are written. Pure.

use super::reading::Reading;

/// Patterns with what they mean.
pub(super) struct Patterns(Vec<(&'static str, Pattern)>);

/// The items of a pattern, and which of them stands in brackets.
type Pattern = (Vec<String>, usize);

impl Patterns {
    /// The patterns of a list, whose lines begin with a meaning and a colon.
    pub(super) fn of(list: &'static str) -> Patterns {
        let lines = list.lines().filter_map(|line| line.split_once(':'));
        let all = lines.flat_map(|(meaning, patterns)| {
            let patterns = patterns.split(',').map(pattern);
            patterns.map(move |pattern| (meaning.trim(), pattern))
        });
        Patterns(all.collect())
    }

    /// What the first pattern means that fits around a token.
    pub(super) fn at(&self, reading: &Reading<'_>, at: usize) -> Option<&'static str> {
        let fits = |(items, here): &Pattern| {
            let mut items = items.iter().enumerate();
            items.all(|(place, item)| is_at(reading, item, at + place, *here, place < *here))
        };
        let found = self.0.iter().find(|(_, pattern)| fits(pattern))?;
        Some(found.0)
    }
}

fn pattern(text: &str) -> Pattern {
    let items = text.split_ascii_whitespace();
    let here = items.clone().position(|item| item.starts_with('['));
    let items = items.map(|item| {
        let words = item.trim_matches(['[', ']']).split('|');
        let words = words.map(|word| match word.strip_prefix('@') {
            Some(name) => {
                let list: Vec<&str> = text::list(crate::ENGLISH, name)
                    .split_whitespace()
                    .collect();
                list.join("|")
            }
            None => word.to_owned(),
        });
        words.collect::<Vec<String>>().join("|")
    });
    (items.collect(), here.unwrap_or_default())
}

/// Whether an item stands `back` places before a token.
fn is_at(reading: &Reading<'_>, item: &str, at: usize, back: usize, is_before: bool) -> bool {
    let Some(at) = at.checked_sub(back) else {
        return item == "START";
    };
    let said = reading.word(at);
    let words = item.trim_end_matches('.');
    let is_it = |word: &str| match word {
        "*" => !said.is_empty(),
        "END" => said.is_empty(),
        "NOUN" => reading.is_noun_start(at),
        "NAME" if is_before => reading.ends(at + 1),
        "NAME" => reading.starts(at),
        _ => match word.strip_prefix('-') {
            Some(ending) => said.ends_with(ending),
            None => said == word,
        },
    };
    words.split('|').any(is_it) && (words.len() == item.len() || reading.closes(at))
}
