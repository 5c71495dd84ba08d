//! Asks a question as any client of the fleet does: it publishes the question, reports the stages of the turn, and
//! waits for its one terminal event. It works on either bus.

use crate::client::Error;
use crate::client::random_token;
use crate::history;
use crate::outbox::{self, CreateOutcome, publish_until};
use bus::{Bus, BusError, CoreMessage, Publish, StoredMessage, Stream, Subscription};
use envelope::live::{LiveText, LiveWait};
use envelope::{Header, Outcome, Subject, TenantId, Terminal, TrailEntry, TurnId, subject};
use serde_json::{Map, Value};
use std::time::Duration;
use telemetry::TraceContext;
use tokio::time::{Instant, timeout};

/// A question to publish.
#[derive(Debug, Clone, Default)]
pub struct Ask {
    /// The question.
    pub question: String,
    /// Further fields of the ingress message, as docs/wire.md lists them.
    pub fields: Map<String, Value>,
    /// How long to wait for the terminal event.
    pub wait: Duration,
}

/// Most time to subscribe.
const LISTEN_MAX: Duration = Duration::from_secs(10);
/// How often the answers stream itself is looked at, should the delivery be lost.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Most time to look whether a gateway has taken it.
const TAKEN_MAX: Duration = Duration::from_secs(1);
/// Most time to look for the trace of an answer that is there.
const TRACE_MAX: Duration = Duration::from_secs(1);

