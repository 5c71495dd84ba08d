//! Patterns of words around one of them, as the language file has them; it says how they are written. Pure.

use super::reading::Reading;

/// Patterns with what they mean.
pub(super) struct Patterns<T>(Vec<(T, Pattern)>);

/// The items of a pattern, and which of them stands in brackets.
type Pattern = (Vec<String>, usize);

impl<T: Copy> Patterns<T> {
    /// The patterns of a list, whose lines begin with a meaning and a colon. `meant` reads the meanings.
    pub(super) fn of(list: &'static str, meant: impl Fn(&'static str) -> T) -> Patterns<T> {
        let lines = list.lines().filter_map(|line| line.split_once(':'));
        let all = lines.flat_map(|(meaning, patterns)| {
            let meaning = meant(meaning.trim());
            let patterns = patterns.split(',').map(pattern);
            patterns.map(move |pattern| (meaning, pattern))
        });
        Patterns(all.collect())
    }

    /// What the first pattern means that fits around a token.
    pub(super) fn at(&self, reading: &Reading<'_>, at: usize) -> Option<T> {
        let fits = |(items, here): &Pattern| {
            let mut items = items.iter().enumerate();
            items.all(|(place, item)| is_at(reading, item, at + place, *here, place < *here))
        };
        let found = self.0.iter().find(|(_, pattern)| fits(pattern))?;
        Some(found.0)
    }

    /// Whether a word stands in the brackets of a pattern.
    pub(super) fn is_about(&self, word: &str) -> bool {
        let mut patterns = self.0.iter();
        patterns.any(|(_, (items, here))| {
            let words = items[*here].trim_end_matches('.');
            words.split('|').any(|known| known == word)
        })
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

#[cfg(test)]
mod tests {
    use super::super::words::NamedOperation;
    use super::*;
    use text::is_of;

    /// A list that is not in the file stops this test, too.
    #[test]
    fn patterns_consist_of_what_the_code_knows() {
        let is_operation = |meaning: &str| {
            let mut words = meaning.split(' ');
            let first = words.next().and_then(NamedOperation::meant);
            first.is_some() && words.all(|word| is_of(word, "day both")) || meaning == "none"
        };
        check(words!(operations), &is_operation);
        check(words!(operations_of_many), &is_operation);
        check(words!(idioms), &|meaning| meaning == "idiom");
        check(words!(serving), &|meaning| is_of(meaning, "any most"));
        check(words!(appositions), &|meaning| meaning == "role");
    }

    fn check(list: &'static str, is_meaning: &dyn Fn(&str) -> bool) {
        let mut lines = list.lines().filter(|line| !line.trim().is_empty());
        assert!(lines.all(|line| line.contains(':')), "no meaning: {list}");
        for (meaning, (items, _)) in &Patterns::of(list, |meaning| meaning).0 {
            assert!(is_meaning(meaning), "{meaning}");
            assert!(!items.is_empty(), "{meaning}");
            let words = items
                .iter()
                .flat_map(|item| item.trim_end_matches('.').split('|'));
            for word in words {
                let is_special = word.contains(|c: char| c.is_uppercase());
                let is_known = !is_special || is_of(word, "START END NAME NOUN");
                assert!(is_known && !word.is_empty(), "{word} in {items:?}");
            }
        }
    }
}
