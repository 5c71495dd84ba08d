//! Generates all test cases of a seed.

use crate::case::{Mutation, MutationCase, MutationSplit};
use crate::mutate::Setting;
use crate::reword::{Wording, reword};
use crate::source::SourceText;

/// How many bytes of the document a passage has on each side of the sentence.
const BESIDE: usize = 700;
/// How many passages are from other documents.
const OTHERS: usize = 4;

/// The cases of a seed: each fact unchanged, and with each change that applies to it. A third of the documents is for
/// dev.
pub fn generate(sources: &[SourceText], seed: u64) -> Vec<MutationCase> {
    let sources: Vec<&SourceText> = sources
        .iter()
        .filter(|source| !source.facts.is_empty())
        .collect();
    let mut cases = Vec::new();
    if sources.len() <= OTHERS + 1 {
        return cases;
    }
    for (at, source) in sources.iter().enumerate() {
        for (number, fact) in source.facts.iter().enumerate() {
            let own = hash(&source.id)
                .wrapping_add(number as u64)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mut random = fastrand::Rng::with_seed(seed ^ own);
            of_fact(&sources, at, fact, &mut random, &mut cases);
        }
    }
    cases
}

fn of_fact(
    sources: &[&SourceText],
    at: usize,
    fact: &str,
    random: &mut fastrand::Rng,
    cases: &mut Vec<MutationCase>,
) {
    let source = sources[at];
    let split = match hash(&source.id) % 3 {
        0 => MutationSplit::Dev,
        _ => MutationSplit::Test,
    };
    let mut others: Vec<usize> = (0..sources.len()).filter(|other| *other != at).collect();
    random.shuffle(&mut others);
    let passage = passage(source, fact);
    let mut passages = vec![passage.clone()];
    for other in &others[..OTHERS] {
        let other = sources[*other];
        let theirs = random.choice(&other.facts).map_or("", String::as_str);
        passages.push(self::passage(other, theirs));
    }
    random.shuffle(&mut passages);
    let Some((reworded, rewordings)) = reword(
        &Wording {
            sentence: fact,
            passage: &passage,
        },
        split,
        random,
    ) else {
        return;
    };
    let setting = Setting {
        sentence: &reworded,
        original: fact,
        passages: &passages,
    };
    let case =
        |mutation, sentence: String, original: &str, rewordings: &[&'static str]| MutationCase {
            mutation,
            split,
            sentence,
            original: original.to_owned(),
            rewordings: rewordings.to_vec(),
            passages: passages.clone(),
        };
    for mutation in Mutation::ALL {
        match mutation {
            Mutation::None => cases.push(case(mutation, reworded.clone(), fact, &rewordings)),
            Mutation::Added => {
                let strange = others[OTHERS..].first().map(|other| sources[*other]);
                let added =
                    strange.and_then(|source| Some((source, random.choice(&source.facts)?)));
                let Some((source, fact)) = added else {
                    continue;
                };
                let passage = self::passage(source, fact);
                if let Some((reworded, rewordings)) = reword(
                    &Wording {
                        sentence: fact,
                        passage: &passage,
                    },
                    split,
                    random,
                ) {
                    cases.push(case(mutation, reworded, fact, &rewordings));
                }
            }
            _ => {
                let mutated = setting
                    .mutated(mutation, random)
                    .filter(|mutated| *mutated != reworded);
                cases.extend(mutated.map(|mutated| case(mutation, mutated, fact, &rewordings)));
            }
        }
    }
}

/// The text around a fact in its document.
fn passage(source: &SourceText, fact: &str) -> String {
    let text = &source.text;
    let at = text.find(fact).unwrap_or(0);
    let mut start = at.saturating_sub(BESIDE);
    let mut end = (at + fact.len() + BESIDE).min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    while !text.is_char_boundary(end) {
        end += 1;
    }
    // A word is not cut.
    let start = match start {
        0 => 0,
        _ => text[start..at]
            .find(char::is_whitespace)
            .map_or(start, |blank| start + blank),
    };
    let end = match end == text.len() {
        true => end,
        false => text[at + fact.len()..end]
            .rfind(char::is_whitespace)
            .map_or(end, |blank| at + fact.len() + blank),
    };
    text[start..end].trim().to_owned()
}

fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