/// News of a question while a client waits for its answer.
#[derive(Debug)]
pub enum News<'a> {
    /// A stage has ended.
    Stage(&'a TrailEntry),
    /// A stage has begun something that will likely take this long.
    Expected(&'a LiveWait),
    /// A stage has written a piece of a draft, which is unchecked: see [`DraftText`](crate::client::DraftText).
    Text(&'a LiveText),
    /// The client has looked for the answer, and there is none yet.
    Waiting {
        /// Whether there is no sign that a gateway has taken the question.
        is_untaken: bool,
    },
}

/// Publishes the question and waits for its terminal event. `live` gets the news meanwhile; they include stages and
/// drafts unless the field `stream` of the question says otherwise.
pub async fn ask(
    bus: &dyn Bus,
    ask: Ask,
    mut live: impl FnMut(News<'_>),
) -> Result<Terminal, Error> {
    let turn = match ask.fields.get("id").and_then(Value::as_str) {
        Some(id) => TurnId::new(id)?,
        None => new_turn(),
    };
    let reply = format!("{}.{}", bus.inbox(), random_token());
    let mut replies = listen(bus, &reply).await?;
    let live_subject = Subject::Live { turn: turn.clone() }.to_string();
    let mut stages = listen(bus, &live_subject).await?;
    publish(bus, &turn, ask.question, ask.fields, reply).await?;
    wait_for(bus, &turn, &mut *replies, &mut *stages, ask.wait, &mut live).await
}

/// Publishes a question under this id; its end is delivered to `reply`. Its stages and drafts are told live unless the
/// field `stream` says otherwise.
pub async fn publish(
    bus: &dyn Bus,
    turn: &TurnId,
    question: String,
    mut fields: Map<String, Value>,
    reply: String,
) -> Result<(), Error> {
    fields.insert("question".into(), question.into());
    fields.insert("id".into(), turn.as_str().into());
    fields.insert("reply_to".into(), reply.into());
    fields.entry("stream").or_insert(true.into());
    let body = serde_json::to_vec(&fields)?;
    let until = bus.now().plus(5_000);
    publish_until(bus, Publish::new(subject::QUERY, body.into()), until).await?;
    Ok(())
}

/// An id for a turn, to be known before its question is published.
pub fn new_turn() -> TurnId {
    // Letters and digits after letters and a dash: nothing that an id may not have, and no derived one.
    TurnId::new(format!("q-{}", random_token())).unwrap_or_else(|_| TurnId::again("q"))
}

/// Subscribes, which waits for a server that is away, though not for ever.
pub(super) async fn listen(bus: &dyn Bus, subject: &str) -> Result<Box<dyn Subscription>, Error> {
    match timeout(LISTEN_MAX, bus.subscribe(subject, None)).await {
        Ok(listening) => Ok(listening?),
        Err(_) => Err(Error::Away),
    }
}

async fn wait_for(
    bus: &dyn Bus,
    turn: &TurnId,
    replies: &mut dyn Subscription,
    stages: &mut dyn Subscription,
    wait: Duration,
    live: &mut impl FnMut(News<'_>),
) -> Result<Terminal, Error> {
    let deadline = Instant::now() + wait;
    let late = |is_untaken| Error::Late {
        turn: turn.clone(),
        wait,
        is_untaken,
    };
    let mut is_taken = false;
    let mut look = tokio::time::interval(LOOK_EVERY);
    look.tick().await;
    let mut hear_stages = true;
    loop {
        tokio::select! {
            // What a stage said before the end is heard before the end.
            biased;
            stage = stages.next(), if hear_stages => match stage {
                None => hear_stages = false,
                Some(stage) => is_taken |= hear(&stage.body, live),
            },
            reply = replies.next() => {
                let Some(reply) = reply else { return Err(late(false)) };
                return read(&reply.body);
            }
            () = tokio::time::sleep_until(deadline) => {
                return Err(late(!is_taken && taken(bus, turn).await == Some(false)));
            }
            _ = look.tick() => {
                if let Ok(Some(stored)) = terminal(bus, turn).await {
                    return read(&stored.body);
                }
                let known = match is_taken {
                    true => Some(true),
                    false => taken(bus, turn).await,
                };
                is_taken = known == Some(true);
                live(News::Waiting { is_untaken: known == Some(false) });
            }
        }
    }
}

/// Tells what a message of a running turn says; whether it was one.
fn hear(body: &[u8], live: &mut impl FnMut(News<'_>)) -> bool {
    if let Ok(entry) = serde_json::from_slice::<TrailEntry>(body) {
        live(News::Stage(&entry));
    } else if let Ok(piece) = serde_json::from_slice::<LiveText>(body) {
        live(News::Text(&piece));
    } else if let Ok(wait) = serde_json::from_slice::<LiveWait>(body) {
        live(News::Expected(&wait));
    } else {
        return false;
    }
    true
}

pub(super) fn read(body: &[u8]) -> Result<Terminal, Error> {
    envelope::decode(body).map_err(Error::Unreadable)
}

/// Whether a timer of the turn is stored, which is what a gateway begins with; `None` where that is not
/// known.
async fn taken(bus: &dyn Bus, turn: &TurnId) -> Option<bool> {
    let timer = timeout(TAKEN_MAX, history::timer(bus, turn)).await;
    Some(timer.ok()?.ok()?.is_some())
}

pub(super) async fn terminal(
    bus: &dyn Bus,
    turn: &TurnId,
) -> Result<Option<StoredMessage>, BusError> {
    bus.last(Stream::Answers, &subject::answer(turn)).await
}

/// The terminal event of a turn that was asked before.
pub async fn answer(bus: &dyn Bus, turn: &TurnId) -> Result<Terminal, Error> {
    if let Some(stored) = terminal(bus, turn).await? {
        return read(&stored.body);
    }
    match history::timer(bus, turn).await? {
        Some(_) => Err(Error::Unended(turn.clone())),
        None => Err(Error::NoAnswer(turn.clone())),
    }
}

/// The id of the trace of a turn, for as long as its timer is stored, if the turn is traced. Any failure gives
/// `None`: an answer is shown all the same.
pub async fn trace_id(bus: &dyn Bus, turn: &TurnId) -> Option<String> {
    let begun = timeout(TRACE_MAX, history::begun(bus, turn)).await;
    trace_id_in(&begun.ok()?.ok()??)
}

/// The id of the trace that a message of a turn belongs to, if the trace is recorded.
pub fn trace_id_in(header: &Header) -> Option<String> {
    let context = TraceContext::parse(header.traceparent.as_deref()?)?;
    context.is_sampled().then(|| context.trace_id())
}

/// Cancels a turn: it stores the terminal event first, then tells the workers. It needs no gateway.
pub async fn cancel(bus: &dyn Bus, turn: &TurnId) -> Result<CreateOutcome, Error> {
    let timer = history::timer(bus, turn).await?;
    if timer.is_none() && terminal(bus, turn).await?.is_none() {
        return Err(Error::NoTurn(turn.clone()));
    }
    let known = timer
        .as_ref()
        .and_then(|t| serde_json::from_slice::<Header>(&t.body).ok());
    let event = match &known {
        Some(header) => Terminal::of(header, Outcome::Cancelled, bus.now()),
        None => {
            let tenant = TenantId::default_tenant();
            Terminal::bare(turn.clone(), tenant, Outcome::Cancelled, bus.now())
        }
    };
    let reply = known.as_ref().and_then(|header| header.reply_to.as_deref());
    let message = outbox::terminal(&event, reply).map_err(Error::End)?;
    let created = publish_until(bus, message, bus.now().plus(5_000)).await?;
    let word = Subject::Cancel { turn: turn.clone() };
    bus.broadcast(CoreMessage::new(word, "")).await?;
    Ok(created)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::draft::tests::entry;
    use bus::memory::MemoryBus;
    use bus::topology::Topology;
    use envelope::{Role, UnixMs};

    /// Both have arrived when the client looks; by luck alone, one of 50 turns would end with the stage unheard.
    #[tokio::test(start_paused = true)]
    async fn what_a_stage_said_before_the_end_is_heard_before_the_end() {
        let bus = MemoryBus::new(&Topology::default());
        for n in 0..50 {
            let turn = TurnId::new(format!("t{n}")).unwrap();
            let live = Subject::Live { turn: turn.clone() }.to_string();
            let reply = format!("_INBOX.{n}");
            let mut replies = listen(&*bus, &reply).await.unwrap();
            let mut stages = listen(&*bus, &live).await.unwrap();
            let entry = entry(Role::Validator, 4);
            let tenant = TenantId::default_tenant();
            let end = Terminal::bare(turn.clone(), tenant, Outcome::Answered, UnixMs(1));
            for (subject, body) in [
                (
                    live,
                    bytes::Bytes::from(serde_json::to_vec(&entry).unwrap()),
                ),
                (reply, envelope::encode(&end).unwrap()),
            ] {
                bus.broadcast(CoreMessage::new(subject, body))
                    .await
                    .unwrap();
            }
            let mut heard = 0;
            let mut hear = |news: News<'_>| heard += usize::from(matches!(news, News::Stage(_)));
            let wait = Duration::from_secs(5);
            wait_for(&*bus, &turn, &mut *replies, &mut *stages, wait, &mut hear)
                .await
                .unwrap();
            assert_eq!(heard, 1, "turn {n}");
        }
    }
}
