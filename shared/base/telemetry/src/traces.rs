//! Makes a span when a question, a step or a call ends, and sends it to a collector. Tracing is off unless an endpoint
//! is configured, and while it is off a span costs one look at an `Option`.
//!
//! The id of a span is not random but derived from what the span is about (`TraceContext::named`), so every delivery of
//! a step would give its span the same id. The messages that a step publishes name this id as their parent, and the
//! delivery that acks the step records the span. So the tree of a question is complete even if a process dies between
//! publishing and acking, and a retry can name the delivery before it.
//!
//! *Not* here: the names of spans and attributes ([`conventions`](crate::conventions)), logs, and any layer that turns
//! log spans into these. There is no global state; only the span that a task works under is task-local.
//!
//! | module | what |
//! |---|---|
//! | [`Span`] | one span |
//! | [`scope`] | the span that a task works under, for code that makes children of it |
//! | `export` | the task that sends batches |
//! | `otlp` | the messages on the wire |
//! | [`options`] | the address of the collector, and how many spans may wait for it |

mod export;
pub mod options;
mod otlp;
pub mod scope;
mod span;

pub use export::Exporter;
pub use options::Options;
pub use scope::{ChildSpan, ScopeRecord, current, note, start, within};
pub use span::{Span, SpanKind, Value};

use crate::error::Error;
use crate::registry::{Registry, zero};
use crate::trace::TraceContext;
use prometheus::IntCounterVec;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Records spans, or does nothing when traces are off. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Traces(Option<Arc<Recorder>>);

#[derive(Debug)]
struct Recorder {
    queue: mpsc::Sender<Span>,
    counts: Counts,
    sample: f64,
    content: bool,
}

/// What is counted about spans.
#[derive(Debug, Clone)]
struct Counts {
    exported: IntCounterVec,
    dropped: IntCounterVec,
}

/// Why a span does not reach the collector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lost {
    Full,
    /// The collector was away, or too slow.
    Away,
    /// The collector refused it.
    Refused,
}

impl Lost {
    const fn as_str(self) -> &'static str {
        match self {
            Lost::Full => "queue_full",
            Lost::Away => "unreachable",
            Lost::Refused => "refused",
        }
    }
}

impl Counts {
    fn new(registry: &Registry) -> Result<Counts, Error> {
        let counts = Counts {
            exported: registry.counter(
                "argosy_spans_exported_total",
                "Spans that the collector accepted.",
                &[],
            )?,
            dropped: registry.counter(
                "argosy_spans_dropped_total",
                "Spans that did not reach the collector, by the reason.",
                &["reason"],
            )?,
        };
        counts.exported.with_label_values::<&str>(&[]);
        let reasons = [Lost::Full, Lost::Away, Lost::Refused].map(Lost::as_str);
        zero(&counts.dropped, &[&reasons])?;
        Ok(counts)
    }

    fn exported(&self, spans: u64) {
        self.exported.with_label_values::<&str>(&[]).inc_by(spans);
    }

    fn dropped(&self, why: Lost, spans: u64) {
        self.dropped
            .with_label_values(&[why.as_str()])
            .inc_by(spans);
    }
}

/// Registers the counters of spans, as a process with an endpoint does.
///
/// # Errors
/// When `registry` has other families of these names.
pub fn register(registry: &Registry) -> Result<(), Error> {
    Counts::new(registry).map(drop)
}

/// The process that makes the spans, as the collector shows it.
#[derive(Debug, Clone)]
pub struct Service {
    /// Its role.
    pub role: String,
    /// Its release.
    pub version: String,
    /// The name that distinguishes it from other processes of the role.
    pub instance: String,
}

impl Traces {
    /// A handle that records nothing.
    pub fn off() -> Self {
        Self::default()
    }

    /// Starts tracing: returns a handle and the task behind it, which ends with [`Exporter::flush`]. Without an
    /// endpoint both do nothing. `content` allows the text of questions, prompts and answers in spans. Must be called
    /// within a runtime; nothing is contacted before the first span.
    ///
    /// # Errors
    /// [`Error::Options`] when an option is not valid.
    pub fn start(
        options: &Options,
        content: bool,
        service: &Service,
        registry: &Registry,
    ) -> Result<(Self, Exporter), Error> {
        options.validate()?;
        if options.endpoint.is_empty() {
            return Ok((Self::off(), Exporter::idle()));
        }
        let counts = Counts::new(registry)?;
        let (queue, spans) = mpsc::channel(options.queue as usize);
        let exporter = Exporter::start(options, service, spans, counts.clone())?;
        let recorder = Recorder {
            queue,
            counts,
            sample: options.sample,
            content,
        };
        Ok((Traces(Some(Arc::new(recorder))), exporter))
    }

    /// Whether spans are recorded.
    pub fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Whether spans may have content.
    pub fn content(&self) -> bool {
        self.0.as_ref().is_some_and(|recorder| recorder.content)
    }

    /// The context of a new question, which came with the publisher's context `under` if there is one. With a
    /// publisher's context, the question continues that trace, and is recorded or not as the publisher chose. Otherwise
    /// it begins a new trace, by our own choice of sampling. Without an exporter the question has no span, so the
    /// publisher's context is passed on unchanged.
    pub fn root(&self, under: Option<TraceContext>, rng: &mut fastrand::Rng) -> TraceContext {
        match (&self.0, under) {
            (Some(_), Some(under)) => under.child(rng),
            (None, Some(under)) => under,
            (recorder, None) => {
                let share = recorder.as_ref().map_or(0.0, |recorder| recorder.sample);
                TraceContext::new_root(rng).sampled_by(share)
            }
        }
    }

    /// Hands a span to the exporter, or drops and counts it when the queue is full. Never waits.
    pub fn record(&self, span: Span) {
        let Some(recorder) = &self.0 else {
            return;
        };
        if span.context().is_sampled() && recorder.queue.try_send(span).is_err() {
            recorder.counts.dropped(Lost::Full, 1);
        }
    }
}

#[cfg(test)]
#[path = "traces/traces_tests.rs"]
mod tests;
