//! Tests of the findings on made-up gateways, stores and streams.

use super::super::CheckStatus;
use super::*;
use inspect::processes::StoreState;

const DAY: Duration = Duration::from_secs(86_400);
const MINUTE: Duration = Duration::from_secs(60);

fn process(role: Role, n: u32) -> ProcessStatus {
    let seen = serde_json::json!({"role": role, "process": format!("{role}-{n}"), "ready": true});
    serde_json::from_value(seen).unwrap()
}

fn gateway(n: u32, takes: Option<bool>) -> ProcessStatus {
    ProcessStatus {
        conversations: takes,
        ..process(Role::Gateway, n)
    }
}

fn reader(n: u32, at: u64) -> ProcessStatus {
    let store = StoreState {
        at,
        conversations: 12,
        events: 40,
        bytes: 5 << 20,
    };
    ProcessStatus {
        store: Some(store),
        ..process(Role::Conversation, n)
    }
}

#[test]
fn gateways_have_to_agree_whether_conversations_are_taken() {
    let said = |takes: &[Option<bool>]| {
        let gateways = takes.iter().zip(1..).map(|(takes, n)| gateway(n, *takes));
        taken(&gateways.collect::<Vec<_>>())
    };
    assert_eq!(said(&[]).verdict, CheckStatus::Skip);
    assert_eq!(said(&[Some(true), None]).verdict, CheckStatus::Ok);
    let off = said(&[Some(false), Some(false)]);
    assert_eq!(off.verdict, CheckStatus::Ok);
    assert!(off.text.contains("no gateway takes"), "{off:?}");
    let mixed = said(&[Some(true), Some(false)]);
    assert_eq!(mixed.verdict, CheckStatus::Warn);
    assert!(mixed.text.starts_with("gateway-2 takes no"), "{mixed:?}");
}

#[test]
fn conversations_that_are_taken_have_to_be_read() {
    let nobody = |takes| followed(&[gateway(1, Some(takes))], 9).verdict;
    assert_eq!(
        (nobody(true), nobody(false)),
        (CheckStatus::Fail, CheckStatus::Ok)
    );
    let said = |readers: &[ProcessStatus]| followed(readers, 5_000);
    let near = said(&[reader(1, 5_000), reader(2, 4_000)]);
    assert_eq!(near.verdict, CheckStatus::Ok);
    assert!(
        near.text.contains("12 conversations in 5.0 MiB"),
        "{near:?}"
    );
    let far = said(&[reader(1, 5_000), reader(2, 3_999)]);
    assert_eq!(far.verdict, CheckStatus::Warn);
    assert!(far.text.contains("conversation-2"), "{far:?}");
    assert!(far.text.contains("1001 events behind"), "{far:?}");
    let without = said(&[process(Role::Conversation, 1)]);
    assert_eq!(without.verdict, CheckStatus::Warn);
    assert!(without.text.contains("keeps no store"), "{without:?}");
}

/// A stream with so many bytes of 1 GiB, whose oldest event is of that age.
fn reach(messages: u64, bytes: u64, oldest: Duration) -> LogReach {
    LogReach {
        state: StreamState {
            messages,
            bytes,
            max_bytes: 1 << 30,
            ..StreamState::default()
        },
        oldest,
        kept: 30 * DAY,
        rate: None,
    }
}

#[test]
fn room_that_is_shorter_than_a_question_may_wait_is_told() {
    // A tenth of the room in six minutes.
    let fast = reach(100_000, (1 << 30) / 10, 6 * MINUTE).said();
    assert_eq!(fast.verdict, CheckStatus::Ok, "an hour: {fast:?}");
    let faster = reach(100_000, (1 << 30) / 10, 5 * MINUTE).said();
    assert_eq!(faster.verdict, CheckStatus::Warn);
    assert!(faster.text.contains("has room for 50m"), "{faster:?}");
    assert!(
        faster
            .fix
            .unwrap()
            .contains("`streams.conversations_bytes`")
    );
    // Too few events, or in too short a time, are no pace.
    assert_eq!(reach(4, 1 << 29, MINUTE).said().verdict, CheckStatus::Ok);
    assert_eq!(
        reach(100, 1 << 29, MINUTE / 2).said().verdict,
        CheckStatus::Ok
    );
    assert_eq!(reach(0, 0, Duration::ZERO).said().verdict, CheckStatus::Ok);
}

#[test]
fn a_rate_that_is_asked_for_counts_instead_of_the_pace() {
    let at = |rate| LogReach {
        rate: Some(rate),
        ..reach(0, 0, Duration::ZERO)
    };
    // 2,350 bytes a turn: 1 GiB is 457,000 turns.
    assert_eq!(at(100.0).said().verdict, CheckStatus::Ok);
    assert_eq!(at(200.0).said().verdict, CheckStatus::Warn);
}

#[test]
fn what_the_room_takes_away_before_its_time_is_told() {
    let full = |oldest| reach(1_000_000, 1 << 30, oldest).said();
    let bites = full(9 * DAY);
    assert_eq!(bites.verdict, CheckStatus::Warn);
    assert!(bites.text.contains("reaches 9d back"), "{bites:?}");
    assert!(bites.text.contains("go before 30d"), "{bites:?}");
    assert_eq!(full(30 * DAY).verdict, CheckStatus::Ok);
    let half = reach(500_000, 1 << 29, 9 * DAY).said();
    assert_eq!(half.verdict, CheckStatus::Ok);
}
