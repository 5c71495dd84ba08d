//! The fleets that measurements ask. Each runs in this process, with the configuration or with the settings of a
//! trajectory case.

use crate::Error;
use argosy::config::Config;
use argosy::local::Local;
use argosy::model::{self, ChosenModel};
use argosy::render::ProgressLine;
use documents::PublishMode;
use envelope::{Role, Terminal};
use llm::ChatModel;
use search::Searcher;
use serde_json::{Map, Value};
use settings::Sources;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use streams::client;
use telemetry::Registry;

/// A fleet that runs in this process.
pub(crate) struct Fleet {
    local: Local,
    /// Shows the progress of indexing.
    line: Arc<ProgressLine>,
}

impl Fleet {
    /// A fleet as it is configured, or one of the offline reader. It keeps no replies of models, so the model is asked
    /// for each. `over` wraps its model, and `between` the searcher of its retriever.
    pub(crate) async fn configured(
        config: &Config,
        index: &Path,
        is_offline: bool,
        over: impl FnOnce(Arc<dyn ChatModel>) -> Arc<dyn ChatModel>,
        between: impl FnOnce(Arc<dyn Searcher>) -> Arc<dyn Searcher>,
        line: Arc<ProgressLine>,
    ) -> Result<Fleet, Error> {
        let mut config = config.clone();
        config.model.cache.entries = 0;
        let further = config.models.values_mut();
        further.for_each(|model| model.cache.entries = 0);
        if is_offline {
            config.model.model = model::OFFLINE.into();
            config.model.nodes.clear();
            config.model_of.clear();
        }
        let registry = Registry::new();
        let mut chosen = model::choose(&config, &Role::ALL, &registry)
            .await
            .map_err(argosy::local::Error::from)?;
        chosen.model = over(chosen.model);
        let local = Local::start_between(&config, index, chosen, registry, between).await?;
        Ok(Fleet { local, line })
    }

    /// A fleet with some settings by key, as the trajectory `name` wants it.
    pub(crate) async fn with_settings(
        name: &str,
        settings: BTreeMap<String, String>,
        index: &Path,
        model: Arc<dyn ChatModel>,
        between: impl FnOnce(Arc<dyn Searcher>) -> Arc<dyn Searcher>,
    ) -> Result<Fleet, Error> {
        let invalid = |what: String| Error::Case {
            name: name.to_owned(),
            what,
        };
        // The cases are of passages that are mapped one by one, unless they say something else.
        let mapped =
            ["planner.read_at_once", "reducer.assess"].map(|key| (key.into(), "false".into()));
        let flags = mapped.into_iter().chain(settings);
        let loaded = settings::load::<Config>(Sources::new().flags(flags));
        let config = loaded.map_err(|error| invalid(error.to_string()))?.value;
        config
            .validate()
            .map_err(|error| invalid(error.to_string()))?;
        let chosen = ChosenModel {
            model,
            pools: Vec::new(),
            why: "it is written down what the model says".into(),
            offline: false,
        };
        let started = Local::start_between(&config, index, chosen, Registry::new(), between);
        Ok(Fleet {
            local: started.await?,
            line: Arc::new(ProgressLine::nowhere()),
        })
    }

    /// Indexes a folder; returns when it can be searched.
    pub(crate) async fn index(&mut self, corpus: PathBuf) -> Result<(), Error> {
        let line = self.line.clone();
        let show = move |progress| line.show(progress);
        let indexed = self.local.index(corpus, PublishMode::Incremental, show);
        indexed.await?;
        Ok(())
    }

    /// Asks a question, by its name.
    pub(crate) async fn ask(
        &self,
        id: &str,
        question: &str,
        fields: Map<String, Value>,
        wait: Duration,
    ) -> Result<Terminal, Error> {
        let ask = client::Ask {
            question: question.to_owned(),
            fields,
            wait,
        };
        let asked = client::ask(&*self.local.bus, ask, |_| ()).await;
        asked.map_err(|error| Error::Turn {
            id: id.to_owned(),
            error: Box::new(error),
        })
    }

    /// Stops it and waits for it.
    pub(crate) async fn stop(self) {
        self.local.stop().await;
    }
}
