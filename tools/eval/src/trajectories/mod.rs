//! Measures whether questions take the expected steps through a fleet.
//!
//! A trajectory is a file with a question, the replies of its model, and the expected steps: which role works at each
//! hop, what is searched for in the corpus, how often a model is called, and how the turn ends. Each trajectory runs
//! through the real stages of a fleet in this process, on the memory bus, and is compared exactly. *Not* measured:
//! how good an answer is.
//!
//! | module | what |
//! |---|---|
//! | `case` | the contents of a file |
//! | `bundled` | the files that are in the binary |
//! | [`scripted`] | the model with scripted replies |
//! | `recorded` | records what is searched for in the corpus |
//! | `run` | runs a case through a fleet |
//! | `seen` | the steps that a question took, and how they differ from the expected ones (pure) |

pub(crate) mod bundled;
pub(crate) mod case;
mod recorded;
mod run;
pub mod scripted;
mod seen;

use crate::cli::EvalTrajectoriesArgs;
use bundled::bundled;
pub use case::ScriptedReply;
use case::Trajectory;
pub(crate) use run::{TrajectoryRun, run_case};

use super::{Error, Progress};
use crate::outcome::{Emphasis, EvalReport, TextLine};
use serde_json::json;

/// The results of the cases.
#[derive(Debug)]
pub(crate) struct TrajectoriesReport {
    /// Each of them.
    pub runs: Vec<TrajectoryRun>,
}

/// Runs every case through a fleet of its own, and reports the progress to `say`.
///
/// # Errors
/// When there is no case, its file or settings are invalid, a fleet fails, or a turn does not end.
pub(crate) async fn run(
    options: &EvalTrajectoriesArgs,
    say: Progress<'_>,
) -> Result<TrajectoriesReport, Error> {
    let mut cases = match &options.path {
        Some(folder) => bundled::of_folder(folder)?,
        None => bundled()?,
    };
    if let Some(part) = &options.name {
        cases.retain(|one| one.name.contains(part));
    }
    if cases.is_empty() {
        return Err(Error::NoCase);
    }
    let folder = tempfile::tempdir()?;
    let mut runs = Vec::new();
    for (n, case) in cases.iter().enumerate() {
        say(format!("{n} of {} trajectories", cases.len()));
        runs.push(run_case(case, folder.path()).await?);
    }
    Ok(TrajectoriesReport { runs })
}

impl TrajectoriesReport {
    /// How many cases took other steps than expected.
    pub(crate) fn differing(&self) -> usize {
        let differing = self.runs.iter().filter(|one| !one.differences.is_empty());
        differing.count()
    }

    /// The results as a report.
    pub(crate) fn outcome(&self) -> EvalReport {
        let (runs, differing) = (&self.runs, self.differing());
        let mut outcome = EvalReport::of(&json!({ "trajectories": runs, "differing": differing }));
        let head = row(
            "expected, seen",
            ["steps", "searches", "calls"],
            "",
            "ending",
        );
        outcome.line(TextLine::strong(head));
        runs.iter().for_each(|one| tell(&mut outcome, one));
        let all = runs.len();
        outcome.text(format!("{} of {all} went as expected", all - differing));
        outcome
    }
}

fn tell(outcome: &mut EvalReport, one: &TrajectoryRun) {
    let TrajectoryRun { expected, seen, .. } = one;
    let pair = |count: fn(&Trajectory) -> usize| format!("{}, {}", count(expected), count(seen));
    let counts = [
        pair(|of| of.visited.len()),
        pair(|of| usize::from(of.searches)),
        pair(|of| of.calls.values().sum::<u32>() as usize),
    ];
    let verdict = match one.differences.is_empty() {
        true => "the same",
        false => "differs",
    };
    let counts = counts.each_ref().map(String::as_str);
    outcome.text(row(&one.name, counts, verdict, &seen.ending.told()));
    for one in &one.differences {
        outcome.line(TextLine::of("  ").then(Emphasis::Warning, one.what.as_str()));
        outcome.text(format!("    expected {}", one.expected));
        outcome.text(format!("    seen     {}", one.seen));
    }
}

fn row(name: &str, [steps, searches, calls]: [&str; 3], verdict: &str, ending: &str) -> String {
    let row = format!("{name:<26} {steps:>7} {searches:>8} {calls:>7}  {verdict:<8}  {ending}");
    row.trim_end().to_owned()
}

#[cfg(test)]
mod tests;
