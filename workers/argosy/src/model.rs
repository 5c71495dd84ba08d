//! Which model answers: the configured one, one that is found on this machine, or the offline reader.

use crate::config::Config;
use crate::fail::Fail;
use llm::ChatModel;
use llm_pool::cache::Cached;
use llm_pool::discover::{self, Found};
use llm_pool::offline::OfflineReader;
use llm_pool::{Options, Pool};
use std::sync::Arc;
use telemetry::Registry;

/// A model, and why it was chosen, in a sentence for people.
pub struct Chosen {
    /// The model.
    pub model: Arc<dyn ChatModel>,
    /// Its nodes, where it has any.
    pub pool: Option<Arc<Pool>>,
    /// Why this one.
    pub why: String,
    /// True for the offline reader: answers say so, and a hint is due.
    pub offline: bool,
}

/// How to plug in a real model, for everybody who is served by the offline reader.
pub const PLUG_IN: &str = "to use a real model, start Ollama, vLLM or llama.cpp on this machine, or set \
    `model.model` and `model.nodes` in argosy.toml (name, base_url)";

/// The name of the offline reader: as `model.model`, it is taken without looking for a model.
pub const OFFLINE: &str = llm_pool::offline::NAME;

/// Chooses the model of this process.
pub async fn choose(config: &Config, registry: &Registry) -> Result<Chosen, Fail> {
    if !config.model.nodes.is_empty() {
        let nodes = config.model.nodes.len();
        let plural = if nodes == 1 { "" } else { "s" };
        let why = format!("{} on {nodes} configured node{plural}", config.model.model);
        return pooled(config.model.clone(), registry, why);
    }
    let wanted = config.model.model.as_str();
    if wanted == OFFLINE {
        return Ok(offline(
            "the offline reader, as configured; it is not a language model",
        ));
    }
    let found = discover::local(&discover::LOCAL)
        .await
        .unwrap_or_else(|error| {
            tracing::debug!(%error, "no model looked for");
            Vec::new()
        });
    let Some((found, name)) = pick(found, wanted) else {
        if !wanted.is_empty() {
            return Err(Fail::not_found(format!(
                "`model.model` is `{wanted}`, but no server on this machine has a model of that name"
            ))
            .hint(format!("name its servers in `model.nodes`, or take `{OFFLINE}`")));
        }
        return Ok(offline(
            "none configured and none found on the usual local ports: the offline reader answers by \
             extracting sentences; it is not a language model",
        ));
    };
    let Found {
        server, base_url, ..
    } = found;
    let options = Options {
        nodes: Options::one_node("", base_url.as_str()).nodes,
        model: name,
        ..config.model.clone()
    };
    let why = format!("{} of {server} found at {base_url}", options.model);
    pooled(options, registry, why)
}

fn pooled(options: Options, registry: &Registry, why: String) -> Result<Chosen, Fail> {
    let cache = options.cache.clone();
    let pool = Pool::new(options, registry).map_err(|e| Fail::usage(e.to_string()))?;
    let pool = Arc::new(pool);
    let model = Cached::over(pool.clone(), cache, registry);
    Ok(Chosen {
        model: model.map_err(|e| Fail::usage(e.to_string()))?,
        pool: Some(pool),
        why,
        offline: false,
    })
}

fn offline(why: &str) -> Chosen {
    Chosen {
        model: Arc::new(OfflineReader::new()),
        pool: None,
        why: why.into(),
        offline: true,
    }
}

/// The first server with the wanted model, or with any when none is named.
fn pick(found: Vec<Found>, wanted: &str) -> Option<(Found, String)> {
    found.into_iter().find_map(|found| {
        let name = found
            .models
            .iter()
            .find(|name| wanted.is_empty() || *name == wanted)?
            .clone();
        Some((found, name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_model_is_taken_and_no_other() {
        let server = |name: &str, models: &[&str]| Found {
            server: name.into(),
            base_url: String::new(),
            models: models.iter().map(|m| (*m).to_owned()).collect(),
        };
        let all = || vec![server("a", &["small", "large"]), server("b", &["other"])];
        let picked = |wanted| pick(all(), wanted).map(|(found, name)| (found.server, name));
        assert_eq!(picked(""), Some(("a".into(), "small".into())));
        assert_eq!(picked("large"), Some(("a".into(), "large".into())));
        assert_eq!(picked("other"), Some(("b".into(), "other".into())));
        assert_eq!(picked("absent"), None);
    }
}
