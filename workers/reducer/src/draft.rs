//! What a step came to as a draft: its text, what it stands on, and how it was made.

use crate::answer::NO_INFORMATION;
use crate::evidence::Evidence;
use crate::quote::citations;
use crate::table;
use envelope::hop::ReducerExit;
use envelope::{Draft, DraftTable, Fallback, Listing, Matched};
use llm::Prompt;
use stage::StepOutput;

/// What is to be written, and what a draft carries on from its task.
pub(crate) struct Brief<'a> {
    /// `None` where no model is to be asked.
    pub(crate) prompt: Option<&'a Prompt>,
    /// The placeholder that takes the evidence.
    pub(crate) section: &'static str,
    pub(crate) evidence: Evidence,
    pub(crate) scatters: Vec<u16>,
    pub(crate) strict: bool,
    pub(crate) matched: Matched,
    /// The questions that the question is made of; none of a simple one.
    pub(crate) parts: Vec<String>,
}

impl<'a> Brief<'a> {
    /// A first draft from no fan-out, of a simple question.
    pub(crate) fn new(
        prompt: Option<&'a Prompt>,
        section: &'static str,
        evidence: Evidence,
        matched: Matched,
    ) -> Self {
        Brief {
            prompt,
            section,
            evidence,
            scatters: Vec::new(),
            strict: false,
            matched,
            parts: Vec::new(),
        }
    }
}

/// Where the text of a draft is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    Model,
    /// The facts themselves.
    Facts,
    /// There is nothing to say.
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

/// The draft that a table is: what it tells is checked against what the table was made of.
pub(crate) fn listed(listing: Listing) -> StepOutput<ReducerExit> {
    let text = table::text(&listing);
    let rows = listing.table.rows.len();
    let draft = Draft {
        text,
        sources: listing.sources,
        facts: Vec::new(),
        scatters: Vec::new(),
        strict: false,
        no_information: false,
        stitched: false,
        matched: Matched::Matched,
        table: Some(Box::new(DraftTable {
            table: listing.table,
            digest: listing.digest,
        })),
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
    let draft = Draft {
        sources,
        facts: brief.evidence.facts,
        text,
        scatters: brief.scatters,
        strict: brief.strict,
        no_information: origin == Origin::Nothing,
        stitched: origin == Origin::Facts,
        matched: brief.matched,
        table: None,
    };
    let done = StepOutput::new(ReducerExit::Composed(draft), decided);
    match replaced {
        0 => done,
        count => done.with_fallback(Fallback::QuotesReplaced { count }),
    }
}
