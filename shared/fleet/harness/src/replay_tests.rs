//! Tests of the messages with which a replayed turn begins.

use super::*;
use bus::Headers;
use bytes::Bytes;
use envelope::{
    Case, Draft, Fact, FilterMatch, Findings, Part, PartResult, Passage, Plan, QuestionText,
    ReduceTask, Search, TrailEntry, Usage, encode,
};

#[path = "replay/batch_tests.rs"]
mod batch;

const KEEP: Duration = Duration::from_secs(300);
/// The span that created every step of the old turn.
const CREATOR: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

fn old() -> TurnId {
    TurnId::new("old").unwrap()
}

fn header(role: Role, hop: u16) -> Header {
    Header {
        asked_at: UnixMs(1_000),
        created_at: UnixMs(1_500),
        deadline: UnixMs(61_000),
        reply_to: Some("_INBOX.a".into()),
        question_hash: "h".into(),
        live: true,
        traceparent: Some(CREATOR.into()),
        tracestate: Some("vendor=1".into()),
        ..Header::of(old(), role, hop, UnixMs(0))
    }
}

fn case(hop: u16) -> Case {
    Case {
        question: QuestionText {
            original: "why?".into(),
            rewritten: None,
        },
        scatters: if hop < 2 { vec![] } else { vec![2] },
        ..Case::default()
    }
}

fn stored(subject: impl ToString, sequence: u64, body: Bytes) -> StoredMessage {
    StoredMessage {
        subject: subject.to_string(),
        headers: Headers::default(),
        body,
        sequence,
        stored_at: UnixMs(1_500),
    }
}

fn step<P: serde::Serialize>(role: Role, hop: u16, payload: P) -> StoredMessage {
    let step = Envelope {
        v: envelope::WIRE,
        header: header(role, hop),
        case: case(hop),
        trail: Vec::new(),
        payload,
    };
    let (turn, shard, index) = (old(), 0, None);
    let at = Subject::Step {
        shard,
        role,
        turn,
        hop,
        index,
    };
    stored(at, hop.into(), encode(&step).unwrap())
}

fn passage(n: u16) -> Passage {
    Passage {
        chunk_id: format!("d.{n}"),
        score: 0.9091067,
        ..testkit::model::passage("d", "text")
    }
}

fn scatter(hop: u16, maps: u16) -> StoredMessage {
    let found = Scatter {
        plan: Plan::default(),
        passages: (0..maps).map(passage).collect(),
        matched: FilterMatch::Matched,
        total_hits: maps.into(),
        after: Default::default(),
    };
    let record = step(Role::Retriever, hop, found);
    let (turn, shard) = (old(), 0);
    stored(
        Subject::Scatter { shard, turn, hop },
        hop.into(),
        record.body,
    )
}

fn part(hop: u16, index: u16, result: PartResult) -> StoredMessage {
    let part = Part {
        v: envelope::WIRE,
        index,
        result,
        entry: None,
    };
    let (turn, shard) = (old(), 0);
    let at = Subject::Part {
        shard,
        turn,
        hop,
        index,
    };
    stored(at, 9, encode(&part).unwrap())
}

fn findings() -> PartResult {
    PartResult::Findings(Findings::default())
}

/// planner 0, retriever 1, scatter 2, maps 3 (one of them an error), reducer 4, validator 5.
fn history() -> TurnRecord {
    let gather = ReduceTask::Gather {
        scatters: vec![2],
        strict: false,
        last: false,
        maps: None,
    };
    let mut steps = vec![
        step(Role::Planner, 0, envelope::PlanTask::First),
        step(Role::Retriever, 1, Search::default()),
        scatter(2, 3),
    ];
    steps.extend((0..3).map(|index| StoredMessage {
        subject: format!("argosy.step.0.mapper.old.3.{index}"),
        ..step(Role::Mapper, 3, "not read")
    }));
    let refused = PartResult::Error("model_refused".into());
    let parts = (0..).zip([findings(), refused, findings()]);
    steps.extend(parts.map(|(index, one)| part(3, index, one)));
    steps.push(step(Role::Reducer, 4, gather));
    let draft = Draft {
        text: "a".into(),
        sources: Vec::new(),
        facts: Vec::<Fact>::new(),
        scatters: vec![2],
        read: None,
        strict: false,
        no_information: false,
        stitched: false,
        matched: FilterMatch::Matched,
        table: None,
        assessment: None,
    };
    steps.push(step(Role::Validator, 5, draft));
    TurnRecord {
        steps,
        ..TurnRecord::default()
    }
}

fn header_of(start: &mut ReplayPoint) -> &mut Header {
    match &mut start.recorded {
        Recorded::Step(step) => &mut step.header,
        Recorded::FanOut(record) => &mut record.header,
    }
}

