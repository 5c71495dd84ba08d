//! Checks an answer against its passages: each sentence gets a verdict.

use crate::coverage::Evidence;
use crate::features::{
    Examination, answer_figures, answer_score, contrast_score, examine, sentence_score,
};
use crate::slots::Fault;
use crate::thresholds::Thresholds;
use std::ops::Range;
use text::words;

/// Most missing words that a reason names.
const NAMED_MAX: usize = 5;
/// The share of words that a window must have for a sentence to be contradicted by a part of it.
const CONTRADICTING_MIN: f32 = 0.6;
/// The share of the words around what contradicts that a sentence must have, too.
const ECHO_MIN: f32 = 0.5;
/// How alike the words beside two opposite directions must be, for both to be about the same.
const DIRECTION_MIN: f32 = 0.5;

/// The result of checking an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerCheck {
    /// Its sentences, in order.
    pub sentences: Vec<SentenceCheck>,
    /// The probability that nothing in the answer is made up, 0 to 1; 1 where nothing is claimed. It follows from
    /// figures, not from verdicts, so a confidence has to be lower where a sentence is contradicted.
    pub score: f32,
}

/// The highest confidence in an answer with a contradicted sentence. Chosen by judgement, not fitted.
pub const CONTRADICTED_MAX: f32 = 0.2;
/// The highest confidence in an answer with an unsupported sentence. Chosen by judgement, not fitted.
pub const UNSUPPORTED_MAX: f32 = 0.5;

impl AnswerCheck {
    /// The score, bounded by the worst sentence, 0 to 1: at most 0.2 where one is contradicted, and 0.5 where one
    /// is unsupported. One wrong figure weighs little in the score, but decides for a reader who acts on it.
    pub fn confidence(&self) -> f32 {
        let most = self.sentences.iter().map(|one| match one.verdict {
            SentenceVerdict::Contradicted => CONTRADICTED_MAX,
            SentenceVerdict::Unsupported => UNSUPPORTED_MAX,
            SentenceVerdict::Supported | SentenceVerdict::NoClaim => 1.0,
        });
        most.fold(self.score, f32::min)
    }
}

/// The result of checking a sentence.
#[derive(Debug, Clone, PartialEq)]
pub struct SentenceCheck {
    /// Where it begins, in bytes of the answer.
    pub start: usize,
    /// Where it ends, in bytes of the answer.
    pub end: usize,
    /// Whether the passages support it.
    pub verdict: SentenceVerdict,
    /// The probability that the passages support the sentence, 0 to 1, as fitted to answers of models; 1 where
    /// nothing is claimed. The verdict can be worse than the score: models seldom write false statements nearly
    /// verbatim, so a high score does not excuse one.
    pub score: f32,
    /// If passages are about the same thing: the probability that they say the contrary, 0 to 1; 0 where nothing is
    /// claimed.
    pub contrast: f32,
    /// Whether it denies something, and nothing is denied where the passages say most of it. No verdict: a true sentence may
    /// say in its own words what a passage says without a denial (`no longer` for `until`).
    pub denies_alone: bool,
    /// The reason, if the sentence is not supported.
    pub reason: Option<Reason>,
    /// The passage that decided the verdict, counted from 0.
    pub passage: Option<usize>,
    /// The window that decided the verdict, in bytes of that passage.
    pub window: Option<Range<usize>>,
}

/// Whether passages support a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SentenceVerdict {
    /// They support it, as far as words tell.
    Supported,
    /// They do not.
    Unsupported,
    /// A near-verbatim window says otherwise.
    Contradicted,
    /// The sentence claims nothing: a heading, a lead-in, a word about the passages.
    NoClaim,
}

/// Why a sentence is not supported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// Its kind.
    pub kind: ReasonKind,
    /// The words of the answer that are not supported, as written.
    pub words: String,
}

/// The kinds of reasons why a sentence is not supported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ReasonKind {
    /// Too many of its words do not occur together in the passages.
    Words,
    /// A number.
    Number,
    /// The unit of a number.
    Unit,
    /// A day, month or year.
    Date,
    /// A name.
    Name,
    /// A negation too many or too few.
    Polarity,
    /// The opposite of what a passage says: rise and fall, before and after, at least and at most.
    Direction,
}

impl ReasonKind {
    /// As a label.
    pub fn as_str(self) -> &'static str {
        match self {
            ReasonKind::Words => "words",
            ReasonKind::Number => "number",
            ReasonKind::Unit => "unit",
            ReasonKind::Date => "date",
            ReasonKind::Name => "name",
            ReasonKind::Polarity => "polarity",
            ReasonKind::Direction => "direction",
        }
    }
}

