//! Measures the pool of model nodes on simulated nodes: throughput against the ideal, the slowest answer times, and
//! wasted calls, when all nodes are well and when one is not.
//!
//! The nodes are real HTTP servers in this process; no model is called. A run warms up first with the bad node being
//! bad already, so it measures how the pool works beside that node, not how it detects it. A flapping node is the
//! exception, because it is detected again and again.

mod lag;
mod load;
mod overhead;
mod report;
mod simulators;
mod svg;
mod world;

pub use overhead::{Allocations, overhead};

use crate::cli::{PoolArgs, PoolPolicy, Scenario};
use crate::out::println;
use argosy::cli::Output;
use argosy::cli_error::CliError;
use argosy::machine::machine;
use argosy::render::ProgressLine;
use lag::Lag;
use llm_pool::Pool;
use load::{Load, Measured};
use owo_colors::OwoColorize;
use report::{Again, Counts, Row};
use serde_json::json;
use simulators::{Cpu, Simulators};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::time::sleep;
use world::{CALLERS_PER_SLOT, World};

/// The time at the beginning of a run that is left out, by the clock of the world.
const WARM_UP: Duration = Duration::from_secs(6);
/// The most nodes of a run; a pool takes no more.
const NODES_MAX: usize = llm_pool::constants::NODES_MAX;

/// The most times that a run is repeated.
const REPEAT_MAX: usize = 99;

/// One run.
#[derive(Debug, Clone, Copy)]
struct Run {
    scenario: Scenario,
    policy: PoolPolicy,
    nodes: usize,
}

/// `argosy-bench pool`
pub async fn pool(args: PoolArgs, output: Output) -> Result<(), CliError> {
    if args.overhead {
        return overhead(output, None).await;
    }
    let runs = plan(&args)?;
    let world = World { scale: args.scale };
    let measured = Duration::from_secs_f64(args.seconds);
    let line = ProgressLine::new(output);
    let mut rows = Vec::with_capacity(runs.len());
    for (number, run) in runs.iter().enumerate() {
        let mut same = Vec::with_capacity(args.repeat);
        for time in 1..=args.repeat {
            line.say(format!(
                "{} of {}: {} nodes, {}, {}, {time} of {}",
                number + 1,
                runs.len(),
                run.nodes,
                run.scenario.as_str(),
                run.policy.as_str(),
                args.repeat
            ));
            same.push(measure(*run, world, measured).await?);
        }
        rows.extend(report::median(&same));
    }
    line.done();
    report::compare(&mut rows);
    show(&args, world, &rows, output);
    if let Some(file) = &args.svg {
        std::fs::write(file, svg::plot(&rows))?;
    }
    Ok(())
}

/// The runs: every size and scenario with each policy in turn, and always the scenario in which all nodes work well,
/// with which the others are compared.
fn plan(args: &PoolArgs) -> Result<Vec<Run>, CliError> {
    let within = |n: &usize| (1..=NODES_MAX).contains(n);
    if !args.nodes.iter().all(within) {
        let why = format!("--nodes: want numbers from 1 to {NODES_MAX}");
        return Err(CliError::usage(why));
    }
    if !(1..=REPEAT_MAX).contains(&args.repeat) {
        return Err(CliError::usage(format!("--repeat: want 1 to {REPEAT_MAX}")));
    }
    if !(0.5..=600.0).contains(&args.seconds) || !(0.1..=20.0).contains(&args.scale) {
        let why = "want --seconds from 0.5 to 600 and --scale from 0.1 to 20";
        return Err(CliError::usage(why));
    }
    let wanted = |scenario: &Scenario| {
        let all = args.scenario.is_empty() || *scenario == Scenario::Uniform;
        all || args.scenario.contains(scenario)
    };
    let mut runs = Vec::new();
    for nodes in args.nodes.iter().copied() {
        for scenario in Scenario::ALL.into_iter().filter(wanted) {
            // Without a healthy node there is nothing to compare with.
            if scenario.healthy(nodes) == 0 {
                continue;
            }
            let policies = args.policy.iter().copied();
            runs.extend(policies.map(|policy| Run {
                scenario,
                policy,
                nodes,
            }));
        }
    }
    Ok(runs)
}

