//! Takes questions from the inbox: each is accepted, refused, or joined to a turn that runs already under the same
//! id.
//!
//! The steps are: wait until the tenant's quota admits the question; look for a terminal event and for hop 0; create
//! the timer, which is the claim on the id; create hop 0; ack. If a gateway dies in between, the message is not
//! acked. The next gateway takes the same steps again and finds what is already stored.

use crate::conversations::{self, Admitted};
use crate::options::Options;
use crate::quota::{HOLD, QuotaDecision, QuotaRequest, Spent};
use crate::turns::{Error, Turns};
use crate::turnstile::Crowd;
use bus::{Delivery, Headers, Publish, StoredMessage, WriteCondition};
use conversation_log::AdmissionRefusal;
use envelope::limits::DELIVERIES_MAX;
use envelope::question::{Question, Refusal, RefusalCode};
use envelope::{
    Busy, Event, Groups, Header, ModeChoice, Outcome, Principal, Problem, Profile, Subject,
    TenantId, Terminal, TurnId, UnixMs, header,
};
use futures_util::future::BoxFuture;
use harness::consumer_loop::{AckDecision, DeliveryHandler};
use std::sync::Arc;
use std::time::Duration;
use streams::asked::{InboxQuestion, read, tenant_in};
use streams::outbox::{CreateOutcome, publish_until, time_to_live};
use tokio::time::Instant;

pub(crate) struct Inbox(pub(crate) Arc<Turns>);

/// Whether a question waited for a place in its tenant's quota.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Waited {
    /// The question needs no place.
    Passed,
    /// The question may begin at once.
    Not,
    /// The question waited for a while in this process, and may begin now.
    Here,
    /// The question is to wait in the inbox for so long.
    Off(Duration),
}

impl Waited {
    fn has_place(self) -> bool {
        matches!(self, Waited::Not | Waited::Here)
    }
}

/// How often it is checked whether the turn has come that a question names as the one before it.
const AFTER: Duration = Duration::from_millis(500);

/// The result of a question.
enum Came {
    /// The turn of the question runs.
    Runs,
    /// The turn has ended, or there is none.
    Over,
    /// Nothing can be said yet: the question is to be delivered again.
    Again,
}

/// Why this fleet does not take on the question, although a fleet with other settings would.
fn unsupported(question: &Question, options: &Options) -> Option<Refusal> {
    let message = if question.conversation.is_some() && !options.conversations {
        "this fleet takes no conversations (`gateway.conversations`); leave `conversation` out and ask one \
         self-contained question"
            .to_owned()
    } else if question.mode.unwrap_or(options.mode) == ModeChoice::Loop
        && question.profile.unwrap_or(options.profile) == Profile::Small
    {
        "mode `loop` wants a large model, and the profile is `small`; set `profile` to `large` where the model is \
         (`model.profile`), or `mode` to `agentic`"
            .to_owned()
    } else {
        let model = question.model.as_ref()?;
        if options.models.contains(model) {
            return None;
        }
        let offered = match options.models.is_empty() {
            true => "no choice of models".to_owned(),
            false => format!("`{}`", options.models.join("`, `")),
        };
        format!(
            "`model` is `{model}`, and this fleet offers {offered} (`gateway.models`); name one of those, or leave \
             `model` out"
        )
    };
    Some(Refusal {
        code: RefusalCode::Unsupported,
        message,
        reply_to: None,
    })
}

impl DeliveryHandler for Inbox {
    fn handle_delivery<'a>(&'a self, delivery: &'a Delivery) -> BoxFuture<'a, AckDecision> {
        Box::pin(async move {
            match self.ask(delivery).await {
                Ok(answer) => answer,
                Err(error)
                    if delivery.delivered > DELIVERIES_MAX && self.is_late(&delivery.message) =>
                {
                    // The sweep ends the turn; the question itself stays in the inbox stream.
                    tracing::error!(%error, sequence = delivery.message.sequence, "question given up");
                    AckDecision::Ack
                }
                Err(error) => {
                    tracing::warn!(%error, delivered = delivery.delivered, "question to be tried again");
                    AckDecision::Retry(
                        Duration::from_millis(250) * delivery.delivered.min(20) as u32,
                    )
                }
            }
        })
    }

    fn paused(&self) -> bool {
        self.0.room.is_short()
    }

    fn resumed(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.0.room.changed())
    }
}

