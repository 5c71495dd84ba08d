//! The ends of all turns that a process asks for, heard over one subscription.
//!
//! A subscription for each question would take 7 KB of the process while its turn runs, and a round trip before it is
//! published. *Not* for a turn that somebody else asked for: its end goes elsewhere.

use crate::client::turn::listen;
use crate::client::{Error, random_token};
use bus::{Bus, CoreMessage};
use envelope::TurnId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{OnceCell, oneshot};
use tokio::task::JoinSet;

/// Hears the ends of turns. It begins to listen with the first of them.
pub struct Ends {
    bus: Arc<dyn Bus>,
    /// What the subjects of this process have in common.
    token: String,
    waiting: Arc<Waiting>,
    /// The task that hears them, which ends with this.
    hearing: OnceCell<JoinSet<()>>,
}

/// Who waits, by the last token of the subject.
#[derive(Default)]
struct Waiting(Mutex<HashMap<String, oneshot::Sender<CoreMessage>>>);

/// One end that is waited for. Dropping it ends the wait.
pub(super) struct Awaited {
    /// Where it has to be delivered.
    pub(super) subject: String,
    key: String,
    ends: Arc<Ends>,
    /// `None` once it is there.
    end: Option<oneshot::Receiver<CoreMessage>>,
}

/// Where the ends of a turn are delivered, whoever asked.
pub(super) fn of_turn(turn: &TurnId) -> String {
    format!("argosy.reply.turn.{turn}.>")
}

impl Ends {
    /// Those of a process.
    pub fn new(bus: Arc<dyn Bus>) -> Arc<Ends> {
        Arc::new(Ends {
            bus,
            token: random_token(),
            waiting: Arc::default(),
            hearing: OnceCell::new(),
        })
    }

    pub(super) fn bus(&self) -> &Arc<dyn Bus> {
        &self.bus
    }

    /// Waits for the end of a turn whose question is published after this.
    pub(super) async fn wait_for(self: &Arc<Ends>, turn: &TurnId) -> Result<Awaited, Error> {
        self.hearing.get_or_try_init(|| self.hear()).await?;
        let key = random_token();
        let (sender, end) = oneshot::channel();
        self.waiting.all().insert(key.clone(), sender);
        Ok(Awaited {
            subject: format!("argosy.reply.turn.{turn}.{}.{key}", self.token),
            key,
            ends: self.clone(),
            end: Some(end),
        })
    }

    async fn hear(&self) -> Result<JoinSet<()>, Error> {
        let subject = format!("argosy.reply.turn.*.{}.*", self.token);
        let mut ends = listen(&*self.bus, &subject).await?;
        let waiting = self.waiting.clone();
        let mut hearing = JoinSet::new();
        hearing.spawn(async move {
            while let Some(end) = ends.next().await {
                waiting.deliver(end);
            }
        });
        Ok(hearing)
    }
}

impl Waiting {
    fn all(&self) -> MutexGuard<'_, HashMap<String, oneshot::Sender<CoreMessage>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn deliver(&self, end: CoreMessage) {
        let key = end.subject.rsplit('.').next().unwrap_or_default();
        let sender = self.all().remove(key);
        if let Some(sender) = sender {
            // Who waited may have gone just now.
            let _ = sender.send(end);
        }
    }
}

impl Awaited {
    /// The end, once; then, or where nothing is heard any more, it never comes.
    pub(super) async fn next(&mut self) -> CoreMessage {
        if let Some(end) = &mut self.end {
            let heard = end.await;
            self.end = None;
            if let Ok(heard) = heard {
                return heard;
            }
        }
        std::future::pending().await
    }
}

impl Drop for Awaited {
    fn drop(&mut self) {
        self.ends.waiting.all().remove(&self.key);
    }
}
