//! Fits the weights of the groundedness scores on the dev split of labelled answers. The table in
//! `groundedness::thresholds` has these weights.

use super::logistic::{Observation, fit, probability};
use super::sets::{LabelledClaim, MarkedAnswer, Task};
use groundedness::{
    ANSWER_FEATURES, CONTRAST_FEATURES, FEATURES, Thresholds, answer_figures, features,
};

/// How much a sentence of each task counts: questions are what is answered here, and JSON objects are not.
fn weight(task: Task) -> f64 {
    match task {
        Task::Qa => 3.0,
        Task::Summary => 1.5,
        Task::Data2txt => 0.5,
    }
}

/// The weights of sentences and answers in words, a line each.
pub(super) fn of_answers(answers: &[MarkedAnswer], thresholds: &Thresholds) -> Vec<String> {
    let dev: Vec<&MarkedAnswer> = answers.iter().filter(|answer| answer.is_dev).collect();
    let mut sentences = Vec::new();
    let mut by_answer = Vec::new();
    for answer in &dev {
        let passages: Vec<&str> = answer.passages.iter().map(String::as_str).collect();
        let read = features(&answer.text, &passages, thresholds).into_iter();
        let claims = read.filter_map(|one| Some((one.at, one.figures?)));
        let observed: Vec<Observation> = claims
            .map(|(at, figures)| Observation {
                figures: figures.iter().copied().map(f64::from).collect(),
                is_true: answer.is_marked(&at),
                weight: weight(answer.task),
            })
            .collect();
        sentences.extend(observed.iter().cloned());
        by_answer.push(observed);
    }
    let of_sentences = fit(&sentences);
    let questions = dev
        .iter()
        .zip(&by_answer)
        .filter(|(answer, _)| answer.task == Task::Qa);
    let answers: Vec<Observation> = questions
        .map(|(answer, observed)| {
            let scores: Vec<f32> = observed
                .iter()
                .map(|one| 1.0 - probability(&of_sentences, &one.figures) as f32)
                .collect();
            let figures = answer_figures(&scores, text::words::runs(&answer.text).count());
            Observation {
                figures: figures.iter().copied().map(f64::from).collect(),
                is_true: !answer.marked.is_empty(),
                weight: 1.0,
            }
        })
        .collect();
    let mut lines = told("sentences", &FEATURES, &of_sentences);
    lines.extend(told("answers", &ANSWER_FEATURES, &fit(&answers)));
    lines
}

/// The weights of contrast in words, a line each.
pub(super) fn of_claims(claims: &[LabelledClaim], thresholds: &Thresholds) -> Vec<String> {
    let dev = claims.iter().filter(|claim| claim.is_dev);
    let observed = dev.filter_map(|claim| {
        let read = features(&claim.text, &[&claim.passage], thresholds);
        let one = read.into_iter().find(|one| one.figures.is_some())?;
        Some(Observation {
            figures: one.contrast.iter().copied().map(f64::from).collect(),
            is_true: claim.is_contradicted,
            weight: 1.0,
        })
    });
    told(
        "contrast",
        &CONTRAST_FEATURES,
        &fit(&observed.collect::<Vec<_>>()),
    )
}

fn told(what: &str, names: &[&str], weights: &[f64]) -> Vec<String> {
    let bias = weights.first().copied().unwrap_or_default();
    let head = format!("weights of {what}: bias {bias:.3}");
    let each = names.iter().zip(weights.iter().skip(1));
    std::iter::once(head)
        .chain(each.map(|(name, weight)| format!("  {weight:>7.3}  {name}")))
        .collect()
}
