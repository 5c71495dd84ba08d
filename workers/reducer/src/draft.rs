//! Makes the draft of a step, with its text, its cited sources and a record of how it was made.

use crate::answer::NO_INFORMATION;
use crate::evidence::Evidence;
use crate::quote::citations;
use crate::table;
use envelope::hop::ReducerExit;
use envelope::limits::DRAFT_TEXT_BYTES_MAX;
use envelope::{
    AnswerForm, Draft, DraftReading, DraftTable, Fallback, FilterMatch, Listing, Passage, ReadMark,
};
use llm::Prompt;
use stage::StepOutput;

/// What is to be written, and what the draft takes over from its task.
#[derive(Default)]
pub(crate) struct Brief<'a> {
    /// The prompt; `None` where no model is asked.
    pub(crate) prompt: Option<&'a Prompt>,
    /// The placeholder in the prompt that the evidence replaces.
    pub(crate) section: &'static str,
    pub(crate) evidence: Evidence,
    pub(crate) scatters: Vec<u16>,
    /// The marks of all passages that these scatters read, where the draft is to carry the texts against which it is
    /// checked.
    pub(crate) marks: Option<Vec<ReadMark>>,
    pub(crate) strict: bool,
    pub(crate) matched: FilterMatch,
    /// The parts of the question; empty for a simple question.
    pub(crate) parts: Vec<String>,
    /// The wanted form of the answer.
    pub(crate) form: AnswerForm,
    /// Whether the model is asked about the draft that it writes.
    pub(crate) is_assessed: bool,
}

/// Where the text of a draft comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    Model,
    /// The facts themselves.
    Facts,
    /// No text: there is nothing to say.
    Nothing,
}

pub(crate) fn composed(brief: Brief<'_>, text: String, origin: Origin) -> StepOutput<ReducerExit> {
    let Evidence { facts, sources, .. } = &brief.evidence;
    let count = |n: usize, noun: &str| format!("{n} {noun}{}", if n == 1 { "" } else { "s" });
    let (facts, sources) = (count(facts.len(), "fact"), count(sources.len(), "source"));
    let how = match origin {
        Origin::Facts => "stitched",
        Origin::Model | Origin::Nothing => "composed",
    };
    let decided = format!("{how} from {facts} of {sources}");
    draft(brief, text, origin, decided)
}

/// The draft of a table. It is checked against the rows that the table was made of.
pub(crate) fn listed(listing: Listing) -> StepOutput<ReducerExit> {
    let text = table::text(&listing);
    let rows = listing.table.rows.len();
    let draft = Draft {
        text,
        sources: listing.sources,
        table: Some(Box::new(DraftTable {
            table: listing.table,
            digest: listing.digest,
        })),
        ..Draft::default()
    };
    let noun = if rows == 1 { "row" } else { "rows" };
    StepOutput::new(
        ReducerExit::Composed(draft),
        format!("a table of {rows} {noun}"),
    )
}

pub(crate) fn no_information(brief: Brief<'_>, decided: &str) -> StepOutput<ReducerExit> {
    draft(
        brief,
        NO_INFORMATION.into(),
        Origin::Nothing,
        decided.into(),
    )
}

fn draft(
    brief: Brief<'_>,
    text: String,
    origin: Origin,
    decided: String,
) -> StepOutput<ReducerExit> {
    let (sources, replaced) = citations(&brief.evidence, &text);
    let marks = brief.marks.filter(|_| origin != Origin::Nothing);
    let read = marks.and_then(|marks| carried(marks, brief.evidence.sources));
    let draft = Draft {
        sources,
        facts: brief.evidence.facts,
        text,
        scatters: brief.scatters,
        read,
        strict: brief.strict,
        no_information: origin == Origin::Nothing,
        stitched: origin == Origin::Facts,
        matched: brief.matched,
        ..Draft::default()
    };
    let done = StepOutput::new(ReducerExit::Composed(draft), decided);
    match replaced {
        0 => done,
        count => done.with_fallback(Fallback::QuotesReplaced { count }),
    }
}

/// The texts of `sources`, against which the draft is checked; `None` where they are too large to carry or one of
/// them is missing.
fn carried(marks: Vec<ReadMark>, sources: Vec<Passage>) -> Option<Box<DraftReading>> {
    let bytes: usize = sources
        .iter()
        .map(|source| encoded_bytes(&source.text))
        .sum();
    let is_whole = sources.iter().all(|source| !source.text.is_empty());
    (is_whole && bytes <= DRAFT_TEXT_BYTES_MAX).then(|| {
        let texts = sources.into_iter().map(|source| source.text).collect();
        Box::new(DraftReading { texts, marks })
    })
}

/// How many bytes a text takes in a message, where its quotes and line breaks are escaped.
fn encoded_bytes(text: &str) -> usize {
    let bytes = text.bytes().map(|byte| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' => 2,
        0..0x20 => 6,
        _ => 1,
    });
    bytes.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::model::passage;

    #[test]
    fn a_draft_carries_the_text_of_its_sources_up_to_a_limit() {
        let mark = |one: &Passage| vec![ReadMark::of(one)];
        let half = passage("a", &"x".repeat(DRAFT_TEXT_BYTES_MAX / 2));
        let read = carried(mark(&half), vec![half.clone(), half.clone()]).unwrap();
        assert_eq!(read.marks, mark(&half));
        assert!(read.texts.iter().all(|text| *text == half.text));
        let little = passage("b", "x");
        let over = vec![half.clone(), half.clone(), little];
        assert_eq!(carried(mark(&half), over), None);
        // Escapes count.
        let breaks = passage("d", &"\n".repeat(DRAFT_TEXT_BYTES_MAX * 2 / 3));
        assert_eq!(carried(Vec::new(), vec![breaks]), None);
        // What is not there has to be read.
        let without = passage("c", "");
        assert_eq!(carried(mark(&half), vec![half, without]), None);
    }
}
