//! Delivers core messages to the subscriptions that are open at that moment, and stores them nowhere.

use super::Shared;
use super::subjects::matches;
use crate::{CoreMessage, Subscription};
use futures_util::{FutureExt, future::BoxFuture};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Messages that may wait in one subscription; what comes then is lost, as it is on a server.
const QUEUE_MAX: usize = 1 << 14;

struct Listener {
    pattern: String,
    queue: Option<String>,
    sender: mpsc::Sender<CoreMessage>,
}

/// Every subscription.
#[derive(Default)]
pub(super) struct Core {
    listeners: BTreeMap<u64, Listener>,
    next_id: u64,
    /// Grows with every delivery to a queue group: its members take turns.
    turn: usize,
}

impl Core {
    /// Delivers a message, which is only built when a subscription matches.
    pub(super) fn deliver_with(&mut self, subject: &str, make: impl FnOnce() -> CoreMessage) {
        let mut heard = self
            .listeners
            .values()
            .filter(|listener| matches(&listener.pattern, subject))
            .peekable();
        if heard.peek().is_none() {
            return;
        }
        let message = make();
        let mut groups: BTreeMap<&str, Vec<&Listener>> = BTreeMap::new();
        for listener in heard {
            match &listener.queue {
                Some(queue) => groups.entry(queue).or_default().push(listener),
                None => drop(listener.sender.try_send(message.clone())),
            }
        }
        for members in groups.values() {
            let chosen = members[self.turn % members.len()];
            self.turn = self.turn.wrapping_add(1);
            drop(chosen.sender.try_send(message.clone()));
        }
    }
}

/// A subscription; it ends when it is dropped.
pub(super) struct MemorySubscription {
    shared: Arc<Shared>,
    id: u64,
    messages: mpsc::Receiver<CoreMessage>,
}

impl MemorySubscription {
    pub(super) fn open(shared: &Arc<Shared>, pattern: &str, queue: Option<&str>) -> Self {
        let (sender, messages) = mpsc::channel(QUEUE_MAX);
        let core = &mut shared.state().core;
        core.next_id += 1;
        let listener = Listener {
            pattern: pattern.to_owned(),
            queue: queue.map(str::to_owned),
            sender,
        };
        core.listeners.insert(core.next_id, listener);
        MemorySubscription {
            shared: shared.clone(),
            id: core.next_id,
            messages,
        }
    }
}

impl Subscription for MemorySubscription {
    fn next(&mut self) -> BoxFuture<'_, Option<CoreMessage>> {
        self.messages.recv().boxed()
    }
}

impl Drop for MemorySubscription {
    fn drop(&mut self) {
        self.shared.state().core.listeners.remove(&self.id);
    }
}
