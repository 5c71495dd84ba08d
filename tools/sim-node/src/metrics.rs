//! `/metrics` in the names of real servers. Pure.
//!
//! Only the metrics that a client may steer by are there: running, waiting, use of the cache. The model label is
//! used where the real server has it.

use crate::engine::EngineLoad;
use std::fmt::Write;

/// The server whose metrics a node shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MetricsDialect {
    /// No server: the path is not found.
    None,
    /// vLLM since its engine V1.
    #[default]
    Vllm,
    /// vLLM before V1, where the metric of cache use has another name.
    VllmOld,
    /// llama.cpp, which no longer reports the use of its cache.
    LlamaCpp,
    /// llama.cpp in older versions, which report the use of the cache.
    LlamaCppOld,
    /// SGLang.
    Sglang,
}

impl MetricsDialect {
    /// All dialects that have metrics.
    pub const SPEAKING: [MetricsDialect; 5] = [
        MetricsDialect::Vllm,
        MetricsDialect::VllmOld,
        MetricsDialect::LlamaCpp,
        MetricsDialect::LlamaCppOld,
        MetricsDialect::Sglang,
    ];

    /// The metrics in the text format of Prometheus; `None` if the dialect has none.
    pub fn text(self, model: &str, load: EngineLoad) -> Option<String> {
        let (running, waiting, cache) = match self {
            MetricsDialect::None => return None,
            MetricsDialect::Vllm => (
                "vllm:num_requests_running",
                "vllm:num_requests_waiting",
                Some("vllm:kv_cache_usage_perc"),
            ),
            MetricsDialect::VllmOld => (
                "vllm:num_requests_running",
                "vllm:num_requests_waiting",
                Some("vllm:gpu_cache_usage_perc"),
            ),
            MetricsDialect::LlamaCpp => (
                "llamacpp:requests_processing",
                "llamacpp:requests_deferred",
                None,
            ),
            MetricsDialect::LlamaCppOld => (
                "llamacpp:requests_processing",
                "llamacpp:requests_deferred",
                Some("llamacpp:kv_cache_usage_ratio"),
            ),
            MetricsDialect::Sglang => (
                "sglang:num_running_reqs",
                "sglang:num_queue_reqs",
                Some("sglang:token_usage"),
            ),
        };
        let labels = match self {
            MetricsDialect::Vllm => format!("{{engine=\"0\",model_name=\"{model}\"}}"),
            MetricsDialect::VllmOld | MetricsDialect::Sglang => {
                format!("{{model_name=\"{model}\"}}")
            }
            _ => String::new(),
        };
        let mut text = String::new();
        let mut gauge = |name: &str, value: f64| {
            let _ = writeln!(text, "# TYPE {name} gauge\n{name}{labels} {value:?}");
        };
        gauge(running, load.running as f64);
        gauge(waiting, load.waiting as f64);
        if let Some(cache) = cache {
            gauge(cache, load.cache_use);
        }
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_server_has_its_names() {
        let load = EngineLoad {
            running: 3,
            waiting: 2,
            cache_use: 0.25,
        };
        let text = |dialect: MetricsDialect| dialect.text("tiny", load).unwrap();
        for (dialect, line) in [
            (
                MetricsDialect::Vllm,
                "vllm:kv_cache_usage_perc{engine=\"0\",model_name=\"tiny\"} 0.25",
            ),
            (
                MetricsDialect::VllmOld,
                "vllm:gpu_cache_usage_perc{model_name=\"tiny\"} 0.25",
            ),
            (MetricsDialect::LlamaCpp, "llamacpp:requests_deferred 2.0"),
            (
                MetricsDialect::LlamaCppOld,
                "llamacpp:kv_cache_usage_ratio 0.25",
            ),
            (
                MetricsDialect::Sglang,
                "sglang:num_queue_reqs{model_name=\"tiny\"} 2.0",
            ),
        ] {
            let text = text(dialect);
            assert!(text.lines().any(|l| l == line), "{line} is not in\n{text}");
        }
        assert!(!text(MetricsDialect::LlamaCpp).contains("cache"));
        assert_eq!(MetricsDialect::None.text("tiny", load), None);
    }
}
