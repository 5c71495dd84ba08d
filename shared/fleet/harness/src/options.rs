//! The section `run` of the configuration: how a role runs. *Not* here: what is the same for a whole fleet, such as
//! the ack time-out, which is in the [topology](bus::topology::Topology), and the seed of a process.

use serde::{Deserialize, Serialize};
use settings::{InvalidOption, TimeSpan};

/// How a role runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Steps at once in one process. Default 64.
    pub slots: u32,
    /// Most time for one step; of an indexer, for one part of the work on a document. Default 5 min, as long as a question
    /// has (`gateway.deadline`): a step that is slow and steady is ended by its turn's deadline alone.
    pub step_timeout: TimeSpan,
    /// How long running steps may take when the process is told to stop. Default 30 s.
    pub grace: TimeSpan,
    /// Share of the maps of a question with which the reducer may start, over 0 up to 1; what is
    /// missing is named in the answer. Default 1: all of them, or those that are there at the soft
    /// deadline (70 % of the time).
    pub quorum: f64,
    /// Start the reducer as soon as so many passages have facts and every sub-query of the plan has
    /// found one of them; the maps that still run are stopped, and named in the answer: no later round
    /// reads their passages. Which of them found a passage is known with `retriever.sub_queries` only:
    /// without it a plan that has some waits for all maps. At least `reducer.min_relevant`. Default 0: never.
    pub early_reduce: u32,
    /// Threads of the runtime. Default 1: a role waits more than it works; more roles beat more
    /// threads.
    pub threads: u32,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            slots: 64,
            step_timeout: TimeSpan::from_mins(5),
            grace: TimeSpan::from_secs(30),
            quorum: 1.0,
            early_reduce: 0,
            threads: 1,
        }
    }
}

impl Options {
    /// Checks every option. How `early_reduce` goes with the reducer's options is checked where both are known.
    ///
    /// # Errors
    /// The error names the option and what is wanted.
    pub fn validate(&self) -> Result<(), InvalidOption> {
        let quorum = self.quorum;
        if !(quorum > 0.0 && quorum <= 1.0) {
            let what = format!("`run.quorum` must be over 0 and at most 1, not {quorum}");
            return Err(InvalidOption::new(what));
        }
        for (name, given) in [("slots", self.slots), ("threads", self.threads)] {
            if given == 0 {
                return Err(InvalidOption::new(format!("`run.{name}` must not be 0")));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_valid_and_bounds_hold() {
        let said = |json| {
            let options: Options = serde_json::from_str(json).unwrap();
            options.validate().map_err(|error| error.to_string())
        };
        assert_eq!(said("{}"), Ok(()));
        for (json, wanted) in [
            (
                r#"{"quorum": 0.0}"#,
                "`run.quorum` must be over 0 and at most 1, not 0",
            ),
            (
                r#"{"quorum": 1.5}"#,
                "`run.quorum` must be over 0 and at most 1, not 1.5",
            ),
            (r#"{"slots": 0}"#, "`run.slots` must not be 0"),
            (r#"{"threads": 0}"#, "`run.threads` must not be 0"),
        ] {
            assert_eq!(said(json), Err(wanted.to_owned()));
        }
    }
}
