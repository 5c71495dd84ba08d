//! Gives the verdict on a draft by rules that count.
//!
//! Each sentence is compared with the cited passages (`sentences`), and the options decide what happens to a sentence
//! that these do not support or that they deny. A *failed check* asks for a stricter draft; it is a citation of
//! nothing, no citation at all, a figure that occurs in no source, or a denied sentence. A draft that no model wrote
//! consists of facts, but nothing has checked whether they answer the question, so it is flagged like one of low
//! confidence.

use crate::citations::{Settled, settle, without_marks};
use crate::confidence;
use crate::evidence::Evidence;
use crate::number_check::unfounded;
use crate::options::Options;
use crate::policy::{ContradictedPolicy, UnsupportedPolicy};
use crate::sentences::{self, Checked};
use crate::table;
use envelope::hop::ValidatorExit;
use envelope::{
    CheckedSentence, Citation, Draft, DraftTable, Fallback, QuestionText, Support, Verdict,
};
use std::borrow::Cow;

/// The most figures, or sentences, that the trail names.
const NAMED_MAX: usize = 3;
/// The longest part of a sentence that the trail names, in characters.
const NAMED_CHARS_MAX: usize = 80;
/// The text in place of an answer that is withheld.
const WITHHELD: &str = "The documents that were found do not say what the answer would have said.";
/// The text in place of an answer that is hardly right.
const UNLIKELY: &str = "The documents that were found do not say it, as far as can be told.";
/// What the user is told beside that text.
const LOOK: &str = "What the model wrote from these sources is too likely wrong to be shown; they may answer all the same.";

/// The findings about a draft.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Judged {
    pub(crate) verdict: Verdict,
    /// The checks that failed, in words; empty when the draft is grounded.
    pub(crate) failed: Vec<String>,
    /// What the draft leaves open of the question, in the words of the model that judged it.
    pub(crate) lacking: Option<String>,
    /// What was marked, cut or withheld.
    pub(crate) fallbacks: Vec<Fallback>,
}

impl Judged {
    /// Whether a model may judge the draft: a model wrote it and the rules let it pass. What the rules object to
    /// stands without a judgement.
    pub(crate) fn is_to_be_judged(&self, draft: &Draft) -> bool {
        let is_written = !draft.no_information && !draft.stitched && draft.table.is_none();
        self.failed.is_empty() && is_written && !self.is_withheld()
    }

    /// Whether the verdict withholds everything that the draft says.
    pub(crate) fn is_withheld(&self) -> bool {
        self.fallbacks.contains(&Fallback::AnswerWithheld)
    }

    /// Notes that the draft was not judged, for this reason.
    pub(crate) fn unjudged(&mut self, why: &str) {
        let why = why.into();
        self.fallbacks.push(Fallback::Unjudged { why });
    }
}

/// An answer, with its citations and the findings about it.
struct Answer {
    text: String,
    citations: Vec<Citation>,
    checked: Checked,
}

impl Answer {
    fn of(settled: Settled, evidence: &Evidence) -> Answer {
        let texts = evidence.texts(&settled.citations);
        Answer {
            checked: sentences::check(&settled.answer, &settled.citations, &texts),
            text: settled.answer,
            citations: settled.citations,
        }
    }

    fn count(&self, support: Support) -> u16 {
        let count = sentences::of_kind(&self.checked.sentences, support).count();
        u16::try_from(count).unwrap_or(u16::MAX)
    }

    /// The first few sentences of a kind, in words.
    fn named(&self, support: Support) -> String {
        let all = sentences::of_kind(&self.checked.sentences, support);
        let named = all.take(NAMED_MAX).map(|one| {
            let said: String = one.of(&self.text).chars().take(NAMED_CHARS_MAX).collect();
            format!("\"{said}\" ({})", one.reason)
        });
        named.collect::<Vec<_>>().join(", ")
    }
}

