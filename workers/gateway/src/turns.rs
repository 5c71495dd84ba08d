//! Begins and ends turns. The consumers of the gateway share this code.

use crate::auto_mode;
use crate::capacity::CapacityGate;
use crate::metrics::Metrics;
use crate::options::Options;
use crate::quota::Quota;
use crate::turnstile::Turnstile;
use bus::topology::Topology;
use bus::{
    Bus, BusError, CoreMessage, Headers, PublishError, StoredMessage, Stream, WriteCondition,
};
use envelope::limits::LOOP_SEARCHES_MAX;
use envelope::question::Question;
use envelope::route::route;
use envelope::{
    Budget, Case, Envelope, Event, Header, Mode, Next, Outcome, Overrides, Problem, QuestionText,
    Refusal, Role, Subject, TenantId, Terminal, Transition, TurnId, UnixMs, Usage, WIRE, fanout,
    header, subject,
};
use harness::CancelRegistry;
use std::sync::{Arc, Mutex, PoisonError};
use streams::conversation::{LogError, Logs};
use streams::outbox::{self, CreateOutcome, OutboxError, publish_until};
use telemetry::{TraceContext, Traces, trace};

/// What the parts of one gateway share, as something that can begin and end turns.
pub(crate) struct Turns {
    pub(crate) bus: Arc<dyn Bus>,
    pub(crate) logs: Logs,
    pub(crate) turnstile: Turnstile,
    pub(crate) options: Options,
    pub(crate) topology: Topology,
    pub(crate) metrics: Metrics,
    pub(crate) traces: Traces,
    pub(crate) ended: CancelRegistry,
    /// The turns whose terminal events were sent to the askers.
    pub(crate) told: CancelRegistry,
    pub(crate) room: CapacityGate,
    pub(crate) quota: Quota,
    pub(crate) rng: Mutex<fastrand::Rng>,
    /// The inbox sequence up to which the inbox has been swept.
    pub(crate) swept: Mutex<u64>,
}

