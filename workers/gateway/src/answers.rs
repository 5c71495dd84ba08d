//! Delivers terminal events to whoever asked. Each turn has one terminal event, which is delivered at least once.

use crate::conversations;
use crate::trace;
use crate::turns::{Error, Turns};
use bus::{Delivery, StoredMessage, Stream};
use conversation_log::{ConversationKey, Read};
use envelope::{ConversationId, Subject, TenantId, Terminal, TurnId, header, subject};
use futures_util::future::BoxFuture;
use harness::consumer_loop::{AckDecision, DeliveryHandler};
use std::sync::Arc;
use std::time::Duration;

pub(crate) struct Answers(pub(crate) Arc<Turns>);

/// How many deliveries try to write the end of a turn into its log before the asker is told without it.
const APPENDS: u64 = 4;

/// Whether the process that ended the turn had the turn's header, with all that the gateway writes there.
fn is_from_header(terminal: &StoredMessage) -> bool {
    let hash = terminal.headers.get(header::QUESTION);
    hash.is_some_and(|hash| !hash.is_empty())
}

impl DeliveryHandler for Answers {
    fn handle_delivery<'a>(&'a self, delivery: &'a Delivery) -> BoxFuture<'a, AckDecision> {
        Box::pin(async move {
            match self.take_on(&delivery.message, delivery.delivered).await {
                Ok(()) => {
                    trace::question(&self.0, &delivery.message).await;
                    AckDecision::Ack
                }
                Err(error) => {
                    tracing::warn!(%error, subject = delivery.message.subject, "terminal event to be delivered again");
                    AckDecision::Retry(
                        Duration::from_millis(250) * delivery.delivered.min(40) as u32,
                    )
                }
            }
        })
    }
}

impl Answers {
    /// Handles a terminal event. It is written into the log of its conversation first. Then it is sent to the client,
    /// which may ask the next question at once, and the next turn of the conversation begins. If the log cannot be
    /// written for the moment, the event is sent after a few tries all the same.
    async fn take_on(&self, message: &StoredMessage, delivered: u64) -> Result<(), Error> {
        if message.headers.get(header::ERASED).is_some() {
            // The client got the event before it was erased.
            return Ok(());
        }
        self.count(message, delivered);
        let Ok(Subject::Answer { turn }) = Subject::parse(&message.subject) else {
            tracing::error!(
                subject = message.subject,
                "an answer under no known subject; dropped"
            );
            return Ok(());
        };
        let logged = match self.log(message, &turn).await {
            Err(error) if error.is_for_good() => {
                // The next question of the conversation looks for this end, and a release that can write it does.
                tracing::error!(%error, %turn, "the end of a turn is not in its log");
                Ok(None)
            }
            logged => logged,
        };
        // Once from here, however often the log or the next turn is tried.
        if (logged.is_ok() || delivered >= APPENDS) && !self.0.told.contains(&turn) {
            self.deliver(message, &turn).await?;
            self.0.told.end(&turn);
        }
        match logged? {
            Some((key, read)) => self.0.begin_next(&key, read.as_deref()).await,
            None => Ok(()),
        }
    }

    fn count(&self, message: &StoredMessage, delivered: u64) {
        if delivered > 1 {
            return;
        }
        match envelope::decode::<Terminal>(&message.body) {
            Ok(terminal) => self.0.metrics.ended(&terminal),
            Err(error) => {
                tracing::error!(%error, subject = message.subject, "unreadable terminal event");
            }
        }
    }

    /// Writes the end of a turn into the log of its conversation, if the turn belongs to one, and returns what the
    /// log says then.
    async fn log(
        &self,
        message: &StoredMessage,
        turn: &TurnId,
    ) -> Result<Option<(ConversationKey, Option<Box<Read>>)>, Error> {
        let Some(key) = self.conversation_of(message, turn).await? else {
            return Ok(None);
        };
        let read = self.0.log_end(&key, turn, message).await?;
        Ok(Some((key, read)))
    }

    /// The conversation of a terminal event. A client that cancels a turn does not know it; the turn's timer does.
    async fn conversation_of(
        &self,
        message: &StoredMessage,
        turn: &TurnId,
    ) -> Result<Option<ConversationKey>, Error> {
        let named = message
            .headers
            .get(header::CONVERSATION)
            .zip(message.headers.get(header::TENANT));
        if let Some((conversation, tenant)) = named
            && let (Ok(conversation), Ok(tenant)) =
                (ConversationId::new(conversation), TenantId::new(tenant))
        {
            return Ok(Some(ConversationKey {
                tenant,
                conversation,
            }));
        }
        if is_from_header(message) {
            return Ok(None);
        }
        let header = self.0.claimed_or_due(turn).await?;
        Ok(header.as_ref().and_then(conversations::key))
    }

    async fn deliver(&self, message: &StoredMessage, turn: &TurnId) -> Result<(), Error> {
        self.0.ended.end(turn);
        match message.headers.get(header::REPLY) {
            Some(reply) => self.0.deliver(&message.body, turn, reply).await?,
            None => self.deliver_by_timer(message, turn).await?,
        }
        // Nobody but its own publisher knows a derived id.
        if turn.is_derived() {
            return Ok(());
        }
        self.deliver_to_listeners(message, turn).await
    }

    /// Sends the terminal event to all listeners. The list of listeners may come from a follower that lags. The
    /// leader says which listener is the newest, and a list that holds that one holds all before it.
    async fn deliver_to_listeners(
        &self,
        message: &StoredMessage,
        turn: &TurnId,
    ) -> Result<(), Error> {
        let (bus, filter) = (&self.0.bus, subject::listeners(turn));
        let Some(newest) = bus.last(Stream::Timers, &filter).await? else {
            return Ok(());
        };
        let listeners = bus.last_of_each(Stream::Timers, &[filter]).await?;
        for reply in listeners
            .iter()
            .filter_map(|l| l.headers.get(header::REPLY))
        {
            self.0.deliver(&message.body, turn, reply).await?;
        }
        if listeners.iter().all(|l| l.sequence != newest.sequence) {
            return Err(Error::FollowerLags);
        }
        Ok(())
    }

    /// Sends the terminal event to the asker that the turn's timer names. The event itself does not name one when a
    /// client cancelled the turn or its step could not be read.
    async fn deliver_by_timer(&self, message: &StoredMessage, turn: &TurnId) -> Result<(), Error> {
        if is_from_header(message) {
            return Ok(()); // Which had no reply subject.
        }
        let owner = self.0.claimed_or_due(turn).await?;
        match owner.and_then(|owner| owner.reply_to) {
            Some(reply) => Ok(self.0.deliver(&message.body, turn, &reply).await?),
            None => Ok(()),
        }
    }
}
