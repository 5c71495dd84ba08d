//! Chooses the model that answers: the one configured for a role or for all roles, a model server that is found on
//! this machine, or the offline reader.

use crate::config::Config;
use envelope::Role;
use llm::{BoxFuture, ChatModel, ChatReply, ChatRequest, Listener};
use llm_pool::cache::CachingModel;
use llm_pool::discover::{self, DiscoveredServer};
use llm_pool::{Options, Pool};
use offline_reader::OfflineReader;
use std::collections::BTreeMap;
use std::sync::Arc;
use telemetry::Registry;

/// A model, and why it was chosen, in a sentence for people.
pub struct ChosenModel {
    /// The model, or one for several roles that ask different ones.
    pub model: Arc<dyn ChatModel>,
    /// Their nodes, where they have any.
    pub pools: Vec<Arc<Pool>>,
    /// Why this model was chosen.
    pub why: String,
    /// True for the offline reader: answers say so, and a hint is due.
    pub offline: bool,
}

/// Why no model was chosen.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A role is configured to ask a model that does not exist.
    #[error("`model_of.{role}` is `{name}`, and there is no `models.{name}`")]
    Unnamed {
        /// The role.
        role: Role,
        /// The name of that model.
        name: String,
    },
    /// No server on this machine has the model.
    #[error("`model.model` is `{0}`, but no server on this machine has a model of that name")]
    Unserved(String),
    /// The options of its nodes are wrong.
    #[error(transparent)]
    Pool(#[from] llm_pool::Error),
    /// Its calls cannot be counted.
    #[error(transparent)]
    Metrics(#[from] telemetry::Error),
}

/// How to plug in a real model, for users whom the offline reader serves.
pub(crate) const PLUG_IN: &str = "to use a real model, start Ollama, vLLM or llama.cpp on this machine, or set \
    `model.model` and `model.nodes` in argosy.toml (name, base_url)";

/// The name of the offline reader: as `model.model`, it is taken without looking for a model.
pub const OFFLINE: &str = offline_reader::NAME;

/// Whether a role calls a model. The validator does only if a model is named for it, because the model of the other
/// roles wrote the answer that the validator checks.
pub fn asks(config: &Config, role: Role) -> bool {
    let is_judged = || config.model_of.contains_key(&Role::Validator);
    role.asks_model() && (role != Role::Validator || is_judged())
}

/// Asks, for each role, the model that is configured for it.
struct ByRole {
    default: Arc<dyn ChatModel>,
    of: BTreeMap<Role, Arc<dyn ChatModel>>,
}

impl ByRole {
    fn of(&self, role: Role) -> &dyn ChatModel {
        &**self.of.get(&role).unwrap_or(&self.default)
    }
}

impl ChatModel for ByRole {
    fn name(&self) -> &str {
        self.default.name()
    }

    fn chat<'a>(
        &'a self,
        request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<ChatReply, llm::Error>> {
        self.of(request.role).chat(request)
    }

    fn chat_live<'a>(
        &'a self,
        request: &'a ChatRequest,
        listener: &'a Listener<'a>,
    ) -> BoxFuture<'a, Result<ChatReply, llm::Error>> {
        self.of(request.role).chat_live(request, listener)
    }
}

/// Chooses the models of `roles` in this process: `model_of` names one of `models` for a role, and the other roles
/// ask `model`.
pub async fn choose(
    config: &Config,
    roles: &[Role],
    registry: &Registry,
) -> Result<ChosenModel, Error> {
    let mut named: BTreeMap<&str, ChosenModel> = BTreeMap::new();
    let mut of = BTreeMap::new();
    let (mut why, mut pools) = (Vec::new(), Vec::new());
    let mut others = false;
    for role in roles.iter().filter(|role| asks(config, **role)) {
        let Some(name) = config.model_of.get(role) else {
            others = true;
            continue;
        };
        if !named.contains_key(name.as_str()) {
            let options = config.models.get(name);
            let options = options.ok_or_else(|| Error::Unnamed {
                role: *role,
                name: name.clone(),
            })?;
            let chosen = configured(options, registry)?;
            pools.extend(chosen.pools.iter().cloned());
            named.insert(name, chosen);
        }
        let chosen = &named[name.as_str()];
        why.push(format!("{} for the {role}", chosen.why));
        of.insert(*role, chosen.model.clone());
    }
    let Some(first) = of.values().next().cloned() else {
        return for_all(config, registry).await;
    };
    let (mut default, mut offline) = (first, false);
    if others {
        let chosen = for_all(config, registry).await?;
        why.push(format!("{} for the others", chosen.why));
        pools.extend(chosen.pools);
        (default, offline) = (chosen.model, chosen.offline);
    }
    Ok(ChosenModel {
        model: Arc::new(ByRole { default, of }),
        pools,
        why: why.join("; "),
        offline,
    })
}

