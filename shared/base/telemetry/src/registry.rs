//! The metrics of one process: typed families with checked names, and their text form. A registry is passed in,
//! never global, and has no metrics of its own but those about the process itself.
//!
//! Asking for a family again gives the same family, so that several roles in one process can share it; asking for
//! it with other labels, help, kind or buckets is an error.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use prometheus::core::Collector;
use prometheus::{
    HistogramOpts, HistogramVec, IntCounterVec, IntGaugeVec, Opts, TextEncoder, proto::MetricType,
};

use crate::error::Error;

/// What our metrics are called before anything else.
const PREFIX: &str = "argosy_";

/// The metric families of one process. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    prometheus: prometheus::Registry,
    families: Arc<Mutex<BTreeMap<String, Family>>>,
}

/// A family, with what it was asked for.
#[derive(Debug, Clone)]
struct Family {
    shape: Shape,
    /// The vector of `prometheus` that its kind says.
    metric: Arc<dyn Any + Send + Sync>,
}

/// The description of a family.
#[derive(Debug, Clone, PartialEq)]
pub struct Description {
    /// Its name.
    pub name: String,
    /// `counter`, `gauge` or `histogram`.
    pub kind: &'static str,
    /// The help text of the family.
    pub help: String,
    /// Its labels in the order in which they were declared, each with the values that its series have now.
    pub labels: Vec<(String, BTreeSet<String>)>,
    /// The upper bounds of a histogram.
    pub buckets: Vec<f64>,
}

#[derive(Clone, PartialEq, Debug)]
struct Shape {
    kind: MetricType,
    help: String,
    labels: Vec<String>,
    buckets: Vec<f64>,
}

impl Registry {
    /// An empty registry.
    pub fn new() -> Self {
        Self::default()
    }

    /// A registry with metrics of its process: `argosy_build_info`, and on Linux `process_*` (CPU, memory, file
    /// descriptors, start time).
    ///
    /// # Errors
    /// [`Error::Metric`], which would be a mistake here.
    pub fn for_process(role: &str, version: &str, revision: &str) -> Result<Self, Error> {
        let registry = Self::new();
        let labels = ["role", "version", "revision"];
        let help = "Always 1; the labels say what is running.";
        let build = registry.gauge("argosy_build_info", help, &labels)?;
        build.with_label_values(&[role, version, revision]).set(1);
        #[cfg(target_os = "linux")]
        registry.register(
            "process",
            Box::new(prometheus::process_collector::ProcessCollector::for_self()),
        )?;
        Ok(registry)
    }

    /// A family of counters; its name ends in `_total`.
    ///
    /// # Errors
    /// [`Error::Metric`]: a bad name, no help, or a different family of the same name.
    pub fn counter(&self, name: &str, help: &str, labels: &[&str]) -> Result<IntCounterVec, Error> {
        let make = || IntCounterVec::new(Opts::new(name, help), labels);
        self.family(name, MetricType::COUNTER, help, labels, &[], make)
    }

    /// A family of gauges with whole values.
    ///
    /// # Errors
    /// As [`Registry::counter`].
    pub fn gauge(&self, name: &str, help: &str, labels: &[&str]) -> Result<IntGaugeVec, Error> {
        let make = || IntGaugeVec::new(Opts::new(name, help), labels);
        self.family(name, MetricType::GAUGE, help, labels, &[], make)
    }

    /// A family of histograms with the upper bounds of [`crate::buckets`].
    ///
    /// # Errors
    /// As [`Registry::counter`].
    pub fn histogram(
        &self,
        name: &str,
        help: &str,
        labels: &[&str],
        buckets: &[f64],
    ) -> Result<HistogramVec, Error> {
        let make = || {
            let options = HistogramOpts::new(name, help).buckets(buckets.to_vec());
            HistogramVec::new(options, labels)
        };
        self.family(name, MetricType::HISTOGRAM, help, labels, buckets, make)
    }

    /// All families in the text format of Prometheus. Reads `/proc`: call it where blocking is allowed.
    pub fn encode(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail, and a family without a series is left out by gathering.
        if let Err(error) = TextEncoder::new().encode_utf8(&self.prometheus.gather(), &mut text) {
            tracing::error!(%error, "metrics could not be encoded");
        }
        text
    }

