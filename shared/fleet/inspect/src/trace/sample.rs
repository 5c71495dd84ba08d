//! Samples of stored turns for tests. Their hops are: planner 0, retriever 1, scatter record 2, three map steps at 3,
//! reducer 4, validator 5.

#![allow(
    clippy::unwrap_used,
    reason = "tests alone build it, and it is written out: what cannot be made fails them"
)]

pub use super::rounds_sample::{a_loop, three_rounds};
use super::{Continuation, TraceSource};
use bus::{Headers, StoredMessage};
use envelope::{
    Case, ConversationId, Envelope, Fallback, Findings, Header, Outcome, Part, PartResult, Problem,
    QuestionText, Role, Subject, Terminal, TrailEntry, TurnId, UnixMs, Usage, encode, header,
};
use harness::replay;
use std::collections::BTreeMap;
use streams::history::TurnRecord;

const TRACEPARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/// The id of every one of them.
pub fn id() -> TurnId {
    TurnId::new("q-1").unwrap()
}

/// A turn, as it is stored.
pub struct SampleTurn {
    history: TurnRecord,
    handed_out: BTreeMap<Role, u64>,
    /// Turns that go on from it.
    pub again: Vec<Continuation>,
    header: Header,
    case: Case,
    trail: Vec<TrailEntry>,
}

fn header_of() -> Header {
    Header {
        deadline: UnixMs(121_000),
        traceparent: Some(TRACEPARENT.into()),
        ..Header::of(id(), Role::Planner, 0, UnixMs(1_000))
    }
}

fn case() -> Case {
    Case {
        question: QuestionText {
            original: "When does the lease end?".into(),
            rewritten: None,
        },
        ..Case::default()
    }
}

/// What the trail says of a step.
pub fn entry(role: Role, hop: u16, index: Option<u16>, decided: &str) -> TrailEntry {
    let asks = matches!(role, Role::Planner | Role::Mapper | Role::Reducer);
    let header = Header {
        role,
        hop,
        ..header_of()
    };
    TrailEntry {
        index,
        attempt: 1,
        queued_ms: 2,
        worked_ms: 120,
        model: asks.then(|| "tiny".into()),
        usage: match asks {
            true => Usage {
                calls: 1,
                tokens_in: 100,
                tokens_out: 10,
                ..Usage::default()
            },
            false => Usage::default(),
        },
        ..TrailEntry::of(&header, decided)
    }
}

impl SampleTurn {
    fn new() -> SampleTurn {
        SampleTurn::beginning(header_of(), Role::Planner)
    }

    fn beginning(header: Header, role: Role) -> SampleTurn {
        let mut turn = SampleTurn {
            history: TurnRecord::default(),
            handed_out: BTreeMap::new(),
            again: Vec::new(),
            header: header.clone(),
            case: case(),
            trail: Vec::new(),
        };
        turn.history.begun = Some(header);
        turn.step(role, 0, None);
        turn
    }

    fn store(&mut self, subject: Subject, body: bytes::Bytes) {
        let sequence = self.history.steps.len() as u64 + 1;
        self.history.steps.push(StoredMessage {
            subject: subject.to_string(),
            headers: Headers::default(),
            body,
            sequence,
            stored_at: UnixMs(1_500),
        });
    }

    fn body(&self, role: Role, hop: u16) -> bytes::Bytes {
        let header = Header {
            role,
            hop,
            ..self.header.clone()
        };
        let (case, trail) = (self.case.clone(), self.trail.clone());
        let payload = serde_json::Value::Null;
        let v = envelope::WIRE;
        encode(&Envelope {
            v,
            header,
            case,
            trail,
            payload,
        })
        .unwrap()
    }

    fn step(&mut self, role: Role, hop: u16, index: Option<u16>) {
        let (turn, shard) = (id(), 0);
        let at = Subject::Step {
            shard,
            role,
            turn,
            hop,
            index,
        };
        self.store(at, self.body(role, hop));
    }

    /// A follow-up question of a conversation, which the retriever has.
    pub fn talking() -> SampleTurn {
        let header = Header {
            conversation: ConversationId::new("c-1").ok(),
            ..header_of()
        };
        let mut turn = SampleTurn::beginning(header, Role::Conversation);
        let recalled = "2 exchanges before";
        turn.trail
            .push(entry(Role::Conversation, 0, None, recalled));
        turn.step(Role::Planner, 1, None);
        let planned = "after 2 exchanges: rewrite_then_retrieve (it is the lease of the workshop, which was \
             asked about before) \"When does the lease of the Harrow workshop end?\"; 4 keywords";
        turn.trail.push(entry(Role::Planner, 1, None, planned));
        let rewritten = "When does the lease of the Harrow workshop end?";
        turn.case.question.rewritten = Some(rewritten.into());
        turn.step(Role::Retriever, 2, None);
        turn
    }