fn configured(options: &Options, registry: &Registry) -> Result<ChosenModel, Error> {
    let nodes = options.nodes.len();
    let plural = if nodes == 1 { "" } else { "s" };
    let why = format!("{} on {nodes} configured node{plural}", options.model);
    pooled(options.clone(), registry, why)
}

/// The model of all roles that have none of their own.
async fn for_all(config: &Config, registry: &Registry) -> Result<ChosenModel, Error> {
    if !config.model.nodes.is_empty() {
        return configured(&config.model, registry);
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
            return Err(Error::Unserved(wanted.to_owned()));
        }
        return Ok(offline(
            "none configured and none found on the usual local ports: the offline reader answers by \
             extracting sentences; it is not a language model",
        ));
    };
    let DiscoveredServer {
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

fn pooled(options: Options, registry: &Registry, why: String) -> Result<ChosenModel, Error> {
    let cache = options.cache.clone();
    let pool = Arc::new(Pool::new(options, registry)?);
    let model = CachingModel::over(pool.clone(), cache, registry)?;
    Ok(ChosenModel {
        model,
        pools: vec![pool],
        why,
        offline: false,
    })
}

fn offline(why: &str) -> ChosenModel {
    ChosenModel {
        model: Arc::new(OfflineReader::new()),
        pools: Vec::new(),
        why: why.into(),
        offline: true,
    }
}

/// The first server with the wanted model, or with any model when none is named.
fn pick(found: Vec<DiscoveredServer>, wanted: &str) -> Option<(DiscoveredServer, String)> {
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

    #[tokio::test]
    async fn a_role_asks_its_own_model_and_the_others_that_of_all() {
        let node = |name: &str| Options::one_node(name, "http://127.0.0.1:9");
        let mut config = Config {
            model: node("small"),
            ..Config::default()
        };
        config.models.insert("large".into(), node("qwen-32b"));
        config.models.insert("unused".into(), node("unused"));
        for role in [Role::Planner, Role::Reducer] {
            config.model_of.insert(role, "large".into());
        }
        let names_of = async |config: &Config, roles: &[Role]| {
            let chosen = choose(config, roles, &Registry::new()).await.unwrap();
            let pools = chosen.pools.iter();
            let names: Vec<_> = pools.map(|pool| pool.name().to_owned()).collect();
            (names, chosen.why)
        };
        let names = async |roles: &[Role]| names_of(&config, roles).await;
        assert_eq!(names(&[Role::Mapper]).await.0, ["small"]);
        assert_eq!(names(&[Role::Reducer]).await.0, ["qwen-32b"]);
        let (all, why) = names(&Role::ALL).await;
        assert_eq!(all, ["qwen-32b", "small"]);
        assert!(
            why.contains("qwen-32b on 1 configured node for the planner"),
            "{why}"
        );
        assert!(
            why.ends_with("small on 1 configured node for the others"),
            "{why}"
        );
        config.model_of.insert(Role::Validator, "unused".into());
        let (judged, _) = names_of(&config, &Role::ALL).await;
        assert_eq!(judged, ["qwen-32b", "unused", "small"]);
        let (judge, _) = names_of(&config, &[Role::Validator]).await;
        assert_eq!(judge, ["unused"]);
        config.model_of.insert(Role::Mapper, "typo".into());
        let fail = choose(&config, &Role::ALL, &Registry::new()).await;
        assert!(fail.err().unwrap().to_string().contains("`models.typo`"));
    }

    #[tokio::test]
    async fn calls_go_where_their_role_says() {
        let saying = |text: &str| testkit::model::ScriptedModel::saying([text]);
        let (large, small) = (saying("large"), saying("small"));
        let model = ByRole {
            default: small.clone(),
            of: BTreeMap::from([(Role::Reducer, large.clone() as Arc<dyn ChatModel>)]),
        };
        let mut request = ChatRequest {
            role: Role::Mapper,
            turn: envelope::TurnId::derived(1, 1),
            tenant: envelope::TenantId::default_tenant(),
            system: String::new(),
            user: "Who?".into(),
            max_tokens: 8,
            likely: 0,
            schema: None,
            model: None,
            timeout: std::time::Duration::from_secs(1),
        };
        for (role, wanted) in [(Role::Reducer, "large"), (Role::Mapper, "small")] {
            request.role = role;
            assert_eq!(model.chat(&request).await.unwrap().text, wanted);
        }
    }

    #[test]
    fn a_named_model_is_taken_and_no_other() {
        let server = |name: &str, models: &[&str]| DiscoveredServer {
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
