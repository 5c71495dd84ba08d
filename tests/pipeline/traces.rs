//! Tests the OpenTelemetry trace of each question as a collector receives it: it is complete over all processes,
//! whatever was retried or killed, and contains no word of questions or answers.

use crate::fleet::{Fleet, connect, until};
use crate::model::{self, CALLS, MAPS};
use crate::turns::{publish, question, terminals, wait_for_ends};
use bus::{Bus, Headers, Publish};
use bytes::Bytes;
use envelope::{Outcome, Role, header, subject};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use telemetry::TraceContext;
use telemetry::conventions as name;
use testkit::collector::{Collector, ReceivedSpan};
use testkit::node::{FakeNode, FakeNodeBehaviour};

/// How long the fake model takes.
const MODEL: Duration = Duration::from_millis(20);
/// The time for each question, and for all of them to end.
const DEADLINE: &str = "60s";
const PATIENCE: Duration = Duration::from_secs(60);
/// The trace that a question continues.
const PUBLISHER: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/// The `tracestate` of that trace.
const STATE: &str = "vendor=a:1,other=2";

/// A fleet that sends its spans to `collector`.
async fn fleet(url: String, node: &FakeNode, collector: &Collector, more: &[&str]) -> Fleet {
    let mut set = model::options(node);
    set.push(format!("telemetry.otlp.endpoint={}", collector.endpoint()));
    set.extend(more.iter().map(|option| (*option).to_owned()));
    let fleet = Fleet::new(url, set);
    fleet.setup().await;
    fleet
}

/// The spans of each trace.
fn traces(collector: &Collector) -> BTreeMap<String, Vec<ReceivedSpan>> {
    let mut traces: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for span in collector.spans() {
        traces.entry(span.trace.clone()).or_default().push(span);
    }
    traces
}

/// Checks that the spans are one tree under the question, and returns the question's span.
fn tree<'a>(spans: &'a [ReceivedSpan], above: &str) -> &'a ReceivedSpan {
    let ids: BTreeSet<_> = spans.iter().map(|span| &span.id).collect();
    assert_eq!(ids.len(), spans.len(), "every span is recorded once");
    let (tops, below): (Vec<_>, Vec<_>) = spans.iter().partition(|span| span.parent == above);
    let [top] = tops[..] else {
        panic!("want one root, not {tops:#?}")
    };
    assert_eq!(top.name, name::QUESTION);
    let lost: Vec<_> = below.iter().filter(|s| !ids.contains(&s.parent)).collect();
    assert!(lost.is_empty(), "spans without their parent: {lost:#?}");
    top
}

/// The deliveries to a role that acked their step, by index.
fn steps(spans: &[ReceivedSpan], role: Role) -> Vec<&ReceivedSpan> {
    let ends = |s: &&ReceivedSpan| s.get(name::OUTCOME) != "retry";
    let mut steps: Vec<_> = of(spans, role).into_iter().filter(ends).collect();
    steps.sort_by_key(|span| span.get(name::INDEX));
    steps
}

/// The deliveries to a role.
fn of(spans: &[ReceivedSpan], role: Role) -> Vec<&ReceivedSpan> {
    let title = format!("{} {}", name::PROCESS, subject::steps_of(0, role));
    spans.iter().filter(|span| span.name == title).collect()
}

fn one(spans: &[ReceivedSpan], role: Role) -> &ReceivedSpan {
    let steps = steps(spans, role);
    let [step] = steps[..] else {
        panic!("want one step of the {role}, not {steps:#?}")
    };
    step
}

/// Stores a question that continues the trace of its publisher.
async fn publish_under(bus: &dyn Bus, question: Value) {
    let headers = Headers::default()
        .with(header::TRACEPARENT, PUBLISHER)
        .with(header::TRACESTATE, STATE);
    let message = Publish {
        headers,
        ..Publish::new(subject::QUERY, Bytes::from(question.to_string()))
    };
    bus.publish(message).await.expect("a question is stored");
}

/// The commands that show a turn also name its trace.
async fn is_shown(fleet: &Fleet, turn: &str) {
    let id = publisher().trace_id();
    for command in ["trace", "answer"] {
        let shown = fleet.json(&[command, turn]).await;
        assert_eq!(shown["trace_id"], id.as_str(), "{command}: {shown:#}");
        let text = fleet.command(&[command, turn]).await;
        let text = String::from_utf8(text.stdout).expect("text");
        assert!(text.contains(&format!("trace {id}")), "{command}: {text}");
    }
}