impl Inbox {
    /// Whether the deadline of a question has passed; a question that is refused has no deadline.
    fn is_late(&self, message: &StoredMessage) -> bool {
        let Ok(question) = read(message).question else {
            return true;
        };
        let time = self.0.options.deadline.as_millis();
        let deadline = question
            .deadline
            .unwrap_or_else(|| message.stored_at.plus(time));
        deadline <= self.0.now()
    }

    async fn ask(&self, delivery: &Delivery) -> Result<AckDecision, Error> {
        let message = &delivery.message;
        let InboxQuestion {
            turn,
            reply,
            question,
        } = read(message);
        let question = match question {
            Err(refusal) => {
                self.refuse(turn, &refusal, reply.as_deref(), message)
                    .await?;
                return Ok(AckDecision::Ack);
            }
            Ok(question) => question,
        };
        if let Some(refusal) = unsupported(&question, &self.0.options) {
            // It takes no id: the same question may be asked again under it, or another one was.
            let turn = TurnId::derived(message.sequence, message.stored_at.0);
            self.refuse(turn, &refusal, reply.as_deref(), message)
                .await?;
            return Ok(AckDecision::Ack);
        }
        let header = self.0.header(turn, &question, message, reply);
        let key = conversations::key(&header);
        if let (Some(key), Some(after)) = (&key, &question.after)
            && header.deadline > self.0.now()
            && !self.0.has_come(key, after).await?
        {
            // Its timer ends it, should that one never come.
            self.0.create_timer(&header, message).await?;
            return Ok(AckDecision::Later(AFTER));
        }
        let waits_in_log = match &key {
            Some(key) if self.0.quota.is_limited() => self.0.would_wait(key).await?,
            _ => false,
        };
        let waited = match waits_in_log {
            true => Waited::Passed,
            false => self.wait(&header, message).await?,
        };
        if let Waited::Off(wait) = waited {
            return Ok(AckDecision::Later(wait));
        }
        // A question that waits for a turn of its tenant does not delay the questions of other tenants.
        let (_pass, crowd) = match &key {
            Some(key) => {
                let older_max = self.older_max(&question);
                let passed = self.0.turnstile.enter(key, message.sequence, older_max);
                match passed.await {
                    Ok(pass) => (Some(pass), None),
                    Err(crowd) => (None, Some(crowd)),
                }
            }
            None => (None, None),
        };
        self.0.metrics.asked();
        // Nobody can have used an id that this message alone gives.
        let is_first = delivery.delivered == 1 && waited != Waited::Here;
        let came = match header.turn.is_derived()
            && is_first
            && key.is_none()
            && question.clarification.is_none()
        {
            true => self.begin(&header, &question, message).await,
            false => self.begin_or_join(&header, &question, message, crowd).await,
        };
        if waited.has_place() && !matches!(came, Ok(Came::Runs)) {
            let now = self.0.now();
            self.0.quota.ended(&header.turn, Spent::Nothing, now);
        }
        came.map(|came| match came {
            Came::Runs | Came::Over => AckDecision::Ack,
            Came::Again => AckDecision::Later(AFTER),
        })
    }

    /// How many older questions of its conversation a question may wait behind at this gateway: as many as run and
    /// wait in the log. A question that interrupts those before it has no such bound, because it has to keep its
    /// place among others that do.
    fn older_max(&self, question: &Question) -> usize {
        let when_busy = question.when_busy;
        match when_busy.unwrap_or(self.0.options.conversation_busy) {
            Busy::Enqueue | Busy::Reject => self.0.options.conversation_waiting as usize + 1,
            Busy::Interrupt => usize::MAX,
        }
    }

    /// Lets a question wait until its tenant may have one more turn. The next questions wait here, and the others in
    /// the inbox. A question that waits has its timer already, so that it can be cancelled and expires in time.
    async fn wait(&self, header: &Header, message: &StoredMessage) -> Result<Waited, Error> {
        let quota = &self.0.quota;
        let held = quota.hold();
        let until = Instant::now() + HOLD;
        let mut waited = Waited::Not;
        loop {
            let next_end = quota.next_end();
            let asking = QuotaRequest {
                tenant: &header.tenant,
                turn: &header.turn,
                deadline: header.deadline,
                sequence: message.sequence,
                // Also told to stop, a gateway has not to wait for long.
                may_hold: held.is_some() && Instant::now() < until,
            };
            let told = quota.ask(asking, self.0.now());
            let waits = matches!(told, QuotaDecision::Queue | QuotaDecision::Defer(_));
            if waits && waited == Waited::Not {
                self.0.create_timer(header, message).await?;
                waited = Waited::Here;
            }
            match told {
                QuotaDecision::Admit => return Ok(waited),
                QuotaDecision::Bypass => return Ok(Waited::Passed),
                QuotaDecision::Defer(wait) => return Ok(Waited::Off(wait)),
                QuotaDecision::Queue => {
                    let _ = tokio::time::timeout_at(until, next_end).await;
                }
            }
        }
    }

