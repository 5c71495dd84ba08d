//! Admits turns of conversations into the log, begins them one after the other, and writes their ends into the log.
//!
//! A decision is based on the last event that was read from a log, and is appended only if that event is still the
//! last one. Whichever gateway appends the end of a turn, or finds it in the log, begins the next turn, so it does
//! not matter if a gateway dies. *Not* here: the contents of a log and which event may follow, which are pure code
//! (`conversation-log`).

use crate::auto_mode;
use crate::quota::Spent;
use crate::turns::{Error, Turns};
use crate::turnstile::Crowd;
use bus::{CoreMessage, Headers, StoredMessage};
use conversation_log::{
    Admission, AdmissionRefusal, AdmissionRequest, ConversationKey, Ending, EventError, EventKind,
    LogEvent, OpenTurn, Read, TurnOpening, TurnStart, admit, end, end_unknown, next_to_begin,
};
use envelope::{Event, Header, Outcome, Problem, Question, Recall, Subject, Terminal, TurnId};
use streams::conversation::{AppendResult, LogError};
use streams::outbox::CreateOutcome;

/// How often the log is read anew, because another writer was quicker, before the question goes back to the inbox.
const TRIES: usize = 32;

/// The result of a question in a conversation.
#[derive(Debug)]
pub(crate) enum Admitted {
    /// The turn of the question runs, or waits in the log.
    Open,
    /// The turn of the question has ended already.
    Ended(Box<StoredMessage>),
    /// The question is refused.
    Refused(AdmissionRefusal),
    /// The turn of the question stands open, and too many questions are in front of it to look after it now.
    Crowded,
}

/// The last event of a log, as far as this release can read it.
enum Last {
    Read(Option<Box<Read>>),
    Newer,
}

/// The conversation of a turn.
pub(crate) fn key(header: &Header) -> Option<ConversationKey> {
    Some(ConversationKey {
        tenant: header.tenant.clone(),
        conversation: header.conversation.clone()?,
    })
}

impl Turns {
    /// Admits the turn of `header`, whose id is claimed. `inbox` is the sequence of the question.
    pub(crate) async fn admit(
        &self,
        key: &ConversationKey,
        header: &Header,
        question: &Question,
        inbox: u64,
    ) -> Result<Admitted, Error> {
        for _ in 0..TRIES {
            let last = self.last(key).await?;
            // Looked for after the read: a turn that ended before has its end there, or gets it now.
            if let Some(terminal) = self.terminal(&header.turn).await? {
                self.end_in_log(key, &header.turn, &terminal).await?;
                return Ok(Admitted::Ended(Box::new(terminal)));
            }
            let before = match last {
                Last::Read(before) => before,
                Last::Newer => return Ok(Admitted::Refused(AdmissionRefusal::Newer)),
            };
            if self.end_those_over(key, before.as_deref()).await? {
                continue;
            }
            let asking = self.asking(header, question, inbox);
            match admit(before.as_deref(), asking, self.limits(), self.now()) {
                Admission::Refuse(refusal) => {
                    return Ok(Admitted::Refused(self.refined(refusal, header).await?));
                }
                Admission::EndFirst(turns) => {
                    self.end_overdue(key, before.as_deref(), turns).await?
                }
                Admission::Interrupt(turns) => {
                    self.interrupt(key, before.as_deref(), header, turns)
                        .await?
                }
                Admission::IsOpen { begins } => {
                    if begins {
                        self.begin_next(key, before.as_deref()).await?;
                    }
                    return Ok(Admitted::Open);
                }
                Admission::Open { event, begins } => {
                    if let Some(read) = self.append(key, before.as_deref(), *event).await? {
                        return self.opened(key, header, &read, begins).await;
                    }
                }
            }
        }
        Err(Error::Contended)
    }

    /// Refuses a question that has more questions of its conversation in front of it than may wait. It is not opened
    /// before them. A question that was opened before can no longer be refused.
    pub(crate) async fn turn_away(
        &self,
        key: &ConversationKey,
        header: &Header,
        question: &Question,
        Crowd(older): Crowd,
    ) -> Result<Admitted, Error> {
        let before = match self.last(key).await? {
            Last::Read(before) => before,
            Last::Newer => return Ok(Admitted::Refused(AdmissionRefusal::Newer)),
        };
        let asking = self.asking(header, question, 0);
        Ok(
            match admit(before.as_deref(), asking, self.limits(), self.now()) {
                Admission::IsOpen { .. } => Admitted::Crowded,
                Admission::Refuse(refusal) => {
                    Admitted::Refused(self.refined(refusal, header).await?)
                }
                Admission::Open { .. } | Admission::EndFirst(_) | Admission::Interrupt(_) => {
                    Admitted::Refused(AdmissionRefusal::Busy(older))
                }
            },
        )
    }

