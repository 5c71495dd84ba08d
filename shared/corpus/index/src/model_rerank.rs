//! Reranks candidates with a model in place of the built-in reranker.
//!
//! The model reads the query together with each of the best candidates, and its scores replace the features. *Not* the
//! final choice: [`crate::diversify`] still picks the passages of the result. If the model fails, the built-in reranker
//! scores the candidates.

use crate::fusion::stretched;
use crate::merged::Candidate;
use envelope::ChunkRecord;
use llm::{Error, Reranker};

/// Gives the best candidates the scores of the model, and leaves out those that it was not shown. They
/// come in the order of scores, the first [`Reranker::texts_max`] of them with their records.
pub(crate) async fn judge(
    model: &dyn Reranker,
    query: &str,
    candidates: &mut Vec<Candidate>,
) -> Result<(), Error> {
    if candidates.is_empty() {
        return Ok(());
    }
    let shown = candidates.len().min(model.texts_max());
    let records = candidates[..shown].iter().map(|c| c.record.as_ref());
    let texts: Vec<String> = records
        .map(|record| record.map(ChunkRecord::embedded_text).unwrap_or_default())
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let scores = model.scores(query, &texts).await?;
    if scores.len() != shown {
        let came = scores.len();
        return Err(Error::Protocol(format!(
            "{came} scores came for {shown} texts"
        )));
    }
    candidates.truncate(shown);
    let scores: Vec<Option<f32>> = scores.into_iter().map(Some).collect();
    for (candidate, score) in candidates.iter_mut().zip(stretched(&scores)) {
        candidate.judged = Some(score);
    }
    Ok(())
}
