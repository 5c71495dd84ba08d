//! Starts the fleets that the measurements ask. Each runs in this process, with the configuration or with the
//! settings of a trajectory case.

use crate::answers::AnswersFleet;
use crate::fleet::{Fleet, FleetError};
use crate::trajectories::{CaseFleet, StartError};
use argosy::config::Config;
use argosy::local::{self, Local};
use argosy::model::{self, ChosenModel};
use argosy::render::ProgressLine;
use bus::Bus;
use documents::PublishMode;
use envelope::{Profile, Role};
use futures_util::future::BoxFuture;
use settings::Sources;
use std::path::PathBuf;
use std::sync::Arc;
use telemetry::Registry;

/// A fleet of this process, and the display of its indexing progress.
struct LocalFleet {
    local: Local,
    profile: Profile,
    line: Arc<ProgressLine>,
}

impl Fleet for LocalFleet {
    fn index(&mut self, corpus: PathBuf) -> BoxFuture<'_, Result<(), FleetError>> {
        Box::pin(async move {
            let line = self.line.clone();
            let show = move |progress| line.show(progress);
            let indexed = self
                .local
                .index(corpus, PublishMode::Incremental, show)
                .await;
            indexed.map(drop).map_err(boxed)
        })
    }

    fn bus(&self) -> &dyn Bus {
        &*self.local.bus
    }

    fn model(&self) -> String {
        self.local.chosen.why.clone()
    }

    fn is_offline(&self) -> bool {
        self.local.chosen.offline
    }

    fn profile(&self) -> Profile {
        self.profile
    }

    fn stop(self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(self.local.stop())
    }
}

fn boxed(error: local::Error) -> FleetError {
    Box::new(error)
}

/// A fleet as it is configured, whose calls are recorded. It keeps no replies of models, so the model is asked for each.
pub(super) async fn for_answers(
    config: &Config,
    wanted: AnswersFleet,
    line: Arc<ProgressLine>,
) -> Result<Box<dyn Fleet>, FleetError> {
    let mut config = config.clone();
    config.model.cache.entries = 0;
    let further = config.models.values_mut();
    further.for_each(|model| model.cache.entries = 0);
    if wanted.is_offline {
        config.model.model = model::OFFLINE.into();
        config.model.nodes.clear();
        config.model_of.clear();
    }
    let registry = Registry::new();
    let mut chosen = model::choose(&config, &Role::ALL, &registry).await?;
    chosen.model = (wanted.model)(chosen.model);
    let index = &wanted.index;
    let started = Local::start_between(&config, index, chosen, registry, wanted.between).await;
    let local = started.map_err(boxed)?;
    let profile = config.model.profile;
    Ok(Box::new(LocalFleet {
        local,
        profile,
        line,
    }))
}

/// A fleet as a trajectory wants it.
pub(super) async fn for_case(case: CaseFleet) -> Result<Box<dyn Fleet>, StartError> {
    let settings = |what: String| StartError::Settings(what);
    // The cases are of passages that are mapped one by one, unless they say something else.
    let mapped = ["planner.read_at_once", "reducer.assess"].map(|key| (key.into(), "false".into()));
    let flags = mapped.into_iter().chain(case.settings);
    let loaded = settings::load::<Config>(Sources::new().flags(flags));
    let config = loaded.map_err(|error| settings(error.to_string()))?.value;
    config
        .validate()
        .map_err(|error| settings(error.to_string()))?;
    let chosen = ChosenModel {
        model: case.model,
        pools: Vec::new(),
        why: "it is written down what the model says".into(),
        offline: false,
    };
    let (index, registry) = (&case.index, Registry::new());
    let started = Local::start_between(&config, index, chosen, registry, case.between).await;
    let local = started.map_err(|error| StartError::Fleet(boxed(error)))?;
    let line = Arc::new(ProgressLine::nowhere());
    let profile = config.model.profile;
    Ok(Box::new(LocalFleet {
        local,
        profile,
        line,
    }))
}
