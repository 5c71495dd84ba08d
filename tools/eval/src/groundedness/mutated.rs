//! Compares the verdicts with true sentences in other words, and with copies in which one place was made false. Also
//! measures what the check of an answer costs. `tools/mutations` generates the sentences.

use crate::Error;
use crate::dataset::{at, rows_of};
use groundedness::{SentenceVerdict, Thresholds, check};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::Instant;

/// Words of the answer that is timed.
const TIMED_WORDS: usize = 200;
/// How often one is timed.
const TIMED_ROUNDS: usize = 200;

/// What is done to sentences: nothing, or one place is made false. [`ADDED`] is a true sentence of a document that is
/// not among the passages.
const MUTATIONS: [&str; 12] = [
    TRUE,
    "number_nowhere",
    "date_nowhere",
    "name_nowhere",
    "unit",
    "number_elsewhere",
    "date_elsewhere",
    "name_elsewhere",
    "names_swapped",
    "comparator",
    "negation",
    "added",
];
/// The sentence is as true as before.
const TRUE: &str = "none";

/// A fact in other words and made false in each way that fits, as a line of a file has it.
#[derive(Deserialize)]
struct MutatedFact {
    split: String,
    /// Each with its document, and the bytes of the document that it is.
    passages: Vec<(String, usize, usize)>,
    /// Each with its mutation and the names of its rewordings.
    sentences: Vec<(String, String, String)>,
}

/// A sentence with its passages.
pub(super) struct MutationCase<'a> {
    mutation: String,
    /// Whether it has the rewordings that are reported. Nobody looks at these while thresholds are chosen.
    is_test: bool,
    rewordings: String,
    sentence: String,
    /// One of them states the sentence, if any does.
    passages: Vec<&'a str>,
}

/// The cases of a file, one fact in each line. `text_of` finds the text of a document by its name.
pub(super) fn cases<'a>(
    lines: &str,
    path: &Path,
    text_of: impl Fn(&str) -> Option<&'a str>,
) -> Result<Vec<MutationCase<'a>>, Error> {
    let facts: Vec<MutatedFact> = rows_of(lines, path)?;
    let mut cases = Vec::new();
    for (fact, line) in facts.into_iter().zip(1..) {
        let passages = fact.passages.iter().map(|(document, start, end)| {
            let passage = text_of(document).and_then(|text| text.get(*start..*end));
            passage.ok_or_else(|| {
                let what = "is not as it was: generate this file anew with tools/mutations";
                at(path, line, &format!("the document `{document}` {what}"))
            })
        });
        let passages: Vec<&str> = passages.collect::<Result<_, Error>>()?;
        let sentences = fact.sentences.into_iter();
        cases.extend(
            sentences.map(|(mutation, rewordings, sentence)| MutationCase {
                mutation,
                is_test: fact.split == "test",
                rewordings,
                sentence,
                passages: passages.clone(),
            }),
        );
    }
    Ok(cases)
}

/// How many sentences of one mutation are flagged, among those with the rewordings of test.
#[derive(Debug, Serialize)]
pub(super) struct MutationFigures {
    pub(super) mutation: &'static str,
    pub(super) sentences: usize,
    /// The share that is unsupported or contradicted.
    pub(super) flagged: f64,
    /// The share that is contradicted.
    pub(super) contradicted: f64,
}

/// The figures of each mutation.
pub(super) fn figures(
    cases: &[MutationCase<'_>],
    thresholds: &Thresholds,
    failed: &mut Vec<String>,
) -> Vec<MutationFigures> {
    let of = |mutation: &'static str| {
        let cases = cases
            .iter()
            .filter(|case| case.mutation == mutation && case.is_test);
        let (mut sentences, mut flagged, mut contradicted) = (0, 0, 0);
        for case in cases {
            let verdict = worst(case, thresholds);
            let is_flagged = verdict != SentenceVerdict::Supported;
            sentences += 1;
            flagged += usize::from(is_flagged);
            contradicted += usize::from(verdict == SentenceVerdict::Contradicted);
            if is_flagged == (mutation == TRUE) {
                failed.push(format!(
                    "{mutation}, {}: {}",
                    case.rewordings,
                    text::one_line(&case.sentence)
                ));
            }
        }
        MutationFigures {
            mutation,
            sentences,
            flagged: share(flagged, sentences),
            contradicted: share(contradicted, sentences),
        }
    };
    MUTATIONS.into_iter().map(of).collect()
}

/// One number over another; 0 over none.
pub(super) fn share(part: usize, all: usize) -> f64 {
    part as f64 / all.max(1) as f64
}

/// The worst verdict of what a case says: a sentence may be taken for two.
fn worst(case: &MutationCase<'_>, thresholds: &Thresholds) -> SentenceVerdict {
    let sentences = check(&case.sentence, &case.passages, thresholds).sentences;
    let has = |verdict| sentences.iter().any(|one| one.verdict == verdict);
    match (
        has(SentenceVerdict::Contradicted),
        has(SentenceVerdict::Unsupported),
    ) {
        (true, _) => SentenceVerdict::Contradicted,
        (false, true) => SentenceVerdict::Unsupported,
        (false, false) => SentenceVerdict::Supported,
    }
}

/// How long the check of an answer of 200 words beside five passages takes, in microseconds: half of the rounds less.
pub(super) fn micros(cases: &[MutationCase<'_>], thresholds: &Thresholds) -> f64 {
    let true_ones = cases.iter().filter(|case| case.mutation == TRUE);
    let mut words = 0;
    let mut answer = Vec::new();
    for case in true_ones.clone() {
        words += case.sentence.split_whitespace().count();
        answer.push(case.sentence.as_str());
        if words >= TIMED_WORDS {
            break;
        }
    }
    let answer = answer.join(" ");
    let mut micros: Vec<f64> = true_ones
        .take(TIMED_ROUNDS)
        .map(|case| {
            let begun = Instant::now();
            let checked = check(&answer, &case.passages, thresholds);
            let micros = begun.elapsed().as_secs_f64() * 1e6;
            std::hint::black_box(checked);
            micros
        })
        .collect();
    micros.sort_by(f64::total_cmp);
    micros.get(micros.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::cases;
    use std::path::Path;
    use std::process::Command;

    #[test]
    fn a_document_that_has_changed_is_named() {
        let line = r#"{"split": "test", "passages": [["a.md", 0, 9]], "sentences": []}"#;
        let read = |text| cases(line, Path::new("x.jsonl"), |_| text).err();
        assert!(read(Some("nine bytes")).is_none());
        for text in [None, Some("five.")] {
            let told = read(text).unwrap().to_string();
            assert!(
                told.starts_with("`x.jsonl` line 1: the document `a.md` is not"),
                "{told}"
            );
        }
    }

    /// The program finds what it has to, and the file of the sample corpus is what it makes of the corpus.
    #[test]
    fn the_file_of_the_sample_is_as_it_is_generated() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let check = Command::new("python3")
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .arg(root.join("tools/mutations/check.py"))
            .output()
            .expect("python3 runs");
        let said = String::from_utf8_lossy(&check.stderr);
        assert!(check.status.success(), "{said}");
    }
}
