//! Completes the options of components with what the process knows or another section says: connection, gateway,
//! indexers, sizes of streams. *Not* here: the options themselves, which are beside the code that they tune.

use super::Config;
use bus::Stream;
use bus::sizes::Allowance;
use bus::topology::{FILES, SNAPSHOTS};

/// The streams and object stores, each with the option of `streams` that sets its size.
fn sized() -> [(&'static str, String); 11] {
    [
        ("streams.inbox_bytes", Stream::Inbox.name()),
        ("streams.steps_bytes", Stream::Steps(0).name()),
        ("streams.timers_bytes", Stream::Timers.name()),
        ("streams.answers_bytes", Stream::Answers.name()),
        ("streams.conversations_bytes", Stream::Conversations.name()),
        ("streams.feedback_bytes", Stream::Feedback.name()),
        ("streams.documents_bytes", Stream::Documents.name()),
        ("streams.chunks_bytes", Stream::Chunks.name()),
        ("streams.dead_bytes", Stream::Dead.name()),
        ("streams.files_bytes", FILES.into()),
        ("streams.snapshots_bytes", SNAPSHOTS.into()),
    ]
}

impl Config {
    /// The streams that may be smaller than their defaults where there is less room, which are those whose size is
    /// not set.
    pub(crate) fn allowance(&self) -> Allowance {
        let unset = sized().into_iter();
        let unset = unset.filter(|(key, _)| self.given.by(key).is_none());
        Allowance {
            elastic: unset.map(|(_, name)| name).collect(),
            most: None,
        }
    }

    /// The stream sizes that are set, and where they were set.
    pub(crate) fn set_sizes(&self) -> Vec<String> {
        let set = sized().into_iter();
        let told = set.filter_map(|(key, _)| Some(format!("`{key}` ({})", self.given.by(key)?)));
        told.collect()
    }

    /// How to reach the server. With `wait`, the connection waits for a server that is not there yet.
    pub fn nats(&self, name: &str, wait: bool) -> bus_nats::Options {
        bus_nats::Options {
            name: name.into(),
            wait_for_server: wait,
            ..self.nats.clone()
        }
    }

    /// How an indexer runs.
    pub fn ingest(&self) -> harness::Options {
        harness::Options {
            slots: self.indexer.slots,
            ..self.run.clone()
        }
    }

    /// Checks the profile. It is the same for all models, because gateways read it in the section of the model.
    pub(super) fn validate_profile(&self) -> anyhow::Result<()> {
        let profiles = self
            .models
            .iter()
            .map(|(name, model)| (name, model.profile));
        let mut own = profiles.filter(|(_, profile)| *profile != envelope::Profile::default());
        match own.next() {
            None => Ok(()),
            Some((name, _)) => anyhow::bail!(
                "`models.{name}.profile`: the profile is one for all models; set `model.profile`"
            ),
        }
    }

    /// How a gateway runs.
    pub fn gateway(&self, seed: u64) -> gateway::Options {
        gateway::Options {
            profile: self.model.profile,
            judged: self.gateway.judged || self.judge_models().is_some(),
            run: self.run.clone(),
            seed,
            ..self.gateway.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Config;
    use envelope::{ModeChoice, Profile};

    /// A gateway does not start when it would refuse every question that names no mode.
    #[test]
    fn a_loop_wants_a_large_model() {
        let config = |mode, profile| {
            let mut config = Config::default();
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
}
