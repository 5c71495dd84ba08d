//! Reads the load that a node reports from the Prometheus text of vLLM, SGLang and llama.cpp, with old and new metric
//! names. Pure. A node that reports nothing is treated as idle.
//!
//! Source of the names: the servers' own metrics pages, as of 2026.

/// The load of a node, of all its clients.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Load {
    pub(crate) running: usize,
    pub(crate) waiting: usize,
    /// Share of the key-value cache in use, 0 to 1, where it is told.
    pub(crate) cache: Option<f64>,
}

const RUNNING: [&str; 3] = [
    "vllm:num_requests_running",
    "sglang:num_running_reqs",
    "llamacpp:requests_processing",
];
const WAITING: [&str; 3] = [
    "vllm:num_requests_waiting",
    "sglang:num_queue_reqs",
    "llamacpp:requests_deferred",
];
const CACHE: [&str; 4] = [
    "vllm:kv_cache_usage_perc",
    "vllm:gpu_cache_usage_perc",
    "sglang:token_usage",
    "llamacpp:kv_cache_usage_ratio",
];

impl Load {
    /// Whether a further request would have to push another one out of the cache.
    pub(crate) fn is_full(&self) -> bool {
        self.cache.is_some_and(|share| share > 0.95)
    }
}

/// Reads the text of a `/metrics` page; `None` when it has none of the names.
pub(crate) fn read(text: &str) -> Option<Load> {
    let running = sum(text, &RUNNING);
    let waiting = sum(text, &WAITING);
    if running.is_none() && waiting.is_none() {
        return None;
    }
    let count = |value: Option<f64>| value.map_or(0, |value| value.clamp(0.0, 1e6) as usize);
    Some(Load {
        running: count(running),
        waiting: count(waiting),
        cache: samples(text, &CACHE).reduce(f64::max),
    })
}

/// The sum over all label sets: a server may have several engines.
fn sum(text: &str, names: &[&str]) -> Option<f64> {
    samples(text, names).reduce(|sum, value| sum + value)
}

fn samples<'a>(text: &'a str, names: &'a [&'a str]) -> impl Iterator<Item = f64> + 'a {
    text.lines().filter_map(|line| {
        let end = line.find(['{', ' '])?;
        if !names.contains(&&line[..end]) {
            return None;
        }
        let values = match line[end..].rfind('}') {
            Some(close) => &line[end + close + 1..],
            None => &line[end..],
        };
        let value: f64 = values.split_whitespace().next()?.parse().ok()?;
        value.is_finite().then_some(value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_every_server_and_both_generations() {
        let vllm = "# HELP vllm:num_requests_running Number.\n\
            vllm:num_requests_running{engine=\"0\",model_name=\"a b\"} 3.0\n\
            vllm:num_requests_running{engine=\"1\",model_name=\"a b\"} 2.0\n\
            vllm:num_requests_waiting{engine=\"0\"} 7.0 1718000000\n\
            vllm:gpu_cache_usage_perc{engine=\"0\"} 0.97\n";
        let load = read(vllm).unwrap();
        assert_eq!((load.running, load.waiting, load.is_full()), (5, 7, true));
        let newer = vllm.replace("gpu_cache", "kv_cache").replace("0.97", "0.5");
        assert_eq!(read(&newer).unwrap().cache, Some(0.5));
        let llama = "llamacpp:requests_processing 1\nllamacpp:requests_deferred 4\n";
        assert_eq!(read(llama).unwrap().waiting, 4);
        let sglang = "sglang:num_queue_reqs{tp_rank=\"0\"} 2.0\nsglang:token_usage{} 0.1\n";
        assert_eq!(read(sglang).unwrap().waiting, 2);
    }

    #[test]
    fn anything_else_is_nothing() {
        for text in [
            "",
            "<html>",
            "vllm:num_requests_running",
            "vllm:num_requests_running{a=\"b\"} NaN",
            "process_cpu_seconds_total 1",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,200}") {
            let _ = read(&text);
            let _ = read(&format!("vllm:num_requests_running{text}"));
        }
    }
}