    /// Goes on with an opened turn: its first step is created if no turn is before it. Its terminal event may exist
    /// already, created before the turn was known to be open.
    async fn opened(
        &self,
        key: &ConversationKey,
        header: &Header,
        read: &Read,
        begins: bool,
    ) -> Result<Admitted, Error> {
        let begin = async {
            match begins {
                true => self.begin_next(key, Some(read)).await,
                false => Ok(()),
            }
        };
        let terminal = async { Ok(self.terminal(&header.turn).await?) };
        let (terminal, ()) = tokio::try_join!(terminal, begin)?;
        match terminal {
            None => Ok(Admitted::Open),
            Some(terminal) => {
                self.end_in_log(key, &header.turn, &terminal).await?;
                Ok(Admitted::Ended(Box::new(terminal)))
            }
        }
    }

    /// Turns `NotPending` into `Unknown` where the turn that a reply names did not ask back.
    async fn refined(
        &self,
        refusal: AdmissionRefusal,
        header: &Header,
    ) -> Result<AdmissionRefusal, Error> {
        Ok(match refusal {
            AdmissionRefusal::NotPending(named)
                if self.asked_back(&named, header).await?.is_none() =>
            {
                AdmissionRefusal::Unknown(named)
            }
            refusal => refusal,
        })
    }

    fn asking(&self, header: &Header, question: &Question, inbox: u64) -> AdmissionRequest {
        AdmissionRequest {
            opened: TurnOpening {
                header: header.clone(),
                case: self.case(question),
                inbox,
                answers: None,
            },
            when_busy: question.when_busy.unwrap_or(self.options.conversation_busy),
            reply_to: question.clarification.clone(),
        }
    }

    fn limits(&self) -> conversation_log::Limits {
        conversation_log::Limits {
            waiting_max: self.options.conversation_waiting as usize,
        }
    }

    async fn last(&self, key: &ConversationKey) -> Result<Last, Error> {
        match self.logs.last(key).await {
            Ok(read) => Ok(Last::Read(read.map(Box::new))),
            Err(LogError::Event(EventError::Newer(_))) => Ok(Last::Newer),
            Err(error) => Err(error.into()),
        }
    }

    /// Appends an event behind the last one that was read; `None` when the log has to be read again.
    async fn append(
        &self,
        key: &ConversationKey,
        before: Option<&Read>,
        event: LogEvent,
    ) -> Result<Option<Read>, Error> {
        match self.logs.append(key, before, &event).await? {
            AppendResult::Stored { sequence, bytes } => {
                self.metrics.conversations.appended(&event, bytes);
                Ok(Some(Read { sequence, event }))
            }
            AppendResult::Unknown => {
                self.metrics.conversations.append_lost();
                Ok(None)
            }
        }
    }

    /// Writes the end of a turn into its log, if the turn stands open there, and begins the turn after it.
    pub(crate) async fn end_in_log(
        &self,
        key: &ConversationKey,
        turn: &TurnId,
        terminal: &StoredMessage,
    ) -> Result<(), Error> {
        let read = self.log_end(key, turn, terminal).await?;
        self.begin_next(key, read.as_deref()).await
    }

    /// Writes the end of a turn into its log, if the turn stands open there; returns the last event of the log then.
    pub(crate) async fn log_end(
        &self,
        key: &ConversationKey,
        turn: &TurnId,
        terminal: &StoredMessage,
    ) -> Result<Option<Box<Read>>, Error> {
        let readable = envelope::decode::<Terminal>(&terminal.body);
        let kept = self.topology.max_age.as_millis();
        for _ in 0..TRIES {
            let before = match self.last(key).await? {
                Last::Read(before) => before,
                // A gateway that can read it has to end it.
                Last::Newer => return Err(LogError::Event(EventError::Newer(0)).into()),
            };
            let now = self.now();
            let ending = match &readable {
                Ok(terminal) => end(before.as_deref(), terminal, kept, now),
                Err(_) => end_unknown(before.as_deref(), turn, now),
            };
            let Ending::Append(event) = ending else {
                return Ok(before);
            };
            if let Some(read) = self.append(key, before.as_deref(), *event).await? {
                return Ok(Some(Box::new(read)));
            }
        }
        Err(Error::Contended)
    }