    async fn begin(
        &self,
        header: &Header,
        question: &Question,
        message: &StoredMessage,
    ) -> Result<Came, Error> {
        if header.deadline <= self.0.now() {
            self.0.expire(header).await?;
            return Ok(Came::Over);
        }
        tokio::try_join!(
            self.0.create_timer(header, message),
            self.0.create_first_step(header, question)
        )?;
        Ok(Came::Runs)
    }

    /// Begins a turn or joins it. The question that created the first step or the timer owns the id. The deadline and
    /// the reply subject of the turn are those of its owner, whatever the message at hand says.
    async fn begin_or_join(
        &self,
        header: &Header,
        question: &Question,
        message: &StoredMessage,
        crowd: Option<Crowd>,
    ) -> Result<Came, Error> {
        let (terminal, begun, due) = tokio::try_join!(
            self.0.terminal(&header.turn),
            self.0.begun(header),
            self.0.fell_due(&header.turn)
        )?;
        if let Some(terminal) = terminal {
            if let Some(key) = conversations::key(header) {
                self.0.end_in_log(&key, &header.turn, &terminal).await?;
            }
            self.join_ended(header, &terminal, message).await?;
            return Ok(Came::Over);
        }
        let is_begun = begun.is_some();
        let owner = match begun.or(due) {
            Some(owner) => owner,
            None => self.0.claim(header, message).await?,
        };
        if owner.question_hash != header.question_hash {
            self.id_in_use(header, message).await?;
            return Ok(Came::Over);
        }
        if owner.reply_to != header.reply_to {
            self.listen(header, owner.deadline, message.sequence)
                .await?;
        }
        if owner.deadline <= self.0.now() {
            if self.0.expire(&owner).await? == CreateOutcome::Before {
                self.ended_meanwhile(header, message).await?;
            }
            return Ok(Came::Over);
        }
        if let Some(key) = conversations::key(&owner) {
            let admitted = match crowd {
                None => self.0.admit(&key, &owner, question, message.sequence).await,
                Some(crowd) => self.0.turn_away(&key, &owner, question, crowd).await,
            };
            return self.converse(header, &owner, admitted?).await;
        }
        if is_begun {
            // A gateway may have died after the first step of a derived id and before its timer.
            self.0.create_timer(&owner, message).await?;
        } else {
            let event = match self.accepted(&owner, question).await? {
                Ok(event) => event,
                Err(refusal) => return self.not_admitted(&owner, &refusal).await,
            };
            let case = self.0.case(question);
            if self.0.create_step(&owner, &case, event).await? == CreateOutcome::Before {
                // Whose it is, the first step says: the next look at this message reads it.
                return Err(Error::BegunMeanwhile);
            }
        }
        Ok(Came::Runs)
    }

    /// Takes on a turn of a conversation, whose log says when it begins.
    async fn converse(
        &self,
        header: &Header,
        owner: &Header,
        admitted: Admitted,
    ) -> Result<Came, Error> {
        match admitted {
            Admitted::Open => Ok(Came::Runs),
            Admitted::Crowded => Ok(Came::Again),
            // Whose it is was settled when the turn was claimed; who ended it may not have known the question.
            Admitted::Ended(terminal) => {
                if let Some(reply) = &header.reply_to {
                    self.0.deliver(&terminal.body, &header.turn, reply).await?;
                }
                Ok(Came::Over)
            }
            Admitted::Refused(refusal) => self.not_admitted(owner, &refusal).await,
        }
    }

    /// The event that hop 0 follows from, outside of conversations.
    async fn accepted(
        &self,
        owner: &Header,
        question: &Question,
    ) -> Result<Result<Event, AdmissionRefusal>, Error> {
        let Some(named) = &question.clarification else {
            return Ok(Ok(Turns::accepted(question)));
        };
        let resume = self.0.resume(named, owner).await?;
        Ok(resume.map(|resume| Event::Resumed(named.clone(), resume)))
    }

