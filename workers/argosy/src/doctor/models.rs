//! Checks the model nodes: they are reachable, have the model and a long enough context, answer the processes, and do
//! not get more calls from all processes together than they run at once.

use super::{Checked, Ground, Said};
use crate::config::Config;
use crate::model::asks;
use crate::roles;
use envelope::Role;
use futures_util::future::join_all;
use inspect::processes::ProcessStatus;
use llm_pool::node_info::{NodeInfo, NodeReport, look};
use llm_pool::{NodeView, Options};
use std::collections::{BTreeMap, BTreeSet};

/// How many characters of a prompt count as one token, as the pool estimates it.
const CHARS_PER_TOKEN: usize = 4;
/// The tokens of a prompt besides its facts: instructions, question, headings.
const AROUND_TOKENS: usize = 1_000;
/// How many servers are named when all is well.
const NAMED: usize = 4;

/// A model, and the roles that ask it.
#[derive(Debug, PartialEq)]
struct Asked<'a> {
    options: &'a Options,
    by: Vec<Role>,
}

/// The models that roles ask: `model_of` names one of `models` for a role, and `model` is for the others.
fn asked(config: &Config, indexer_asks: bool) -> Vec<Asked<'_>> {
    let mut all: BTreeMap<Option<&str>, Asked<'_>> = BTreeMap::new();
    let asking = Role::ALL.into_iter().filter(|role| asks(config, *role));
    for role in asking.filter(|role| *role != Role::Indexer || indexer_asks) {
        let name = config.model_of.get(&role).map(String::as_str);
        let options = match name {
            Some(name) => config.models.get(name),
            None => Some(&config.model),
        };
        // A name that stands for nothing has been refused with the configuration.
        let Some(options) = options else { continue };
        let by = Vec::new();
        let one = all.entry(name).or_insert(Asked { options, by });
        one.by.push(role);
    }
    all.into_values().collect()
}

pub(super) async fn reachable(on: &Ground<'_>) -> Checked {
    let indexer_asks = roles::schemas(on.config).is_ok_and(|all| all.asks_model());
    let asked = asked(on.config, indexer_asks);
    let looking = asked.iter().map(|one| served(one, on.config));
    Ok(Said::together(join_all(looking).await))
}

async fn served(asked: &Asked<'_>, config: &Config) -> Said {
    let Options { model, nodes, .. } = asked.options;
    if nodes.is_empty() && model == crate::model::OFFLINE {
        return Said::ok("the offline reader, as configured: no language model");
    }
    if nodes.is_empty() {
        return Said::warn(unconfigured(&asked.by), crate::model::PLUG_IN);
    }
    let long = asked.by.iter().filter_map(|role| prompt_of(*role, config));
    let wanted = long.max();
    judged(&look(model, nodes).await, model, wanted)
}

fn unconfigured(by: &[Role]) -> String {
    let by: Vec<&str> = by.iter().map(|role| role.as_str()).collect();
    format!(
        "no model is configured for {}: what is found on a process' own machine answers, or the offline \
         reader, which is no language model",
        by.join(", ")
    )
}

/// The tokens of a role's longest prompt with its reply, as this configuration allows it; `None` for roles with short
/// prompts.
fn prompt_of(role: Role, config: &Config) -> Option<u32> {
    let (chars, answer) = match role {
        Role::Reducer => {
            let reducer = &config.reducer;
            let chars = reducer.facts_chars_max.max(reducer.passages_chars_max);
            (chars, reducer.max_tokens)
        }
        // The answer that it judges is not longer than the reducer may write.
        Role::Validator => {
            let validator = &config.validator;
            let answers = config.reducer.max_tokens + validator.max_tokens;
            (validator.judge_chars_max, answers)
        }
        _ => return None,
    };
    let prompt = u32::try_from(chars / CHARS_PER_TOKEN + AROUND_TOKENS).unwrap_or(u32::MAX);
    Some(prompt.saturating_add(answer))
}