    /// Does for a conversation what a gateway left undone: it ends turns that are over and begins the next one.
    pub(crate) async fn repair(&self, key: &ConversationKey) -> Result<(), Error> {
        for _ in 0..TRIES {
            let Last::Read(Some(read)) = self.last(key).await? else {
                return Ok(());
            };
            if !self.end_those_over(key, Some(&read)).await? {
                return self.begin_next(key, Some(&read)).await;
            }
        }
        Err(Error::Contended)
    }

    /// Creates hop 0 of the first open turn. Where the time of that turn is up, its timer ends it, and the next turn
    /// begins.
    pub(crate) async fn begin_next(
        &self,
        key: &ConversationKey,
        read: Option<&Read>,
    ) -> Result<(), Error> {
        let Some(read) = read else { return Ok(()) };
        let state = read.state();
        let Some(TurnStart { turn, opened }) = next_to_begin(&state, self.now()) else {
            return Ok(());
        };
        // The turn may have ended while it waited, and the gateway that was to append its end may have died.
        if opened != read.sequence
            && let Some(terminal) = self.terminal(&turn).await?
        {
            return Box::pin(self.end_in_log(key, &turn, &terminal)).await;
        }
        let opening = match opened == read.sequence {
            true => Some(read.event.clone()),
            false => self.logs.at(key, opened).await?.map(|read| read.event),
        };
        let Some(EventKind::Opened(opening)) = opening.map(|opening| opening.event) else {
            return self.fail_unopened(key, &turn).await;
        };
        let answers = state.open.first().and_then(|open| open.answers.as_ref());
        let recall = Recall {
            exchanges: state.exchanges.clone(),
            answers: answers.map(|pending| pending.place),
            turns_kept: self.turns_kept(state.n),
        };
        let TurnOpening { header, case, .. } = *opening;
        if header.first_hop > 0 {
            return Ok(()); // It goes on from a step of another turn, and whoever opened it begins it.
        }
        let case = match recall.answers {
            Some(_) => auto_mode::of_reply(case),
            None => case,
        };
        let took = self.quota.take(&header, self.now());
        let created = self.create_step(&header, &case, Event::Begun(recall)).await;
        // One that was begun before counts where that was done, and what failed is tried again.
        if took && !matches!(created, Ok(CreateOutcome::Now)) {
            self.quota.ended(&header.turn, Spent::Nothing, self.now());
        }
        created.map(drop)
    }

    /// Whether a turn stands in the log or has ended, so that a turn that is to come after it may come.
    pub(crate) async fn has_come(
        &self,
        key: &ConversationKey,
        turn: &TurnId,
    ) -> Result<bool, Error> {
        if let Last::Read(Some(read)) = self.last(key).await?
            && (read.event.state.is_open(turn) || read.event.state.is_erased)
        {
            return Ok(true);
        }
        Ok(self.terminal(turn).await?.is_some())
    }

    /// How many turns are kept of a conversation with so many events; `None` where all of them are.
    fn turns_kept(&self, events: u64) -> Option<u64> {
        let kept = u64::from(self.topology.conversation_events);
        (events > kept).then_some(kept / 2)
    }

    /// Whether a turn that is opened now would wait for others. Such a turn needs no place in its tenant's quota.
    pub(crate) async fn would_wait(&self, key: &ConversationKey) -> Result<bool, Error> {
        Ok(match self.last(key).await? {
            Last::Read(Some(read)) => !read.event.state.open.is_empty(),
            Last::Read(None) | Last::Newer => false,
        })
    }

    /// Writes the ends of those open turns that have a terminal event already, which an older release or a gateway
    /// that died left out. Returns true when there was one.
    async fn end_those_over(
        &self,
        key: &ConversationKey,
        before: Option<&Read>,
    ) -> Result<bool, Error> {
        let open = before.map(|read| read.event.state.open.as_slice());
        let mut found = false;
        for turn in open.unwrap_or_default().iter().map(|open| &open.turn) {
            if let Some(terminal) = self.terminal(turn).await? {
                self.end_in_log(key, turn, &terminal).await?;
                found = true;
            }
        }
        Ok(found)
    }

    /// Ends open turns that nothing else ends. For a turn that is past its deadline for longer than terminal events
    /// are kept, it cannot be known any more how it ended.
    async fn end_overdue(
        &self,
        key: &ConversationKey,
        before: Option<&Read>,
        turns: Vec<TurnId>,
    ) -> Result<(), Error> {
        let Some(before) = before else { return Ok(()) };
        let state = before.state();
        for open in state.open.iter().filter(|open| turns.contains(&open.turn)) {
            let kept = self.topology.max_age.as_millis();
            if open.deadline.plus(kept) <= self.now() {
                return self.end_unknown(key, before, &open.turn).await;
            }
            let Some(opening) = self.opening(key, open).await? else {
                return self.end_unknown(key, before, &open.turn).await;
            };
            self.expire(&opening.header).await?;
            self.log_end_of(key, &open.turn).await?;
        }
        Ok(())
    }

