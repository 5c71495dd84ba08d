//! Measures how well the publishers and days that a data set's questions name are read as conditions.
//!
//! The right conditions are the publishers and the days of a question's evidence. No text of a data set is reported:
//! a failed question is named by its id. *Not* measured: which passages a search finds.

use crate::Error;
use crate::dataset::{Dataset, DatasetName, Question, Split, day_of};
use crate::ground::{broken, in_memory};
use crate::multihop;
use documents::Document;
use envelope::{DocId, Principal, TenantId};
use index::Index;
use linking::{LinkedQuestion, QuestionCondition, Test};
use retriever::DerivedFilter;
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Instant;
use text::fold;

/// The columns that a question may name.
const PUBLISHER: &str = "publisher";
const PUBLISHED: &str = "published_at";

/// What it comes to.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct SourceSums {
    /// Questions that have an answer.
    pub(super) questions: usize,
    /// Of them, those that name every source of their evidence.
    pub(super) named: usize,
    /// Exactly the sources of the evidence are conditions.
    pub(super) exact: usize,
    /// The same among those that name them all.
    pub(super) exact_named: usize,
    /// Sources that are conditions, and those of them that the evidence has.
    pub(super) linked: usize,
    pub(super) right: usize,
    /// Days that are conditions, and those of them that hold for a document of the evidence.
    pub(super) days: usize,
    pub(super) days_right: usize,
    /// Questions with a document of the evidence for which the conditions do not all hold, and those of them that name all
    /// sources.
    pub(super) harmed: usize,
    pub(super) harmed_named: usize,
    /// Questions that are taken for ones that ask for documents, so that conditions filter.
    pub(super) strict: usize,
    /// Half of the questions were linked in this time.
    pub(super) link_micros_p50: f64,
    pub(super) link_micros_p99: f64,
    /// What failed, by id.
    #[serde(skip)]
    pub(super) failed: Vec<String>,
}

/// A data set in an index, with the documents of each question's evidence.
struct Ground {
    index: Index,
    principal: Principal,
    documents: BTreeMap<DocId, Document>,
    evidence: BTreeMap<String, BTreeSet<DocId>>,
}

/// Links the questions of a data set that have an answer.
pub(super) fn measure(split: Split, path: &Path) -> Result<SourceSums, Error> {
    let mut dataset = Dataset::load(DatasetName::MultihopRag, path)?;
    dataset.keep(split, None);
    let evidence = multihop::evidence(path)?;
    let questions = std::mem::take(&mut dataset.questions);
    let ground = Ground::build(dataset, evidence)?;
    let mut sums = SourceSums::default();
    let mut micros = Vec::new();
    for question in questions.iter().filter(|one| !one.gold.is_empty()) {
        let begun = Instant::now();
        // None of the questions says `last month`: any day does.
        let today = linking::days::day(2024, 1, 1).ok_or_else(|| Error::BadDay("2024".into()))?;
        let linked = ground.index.link(&ground.principal, &question.text, today);
        micros.push(begun.elapsed().as_secs_f64() * 1e6);
        ground.take_in(question, &linked.map_err(broken)?, &mut sums)?;
    }
    if micros.is_empty() {
        return Err(Error::NoQuestion);
    }
    let at = |share| crate::metrics::quantile(micros.clone(), share);
    (sums.link_micros_p50, sums.link_micros_p99) = (at(0.5), at(0.99));
    Ok(sums)
}

impl Ground {
    fn build(
        dataset: Dataset,
        evidence: BTreeMap<String, BTreeSet<DocId>>,
    ) -> Result<Ground, Error> {
        let index = in_memory(Vec::new(), dataset.documents.iter().cloned())?;
        let documents = dataset.documents.into_iter();
        Ok(Ground {
            index,
            principal: TenantId::default_tenant().into(),
            documents: documents.map(|one| (one.doc_id.clone(), one)).collect(),
            evidence,
        })
    }

    fn take_in(
        &self,
        question: &Question,
        linked: &LinkedQuestion,
        sums: &mut SourceSums,
    ) -> Result<(), Error> {
        let of_evidence = self.evidence.get(&question.id).into_iter().flatten();
        let gold: Vec<&Document> = of_evidence
            .filter_map(|id| self.documents.get(id))
            .collect();
        let sources: BTreeSet<&str> = gold.iter().filter_map(|one| text(one, PUBLISHER)).collect();
        let linked_sources = sources_of(linked);
        let is_named = sources.iter().all(|source| is_in(source, &question.text));
        let is_exact = linked_sources
            .iter()
            .map(String::as_str)
            .eq(sources.iter().copied());
        let is_right = |source: &&String| sources.contains(source.as_str());
        let (days, days_right) = days(linked, &gold);
        let is_harmed = self.shuts_out(linked, &gold)?;
        sums.questions += 1;
        sums.named += usize::from(is_named);
        sums.exact += usize::from(is_exact);
        sums.exact_named += usize::from(is_exact && is_named);
        sums.linked += linked_sources.len();
        sums.right += linked_sources.iter().filter(is_right).count();
        sums.days += days;
        sums.days_right += days_right;
        sums.harmed += usize::from(is_harmed);
        sums.harmed_named += usize::from(is_harmed && is_named);
        sums.strict += usize::from(DerivedFilter::of(linked).is_strict);
        if is_named && !is_exact || is_harmed || days > days_right {
            let filter = DerivedFilter::of(linked).joined();
            let fields: Vec<&str> = filter.0.iter().map(|one| one.field.as_str()).collect();
            sums.failed.push(format!(
                "{} {}: {} of {} sources right, {} of {} linked are; {days_right} of {days} days hold; conditions on {}{}",
                question.id,
                question.kind.as_deref().unwrap_or_default(),
                linked_sources.iter().filter(is_right).count(),
                sources.len(),
                linked_sources.iter().filter(is_right).count(),
                linked_sources.len(),
                fields.join(", "),
                if is_harmed { "; evidence shut out" } else { "" },
            ));
        }
        Ok(())
    }

