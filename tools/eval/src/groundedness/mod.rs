//! Measures how well the verdicts on sentences agree with people's marks, and with sentences that are known to be
//! true or false.
//!
//! No model is called and nothing is searched, except for the answers of the offline reader. Without a folder, the
//! sentences of the sample corpus are reworded and mutated, and the offline reader's answers to its questions are
//! checked. In a folder, each of the data sets `ragtruth_test`, `scifact` and `multihop_rag` that exists is measured.

mod calibration;
mod fitted;
mod logistic;
mod marked;
mod mutated;
mod reader;
mod report;
mod sets;

use crate::cli::EvalGroundednessArgs;
use crate::dataset;
use crate::error::Error;
use crate::metrics::{auroc, mean};
use crate::outcome::EvalReport;
use argosy::sample;
use groundedness::Thresholds;
use mutated::MutationCase;
use report::{ClaimFigures, GroundednessReport};
use sets::LabelledClaim;
use std::path::Path;

/// The sentences of the sample corpus, as `tools/mutations/generate.py` makes them.
const SAMPLE: &str = include_str!("../../../mutations/sample.jsonl");

/// Gives every sentence a verdict, and compares it with the right one.
///
/// # Errors
/// When a data set cannot be read, the offline reader's search fails, or the page cannot be written.
pub(crate) async fn run(options: &EvalGroundednessArgs) -> Result<EvalReport, Error> {
    let thresholds = Thresholds::default();
    let mut report = GroundednessReport::new();
    let cases = sample_cases()?;
    report.sample = mutated::figures(&cases, &thresholds, &mut report.failed);
    report.offline_reader = reader::figures(&thresholds, &mut report.failed).await?;
    report.answer_micros_p50 = mutated::micros(&cases, &thresholds);
    if let Some(folder) = &options.path {
        of_folder(folder, options.fit, &thresholds, &mut report)?;
    }
    if let Some(path) = &options.report {
        report.page().write(path)?;
    }
    Ok(report.outcome(options.failed))
}

fn of_folder(
    folder: &Path,
    is_fitted: bool,
    thresholds: &Thresholds,
    report: &mut GroundednessReport,
) -> Result<(), Error> {
    let set = |name: &str| Some(folder.join(name)).filter(|path| path.is_dir());
    let (ragtruth, scifact, multihop) = (set("ragtruth_test"), set("scifact"), set("multihop_rag"));
    if ragtruth.is_none() && scifact.is_none() && multihop.is_none() {
        return Err(Error::NoLabelledSet(folder.to_owned()));
    }
    if let Some(path) = ragtruth {
        let answers = sets::ragtruth(&path)?;
        report.ragtruth = marked::figures(&answers, thresholds, &mut report.failed);
        let areas = report
            .ragtruth
            .iter()
            .filter_map(|task| task.sentence_auroc);
        report.sentence_auroc_mean = mean(areas);
        if is_fitted {
            report
                .fitted
                .extend(fitted::of_answers(&answers, thresholds));
        }
    }
    if let Some(path) = scifact {
        let labelled = sets::scifact(&path)?;
        report.scifact = Some(claims(&labelled, thresholds));
        if is_fitted {
            report
                .fitted
                .extend(fitted::of_claims(&labelled, thresholds));
        }
    }
    if let Some(path) = multihop {
        let articles = sets::multihop(&path)?;
        let file = path.join("mutations.jsonl");
        if !file.is_file() {
            return Err(Error::NoMutations(path));
        }
        let text_of = |title: &str| articles.get(title).map(String::as_str);
        let cases = mutated::cases(&dataset::read(&file)?, &file, text_of)?;
        report.multihop_rag = mutated::figures(&cases, thresholds, &mut report.failed);
        report.answer_micros_p50 = mutated::micros(&cases, thresholds);
    }
    Ok(())
}

fn sample_cases() -> Result<Vec<MutationCase<'static>>, Error> {
    let text_of = |name: &str| {
        let (_, bytes) = sample::documents().find(|(path, _)| *path == name)?;
        std::str::from_utf8(bytes).ok()
    };
    mutated::cases(SAMPLE, Path::new("sample.jsonl"), text_of)
}

fn claims(claims: &[LabelledClaim], thresholds: &Thresholds) -> ClaimFigures {
    let tested: Vec<&LabelledClaim> = claims.iter().filter(|claim| !claim.is_dev).collect();
    let area = |risk: &dyn Fn(&LabelledClaim) -> f64| {
        let of = |is_contradicted: bool| {
            let side = tested
                .iter()
                .filter(|claim| claim.is_contradicted == is_contradicted);
            side.map(|claim| risk(claim)).collect::<Vec<f64>>()
        };
        auroc(&of(true), &of(false))
    };
    let contrast = |claim: &LabelledClaim| {
        let checked = groundedness::check(&claim.text, &[&claim.passage], thresholds);
        let each = checked.sentences.iter().map(|one| f64::from(one.contrast));
        each.fold(0.0, f64::max)
    };
    ClaimFigures {
        claims: tested.len(),
        auroc: area(&contrast),
        coverage_auroc: area(&|claim| {
            1.0 - f64::from(text::overlap(&claim.text, &[&claim.passage]))
        }),
    }
}