/// The finding on the nodes of a model. `wanted` is the tokens of the longest prompt, where the reducer or the
/// validator asks this model; the prompts of the other roles are short.
fn judged(looked: &[NodeReport], model: &str, wanted: Option<u32>) -> Said {
    let mut wrong = Vec::new();
    let mut good = Vec::new();
    for one in looked {
        match fault(one, model, wanted) {
            Some(fault) => wrong.push(format!("`{}` at {}: {fault}", one.name, one.address)),
            None => good.push(one),
        }
    }
    let long = wanted.map_or(String::new(), |wanted| {
        format!(" and has a context of {wanted} tokens; smaller prompts: `reducer.facts_chars_max`, `validator.judge_chars_max`")
    });
    let fix = format!("look whether the server runs, serves `{model}`{long}");
    match (good.is_empty(), wrong.is_empty()) {
        (_, true) => Said::ok(format!(
            "`{model}` on {} nodes, {}",
            good.len(),
            context(&good, wanted)
        )),
        (false, false) => Said::warn(wrong.join("; "), fix),
        (true, false) => Said::fail(wrong.join("; "), fix),
    }
}

fn fault(one: &NodeReport, model: &str, wanted: Option<u32>) -> Option<String> {
    match &one.told {
        Err(why) => Some(why.clone()),
        Ok(told) if !told.models.iter().any(|name| name == model) => Some(format!(
            "it does not serve `{model}`, but {}",
            match told.models.is_empty() {
                true => "nothing".to_owned(),
                false => told.models.join(", "),
            }
        )),
        Ok(NodeInfo {
            context: Some(context),
            ..
        }) => wanted
            .filter(|wanted| context < wanted)
            .map(|wanted| format!("its context has {context} tokens, prompts may have {wanted}")),
        Ok(_) => None,
    }
}

fn context(good: &[&NodeReport], wanted: Option<u32>) -> String {
    let told = good
        .iter()
        .filter_map(|one| one.told.as_ref().ok()?.context);
    let prompts = wanted.map_or(String::new(), |n| format!(", prompts up to {n}"));
    match told.min() {
        Some(least) => format!("context {least} tokens{prompts}"),
        None => format!("context not told{prompts}"),
    }
}

pub(super) async fn nodes(on: &Ground<'_>) -> Checked {
    on.bus()?;
    Ok(answering(&on.seen))
}

/// The finding on the processes' own calls.
fn answering(seen: &[ProcessStatus]) -> Said {
    let all = seen
        .iter()
        .flat_map(|one| one.nodes.iter().map(move |node| (one, node)));
    let all: Vec<_> = all.collect();
    if all.is_empty() {
        return Said::skip("no process has model nodes, see D10");
    }
    let open: Vec<_> = all
        .iter()
        .filter(|(_, node)| node.breaker != "closed")
        .collect();
    let fix = "look at those servers; a node is tried again by itself, at most every 30 s";
    let named: Vec<String> = open
        .iter()
        .map(|(one, node)| format!("{} leaves `{}` alone", one.process, node.name))
        .collect();
    // An embedder that answers does not help who wants a chat.
    let models: BTreeSet<&str> = all.iter().map(|(_, node)| node.model.as_str()).collect();
    let left_alone = |model: &&str| {
        let mut nodes = all.iter().filter(|(_, node)| node.model == *model);
        nodes.all(|(_, node)| node.breaker != "closed")
    };
    if let Some(model) = models.into_iter().find(left_alone) {
        let text = format!("every process leaves every node of `{model}` alone");
        return Said::fail(text, fix);
    }
    match named.is_empty() {
        true => Said::ok(format!(
            "{} processes call their nodes, none is left alone",
            seen.iter().filter(|one| !one.nodes.is_empty()).count()
        )),
        false => Said::warn(named.join("; "), fix),
    }
}