/// Judges the draft of `evidence` as an answer to `question`.
pub(crate) fn judge(evidence: &Evidence, question: &QuestionText, options: &Options) -> Judged {
    let draft = &evidence.draft;
    if draft.no_information {
        return no_information(draft);
    }
    if let Some(told) = &draft.table {
        return table(told, draft);
    }
    let settled = settle(&draft.text, &draft.sources);
    let given = evidence.given();
    let mut failed = failed_citations(&settled, options);
    if options.figures_checked {
        failed.extend(failed_figures(&settled.answer, draft, question, &given));
    }
    let (answer, mut fallbacks) = cut(Answer::of(settled, evidence), evidence, options);
    let contradicted = answer.count(Support::Contradicted);
    let unsupported = answer.count(Support::Unsupported);
    if contradicted > 0 && options.contradicted == ContradictedPolicy::Retry {
        let named = answer.named(Support::Contradicted);
        failed.push(format!("a source says otherwise: {named}"));
    }
    let mut is_withheld = says_nothing(&answer.checked.sentences) && !fallbacks.is_empty();
    if unsupported > 0 && options.unsupported == UnsupportedPolicy::Refuse {
        let named = answer.named(Support::Unsupported);
        failed.push(format!("no source says: {named}"));
        is_withheld = true;
    }
    if is_withheld {
        fallbacks.push(Fallback::AnswerWithheld);
        return Judged {
            verdict: withheld(),
            failed,
            fallbacks,
            ..Judged::default()
        };
    }
    if unsupported > 0 {
        fallbacks.push(Fallback::SentencesUnsupported { count: unsupported });
    }
    if contradicted > 0 {
        let count = contradicted;
        fallbacks.push(Fallback::SentencesContradicted { count });
    }
    let notices = fallbacks.iter().filter_map(notice).collect();
    let overlap = text::overlap(&answer.text, &given);
    let assessed = draft.assessment.map(confidence::of);
    if let Some(likely) = assessed.filter(|likely| *likely < options.withheld_below) {
        return unlikely(likely, answer.citations);
    }
    let is_low = overlap < options.low_confidence
        || assessed.is_some_and(|likely| likely < options.low_likely)
        || contradicted > 0
        || answer.checked.denies_alone
        || draft.stitched;
    Judged {
        verdict: Verdict {
            answer: answer.text,
            citations: answer.citations,
            confidence: assessed.unwrap_or(answer.checked.confidence),
            overlap: Some(overlap),
            low_confidence: is_low || !failed.is_empty(),
            sentences: answer.checked.sentences,
            notices,
            ..Verdict::default()
        },
        failed,
        fallbacks,
        ..Judged::default()
    }
}

/// The answer without the sentences that are to be cut out. The rest is numbered and checked anew.
fn cut(answer: Answer, evidence: &Evidence, options: &Options) -> (Answer, Vec<Fallback>) {
    let goes = |one: &CheckedSentence| match one.support {
        Support::Unsupported => options.unsupported == UnsupportedPolicy::Cut,
        Support::Contradicted => options.contradicted == ContradictedPolicy::Cut,
        Support::Supported | Support::NoClaim => false,
    };
    let all = &answer.checked.sentences;
    let count = all.iter().filter(|one| goes(one)).count();
    if count == 0 {
        return (answer, Vec::new());
    }
    let left = sentences::without(&answer.text, all, goes);
    let settled = settle(&left, &answer.citations);
    let count = u16::try_from(count).unwrap_or(u16::MAX);
    let cut = vec![Fallback::SentencesCut { count }];
    (Answer::of(settled, evidence), cut)
}

fn says_nothing(sentences: &[CheckedSentence]) -> bool {
    sentences.iter().all(|one| one.support == Support::NoClaim)
}

/// What the user should know of sentences that were marked or cut.
fn notice(of: &Fallback) -> Option<String> {
    Some(match of {
        Fallback::SentencesUnsupported { count } => format!(
            "{} the cited sources do not say, as far as rules tell; it is marked in `sentences`.",
            counted(*count)
        ),
        Fallback::SentencesContradicted { count } => format!(
            "{} a cited source denies; it is marked in `sentences`.",
            counted(*count)
        ),
        Fallback::SentencesCut { count } => format!(
            "{} the cited sources do not say; it is left out.",
            counted(*count)
        ),
        _ => return None,
    })
}

