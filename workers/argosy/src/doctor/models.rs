//! Model nodes: there, with the model, long enough; answering the processes; and promised no more calls
//! by all processes together than they run at once.

use super::{Ground, Said};
use crate::config::Config;
use crate::processes::Seen;
use llm_pool::NodeView;
use llm_pool::look::{Looked, Told, look};
use std::collections::{BTreeMap, BTreeSet};

/// Characters of a prompt that count as one token, as the pool estimates them.
const CHARS_PER_TOKEN: usize = 4;
/// Tokens of a prompt around its facts: orders, question, headings.
const AROUND_TOKENS: usize = 1_000;

pub(super) async fn reachable(on: &Ground<'_>) -> Said {
    let model = &on.config.model;
    if model.nodes.is_empty() {
        return Said::warn(
            "no model is configured: what is found on a process' own machine answers, or the offline \
             reader, which is no language model",
            crate::model::PLUG_IN,
        );
    }
    let looked = look(&model.model, &model.nodes).await;
    judged(&looked, &model.model, longest_prompt(on.config))
}

/// Tokens of the longest prompt with its answer, as this configuration allows it.
fn longest_prompt(config: &Config) -> u32 {
    let reducer = &config.reducer;
    let chars = reducer.facts_chars_max.max(reducer.passages_chars_max);
    let prompt = chars / CHARS_PER_TOKEN + AROUND_TOKENS;
    u32::try_from(prompt)
        .unwrap_or(u32::MAX)
        .saturating_add(reducer.max_tokens)
}

