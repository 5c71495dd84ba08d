//! Tests the check on logs on a bus, both unchanged and tampered with.

use super::super::CheckStatus;
use super::*;
use bus::Publish;
use bus::memory::MemoryBus;
use bus::topology::Topology;
use std::sync::Arc;
use streams::conversation::subject as log_of;
use testkit::conversation::{Script, key};

/// A bus with conversations of two exchanges each. The answer to the first question is changed before it is stored.
async fn talked(names: &[&str], change: impl Fn(&mut LogEvent)) -> Arc<MemoryBus> {
    let bus = MemoryBus::new(&Topology::default());
    let mut script = Script::default();
    for name in names {
        let key = key("default", name);
        script.exchange(&key, "a");
        script.exchange(&key, "b");
    }
    for mut entry in script.batch().entries {
        if entry.event.state.n == 2 {
            change(&mut entry.event);
        }
        let body = entry.event.write().unwrap();
        let message = Publish::new(log_of(&entry.key), body.into());
        bus.publish(message).await.unwrap();
    }
    bus
}

async fn said_of(bus: &MemoryBus, count: usize) -> Said {
    said(&folded(bus, count).await.unwrap())
}

#[tokio::test(start_paused = true)]
async fn the_last_used_are_folded_and_none_is_named() {
    let bus = talked(&["s3cret-1", "s3cret-2", "s3cret-3"], |_| {}).await;
    let all = said_of(&bus, 8).await;
    assert_eq!(all.verdict, CheckStatus::Ok);
    assert!(all.text.starts_with("12 events of the 3 logs"), "{all:?}");
    let last = folded(&*bus, 1).await.unwrap();
    assert_eq!((last.logs, last.events), (1, 4));
    assert_eq!(folded(&*bus, 0).await.unwrap().logs, 0);
    let empty = MemoryBus::new(&Topology::default());
    assert_eq!(said_of(&empty, 8).await.verdict, CheckStatus::Ok);
}

#[tokio::test(start_paused = true)]
async fn a_log_whose_state_does_not_follow_fails_without_its_id() {
    let wrong = |event: &mut LogEvent| event.state.exchanges.clear();
    let bus = talked(&["s3cret-1", "s3cret-2"], wrong).await;
    let said = said_of(&bus, 8).await;
    assert_eq!(said.verdict, CheckStatus::Fail);
    assert!(said.text.contains("event 2: the state"), "{said:?}");
    assert!(!said.text.contains("s3cret"), "{said:?}");
}

#[tokio::test(start_paused = true)]
async fn what_a_later_release_or_another_program_wrote_is_told_apart() {
    let bus = talked(&["one"], |event| event.v = 9).await;
    let said = said_of(&bus, 8).await;
    assert_eq!(said.verdict, CheckStatus::Warn);
    assert!(said.text.contains("later release"), "{said:?}");
    let bus = talked(&["one"], |_| {}).await;
    let garbage = Publish::new("argosy.conversation.default.one", "{}".into());
    bus.publish(garbage).await.unwrap();
    let said = said_of(&bus, 8).await;
    assert_eq!(said.verdict, CheckStatus::Fail);
    assert!(said.text.contains("event 5: no event"), "{said:?}");
}
