//! Measures the cost of the pool itself: the CPU time and the allocations of a call to a node that answers at once,
//! and the memory of many calls that stream at the same time.

use super::load::Load;
use super::simulators::{Cpu, Simulators};
use super::world::World;
use crate::host::memory_mb;
use crate::out::println;
use argosy::cli::Output;
use argosy::cli_error::CliError;
use argosy::machine::machine;
use argosy::render::ProgressLine;
use llm_pool::options::Node;
use llm_pool::{Options, Pool};
use serde::Serialize;
use settings::TimeSpan;
use sim_node::Params;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The callers of the node that answers at once.
const CALLERS: usize = 16;
/// How long calls are counted, and how long calls run before that.
const COUNTED: Duration = Duration::from_secs(4);
const WARM_UP: Duration = Duration::from_secs(1);
/// The numbers of nodes from which one is picked, and how often.
const PICK_NODES: [usize; 3] = [2, 16, 64];
const PICKS: u32 = 200_000;
/// The calls that are streamed at the same time, over so many nodes.
const STREAMS: usize = 1_000;
const STREAM_NODES: usize = 4;
/// How long they are watched once all are under way, and how long to wait until they are.
const WATCHED: Duration = Duration::from_secs(5);
const UNDER_WAY: Duration = Duration::from_secs(60);
const SAMPLE_EVERY: Duration = Duration::from_millis(50);

/// Counts the allocations of a program whose allocator can count. The default counts nothing.
#[derive(Clone, Copy)]
pub struct Allocations {
    /// Allocations of this process so far, those of exempt threads left out.
    pub so_far: fn() -> u64,
    /// Exempts the thread that calls it.
    pub exempt: fn(),
}

/// The measured values.
#[derive(Debug, Serialize)]
struct Report {
    machine: String,
    callers: usize,
    calls: u64,
    calls_per_s: f64,
    cpu_us_per_call: f64,
    nodes_cpu_us_per_call: f64,
    allocations_per_call: Option<f64>,
    picks: Vec<Picks>,
    streams: Streams,
}

/// The cost of choosing a node for a call.
#[derive(Debug, Serialize)]
struct Picks {
    nodes: usize,
    /// The cost of the choice itself, and of the choice with looking at all nodes, taking a place and giving it back.
    pick_ns: f64,
    take_ns: f64,
}

#[derive(Debug, Serialize)]
struct Streams {
    /// The most calls that were in flight at once, as the nodes saw it.
    busiest: u64,
    answered: usize,
    failed: usize,
    /// Resident memory of this process before, and at its peak: the pool and the nodes together.
    rss_before_mb: f64,
    rss_peak_mb: f64,
}

/// Measures and prints.
///
/// # Errors
/// When nodes or pool cannot be started, or no call is answered.
pub async fn overhead(output: Output, allocations: Option<Allocations>) -> Result<(), CliError> {
    let line = ProgressLine::new(output);
    line.say("many streams at the same time".to_owned());
    let streams = many_streams().await?;
    line.say("calls of a node that answers at once".to_owned());
    let report = at_once(streams, allocations).await?;
    line.done();
    if output == Output::Json {
        println!("{:#}", serde_json::json!(report));
        return Ok(());
    }
    let allocated = report.allocations_per_call;
    let allocated = allocated.map_or("not counted".into(), |n| format!("{n:.0}"));
    println!("{}", report.machine);
    println!(
        "{} callers: {:.0} calls/s; a call takes {:.0} µs of CPU (the node {:.0} µs), allocations {allocated}",
        report.callers, report.calls_per_s, report.cpu_us_per_call, report.nodes_cpu_us_per_call
    );
    for picks in &report.picks {
        println!(
            "one of {} nodes: picked in {:.0} ns; looked at all, taken and given back in {:.0} ns",
            picks.nodes, picks.pick_ns, picks.take_ns
        );
    }
    let streams = &report.streams;
    println!(
        "{} calls streamed at once: resident {:.0} MB, {:.0} MB before, pool and nodes together; {} answered, {} failed",
        streams.busiest,
        streams.rss_peak_mb,
        streams.rss_before_mb,
        streams.answered,
        streams.failed
    );
    Ok(())
}

fn picks() -> Result<Vec<Picks>, CliError> {
    let mut picks = Vec::with_capacity(PICK_NODES.len());
    for nodes in PICK_NODES {
        let cost = llm_pool::cost::picks(nodes, PICKS);
        let cost = cost.map_err(|e| CliError::negative(e.to_string()))?;
        picks.push(Picks {
            nodes,
            pick_ns: cost.pick_ns,
            take_ns: cost.take_ns,
        });
    }
    Ok(picks)
}