fn judged(looked: &[Looked], model: &str, wanted: u32) -> Said {
    let mut wrong = Vec::new();
    let mut good = Vec::new();
    for one in looked {
        match fault(one, model, wanted) {
            Some(fault) => wrong.push(format!("`{}` at {}: {fault}", one.name, one.address)),
            None => good.push(one),
        }
    }
    let fix = format!(
        "look whether the server runs, serves `{model}` and has a context of {wanted} tokens; smaller \
         prompts: `reducer.facts_chars_max`"
    );
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

fn fault(one: &Looked, model: &str, wanted: u32) -> Option<String> {
    match &one.told {
        Err(why) => Some(why.clone()),
        Ok(told) if !told.models.iter().any(|name| name == model) => Some(format!(
            "it does not serve `{model}`, but {}",
            match told.models.is_empty() {
                true => "nothing".to_owned(),
                false => told.models.join(", "),
            }
        )),
        Ok(Told {
            context: Some(context),
            ..
        }) if *context < wanted => Some(format!(
            "its context has {context} tokens, prompts may have {wanted}"
        )),
        Ok(_) => None,
    }
}

fn context(good: &[&Looked], wanted: u32) -> String {
    let told = good
        .iter()
        .filter_map(|one| one.told.as_ref().ok()?.context);
    match told.min() {
        Some(least) => format!("context {least} tokens, prompts up to {wanted}"),
        None => format!("context not told; prompts have up to {wanted} tokens"),
    }
}

pub(super) async fn nodes(on: &Ground<'_>) -> Said {
    match on.bus() {
        Ok(_) => answering(&on.seen),
        Err(skip) => skip,
    }
}

/// What the processes' own calls came to.
fn answering(seen: &[Seen]) -> Said {
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

pub(super) async fn ceiling(on: &Ground<'_>) -> Said {
    let model = &on.config.model;
    let looked = look(&model.model, &model.nodes).await;
    // What is configured counts for more: a server may be behind something that shares it.
    let admits: BTreeMap<String, u32> = model
        .nodes
        .iter()
        .zip(&looked)
        .filter_map(|(node, looked)| {
            let told = looked.told.as_ref().ok().and_then(|told| told.admits);
            let admits = Some(node.admits).filter(|n| *n > 0).or(told)?;
            Some((looked.address.clone(), admits))
        })
        .collect();
    promised(&on.seen, &admits)
}

/// What all processes together may have in flight at one node.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Promised {
    processes: usize,
    limit: usize,
    permits: usize,
}

/// The nodes of the model that a process chats with; a release before this one tells of no others.
fn chatting(one: &Seen) -> impl Iterator<Item = &NodeView> {
    let model = one.model.as_deref().unwrap_or_default();
    let is_it = move |node: &&NodeView| node.model.is_empty() || node.model == model;
    one.nodes.iter().filter(is_it)
}

fn promised(seen: &[Seen], admits: &BTreeMap<String, u32>) -> Said {
    let mut nodes: BTreeMap<&str, Promised> = BTreeMap::new();
    for node in seen.iter().flat_map(chatting) {
        let at = nodes.entry(&node.address).or_default();
        at.processes += 1;
        at.limit += node.limit;
        at.permits += node.permits;
    }
    if nodes.is_empty() {
        return Said::skip("no process has model nodes, see D10");
    }
    let over = nodes.iter().filter_map(|(address, at)| {
        let admits = *admits.get(*address)? as usize;
        (at.limit > admits).then_some((address, at, admits))
    });
    let over: Vec<_> = over.collect();
    let text = |address: &str, at: &Promised| {
        format!(
            "{} processes may have {} calls in flight at {address}, {} at present",
            at.processes, at.limit, at.permits
        )
    };
    if let Some((address, at, admits)) = over.first() {
        let each = (admits / at.processes).max(1);
        return Said::warn(
            format!(
                "{}, which runs {admits} at once: the rest waits in its queue",
                text(address, at)
            ),
            format!(
                "set `max_in_flight` of that node to {each}, which is its share of each process; with \
                 more processes, less"
            ),
        );
    }
    let known = nodes.keys().filter(|at| admits.contains_key(**at)).count();
    let all: Vec<String> = nodes.iter().map(|(at, sum)| text(at, sum)).collect();
    let unknown = match nodes.len() - known {
        0 => String::new(),
        n => format!("; what {n} of them run at once is not known (`model.nodes.admits`)"),
    };
    Said::ok(format!("{}{unknown}", all.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::super::Verdict;
    use super::*;

    fn looked(told: Result<(&[&str], Option<u32>), &str>) -> Looked {
        Looked {
            name: "a".into(),
            address: "gpu:8000".into(),
            told: told
                .map(|(models, context)| Told {
                    models: models.iter().map(|m| (*m).to_owned()).collect(),
                    context,
                    admits: None,
                })
                .map_err(str::to_owned),
        }
    }

    #[test]
    fn a_node_is_judged_by_what_it_tells() {
        let good = looked(Ok((&["m"], Some(8_192))));
        let said = |all: &[Looked]| judged(all, "m", 4_400);
        assert_eq!(said(std::slice::from_ref(&good)).verdict, Verdict::Ok);
        assert_eq!(said(&[looked(Ok((&["m"], None)))]).verdict, Verdict::Ok);
        for (bad, part) in [
            (looked(Err("no answer within 3 s")), "no answer"),
            (looked(Ok((&["x", "y"], None))), "but x, y"),
            (looked(Ok((&["m"], Some(2_048)))), "2048 tokens"),
        ] {
            let alone = said(std::slice::from_ref(&bad));
            assert_eq!(alone.verdict, Verdict::Fail);
            assert!(alone.text.contains(part), "{alone:?}");
            assert_eq!(said(&[good.clone(), bad]).verdict, Verdict::Warn);
        }
    }

    #[test]
    fn the_longest_prompt_is_that_of_the_reducer() {
        let mut config = Config::default();
        assert_eq!(longest_prompt(&config), 12_000 / 4 + 1_000 + 400);
        config.reducer.facts_chars_max = 40_000;
        assert_eq!(longest_prompt(&config), 11_400);
    }

    fn process(n: u32, breaker: &str, limit: usize) -> Seen {
        let node = NodeView {
            model: "m".into(),
            name: "a".into(),
            address: "gpu:8000".into(),
            breaker: breaker.into(),
            in_flight: 0,
            permits: 8,
            limit,
            latency_ms: 0,
            answered: 0,
            failed: 0,
            resting_ms: 0,
            queued: None,
            context: None,
            dialect: "plain".into(),
        };
        let seen = serde_json::json!({
            "role": "mapper", "process": format!("mapper-{n}"), "model": "m", "nodes": [node],
        });
        serde_json::from_value(seen).unwrap()
    }

    #[test]
    fn the_ceiling_is_that_of_all_processes_together() {
        let seen: Vec<Seen> = (0..4).map(|n| process(n, "closed", 64)).collect();
        let runs = |n: u32| BTreeMap::from([("gpu:8000".to_owned(), n)]);
        assert_eq!(promised(&seen, &runs(256)).verdict, Verdict::Ok);
        let said = promised(&seen, &runs(255));
        assert_eq!(said.verdict, Verdict::Warn);
        assert!(said.text.contains("256 calls in flight"), "{said:?}");
        assert!(said.fix.unwrap().contains("to 63"), "its share");
        let unknown = promised(&seen, &BTreeMap::new());
        assert_eq!(unknown.verdict, Verdict::Ok);
        assert!(unknown.text.contains("not known"), "{unknown:?}");
        assert_eq!(promised(&[], &runs(1)).verdict, Verdict::Skip);
    }

    #[test]
    fn a_node_that_is_left_alone_is_named() {
        let well = process(1, "closed", 8);
        let broken = process(2, "open", 8);
        assert_eq!(answering(std::slice::from_ref(&well)).verdict, Verdict::Ok);
        let said = answering(&[well, broken.clone()]);
        assert_eq!(said.verdict, Verdict::Warn);
        assert!(said.text.contains("mapper-2 leaves `a` alone"), "{said:?}");
        assert_eq!(
            answering(std::slice::from_ref(&broken)).verdict,
            Verdict::Fail
        );
        // Those of an embedder count for themselves.
        let mut both = broken;
        both.nodes.push(NodeView {
            model: "vectors".into(),
            address: "gpu:9000".into(),
            breaker: "closed".into(),
            ..both.nodes[0].clone()
        });
        let said = answering(std::slice::from_ref(&both));
        assert_eq!(said.verdict, Verdict::Fail);
        assert!(said.text.contains("every node of `m`"), "{said:?}");
        let runs = BTreeMap::from([("gpu:8000".to_owned(), 8)]);
        let said = promised(&[both], &runs);
        assert!(!said.text.contains("not known"), "{said:?}");
    }
}
