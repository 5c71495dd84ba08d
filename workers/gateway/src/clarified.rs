//! Handles a message outside of a conversation that names a question back and replies to it. If several messages
//! reply, only one goes on with the original question.
//!
//! A reply claims the question back by storing a message, on the condition that the last claim is still the one that
//! the gateway has read. A claim whose turn ended without an answer is void, and the next claim takes its place.
//! *Not* here: replies inside a conversation, whose log says which question back is pending.

use crate::turns::{Error, Turns};
use bus::{Publish, PublishError, Stream, WriteCondition};
use conversation_log::AdmissionRefusal;
use envelope::{Header, Outcome, Resume, Subject, Terminal, TurnId};
use serde::{Deserialize, Serialize};
use streams::outbox::store_until;

/// How often a claim is tried while other replies claim the same question back.
const TRIES: usize = 8;

/// The turn that goes on with a question.
#[derive(Serialize, Deserialize)]
struct Claim {
    turn: TurnId,
}

impl Turns {
    /// What the turn of `header` goes on with, if it may. From then on the question back belongs to that turn.
    pub(crate) async fn resume(
        &self,
        named: &TurnId,
        header: &Header,
    ) -> Result<Result<Resume, AdmissionRefusal>, Error> {
        let terminal = self.asked_back(named, header).await?;
        let at = terminal.as_ref().map(|terminal| terminal.ended_at);
        let asked = terminal.and_then(|terminal| terminal.clarification.zip(terminal.resume));
        let Some(((asked, resume), at)) = asked.zip(at) else {
            return Ok(Err(AdmissionRefusal::Unknown(named.clone())));
        };
        let kept = self.topology.max_age.as_millis();
        if asked.expires(at, kept) <= header.asked_at {
            return Ok(Err(AdmissionRefusal::Expired(named.clone())));
        }
        Ok(match self.claim_reply(named, header).await? {
            true => Ok(resume),
            false => Err(AdmissionRefusal::NotPending(named.clone())),
        })
    }

    /// The terminal event of a turn of the same conversation, which whoever asks now may see, that ended with a question back.
    pub(crate) async fn asked_back(
        &self,
        named: &TurnId,
        header: &Header,
    ) -> Result<Option<Terminal>, Error> {
        let terminal = self.read_terminal(named).await?;
        Ok(terminal.filter(|terminal| {
            terminal.clarification.is_some()
                && header.principal().covers(&terminal.principal())
                && terminal.conversation == header.conversation
        }))
    }

    async fn claim_reply(&self, named: &TurnId, header: &Header) -> Result<bool, Error> {
        let subject = Subject::Clarified {
            turn: named.clone(),
        }
        .to_string();
        for _ in 0..TRIES {
            let last = self.bus.last(Stream::Answers, &subject).await?;
            let claim = last.as_ref();
            let claim = claim.and_then(|last| serde_json::from_slice::<Claim>(&last.body).ok());
            if let Some(Claim { turn }) = claim {
                if turn == header.turn {
                    return Ok(true);
                }
                if !self.came_to_nothing(&turn).await? {
                    return Ok(false);
                }
            }
            let after = last.map_or(0, |last| last.sequence);
            let own = Claim {
                turn: header.turn.clone(),
            };
            let message = Publish {
                condition: WriteCondition::LastIs(subject.clone(), after),
                ..Publish::new(
                    &subject,
                    serde_json::to_vec(&own).unwrap_or_default().into(),
                )
            };
            match store_until(&*self.bus, message, self.patience()).await {
                Ok(_) => return Ok(true),
                Err(PublishError::Exists) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::Contended)
    }

    /// Whether a turn ended without an answer and without a question back.
    async fn came_to_nothing(&self, turn: &TurnId) -> Result<bool, Error> {
        let terminal = self.read_terminal(turn).await?;
        Ok(terminal.is_some_and(|terminal| match terminal.outcome {
            Outcome::Answered | Outcome::Clarification => false,
            Outcome::Refused | Outcome::Failed | Outcome::Expired | Outcome::Cancelled => true,
        }))
    }
}
