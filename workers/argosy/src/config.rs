//! The configuration of a process: it puts the options of all crates together.
//!
//! Later sources override earlier ones: defaults, environment variables with names of their own, `argosy.toml`,
//! `ARGOSY__section__key`, flags. Every option is documented where it is defined. This module defines only the
//! options that belong to no other crate.

mod given;
mod judge;
mod parts;
mod variables;

pub use given::SettingOrigins;
pub(crate) use variables::VARIABLES;

use crate::prompt_files;
use anyhow::Context;
use bus::topology::Topology;
use envelope::{Edition, ModeChoice, Profile, Role};
use index_host::snapshot;
use serde::{Deserialize, Serialize};
use settings::{Configuration, Sources};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Why there is no configuration.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A source cannot be read, or holds what no option takes.
    #[error(transparent)]
    Load(#[from] settings::Error),
    /// The sections do not fit together.
    #[error("{0:#}")]
    Invalid(anyhow::Error),
    /// The folder of prompts holds a file that is no prompt.
    #[error("`prompts_dir`: {0}")]
    Prompts(#[from] prompt_files::Error),
}

/// Everything that can be configured.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The NATS server.
    pub nats: bus_nats::Options,
    /// What the streams keep.
    pub streams: Topology,
    /// How a role runs.
    pub run: harness::Options,
    /// The gateway.
    pub gateway: gateway::Options,
    /// The front doors: HTTP, OpenAI, MCP and the page, where `argosy serve` runs.
    pub door: door::Options,
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
        self.streams.validate()?;
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
        self.door.validate()?;
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