fn begun(start: &ReplayPoint) -> Header {
    start.header(TurnId::again("x"), UnixMs(100_000), UnixMs(160_000))
}

fn subjects(start: &ReplayPoint, history: &TurnRecord) -> Result<Vec<String>, Error> {
    let messages = messages(start, history, &begun(start), &Overrides::default(), KEEP)?;
    let short = |message: &Publish| message.subject.replace(TurnId::again("x").as_str(), "NEW");
    Ok(messages.iter().map(short).collect())
}

fn from(role: Role) -> ReplayPoint {
    ReplayPoint::from_history(&history(), &old(), role, None).unwrap()
}

#[test]
fn a_step_stands_alone_or_brings_what_it_reads() {
    let of = |role| subjects(&from(role), &history()).unwrap();
    assert_eq!(of(Role::Planner), ["argosy.step.0.planner.NEW.0"]);
    assert_eq!(of(Role::Retriever), ["argosy.step.0.retriever.NEW.1"]);
    let fanout = [
        "argosy.step.0.scatter.NEW.2",
        "argosy.part.0.NEW.3.0",
        "argosy.part.0.NEW.3.1",
        "argosy.part.0.NEW.3.2",
    ];
    let with = |step: &'static str| [&fanout[..], &[step]].concat();
    assert_eq!(of(Role::Reducer), with("argosy.step.0.reducer.NEW.4"));
    assert_eq!(of(Role::Validator), with("argosy.step.0.validator.NEW.5"));
}

#[test]
fn maps_are_made_again_all_of_them_or_those_that_failed() {
    assert_eq!(
        subjects(&from(Role::Mapper), &history()).unwrap(),
        [
            "argosy.step.0.scatter.NEW.2",
            "argosy.step.0.mapper.NEW.3.0",
            "argosy.step.0.mapper.NEW.3.1",
            "argosy.step.0.mapper.NEW.3.2",
            "argosy.timer.NEW.2"
        ]
    );
    let letter = stored("argosy.dead.mapper.old.3.1", 7, Bytes::new());
    let start = ReplayPoint::from_letter(&letter, &history()).unwrap();
    assert_eq!(
        subjects(&start, &history()).unwrap(),
        [
            "argosy.step.0.scatter.NEW.2",
            "argosy.part.0.NEW.3.0",
            "argosy.part.0.NEW.3.2",
            "argosy.step.0.mapper.NEW.3.1",
            "argosy.timer.NEW.2"
        ]
    );
}

#[test]
fn maps_that_all_have_findings_are_reduced_at_once() {
    let mut history = history();
    // One that was given up here, while another delivery of it was done.
    history.steps[7] = part(3, 1, findings());
    let letter = stored("argosy.dead.mapper.old.3.1", 7, Bytes::new());
    let start = ReplayPoint::from_letter(&letter, &history).unwrap();
    assert_eq!(
        subjects(&start, &history).unwrap(),
        [
            "argosy.step.0.scatter.NEW.2",
            "argosy.part.0.NEW.3.0",
            "argosy.part.0.NEW.3.1",
            "argosy.part.0.NEW.3.2",
            "argosy.timer.NEW.2",
            "argosy.step.0.reducer.NEW.4"
        ]
    );
}

#[test]
fn the_new_turn_names_its_parent_and_answers_nobody_else() {
    let start = from(Role::Reducer);
    let overrides = Overrides {
        model: Some("large".into()),
        ..Overrides::default()
    };
    let header = begun(&start);
    let all = messages(&start, &history(), &header, &overrides, KEEP).unwrap();
    let step: Envelope<serde_json::Value> = decode(&all.last().unwrap().body).unwrap();
    let Header {
        turn,
        parent,
        first_hop,
        hop,
        role,
        deadline,
        reply_to,
        live,
        ..
    } = step.header;
    assert_eq!((turn, parent), (TurnId::again("x"), Some(old())));
    assert_eq!((first_hop, hop, role), (4, 4, Role::Reducer));
    assert_eq!((deadline, reply_to, live), (UnixMs(160_000), None, false));
    assert_eq!(step.case.overrides, overrides);
    let record: Envelope<Scatter> = decode(&all[0].body).unwrap();
    assert_eq!(
        (record.header.hop, record.header.turn),
        (2, TurnId::again("x"))
    );
    assert_eq!(
        record.payload.passages,
        (0..3).map(passage).collect::<Vec<_>>()
    );
    assert!(
        all.iter()
            .all(|m| m.ttl == Some(Duration::from_secs(60) + KEEP))
    );
    assert_eq!(start.time(), Duration::from_secs(60));
}

