//! The trait of a whole fleet in this process. A measurement is passed one, so it does not know how a fleet is configured and
//! started.

use bus::Bus;
use envelope::{Profile, Terminal};
use futures_util::future::BoxFuture;
use llm::ChatModel;
use search::Searcher;
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The error of a fleet that does not run, or that has failed to index.
pub type FleetError = Box<dyn std::error::Error + Send + Sync>;

/// Wraps the searcher between the index of a fleet and its retriever.
pub type BetweenSearcher = Box<dyn FnOnce(Arc<dyn Searcher>) -> Arc<dyn Searcher> + Send>;

/// Wraps the model of a fleet.
pub type BetweenModel = Box<dyn FnOnce(Arc<dyn ChatModel>) -> Arc<dyn ChatModel> + Send>;

/// A fleet that runs in this process.
pub trait Fleet: Send + Sync {
    /// Indexes a folder; returns when it can be searched.
    fn index(&mut self, corpus: PathBuf) -> BoxFuture<'_, Result<(), FleetError>>;

    /// The bus on which the fleet is asked.
    fn bus(&self) -> &dyn Bus;

    /// The model that answers, and why it was chosen, in one sentence.
    fn model(&self) -> String;

    /// Whether that is the offline reader, which is no language model.
    fn is_offline(&self) -> bool;

    /// The profile of questions that name none.
    fn profile(&self) -> Profile;

    /// Stops it and waits for it.
    fn stop(self: Box<Self>) -> BoxFuture<'static, ()>;
}

/// A question to a fleet, by its name.
pub(crate) async fn ask(
    fleet: &dyn Fleet,
    id: &str,
    question: &str,
    fields: Map<String, Value>,
    wait: Duration,
) -> Result<Terminal, crate::Error> {
    let ask = streams::client::Ask {
        question: question.to_owned(),
        fields,
        wait,
    };
    let asked = streams::client::ask(fleet.bus(), ask, |_| ()).await;
    asked.map_err(|error| crate::Error::Turn {
        id: id.to_owned(),
        error: Box::new(error),
    })
}
