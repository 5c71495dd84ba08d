//! The common code of the tests of conversations: stages that answer each question with its own words and record the
//! history that they get, and the invariants of every log at the end.

use crate::hand::Hand;
use crate::script::{Script, draft, grounded, question_back};
use crate::world::{World, turn, until};
use bus::Stream;
use conversation::Conversation;
use conversation_log::{EventKind, LogEvent, Read, State, TurnEnd, TurnOpening};
use envelope::hop::{PlannerExit, RetrieverExit};
use envelope::{
    After, Bucket, DocId, Doubt, FilterMatch, Outcome, Passage, Plan, PlanTask, Role, Scatter,
    Subject, TurnId,
};
use serde_json::{Value, json};
use stage::{ErasedStage, StepOutput};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use streams::conversation::Logs;

/// A question that is answered with a question back.
pub(crate) const UNCLEAR: &str = "which?";

/// The history that each turn was given, as `question=answer`, oldest first.
#[derive(Clone, Default)]
pub(crate) struct Told(Arc<Mutex<BTreeMap<TurnId, Vec<String>>>>);

impl Told {
    pub(crate) fn of(&self, id: &TurnId) -> Vec<String> {
        self.0.lock().unwrap().get(id).cloned().unwrap_or_default()
    }
}

/// A question in a conversation.
pub(crate) fn say(conversation: &str, id: &str, question: &str) -> Value {
    json!({"question": question, "id": id, "conversation": conversation})
}

/// A question in a conversation, with something else.
pub(crate) fn say_with(conversation: &str, id: &str, question: &str, other: Value) -> Value {
    let mut asked = say(conversation, id, question);
    for (field, value) in other.as_object().unwrap() {
        asked[field] = value.clone();
    }
    asked
}

/// Every worker that a turn of a conversation needs.
pub(crate) fn talkers(world: &World, told: &Told) -> Vec<Hand> {
    let source = Arc::new(Logs::on(world.bus.clone()));
    let recalls = Arc::new(Conversation::new(source));
    let recall = Script::new(Role::Conversation, move |call| {
        let stage = recalls.clone();
        async move { stage.handle(&call.cx, call.task).await }
    });
    let told = told.clone();
    let planner = Script::new(Role::Planner, move |call| {
        let told = told.clone();
        async move {
            let id = call.cx.header.turn.clone();
            if let Ok(PlanTask::FollowUp { history }) = PlanTask::try_from(call.task) {
                let said = history.exchanges.into_iter();
                let said = said.map(|e| format!("{}={}", e.question, e.answer));
                told.0.lock().unwrap().insert(id, said.collect());
            }
            let plan = Plan::from_question(&call.cx.case);
            Ok(StepOutput::new(
                PlannerExit::Planned(plan).into(),
                "planned",
            ))
        }
    });
    let retriever = Script::new(Role::Retriever, async |call| {
        let question = call.cx.case.question.original.clone();
        let exit = match question == UNCLEAR {
            true => RetrieverExit::NothingFound(Doubt::NoResults {
                query: question,
                narrowed_by: Vec::new(),
            }),
            false => RetrieverExit::Found(Box::new(words(&question))),
        };
        Ok(StepOutput::new(exit.into(), "searched"))
    });
    let reducer = Script::new(Role::Reducer, async |call| Ok(draft(call.task)));
    let validator = Script::new(Role::Validator, async |call| Ok(grounded(call.task)));
    let clarifier = Script::new(Role::Clarifier, async |call| Ok(question_back(&call)));
    [recall, planner, retriever, reducer, validator, clarifier]
        .iter()
        .map(|script| world.hire(script).start())
        .collect()
}

fn words(question: &str) -> Scatter {
    Scatter {
        plan: Plan::default(),
        passages: vec![Passage {
            front: String::new(),
            places: Vec::new(),
            bucket: Bucket::new("b").unwrap(),
            doc_id: DocId::new("d").unwrap(),
            chunk_id: "d.1".into(),
            title: String::new(),
            source: "d.md".into(),
            page: None,
            line: 1,
            score: 1.0,
            text: format!("re {question}"),
            metadata: Default::default(),
            found_by: Vec::new(),
        }],
        matched: FilterMatch::Matched,
        total_hits: 1,
        after: After::Generate,
    }
}

/// The events of a conversation of the default tenant, as `opened a`, `ended a answered`.
pub(crate) async fn log(world: &World, conversation: &str) -> Vec<String> {
    let events = events(
        world,
        &format!("argosy.conversation.default.{conversation}"),
    )
    .await;
    events.iter().map(|(_, event, _)| short(event)).collect()
}

