//! Compares the verdicts with answers of models in which people marked what is made up.
//!
//! Thresholds are chosen on the dev third of the answers; the reported figures are those of the other two thirds.

use super::calibration::{brier_skill, expected_error};
use super::sets::{MarkedAnswer, Task};
use crate::metrics::{auroc, quantile};
use groundedness::{AnswerCheck, SentenceVerdict, Thresholds, check};
use serde::Serialize;
use std::ops::Range;

/// Which share of unmarked sentences is flagged where the share of the marked ones is told.
const FALSE_FLAGS: [f64; 4] = [0.02, 0.03, 0.05, 0.1];

/// Figures of one task, over the answers that are not dev.
#[derive(Debug, Serialize)]
pub(super) struct TaskFigures {
    pub(super) task: &'static str,
    pub(super) answers: usize,
    pub(super) answers_marked: usize,
    /// How well the score of an answer tells those with a mark, and what the overlap and the length alone do.
    pub(super) answer_auroc: Option<f64>,
    pub(super) overlap_auroc: Option<f64>,
    pub(super) length_auroc: Option<f64>,
    /// At the threshold with the best balanced accuracy on dev.
    pub(super) answer_balanced_accuracy: f64,
    pub(super) answer_f1: f64,
    pub(super) expected_calibration_error: f64,
    pub(super) brier_skill: f64,
    /// The same three of the confidence, which one bad sentence bounds.
    pub(super) confidence_auroc: Option<f64>,
    pub(super) confidence_calibration_error: f64,
    pub(super) confidence_brier_skill: f64,
    pub(super) sentences: usize,
    pub(super) sentences_marked: usize,
    /// How well the score of a sentence tells the marked ones, and what plain coverage does.
    pub(super) sentence_auroc: Option<f64>,
    pub(super) coverage_auroc: Option<f64>,
    /// At the threshold with the best balanced accuracy on dev.
    pub(super) sentence_balanced_accuracy: f64,
    pub(super) sentence_f1: f64,
    /// At each share of the unmarked sentences flagged: the share of the marked ones.
    pub(super) marked_flagged_at: Vec<(f64, f64)>,
    pub(super) verdicts: VerdictShares,
}

/// What the verdicts come to by themselves.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub(super) struct VerdictShares {
    /// Of the unmarked sentences.
    pub(super) unmarked_flagged: f64,
    pub(super) unmarked_contradicted: f64,
    /// Of the marked ones.
    pub(super) marked_flagged: f64,
    pub(super) marked_contradicted: f64,
    /// Of those with the verdict, the share that is marked.
    pub(super) unsupported_precision: f64,
    pub(super) contradicted_precision: f64,
}

/// A sentence that claims something.
struct Judged {
    risk: f64,
    uncovered: f64,
    verdict: SentenceVerdict,
    is_marked: bool,
}

/// An answer with what was said of it.
struct JudgedAnswer<'a> {
    answer: &'a MarkedAnswer,
    risk: f64,
    /// The same of the confidence, which one bad sentence bounds.
    doubt: f64,
    uncovered: f64,
    sentences: Vec<Judged>,
}

/// What is told of all tasks.
pub(super) fn figures(
    answers: &[MarkedAnswer],
    thresholds: &Thresholds,
    failed: &mut Vec<String>,
) -> Vec<TaskFigures> {
    let tasks = Task::ALL.into_iter();
    tasks
        .map(|task| of_task(answers, task, thresholds, failed))
        .collect()
}

fn of_task(
    answers: &[MarkedAnswer],
    task: Task,
    thresholds: &Thresholds,
    failed: &mut Vec<String>,
) -> TaskFigures {
    let judged: Vec<JudgedAnswer<'_>> = answers
        .iter()
        .filter(|answer| answer.task == task)
        .map(|answer| judge(answer, thresholds, failed))
        .collect();
    let of = |is_dev: bool| judged.iter().filter(move |one| one.answer.is_dev == is_dev);
    let answer_pairs =
        |is_dev: bool, risk: &dyn Fn(&JudgedAnswer<'_>) -> f64| -> Vec<(f64, bool)> {
            of(is_dev)
                .map(|one| (risk(one), !one.answer.marked.is_empty()))
                .collect()
        };
    let sentence_pairs = |is_dev: bool, risk: &dyn Fn(&Judged) -> f64| -> Vec<(f64, bool)> {
        let sentences = of(is_dev).flat_map(|one| &one.sentences);
        sentences.map(|one| (risk(one), one.is_marked)).collect()
    };
    let tested = answer_pairs(false, &|one| one.risk);
    let doubted = answer_pairs(false, &|one| one.doubt);
    let sentences = sentence_pairs(false, &|one| one.risk);
    let (answer_balanced_accuracy, answer_f1) = at_threshold(
        &tested,
        best_threshold(&answer_pairs(true, &|one| one.risk)),
    );
    let (sentence_balanced_accuracy, sentence_f1) = at_threshold(
        &sentences,
        best_threshold(&sentence_pairs(true, &|one| one.risk)),
    );
    TaskFigures {
        task: task.as_str(),
        answers: tested.len(),
        answers_marked: count(&tested),
        answer_auroc: area(&tested),
        overlap_auroc: area(&answer_pairs(false, &|one| one.uncovered)),
        length_auroc: area(&answer_pairs(false, &|one| one.answer.text.len() as f64)),
        answer_balanced_accuracy,
        answer_f1,
        expected_calibration_error: expected_error(&tested),
        brier_skill: brier_skill(&tested),
        confidence_auroc: area(&doubted),
        confidence_calibration_error: expected_error(&doubted),
        confidence_brier_skill: brier_skill(&doubted),
        sentences: sentences.len(),
        sentences_marked: count(&sentences),
        sentence_auroc: area(&sentences),
        coverage_auroc: area(&sentence_pairs(false, &|one| one.uncovered)),
        sentence_balanced_accuracy,
        sentence_f1,
        marked_flagged_at: FALSE_FLAGS
            .map(|share| (share, flagged_at(&sentences, share)))
            .to_vec(),
        verdicts: shares(of(false).flat_map(|one| &one.sentences)),
    }
}

