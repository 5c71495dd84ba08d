//! Normalises names for comparison: `Best Buy` and `BESTBUY` are one name, and so are `10-K` and `10k`. Pure.
//!
//! *Not* a measure of similarity: two normalised names are equal or not.

use crate::{is_of, unaccented};
use std::collections::HashSet;
use std::sync::LazyLock;

/// Fewest words of a name that has an acronym: two letters stand for too much.
const ACRONYM_WORDS_MIN: usize = 3;

/// The key of a text: only its letters and digits, in lower case, without accents.
pub fn key(text: &str) -> String {
    let plain = unaccented(text);
    let kept = plain.chars().filter(|c| c.is_alphanumeric());
    kept.flat_map(char::to_lowercase).collect()
}

/// The key of a name without the suffixes of companies, unless nothing is left then: `Best Buy Co., Inc.` is `bestbuy`.
pub fn name_key(name: &str) -> String {
    bare_words(name).iter().map(|word| key(word)).collect()
}

/// The key by which equal values are put into one group: that of a name, with the signs that tell values apart. These
/// are a minus sign before a number, a dot between digits, and `+`, `#` and `-` at the end of a word: `C++` and `C#`
/// have different keys. The legal form is [`legal_form`].
pub fn value_key(value: &str) -> String {
    let value = value.trim();
    let rest = value.strip_prefix('-');
    let is_negative = rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let minus = if is_negative { "-" } else { "" };
    let words = bare_words(value).into_iter().map(signed_key);
    format!("{minus}{}", words.collect::<String>())
}

/// The last suffix of a company behind a name, in one form for each, behind words such as `Group`: `ltd` for `Acme
/// Limited`, `group ltd` for `Acme Group Limited`.
pub fn legal_form(name: &str) -> Option<String> {
    let behind = words(name).split_off(bare_words(name).len());
    let short = |word: &&str| short_form(signed_key(word));
    let (last, before) = behind.split_last()?;
    let groups = before.iter().map(short);
    let groups = groups.filter(|form| matches!(form.as_str(), "group" | "holding"));
    let forms: Vec<String> = groups.chain([short(last)]).collect();
    Some(forms.join(" "))
}

/// A suffix of a company in one form for all ways to write it: `ltd` for `Limited`.
pub fn suffix_form(word: &str) -> String {
    short_form(key(word))
}

fn short_form(form: String) -> String {
    let mut pairs = words!(short_forms).lines().map(str::split_ascii_whitespace);
    let short = pairs.find_map(|mut pair| (pair.next()? == form).then(|| pair.next())?);
    short.map_or(form, str::to_owned)
}

/// The key of a word, with the signs that tell values apart.
fn signed_key(word: &str) -> String {
    let plain = unaccented(word);
    let mut key = String::new();
    let mut before = None;
    for (at, c) in plain.char_indices() {
        let rest = &plain[at + c.len_utf8()..];
        let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        let is_kept = match c {
            '.' => is_digit(before) && is_digit(rest.chars().next()),
            '+' | '#' | '-' => {
                let behind = rest.trim_start_matches(['+', '#', '-']);
                !key.is_empty() && !behind.starts_with(char::is_alphanumeric)
            }
            _ => c.is_alphanumeric(),
        };
        if is_kept {
            key.extend(c.to_lowercase());
        }
        before = Some(c);
    }
    key
}

/// Whether a word is a legal form.
pub fn is_legal_form(word: &str) -> bool {
    is_of(&key(word), words!(legal_forms))
}

/// Whether a word stands behind names of companies and is left out of them: a legal form, or a word such as `Trust`. A
/// form in which a scanner took a letter for a digit counts, too: `Gr0up`.
pub fn is_company_suffix(word: &str) -> bool {
    let bare = key(word);
    let is_suffix = |bare: &str| is_of(bare, words!(legal_forms)) || is_of(bare, words!(suffixes));
    let has_digit = bare.contains(|c: char| c.is_ascii_digit());
    let letters = || bare.chars().map(letter_of).collect::<String>();
    is_suffix(&bare)
        // A short one may be a number of something else: `Terminal A8` is no company.
        || has_digit && bare.len() >= DIGIT_SUFFIX_MIN && is_suffix(&letters())
        || bare.len() >= MISREAD_SUFFIX_MIN && LONG_SUFFIXES.contains(&skeleton(&bare))
}