fn counted(count: u16) -> String {
    match count {
        1 => "There is 1 sentence that".into(),
        count => format!("There are {count} sentences, each of which"),
    }
}

/// The verdict that there is no answer, which says so.
fn withheld() -> Verdict {
    Verdict {
        answer: WITHHELD.into(),
        low_confidence: true,
        ..Verdict::default()
    }
}

/// What becomes of an answer that is hardly right: the user is told that the documents do not say, and where the model looked,
/// since a quarter of such answers are right (docs/answers.md). Neither another draft nor another search would know better.
fn unlikely(likely: f32, citations: Vec<Citation>) -> Judged {
    Judged {
        verdict: Verdict {
            answer: UNLIKELY.into(),
            confidence: likely,
            notices: citations.first().map(|_| LOOK.into()).into_iter().collect(),
            citations,
            ..withheld()
        },
        fallbacks: vec![Fallback::AnswerWithheld],
        ..Judged::default()
    }
}

/// The exit of a judged draft. A stricter draft is asked for once, only where there is a scatter record to compose it
/// from, and only where a model wrote this draft. It goes before another search, because what is made up answers
/// nothing.
pub(crate) fn exit(judged: Judged, evidence: &Evidence) -> ValidatorExit {
    let draft = &evidence.draft;
    let Judged {
        verdict,
        failed,
        lacking,
        ..
    } = judged;
    let stricter_from = match failed.is_empty() || draft.strict || draft.stitched {
        true => Vec::new(),
        false => draft.scatters.clone(),
    };
    match lacking {
        Some(reason) if stricter_from.is_empty() => ValidatorExit::Insufficient {
            verdict,
            reason,
            read: evidence.read.clone(),
        },
        _ if failed.is_empty() => ValidatorExit::Grounded(verdict),
        _ => ValidatorExit::Ungrounded {
            reason: failed.join("; "),
            verdict,
            stricter_from,
        },
    }
}

/// The verdict on a draft that says that the documents do not answer: this is an honest answer, with nothing to cite
/// and nothing to flag.
fn no_information(draft: &Draft) -> Judged {
    Judged {
        verdict: Verdict {
            answer: draft.text.clone(),
            ..Verdict::default()
        },
        ..Judged::default()
    }
}

/// The verdict on a table, which is right or wrong: nothing in it is a matter of words.
fn table(told: &DraftTable, draft: &Draft) -> Judged {
    let failed = table::wrong(told, draft);
    let holds = failed.is_empty();
    Judged {
        verdict: Verdict {
            answer: draft.text.clone(),
            citations: draft.sources.clone(),
            confidence: if holds { 1.0 } else { 0.0 },
            low_confidence: !holds,
            table: Some(Box::new(told.table.clone())),
            ..Verdict::default()
        },
        failed,
        ..Judged::default()
    }
}

fn failed_citations(settled: &Settled, options: &Options) -> Vec<String> {
    let mut failed = Vec::new();
    if settled.unknown > 0 {
        failed.push(format!("{} citations of no source", settled.unknown));
    }
    if options.citations_required && settled.citations.is_empty() {
        failed.push("no citation".into());
    }
    failed
}

fn failed_figures(
    answer: &str,
    draft: &Draft,
    question: &QuestionText,
    given: &[Cow<'_, str>],
) -> Option<String> {
    let mut given: Vec<&str> = given.iter().map(AsRef::as_ref).collect();
    given.push(&question.original);
    given.extend(question.rewritten.as_deref());
    for source in &draft.sources {
        given.extend([source.title.as_str(), &source.source]);
    }
    let mut figures = unfounded(&without_marks(answer), &given);
    if figures.is_empty() {
        return None;
    }
    figures.truncate(NAMED_MAX);
    Some(format!("not in the facts: {}", figures.join(", ")))
}

#[cfg(test)]
#[path = "verdict_tests.rs"]
mod tests;
