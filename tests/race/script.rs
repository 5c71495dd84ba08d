//! The scripted stages, which do what a test says, and the usual stages that complete a turn around them. They
//! understand nothing: the answer is the list of facts. The end of the file contains the test data for each role.

use crate::broken::fallbacks;
use envelope::hop::{ConversationExit, PlannerExit, ReducerExit, RetrieverExit, ValidatorExit};
use envelope::{
    After, Bucket, Citation, Clarification, Class, DocId, Doubt, Draft, Exit, Fact, Fallback,
    FanOut, FilterMatch, Findings, History, MapTask, Outcome, Passage, Payload, Plan, ReduceTask,
    Role, Scatter, Task, Terminal, Verdict,
};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use stage::{ErasedStage, StepContext, StepOutput};
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

pub(crate) type Came = Result<StepOutput<Exit>, stage::Error>;

/// One call of a scripted stage.
pub(crate) struct Call {
    /// The number of this call of the script, from 1; a redelivery counts like any other call.
    pub(crate) n: usize,
    pub(crate) cx: StepContext,
    pub(crate) task: Task,
}

/// A scripted stage. Workers that share it share its count.
pub(crate) struct Script {
    role: Role,
    calls: AtomicUsize,
    does: Box<dyn Fn(Call) -> BoxFuture<'static, Came> + Send + Sync>,
}

impl Script {
    pub(crate) fn new<F>(role: Role, does: impl Fn(Call) -> F + Send + Sync + 'static) -> Arc<Self>
    where
        F: Future<Output = Came> + Send + 'static,
    {
        Arc::new(Script {
            role,
            calls: AtomicUsize::new(0),
            does: Box::new(move |call| Box::pin(does(call))),
        })
    }

    /// How often it was asked.
    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }
}

impl ErasedStage for Script {
    fn role(&self) -> Role {
        self.role
    }

    fn handle<'a>(&'a self, cx: &'a StepContext, task: Task) -> BoxFuture<'a, Came> {
        let n = self.calls.fetch_add(1, Ordering::SeqCst) + 1;
        (self.does)(Call {
            n,
            cx: cx.clone(),
            task,
        })
    }
}

pub(crate) fn plan(query: &str) -> StepOutput<Exit> {
    let plan = Plan {
        query: query.into(),
        ..Plan::default()
    };
    StepOutput::new(PlannerExit::Planned(plan).into(), "planned")
}

/// Passage `i` says `fact i`.
pub(crate) fn found(count: usize) -> StepOutput<Exit> {
    let passages = (0..count).map(passage).collect();
    let scatter = Scatter {
        plan: Plan::default(),
        passages,
        matched: FilterMatch::Matched,
        total_hits: count as u64,
        after: After::Map,
    };
    StepOutput::new(RetrieverExit::Found(Box::new(scatter)).into(), "found")
}

fn passage(i: usize) -> Passage {
    Passage {
        front: String::new(),
        places: Vec::new(),
        bucket: Bucket::new("b").unwrap(),
        doc_id: DocId::new(format!("d{i}")).unwrap(),
        chunk_id: format!("d{i}.0"),
        title: "a title".into(),
        source: format!("d{i}.md"),
        page: None,
        line: 1,
        score: 1.0,
        text: format!("fact {i}"),
        metadata: Default::default(),
        found_by: Vec::new(),
    }
}

pub(crate) fn facts(text: &str) -> StepOutput<Exit> {
    let findings = Findings {
        relevant: true,
        facts: vec![text.into()],
        defaulted: false,
        ..Findings::default()
    };
    StepOutput::new(findings.into(), "read")
}

pub(crate) fn too_little() -> StepOutput<Exit> {
    let why = "too little".into();
    StepOutput::new(
        ReducerExit::TooLittle {
            why,
            read: Vec::new(),
        }
        .into(),
        "too little",
    )
}

/// A draft from whatever there is, which names the missing parts.
pub(crate) fn draft(task: Task) -> StepOutput<Exit> {
    let Payload::Reducer(reduce) = task.payload else {
        panic!("not a reduce task")
    };
    let newest = task.evidence.last();
    let missing = newest.map_or(Vec::new(), FanOut::missing);
    let failed = newest.map_or(Vec::new(), FanOut::failed);
    let (scatters, strict, texts, matched) = match reduce {
        ReduceTask::Table { listing } => {
            let told = vec![listing.table.csv()];
            (Vec::new(), false, told, FilterMatch::Matched)
        }
        ReduceTask::Read { scatters, strict } => {
            let matched =
                newest.map_or(FilterMatch::Empty, |newest| newest.scatter.matched.clone());
            let found = task.evidence.into_iter();
            let found = found.flat_map(|fan_out| fan_out.scatter.passages);
            (
                scatters,
                strict,
                found.map(|one| one.text).collect(),
                matched,
            )
        }
        ReduceTask::Generate {
            passages, matched, ..
        } => {
            let texts = passages.into_iter().map(|p| p.text).collect();
            (Vec::new(), false, texts, matched)
        }
        ReduceTask::Gather {
            scatters, strict, ..
        }
        | ReduceTask::Stitch { scatters, strict } => {
            let matched =
                newest.map_or(FilterMatch::Empty, |newest| newest.scatter.matched.clone());
            let read = task.evidence.into_iter().flat_map(FanOut::into_read);
            let findings = read.filter_map(|(_, findings)| findings);
            let texts: Vec<String> = findings.flat_map(|f| f.facts).collect();
            (scatters, strict, texts, matched)
        }
    };
    let facts = texts.iter().zip(1..).map(|(text, n)| Fact {
        n,
        text: text.clone(),
    });
    let draft = Draft {
        text: texts.join(", "),
        sources: Vec::<Citation>::new(),
        facts: facts.collect(),
        scatters,
        read: None,
        strict,
        no_information: false,
        stitched: false,
        matched,
        table: None,
        assessment: None,
    };
    let mut done = StepOutput::new(ReducerExit::Composed(draft).into(), "composed");
    if !missing.is_empty() {
        done = done.with_fallback(Fallback::PartsMissing { indexes: missing });
    }
    if !failed.is_empty() {
        done = done.with_fallback(Fallback::PartsFailed { indexes: failed });
    }
    done
}

