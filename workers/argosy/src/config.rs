//! The configuration of a process: it puts the options of all crates together.
//!
//! Later sources override earlier ones: defaults, environment variables with names of their own, `argosy.toml`,
//! `ARGOSY__section__key`, flags. Every option is documented where it is defined. This module defines only the
//! options that belong to no other crate.

mod error;
mod given;
mod judge;
mod parts;
mod variables;

pub use error::Error;
pub use given::SettingOrigins;
pub(crate) use variables::VARIABLES;

use crate::prompt_files;
use anyhow::Context;
use bus::topology::Topology;
use envelope::limits::DEADLINE_MS_MAX;
use envelope::{Edition, ModeChoice, Profile, Role};
use index_host::snapshot;
use serde::{Deserialize, Serialize};
use settings::{ByteSize, Configuration, Sources, TimeSpan};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// Everything that can be configured.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The NATS server.
    pub nats: bus_nats::Options,
    /// What the streams keep.
    pub streams: Streams,
    /// How a role runs.
    pub run: harness::Options,
    /// The gateway.
    pub gateway: gateway::Options,
    /// The model. Without a node, one is looked for on this machine, and else the offline reader
    /// answers.
    pub model: llm_pool::Options,
    /// Further models, by names of your own. Default none.
    pub models: BTreeMap<String, llm_pool::Options>,
    /// Which of `models` a role asks instead of `model`, as in `model_of.reducer = "large"`. The validator asks one only where
    /// it stands here, to judge answers beside its rules; gateways have to know it, too (or `gateway.judged`). With
    /// `model.profile` `small` it must not be the model that writes the answers. Default none.
    pub model_of: BTreeMap<Role, String>,
    /// Where this process keeps what can be rebuilt. Default `.argosy` in the working directory.
    pub data_dir: DataDir,
    /// Folder with prompts that replace the embedded ones, by file name, such as `reducer.md`. A `.md` file
    /// of another name is a mistake. A relative one is looked for from the working directory, not from where
    /// the file is. Default none.
    pub prompts_dir: Option<PathBuf>,
    /// The planner.
    pub planner: planner::Options,
    /// The retriever.
    pub retriever: retriever::Options,
    /// What searches: embedder, vectors, reranker.
    pub retrieval: index_host::Options,
    /// The mapper.
    pub mapper: mapper::Options,
    /// The reducer.
    pub reducer: reducer::Options,
    /// The indexer.
    pub indexer: indexer::Options,
    /// Snapshots of a retriever's index.
    pub snapshots: snapshot::Options,
    /// The validator.
    pub validator: validator::Options,
    /// The clarifier.
    pub clarifier: clarifier::Options,
    /// How an edition of the corpus is searched that has another embedder than `retrieval` says, by the
    /// name of the edition. Default none.
    pub editions: BTreeMap<Edition, index_host::Options>,
    /// Logs and the admin endpoints.
    pub telemetry: telemetry::Options,
    /// Which options are set, and where; this is no option itself.
    #[serde(skip)]
    pub given: SettingOrigins,
}

/// A folder of its own type, so that its default can be one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DataDir(pub PathBuf);

impl Default for DataDir {
    fn default() -> Self {
        DataDir(PathBuf::from(".argosy"))
    }
}

/// What the streams keep, and for how long.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Streams {
    /// How long after its deadline the steps of a turn are kept, for traces. Default 5 min.
    pub keep: TimeSpan,
    /// How long questions, answers and dead letters are kept. Default 24 h.
    pub max_age: TimeSpan,
    /// After how long an unanswered delivery is made again. Default 20 s.
    pub ack_wait: TimeSpan,
    /// How long an event of a conversation is kept. Default 30 days.
    pub conversation_age: TimeSpan,
    /// How many events of one conversation are kept, 32 or more: two a turn, the oldest go first. Default 4,096.
    pub conversation_events: u32,
    /// Unanswered deliveries of one role over all its processes. Default 1,024.
    pub max_ack_pending: u32,
    /// Replicas of each stream: 1, 3 or 5. Default 1; 3 in production.
    pub replicas: u8,
    /// Room of the inbox. Default 1 GiB.
    pub inbox_bytes: ByteSize,
    /// Room of the steps, scatter records and parts. Default 8 GiB.
    pub steps_bytes: ByteSize,
    /// Room of the timers. Default 1 GiB.
    pub timers_bytes: ByteSize,
    /// Room of the answers. Default 4 GiB.
    pub answers_bytes: ByteSize,
    /// Room of the conversations; the oldest events go first. Default 4 GiB.
    pub conversations_bytes: ByteSize,
    /// Room of the documents that wait to be indexed. Default 1 GiB.
    pub documents_bytes: ByteSize,
    /// Room of the corpus. Default 16 GiB.
    pub chunks_bytes: ByteSize,
    /// Room of the dead letters. Default 1 GiB.
    pub dead_bytes: ByteSize,
    /// Room of the files of documents over 512 KiB that wait to be indexed. Default 2 GiB.
    pub files_bytes: ByteSize,
    /// Room of the snapshots of indexes: two of each edition, the second while it is written. Default
    /// 4 GiB.
    pub snapshots_bytes: ByteSize,
}

