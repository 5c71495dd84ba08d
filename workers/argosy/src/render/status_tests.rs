//! Tests the rendering of a made-up fleet: the table, the JSON object, the sort order, the quantiles.

use super::table;
use crate::doctor::room::full_at;
use bus::memory::MemoryBus;
use bus::topology::Topology;
use bus::{Bus, Publish, Stream, StreamState};
use envelope::{Role, TurnId, UnixMs};
use inspect::position::TurnPosition;
use inspect::processes::{ProcessStatus, Recent, StoreState};
use inspect::status::{FleetFacts, Key, Queue, RoleOrder, look, status};
use std::time::Duration;
use streams::backlog::Backlog;
use telemetry::buckets::STEP_DURATION;

fn process(role: Role, n: u32, ready: bool) -> ProcessStatus {
    let mut durations = vec![0; STEP_DURATION.len() + 1];
    (durations[0], durations[2]) = (90, 10);
    ProcessStatus {
        role,
        process: format!("{role}-{n}"),
        version: "0.1.0".into(),
        listens: None,
        uptime_s: 60,
        ready,
        reason: (!ready).then(|| "nats: not connected".to_owned()),
        waits_for: Default::default(),
        index: None,
        store: None,
        conversations: None,
        disk: None,
        in_flight: 3,
        limit: 64,
        recent: Recent {
            seconds: 60,
            answered: 101,
            errors: 1,
            durations,
        },
        model: None,
        nodes: Vec::new(),
    }
}

/// Two mappers, one of them not ready; a planner; questions that wait; a stream that is half full.
fn facts() -> FleetFacts {
    let queue = |pending, ack_pending, age: Option<u64>, dead| Queue {
        backlog: Some(Backlog {
            pending,
            ack_pending,
        }),
        oldest: age.map(|age| UnixMs(1_000_000 - age)),
        dead,
    };
    let roles = [
        Role::Conversation,
        Role::Planner,
        Role::Retriever,
        Role::Mapper,
        Role::Gateway,
        Role::Indexer,
    ];
    let queues = roles.map(|role| match role {
        Role::Mapper => (role, queue(1_234, 6, Some(75_000), 0)),
        Role::Retriever => (role, queue(2, 0, Some(900), 0)),
        Role::Indexer => (role, queue(0, 0, None, 17)),
        _ => (role, queue(0, 0, None, 0)),
    });
    let state = |bytes| StreamState {
        messages: u64::from(bytes > 0),
        bytes,
        max_bytes: 1 << 30,
        ..StreamState::default()
    };
    FleetFacts {
        now: UnixMs(1_000_000),
        seen: vec![
            process(Role::Planner, 1, true),
            process(Role::Mapper, 1, true),
            process(Role::Mapper, 2, false),
        ],
        queues: queues.to_vec(),
        inbox: queue(12, 1, Some(3_400), 0),
        streams: vec![
            (Stream::Inbox, state(1 << 29)),
            (Stream::Timers, state(3)),
            (Stream::Dead, state(0)),
        ],
        reach: None,
        turn: Some((
            TurnId::new("q-3kTz").unwrap(),
            TurnPosition::Waiting {
                before: Role::Gateway,
                position: 4,
                of: 12,
            },
        )),
    }
}

fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

#[test]
fn the_table_is_as_people_read_it() {
    let table = table(&status(&facts(), full_at(0.7)));
    insta::assert_snapshot!("status", plain(&table));
}

#[test]
fn the_object_is_as_programs_read_it() {
    let status = status(&facts(), full_at(0.7));
    let mapper = status
        .roles
        .iter()
        .find(|r| r.role == Role::Mapper)
        .unwrap();
    insta::assert_json_snapshot!("status_mapper", mapper);
    insta::assert_json_snapshot!("status_turn", status.turn);
}

#[tokio::test(start_paused = true)]
async fn a_missing_consumer_hides_one_number_and_not_the_rest() {
    let topology = Topology::default();
    let bus = MemoryBus::new(&topology);
    let step = Publish::new("argosy.step.0.mapper.q-1.2.0", bytes::Bytes::new());
    bus.publish(step).await.unwrap();
    let reducer = topology.consumer(Role::Reducer);
    bus.drop_consumer(&reducer).await.unwrap();
    let status = status(&look(&*bus, &topology, None).await.unwrap(), full_at(0.7));
    let of = |role: Role| status.roles.iter().find(|one| one.role == role).unwrap();
    let pending = [Role::Mapper, Role::Reducer, Role::Planner].map(|role| of(role).pending);
    assert_eq!(pending, [Some(1), None, Some(0)]);
    let json = serde_json::to_value(of(Role::Reducer)).unwrap();
    assert_eq!(json["pending"], serde_json::Value::Null);
    assert!(json.as_object().unwrap().contains_key("ack_pending"));
    let table = plain(&table(&status));
    let row = table.lines().find(|line| line.starts_with("reducer "));
    assert_eq!(row.unwrap().matches('?').count(), 2, "{table}");
    let line = table.lines().find(|line| line.starts_with("reducer: "));
    let line = line.unwrap();
    assert!(
        line.contains("argosy setup") && line.contains("argosy doctor"),
        "{line}"
    );

    let turn = TurnId::new("q-1").unwrap();
    bus.drop_consumer(&topology.consumer(Role::Mapper))
        .await
        .unwrap();
    let facts = look(&*bus, &topology, Some(&turn)).await.unwrap();
    let before = Role::Mapper;
    assert_eq!(facts.turn, Some((turn, TurnPosition::Stuck { before })));
}