async fn measure(run: Run, world: World, measured: Duration) -> Result<Row, CliError> {
    let nodes = (0..run.nodes).map(|number| world.node(number)).collect();
    let nodes = Simulators::start(nodes, || {}).await?;
    if let Some(last) = nodes.nodes.last() {
        last.behave(world.behaviour(run.scenario));
    }
    let options = world.options(run.policy, &nodes.addresses());
    let registry = telemetry::Registry::new();
    let again = || Again::read(&registry.encode());
    let pool = Pool::new(options, &registry);
    let pool = pool.map_err(|e| CliError::negative(e.to_string()))?;
    let healthy = run.scenario.healthy(run.nodes);
    let slots = healthy * world.node(0).params.slots;
    let callers = (slots as f64 * CALLERS_PER_SLOT).ceil() as usize;
    let load = Load::start(Arc::new(pool), callers, move |n| world.request(n));
    sleep(world.span(WARM_UP)).await;
    let (from, cpu, seen, asked) = (Instant::now(), Cpu::now(), nodes.seen(), load.asked());
    let before = again();
    let lag = Lag::start();
    sleep(measured).await;
    let lag_p99_ms = lag.p99_ms().await;
    let (until, cpu) = (Instant::now(), Cpu::now().since(cpu));
    let (seen_after, asked_after, again_after) = (nodes.seen(), load.asked(), again());
    let calls = load.stop().await?;
    let wall_ms = (until - from).as_secs_f64() * 1_000.0;
    Ok(Row::new(
        run.scenario,
        run.policy,
        run.nodes,
        Measured::of(&calls, from, until),
        world.ideal_tokens_per_s(healthy),
        Counts {
            asked: asked_after - asked,
            again: again_after.since(before),
            prompt_tokens: seen_after.prompt_tokens - seen.prompt_tokens,
            cached_tokens: seen_after.cached_tokens - seen.cached_tokens,
            cpu_client: cpu.client / wall_ms,
            cpu_nodes: cpu.nodes / wall_ms,
            lag_p99_ms,
        },
    ))
}

fn show(args: &PoolArgs, world: World, rows: &[Row], output: Output) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let doubt = report::doubt(rows, cores);
    let warm_up = world.span(WARM_UP).as_secs_f64();
    if output == Output::Json {
        let report = json!({
            "machine": machine(), "time_scale": world.scale, "warm_up_s": warm_up, "seconds": args.seconds,
            "repeat": args.repeat,
            "slots": world.node(0).params.slots, "callers_per_healthy_slot": CALLERS_PER_SLOT, "doubt": doubt,
            "scenarios": rows,
        });
        println!("{report:#}");
        return;
    }
    println!(
        "{}; everything {} times as fast as outside, {warm_up:.1} s of warm-up left out, {} s measured, medians of {}",
        machine(),
        world.scale,
        args.seconds,
        args.repeat
    );
    println!("{}", report::head().bold());
    for row in rows {
        println!("{}", report::line(row));
    }
    if let Some(doubt) = doubt {
        println!("{}", doubt.yellow());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(nodes: Vec<usize>, scenario: Vec<Scenario>) -> PoolArgs {
        PoolArgs {
            nodes,
            scenario,
            policy: PoolPolicy::ALL.to_vec(),
            seconds: 1.0,
            repeat: 1,
            scale: 5.0,
            svg: None,
            overhead: false,
        }
    }

    #[test]
    fn what_is_compared_is_run_and_a_lone_node_is_well() {
        let runs = plan(&args(vec![1, 4], vec![Scenario::Slow])).unwrap();
        let names: Vec<_> = runs
            .iter()
            .filter(|run| run.policy == PoolPolicy::ALL[0])
            .map(|run| (run.nodes, run.scenario.as_str()))
            .collect();
        assert_eq!(names, [(1, "uniform"), (4, "uniform"), (4, "slow")]);
        let all = plan(&args(vec![1, 2, 4, 8, 16], Vec::new())).unwrap();
        assert_eq!(all.len(), 17 * PoolPolicy::ALL.len());
        assert!(plan(&args(vec![0], Vec::new())).is_err());
        assert!(plan(&args(vec![65], Vec::new())).is_err());
        let mut never = args(vec![1], Vec::new());
        never.repeat = 0;
        assert!(plan(&never).is_err());
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_short_run_measures_something() {
        let run = Run {
            scenario: Scenario::Slow,
            policy: PoolPolicy::ALL[0],
            nodes: 2,
        };
        let world = World { scale: 10.0 };
        let row = measure(run, world, Duration::from_millis(500))
            .await
            .unwrap();
        assert!(row.calls > 5 && row.p99_ms >= row.p50_ms, "{row:?}");
        assert!((0.05..2.0).contains(&row.throughput_ratio), "{row:?}");
        assert!(row.cached_share > 0.1 && row.cpu_nodes > 0.0, "{row:?}");
    }
}