#[test]
fn what_has_aged_out_is_said_or_done_without() {
    let nothing = TurnRecord::default();
    let none = ReplayPoint::from_history(&nothing, &old(), Role::Reducer, None).unwrap_err();
    assert!(matches!(none, Error::AgedOut(_)), "{none}");
    let absent = ReplayPoint::from_history(&history(), &old(), Role::Clarifier, None).unwrap_err();
    assert!(
        absent.to_string().contains("validator at hop 5"),
        "{absent}"
    );
    // A letter outlives its turn's steps: what it reads of them is gone.
    let letter = |role: Role, at: usize| {
        let body = history().steps[at].body.clone();
        let hop = if role == Role::Reducer { 4 } else { 5 };
        stored(format!("argosy.dead.{role}.old.{hop}"), 7, body)
    };
    let reducer = ReplayPoint::from_letter(&letter(Role::Reducer, 9), &nothing).unwrap();
    assert!(matches!(
        subjects(&reducer, &nothing),
        Err(Error::AgedOut(_))
    ));
    let none = Overrides::default();
    let checked = check(&reducer, &nothing, &none, KEEP);
    assert!(matches!(checked, Err(Error::AgedOut(_))), "{checked:?}");
    check(&reducer, &history(), &none, KEEP).unwrap();
    let validator = ReplayPoint::from_letter(&letter(Role::Validator, 10), &nothing).unwrap();
    check(&validator, &nothing, &none, KEEP).unwrap();
    assert_eq!(
        subjects(&validator, &nothing).unwrap(),
        ["argosy.step.0.validator.NEW.5"]
    );
    let map = stored("argosy.dead.mapper.old.3.1", 7, Bytes::new());
    let gone = ReplayPoint::from_letter(&map, &nothing).unwrap_err();
    assert!(matches!(gone, Error::AgedOut(_)), "{gone}");
    let broken = stored("argosy.dead.planner.old.0", 7, Bytes::from_static(b"\xff"));
    let unread = ReplayPoint::from_letter(&broken, &nothing).unwrap_err();
    assert!(matches!(unread, Error::Unreadable(_)), "{unread}");
    let document = stored("argosy.dead.indexer.main.b.d", 7, Bytes::new());
    let none = ReplayPoint::from_letter(&document, &nothing).unwrap_err();
    assert!(matches!(none, Error::NoStep(_)), "{none}");
}

#[test]
fn overrides_that_do_not_fit_are_found_before_anything_is_claimed() {
    let mut history = history();
    let Ok(mut record) = decode::<Envelope<Scatter>>(&history.steps[2].body) else {
        panic!("a scatter record");
    };
    record.payload.passages[0].text = "x".repeat(240 * 1024);
    history.steps[2].body = encode(&record).unwrap();
    let start = ReplayPoint::from_history(&history, &old(), Role::Reducer, None).unwrap();
    check(&start, &history, &Overrides::default(), KEEP).unwrap();
    let mut long = Overrides::default();
    long.prompts.insert("reducer".into(), "x".repeat(32 * 1024));
    for role in [Role::Reducer, Role::Mapper] {
        let start = ReplayPoint::from_history(&history, &old(), role, None).unwrap();
        let error = check(&start, &history, &long, KEEP).unwrap_err();
        let is_too_large = matches!(
            error,
            Error::Outbox(OutboxError::Codec(CodecError::TooLarge { .. }))
        );
        assert!(is_too_large, "{role}: {error:?}");
    }
}

#[test]
fn two_letters_of_one_step_are_one_turn() {
    let letter = |subject: &str, sequence, origin: &str| {
        let mut letter = stored(subject, sequence, Bytes::new());
        letter.headers = letter.headers.with(header::DEAD_ORIGIN, origin);
        retry_id(&letter)
    };
    let first = letter("argosy.dead.planner.old.0", 7, "ARGOSY_STEPS_0/5");
    assert_eq!(
        first,
        letter("argosy.dead.planner.old.0", 8, "ARGOSY_STEPS_0/5")
    );
    assert_ne!(
        first,
        letter("argosy.dead.planner.old.0", 7, "ARGOSY_STEPS_0/6")
    );
    assert_ne!(
        first,
        letter("argosy.dead.planner.old.1", 7, "ARGOSY_STEPS_0/5")
    );
    let map = |place: &str, n| letter(&format!("argosy.dead.mapper.{place}"), n, &format!("S/{n}"));
    assert_eq!(map("old.3.1", 5), map("old.3.2", 6), "one fan-out");
    assert_ne!(map("old.3.1", 5), map("old.7.1", 6));
    assert_ne!(map("old.3.1", 5), map("older.3.1", 5));
    let replays = replay_ids(&old());
    assert_eq!(replays.len(), usize::from(REPLAYS_MAX));
    assert!(replays.iter().all(TurnId::is_derived));
}