    /// Up to its maps, none of which is done.
    pub fn until_the_maps() -> SampleTurn {
        let mut turn = SampleTurn::new();
        turn.trail.push(entry(Role::Planner, 0, None, "4 keywords"));
        turn.step(Role::Retriever, 1, None);
        turn.trail
            .push(entry(Role::Retriever, 1, None, "3 of 19 passages"));
        let (of, shard, hop) = (id(), 0, 2);
        let body = turn.body(Role::Retriever, hop);
        turn.store(
            Subject::Scatter {
                shard,
                turn: of,
                hop,
            },
            body,
        );
        for index in 0..3 {
            turn.step(Role::Mapper, 3, Some(index));
        }
        turn
    }

    /// The part of a map, or what broke it.
    pub fn part(&mut self, index: u16, error: Option<&str>) {
        let mut done = entry(Role::Mapper, 3, Some(index), "relevant, 2 facts");
        let mut result = PartResult::Findings(Findings::default());
        if let Some(code) = error {
            result = PartResult::Error(code.into());
            done.attempt = 0;
            (done.model, done.usage) = (None, Usage::default());
            done.decided = format!("given up: {code}");
        }
        self.trail.push(done.clone());
        let (turn, shard, hop) = (id(), 0, 3);
        let at = Subject::Part {
            shard,
            turn,
            hop,
            index,
        };
        let part = Part {
            v: envelope::WIRE,
            index,
            result,
            entry: Some(done),
        };
        self.store(at, encode(&part).unwrap());
    }

    /// The reducer's step, which brings no trail along.
    pub fn reducer(&mut self) {
        let trail = std::mem::take(&mut self.trail);
        self.step(Role::Reducer, 4, None);
        self.trail = trail;
    }

    fn letter(&mut self, role: Role, hop: u16, index: Option<u16>, reason: &str) {
        let turn = id();
        let at = Subject::Dead {
            role,
            turn,
            hop,
            index,
        };
        let headers = Headers::default()
            .with(header::DEAD_REASON, reason)
            .with(header::DEAD_ERROR, "refused with status 404: no such model")
            .with(header::DEAD_ORIGIN, "ARGOSY_STEPS_0/5")
            .with(header::DEAD_DELIVERED, "1");
        self.history.dead.push(StoredMessage {
            subject: at.to_string(),
            headers,
            body: bytes::Bytes::new(),
            sequence: 17,
            stored_at: UnixMs(1_600),
        });
    }

    /// The turn that tries its dead letter again.
    pub fn retry_of_the_letter(&self) -> TurnId {
        replay::retry_id(&self.history.dead[0])
    }

    /// Ends it.
    pub fn end(&mut self, outcome: Outcome, trail: Vec<TrailEntry>) {
        let mut terminal = Terminal::of(&self.header, outcome, UnixMs(1_900)).with_trail(trail);
        terminal.rewritten = self.case.question.rewritten.clone();
        if outcome == Outcome::Failed {
            terminal =
                terminal.because(Problem::new("index_failed", "the search could not be done"));
        }
        self.history.answer = Some(StoredMessage {
            subject: "argosy.answer.q-1".into(),
            headers: Headers::default(),
            body: encode(&terminal).unwrap(),
            sequence: 1,
            stored_at: UnixMs(1_900),
        });
    }

    /// Answered, with one map given up.
    pub fn answered() -> SampleTurn {
        let mut turn = SampleTurn::until_the_maps();
        turn.part(0, None);
        turn.letter(Role::Mapper, 3, Some(1), "model_refused");
        turn.part(1, Some("model_refused"));
        turn.part(2, None);
        turn.reducer();
        let mut reduced = entry(Role::Reducer, 4, None, "composed from 4 facts of 2 sources");
        reduced.fallbacks = vec![Fallback::PartsFailed { indexes: vec![1] }];
        reduced.attempt = 2;
        turn.trail.push(reduced);
        turn.step(Role::Validator, 5, None);
        turn.trail
            .push(entry(Role::Validator, 5, None, "grounded, confidence 1.00"));
        turn.end(Outcome::Answered, turn.trail.clone());
        turn
    }

    /// The planner broke and had a default, the search broke and had none.
    pub fn given_up() -> SampleTurn {
        let mut turn = SampleTurn::new();
        let mut planned = entry(Role::Planner, 0, None, "given up: panic");
        planned.attempt = 0;
        turn.trail.push(planned);
        turn.step(Role::Retriever, 1, None);
        turn.letter(Role::Retriever, 1, None, "index_failed");
        turn.end(Outcome::Failed, turn.trail.clone());
        turn
    }

    /// The consumer of a role has handed out so far.
    pub fn handed_out(&mut self, role: Role, sequence: u64) {
        self.handed_out.insert(role, sequence);
    }

    /// Its steps age out.
    pub fn age_out(&mut self) {
        self.history.steps.clear();
        self.history.begun = None;
    }

    /// It goes on from another, from a hop on.
    pub fn goes_on_from(&mut self, parent: &TurnId, hop: u16) {
        if let Some(begun) = &mut self.history.begun {
            (begun.parent, begun.first_hop) = (Some(parent.clone()), hop);
        }
    }

    /// As it is read.
    pub fn found(&self) -> TraceSource {
        TraceSource {
            history: self.history.clone(),
            handed_out: self.handed_out.clone(),
            again: self.again.clone(),
            at: UnixMs(2_000),
        }
    }
}