/// Compares each sentence of `answer` with the text of `passages`.
pub fn check(answer: &str, passages: &[&str], thresholds: &Thresholds) -> AnswerCheck {
    let (evidence, examined) = examine(answer, passages, thresholds);
    let each = examined.iter();
    let sentences: Vec<SentenceCheck> = each
        .map(|one| judged(answer, one, &evidence, thresholds))
        .collect();
    let claims = sentences
        .iter()
        .filter(|one| one.verdict != SentenceVerdict::NoClaim);
    let scores: Vec<f32> = claims.map(|one| one.score).collect();
    let score = match scores.is_empty() {
        true => 1.0,
        false => answer_score(&answer_figures(&scores, words::runs(answer).count())),
    };
    AnswerCheck { sentences, score }
}

/// What decided, and the sentences of the passages that did.
struct Decision {
    verdict: SentenceVerdict,
    reason: Option<(ReasonKind, Vec<usize>)>,
    told_by: Option<usize>,
}

fn judged(
    answer: &str,
    one: &Examination,
    evidence: &Evidence,
    thresholds: &Thresholds,
) -> SentenceCheck {
    let score = one.figures.as_ref().map_or(1.0, sentence_score);
    let decision = decide(one, score, thresholds);
    let sentences = match decision.told_by {
        Some(at) => Some(at..at + 1),
        None => one.window.as_ref().map(|window| window.sentences.clone()),
    };
    let sentences = sentences.filter(|_| decision.verdict != SentenceVerdict::NoClaim);
    let (passage, window) = sentences
        .map(|range| {
            let sentences = &evidence.sentences[range.clone()];
            let end = sentences.last().map_or(0, |last| last.at.end);
            (evidence.passage_of(range.start), sentences[0].at.start..end)
        })
        .unzip();
    let words = |tokens: &[usize]| {
        let tokens = tokens.iter().filter_map(|at| one.sentence.tokens.get(*at));
        let words = tokens
            .take(NAMED_MAX)
            .map(|token| &answer[token.at.clone()]);
        words.collect::<Vec<&str>>().join(" ")
    };
    SentenceCheck {
        start: one.at.start,
        end: one.at.end,
        verdict: decision.verdict,
        score,
        contrast: one.figures.map_or(0.0, |_| contrast_score(&one.contrast)),
        denies_alone: one.denies_alone,
        reason: decision.reason.map(|(kind, tokens)| Reason {
            kind,
            words: words(&tokens),
        }),
        passage,
        window,
    }
}

/// The verdict: what contradicts goes before what stands nowhere, and that before words alone.
fn decide(one: &Examination, score: f32, thresholds: &Thresholds) -> Decision {
    let decision = |verdict, reason, told_by| Decision {
        verdict,
        reason,
        told_by,
    };
    if one.figures.is_none() {
        return decision(SentenceVerdict::NoClaim, None, None);
    }
    if one.is_verbatim {
        return decision(SentenceVerdict::Supported, None, None);
    }
    let share = one.window.as_ref().map_or(0.0, |window| window.share);
    let is_near = share >= CONTRADICTING_MIN;
    let is_verbatim_nearly = share >= thresholds.aligned_min;
    let turned = one.turns.iter().find(|placed| {
        placed.fit >= thresholds.aligned_min
            && placed.turn.weight >= DIRECTION_MIN
            && placed.turn.echo >= ECHO_MIN
    });
    if let Some(placed) = turned.filter(|_| is_near) {
        let reason = (placed.turn.kind, placed.turn.tokens.clone().collect());
        return decision(
            SentenceVerdict::Contradicted,
            Some(reason),
            Some(placed.turn.told_by),
        );
    }
    if let Some(finding) = one.findings.iter().max_by_key(|finding| finding.fault) {
        let verdict = match finding.fault == Fault::Replaced && is_verbatim_nearly {
            true => SentenceVerdict::Contradicted,
            false => SentenceVerdict::Unsupported,
        };
        let reason = (finding.kind, finding.tokens.clone().collect());
        return decision(verdict, Some(reason), finding.told_by);
    }
    match score < thresholds.supported_min {
        true => decision(
            SentenceVerdict::Unsupported,
            Some((ReasonKind::Words, one.missing.clone())),
            None,
        ),
        false => decision(SentenceVerdict::Supported, None, None),
    }
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
