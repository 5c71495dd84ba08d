//! `argosy eval conditions`: what questions about documents amount to, on a generated corpus.
//!
//! The corpus is made by seed, with questions whose conditions and documents are known from the records that it was made
//! of. Here its files are indexed with its schema, its questions linked to the index, and the documents looked up for which
//! the conditions hold, as a retriever does; and each question is searched for, without conditions, with its own, and with
//! the right ones. With `--dataset`, questions that people wrote are linked to real documents (`sources`).

mod finding;
mod known;
mod report;
mod score;
mod sources;
mod tables;

use super::error::Error;
use crate::cli::{EvalConditions, Output};
use crate::render::Line;
use conditions::CorpusPlan;
use finding::{AmongTen, by_words};
use index::HybridSearcher;
use known::Known;
use report::ConditionReport;
use score::Score;
use std::time::Instant;

/// `argosy eval conditions`
pub async fn run(args: &EvalConditions, output: Output) -> Result<(), Error> {
    if let Some(path) = &args.path {
        let sums = sources::measure(args, path)?;
        return report::tell_sources(args, &sums, output);
    }
    let line = Line::new(output);
    line.say(format!("making {} documents", args.documents));
    let known = Known::generated(CorpusPlan::new(args.side.half(), args.documents))?;
    line.say(format!("asking {} questions", known.questions.len()));
    let mut score = Score::default();
    let mut found = AmongTen::default();
    let searcher = HybridSearcher::new(known.index.clone(), by_words());
    let mut micros = Vec::new();
    for question in &known.questions {
        let begun = Instant::now();
        let linked = known.link(question)?;
        micros.push(begun.elapsed().as_secs_f64() * 1e6);
        let found_all = known.documents(&linked)?;
        score.add(question, &linked, &found_all, known.is_described(question));
        found.add(&known, &searcher, question, &linked).await?;
        let table = known.table(&searcher, question, &linked).await?;
        score.add_table(question, &linked, table.as_ref());
    }
    line.done();
    let report = ConditionReport::new(args, &known, &score, &found, micros);
    if let Some(path) = &args.report {
        report.page(&score).write(path)?;
    }
    report.print(output, &score, args.failed);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use conditions::Half;

    /// What is reached on the side on which the linker is tuned, at 500 documents: below it, something broke. Nothing is
    /// tuned on the other side.
    #[tokio::test]
    async fn conditions_are_what_questions_say() {
        let known = Known::generated(CorpusPlan::new(Half::Dev, 500)).unwrap();
        let searcher = HybridSearcher::new(known.index.clone(), by_words());
        let mut score = Score::default();
        for question in &known.questions {
            let linked = known.link(question).unwrap();
            let all = known.documents(&linked).unwrap();
            score.add(question, &linked, &all, known.is_described(question));
            let table = known.table(&searcher, question, &linked).await.unwrap();
            score.add_table(question, &linked, table.as_ref());
        }
        let sums = score.sums();
        assert!(sums.f1 >= 0.95, "{sums:?}\n{}", score.failed().join("\n"));
        assert!(sums.exact_documents >= 0.92, "{sums:?}");
        assert!(sums.harm <= 0.01, "{sums:?}");
        assert!(sums.false_questions <= 2, "{sums:?}");
        // What is missed is grouped by a column that most of its documents state in a sentence alone.
        assert!(
            sums.exact_tables >= 0.95,
            "{sums:?}\n{}",
            score.failed().join("\n")
        );
    }
}
