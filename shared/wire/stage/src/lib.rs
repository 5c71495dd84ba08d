//! The contract between a worker and the harness that runs it.
//!
//! A worker promises one thing: given a task and its context, it returns one of its exits or a classified failure. It
//! is *not* given a bus, a disk, a timer, or a way to spawn tasks: it cannot lose a message because it never holds one.
//! There are two other outputs, and the harness handles both: files that the worker returns ([`Attachment`]), and text
//! that it shows while it works ([`Live`]). Dropping the future that it returned cancels the work.
//!
//! The harness holds stages as trait objects: message handling is no hot path, and no generic parameter leaks upward.

mod attachment;
mod context;
mod error;
mod ingest;
mod live;

pub use attachment::{Attachment, AttachmentError};
pub use context::{StepClock, StepContext};
pub use envelope::{Class, Classify, FanOut, Task, WrongTask};
pub use error::Error;
pub use futures_util::future::BoxFuture;
pub use ingest::{Chunk, ChunkPlace, Columns, Cut, DocumentWork, Incoming, Ingest};
pub use live::{Live, LiveNote};

use envelope::lookup::SearchConditions;
use envelope::{Exit, Fallback, Remarks, Role, Usage};
use std::collections::BTreeMap;

/// One kind of worker.
pub trait Stage: Send + Sync + 'static {
    /// The payload of its steps.
    type In: TryFrom<Task, Error = WrongTask> + Send;
    /// Its exits: one variant for each.
    type Out: Into<Exit>;
    /// The role of the worker.
    const ROLE: Role;

    /// Does one step.
    fn run(
        &self,
        cx: &StepContext,
        task: Self::In,
    ) -> impl Future<Output = StepResult<Self::Out>> + Send;
}

/// The output of a step, or why it could not be done.
pub type StepResult<T> = Result<StepOutput<T>, Error>;

/// The result of a step, what it spent, and every fallback that it took.
#[derive(Debug, Clone, PartialEq)]
pub struct StepOutput<T> {
    /// The exit.
    pub out: T,
    /// What was decided, in a few words, for the trail.
    pub decided: String,
    /// The model that was called, if one was.
    pub model: Option<String>,
    /// What was spent.
    pub usage: Usage,
    /// Every fallback that was taken.
    pub fallbacks: Vec<Fallback>,
    /// Files that the exit names; they are stored before the next messages are published.
    pub files: Vec<Attachment>,
    /// The prompts that the model was asked with, by name, each with the version of its text.
    pub prompts: BTreeMap<String, String>,
    /// Remarks that accompany the answer of a draft.
    pub remarks: Remarks,
    /// The conditions of the question, as they were understood.
    pub conditions: Option<Box<SearchConditions>>,
}

impl<T> StepOutput<T> {
    /// An exit that cost nothing.
    pub fn new(out: T, decided: impl Into<String>) -> Self {
        StepOutput {
            out,
            decided: decided.into(),
            model: None,
            usage: Usage::default(),
            fallbacks: Vec::new(),
            files: Vec::new(),
            prompts: BTreeMap::new(),
            remarks: Remarks::default(),
            conditions: None,
        }
    }

    /// The same output, with the work of a model added.
    pub fn with_model(mut self, model: impl Into<String>, usage: Usage) -> Self {
        self.model = Some(model.into());
        self.usage += usage;
        self
    }

    /// The same output, with a prompt that the model was asked with.
    pub fn with_prompt(mut self, name: &str, version: &str) -> Self {
        self.prompts.insert(name.to_owned(), version.to_owned());
        self
    }

    /// The same output, with a fallback that was used.
    pub fn with_fallback(mut self, fallback: Fallback) -> Self {
        self.fallbacks.push(fallback);
        self
    }

    /// The same output, with another exit.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> StepOutput<U> {
        let StepOutput {
            out,
            decided,
            model,
            usage,
            fallbacks,
            files,
            prompts,
            remarks,
            conditions,
        } = self;
        StepOutput {
            out: f(out),
            decided,
            model,
            usage,
            fallbacks,
            files,
            prompts,
            remarks,
            conditions,
        }
    }
}

/// A stage whose types are hidden, as the harness holds it.
pub trait ErasedStage: Send + Sync {
    /// Its role.
    fn role(&self) -> Role;
    /// Does one step.
    fn handle<'a>(&'a self, cx: &'a StepContext, task: Task) -> BoxFuture<'a, StepResult<Exit>>;
}

impl<S: Stage> ErasedStage for S {
    fn role(&self) -> Role {
        S::ROLE
    }

    fn handle<'a>(&'a self, cx: &'a StepContext, task: Task) -> BoxFuture<'a, StepResult<Exit>> {
        Box::pin(async move {
            let task = S::In::try_from(task)?;
            self.run(cx, task).await.map(|done| done.map(Into::into))
        })
    }
}
