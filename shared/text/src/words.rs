//! A text as content words: what is compared when two texts are held against each other.
//!
//! Light on purpose: lower case, runs of letters and digits, a short English stop list, endings of
//! plural and past cut. It need not be right about language, only alike for both texts. *Not* the
//! analyser of the search index.

use crate::stop;

/// The content words of `text`, in order, with repetitions: lower case, stop words left out, stemmed.
pub fn content(text: &str) -> Vec<String> {
    runs(text)
        .map(str::to_lowercase)
        .filter(|word| !stop::is_content_free(word))
        .map(|word| stem(&word))
        .collect()
}

/// The runs of letters and digits of `text`, as written.
pub fn runs(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|run| !run.is_empty())
}

/// A lower-case word without the endings of plural, past and present participle. Words with digits
/// or of three letters and fewer stay as they are.
pub fn stem(word: &str) -> String {
    if word.len() <= 3 || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return word.to_owned();
    }
    let singular = without_plural(word);
    let base = without_tense(&singular);
    match base.as_bytes() {
        [head @ .., b'e'] if head.len() >= 3 => base[..head.len()].to_owned(),
        [head @ .., b'y'] if head.len() >= 3 => format!("{}i", &base[..head.len()]),
        _ => base.to_owned(),
    }
}

fn without_plural(word: &str) -> String {
    if let Some(head) = word.strip_suffix("ies").filter(|h| h.len() >= 2) {
        return format!("{head}y");
    }
    let sibilant = |head: &&str| {
        ["x", "ch", "sh", "ss", "z"]
            .iter()
            .any(|end| head.ends_with(end))
    };
    if let Some(head) = word.strip_suffix("es").filter(sibilant) {
        return head.to_owned();
    }
    match word.strip_suffix('s') {
        Some(head) if head.len() >= 3 && !head.ends_with(['s', 'u', 'i']) => head.to_owned(),
        _ => word.to_owned(),
    }
}

fn without_tense(word: &str) -> &str {
    let vowel = |head: &str| head.bytes().any(|b| b"aeiouy".contains(&b));
    let cut = |ending: &str, least: usize| {
        word.strip_suffix(ending)
            .filter(|head| head.len() >= least && vowel(head) && !head.ends_with('e'))
    };
    let Some(head) = cut("ing", 3).or_else(|| cut("ed", 3)) else {
        return word;
    };
    match head.as_bytes() {
        [.., a, b] if a == b && !b"aeioulsz".contains(b) => &head[..head.len() - 1],
        _ => head,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn forms_of_a_word_are_one_word() {
        for family in [
            ["charge", "charges", "charged", "charging"],
            ["stop", "stops", "stopped", "stopping"],
            ["process", "processes", "processed", "processing"],
            ["apply", "applies", "applied", "applying"],
            ["need", "needs", "needed", "needing"],
        ] {
            let stems = family.map(stem);
            assert!(stems.iter().all(|s| *s == stems[0]), "{stems:?}");
        }
        for stays in ["bus", "string", "bc547b", "3s", "analysis", "é"] {
            assert_eq!(stem(stays), stays);
        }
    }

    #[test]
    fn content_words_keep_numbers_and_identifiers() {
        assert_eq!(
            content("What is the total of invoice INV-2041?"),
            ["total", "invoic", "inv", "2041"]
        );
        assert_eq!(content("Größe der Änderung"), ["größe", "der", "änderung"]);
    }

    proptest! {
        #[test]
        fn never_panics_and_case_does_not_matter(text in "\\PC{0,120}", ascii in "[ -~]{0,80}") {
            let _ = content(&text);
            prop_assert_eq!(content(&ascii), content(&ascii.to_uppercase()));
        }
    }
}
