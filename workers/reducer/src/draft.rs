//! Makes the draft of a step, with its text, its cited sources and a record of how it was made.

use crate::answer::NO_INFORMATION;
use crate::evidence::Evidence;
use crate::quote::citations;
use crate::table;
use envelope::hop::ReducerExit;
use envelope::limits::DRAFT_TEXT_BYTES_MAX;
use envelope::{
    AnswerForm, Draft, DraftReading, DraftTable, Fact, Fallback, FilterMatch, Listing, Passage,
    ReadMark,
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
    /// The marks of all passages that these scatters read.
    pub(crate) marks: Vec<ReadMark>,
    /// Whether the draft names the passages where they are stored, and carries none of their text.
    pub(crate) is_stored: bool,
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
    let count = |n: usize, noun: &str| format!("{n} {noun}{}", if n == 1 { "" } else { "s" });
    let sources = brief.evidence.sources.len();
    let from = match brief.evidence.is_of_passages() {
        true => count(sources, "passage"),
        false => {
            let facts = count(brief.evidence.facts().len(), "fact");
            format!("{facts} of {}", count(sources, "source"))
        }
    };
    let how = match origin {
        Origin::Facts => "stitched",
        Origin::Model | Origin::Nothing => "composed",
    };
    let decided = format!("{how} from {from}");
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
    let (facts, read) = match origin == Origin::Nothing || brief.is_stored {
        true => Default::default(),
        false => given(brief.evidence, brief.marks),
    };
    let draft = Draft {
        sources,
        facts,
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

/// What the draft is checked against: the facts that mappers stated, and the texts of its sources. Without the texts where
/// they are too large to carry or one of them is missing; then the sentences of passages are its facts.
fn given(evidence: Evidence, marks: Vec<ReadMark>) -> (Vec<Fact>, Option<Box<DraftReading>>) {
    let is_carried = is_carried(&evidence.sources);
    let facts = match is_carried && evidence.is_of_passages() {
        true => Vec::new(),
        false => evidence.facts().into_owned(),
    };
    let read = is_carried.then(|| {
        let texts = evidence.sources.iter().map(Passage::shown);
        let texts = texts.collect();
        Box::new(DraftReading { texts, marks })
    });
    (facts, read)
}

fn is_carried(sources: &[Passage]) -> bool {
    let bytes = sources.iter().map(|source| encoded_bytes(&source.shown()));
    let is_whole = sources.iter().all(|source| !source.text.is_empty());
    is_whole && bytes.sum::<usize>() <= DRAFT_TEXT_BYTES_MAX
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
    use crate::pruning::Reading;
    use testkit::model::passage;

    #[test]
    fn a_draft_carries_the_text_of_its_sources_up_to_a_limit() {
        let half = passage("a", &"x".repeat(DRAFT_TEXT_BYTES_MAX / 2));
        let over = passage("b", "x");
        let fronted = Passage {
            front: "Of Harrow House.".into(),
            ..half.clone()
        };
        // Escapes count.
        let breaks = passage(
            "d",
            &format!("x{}", "\n".repeat(DRAFT_TEXT_BYTES_MAX * 2 / 3)),
        );
        // What is not there has to be read.
        let without = passage("c", "");
        for (sources, is_carried) in [
            (vec![half.clone(), half.clone()], true),
            (vec![half.clone(), half.clone(), over], false),
            (vec![breaks], false),
            (vec![fronted.clone()], true),
            (vec![half.clone(), fronted], false),
            (vec![half.clone(), without], false),
        ] {
            let marks: Vec<ReadMark> = sources.iter().map(ReadMark::of).collect();
            let read = sources.iter().cloned().map(Reading::from);
            let (evidence, _) = Evidence::of_passages(read.collect(), &[], usize::MAX);
            let (facts, read) = given(evidence, marks.clone());
            // What is carried as text is not carried again as sentences.
            assert_eq!((facts.is_empty(), read.is_some()), (is_carried, is_carried));
            if let Some(read) = read {
                let texts: Vec<String> = sources.iter().map(Passage::shown).collect();
                assert_eq!(*read, DraftReading { texts, marks });
            }
        }
    }
}