impl Default for Streams {
    fn default() -> Self {
        let Topology {
            keep,
            max_age,
            ack_wait,
            conversation_age,
            conversation_events,
            max_ack_pending,
            replicas,
            room,
        } = Topology::default();
        Streams {
            keep: span(keep.as_millis() as u64),
            max_age: span(max_age.as_millis() as u64),
            ack_wait: span(ack_wait.as_millis() as u64),
            conversation_age: span(conversation_age.as_millis() as u64),
            conversation_events: u32::try_from(conversation_events).unwrap_or(u32::MAX),
            max_ack_pending,
            replicas,
            inbox_bytes: ByteSize::from_bytes(room.inbox),
            steps_bytes: ByteSize::from_bytes(room.steps),
            timers_bytes: ByteSize::from_bytes(room.timers),
            answers_bytes: ByteSize::from_bytes(room.answers),
            conversations_bytes: ByteSize::from_bytes(room.conversations),
            documents_bytes: ByteSize::from_bytes(room.documents),
            chunks_bytes: ByteSize::from_bytes(room.chunks),
            dead_bytes: ByteSize::from_bytes(room.dead),
            files_bytes: ByteSize::from_bytes(room.files),
            snapshots_bytes: ByteSize::from_bytes(room.snapshots),
        }
    }
}

fn span(ms: u64) -> TimeSpan {
    TimeSpan::from_millis(ms)
}

/// The file that is read when none is named.
pub(crate) const FILE: &str = "argosy.toml";

impl Config {
    /// Loads the configuration: `VARIABLES`, then `file` if named, else `FILE` if it is there, then the environment,
    /// then `flags`.
    pub fn load(file: Option<PathBuf>, flags: Vec<(String, String)>) -> Result<Config, Error> {
        Config::loaded(file, flags).map(|loaded| loaded.value)
    }

    /// Loads the configuration and keeps where each value came from.
    pub(crate) fn loaded(
        file: Option<PathBuf>,
        flags: Vec<(String, String)>,
    ) -> Result<Configuration<Config>, Error> {
        let sources = Sources::new();
        let sources = match file {
            Some(file) => sources.file(file),
            None => sources.optional_file(FILE),
        };
        let sources = sources.named(&VARIABLES);
        let mut loaded: Configuration<Config> =
            settings::load(sources.process_environment().flags(flags))?;
        loaded.value.validate().map_err(Error::Invalid)?;
        loaded.value.check_prompts_dir()?;
        loaded.value.given = SettingOrigins::of(&loaded.origins);
        Ok(loaded)
    }

    /// Checks that every prompt in `prompts_dir` replaces one. A folder that is not there passes, because it is on
    /// the machines that run workers; a worker that starts without it fails.
    pub(crate) fn check_prompts_dir(&self) -> Result<(), prompt_files::Error> {
        match &self.prompts_dir {
            Some(dir) if dir.is_dir() => prompt_files::read(dir).map(drop),
            _ => Ok(()),
        }
    }

    /// Checks that the sections fit together, which no single value shows.
    pub fn validate(&self) -> anyhow::Result<()> {
        let Streams {
            keep,
            max_age,
            replicas,
            ack_wait,
            ..
        } = &self.streams;
        let longest = Duration::from_millis(DEADLINE_MS_MAX) + keep.duration();
        anyhow::ensure!(
            longest <= max_age.duration(),
            "`streams.max_age` ({max_age}) must be at least the longest deadline (1h) plus `streams.keep` ({keep})"
        );
        anyhow::ensure!(
            matches!(replicas, 1 | 3 | 5),
            "`streams.replicas` must be 1, 3 or 5, not {replicas}"
        );
        anyhow::ensure!(!ack_wait.is_zero(), "`streams.ack_wait` must not be 0");
        let (age, events) = (
            &self.streams.conversation_age,
            self.streams.conversation_events,
        );
        anyhow::ensure!(
            age.duration() >= max_age.duration(),
            "`streams.conversation_age` ({age}) must be at least `streams.max_age` ({max_age})"
        );
        anyhow::ensure!(
            events >= 32,
            "`streams.conversation_events` must be 32 or more, not {events}"
        );
        for (role, name) in &self.model_of {
            anyhow::ensure!(
                role.asks_model(),
                "`model_of.{role}`: the {role} asks no model"
            );
            let model = self.models.get(name).with_context(|| {
                format!("`model_of.{role}` is `{name}`, and there is no `models.{name}`")
            })?;
            anyhow::ensure!(!model.nodes.is_empty(), "`models.{name}` has no nodes");
        }
        for (name, model) in &self.models {
            model
                .validate()
                .with_context(|| format!("in section `models.{name}`"))?;
        }
        self.run.validate()?;
        let early = self.run.early_reduce as usize;
        let least = self.reducer.min_relevant.unwrap_or(1);
        anyhow::ensure!(
            early == 0 || early >= least,
            "`run.early_reduce` is {early}: want 0, or at least `reducer.min_relevant`, {least}"
        );
        self.validate_profile()?;
        self.validate_judge()?;
        self.gateway.validate()?;
        anyhow::ensure!(
            self.gateway.mode != ModeChoice::Loop || self.model.profile == Profile::Large,
            "`gateway.mode` is `loop`, which wants a large model: set `model.profile` to `large` where the model is, or \
             `gateway.mode` to `agentic`"
        );
        self.telemetry.validate()?;
        self.snapshots
            .validate()
            .context("in section `snapshots`")?;
        self.indexer.validate().context("in section `indexer`")?;
        self.retrieval
            .validate()
            .context("in section `retrieval`")?;
        for (edition, own) in &self.editions {
            let named = || format!("in section `editions.{edition}`");
            own.validate().with_context(named)?;
        }
        self.nats.validate()?;
        if !self.model.nodes.is_empty() {
            self.model.validate().context("in section `model`")?;
        }
        Ok(())
    }

    /// The configuration, with the options that an edition has of its own.
    pub(crate) fn for_edition(&self, edition: &Edition) -> Config {
        let own = self.editions.get(edition).unwrap_or(&self.retrieval);
        Config {
            retrieval: own.clone(),
            ..self.clone()
        }
    }
}

#[cfg(test)]
#[path = "config_page_tests.rs"]
mod config_page_tests;
