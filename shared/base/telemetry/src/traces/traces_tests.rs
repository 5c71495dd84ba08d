//! Tests of spans on their way from the handle to a collector, and of what happens without a collector.

use super::*;
use crate::conventions as name;
use settings::Secret;
use std::time::Duration;
use testkit::collector::{Collector, ReceivedSpan};
use tokio::time::{Instant, sleep};

fn service() -> Service {
    Service {
        role: "mapper".into(),
        version: "1.2.3".into(),
        instance: "i".into(),
    }
}

fn to(endpoint: String) -> Options {
    Options {
        endpoint,
        ..Options::default()
    }
}

fn started(options: &Options, registry: &Registry) -> (Traces, Exporter) {
    Traces::start(options, false, &service(), registry).unwrap()
}

fn root() -> TraceContext {
    TraceContext::new_root(&mut fastrand::Rng::with_seed(5))
}

fn count(registry: &Registry, line: &str) -> u64 {
    let text = registry.encode();
    let of = text.lines().find_map(|l| l.strip_prefix(line));
    of.unwrap_or_else(|| panic!("no {line} in\n{text}"))
        .trim()
        .parse()
        .unwrap()
}

const EXPORTED: &str = "argosy_spans_exported_total";

fn dropped(registry: &Registry, reason: &str) -> u64 {
    count(
        registry,
        &format!("argosy_spans_dropped_total{{reason=\"{reason}\"}}"),
    )
}

#[tokio::test]
async fn what_is_recorded_arrives_as_it_was_said() {
    let (collector, registry) = (Collector::start().await.unwrap(), Registry::new());
    let mut options = to(collector.endpoint());
    options
        .headers
        .insert("x-key".into(), Secret::new("s3cret"));
    let (traces, exporter) = started(&options, &registry);
    let (parent, other) = (root(), root().named("other"));
    let reasons = ["stop", "length"].map(String::from);
    let mut span = Span::begin(
        parent.named("me"),
        Some(parent),
        "process x",
        SpanKind::Consumer,
    )
    .at(1_000, 2_000)
    .with_state(Some("vendor=1".into()))
    .with(name::TURN, "t-1")
    .with(name::GEN_AI_RESPONSE_FINISH_REASONS, reasons.to_vec())
    .with(name::HOP, 3_u64);
    span.times.1 = 2_000_000_000;
    span.fail("bus_away");
    span.link(other);
    traces.record(span);
    exporter.flush().await;
    let attributes = [
        (name::TURN, "t-1"),
        (name::GEN_AI_RESPONSE_FINISH_REASONS, "stop,length"),
        (name::HOP, "3"),
        (name::ERROR_TYPE, "bus_away"),
    ];
    let expected = ReceivedSpan {
        trace: parent.trace_id(),
        id: parent.named("me").span_id(),
        parent: parent.span_id(),
        name: "process x".into(),
        kind: 5,
        service: "argosy-mapper".into(),
        state: "vendor=1".into(),
        attributes: attributes.map(|(k, v)| (k.to_owned(), v.to_owned())).into(),
        links: vec![other.span_id()],
        error: Some("bus_away".into()),
        times: (1_000_000_000, 2_000_000_000),
    };
    assert_eq!(collector.spans(), [expected]);
    assert_eq!(collector.header("x-key"), ["s3cret"]);
    assert!(!format!("{options:?}").contains("s3cret"));
    assert_eq!(count(&registry, EXPORTED), 1);
}

#[tokio::test]
async fn without_an_endpoint_nothing_is_made_and_nothing_is_counted() {
    let registry = Registry::new();
    let (traces, exporter) = started(&Options::default(), &registry);
    traces.record(Span::begin(root(), None, "x", SpanKind::Internal));
    exporter.flush().await;
    assert!(!traces.is_on() && traces.0.is_none());
    assert_eq!(registry.encode(), "");
}

#[tokio::test]
async fn a_full_queue_drops_and_counts_and_never_waits() {
    let (collector, registry) = (Collector::start().await.unwrap(), Registry::new());
    let options = Options {
        queue: 4,
        ..to(collector.endpoint())
    };
    let (traces, exporter) = started(&options, &registry);
    // The exporter does not run before the first wait of this test.
    for _ in 0..10 {
        traces.record(Span::begin(root(), None, "x", SpanKind::Internal));
    }
    exporter.flush().await;
    assert_eq!(collector.spans().len(), 4);
    assert_eq!(dropped(&registry, "queue_full"), 6);
}