    /// Whether a document is not among those for which all conditions hold.
    fn shuts_out(&self, linked: &LinkedQuestion, gold: &[&Document]) -> Result<bool, Error> {
        let filter = DerivedFilter::of(linked).joined();
        if filter.is_empty() {
            return Ok(false);
        }
        let rows = self.index.rows(&self.principal, &filter).map_err(broken)?;
        let there: BTreeSet<String> = rows.into_iter().map(|row| row.source).collect();
        Ok(gold
            .iter()
            .any(|document| !there.contains(&document.source)))
    }
}

/// The sources that became conditions.
fn sources_of(linked: &LinkedQuestion) -> BTreeSet<String> {
    let named = linked.conditions.iter().chain(&linked.parts);
    let named = named.filter(|condition| condition.field == PUBLISHER && !condition.is_negated);
    let mut sources = BTreeSet::new();
    for condition in named {
        if let Test::Is(things) = &condition.test {
            sources.extend(things.iter().flatten().cloned());
        }
    }
    sources
}

/// How many days became conditions, and how many of them hold for a document.
fn days(linked: &LinkedQuestion, gold: &[&Document]) -> (usize, usize) {
    let mut told: Vec<&QuestionCondition> = Vec::new();
    let of_sides = linked.sides.iter().flat_map(|side| &side.conditions);
    for condition in linked
        .conditions
        .iter()
        .chain(&linked.parts)
        .chain(of_sides)
    {
        let is_known = told.iter().any(|known| known.test == condition.test);
        if matches!(condition.test, Test::Days(_)) && !is_known {
            told.push(condition);
        }
    }
    let holds = |condition: &&&QuestionCondition| match &condition.test {
        Test::Days(range) => gold.iter().any(|document| {
            let day = text(document, PUBLISHED).and_then(day_of);
            day.is_some_and(|day| range.has(day))
        }),
        _ => false,
    };
    (told.len(), told.iter().filter(holds).count())
}

/// Whether a question has a name, or what stands before the bar of `Daily | News of the World`, however it is written.
fn is_in(name: &str, question: &str) -> bool {
    let question = fold::key(question);
    let short = name.split_once(" | ").map_or(name, |(short, _)| short);
    question.contains(&fold::key(short))
}

fn text<'a>(document: &'a Document, field: &str) -> Option<&'a str> {
    document.metadata.get(field).and_then(Value::as_str)
}

impl SourceSums {
    /// The figures with their names.
    /// Each share, with its part and its whole.
    pub(super) fn shares(&self) -> [(&'static str, usize, usize); 7] {
        [
            ("exact source set", self.exact, self.questions),
            ("the same, all sources named", self.exact_named, self.named),
            ("precision of sources", self.right, self.linked),
            ("days that hold for evidence", self.days_right, self.days),
            (
                "evidence shut out, all named",
                self.harmed_named,
                self.named,
            ),
            ("evidence shut out", self.harmed, self.questions),
            (
                "taken for a question for documents",
                self.strict,
                self.questions,
            ),
        ]
    }

    pub(super) fn rows(&self) -> Vec<(&'static str, String)> {
        let told = |(what, part, all): (&'static str, usize, usize)| match all {
            0 => (what, "none".to_owned()),
            _ => {
                let share = part as f64 / all as f64;
                (what, format!("{share:.4}  {part} of {all}"))
            }
        };
        let (p50, p99) = (self.link_micros_p50, self.link_micros_p99);
        let mut rows: Vec<_> = self.shares().map(told).to_vec();
        rows.push(("linking, p50 and p99", format!("{p50:.0} and {p99:.0} µs")));
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_tell_shares_and_a_whole_of_nothing_has_none() {
        let sums = SourceSums {
            questions: 4,
            exact: 3,
            ..SourceSums::default()
        };
        let rows = sums.rows();
        assert_eq!(rows[0], ("exact source set", "0.7500  3 of 4".into()));
        assert_eq!(rows[1].1, "none");
        assert_eq!(rows.len(), sums.shares().len() + 1);
    }

    #[test]
    fn names_are_found_however_they_are_written() {
        assert!(is_in(
            "The Courier - Sport",
            "what did the 'Courier' and the courier: sport say"
        ));
        assert!(is_in("Daily | News of the World", "As DAILY reports"));
        assert!(!is_in("The Courier", "the post"));
    }
}