/// How many calls each server of a node runs at once, by model and node.
type Admits = BTreeMap<(String, String), u32>;

pub(super) async fn ceiling(on: &Ground<'_>) -> Checked {
    let asked = asked(on.config, true);
    let looking = asked
        .iter()
        .map(|one| look(&one.options.model, &one.options.nodes));
    let looked = join_all(looking).await;
    let mut admits = Admits::new();
    for (Asked { options, .. }, looked) in asked.iter().zip(&looked) {
        for (node, looked) in options.nodes.iter().zip(looked) {
            let told = looked.told.as_ref().ok().and_then(|told| told.admits);
            // What is configured counts for more: a server may be behind something that shares it.
            if let Some(n) = Some(node.admits).filter(|n| *n > 0).or(told) {
                admits.insert((options.model.clone(), node.name.clone()), n);
            }
        }
    }
    Ok(promised(&on.seen, &admits))
}

/// How many calls all processes together may have in flight at one server.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Promised {
    /// The name of its node, which with `resolve` is also that of other servers.
    node: String,
    processes: usize,
    limit: usize,
    permits: usize,
    admits: Option<usize>,
}

/// The nodes of the model that a process chats with. An earlier release reports no others.
fn chatting(one: &ProcessStatus) -> impl Iterator<Item = &NodeView> {
    let model = one.model.as_deref().unwrap_or_default();
    let is_it = move |node: &&NodeView| node.model.is_empty() || node.model == model;
    one.nodes.iter().filter(is_it)
}

/// The promised calls by address, so that the servers behind one name are told apart, whatever name the processes
/// use.
fn by_server<'a>(seen: &'a [ProcessStatus], admits: &Admits) -> BTreeMap<&'a str, Promised> {
    let mut servers: BTreeMap<&str, Promised> = BTreeMap::new();
    for one in seen {
        let model = one.model.as_deref().unwrap_or_default();
        for view in chatting(one) {
            let name = view.name.split('/').next().unwrap_or_default();
            let known = admits.get(&(model.to_owned(), name.to_owned()));
            let at = servers.entry(&view.address).or_default();
            at.node = name.to_owned();
            at.processes += 1;
            at.limit += view.limit;
            at.permits += view.permits;
            at.admits = at.admits.or(known.map(|n| *n as usize));
        }
    }
    servers
}

fn promised(seen: &[ProcessStatus], admits: &Admits) -> Said {
    let servers = by_server(seen, admits);
    if servers.is_empty() {
        return Said::skip("no process has model nodes, see D10");
    }
    let text = |address: &str, at: &Promised| {
        format!(
            "{} processes may have {} calls in flight at {address}, {} at present",
            at.processes, at.limit, at.permits
        )
    };
    let over = servers.iter().find_map(|(address, at)| {
        let admits = at.admits.filter(|admits| at.limit > *admits)?;
        Some((address, at, admits))
    });
    if let Some((address, at, admits)) = over {
        let each = (admits / at.processes).max(1);
        return Said::warn(
            format!(
                "{}, which runs {admits} at once: the rest waits in its queue",
                text(address, at)
            ),
            format!(
                "set `max_in_flight` of node `{}` to {each}, which is its share of each process; with \
                 more processes, less",
                at.node
            ),
        );
    }
    let mut all: Vec<String> = servers
        .iter()
        .take(NAMED)
        .map(|(a, s)| text(a, s))
        .collect();
    if servers.len() > NAMED {
        all.push(format!("and so on at {} more", servers.len() - NAMED));
    }
    let unknown = match servers.values().filter(|at| at.admits.is_none()).count() {
        0 => String::new(),
        n => format!("; what {n} of them run at once is not known (`admits` of their nodes)"),
    };
    Said::ok(format!("{}{unknown}", all.join("; ")))
}

#[cfg(test)]
#[path = "models_tests.rs"]
mod tests;
