//! Cancels the turns of an erased conversation, and replaces and erases their terminal events. A terminal event
//! ensures that its turn ends only once, so its subject always keeps one.

use crate::erasure::erase::Error;
use crate::erasure::report::ErasedCount;
use bus::topology::Topology;
use bus::{
    Bus, ConsumerSpec, CoreMessage, Headers, Publish, PublishError, StoredMessage, Stream,
    WriteCondition,
};
use conversation_log::ConversationKey;
use envelope::{Groups, Outcome, Problem, Terminal, TurnId, header, subject};
use streams::asked;
use streams::history;
use streams::outbox::{self, CreateOutcome, OutboxError, publish_until, store_until};

/// How long a publish may be tried.
const PATIENCE_MS: u64 = 5_000;

/// What stands in the place of an answer.
fn bare(bus: &dyn Bus, key: &ConversationKey, turn: &TurnId, outcome: Outcome) -> Terminal {
    let why = "the conversation of this question was erased";
    let terminal = Terminal::bare(turn.clone(), key.tenant.clone(), outcome, bus.now());
    Terminal {
        conversation: Some(key.conversation.clone()),
        ..terminal.because(Problem::new("conversation_erased", why))
    }
}

/// Whether a turn belongs to the conversation. A question may name the id of a turn elsewhere, and a replay may
/// have been put into a conversation of its own.
pub(crate) async fn is_own(
    bus: &dyn Bus,
    key: &ConversationKey,
    turn: &TurnId,
    question: Option<&StoredMessage>,
) -> Result<bool, Error> {
    if let Some(header) = history::begun(bus, turn).await? {
        return Ok(
            header.tenant == key.tenant && header.conversation.as_ref() == Some(&key.conversation)
        );
    }
    let at = subject::answer(turn);
    let terminal = bus.last(Stream::Answers, &at).await?;
    let said = terminal.as_ref().and_then(|stored| {
        let conversation = stored.headers.get(header::CONVERSATION)?;
        Some((conversation, stored.headers.get(header::TENANT)?))
    });
    Ok(match (said, terminal.is_some()) {
        (Some(said), _) => said == (key.conversation.as_str(), key.tenant.as_str()),
        // A refused question has an id of its own; its end names no conversation.
        (None, true) => question.is_none() || turn.is_derived(),
        (None, false) => true,
    })
}

/// Tells the clients that wait for the answer of a question that no gateway has taken, or that would hear nothing
/// else of it.
pub(crate) async fn tell(
    bus: &dyn Bus,
    key: &ConversationKey,
    topology: &Topology,
    turn: &TurnId,
    question: &StoredMessage,
) -> Result<(), Error> {
    let Some(reply) = asked::read(question).reply else {
        return Ok(());
    };
    if bus.progress(&topology.inbox()).await?.acked_to >= question.sequence {
        return Ok(());
    }
    let terminal = bare(bus, key, turn, Outcome::Cancelled);
    let body = envelope::encode(&terminal).map_err(OutboxError::from)?;
    let word = CoreMessage {
        headers: Headers::default().with(header::TURN, turn.as_str()),
        ..CoreMessage::new(reply, body)
    };
    Ok(bus.broadcast(word).await?)
}

/// Ends a turn that has not ended: one that was begun or claimed, or whose question waits in the inbox. True when
/// this call ended it.
pub(crate) async fn cancel(
    bus: &dyn Bus,
    key: &ConversationKey,
    turn: &TurnId,
    question: Option<&StoredMessage>,
) -> Result<bool, Error> {
    let at = subject::answer(turn);
    if bus.last(Stream::Answers, &at).await?.is_some() {
        return Ok(false);
    }
    let begun = history::begun(bus, turn).await?;
    let reply = match (&begun, question) {
        (Some(header), _) => header.reply_to.clone(),
        (None, Some(question)) => asked::read(question).reply,
        // Its end has aged out, and everything else with it.
        (None, None) => return Ok(false),
    };
    let terminal = bare(bus, key, turn, Outcome::Cancelled);
    let message = outbox::terminal(&terminal, reply.as_deref()).map_err(OutboxError::from)?;
    let until = bus.now().plus(PATIENCE_MS);
    Ok(publish_until(bus, message, until).await? == CreateOutcome::Now)
}

/// Stores a bare terminal event in the place of the one of a turn, then erases that one.
pub(crate) async fn replace(
    bus: &dyn Bus,
    key: &ConversationKey,
    consumer: &ConsumerSpec,
    turn: &TurnId,
) -> Result<ErasedCount, Error> {
    let at = subject::answer(turn);
    let Some(last) = bus.last(Stream::Answers, &at).await? else {
        return Ok(ErasedCount::default());
    };
    if !is_bare(&last) {
        let terminal = envelope::decode::<Terminal>(&last.body).ok();
        let (outcome, groups) = terminal.map_or_else(
            || (Outcome::Cancelled, Groups::all()),
            |terminal| (terminal.outcome, terminal.groups),
        );
        // It is for those who could see what it replaces.
        let terminal = Terminal {
            groups,
            ..bare(bus, key, turn, outcome)
        };
        let was_told = bus.progress(consumer).await?.acked_to >= last.sequence;
        let message = instead(&terminal, &last, was_told)?;
        match store_until(bus, message, bus.now().plus(PATIENCE_MS)).await {
            // Another process does the same at this moment.
            Ok(_) | Err(PublishError::Exists) => {}
            Err(error) => return Err(error.into()),
        }
    }
    erase_older(bus, &at).await
}

/// Whether a terminal event says nothing but that its conversation was erased.
pub fn is_bare(stored: &StoredMessage) -> bool {
    if stored.headers.get(header::ERASED).is_some() {
        return true;
    }
    let terminal = envelope::decode::<Terminal>(&stored.body);
    let problem = terminal.ok().and_then(|terminal| terminal.error);
    problem.is_some_and(|problem| problem.code == "conversation_erased")
}

/// The message that replaces another one. Clients that were told of that one are told nothing more; the others hear
/// of this one.
fn instead(
    terminal: &Terminal,
    last: &StoredMessage,
    was_told: bool,
) -> Result<Publish, OutboxError> {
    let reply = last.headers.get(header::REPLY).filter(|_| !was_told);
    let mut message = outbox::terminal(terminal, reply)?;
    message.condition = WriteCondition::LastIs(last.subject.clone(), last.sequence);
    if was_told {
        message.headers = message.headers.with(header::ERASED, "true");
    }
    Ok(message)
}

/// Erases all but the last message of a subject, and looks whether that worked.
async fn erase_older(bus: &dyn Bus, at: &str) -> Result<ErasedCount, Error> {
    let mut tally = ErasedCount::default();
    let Some(last) = bus.last(Stream::Answers, at).await? else {
        return Ok(tally);
    };
    while let Some(first) = bus.first(Stream::Answers, at, 1).await? {
        if first.sequence >= last.sequence {
            break;
        }
        if !bus.erase(Stream::Answers, first.sequence).await? {
            let again = bus.first(Stream::Answers, at, 1).await?;
            if again.is_some_and(|again| again.sequence == first.sequence) {
                // It is still there for readers, but not for an erasure, and not for long.
                tally.left += 1;
                break;
            }
            // Another process, such as the sweep, does the same at this moment.
            continue;
        }
        tally.erased += 1;
    }
    tally.left += u64::from(!is_bare(&last));
    Ok(tally)
}
