//! The options of section `gateway`. *Not* how a gateway runs, which is with the gateway.

use super::span;
use envelope::limits::{MODEL_NAME_BYTES_MAX, ROUNDS_MAX, SEARCHES_MAX};
use envelope::{Busy, ModeChoice};
use serde::{Deserialize, Serialize};
use settings::TimeSpan;
use std::time::Duration;

/// How often a gateway may look at what waits: each time some twenty requests.
const BACKLOG_EVERY: std::ops::RangeInclusive<Duration> =
    Duration::from_millis(100)..=Duration::from_secs(600);
/// Most models that questions may choose from.
const MODELS_MAX: usize = 32;

/// The gateway.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GatewayOptions {
    /// Time for a question that names no deadline. Default 2 min.
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
    /// Turns of one tenant at a time, of those that one gateway begins; his other questions wait in the
    /// inbox. Default 0: any number.
    pub tenant_turns: u32,
    /// Tokens, read and written, that the turns of one tenant may spend in a minute, of those that one
    /// gateway begins; then his questions wait in the inbox. Default 0: any number.
    pub tenant_tokens_per_minute: u64,
    /// How often what waits for each role is read from the server, for the gauges; 0 for never.
    /// Default 5 s.
    pub backlog_every: TimeSpan,
}

impl Default for GatewayOptions {
    fn default() -> Self {
        let gateway::Options {
            deadline,
            mode,
            rounds,
            searches,
            score_min,
            models,
            judged,
            sweep_every,
            room_every,
            room_limit,
            conversations,
            conversation_busy,
            conversation_waiting,
            tenant_turns,
            tenant_tokens_per_minute,
            backlog_every,
            ..
        } = gateway::Options::default();
        GatewayOptions {
            deadline: span(deadline.as_millis() as u64),
            mode,
            rounds,
            searches,
            score_min,
            models,
            judged,
            sweep_every: span(sweep_every.as_millis() as u64),
            room_every: span(room_every.as_millis() as u64),
            room_limit,
            conversations,
            conversation_busy,
            conversation_waiting: u32::try_from(conversation_waiting).unwrap_or(u32::MAX),
            tenant_turns: u32::try_from(tenant_turns).unwrap_or(u32::MAX),
            tenant_tokens_per_minute,
            backlog_every: span(backlog_every.as_millis() as u64),
        }
    }
}

impl GatewayOptions {
    /// Whether the section can be kept to.
    pub(super) fn validate(&self) -> anyhow::Result<()> {
        anyhow::ensure!(
            (0.1..=0.95).contains(&self.room_limit),
            "`gateway.room_limit` must be between 0.1 and 0.95"
        );
        anyhow::ensure!(
            (1..=ROUNDS_MAX).contains(&self.rounds),
            "`gateway.rounds` must be from 1 to {ROUNDS_MAX}, not {}",
            self.rounds
        );
        anyhow::ensure!(
            (1..=SEARCHES_MAX).contains(&self.searches),
            "`gateway.searches` must be from 1 to {SEARCHES_MAX}, not {}",
            self.searches
        );
        anyhow::ensure!(
            self.score_min
                .is_none_or(|least| (0.0..=1.0).contains(&least)),
            "`gateway.score_min` must be from 0 to 1"
        );
        let is_name =
            |name: &String| (1..=MODEL_NAME_BYTES_MAX).contains(&name.len()) && name.trim() == name;
        anyhow::ensure!(
            self.models.len() <= MODELS_MAX && self.models.iter().all(is_name),
            "`gateway.models` must be at most {MODELS_MAX} names of 1 to {MODEL_NAME_BYTES_MAX} bytes"
        );
        let backlog_every = &self.backlog_every;
        anyhow::ensure!(
            backlog_every.is_zero() || BACKLOG_EVERY.contains(&backlog_every.duration()),
            "`gateway.backlog_every` must be 0, or from 100ms to 10min, not {backlog_every}"
        );
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::Profile;

    /// No gateway begins that would refuse every question which names no mode.
    #[test]
    fn a_loop_wants_a_large_model() {
        let config = |mode, profile| {
            let mut config = crate::config::Config::default();
            (config.gateway.mode, config.model.profile) = (mode, profile);
            config.validate().map_err(|error| error.to_string())
        };
        let refused = config(ModeChoice::Loop, Profile::Small).unwrap_err();
        for part in [
            "`gateway.mode` is `loop`",
            "set `model.profile` to `large`",
            "`agentic`",
        ] {
            assert!(refused.contains(part), "{refused}");
        }
        assert_eq!(config(ModeChoice::Loop, Profile::Large), Ok(()));
        assert_eq!(config(ModeChoice::Auto, Profile::Small), Ok(()));
    }

    #[test]
    fn models_are_names() {
        let said = |models: &[&str]| {
            let options = GatewayOptions {
                models: models.iter().map(|name| (*name).to_owned()).collect(),
                ..GatewayOptions::default()
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