/// A pool over nodes that are known from the start to take so many calls.
fn pool(nodes: &Simulators, most: usize) -> Result<Arc<Pool>, CliError> {
    let addresses = nodes.addresses().into_iter().enumerate();
    let options = Options {
        model: "sim".into(),
        nodes: addresses
            .map(|(number, base_url)| Node {
                name: format!("node-{number}"),
                base_url,
                max_in_flight: most as u32,
                first_in_flight: most as u32,
                ..Node::default()
            })
            .collect(),
        // Who waits here is measured, not turned away.
        queue_timeout: TimeSpan::from_secs(30),
        ..Options::default()
    };
    let pool = Pool::new(options, &telemetry::Registry::new());
    pool.map(Arc::new)
        .map_err(|e| CliError::negative(e.to_string()))
}

async fn at_once(streams: Streams, allocations: Option<Allocations>) -> Result<Report, CliError> {
    let node = sim_node::Options {
        params: Params::instant(CALLERS),
        chunk_tokens: 16,
        ..sim_node::Options::default()
    };
    let exempt = move || allocations.iter().for_each(|a| (a.exempt)());
    let nodes = Simulators::start(vec![node], exempt).await?;
    let load = Load::start(pool(&nodes, CALLERS)?, CALLERS, real_time);
    tokio::time::sleep(WARM_UP).await;
    let allocated = || allocations.map_or(0, |a| (a.so_far)());
    let (before, cpu, began) = (load.asked(), Cpu::now(), Instant::now());
    let allocated_before = allocated();
    tokio::time::sleep(COUNTED).await;
    let (calls, cpu) = (load.asked() - before, Cpu::now().since(cpu));
    let (wall, allocated) = (began.elapsed(), allocated() - allocated_before);
    let done = load.stop().await?;
    let failed = done.iter().filter(|call| call.tokens.is_none()).count();
    if calls == 0 || failed > 0 {
        let why = format!("{failed} of {} calls failed", done.len());
        return Err(CliError::negative(why));
    }
    let a_call = |ms: f64| ms * 1_000.0 / calls as f64;
    Ok(Report {
        machine: machine(),
        callers: CALLERS,
        calls,
        calls_per_s: calls as f64 / wall.as_secs_f64(),
        cpu_us_per_call: a_call(cpu.client),
        nodes_cpu_us_per_call: a_call(cpu.nodes),
        allocations_per_call: allocations.map(|_| allocated as f64 / calls as f64),
        picks: picks()?,
        streams,
    })
}

/// Runs callers without a rest, on nodes with room for all of them, whose replies take about 3 s.
async fn many_streams() -> Result<Streams, CliError> {
    let node = |number| sim_node::Options {
        params: Params {
            slots: STREAMS,
            step_base: Duration::from_millis(50),
            per_sequence: Duration::ZERO,
            per_prefill_token: Duration::ZERO,
            seed: number,
            ..Params::default()
        },
        chunk_tokens: 8,
        ..sim_node::Options::default()
    };
    let nodes = (0..STREAM_NODES as u64).map(node).collect();
    let nodes = Simulators::start(nodes, || {}).await?;
    let resident = || memory_mb(std::process::id(), "VmRSS");
    let rss_before_mb = resident();
    let load = Load::start(pool(&nodes, STREAMS)?, STREAMS, real_time);
    let (mut busiest, mut rss_peak_mb, began) = (0, rss_before_mb, Instant::now());
    let mut until = began + UNDER_WAY;
    while Instant::now() < until {
        tokio::time::sleep(SAMPLE_EVERY).await;
        let all = busiest >= STREAMS as u64;
        busiest = busiest.max(nodes.seen().in_flight);
        if busiest >= STREAMS as u64 && !all {
            until = Instant::now() + WATCHED;
        }
        rss_peak_mb = rss_peak_mb.max(resident());
    }
    let calls = load.stop().await?;
    let failed = calls.iter().filter(|call| call.tokens.is_none()).count();
    Ok(Streams {
        busiest,
        answered: calls.len() - failed,
        failed,
        rss_before_mb,
        rss_peak_mb,
    })
}

fn real_time(number: u64) -> llm::ChatRequest {
    World { scale: 1.0 }.request(number)
}