fn publisher() -> TraceContext {
    TraceContext::parse(PUBLISHER).expect("a trace context")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_question_is_one_tree() {
    is_one_tree(false).await;
    is_one_tree(true).await;
}

/// With a batch, its maps are recorded as steps with messages of their own are.
async fn is_one_tree(is_batch: bool) {
    let server = testkit::nats::server().await;
    let (node, collector) = (
        model::node(MODEL).await,
        Collector::start().await.expect("a collector"),
    );
    let more: &[&str] = if is_batch { &[] } else { &["mapper.batch=1"] };
    let mut fleet = fleet(server.url(), &node, &collector, more).await;
    fleet.start_all().await;
    let bus = connect(server.url()).await;
    publish(&*bus, vec![question(None, DEADLINE); 2]).await;
    wait_for_ends(&*bus, 2, PATIENCE).await;
    fleet.drain().await;

    let traces = traces(&collector);
    assert_eq!(traces.len(), 2, "a trace for each question");
    let ended = terminals(&*bus).await;
    for spans in traces.values() {
        let top = tree(spans, "");
        let end = ended
            .iter()
            .find(|t| t.turn.as_str() == top.get(name::TURN));
        let end = end.expect("the root names its turn");
        assert_eq!(top.get(name::OUTCOME), end.outcome.as_str());
        let took = (end.asked_at.0 * 1_000_000, end.ended_at.0 * 1_000_000);
        assert_eq!(top.times, took, "from being asked to the terminal event");

        let roles = [
            Role::Planner,
            Role::Retriever,
            Role::Reducer,
            Role::Validator,
        ];
        let [planner, retriever, reducer, validator] = roles.map(|role| one(spans, role));
        let mapped = steps(spans, Role::Mapper);
        let (maps, batches): (Vec<_>, Vec<_>) =
            (mapped.iter().copied()).partition(|span| !span.get(name::INDEX).is_empty());
        assert_eq!((maps.len(), batches.len()), (MAPS, usize::from(is_batch)));
        let parents = [planner, retriever, reducer, validator].map(|s| &s.parent);
        let way = [&top.id, &planner.id, &retriever.id, &reducer.id];
        assert_eq!(parents, way, "each step is under the one that created it");
        assert!(maps.iter().all(|map| map.parent == retriever.id));
        let joined: Vec<_> = maps.iter().map(|map| map.id.clone()).collect();
        assert_eq!(reducer.links, joined, "the reducer names what it joins");

        // What follows from a step is sent under it, and each message of the turn by somebody.
        let sent = |by: &ReceivedSpan, template: &str| {
            let title = format!("{} {template}", name::SEND);
            let is_it = |s: &&ReceivedSpan| s.parent == by.id && s.name == title && s.kind == 4;
            spans.iter().filter(is_it).count()
        };
        let next = |role| subject::steps_of(0, role);
        assert_eq!(sent(planner, &next(Role::Retriever)), 1);
        let to_mappers = if is_batch { (0, 1) } else { (1, MAPS) };
        let scatters = sent(retriever, "argosy.step.0.scatter.>");
        assert_eq!((scatters, sent(retriever, &next(Role::Mapper))), to_mappers);
        assert_eq!(sent(retriever, "argosy.timer.>"), 0, "the turn has one");
        let parts = usize::from(!is_batch);
        assert!(maps.iter().all(|map| sent(map, "argosy.part.0.>") == parts));
        let by = mapped
            .iter()
            .filter(|map| sent(map, &next(Role::Reducer)) == 1);
        assert!(by.count() >= 1, "somebody joins");
        assert_eq!(sent(reducer, &next(Role::Validator)), 1);
        assert_eq!(sent(validator, "argosy.answer.>"), 1);

        let calls: Vec<_> = spans.iter().filter(|s| s.name == "chat fake").collect();
        assert_eq!(calls.len(), CALLS);
        for call in &calls {
            assert_eq!(call.get(name::GEN_AI_RESPONSE_FINISH_REASONS), "stop");
            assert_eq!(call.get(name::GEN_AI_CONVERSATION_ID), top.get(name::TURN));
        }
        assert!(
            calls
                .iter()
                .all(|s| s.get(name::OUTCOME) == "ok" && s.kind == 3)
        );
        let asked: BTreeSet<_> = calls.iter().map(|call| &call.parent).collect();
        assert_eq!(asked.len(), CALLS, "each under the step that asked");
        let services: BTreeSet<_> = spans.iter().map(|span| span.service.as_str()).collect();
        assert_eq!(services.len(), 6, "{services:?}");
        assert!(spans.iter().all(|span| span.error.is_none()));
    }
    for content in ["Osterby", "notice", "90 days"] {
        assert!(!collector.holds(content), "`{content}` stands in a span");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_tried_again_or_killed_is_linked_and_the_tree_is_whole() {
    let server = testkit::nats::server().await;
    let (node, collector) = (model::node(MODEL).await, Collector::start().await.unwrap());
    // The first plan fails, and the reducer is killed while it waits for its model.
    let failed = FakeNodeBehaviour::Status(500, "{}".into(), None);
    let between = vec![FakeNodeBehaviour::Answer; 1 + MAPS];
    let stuck = FakeNodeBehaviour::Slow(PATIENCE);
    node.script([vec![failed], between, vec![stuck]].concat());
    let more = [
        "model.retries=0",
        "telemetry.capture_content=true",
        "streams.ack_wait=3s",
    ];
    let mut fleet = fleet(server.url(), &node, &collector, &more).await;
    fleet.start_all().await;
    let bus = connect(server.url()).await;
    publish_under(&*bus, question(Some("traced".into()), DEADLINE)).await;
    node.until(|seen| seen.calls == CALLS + 1).await;
    let place = fleet
        .processes
        .iter()
        .position(|p| p.member.role == Role::Reducer);
    fleet.replace(place.expect("a reducer")).await;
    wait_for_ends(&*bus, 1, PATIENCE).await;
    fleet.ready().await;
    fleet.drain().await;
    assert_eq!(terminals(&*bus).await[0].outcome, Outcome::Answered);
    is_shown(&fleet, "traced").await;

    let traces = traces(&collector);
    let [(trace, spans)] = &traces.iter().collect::<Vec<_>>()[..] else {
        panic!("want one trace, not {traces:#?}")
    };
    assert_eq!(trace.as_str(), publisher().trace_id(), "the publisher's");
    tree(spans, &publisher().span_id());
    assert!(spans.iter().all(|span| span.state == STATE), "{spans:#?}");

    let first = of(spans, Role::Planner);
    let first = first.iter().find(|s| s.get(name::ATTEMPT) == "1");
    let first = first.expect("the delivery that failed");
    assert_eq!(first.error.as_deref(), Some("model_unavailable"));
    let second = of(spans, Role::Planner);
    let second = second.iter().find(|s| s.get(name::ATTEMPT) == "2");
    let second = second.expect("the delivery after it");
    assert_eq!(second.links, std::slice::from_ref(&first.id));
    assert_eq!(second.parent, first.parent);
    let call = spans.iter().find(|span| span.parent == first.id);
    let call = call.expect("the call that failed is under the delivery that made it");
    assert_eq!(call.error.as_deref(), Some("down"));

    let reducer = one(spans, Role::Reducer);
    assert_eq!(reducer.get(name::ATTEMPT), "2");
    assert_eq!(
        reducer.links.len(),
        MAPS + 1,
        "the maps, and who was killed"
    );
    let known: BTreeSet<_> = spans.iter().map(|span| &span.id).collect();
    let unknown = reducer.links.iter().filter(|link| !known.contains(link));
    assert_eq!(unknown.count(), 1, "who was killed recorded nothing");
    assert!(collector.holds("Osterby"), "content was asked for");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_that_nobody_works_on_is_a_span_under_its_publisher() {
    let server = testkit::nats::server().await;
    let (node, collector) = (model::node(MODEL).await, Collector::start().await.unwrap());
    let mut fleet = fleet(server.url(), &node, &collector, &[]).await;
    fleet.start(Role::Gateway).ready().await;
    let bus = connect(server.url()).await;
    publish_under(&*bus, question(None, "1s")).await;
    wait_for_ends(&*bus, 1, PATIENCE).await;
    until("the span of the question", async || {
        (!collector.spans().is_empty()).then_some(())
    })
    .await;
    fleet.drain().await;
    let spans = collector.spans();
    let top = tree(&spans, &publisher().span_id());
    assert_eq!(spans.len(), 1);
    assert_eq!(top.trace, publisher().trace_id());
    assert_eq!(top.error.as_deref(), Some("deadline"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_dies_between_publishing_and_acking_leaves_no_hole() {
    let server = testkit::nats::server().await;
    let (node, collector) = (model::node(MODEL).await, Collector::start().await.unwrap());
    let more = ["streams.ack_wait=3s"];
    let mut fleet = fleet(server.url(), &node, &collector, &more).await;
    fleet.fault = Some("published=1");
    fleet.start(Role::Planner).ready().await;
    fleet.fault = None;
    for role in Role::ALL.into_iter().filter(|role| *role != Role::Planner) {
        fleet.start(role);
    }
    fleet.ready().await;
    let bus = connect(server.url()).await;
    publish(&*bus, vec![question(None, DEADLINE)]).await;
    fleet.of(Role::Planner).ended().await;
    fleet.replace(0).await;
    wait_for_ends(&*bus, 1, PATIENCE).await;
    fleet.ready().await;
    // The turn has ended without it: the step of the dead is acked when it comes again.
    let acked = format!("{} {}", name::PROCESS, subject::steps_of(0, Role::Planner));
    until("the planner's step to be acked", async || {
        let spans = collector.spans();
        spans.iter().any(|span| span.name == acked).then_some(())
    })
    .await;
    fleet.drain().await;

    let spans = collector.spans();
    tree(&spans, "");
    let planner = one(&spans, Role::Planner);
    assert_eq!(planner.get(name::ATTEMPT), "2");
    assert_eq!(one(&spans, Role::Retriever).parent, planner.id);
    let calls = spans.iter().filter(|s| s.name == "chat fake").count();
    assert_eq!(calls, CALLS - 1, "what the dead had not sent is lost");
}

/// The span of the question of a turn.
fn of_turn<'a>(spans: &'a [ReceivedSpan], turn: &str) -> &'a ReceivedSpan {
    let is_it = |s: &&ReceivedSpan| s.name == name::QUESTION && s.get(name::TURN) == turn;
    let found: Vec<_> = spans.iter().filter(is_it).collect();
    let [question] = found[..] else {
        panic!("want one question of `{turn}`, not {found:#?}")
    };
    question
}

/// The spans of the steps of a turn.
fn done_for(spans: &[ReceivedSpan], turn: &str) -> Vec<ReceivedSpan> {
    let is_it = |s: &&ReceivedSpan| s.name.starts_with(name::PROCESS) && s.get(name::TURN) == turn;
    spans.iter().filter(is_it).cloned().collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_retry_and_a_replay_hang_in_the_tree_of_the_first_question() {
    let server = testkit::nats::server().await;
    let (node, collector) = (model::node(MODEL).await, Collector::start().await.unwrap());
    // One map step is given up.
    let gone = FakeNodeBehaviour::Status(404, "no such model".into(), None);
    node.script([FakeNodeBehaviour::Answer, gone]);
    let mut fleet = fleet(server.url(), &node, &collector, &[]).await;
    fleet.start_all().await;
    let bus = connect(server.url()).await;
    publish(&*bus, vec![question(Some("first".into()), DEADLINE)]).await;
    wait_for_ends(&*bus, 1, PATIENCE).await;
    let retried = fleet
        .json(&["dead", "retry", "--role", "mapper", "--yes"])
        .await;
    let retried = retried["letters"][0]["turn"].as_str().expect("a turn");
    wait_for_ends(&*bus, 2, PATIENCE).await;
    let with = ["--from", "reducer", "--with", "model=large"];
    let replayed = fleet
        .json(&[&["replay", "first"][..], &with[..]].concat())
        .await;
    let replayed = replayed["turn"].as_str().expect("a turn");
    wait_for_ends(&*bus, 3, PATIENCE).await;
    fleet.drain().await;

    let traces = traces(&collector);
    let [spans] = &traces.values().collect::<Vec<_>>()[..] else {
        panic!("want one trace, not {traces:#?}")
    };
    let ids: BTreeSet<_> = spans.iter().map(|span| &span.id).collect();
    assert_eq!(ids.len(), spans.len(), "no span id twice");
    let first = of_turn(spans, "first");
    assert_eq!(first.parent, "");
    let lost = |s: &&ReceivedSpan| !s.parent.is_empty() && !ids.contains(&s.parent);
    let lost: Vec<_> = spans.iter().filter(lost).collect();
    assert!(lost.is_empty(), "spans without their parent: {lost:#?}");

    // Each is under the step whose output it goes on from, and names the turn that it repeats.
    let old = done_for(spans, "first");
    let search = one(&old, Role::Retriever);
    for (turn, calls) in [(retried, "2"), (replayed, "1")] {
        let again = of_turn(spans, turn);
        assert_eq!(again.get(name::PARENT_TURN), "first");
        assert_eq!(again.links, std::slice::from_ref(&first.id));
        assert_eq!(again.get(name::LLM_CALLS), calls, "of its own");
        let done = done_for(spans, turn);
        let begun: Vec<_> = done.iter().filter(|s| s.parent == again.id).collect();
        assert!(!begun.is_empty(), "its steps are under it: {done:#?}");
    }
    assert_eq!(of_turn(spans, retried).parent, search.id);
    let asked = done_for(spans, replayed);
    let reducer = one(&asked, Role::Reducer);
    let call = spans.iter().find(|s| s.parent == reducer.id && s.kind == 3);
    let call = call.expect("the call of the replay");
    assert_eq!(call.name, "chat large");
    assert_eq!(call.get(name::GEN_AI_REQUEST_MODEL), "large");
}
