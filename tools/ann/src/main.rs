//! Compares an exact search over all vectors with an approximate one in a graph (HNSW): recall, latency, memory and
//! build time, with and without a filter. It measures the figures of docs/adr/0010-exact-vectors.md; it is *not* part
//! of Argosy.
//!
//! `cargo run --release -- 100000` takes that many vectors of 256 numbers, drawn from a fixed seed around cluster
//! centres, as the vectors of texts cluster. The exact search compares the query with one vector after the other on
//! one thread; the vectors are bytes with a scale.

use hnsw_rs::prelude::*;
use std::time::Instant;

const DIMS: usize = 256;
const QUERIES: usize = 200;
const K: usize = 100;
/// The filter lets one of so many vectors pass.
const FILTER: usize = 250;

fn main() {
    let count: usize = std::env::args()
        .nth(1)
        .and_then(|n| n.parse().ok())
        .unwrap_or(100_000);
    let mut rng = fastrand::Rng::with_seed(7);
    let centres: Vec<Vec<f32>> = (0..1_000)
        .map(|_| gauss(&mut rng, &[0.0; DIMS], 1.0))
        .collect();
    let draw =
        |rng: &mut fastrand::Rng| unit(gauss(rng, &centres[rng.clone().usize(..1_000)], 0.8));
    let vectors: Vec<Vec<f32>> = (0..count)
        .map(|_| {
            rng.u64(..);
            draw(&mut rng)
        })
        .collect();
    let queries: Vec<Vec<f32>> = (0..QUERIES)
        .map(|_| {
            rng.u64(..);
            draw(&mut rng)
        })
        .collect();
    println!("{count} vectors of {DIMS}; nearest {K} of {QUERIES} queries");
    let truth: Vec<Vec<usize>> = queries
        .iter()
        .map(|q| by_floats(&vectors, q, |_| true))
        .collect();
    let kept: Vec<Vec<usize>> = queries
        .iter()
        .map(|q| by_floats(&vectors, q, |i| i % FILTER == 0))
        .collect();

    let began = Instant::now();
    let rows: Vec<(f32, Vec<i8>)> = vectors.iter().map(|v| bytes(v)).collect();
    let built = began.elapsed().as_secs_f64();
    let exact = |filter: usize| {
        let found = |q: &Vec<f32>| by_bytes(&rows, q, filter);
        timed(&queries, found)
    };
    let (all, times) = exact(1);
    show("exact, bytes", built, recall(&truth, &all), &times);
    let (all, times) = exact(FILTER);
    show("exact, bytes, filtered", built, recall(&kept, &all), &times);
    println!("  {:.0} MB of rows", (count * (DIMS + 4)) as f64 / 1e6);

    let before = resident();
    let began = Instant::now();
    let graph = Hnsw::<f32, DistDot>::new(16, count, 16, 200, DistDot {});
    let numbered: Vec<(&Vec<f32>, usize)> = vectors.iter().zip(0..).collect();
    graph.parallel_insert(&numbered);
    let built = began.elapsed().as_secs_f64();
    println!(
        "  graph: M 16, ef 200 when built on all cores, {:.0} MB more resident",
        resident() - before
    );
    for ef in [100, 200, 400] {
        let found = |q: &Vec<f32>| ids(&graph.search(q, K, ef));
        let (all, times) = timed(&queries, found);
        show(
            &format!("graph, ef {ef}"),
            built,
            recall(&truth, &all),
            &times,
        );
    }
    let passes = |id: &usize| id % FILTER == 0;
    let found = |q: &Vec<f32>| ids(&graph.search_filter(q, K, 400, Some(&passes)));
    let (all, times) = timed(&queries, found);
    show(
        "graph, ef 400, filtered",
        built,
        recall(&kept, &all),
        &times,
    );
}

fn gauss(rng: &mut fastrand::Rng, centre: &[f32], spread: f32) -> Vec<f32> {
    // The sum of twelve uniform numbers is close enough to a normal one.
    let mut normal = || (0..12).map(|_| rng.f32()).sum::<f32>() - 6.0;
    centre.iter().map(|c| c + spread * normal()).collect()
}

fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|x| *x /= length);
    vector
}

fn bytes(vector: &[f32]) -> (f32, Vec<i8>) {
    let scale = vector.iter().fold(0.0f32, |most, x| most.max(x.abs())) / 127.0;
    (
        scale,
        vector.iter().map(|x| (x / scale).round() as i8).collect(),
    )
}

fn by_floats(vectors: &[Vec<f32>], query: &[f32], keep: impl Fn(usize) -> bool) -> Vec<usize> {
    let dot = |v: &[f32]| v.iter().zip(query).map(|(a, b)| a * b).sum::<f32>();
    let scored = (0..vectors.len())
        .filter(|i| keep(*i))
        .map(|i| (dot(&vectors[i]), i));
    best(scored.collect())
}

fn by_bytes(rows: &[(f32, Vec<i8>)], query: &[f32], step: usize) -> Vec<usize> {
    let (_, query) = bytes(query);
    let dot = |row: &[i8]| -> i32 {
        row.iter()
            .zip(&query)
            .map(|(a, b)| i32::from(*a) * i32::from(*b))
            .sum()
    };
    let rows = rows.iter().enumerate().step_by(step);
    best(
        rows.map(|(i, (scale, row))| (scale * dot(row) as f32, i))
            .collect(),
    )
}

fn best(mut scored: Vec<(f32, usize)>) -> Vec<usize> {
    let k = K.min(scored.len());
    if k < scored.len() {
        scored.select_nth_unstable_by(k, |a, b| b.0.total_cmp(&a.0));
    }
    scored[..k].iter().map(|(_, i)| *i).collect()
}

fn ids(found: &[Neighbour]) -> Vec<usize> {
    found.iter().map(|n| n.d_id).collect()
}

fn timed(
    queries: &[Vec<f32>],
    found: impl Fn(&Vec<f32>) -> Vec<usize>,
) -> (Vec<Vec<usize>>, Vec<f64>) {
    let one = |q| {
        let began = Instant::now();
        (found(q), began.elapsed().as_secs_f64() * 1e3)
    };
    let (all, mut times): (Vec<_>, Vec<_>) = queries.iter().map(one).unzip();
    times.sort_by(f64::total_cmp);
    (all, times)
}

fn recall(truth: &[Vec<usize>], found: &[Vec<usize>]) -> f64 {
    let of = |(t, f): (&Vec<usize>, &Vec<usize>)| {
        t.iter().filter(|i| f.contains(i)).count() as f64 / t.len() as f64
    };
    truth.iter().zip(found).map(of).sum::<f64>() / truth.len() as f64
}

fn show(name: &str, built: f64, recall: f64, times: &[f64]) {
    let at = |q: f64| times[((times.len() - 1) as f64 * q) as usize];
    println!(
        "{name:26} recall {recall:.3}  p50 {:7.2} ms  p99 {:7.2} ms  built in {built:.1} s",
        at(0.5),
        at(0.99)
    );
}

fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status
        .lines()
        .find_map(|l| l.strip_prefix("VmRSS:"))
        .unwrap_or("0");
    line.trim()
        .trim_end_matches(" kB")
        .trim()
        .parse::<f64>()
        .unwrap_or(0.0)
        / 1024.0
}