fn short(event: &LogEvent) -> String {
    match &event.event {
        EventKind::Opened(opened) => format!("opened {}", opened.header.turn),
        EventKind::Ended(ended) => {
            let outcome = ended.outcome.map_or("unknown", Outcome::as_str);
            format!("ended {} {outcome}", ended.turn)
        }
        EventKind::Forked { .. } => "forked".into(),
        EventKind::Copied { .. } => "copied".into(),
        EventKind::Erased(_) => "erased".into(),
    }
}

async fn events(world: &World, subject: &str) -> Vec<(u64, LogEvent, u64)> {
    let all = world.all(Stream::Conversations).await;
    let all = all.into_iter().filter(|stored| stored.subject == subject);
    all.map(|stored| {
        let event = LogEvent::read(&stored.body).unwrap();
        (stored.sequence, event, stored.stored_at.0)
    })
    .collect()
}

/// Waits until nothing is open in a conversation and so many turns have ended.
pub(crate) async fn all_ended(world: &World, conversation: &str, turns: usize) {
    until("the end of all turns", async || {
        let log = log(world, conversation).await;
        log.iter()
            .filter(|event| event.starts_with("ended"))
            .count()
            >= turns
    })
    .await;
}

/// What must hold of every log: states are the fold; a turn is opened and ended once; nothing is open; the first step
/// of a turn comes after the end of the turn before; and each turn was given the answers before it.
pub(crate) async fn assert_sound(world: &World, told: &Told) {
    let all = world.all(Stream::Conversations).await;
    let subjects: BTreeSet<&str> = all.iter().map(|stored| stored.subject.as_str()).collect();
    let steps = world.all(Stream::Steps(0)).await;
    for subject in subjects {
        let mut state = State::default();
        let mut walk = Walk::default();
        for (sequence, event, at) in events(world, subject).await {
            let after = state.after(&event.event).unwrap();
            assert_eq!(event.state, after, "{subject}");
            let name = short(&event);
            match &event.event {
                EventKind::Opened(opened) => walk.opened(opened),
                EventKind::Ended(ended) => {
                    let is_first = state.open[0].turn == ended.turn;
                    let began = steps.iter().find(|step| starts(&step.subject, &ended.turn));
                    let began = began.map(|step| step.stored_at.0);
                    walk.ended(ended, told);
                    if is_first {
                        let early = began.is_some_and(|began| began < walk.free_since);
                        assert!(!early, "{subject}: {name} began too early");
                        walk.free_since = at;
                    }
                }
                EventKind::Forked { .. } | EventKind::Copied { .. } | EventKind::Erased(_) => {}
            }
            let read = Read { sequence, event };
            state = read.state();
        }
        assert_eq!(state.open, [], "{subject}");
    }
}

/// The state of a log up to an event.
#[derive(Default)]
struct Walk {
    questions: BTreeMap<TurnId, String>,
    ended: BTreeSet<TurnId>,
    /// As `question=answer`.
    exchanges: Vec<String>,
    /// When the turn in front last ended, so that the next one might begin.
    free_since: u64,
}

impl Walk {
    fn opened(&mut self, opened: &TurnOpening) {
        let (id, question) = (&opened.header.turn, &opened.case.question.original);
        let before = self.questions.insert(id.clone(), question.clone());
        assert_eq!(before, None, "{id} was opened twice");
    }

    fn ended(&mut self, ended: &TurnEnd, told: &Told) {
        let id = &ended.turn;
        assert!(self.ended.insert(id.clone()), "{id} ended twice");
        if ended.outcome == Some(Outcome::Answered) {
            let newest = self.exchanges.len().saturating_sub(3);
            assert_eq!(told.of(id), self.exchanges[newest..], "what {id} was told");
        }
        let asked_back = ended.clarification.as_ref().map(|asked| &asked.question);
        let answer = ended.answer.as_ref().map(|kept| &kept.text).or(asked_back);
        if let Some(answer) = answer {
            let asked = &self.questions[id];
            assert_eq!(ended.question.as_ref().unwrap_or(asked), asked, "{id}");
            let question = ended.rewritten.as_ref().unwrap_or(asked);
            self.exchanges.push(format!("{question}={answer}"));
        }
    }
}

fn starts(subject: &str, id: &TurnId) -> bool {
    matches!(
        Subject::parse(subject),
        Ok(Subject::Step { turn: of, hop: 0, .. }) if of == *id
    )
}

/// The ids `a1`, `a2`, ….
pub(crate) fn ids(letter: &str, count: usize) -> Vec<TurnId> {
    (1..=count).map(|n| turn(&format!("{letter}{n}"))).collect()
}
