//! Which model answers: the configured one, one that is found on this machine, or the offline reader.

use crate::config::Config;
use crate::fail::Fail;
use llm::ChatModel;
use llm_pool::discover::{self, Found};
use llm_pool::offline::OfflineReader;
use llm_pool::{Options, Pool};
use std::sync::Arc;
use telemetry::Registry;

/// A model, and why it was chosen, in a sentence for people.
pub struct Chosen {
    /// The model.
    pub model: Arc<dyn ChatModel>,
    /// Why this one.
    pub why: String,
    /// True for the offline reader: answers say so, and a hint is due.
    pub offline: bool,
}

/// How to plug in a real model, for everybody who is served by the offline reader.
pub const PLUG_IN: &str = "to use a real model, start Ollama, vLLM or llama.cpp on this machine, or set \
    `model.model` and `model.nodes` in argosy.toml (name, base_url)";

/// Chooses the model of this process.
pub async fn choose(config: &Config, registry: &Registry) -> Result<Chosen, Fail> {
    if !config.model.nodes.is_empty() {
        let pool =
            Pool::new(config.model.clone(), registry).map_err(|e| Fail::usage(e.to_string()))?;
        let nodes = config.model.nodes.len();
        let why = format!("{} on {nodes} configured node(s)", config.model.model);
        return Ok(Chosen {
            model: Arc::new(pool),
            why,
            offline: false,
        });
    }
    let found = discover::local(&discover::LOCAL)
        .await
        .unwrap_or_else(|error| {
            tracing::debug!(%error, "no model looked for");
            Vec::new()
        });
    let usable = found
        .into_iter()
        .find_map(|found| found.models.first().cloned().map(|model| (found, model)));
    let Some((
        Found {
            server, base_url, ..
        },
        name,
    )) = usable
    else {
        let why = "none configured and none found on the usual local ports: the offline reader answers by extracting \
                   sentences; it is not a language model";
        return Ok(Chosen {
            model: Arc::new(OfflineReader::new()),
            why: why.into(),
            offline: true,
        });
    };
    let options = Options {
        nodes: Options::one_node("", base_url.as_str()).nodes,
        model: name,
        ..config.model.clone()
    };
    let why = format!("{} of {server} found at {base_url}", options.model);
    let pool = Pool::new(options, registry).map_err(|e| Fail::usage(e.to_string()))?;
    Ok(Chosen {
        model: Arc::new(pool),
        why,
        offline: false,
    })
}
