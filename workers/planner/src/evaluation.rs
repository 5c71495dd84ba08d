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

/// A result of a search.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct EvaluatedResult {
    pub(crate) score: f32,
    /// The source of the result, and what its document says of itself.
    from: String,
    /// Its text, cut.
    content: String,
}

/// What the model is to judge.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Evaluation {
    /// The first results of the last search.
    pub(crate) results: Vec<EvaluatedResult>,
    /// How many results the last search had.
    count: usize,
    /// The mean score of all of them; 0 where there are none.
    pub(crate) average: f32,
    /// The facts that were read in passages that help, in all searches.
    facts: Vec<String>,
}

impl Evaluation {
    /// The evaluation of the fan-outs of a turn, in the order of the rounds.
    pub(crate) fn of(evidence: &[FanOut]) -> Evaluation {
        let last = evidence.last().map(|last| &last.scatter.passages[..]);
        let passages = last.unwrap_or_default();
        let sum: f32 = passages.iter().map(|passage| passage.score).sum();
        let read = evidence.iter().cloned().flat_map(FanOut::into_read);
        let helpful =
            read.filter_map(|(passage, found)| Some((passage, found.filter(Findings::counts)?)));
        let facts = helpful.flat_map(|(passage, found)| {
            let doc = passage.doc_id;
            found
                .facts
                .into_iter()
                .map(move |fact| format!("{}: {}", doc.as_str(), line_of(&fact, TEXT_CHARS_MAX)))
        });
        Evaluation {
            results: passages.iter().take(RESULTS_MAX).map(result).collect(),
            count: passages.len(),
            average: sum / passages.len().max(1) as f32,
            facts: facts.take(FACTS_MAX).collect(),
        }
    }

    /// The section of the prompt.
    pub(crate) fn section(&self) -> String {
        let mut section = match self.count {
            0 => "The last search found nothing.".to_owned(),
            count => format!("{count} results, average score {:.2}:", self.average),
        };
        for (n, result) in (1..).zip(&self.results) {
            let EvaluatedResult {
                score,
                from,
                content,
            } = result;
            // Writing to a text cannot fail.
            let _ = write!(section, "\n{n}. score {score:.2}, {from}\n{content}");
        }
        if !self.facts.is_empty() {
            let _ = write!(section, "\nRead so far:\n- {}", self.facts.join("\n- "));
        }
        section
    }
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
    let fields = passage.metadata.iter().take(METADATA_MAX);
    let fields: Vec<String> = fields
        .map(|(field, value)| said(field, value, TITLE_CHARS_MAX))
        .collect();
    match fields.is_empty() {
        true => format!("{told}: it says nothing more of itself"),
        false => format!("{told}: {}", fields.join(", ")),
    }
}

fn said(field: &str, value: &Value, chars_max: usize) -> String {
    let value = value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned);
    format!(
        "{} = {}",
        line_of(field, VALUE_CHARS_MAX),
        line_of(&value, chars_max)
    )
}

fn result(passage: &Passage) -> EvaluatedResult {
    let title = line_of(&passage.title, TITLE_CHARS_MAX);
    let mut from = format!(
        "document {} in {}: {title}",
        passage.doc_id.as_str(),
        passage.bucket.as_str()
    );
    let fields = passage.metadata.iter().take(FIELDS_MAX);
    let fields: Vec<String> = fields
        .map(|(field, value)| said(field, value, VALUE_CHARS_MAX))
        .collect();
    if !fields.is_empty() {
        let _ = write!(from, " ({})", fields.join(", "));
    }
    EvaluatedResult {
        score: passage.score,
        from,
        content: line_of(&passage.text, TEXT_CHARS_MAX),
    }
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
    fn no_results_have_an_average_of_nothing_and_not_of_no_number() {
        for evidence in [vec![], vec![fan_out(vec![], &[])]] {
            let evaluation = Evaluation::of(&evidence);
            assert_eq!(evaluation.average, 0.0);
            assert_eq!(evaluation.section(), "The last search found nothing.");
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
        let evaluation = Evaluation::of(&[first, last]);
        assert_eq!(evaluation.results.len(), 5);
        assert!((evaluation.average - 0.3).abs() < 0.001);
        let section = evaluation.section();
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
        assert!(Evaluation::of(&[all]).section().len() < 8_000);
    }
}
