//! `argosy eval trajectories`: whether questions take the way that they are to take.
//!
//! A trajectory is a file: a question, what its model says, and the way that is expected of it: who works on it hop by hop,
//! what the corpus is asked for, how often a model is called, how it ends. Each is run through the true stages in this process,
//! on the bus in memory, and compared exactly. *Not* measured: how good an answer is.
//!
//! | module | what |
//! |---|---|
//! | `case` | what a file says |
//! | `bundled` | the files that are built in |
//! | [`scripted`] | the model |
//! | `recorded` | what the corpus is asked for |
//! | `run` | a case through a fleet |
//! | `seen` | the way that a question took, and how it differs: pure |

mod bundled;
mod case;
mod recorded;
mod run;
pub mod scripted;
mod seen;

pub use case::ScriptedReply;

use super::Error;
use crate::cli::{EvalTrajectories, Output};
use crate::out::println;
use crate::render::Line;
use bundled::NamedCase;
use case::Trajectory;
use owo_colors::OwoColorize;
use run::TrajectoryRun;
use serde_json::json;

/// `argosy eval trajectories`
pub async fn run(args: EvalTrajectories, output: Output) -> Result<(), Error> {
    let line = Line::new(output);
    let mut cases = match &args.path {
        Some(folder) => bundled::of_folder(folder)?,
        None => bundled::bundled()?,
    };
    if let Some(part) = &args.name {
        cases.retain(|one| one.name.contains(part));
    }
    if cases.is_empty() {
        return Err(Error::NoCase);
    }
    let outcomes = all(&cases, &line).await?;
    line.done();
    tell(&outcomes, output);
    match differing(&outcomes) {
        0 => Ok(()),
        differing => Err(Error::OtherWays { differing }),
    }
}

fn differing(outcomes: &[TrajectoryRun]) -> usize {
    let differing = outcomes.iter().filter(|one| !one.differences.is_empty());
    differing.count()
}

async fn all(cases: &[NamedCase], line: &Line) -> Result<Vec<TrajectoryRun>, Error> {
    let folder = tempfile::tempdir()?;
    let mut outcomes = Vec::new();
    for (n, case) in cases.iter().enumerate() {
        line.say(format!("{n} of {} trajectories", cases.len()));
        outcomes.push(run::run(case, folder.path()).await?);
    }
    Ok(outcomes)
}

fn tell(outcomes: &[TrajectoryRun], output: Output) {
    if output == Output::Json {
        let differing = differing(outcomes);
        println!(
            "{}",
            json!({ "trajectories": outcomes, "differing": differing })
        );
        return;
    }
    let head = row(
        "expected, seen",
        ["steps", "searches", "calls"],
        "",
        "ending",
    );
    println!("{}", head.bold());
    for one in outcomes {
        tell_one(one);
    }
    let all = outcomes.len();
    println!("{} of {all} went as expected", all - differing(outcomes));
}

fn tell_one(one: &TrajectoryRun) {
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
    println!("{}", row(&one.name, counts, verdict, &seen.ending.told()));
    for one in &one.differences {
        println!("  {}", one.what.yellow());
        println!("    expected {}", one.expected);
        println!("    seen     {}", one.seen);
    }
}

fn row(name: &str, [steps, searches, calls]: [&str; 3], verdict: &str, ending: &str) -> String {
    let row = format!("{name:<26} {steps:>7} {searches:>8} {calls:>7}  {verdict:<8}  {ending}");
    row.trim_end().to_owned()
}

#[cfg(test)]
mod tests;
