//! Checks names: one public name stands for one thing, types are nouns, and no text refers to a document that is not
//! in the repository.

use crate::tree::{File, files, none, rust};
use std::collections::{BTreeMap, BTreeSet};

/// Names that each crate may have: a reader says `planner::Options`.
const OF_EACH_CRATE: [&str; 3] = ["Options", "Error", "Metrics"];

/// Participles that do not end in `ed`.
const PARTICIPLES: [&str; 15] = [
    "Begun", "Came", "Chosen", "Done", "Found", "Given", "Held", "Kept", "Known", "Made", "Said",
    "Seen", "Sent", "Told", "Written",
];

/// Words of other kinds that type names have ended in: verbs, adverbs, prepositions, adjectives.
const NO_NOUNS: [&str; 14] = [
    "Again", "At", "Begin", "Follow", "For", "From", "How", "Near", "Say", "Standing", "Telling",
    "To", "Who", "Wrong",
];

/// Words that end in `ed` and are nouns.
const NOUNS: [&str; 3] = ["Feed", "Seed", "Speed"];

/// The forms of a reference to a document that is not in the repository: a letter with a number, or a title.
const TITLES: [&str; 5] = [
    "LESSONS",
    "REQUIREMENTS.md",
    "DESIGN.md",
    "TECH.md",
    "OPS.md",
];

/// A type that other crates may name.
struct Type {
    name: String,
    krate: String,
    place: String,
}

/// The public types of the crates, without those of tests.
fn types() -> Vec<Type> {
    let mut types = Vec::new();
    for file in rust() {
        let Some(krate) = file.krate() else {
            continue;
        };
        for (number, line) in file.product_lines() {
            if let Some(name) = type_in(line) {
                types.push(Type {
                    name: name.to_owned(),
                    krate: krate.to_owned(),
                    place: format!("{}:{number}", file.path),
                });
            }
        }
    }
    types
}

/// The name of the type that a line makes public.
fn type_in(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("pub ")?;
    let kinds = ["struct ", "enum ", "trait ", "type "];
    let rest = kinds.iter().find_map(|kind| rest.strip_prefix(kind))?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
    Some(&rest[..end.unwrap_or(rest.len())])
}

#[test]
fn a_public_name_stands_for_one_thing() {
    let mut by_name: BTreeMap<String, Vec<Type>> = BTreeMap::new();
    let types = types().into_iter();
    for one in types.filter(|one| !OF_EACH_CRATE.contains(&one.name.as_str())) {
        by_name.entry(one.name.clone()).or_default().push(one);
    }
    let found = by_name.into_iter().filter_map(|(name, types)| {
        let crates: BTreeSet<&str> = types.iter().map(|one| one.krate.as_str()).collect();
        let places: Vec<&str> = types.iter().map(|one| one.place.as_str()).collect();
        (crates.len() > 1).then(|| {
            format!(
                "{}: `{name}` is public in several crates",
                places.join(", ")
            )
        })
    });
    none(found.collect());
}

/// The last word of a type name, which says what kind of thing the type is.
fn last_word(name: &str) -> &str {
    let start = name.rfind(|c: char| c.is_uppercase());
    &name[start.unwrap_or(0)..]
}

/// Whether the name of a type ends in a noun, as far as the lists of other words tell.
fn is_noun(name: &str) -> bool {
    let word = last_word(name);
    let is_participle =
        PARTICIPLES.contains(&word) || word.ends_with("ed") && !NOUNS.contains(&word);
    !is_participle && !NO_NOUNS.contains(&word)
}

#[test]
fn a_public_type_is_a_noun() {
    let found = types().into_iter().filter(|one| !is_noun(&one.name));
    let found = found.map(|one| {
        let Type { name, place, .. } = one;
        format!("{place}: `{name}` is no noun: what is it?")
    });
    none(found.collect());
}

#[test]
fn the_last_word_of_a_type_name_decides() {
    for name in ["BudgetAsked", "RoundTold", "Chosen", "LookedFor", "IndexAt"] {
        assert!(!is_noun(name), "{name}");
    }
    for name in ["RequestedBudget", "ChosenModel", "VectorFeed", "IndexState"] {
        assert!(is_noun(name), "{name}");
    }
}

/// The reference in a line to a document elsewhere: `R12`, `C8`, `seed 000`, a title.
fn reference(line: &str) -> Option<&str> {
    let title = TITLES.iter().find(|title| line.contains(**title)).copied();
    let numbered = || {
        let words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.into_iter().find(|word| {
            // Tiers of an account: so many copies of a stream.
            let is_tier = matches!(*word, "R1" | "R3") && line.contains("tier");
            let digits = word.strip_prefix(['R', 'C']);
            !is_tier
                && digits.is_some_and(|d| {
                    (1..=3).contains(&d.len()) && d.bytes().all(|b| b.is_ascii_digit())
                })
        })
    };
    let seed = || line.contains("seed 00").then_some("seed 00…");
    title.or_else(numbered).or_else(seed)
}

#[test]
fn nothing_refers_to_a_document_elsewhere() {
    let is_looked_at = |file: &File| {
        let is_prose = file.is(&["md"]) && !file.path.starts_with("tests/fixtures/");
        (file.is(&["rs"]) || is_prose) && file.path != "tests/tidy/names.rs"
    };
    let mut found = Vec::new();
    for file in files().into_iter().filter(is_looked_at) {
        for (number, line) in file.lines() {
            // Code may have such a word; prose that is ours has it only as a reference.
            let is_prose = file.is(&["md"]) || line.contains("//");
            if let Some(word) = reference(line).filter(|_| is_prose) {
                found.push(file.at(number, format!("`{word}` is in no document that is here")));
            }
        }
    }
    none(found);
}

#[test]
fn references_are_told_from_other_words() {
    for line in [
        "/// Fewer (R91).",
        "// C8: see",
        "counts (C3, C4)",
        "seed 000",
        "see LESSONS",
    ] {
        assert!(reference(line).is_some(), "{line}");
    }
    for line in [
        "// RFC 3339",
        "a C compiler",
        "R",
        "CPU2",
        "C1234 is a part",
    ] {
        assert_eq!(reference(line), None, "{line}");
    }
}