    /// Ends a turn of which it is not known how it ended. The log is read again whatever the result is.
    async fn end_unknown(
        &self,
        key: &ConversationKey,
        before: &Read,
        turn: &TurnId,
    ) -> Result<(), Error> {
        if let Ending::Append(event) = end_unknown(Some(before), turn, self.now()) {
            self.append(key, Some(before), *event).await?;
        }
        Ok(())
    }

    /// Handles a turn that is next and whose opening event was dropped for want of room: unless it runs already, it
    /// fails, so that the turns behind it need not wait for its deadline.
    async fn fail_unopened(&self, key: &ConversationKey, turn: &TurnId) -> Result<(), Error> {
        let header = self.claimed_or_due(turn).await?;
        if let Some(header) = &header
            && self.begun(header).await?.is_some()
        {
            return Ok(()); // It runs, and needs no beginning.
        }
        let why = "the conversation had more events than are kept of it while the question waited; ask again";
        let problem = Problem::new("opening_gone", why);
        let (terminal, reply) = self.ended_as(key, turn, header, Outcome::Failed);
        tracing::error!(%turn, "the opening event of a turn is no longer kept; the turn fails");
        // Its end gets into the log like any other, and the turn after it begins.
        self.end(&terminal.because(problem), reply.as_deref())
            .await?;
        Ok(())
    }

    /// Cancels turns that run or wait, in favour of one that goes first.
    async fn interrupt(
        &self,
        key: &ConversationKey,
        before: Option<&Read>,
        by: &Header,
        turns: Vec<TurnId>,
    ) -> Result<(), Error> {
        let state = before.map(Read::state).unwrap_or_default();
        // The last first: none of them begins because the one before it has ended.
        let open = state.open.iter().rev();
        for open in open.filter(|open| turns.contains(&open.turn)) {
            let why = format!(
                "the question `{}` of the same conversation goes first",
                by.turn
            );
            let problem = Problem::new("interrupted", why);
            let opening = self.opening(key, open).await?;
            let header = opening.map(|opening| opening.header);
            let (terminal, reply) = self.ended_as(key, &open.turn, header, Outcome::Cancelled);
            let terminal = terminal.because(problem);
            if self.end(&terminal, reply.as_deref()).await? == CreateOutcome::Now {
                self.tell_cancelled(&open.turn).await;
            }
            self.log_end_of(key, &open.turn).await?;
        }
        Ok(())
    }

    /// The end of a turn, and who is told of it, by its header; without that, nothing but its conversation is known.
    fn ended_as(
        &self,
        key: &ConversationKey,
        turn: &TurnId,
        header: Option<Header>,
        outcome: Outcome,
    ) -> (Terminal, Option<String>) {
        if let Some(header) = header {
            return (Terminal::of(&header, outcome, self.now()), header.reply_to);
        }
        let terminal = Terminal {
            conversation: Some(key.conversation.clone()),
            ..Terminal::bare(turn.clone(), key.tenant.clone(), outcome, self.now())
        };
        (terminal, None)
    }

    /// Tells the workers that a turn has ended. This only saves them work.
    async fn tell_cancelled(&self, turn: &TurnId) {
        let subject = Subject::Cancel { turn: turn.clone() }.to_string();
        let word = CoreMessage {
            subject,
            reply: None,
            headers: Headers::default(),
            body: bytes::Bytes::new(),
        };
        let _ = self.bus.broadcast(word).await;
    }

    /// The event that opened a turn, if the log still has it.
    async fn opening(
        &self,
        key: &ConversationKey,
        open: &OpenTurn,
    ) -> Result<Option<TurnOpening>, Error> {
        let read = self.logs.at(key, open.opened).await?;
        Ok(match read.map(|read| read.event.event) {
            Some(EventKind::Opened(opening)) => Some(*opening),
            _ => None,
        })
    }

    async fn log_end_of(&self, key: &ConversationKey, turn: &TurnId) -> Result<(), Error> {
        match self.terminal(turn).await? {
            Some(terminal) => self.end_in_log(key, turn, &terminal).await,
            None => Ok(()),
        }
    }
}