/// Why a turn could not be begun or ended at this moment.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error(transparent)]
    Bus(#[from] BusError),
    #[error(transparent)]
    Outbox(#[from] OutboxError),
    #[error(transparent)]
    Publish(#[from] PublishError),
    #[error(transparent)]
    Log(#[from] LogError),
    #[error("other writers keep writing to the log of the conversation")]
    Contended,
    #[error("another gateway began the turn meanwhile")]
    BegunMeanwhile,
    /// The graph made no first step. It begins every turn with one, so this is a bug there.
    #[error("the graph has no first step for this question")]
    NoFirstStep,
    #[error(
        "a replica of the timers stream has not received the newest reply subject of the turn yet"
    )]
    FollowerLags,
}

impl Error {
    /// Whether the same error would come of every further try.
    pub(crate) fn is_for_good(&self) -> bool {
        matches!(
            self,
            Error::Log(LogError::Event(_) | LogError::Write(_))
                | Error::Log(LogError::Publish(PublishError::Refused(_)))
        )
    }
}

/// The problem of a question that no gateway has begun.
const UNBEGUN: &str = "the question was still in the inbox at its deadline: no gateway was there, the streams \
                       had no room, its tenant had as many turns or spent as many tokens as a gateway allows, or the turn \
                       that it was to come after never came";

/// How long the gateway repeats a publish before the delivery goes back.
const PATIENCE_MS: u64 = 5_000;

/// The trace context that a question came with, if the header holds a valid one.
fn asked_under(question: &StoredMessage) -> Option<TraceContext> {
    let header = question.headers.get(header::TRACEPARENT)?;
    TraceContext::parse(header)
}

/// The `tracestate` of that trace. Without a valid trace context it belongs to no trace and is dropped.
fn stated_under(question: &StoredMessage) -> Option<String> {
    asked_under(question)?;
    trace::state(question.headers.get(header::TRACESTATE)?)
}

impl Turns {
    pub(crate) fn now(&self) -> UnixMs {
        self.bus.now()
    }

    pub(crate) fn patience(&self) -> UnixMs {
        self.now().plus(PATIENCE_MS)
    }

    /// The terminal event of a turn, if the turn has ended.
    pub(crate) async fn terminal(&self, turn: &TurnId) -> Result<Option<StoredMessage>, BusError> {
        let subject = Subject::Answer { turn: turn.clone() }.to_string();
        self.bus.last(Stream::Answers, &subject).await
    }

    /// The header with which a turn began, if it has begun.
    pub(crate) async fn begun(&self, header: &Header) -> Result<Option<Header>, BusError> {
        #[derive(serde::Deserialize)]
        struct Begun {
            header: Header,
        }
        let fence = subject::fence(header.shard, &header.turn, 0);
        let stream = Stream::Steps(header.shard);
        let step = self.bus.last(stream, &fence).await?;
        let begun = step.and_then(|step| serde_json::from_slice::<Begun>(&step.body).ok());
        Ok(begun.map(|begun| begun.header))
    }

    /// The header in the timer of a turn, if there is one.
    pub(crate) async fn claimed(&self, turn: &TurnId) -> Result<Option<Header>, BusError> {
        let turn = turn.clone();
        self.header_at(Subject::Timer { turn, hop: None }).await
    }

    /// The header in the timer of a turn that has fired. Such a claim holds until the turn is forgotten.
    pub(crate) async fn fell_due(&self, turn: &TurnId) -> Result<Option<Header>, BusError> {
        let turn = turn.clone();
        self.header_at(Subject::Due { turn, hop: None }).await
    }

    async fn header_at(&self, subject: Subject) -> Result<Option<Header>, BusError> {
        let subject = subject.to_string();
        let timer = self.bus.last(Stream::Timers, &subject).await?;
        Ok(timer.and_then(|timer| serde_json::from_slice(&timer.body).ok()))
    }

    /// The header in the timer of a turn, whether it has fired or not.
    pub(crate) async fn claimed_or_due(&self, turn: &TurnId) -> Result<Option<Header>, BusError> {
        // In this order: between the two it may fire.
        match self.claimed(turn).await? {
            Some(claimed) => Ok(Some(claimed)),
            None => self.fell_due(turn).await,
        }
    }

    /// The terminal event of a turn, decoded, if it can be read.
    pub(crate) async fn read_terminal(&self, turn: &TurnId) -> Result<Option<Terminal>, BusError> {
        let stored = self.terminal(turn).await?;
        Ok(stored.and_then(|stored| envelope::decode(&stored.body).ok()))
    }

    /// The header of the first step of a turn.
    pub(crate) fn header(
        &self,
        turn: TurnId,
        question: &Question,
        message: &StoredMessage,
        reply: Option<String>,
    ) -> Header {
        let default = message.stored_at.plus(self.options.deadline.as_millis());
        let mut rng = self.rng.lock().unwrap_or_else(PoisonError::into_inner);
        let trace = self.traces.root(asked_under(message), &mut rng);
        Header {
            turn,
            tenant: question.tenant.clone(),
            groups: question.groups.clone(),
            shard: 0,
            hop: 0,
            round: 0,
            // Until the graph says whose step the first one is.
            role: Role::Gateway,
            asked_at: message.stored_at,
            created_at: self.now(),
            deadline: question.deadline.unwrap_or(default),
            conversation: question.conversation.clone(),
            parent: None,
            first_hop: 0,
            reply_to: reply,
            question_hash: question.hash(),
            live: question.stream,
            traceparent: Some(trace.to_string()),
            tracestate: stated_under(message),
        }
    }

    /// Creates the timer that ends the turn at its deadline, which is the claim on its id. It fires before that, to look for
    /// open fan-outs ([`fanout::first_look`]). `question` is the message for which the turn begins.
    pub(crate) async fn create_timer(
        &self,
        header: &Header,
        question: &StoredMessage,
    ) -> Result<CreateOutcome, Error> {
        let at = fanout::first_look(header);
        let mut timer = outbox::timer(header, None, at, self.topology.keep.duration());
        timer.condition = WriteCondition::Absent;
        if let Some(under) = asked_under(question) {
            timer.headers = timer.headers.with(header::ASKED_UNDER, under.to_string());
        }
        Ok(publish_until(&*self.bus, timer, self.patience()).await?)
    }

    /// Claims the id of a turn by its timer, and returns the header of the question that claimed it before, even if
    /// that timer fired just now.
    pub(crate) async fn claim(
        &self,
        header: &Header,
        question: &StoredMessage,
    ) -> Result<Header, Error> {
        let owner = match self.create_timer(header, question).await? {
            CreateOutcome::Now => self.fell_due(&header.turn).await?,
            // It may fall due at this moment.
            CreateOutcome::Before => match self.claimed(&header.turn).await? {
                Some(owner) => Some(owner),
                None => self.fell_due(&header.turn).await?,
            },
        };
        Ok(owner.unwrap_or_else(|| header.clone()))
    }

    /// The case of a question, with this gateway's settings in place of what the question leaves open.
    pub(crate) fn case(&self, question: &Question) -> Case {
        let budget = Budget {
            rounds: self.options.rounds,
            searches: self.options.searches,
            ..Budget::default()
        };
        let choice = question.mode.unwrap_or(self.options.mode);
        let (mode, mode_reason) = match choice.named() {
            Some(mode) => (mode, None),
            None => {
                let (mode, reason) = auto_mode::decide(question);
                (mode, Some(reason.to_owned()))
            }
        };
        let profile = question.profile.unwrap_or(self.options.profile);
        let asked = question.budget.or(budget);
        let least = question.score_min.or(self.options.score_min);
        Case {
            question: QuestionText {
                original: question.question.clone(),
                rewritten: None,
            },
            mode,
            mode_reason,
            profile,
            score_min: least.unwrap_or(profile.score_min()),
            buckets: question.buckets.clone(),
            filter: question.filter.clone(),
            budget: match mode {
                Mode::Agentic | Mode::Simple => asked,
                Mode::Loop => Budget {
                    searches: asked.searches.min(LOOP_SEARCHES_MAX),
                    ..asked
                },
            },
            min_seq: question.min_seq,
            judged: self.options.judged,
            overrides: Overrides {
                model: question.model.clone(),
                ..Overrides::default()
            },
            ..Case::default()
        }
    }

    /// Creates hop 0 of a turn that belongs to no conversation.
    pub(crate) async fn create_first_step(
        &self,
        header: &Header,
        question: &Question,
    ) -> Result<CreateOutcome, Error> {
        let case = self.case(question);
        self.create_step(header, &case, Turns::accepted(question))
            .await
    }

    /// The event that hop 0 follows from, for a question that goes on from no other turn.
    pub(crate) fn accepted(question: &Question) -> Event {
        Event::Accepted(question.history.clone())
    }

    /// Creates hop 0, as the graph derives it from the event.
    pub(crate) async fn create_step(
        &self,
        header: &Header,
        case: &Case,
        event: Event,
    ) -> Result<CreateOutcome, Error> {
        let (now, keep) = (self.now(), self.topology.keep.duration());
        let Transition {
            header, case, next, ..
        } = route(header, case, event, &Usage::default(), now);
        let Next::Step(payload) = next else {
            return Err(Error::NoFirstStep);
        };
        let envelope = Envelope {
            v: WIRE,
            header,
            case,
            trail: Vec::new(),
            payload,
        };
        let message = outbox::step(&envelope, None, now, keep).map_err(OutboxError::from)?;
        Ok(publish_until(&*self.bus, message, self.patience()).await?)
    }

    /// Creates the terminal event of a turn.
    pub(crate) async fn end(
        &self,
        terminal: &Terminal,
        reply: Option<&str>,
    ) -> Result<CreateOutcome, Error> {
        let message = outbox::terminal(terminal, reply).map_err(OutboxError::from)?;
        let created = publish_until(&*self.bus, message, self.patience()).await?;
        self.ended.end(&terminal.turn);
        Ok(created)
    }

    /// Ends a turn whose deadline has passed.
    pub(crate) async fn expire(&self, header: &Header) -> Result<CreateOutcome, Error> {
        let why = match self.begun(header).await? {
            Some(_) => "there was no answer before the deadline of the question",
            None => UNBEGUN,
        };
        let problem = Problem::new("deadline", why);
        let terminal = Terminal::of(header, Outcome::Expired, self.now()).because(problem);
        self.end(&terminal, header.reply_to.as_deref()).await
    }

    /// The terminal event of a question that is refused.
    pub(crate) fn refused(&self, turn: TurnId, refusal: &Refusal, asked_at: UnixMs) -> Terminal {
        let problem = Problem::new(refusal.code.as_str(), refusal.message.clone());
        let terminal = Terminal::bare(
            turn,
            TenantId::default_tenant(),
            Outcome::Refused,
            self.now(),
        );
        Terminal {
            asked_at,
            ..terminal.because(problem)
        }
    }

    /// Sends a terminal event to a listener, at least once. The listener may be gone by then.
    pub(crate) async fn deliver(
        &self,
        body: &bytes::Bytes,
        turn: &TurnId,
        reply: &str,
    ) -> Result<(), BusError> {
        if !envelope::subject::may_deliver_to(reply) {
            return Ok(());
        }
        let headers = Headers::default().with(header::TURN, turn.as_str());
        let message = CoreMessage {
            subject: reply.to_owned(),
            reply: None,
            headers,
            body: body.clone(),
        };
        self.bus.broadcast(message).await
    }
}
