//! Tests whether events are read from the store or from the log.

use super::*;
use conversation_log::{EventKind, State, VERSION};
use envelope::{ConversationId, TenantId, UnixMs};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A store of the events up to a sequence. It fails for the others if it is told to, and counts how often it is
/// asked.
struct Upto(u64, bool, AtomicUsize);

impl EventSource for Upto {
    fn events<'a>(
        &'a self,
        _: &'a ConversationKey,
        sequences: &'a [u64],
    ) -> BoxFuture<'a, Result<Vec<Option<LogEvent>>, SourceError>> {
        self.2.fetch_add(1, Ordering::Relaxed);
        let event = |at: &u64| (*at <= self.0).then(event);
        let events = match self.1 {
            true => Err(SourceError::Away("broken".into())),
            false => Ok(sequences.iter().map(event).collect()),
        };
        Box::pin(std::future::ready(events))
    }
}

fn event() -> LogEvent {
    LogEvent {
        v: VERSION,
        at: UnixMs(1),
        event: EventKind::Forked {
            child: ConversationId::new("child").unwrap(),
            exchanges: 1,
        },
        state: State::default(),
    }
}

async fn asked(store: Upto, seen: u64, sequences: &[u64]) -> [usize; 2] {
    let (store, log) = (
        Arc::new(store),
        Arc::new(Upto(9, false, AtomicUsize::new(0))),
    );
    let (_told, seen) = watch::channel(seen);
    let both = StoreFirst::new(store.clone(), seen, log.clone());
    let key = ConversationKey {
        tenant: TenantId::default_tenant(),
        conversation: ConversationId::new("talk").unwrap(),
    };
    let events = both.events(&key, sequences).await.unwrap();
    assert!(events.iter().all(Option::is_some));
    [&store, &log].map(|source| source.2.load(Ordering::Relaxed))
}

#[tokio::test]
async fn the_store_answers_for_what_it_has_seen_and_the_log_for_the_rest() {
    let store = |upto, fails| Upto(upto, fails, AtomicUsize::new(0));
    assert_eq!(asked(store(9, false), 9, &[3, 9]).await, [1, 0]);
    assert_eq!(asked(store(9, false), 8, &[3, 9]).await, [0, 1], "it lags");
    assert_eq!(
        asked(store(9, false), 0, &[3]).await,
        [0, 1],
        "it answers for nothing"
    );
    assert_eq!(
        asked(store(2, false), 9, &[3]).await,
        [1, 1],
        "it lacks one"
    );
    assert_eq!(asked(store(9, true), 9, &[3]).await, [1, 1], "it fails");
}