fn judge<'a>(
    answer: &'a MarkedAnswer,
    thresholds: &Thresholds,
    failed: &mut Vec<String>,
) -> JudgedAnswer<'a> {
    let passages: Vec<&str> = answer.passages.iter().map(String::as_str).collect();
    let found = check(&answer.text, &passages, thresholds);
    let confidence = found.confidence();
    let AnswerCheck { sentences, score } = found;
    let claims = sentences
        .iter()
        .filter(|one| one.verdict != SentenceVerdict::NoClaim);
    let judged = claims.map(|one| {
        let part: Range<usize> = one.start..one.end;
        let is_marked = answer.is_marked(&part);
        if one.verdict == SentenceVerdict::Contradicted && !is_marked && !answer.is_dev {
            let why = one
                .reason
                .as_ref()
                .map_or("", |reason| reason.kind.as_str());
            failed.push(format!(
                "{}, contradicted by {why} and not marked: {}",
                answer.task.as_str(),
                text::one_line(&answer.text[part.clone()])
            ));
        }
        Judged {
            risk: 1.0 - f64::from(one.score),
            uncovered: 1.0 - f64::from(text::overlap(&answer.text[part], &passages)),
            verdict: one.verdict,
            is_marked,
        }
    });
    JudgedAnswer {
        sentences: judged.collect(),
        risk: 1.0 - f64::from(score),
        doubt: 1.0 - f64::from(confidence),
        uncovered: 1.0 - f64::from(text::overlap(&answer.text, &passages)),
        answer,
    }
}

fn count(pairs: &[(f64, bool)]) -> usize {
    pairs.iter().filter(|(_, is_marked)| *is_marked).count()
}

/// The risks of one side.
fn risks(pairs: &[(f64, bool)], is_marked: bool) -> Vec<f64> {
    let side = pairs.iter().filter(|pair| pair.1 == is_marked);
    side.map(|(risk, _)| *risk).collect()
}

fn area(pairs: &[(f64, bool)]) -> Option<f64> {
    auroc(&risks(pairs, true), &risks(pairs, false))
}

/// The share of the marked ones above the risk that this share of the unmarked ones exceeds.
fn flagged_at(pairs: &[(f64, bool)], share: f64) -> f64 {
    let threshold = quantile(risks(pairs, false), 1.0 - share);
    let marked = risks(pairs, true);
    let above = marked.iter().filter(|risk| **risk > threshold).count();
    above as f64 / marked.len().max(1) as f64
}

/// The risk above which flagging has the best balanced accuracy, of a hundred.
fn best_threshold(pairs: &[(f64, bool)]) -> f64 {
    let all: Vec<f64> = pairs.iter().map(|(risk, _)| *risk).collect();
    let candidates = (0..100).map(|step| quantile(all.clone(), f64::from(step) / 100.0));
    let best = candidates.max_by(|one, other| {
        at_threshold(pairs, *one)
            .0
            .total_cmp(&at_threshold(pairs, *other).0)
    });
    best.unwrap_or_default()
}

/// Balanced accuracy and F1 of flagging what is above a risk.
fn at_threshold(pairs: &[(f64, bool)], threshold: f64) -> (f64, f64) {
    let counted = |is_marked: bool, is_flagged: bool| {
        let mut count = 0.0;
        for (risk, marked) in pairs {
            count += f64::from(u8::from(
                *marked == is_marked && (*risk > threshold) == is_flagged,
            ));
        }
        count
    };
    let (hits, misses, false_flags, passed) = (
        counted(true, true),
        counted(true, false),
        counted(false, true),
        counted(false, false),
    );
    let share = |part: f64, rest: f64| {
        if part + rest > 0.0 {
            part / (part + rest)
        } else {
            0.0
        }
    };
    let balanced = (share(hits, misses) + share(passed, false_flags)) / 2.0;
    (balanced, share(2.0 * hits, misses + false_flags))
}

fn shares<'a>(sentences: impl Iterator<Item = &'a Judged>) -> VerdictShares {
    let sentences: Vec<&Judged> = sentences.collect();
    let of = |is_it: &dyn Fn(&Judged) -> bool, among: &dyn Fn(&Judged) -> bool| {
        let all = sentences.iter().filter(|one| among(one));
        let part = all.clone().filter(|one| is_it(one)).count();
        part as f64 / all.count().max(1) as f64
    };
    let has = |verdict: SentenceVerdict| move |one: &Judged| one.verdict == verdict;
    let is_flagged = |one: &Judged| one.verdict != SentenceVerdict::Supported;
    let is_marked = |one: &Judged| one.is_marked;
    let is_unmarked = |one: &Judged| !one.is_marked;
    VerdictShares {
        unmarked_flagged: of(&is_flagged, &is_unmarked),
        unmarked_contradicted: of(&has(SentenceVerdict::Contradicted), &is_unmarked),
        marked_flagged: of(&is_flagged, &is_marked),
        marked_contradicted: of(&has(SentenceVerdict::Contradicted), &is_marked),
        unsupported_precision: of(&is_marked, &has(SentenceVerdict::Unsupported)),
        contradicted_precision: of(&is_marked, &has(SentenceVerdict::Contradicted)),
    }
}
