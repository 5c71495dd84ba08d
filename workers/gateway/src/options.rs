//! The options of the gateway: those of section `gateway` of the configuration, and those that the process sets.

use conversation_log::limits::WAITING_MAX;
use envelope::limits::{MODEL_NAME_BYTES_MAX, ROUNDS_MAX, SEARCHES_MAX};
use envelope::{Budget, Busy, ModeChoice, Profile};
use serde::{Deserialize, Serialize};
use settings::{InvalidOption, TimeSpan};
use std::ops::RangeInclusive;
use std::time::Duration;

/// How often a gateway may look at what waits; each look takes some twenty requests.
const BACKLOG_EVERY: RangeInclusive<Duration> =
    Duration::from_millis(100)..=Duration::from_secs(600);
/// Most models that questions may choose from.
const MODELS_MAX: usize = 32;

/// The gateway.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Time for a question that names no deadline. Default 5 min: one takes 16 to 90 s with a model of 1.5B parameters on two
    /// cores, twice as long beside other work, and its answer is begun at 70 % of the time with the passages that are read
    /// by then.
    pub deadline: TimeSpan,
    /// Mode of a question that names none: `agentic` (every stage), `simple` (one search and one model call), `auto`, where
    /// the gateway decides by rules, without a model: simple where one thing is asked about one thing, agentic elsewhere; or
    /// `loop`, where a model acts step by step, which wants `model.profile` `large`. Default `agentic`.
    pub mode: ModeChoice,
    /// Rounds of a question that says nothing of them, 1 to 10: attempts at an answer, each with a search. 1 is quickest. More
    /// want more `searches` as well. Default 3.
    pub rounds: u8,
    /// Searches of a question that says nothing of them, 1 to 100: the first of each round, and those that follow one that
    /// found nothing, under fewer conditions or in other words. Default 4.
    pub searches: u16,
    /// Mean score of the passages of a search below which more is looked for while a round is left, of a question that says
    /// nothing of it, 0 to 1. Scores are relative to one search, so they say little of how well a question is answered. Default
    /// by its profile: 0.3 for `large`, where a model looks at what was found and may find it enough, and 0 for `small`, where
    /// what the mappers found decides alone.
    pub score_min: Option<f32>,
    /// Models that a question may name for its calls (`model`), as the nodes of every role know them; any other is refused.
    /// Default none: questions name no model.
    pub models: Vec<String>,
    /// A call of each turn is kept back for a model that judges the answer. Default false; it is, too, where
    /// `model_of.validator` is set for the gateway.
    pub judged: bool,
    /// How often lost turns are looked for. Default 1 min.
    pub sweep_every: TimeSpan,
    /// How often the room of the streams is looked at. Default 1 s.
    pub room_every: TimeSpan,
    /// From how full a stream on no questions are taken, 0 to 1. Default 0.7.
    pub room_limit: f64,
    /// Whether questions of conversations are taken. In a fleet that is being brought to this release, false until every
    /// gateway has it: an older one would let their turns end without a word in the log. Default true.
    pub conversations: bool,
    /// What is done with a question while another one of its conversation runs, where it does not say: `enqueue`,
    /// `reject` or `interrupt`. Default `enqueue`.
    pub conversation_busy: Busy,
    /// Turns that may wait behind the one that runs, in one conversation. Default 4.
    pub conversation_waiting: u32,
    /// Turns of one tenant at a time, of those that one gateway begins; its other questions wait in the inbox.
    /// Default 0: any number.
    pub tenant_turns: u32,
    /// Tokens, read and written, that the turns of one tenant may spend in a minute, of those that one gateway
    /// begins; then its questions wait in the inbox. Default 0: any number.
    pub tenant_tokens_per_minute: u64,
    /// How often what waits for each role is read from the server, for the gauges; 0 for never.
    /// Default 5 s.
    pub backlog_every: TimeSpan,
    /// Class of model of a question that names none. Default small.
    #[serde(skip)]
    pub profile: Profile,
    /// How it runs: slots, for each of its consumers, and how long running deliveries may take when it is told to stop.
    #[serde(skip)]
    pub run: harness::Options,
    /// Seed of trace ids.
    #[serde(skip)]
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            deadline: TimeSpan::from_mins(5),
            mode: ModeChoice::default(),
            rounds: Budget::default().rounds,
            searches: Budget::default().searches,
            score_min: None,
            models: Vec::new(),
            judged: false,
            sweep_every: TimeSpan::from_secs(60),
            room_every: TimeSpan::from_secs(1),
            room_limit: 0.7,
            conversations: true,
            conversation_busy: Busy::default(),
            conversation_waiting: WAITING_MAX as u32,
            tenant_turns: 0,
            tenant_tokens_per_minute: 0,
            backlog_every: TimeSpan::from_secs(5),
            profile: Profile::default(),
            run: harness::Options::default(),
            seed: 0,
        }
    }
}

impl Options {
    /// Checks every option.
    ///
    /// # Errors
    /// The error names the option and what is wanted.
    pub fn validate(&self) -> Result<(), InvalidOption> {
        let wrong = |what: String| Err(InvalidOption::new(what));
        if !(0.1..=0.95).contains(&self.room_limit) {
            return wrong("`gateway.room_limit` must be between 0.1 and 0.95".into());
        }
        if !(1..=ROUNDS_MAX).contains(&self.rounds) {
            return wrong(format!(
                "`gateway.rounds` must be from 1 to {ROUNDS_MAX}, not {}",
                self.rounds
            ));
        }
        if !(1..=SEARCHES_MAX).contains(&self.searches) {
            return wrong(format!(
                "`gateway.searches` must be from 1 to {SEARCHES_MAX}, not {}",
                self.searches
            ));
        }
        let is_share = |least: f32| (0.0..=1.0).contains(&least);
        if !self.score_min.is_none_or(is_share) {
            return wrong("`gateway.score_min` must be from 0 to 1".into());
        }
        let is_name =
            |name: &String| (1..=MODEL_NAME_BYTES_MAX).contains(&name.len()) && name.trim() == name;
        if self.models.len() > MODELS_MAX || !self.models.iter().all(is_name) {
            return wrong(format!(
                "`gateway.models` must be at most {MODELS_MAX} names of 1 to {MODEL_NAME_BYTES_MAX} bytes"
            ));
        }
        let backlog_every = &self.backlog_every;
        if !backlog_every.is_zero() && !BACKLOG_EVERY.contains(&backlog_every.duration()) {
            return wrong(format!(
                "`gateway.backlog_every` must be 0, or from 100ms to 10min, not {backlog_every}"
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_names() {
        let said = |models: &[&str]| {
            let options = Options {
                models: models.iter().map(|name| (*name).to_owned()).collect(),
                ..Options::default()
            };
            options.validate().map_err(|error| error.to_string())
        };
        assert_eq!(said(&["small", "org/large:8b"]), Ok(()));
        for wrong in [&[""][..], &[" large"], &["x"; 33]] {
            assert!(
                said(wrong).unwrap_err().contains("`gateway.models`"),
                "{wrong:?}"
            );
        }
    }
}