    /// Descriptions of all families that were requested, by name.
    pub fn describe(&self) -> Vec<Description> {
        let gathered = self.prometheus.gather();
        let values = |name: &str, label: &str| {
            let series = gathered.iter().filter(|family| family.name() == name);
            let labels = series
                .flat_map(|f| f.get_metric())
                .flat_map(|m| m.get_label());
            let of_label = labels.filter(|pair| pair.name() == label);
            of_label.map(|pair| pair.value().to_owned()).collect()
        };
        let families = self.families.lock().unwrap_or_else(PoisonError::into_inner);
        let describe = |(name, family): (&String, &Family)| {
            let Shape {
                kind,
                help,
                labels,
                buckets,
            } = family.shape.clone();
            Description {
                name: name.clone(),
                kind: match kind {
                    MetricType::COUNTER => "counter",
                    MetricType::HISTOGRAM => "histogram",
                    _ => "gauge",
                },
                help,
                labels: labels
                    .into_iter()
                    .map(|label| (label.clone(), values(name, &label)))
                    .collect(),
                buckets,
            }
        };
        families.iter().map(describe).collect()
    }

    /// The registry of the `prometheus` crate behind this one, for crates that bring collectors of their own.
    /// Registering the same collector twice there is an error.
    pub fn prometheus(&self) -> &prometheus::Registry {
        &self.prometheus
    }

    fn family<F: Collector + Clone + 'static>(
        &self,
        name: &str,
        kind: MetricType,
        help: &str,
        labels: &[&str],
        buckets: &[f64],
        make: impl FnOnce() -> prometheus::Result<F>,
    ) -> Result<F, Error> {
        check(name, kind, help)?;
        let shape = Shape {
            kind,
            help: help.to_owned(),
            labels: labels.iter().map(|label| (*label).to_owned()).collect(),
            buckets: buckets.to_vec(),
        };
        let mut families = self.families.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = families.get(name) {
            let metric = known.metric.downcast_ref::<F>();
            let same = metric.filter(|_| known.shape == shape);
            return same.cloned().ok_or_else(|| different(name));
        }
        let metric = make().map_err(|error| refused(name, &error))?;
        self.register(name, Box::new(metric.clone()))?;
        let family = Family {
            shape,
            metric: Arc::new(metric.clone()),
        };
        families.insert(name.to_owned(), family);
        Ok(metric)
    }

    fn register(&self, name: &str, collector: Box<dyn Collector>) -> Result<(), Error> {
        let registered = self.prometheus.register(collector);
        registered.map_err(|error| refused(name, &error))
    }
}

/// Creates a series at 0 for every combination of label values: `values` has one list per label, in the order of the
/// labels. A counter that first appears at 1 raises no alert, because `increase()` sees no step.
///
/// # Errors
/// [`Error::Metric`] when there are not as many lists as the family has labels.
pub fn zero(family: &IntCounterVec, values: &[&[&str]]) -> Result<(), Error> {
    let mut rows: Vec<Vec<&str>> = vec![Vec::new()];
    for choices in values {
        rows = rows
            .iter()
            .flat_map(|row| {
                choices
                    .iter()
                    .map(|choice| [row.as_slice(), &[*choice]].concat())
            })
            .collect();
    }
    for row in rows {
        family.get_metric_with_label_values(&row).map_err(|error| {
            let name = family.desc().first().map(|desc| desc.fq_name.clone());
            refused(&name.unwrap_or_default(), &error)
        })?;
    }
    Ok(())
}

fn check(name: &str, kind: MetricType, help: &str) -> Result<(), Error> {
    let counts = name.ends_with("_total");
    let rule = if !name.starts_with(PREFIX) {
        format!("must start with `{PREFIX}`")
    } else if kind == MetricType::COUNTER && !counts {
        "is a counter: its name must end in `_total`".to_owned()
    } else if kind != MetricType::COUNTER && counts {
        "is no counter: its name must not end in `_total`".to_owned()
    } else if help.is_empty() {
        "needs a help text".to_owned()
    } else {
        return Ok(());
    };
    Err(Error::Metric {
        name: name.to_owned(),
        rule,
    })
}

fn different(name: &str) -> Error {
    Error::Metric {
        name: name.to_owned(),
        rule: "was asked for before with another kind, help, labels or buckets".to_owned(),
    }
}

