//! The trait of a whole fleet in this process. The caller passes the fleet in, so a measurement does not depend on
//! its parts.

use bus::Bus;
use envelope::{Profile, Terminal};
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::time::Duration;

/// Why a fleet does not run, or did not index: its own error.
pub type FleetError = Box<dyn std::error::Error + Send + Sync>;

/// A fleet that runs.
pub trait Fleet: Send + Sync {
    /// Brings a folder into its corpus; comes back when it can be searched.
    fn index(&mut self, corpus: PathBuf) -> BoxFuture<'_, Result<(), FleetError>>;

    /// Where it is asked.
    fn bus(&self) -> &dyn Bus;

    /// Which model answers, and why that one, in a sentence.
    fn model(&self) -> String;

    /// Whether that is the offline reader, which is no language model.
    fn is_offline(&self) -> bool;

    /// The class of model that its questions are for, where they say none.
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
    let ask = client::Ask {
        question: question.to_owned(),
        fields,
        wait,
    };
    let asked = client::ask(fleet.bus(), ask, |_| ()).await;
    asked.map_err(|error| crate::Error::Turn {
        id: id.to_owned(),
        error: Box::new(error),
    })
}