pub(crate) fn verdict(draft: &Draft) -> Verdict {
    Verdict {
        answer: draft.text.clone(),
        citations: draft.sources.clone(),
        confidence: 1.0,
        overlap: None,
        low_confidence: false,
        sentences: Vec::new(),
        judgement: None,
        notices: Vec::new(),
        table: None,
    }
}

pub(crate) fn grounded(task: Task) -> StepOutput<Exit> {
    let draft = Draft::try_from(task).expect("a draft");
    StepOutput::new(ValidatorExit::Grounded(verdict(&draft)).into(), "grounded")
}

pub(crate) fn question_back(call: &Call) -> StepOutput<Exit> {
    let doubt = Doubt::try_from(call.task.clone()).expect("a doubt");
    let question = Clarification::template(&call.cx.header.turn, &doubt);
    StepOutput::new(question.into(), "asked back")
}

/// A failure of a class, to be repeated soon where it is repeated at all.
pub(crate) fn fails(class: Class) -> Came {
    Err(stage::Error {
        class,
        code: "scripted",
        retry_after: Some(Duration::from_millis(1)),
        source: "it was told to fail".into(),
    })
}

pub(crate) fn planner() -> Arc<Script> {
    Script::new(Role::Planner, async |_| Ok(plan("a query")))
}

pub(crate) fn retriever(count: usize) -> Arc<Script> {
    Script::new(Role::Retriever, move |_| async move { Ok(found(count)) })
}

pub(crate) fn mapper() -> Arc<Script> {
    Script::new(Role::Mapper, async |call| Ok(read(call.task)))
}

/// A mapper's findings: the text of the passage.
pub(crate) fn read(task: Task) -> StepOutput<Exit> {
    let map = MapTask::try_from(task).expect("a map task");
    facts(&map.passage.text)
}

/// A conversation stage that remembers nothing.
pub(crate) fn conversation() -> Arc<Script> {
    Script::new(Role::Conversation, async |_| {
        let recalled = ConversationExit::Recalled {
            history: History::default(),
            resumed: None,
        };
        Ok(StepOutput::new(recalled.into(), "recalled"))
    })
}

pub(crate) fn reducer() -> Arc<Script> {
    Script::new(Role::Reducer, async |call| Ok(draft(call.task)))
}

pub(crate) fn validator() -> Arc<Script> {
    Script::new(Role::Validator, async |call| Ok(grounded(call.task)))
}

pub(crate) fn clarifier() -> Arc<Script> {
    Script::new(Role::Clarifier, async |call| Ok(question_back(&call)))
}

/// The stage of a role, with three passages.
pub(crate) fn usual(role: Role) -> Arc<Script> {
    match role {
        Role::Conversation => conversation(),
        Role::Planner => planner(),
        Role::Retriever => retriever(3),
        Role::Mapper => mapper(),
        Role::Reducer => reducer(),
        Role::Validator => validator(),
        Role::Clarifier => clarifier(),
        Role::Gateway | Role::Indexer => panic!("the {role} is no stage"),
    }
}

/// The hop of its turn at which a role gets its step.
pub(crate) fn hop(role: Role) -> u16 {
    match role {
        Role::Conversation => 0,
        Role::Planner => 0,
        Role::Retriever => 1,
        Role::Clarifier => 2,
        Role::Mapper => 3,
        Role::Reducer => 4,
        Role::Validator => 5,
        Role::Gateway | Role::Indexer => panic!("the {role} is no stage"),
    }
}

/// A question whose turn passes `role`.
pub(crate) fn question_by(role: Role, id: &str) -> Value {
    match role {
        Role::Conversation => json!({"question": "q", "id": id, "conversation": "talk"}),
        _ => json!({"question": "q", "id": id}),
    }
}

/// Asserts the end of a turn when `role` fails for good, for the reason `code`.
pub(crate) fn assert_default(terminal: &Terminal, role: Role, code: &str) {
    let taken = fallbacks(terminal);
    let failed = (Outcome::Failed, None);
    let (outcome, fallback) = match role {
        Role::Conversation => (Outcome::Answered, Some(Fallback::NoHistory)),
        Role::Planner => (Outcome::Answered, Some(Fallback::BasicRag { role })),
        Role::Retriever => failed,
        Role::Mapper => {
            let indexes = vec![0, 1, 2];
            (Outcome::Answered, Some(Fallback::PartsFailed { indexes }))
        }
        Role::Reducer => failed,
        Role::Validator => (Outcome::Answered, Some(Fallback::Unvalidated)),
        Role::Clarifier => (Outcome::Clarification, Some(Fallback::ClarifyDefault)),
        Role::Gateway | Role::Indexer => panic!("the {role} is no stage"),
    };
    assert_eq!(terminal.outcome, outcome, "{role}: {terminal:?}");
    if let Some(fallback) = fallback {
        assert!(taken.contains(&fallback), "{role}: {taken:?}");
    } else {
        assert_eq!(terminal.error.as_ref().unwrap().code, code, "{role}");
    }
}