fn refused(name: &str, error: &prometheus::Error) -> Error {
    Error::Metric {
        name: name.to_owned(),
        rule: format!("was refused: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buckets;

    const NAME: &str = "argosy_messages_processed_total";

    #[test]
    fn every_combination_starts_at_zero() {
        let registry = Registry::new();
        let family = registry.counter(NAME, "h", &["role", "outcome"]).unwrap();
        zero(&family, &[&["planner", "mapper"], &["ok", "retry"]]).unwrap();
        let text = registry.encode();
        for (role, outcome) in [("planner", "ok"), ("mapper", "retry")] {
            let line = format!("{NAME}{{outcome=\"{outcome}\",role=\"{role}\"}} 0");
            assert!(text.lines().any(|l| l == line), "{text}");
        }
        assert_eq!(text.lines().filter(|l| l.starts_with(NAME)).count(), 4);
        let error = zero(&family, &[&["planner"]]).unwrap_err().to_string();
        assert!(error.starts_with(&format!("metric `{NAME}`")), "{error}");
    }

    #[test]
    fn the_same_family_twice_is_one_family() {
        let registry = Registry::new();
        let ask = || registry.clone().counter(NAME, "h", &["role"]).unwrap();
        ask().with_label_values(&["mapper"]).inc();
        ask().with_label_values(&["mapper"]).inc();
        let line = format!("{NAME}{{role=\"mapper\"}} 2");
        assert!(registry.encode().contains(&line));
    }

    #[test]
    fn another_family_of_the_same_name_is_refused() {
        let registry = Registry::new();
        let name = "argosy_query_duration_seconds";
        let ask = |labels: &[&str], buckets| registry.histogram(name, "h", labels, buckets);
        ask(&["route"], buckets::QUERY_DURATION).unwrap();
        assert!(ask(&["outcome"], buckets::QUERY_DURATION).is_err());
        assert!(ask(&["route"], buckets::QUEUE_WAIT).is_err());
        let error = registry.gauge(name, "h", &["route"]).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "metric `{name}` was asked for before with another kind, help, labels or buckets"
            )
        );
    }

    #[test]
    fn names_and_help_follow_the_rules() {
        let registry = Registry::new();
        let error = |name: &str, help: &str| {
            let family = registry.counter(name, help, &[]);
            family.unwrap_err().to_string()
        };
        assert_eq!(
            error("messages_total", "h"),
            "metric `messages_total` must start with `argosy_`"
        );
        assert_eq!(
            error("argosy_messages", "h"),
            "metric `argosy_messages` is a counter: its name must end in `_total`"
        );
        assert_eq!(
            error("argosy_messages_total", ""),
            "metric `argosy_messages_total` needs a help text"
        );
        let gauge = registry.gauge("argosy_messages_total", "h", &[]);
        assert!(gauge.unwrap_err().to_string().contains("is no counter"));
    }

    #[test]
    fn families_are_described_with_the_values_they_have() {
        let registry = Registry::new();
        let family = registry.counter(NAME, "h", &["role", "outcome"]).unwrap();
        zero(&family, &[&["mapper"], &["ok", "retry"]]).unwrap();
        let ladder = buckets::QUEUE_WAIT;
        registry
            .histogram("argosy_queue_wait_seconds", "w", &[], ladder)
            .unwrap();
        let all = registry.describe();
        let (first, second) = (&all[0], &all[1]);
        assert_eq!((first.name.as_str(), first.kind), (NAME, "counter"));
        let values = ["ok", "retry"].map(String::from);
        assert_eq!(first.labels[1], ("outcome".into(), values.into()));
        assert_eq!(
            (second.kind, second.buckets.as_slice()),
            ("histogram", ladder)
        );
    }

    #[test]
    fn a_process_tells_about_itself() {
        let registry = Registry::for_process("mapper", "0.1.0", "abc").unwrap();
        let text = registry.encode();
        assert!(
            text.contains(
                "argosy_build_info{revision=\"abc\",role=\"mapper\",version=\"0.1.0\"} 1"
            ),
            "{text}"
        );
        if cfg!(target_os = "linux") {
            assert!(text.contains("process_resident_memory_bytes"), "{text}");
        }
    }
}