#[tokio::test]
async fn a_busy_collector_is_asked_again_and_one_that_refuses_is_not() {
    let (collector, registry) = (Collector::start().await.unwrap(), Registry::new());
    let (traces, exporter) = started(&to(collector.endpoint()), &registry);
    collector.script([503, 429]);
    traces.record(Span::begin(root(), None, "busy", SpanKind::Internal));
    let begun = Instant::now();
    while collector.spans().is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(10), "no third try");
        sleep(Duration::from_millis(10)).await;
    }
    collector.script([400]);
    traces.record(Span::begin(root(), None, "refused", SpanKind::Internal));
    exporter.flush().await;
    assert_eq!(collector.requests(), 4);
    assert_eq!(count(&registry, EXPORTED), 1);
    assert_eq!(dropped(&registry, "refused"), 1);
}

#[tokio::test]
async fn a_collector_that_is_away_holds_no_end_up() {
    let registry = Registry::new();
    let options = Options {
        timeout: settings::TimeSpan::from_millis(300),
        ..to("http://127.0.0.1:9".into())
    };
    let (traces, exporter) = started(&options, &registry);
    traces.record(Span::begin(root(), None, "x", SpanKind::Internal));
    let begun = Instant::now();
    exporter.flush().await;
    assert!(begun.elapsed() < Duration::from_secs(2));
    assert_eq!(count(&registry, EXPORTED), 0);
}

#[tokio::test]
async fn children_go_under_the_id_that_the_work_ends_with() {
    let (collector, registry) = (Collector::start().await.unwrap(), Registry::new());
    let (traces, exporter) = started(&to(collector.endpoint()), &registry);
    let (step, elsewhere) = (root().named("step"), root().named("again"));
    assert_eq!(current(), None);
    let span = Span::begin(step, Some(root()), "step", SpanKind::Consumer);
    let (seen, mut scoped) = within(&traces, span, async {
        let mut one = start(SpanKind::Client, || "one".into());
        one.content(name::GEN_AI_INPUT_MESSAGES, || "a prompt".into());
        drop(start(SpanKind::Client, || "two".into()));
        drop(one);
        note(|span| span.fail("slow"));
        current()
    })
    .await;
    assert_eq!(seen, Some(step), "what is published names the step");
    assert!(scoped.span.has_failed());
    scoped.span = scoped.span.moved_to(elsewhere);
    scoped.record(&traces);
    exporter.flush().await;
    let spans = collector.spans();
    let parents: Vec<_> = spans
        .iter()
        .map(|s| (s.name.as_str(), s.parent.clone()))
        .collect();
    let (here, up) = (elsewhere.span_id(), root().span_id());
    assert_eq!(
        parents,
        [("two", here.clone()), ("one", here), ("step", up)]
    );
    assert_ne!(spans[0].id, spans[1].id);
    assert!(!collector.holds("a prompt"), "content is off");
}

#[tokio::test]
async fn the_question_decides_who_is_recorded() {
    let (collector, registry) = (Collector::start().await.unwrap(), Registry::new());
    let options = Options {
        sample: 0.0,
        ..to(collector.endpoint())
    };
    let (traces, exporter) = started(&options, &registry);
    let mut rng = fastrand::Rng::with_seed(9);
    let ours = traces.root(None, &mut rng);
    assert!(!ours.is_sampled(), "a share of 0");
    traces.record(Span::begin(ours, None, "left out", SpanKind::Server));
    let theirs = traces.root(Some(root()), &mut rng);
    assert!(theirs.is_sampled(), "who asks has decided");
    assert_ne!(theirs.span_id(), root().span_id());
    traces.record(Span::begin(theirs, Some(root()), "kept", SpanKind::Server));
    exporter.flush().await;
    let names: Vec<_> = collector.spans().into_iter().map(|s| s.name).collect();
    assert_eq!(names, ["kept"]);
    let off = Traces::off();
    assert_eq!(off.root(Some(root()), &mut rng), root(), "passed on");
    assert!(!off.root(None, &mut rng).is_sampled());
}