    async fn not_admitted(
        &self,
        owner: &Header,
        refusal: &AdmissionRefusal,
    ) -> Result<Came, Error> {
        let code = refusal.code();
        self.0.metrics.refused(code);
        let problem = Problem::new(code.as_str(), refusal.to_string());
        let terminal = Terminal::of(owner, Outcome::Refused, self.0.now()).because(problem);
        self.0.end(&terminal, owner.reply_to.as_deref()).await?;
        Ok(Came::Over)
    }

    /// Tells this listener that the turn has ended: its time was up, and another gateway was quicker to say so.
    async fn ended_meanwhile(&self, header: &Header, message: &StoredMessage) -> Result<(), Error> {
        match self.0.terminal(&header.turn).await? {
            Some(terminal) => self.join_ended(header, &terminal, message).await,
            None => Ok(()),
        }
    }

    /// Tells this listener the end of a turn that has ended already, provided that it asked the same question.
    async fn join_ended(
        &self,
        header: &Header,
        terminal: &StoredMessage,
        message: &StoredMessage,
    ) -> Result<(), Error> {
        let is_erased = harness::erasure::is_bare(terminal);
        let hash = terminal.headers.get(header::QUESTION);
        if !is_erased && hash != Some(header.question_hash.as_str()) {
            return self.id_in_use(header, message).await;
        }
        if let Some(reply) = &header.reply_to {
            self.0.deliver(&terminal.body, &header.turn, reply).await?;
        }
        Ok(())
    }

    /// Registers a second listener of a running turn and then looks for the terminal event, so that one which is
    /// stored in between is not missed.
    async fn listen(&self, header: &Header, deadline: UnixMs, n: u64) -> Result<(), Error> {
        let Some(reply) = &header.reply_to else {
            return Ok(());
        };
        let keep = self.0.topology.keep.duration();
        let message = Publish {
            headers: Headers::default().with(header::REPLY, reply.as_str()),
            condition: WriteCondition::Absent,
            ttl: Some(time_to_live(self.0.now(), deadline, keep)),
            ..Publish::new(
                Subject::Listen {
                    turn: header.turn.clone(),
                    n,
                },
                bytes::Bytes::new(),
            )
        };
        publish_until(&*self.0.bus, message, self.0.patience()).await?;
        if let Some(terminal) = self.0.terminal(&header.turn).await? {
            self.0.deliver(&terminal.body, &header.turn, reply).await?;
        }
        Ok(())
    }

    /// Refuses another question under a used id on that question's own reply subject, and changes nothing of the
    /// turn.
    async fn id_in_use(&self, header: &Header, message: &StoredMessage) -> Result<(), Error> {
        self.0.metrics.refused(RefusalCode::IdInUse);
        let Some(reply) = &header.reply_to else {
            return Ok(());
        };
        let text = format!(
            "the id `{}` belongs to another question; choose another or leave it out",
            header.turn
        );
        let problem = Problem::new(RefusalCode::IdInUse.as_str(), text);
        let terminal = Terminal::of(header, Outcome::Refused, self.0.now()).because(problem);
        let terminal = Terminal {
            asked_at: message.stored_at,
            ..terminal
        };
        let body = envelope::encode(&terminal).map_err(streams::outbox::OutboxError::from)?;
        self.0.deliver(&body, &header.turn, reply).await?;
        Ok(())
    }

    async fn refuse(
        &self,
        turn: TurnId,
        refusal: &Refusal,
        reply: Option<&str>,
        message: &StoredMessage,
    ) -> Result<(), Error> {
        tracing::info!(code = refusal.code.as_str(), %turn, "question refused");
        self.0.metrics.refused(refusal.code);
        let asker = asker_of(message);
        let terminal = Terminal {
            tenant: asker.tenant,
            groups: asker.groups,
            ..self.0.refused(turn, refusal, message.stored_at)
        };
        self.0.end(&terminal, reply).await?;
        Ok(())
    }
}

/// Who asked, as far as the message says: a refusal quotes what was asked. Where it cannot be read, nobody but readers of
/// everything is told.
fn asker_of(message: &StoredMessage) -> Principal {
    match read(message).question {
        Ok(question) => Principal {
            tenant: question.tenant,
            groups: question.groups,
        },
        Err(_) => Principal {
            tenant: tenant_in(message).unwrap_or_else(TenantId::default_tenant),
            groups: Groups::all(),
        },
    }
}