/// The fewest characters of a company's suffix in which a scanner may have taken a letter for a digit.
const DIGIT_SUFFIX_MIN: usize = 4;
/// The fewest letters of a company's suffix in which a scanner may have taken one letter for another: `Corporatlon`.
const MISREAD_SUFFIX_MIN: usize = 6;

/// The skeletons of the suffixes that are long enough to be recognised when they are misread.
static LONG_SUFFIXES: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let known = [words!(legal_forms), words!(suffixes)].into_iter();
    let known = known.flat_map(str::split_ascii_whitespace);
    let long = known.filter(|suffix| suffix.len() >= MISREAD_SUFFIX_MIN);
    long.map(skeleton).collect()
});

/// The letter that a scanner most often takes for a digit; other characters stay as they are.
pub(crate) fn letter_of(c: char) -> char {
    match c {
        '0' => 'o',
        '1' => 'l',
        '5' => 's',
        '8' => 'b',
        other => other,
    }
}

/// The first letters of a name of three words or more, in lower case.
pub fn acronym(name: &str) -> Option<String> {
    let words = bare_words(name);
    let telling = words.iter().filter(|word| !is_joining(word));
    let letters = telling.filter_map(|word| key(word).chars().next());
    let letters: String = letters.collect();
    (letters.chars().count() >= ACRONYM_WORDS_MIN).then_some(letters)
}

/// A key in which letters and digits that scans confuse are the same: `brlghtwater` and `brightwater` have the same
/// skeleton.
pub fn skeleton(key: &str) -> String {
    // Single characters come first, so that `clrcuit` is `circuit` although `cl` may be a `d`.
    let single: String = key.chars().map(confused).collect();
    single
        .replace("rn", "m")
        .replace("uu", "w")
        .replace("ci", "d")
}

fn confused(c: char) -> char {
    match letter_of(c) {
        'l' | 'j' => 'i',
        'q' => 'o',
        '2' => 'z',
        '6' => 'g',
        'e' => 'c',
        'v' => 'u',
        other => other,
    }
}

/// A key without the plural ending; the key itself if it has none.
pub fn singular(key: &str) -> String {
    let head = |ending: &str| {
        key.strip_suffix(ending)
            .filter(|head| head.chars().count() >= 2)
    };
    for many in ["addenda", "memoranda", "errata"] {
        if let Some(head) = key.strip_suffix(many) {
            return format!("{head}{}um", &many[..many.len() - 1]);
        }
    }
    if let Some(head) = head("ies") {
        return format!("{head}y");
    }
    for ending in ["sses", "shes", "ches", "xes", "zes"] {
        if key.ends_with(ending) {
            return key[..key.len() - 2].to_owned();
        }
    }
    match head("s").filter(|head| !head.ends_with('s')) {
        Some(head) => head.to_owned(),
        None => key.to_owned(),
    }
}

/// The words of a name; parts that are joined by hyphens are one word.
pub fn words(name: &str) -> Vec<&str> {
    let split = name.split(|c: char| c.is_whitespace() || ",;:()[]\"_".contains(c));
    let words = split.filter(|word| word.contains(char::is_alphanumeric));
    words.collect()
}

/// The words of a name without the suffixes of companies; parts that are joined by hyphens are one word.
pub fn bare_words(name: &str) -> Vec<&str> {
    let mut words = words(name);
    while words.len() > 1 && words.last().is_some_and(|last| is_company_suffix(last)) {
        words.pop();
    }
    words
}

fn is_joining(word: &str) -> bool {
    is_of(&word.to_lowercase(), words!(joining_names))
}
