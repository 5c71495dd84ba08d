//! Measures how much of a question some passages mention, part by part. Pure.
//!
//! *Not* here: whether the passages answer the question, which only reading can tell.

use crate::{Language, words};
use std::collections::{BTreeMap, BTreeSet};

/// How well passages cover all parts of a question, 0 to 1. For each part, this takes the share of its words in the
/// passage that has most of them; the result is the product of these shares, since each part is one more thing to miss.
/// A question in one piece is its own part. Words are compared without endings, and stop words do not count. 0 without
/// a passage.
///
/// How well this tells whether all evidence of a question was read is measured on MultiHop-RAG, with the parts that
/// the rules make. On 359 questions of the dev third, the area under the curve is .69 after 5 passages, .68 after 10
/// and .69 after 15. On 702 questions of the test part it is .71, .68 and .67 (`argosy eval loop`, docs/retrieval.md).
/// Other measures were compared on the passages of dev, by a script. Three of them tell less than the product: the
/// least share by .01 to .03, the mean by .05 to .06, and the share of the names that occur anywhere by .16 to .19.
/// Words weighted by how rare they are in the corpus tell more by .02 to .03, but need an index.
pub fn coverage<'a>(parts: &[&str], passages: impl IntoIterator<Item = &'a str>) -> f32 {
    let passages = passages.into_iter().map(|text| {
        let language = Language::of(text);
        (language, content(text, language))
    });
    let passages: Vec<(Language, BTreeSet<String>)> = passages.collect();
    let shares = parts.iter().map(|part| {
        let mut asked: BTreeMap<Language, BTreeSet<String>> = BTreeMap::new();
        let shares = passages.iter().map(|(language, said)| {
            let asked = asked.entry(*language);
            share(asked.or_insert_with(|| content(part, *language)), said)
        });
        shares.fold(0.0, f32::max)
    });
    shares.product()
}

fn content(text: &str, language: Language) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    words::each_content_in(text, language, |word| {
        words.insert(word.to_owned());
    });
    words
}

/// The share of the words that are among others; 1 where there are none to find.
fn share(asked: &BTreeSet<String>, said: &BTreeSet<String>) -> f32 {
    match asked.len() {
        0 => 1.0,
        all => asked.intersection(said).count() as f32 / all as f32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_compared_in_the_language_of_each_passage() {
        let passages = [
            "The rent of the flat is 900.",
            "Der Vertrag ist lang, und die Frist ist kurz.",
        ];
        assert_eq!(coverage(&["Verträge"], passages), 1.0);
        assert_eq!(coverage(&["rents of flats"], passages), 1.0);
    }
}
