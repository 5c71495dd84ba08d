//! Puts the results of a search into the form in which a prompt shows them to a model, which decides whether they are
//! enough. Pure.
//!
//! The prompt shows the results of the last search with their scores, and the facts of all searches of the turn.
//! *Not* a judgement: a mean score says little by itself, and a model may find enough in results with low scores.

use envelope::{FanOut, Findings, Passage};
use serde_json::Value;
use std::fmt::Write;
use text::line_of;

/// The most results of the last search that are shown.
const RESULTS_MAX: usize = 5;
/// The most facts of all searches that are shown.
const FACTS_MAX: usize = 12;
/// The longest text of a result, title and value, in characters.
const TEXT_CHARS_MAX: usize = 400;
const TITLE_CHARS_MAX: usize = 80;
const VALUE_CHARS_MAX: usize = 40;
/// The most fields that are shown of a document whose metadata was asked for.
const METADATA_MAX: usize = 40;
/// The most fields that are shown of the document of a result.
const FIELDS_MAX: usize = 6;

/// The results of the last of the searches of a turn, which come in the order of the rounds, and the facts that were
/// read in passages that help, in all of them: as a section of the prompt.
pub(crate) fn section(evidence: &[FanOut]) -> String {
    let last = evidence.last().map(|last| &last.scatter.passages[..]);
    let passages = last.unwrap_or_default();
    let sum: f32 = passages.iter().map(|passage| passage.score).sum();
    let mut section = match passages.len() {
        0 => "The last search found nothing.".to_owned(),
        count => {
            let average = sum / count as f32;
            format!("{count} results, average score {average:.2}:")
        }
    };
    for (n, passage) in (1..).zip(passages.iter().take(RESULTS_MAX)) {
        let (score, from) = (passage.score, from(passage));
        let content = line_of(&passage.text, TEXT_CHARS_MAX);
        // Writing to a text cannot fail.
        let _ = write!(section, "\n{n}. score {score:.2}, {from}\n{content}");
    }
    let facts: Vec<String> = facts(evidence).take(FACTS_MAX).collect();
    if !facts.is_empty() {
        let _ = write!(section, "\nRead so far:\n- {}", facts.join("\n- "));
    }
    section
}

fn facts(evidence: &[FanOut]) -> impl Iterator<Item = String> {
    let read = evidence.iter().cloned().flat_map(FanOut::into_read);
    let helpful =
        read.filter_map(|(passage, found)| Some((passage, found.filter(Findings::counts)?)));
    helpful.flat_map(|(passage, found)| {
        let doc = passage.doc_id;
        let facts = found.facts.into_iter();
        facts.map(move |fact| format!("{}: {}", doc.as_str(), line_of(&fact, TEXT_CHARS_MAX)))
    })
}

/// What documents say of themselves, as the prompt shows it.
pub(crate) fn metadata(passages: &[Passage]) -> String {
    let Some(passage) = passages.first() else {
        return "There is no such document.".to_owned();
    };
    let title = line_of(&passage.title, TITLE_CHARS_MAX);
    let source = line_of(&passage.source, TITLE_CHARS_MAX);
    let bucket = passage.bucket.as_str();
    let told = format!("{title} ({source}) in {bucket}");
    let fields = fields(passage, METADATA_MAX, TITLE_CHARS_MAX);
    match fields.is_empty() {
        true => format!("{told}: it says nothing more of itself"),
        false => format!("{told}: {}", fields.join(", ")),
    }
}

/// Where a result comes from, and what its document says of itself.
fn from(passage: &Passage) -> String {
    let title = line_of(&passage.title, TITLE_CHARS_MAX);
    let (doc, bucket) = (passage.doc_id.as_str(), passage.bucket.as_str());
    let mut from = format!("document {doc} in {bucket}: {title}");
    let fields = fields(passage, FIELDS_MAX, VALUE_CHARS_MAX);
    if !fields.is_empty() {
        let _ = write!(from, " ({})", fields.join(", "));
    }
    from
}

/// The first fields of what a document says of itself, each with a value of at most so many characters.
fn fields(passage: &Passage, most: usize, chars_max: usize) -> Vec<String> {
    let said = |(field, value): (&String, &Value)| {
        let value = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        let field = line_of(field, VALUE_CHARS_MAX);
        format!("{field} = {}", line_of(&value, chars_max))
    };
    passage.metadata.iter().take(most).map(said).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::{After, FilterMatch, PartResult, Plan, Scatter};
    use testkit::model::passage;

    fn fan_out(passages: Vec<Passage>, facts: &[&str]) -> FanOut {
        let found = |fact: &&str| {
            let findings = Findings {
                relevant: true,
                facts: vec![(*fact).to_owned()],
                ..Findings::default()
            };
            Some(PartResult::Findings(findings))
        };
        FanOut {
            hop: 2,
            results: facts.iter().map(found).collect(),
            scatter: Scatter {
                plan: Plan::default(),
                passages,
                matched: FilterMatch::Matched,
                total_hits: 9,
                after: After::Map,
            },
        }
    }

    #[test]
    fn no_results_are_told_without_an_average() {
        for evidence in [vec![], vec![fan_out(vec![], &[])]] {
            assert_eq!(section(&evidence), "The last search found nothing.");
        }
    }

    #[test]
    fn the_first_five_results_of_the_last_search_are_shown_and_facts_of_all() {
        let scored = |score: f32| {
            let mut passage = passage("lease", "The rent\nis 900 EUR.");
            passage.score = score;
            passage.metadata.insert("year".into(), 2024.into());
            passage
        };
        let first = fan_out(vec![passage("a", "…")], &["The flat is in Elm Street."]);
        let last = fan_out([0.2, 0.2, 0.2, 0.2, 0.2, 0.8].map(scored).to_vec(), &[]);
        let section = section(&[first, last]);
        assert_eq!(section.matches(". score ").count(), 5);
        assert!(
            section.starts_with(
                "6 results, average score 0.30:\n1. score 0.20, document lease in files: About lease (year = 2024)\nThe rent is 900 EUR.\n2. "
            ),
            "{section}"
        );
        assert!(
            section.ends_with("Read so far:\n- a: The flat is in Elm Street."),
            "{section}"
        );
    }

    #[test]
    fn however_long_texts_are_it_is_short() {
        let long = || passage("d", &"x".repeat(9_000));
        let facts = vec!["y".repeat(900); 20];
        let facts: Vec<&str> = facts.iter().map(String::as_str).collect();
        let all = fan_out((0..20).map(|_| long()).collect(), &facts);
        assert!(section(&[all]).len() < 8_000);
    }
}
