//! How a gateway runs.

use conversation_log::limits::WAITING_MAX;
use envelope::{Budget, Busy, ModeChoice, Profile};
use std::time::Duration;

/// What may be tuned; the topology is the fleet's and comes apart.
#[derive(Debug, Clone)]
pub struct Options {
    /// Time for a question that names no deadline. Default 2 minutes.
    pub deadline: Duration,
    /// Mode of a question that names none. Default agentic.
    pub mode: ModeChoice,
    /// Class of model of a question that names none. Default small.
    pub profile: Profile,
    /// Rounds of a question that says nothing of them, 1 to 10. Default 3.
    pub rounds: u8,
    /// Searches of a question that says nothing of them, 1 to 100. Default 4.
    pub searches: u16,
    /// Mean score of the passages of a search below which more is looked for, of a question that says nothing of it, 0 to 1.
    /// Default none: that of its profile.
    pub score_min: Option<f32>,
    /// Deliveries at once, for each of its consumers. Default 64.
    pub slots: usize,
    /// Models that a question may name for its calls. Default none: every call asks for the configured one.
    pub models: Vec<String>,
    /// Whether a call of each turn is kept back for a model that judges the answer. Default false.
    pub judged: bool,
    /// How often lost turns are looked for. Default 1 minute.
    pub sweep_every: Duration,
    /// How often the room of the streams is looked at. Default 1 second.
    pub room_every: Duration,
    /// From how full a stream on no questions are taken, 0 to 1. Default 0.7: the rest is headroom
    /// for the turns that run.
    pub room_limit: f64,
    /// Whether questions of conversations are taken. Default true. In a fleet that is being brought to this release,
    /// false until every gateway has it: an older one would let their turns end without a word in the log.
    pub conversations: bool,
    /// What is done with a question while another one of its conversation runs, where it does not say. Default to let it
    /// wait.
    pub conversation_busy: Busy,
    /// Turns that may wait behind the one that runs, in one conversation. Default 4.
    pub conversation_waiting: usize,
    /// Turns of one tenant at a time, of those that this gateway begins; his other questions wait in the
    /// inbox. Default 0: any number.
    pub tenant_turns: usize,
    /// Tokens, read and written, that the turns of one tenant may spend in a minute, of those that this
    /// gateway begins; then his questions wait in the inbox. What is not spent is kept for a minute.
    /// Default 0: any number.
    pub tenant_tokens_per_minute: u64,
    /// How often what waits for each role is read from the server, for the gauges; zero for never.
    /// Default 5 seconds.
    pub backlog_every: Duration,
    /// How long running deliveries may take when the gateway is told to stop. Default 30 seconds.
    pub grace: Duration,
    /// Seed of trace ids.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            deadline: Duration::from_secs(120),
            mode: ModeChoice::default(),
            profile: Profile::default(),
            rounds: Budget::default().rounds,
            searches: Budget::default().searches,
            score_min: None,
            slots: 64,
            models: Vec::new(),
            judged: false,
            sweep_every: Duration::from_secs(60),
            room_every: Duration::from_secs(1),
            room_limit: 0.7,
            conversations: true,
            conversation_busy: Busy::default(),
            conversation_waiting: WAITING_MAX,
            tenant_turns: 0,
            tenant_tokens_per_minute: 0,
            backlog_every: Duration::from_secs(5),
            grace: Duration::from_secs(30),
            seed: 0,
        }
    }
}
