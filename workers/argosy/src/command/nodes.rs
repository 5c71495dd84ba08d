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
        "{:<18} {:<28} {:<9} {:>6} {:>8} {:>10} {:>9} {:>7} {:>7} {:>8}",
        "PROCESS",
        "NODE",
        "BREAKER",
        "FLIGHT",
        "PERMITS",
        "LATENCY",
        "ANSWERED",
        "FAILED",
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
        "{process:<18} {:<28} {breaker} {:>6} {:>8} {:>10} {:>9} {:>7} {:>7} {:>8}",
        format!("{} {}", node.name, node.address),
        node.in_flight,
        format!("{}/{}", node.permits, node.limit),
        number(latency),
        node.answered,
        node.failed,
        number(node.queued.map(|n| n.to_string())),
        number(node.context.map(|n| n.to_string())),
    )
}