#[test]
fn stores_of_conversations_are_shown_with_how_far_they_are() {
    let mut facts = facts();
    let stream = StreamState {
        last: 900,
        ..StreamState::default()
    };
    facts.streams.push((Stream::Conversations, stream));
    facts.reach = Some(Duration::from_secs(3 * 3_600));
    let store = |n, at| ProcessStatus {
        store: Some(StoreState {
            at,
            conversations: 12,
            events: 40,
            bytes: 5 << 20,
        }),
        ..process(Role::Conversation, n, true)
    };
    let gateway = |n, takes| ProcessStatus {
        conversations: Some(takes),
        ..process(Role::Gateway, n, true)
    };
    facts.seen.extend([
        store(1, 900),
        store(2, 891),
        process(Role::Conversation, 3, true),
        gateway(1, true),
        gateway(2, false),
    ]);
    let status = status(&facts, full_at(0.7));
    let told = &status.conversations;
    let behind: Vec<_> = told.stores.iter().map(|store| store.behind).collect();
    assert_eq!(behind, [Some(0), Some(9), None]);
    assert_eq!(
        (told.taking, told.gateways, told.reach_ms),
        (1, 2, Some(10_800_000))
    );
    let table = plain(&table(&status));
    for line in [
        "conversations: reach 3 h back",
        "conversations: 1 of 2 gateways take none (`gateway.conversations`)",
        "store of conversation-1: up to date, 12 conversations, 5.0 MiB on disk",
        "store of conversation-2: 9 events behind, 12 conversations, 5.0 MiB on disk",
        "store of conversation-3: none, it reads each log from the stream",
    ] {
        assert!(
            table.lines().any(|one| one == line),
            "{line} is not in\n{table}"
        );
    }
}

#[test]
fn a_fleet_without_processes_is_told_from_an_idle_one() {
    let table = |facts: &FleetFacts| plain(&table(&status(facts, full_at(0.7))));
    let mut facts = facts();
    assert!(!table(&facts).contains("no process reports"));
    facts.seen.clear();
    let text = table(&facts);
    assert!(
        text.contains("no process reports; start one of each role with `argosy run ROLE`"),
        "{text}"
    );
}

#[test]
fn what_is_meant_to_be_full_is_not_marked() {
    let state = |bytes| StreamState {
        bytes,
        max_bytes: 100,
        ..StreamState::default()
    };
    let mut facts = facts();
    facts.streams = vec![
        (Stream::Steps(0), state(70)),
        (Stream::Chunks, state(80)),
        (Stream::Dead, state(100)),
        (Stream::Inbox, state(95)),
    ];
    let status = status(&facts, full_at(0.7));
    let short: Vec<bool> = status.streams.iter().map(|room| room.short).collect();
    assert_eq!(short, [true, false, false, true]);
    let table = table(&status);
    let red: Vec<&str> = table.lines().filter(|l| l.contains("\u{1b}[31m")).collect();
    let marked = |name| red.iter().any(|line| line.starts_with(name));
    assert!(
        marked("ARGOSY_STEPS_0") && marked("ARGOSY_INBOX"),
        "{red:?}"
    );
    assert!(
        !marked("ARGOSY_CHUNKS") && !marked("ARGOSY_DEAD"),
        "{red:?}"
    );
}

#[test]
fn the_worst_come_first_and_equals_keep_their_order() {
    let first = |key: Key| {
        let sorted = status(&facts(), full_at(0.7)).sorted(RoleOrder::by(key));
        [sorted.roles[0].role, sorted.roles[1].role]
    };
    assert_eq!(first(Key::Role), [Role::Conversation, Role::Planner]);
    assert_eq!(first(Key::Pending), [Role::Mapper, Role::Retriever]);
    assert_eq!(first(Key::Oldest), [Role::Mapper, Role::Retriever]);
    assert_eq!(first(Key::Dead), [Role::Indexer, Role::Conversation]);
    assert_eq!(first(Key::Errors), [Role::Mapper, Role::Planner]);
    let last = |key: Key| {
        let is_reversed = true;
        let sorted = status(&facts(), full_at(0.7)).sorted(RoleOrder { key, is_reversed });
        sorted.roles.iter().map(|one| one.role).next_back()
    };
    assert_eq!(last(Key::Role), Some(Role::Conversation));
    assert_eq!(last(Key::Pending), Some(Role::Mapper));
}
