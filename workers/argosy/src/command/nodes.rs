//! `argosy nodes`: shows the model nodes as the processes of the fleet report them. It asks no node itself: speeds are
//! those of the processes' own calls, and the limits are those of their next call.

use crate::cli::{self, Output};
use crate::cli_error::CliError;
use crate::config::Config;
use crate::out::{print, println};
use crate::render::screen::Screen;
use crate::signal;
use bus::Bus;
use inspect::processes::{LISTEN, ProcessStatus, ask};
use llm_pool::NodeView;
use llm_pool::constants::SHOWN_PROMPT_TOKENS;
use owo_colors::OwoColorize;
use std::time::Duration;

/// The most time for one look; a server that takes longer counts as away.
const LOOK_MAX: Duration = Duration::from_secs(5);

/// Shows the nodes, once or again and again.
pub async fn run(args: cli::NodesArgs, output: Output, config: Config) -> Result<(), CliError> {
    let bus = super::connect(&config).await?;
    if let Some(seconds) = args.watch {
        let every = Duration::from_secs(seconds);
        let watched = signal::unless_told(watch(&*bus, every, output)).await;
        return watched.unwrap_or(Ok(()));
    }
    let seen = look(&*bus).await?;
    if seen.is_empty() {
        return Err(CliError::not_found("no process of this fleet has model nodes").hint(
            "start one with `argosy run mapper` and `model.nodes` set, or look whether --server is right",
        ));
    }
    match output {
        Output::Json => println!("{}", serde_json::to_string(&seen)?),
        _ => print!("{}", table(&seen)),
    }
    Ok(())
}

async fn watch(bus: &dyn Bus, every: Duration, output: Output) -> Result<(), CliError> {
    let screen = Screen::taken(output);
    loop {
        let seen = look(bus).await?;
        match output {
            Output::Json => println!("{}", serde_json::to_string(&seen)?),
            _ => screen.show(&table(&seen)),
        }
        tokio::time::sleep(every).await;
    }
}

/// The processes that have nodes.
async fn look(bus: &dyn Bus) -> Result<Vec<ProcessStatus>, CliError> {
    let asked = tokio::time::timeout(LOOK_MAX, ask(bus, LISTEN)).await;
    let mut seen = asked.map_err(|_| CliError::cannot_connect("NATS is away"))??;
    seen.retain(|process| !process.nodes.is_empty());
    Ok(seen)
}

fn table(seen: &[ProcessStatus]) -> String {
    let head = format!(
        "{:<18} {:<18} {:<28} {:<9} {:>6} {:>8} {:>10} {:>9} {:>7} {:>6} {:>7} {:>8} {:>10} {:>10} {:>13}",
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
        "CONTEXT",
        "READS/S",
        "WRITES/S",
        "LIMITS"
    );
    let mut text = format!("{}\n", head.bold());
    for process in seen {
        for node in &process.nodes {
            text.push_str(&line(&process.process, node));
            text.push('\n');
        }
    }
    text.push_str(&format!(
        "READS/S and WRITES/S are tokens; LIMITS the most time to the first token after a prompt of {SHOWN_PROMPT_TOKENS}, and \
         between two\n"
    ));
    text
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
        "{process:<18} {:<18} {:<28} {breaker} {:>6} {:>8} {:>10} {:>9} {:>7} {:>6} {:>7} {:>8} {:>10} {:>10} {:>13}",
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
        speed(node.reads_per_s),
        speed(node.writes_per_s),
        number(limits(node)),
    )
}

/// Tokens a second.
fn speed(measured: Option<f64>) -> String {
    measured.map_or_else(|| "unmeasured".into(), |each| format!("{each:.1}"))
}

/// How long a call may be silent, before the first token and between two; `None` of a process of an older release.
fn limits(node: &NodeView) -> Option<String> {
    let [first, idle] =
        [node.first_token_limit_ms, node.idle_limit_ms].map(|ms| ms.div_ceil(1_000));
    (first > 0).then(|| format!("{first} s, {idle} s"))
}

/// The share of calls that failed, among those that say something of the node.
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
        assert_eq!(words[words.len() - 3..], ["unmeasured", "unmeasured", "--"]);
    }

    #[test]
    fn the_measured_speed_is_shown_with_the_limits_that_follow() {
        let node = NodeView {
            reads_per_s: Some(85.0),
            writes_per_s: Some(15.3),
            first_token_limit_ms: 70_588,
            idle_limit_ms: 72_282,
            ..node(1, 0)
        };
        let line = line("mapper-7", &node);
        assert!(line.ends_with(" 85.0       15.3    71 s, 73 s"), "{line}");
        let told = serde_json::to_value(&node).unwrap();
        assert_eq!(
            (&told["reads_per_s"], &told["idle_limit_ms"]),
            (&85.0.into(), &72_282.into())
        );
    }
}
