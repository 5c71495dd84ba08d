//! `argosy nodes`: the model nodes as the processes of the fleet see them.

use crate::cli::{self, Output};
use crate::config::Config;
use crate::fail::Fail;
use crate::out::println;
use crate::processes::{LISTEN, Seen, ask};
use llm_pool::NodeView;
use owo_colors::OwoColorize;
use std::time::Duration;

/// Shows them, once or again and again.
pub async fn run(args: cli::Nodes, output: Output, config: Config) -> Result<(), Fail> {
    let bus = super::connect(&config).await?;
    loop {
        let mut seen = ask(&*bus, LISTEN)
            .await
            .map_err(|error| Fail::negative(error.to_string()))?;
        seen.retain(|process| !process.nodes.is_empty());
        if seen.is_empty() && args.watch.is_none() {
            return Err(Fail::not_found("no process of this fleet has model nodes").hint(
                "start one with `argosy run mapper` and `model.nodes` set, or look whether --server is right",
            ));
        }
        match output {
            Output::Json => {
                let line =
                    serde_json::to_string(&seen).map_err(|e| Fail::negative(e.to_string()))?;
                println!("{line}");
            }
            _ => show(&seen, args.watch.is_some()),
        }
        match args.watch {
            None => return Ok(()),
            Some(seconds) => tokio::time::sleep(Duration::from_secs(seconds)).await,
        }
    }
}

fn show(seen: &[Seen], again: bool) {
    if again {
        // From the top of the screen, so that numbers stay where they were.
        println!("\x1b[2J\x1b[H");
    }
    let head = format!(
        "{:<18} {:<18} {:<28} {:<9} {:>6} {:>8} {:>10} {:>9} {:>7} {:>6} {:>7} {:>8}",
        "PROCESS",
        "MODEL",
        "NODE",
        "BREAKER",
        "FLIGHT",
        "PERMITS",
        "LATENCY",
        "ANSWERED",
        "FAILED",
        "ERRORS",
        "QUEUED",
        "CONTEXT"
    );
    println!("{}", head.bold());
    for process in seen {
        for node in &process.nodes {
            println!("{}", line(&process.process, node));
        }
    }
}

fn line(process: &str, node: &NodeView) -> String {
    let number = |n: Option<String>| n.unwrap_or_else(|| "--".into());
    let latency = (node.latency_ms > 0).then(|| format!("{} ms", node.latency_ms));
    let breaker = format!("{:<9}", node.breaker);
    let breaker = match node.breaker.as_str() {
        "closed" => breaker.green().to_string(),
        "open" => breaker.red().to_string(),
        _ => breaker.yellow().to_string(),
    };
    format!(
        "{process:<18} {:<18} {:<28} {breaker} {:>6} {:>8} {:>10} {:>9} {:>7} {:>6} {:>7} {:>8}",
        node.model,
        format!("{} {}", node.name, node.address),
        node.in_flight,
        format!("{}/{}", node.permits, node.limit),
        number(latency),
        node.answered,
        node.failed,
        number(errors(node)),
        number(node.queued.map(|n| n.to_string())),
        number(node.context.map(|n| n.to_string())),
    )
}

/// The share of calls that failed, of those that say something of the node.
fn errors(node: &NodeView) -> Option<String> {
    let all = node.answered + node.failed;
    let share = 100.0 * node.failed as f64 / all as f64;
    (all > 0).then(|| format!("{share:.1}%"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(answered: u64, failed: u64) -> NodeView {
        let node = serde_json::json!({
            "model": "small", "name": "gpu-a", "address": "gpu-a:8000", "breaker": "closed",
            "in_flight": 3, "permits": 8, "limit": 32, "latency_ms": 840, "answered": answered,
            "failed": failed, "resting_ms": 0, "queued": null, "context": 4096, "dialect": "plain",
        });
        serde_json::from_value(node).unwrap()
    }

    #[test]
    fn the_share_of_failed_calls_is_shown_once_there_are_calls() {
        assert_eq!(errors(&node(0, 0)), None);
        assert_eq!(errors(&node(995, 5)).as_deref(), Some("0.5%"));
        let line = line("mapper-7", &node(1, 1));
        let words: Vec<_> = line.split_whitespace().collect();
        assert_eq!(words[..4], ["mapper-7", "small", "gpu-a", "gpu-a:8000"]);
        assert!(words.contains(&"50.0%"), "{line}");
    }
}