#[tokio::test]
async fn who_claims_twice_has_claimed_once() {
    let bus = bus::memory::MemoryBus::new(&bus::topology::Topology::default());
    let (start, turn) = (from(Role::Planner), TurnId::again("y"));
    let minute = Duration::from_secs(60);
    let first = claim(&*bus, &start, &turn, minute, KEEP).await.unwrap();
    assert_eq!(
        (first.created, first.has_ended),
        (CreateOutcome::Now, false)
    );
    let second = claim(&*bus, &start, &turn, minute * 2, KEEP).await.unwrap();
    assert_eq!(second.created, CreateOutcome::Before);
    assert_eq!(
        second.header, first.header,
        "the first one's deadline holds"
    );
    for claim in [first, second] {
        let none = Overrides::default();
        let all = messages(&start, &history(), &claim.header, &none, KEEP).unwrap();
        begin(&*bus, all).await.unwrap();
    }
    let steps = bus.count(Stream::Steps(0), "argosy.step.>").await.unwrap();
    assert_eq!(steps, 1);
    let mut other = from(Role::Planner);
    header_of(&mut other).turn = TurnId::new("another").unwrap();
    let taken = claim(&*bus, &other, &turn, minute, KEEP).await;
    assert!(matches!(taken, Err(Error::Taken(_))), "{taken:?}");
}

#[tokio::test]
async fn the_new_question_is_a_span_of_its_own_under_who_created_the_step() {
    let bus = bus::memory::MemoryBus::new(&bus::topology::Topology::default());
    let creator = TraceContext::parse(CREATOR).unwrap();
    let mut seen = vec![creator.span_id()];
    for (name, role) in [("y", Role::Planner), ("z", Role::Mapper)] {
        let (start, turn) = (from(role), TurnId::again(name));
        let minute = Duration::from_secs(60);
        let new = claim(&*bus, &start, &turn, minute, KEEP).await.unwrap();
        let at = Subject::Timer { turn, hop: None }.to_string();
        let timer = bus.last(Stream::Timers, &at).await.unwrap().unwrap();
        assert_eq!(timer.headers.get(header::ASKED_UNDER), Some(CREATOR));
        let told: Header = serde_json::from_slice(&timer.body).unwrap();
        let question = TraceContext::parse(told.traceparent.as_deref().unwrap()).unwrap();
        assert_eq!(question.trace_id(), creator.trace_id());
        assert!(question.is_sampled(), "as the old turn was");
        seen.push(question.span_id());
        let none = Overrides::default();
        let all = messages(&start, &history(), &new.header, &none, KEEP).unwrap();
        let question = question.to_string();
        let under = |m: &Publish| m.headers.get(header::TRACEPARENT) == Some(question.as_str());
        assert!(all.iter().all(under), "{all:#?}");
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 3, "no id twice: {seen:?}");
    // What was recorded without a trace goes on without one.
    let mut bare = from(Role::Planner);
    header_of(&mut bare).traceparent = None;
    assert_eq!(begun(&bare).traceparent, None);
}

/// A part that cost a call.
fn paid(index: u16, result: PartResult) -> StoredMessage {
    let mut stored = part(3, index, result);
    let mut part: Part = decode(&stored.body).unwrap();
    let usage = Usage {
        calls: 1,
        tokens_in: 10,
        tokens_out: 2,
        ..Usage::default()
    };
    part.entry = Some(TrailEntry {
        role: Role::Mapper,
        hop: 3,
        round: 0,
        index: Some(index),
        attempt: 1,
        queued_ms: 0,
        worked_ms: 7,
        model: Some("tiny".into()),
        usage,
        decided: String::new(),
        fallbacks: Vec::new(),
        prompts: Default::default(),
        remarks: Default::default(),
        conditions: None,
    });
    stored.body = encode(&part).unwrap();
    stored
}

#[test]
fn findings_that_are_taken_over_cost_the_new_turn_nothing() {
    let mut history = history();
    for index in [0, 2] {
        let at = format!("argosy.part.0.old.3.{index}");
        history.steps.retain(|stored| stored.subject != at);
        history.steps.push(paid(index, findings()));
    }
    let letter = stored("argosy.dead.mapper.old.3.1", 7, Bytes::new());
    let start = ReplayPoint::from_letter(&letter, &history).unwrap();
    let all = messages(
        &start,
        &history,
        &begun(&start),
        &Overrides::default(),
        KEEP,
    )
    .unwrap();
    let parts = all.iter().filter(|m| m.subject.starts_with("argosy.part."));
    let parts: Vec<Part> = parts.map(|m| decode(&m.body).unwrap()).collect();
    assert_eq!(parts.len(), 2);
    for entry in parts.into_iter().map(|part| part.entry.unwrap()) {
        assert_eq!((entry.usage.calls, entry.worked_ms), (0, 7), "{entry:?}");
    }
}
