//! The names of the months. *Not* here: how a date is parsed; forms and languages differ by use.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

/// The English names in full, in lower case, January first. The first three letters are the short form.
pub static ENGLISH: LazyLock<[&str; 12]> = LazyLock::new(|| {
    let mut names = words!(months).split_ascii_whitespace();
    std::array::from_fn(|_| names.next().unwrap_or_default())
});

/// The month, from 1, that a lower-case word names, in full or by its first letters; `letters` is the range of their
/// number.
pub fn number(word: &str, letters: RangeInclusive<usize>) -> Option<u8> {
    let is =
        |name: &&str| **name == *word || letters.contains(&word.len()) && name.starts_with(word);
    from_one(ENGLISH.iter().position(is))
}

/// The month, from 1, that a word in a date names: in full, by three letters, or as `Sept.`.
pub fn number_in_date(word: &str) -> Option<u8> {
    match word.trim_end_matches('.').to_lowercase().as_str() {
        "sept" => Some(9),
        word => number(word, 3..=3),
    }
}

/// The words for months in English and German, in full and cut to three letters, in lower case.
static EITHER: LazyLock<HashMap<String, u8>> = LazyLock::new(|| {
    let names = both!(months).map(|names| names.split_ascii_whitespace().zip(1..));
    let forms = names.into_iter().flatten().flat_map(|(names, month)| {
        let forms = names
            .split('/')
            .flat_map(|name| [name.chars().take(3).collect(), name.into()]);
        forms.map(move |form| (form, month))
    });
    forms.chain([("sept".to_owned(), 9)]).collect()
});

/// The month, from 1, that a word in a date names in English or German. A name may be cut to three letters.
pub fn number_in_either(word: &str) -> Option<u8> {
    let word = word.trim_end_matches('.');
    match word.contains(char::is_uppercase) {
        true => EITHER.get(&word.to_lowercase()),
        false => EITHER.get(word),
    }
    .copied()
}

fn from_one(place: Option<usize>) -> Option<u8> {
    u8::try_from(place? + 1).ok()
}
