//! Makes the request with which a step calls a model: with the prompt of the worker or of the turn, in the name of the
//! turn, and for the model that the turn chooses.
//!
//! *Not* here: when to try a call again, and what follows from a reply; each worker has its own rules for both. An
//! indexed document belongs to no turn, so the indexer writes its requests itself.

use crate::chat::{ChatReply, ChatRequest, ReplySchema};
use crate::prompt::{Prompt, PromptError, RenderedPrompt, TODAY};
use crate::reply::without_prompt;
use envelope::{Class, Classify, Role};
use stage::StepContext;
use std::borrow::Cow;
use std::time::Duration;

/// A step that calls a model.
#[derive(Debug, Clone)]
pub struct Caller<'a> {
    role: Role,
    cx: &'a StepContext,
    max_tokens: u32,
    timeout: Duration,
}

/// A prompt that is filled in, and the request that it makes.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptCall<'p> {
    /// The prompt of the worker, or the prompt of the turn that replaces it.
    pub prompt: Cow<'p, Prompt>,
    /// The request to the model.
    pub request: ChatRequest,
}

impl<'a> Caller<'a> {
    /// The caller in a step of a role. A call with all its retries takes `most` time, and no more than the turn can spare.
    pub fn new(
        role: Role,
        cx: &'a StepContext,
        max_tokens: u32,
        most: Option<impl Into<Duration>>,
    ) -> Self {
        Caller {
            role,
            cx,
            max_tokens,
            timeout: cx.time_to_call(role, most),
        }
    }

    /// Makes the call with these inputs and the current day.
    ///
    /// # Errors
    /// When the turn brings a prompt that cannot be used, or the inputs are not those of the prompt.
    pub fn call<'p>(
        &self,
        prompt: &'p Prompt,
        inputs: &[(&str, &str)],
        schema: Option<ReplySchema>,
    ) -> Result<PromptCall<'p>, StepPromptError> {
        let unusable = |why| StepPromptError {
            role: self.role,
            why,
        };
        let overrides = &self.cx.case.overrides;
        let prompt = prompt.or(&overrides.prompts).map_err(unusable)?;
        let today = self.cx.today();
        let inputs = [&[(TODAY, today.as_str())], inputs].concat();
        let RenderedPrompt { system, user } = prompt.render(&inputs).map_err(unusable)?;
        let request = ChatRequest {
            role: self.role,
            model: overrides.model.clone(),
            turn: self.cx.header.turn.clone(),
            tenant: self.cx.header.tenant.clone(),
            system,
            user,
            max_tokens: self.max_tokens,
            likely: 0,
            schema,
            timeout: self.timeout,
        };
        Ok(PromptCall { prompt, request })
    }
}

/// Why a step has no prompt for its call.
#[derive(Debug, thiserror::Error)]
#[error("{why}")]
pub struct StepPromptError {
    /// The role of the step.
    pub role: Role,
    /// What is wrong with the prompt.
    pub why: PromptError,
}

impl Classify for StepPromptError {
    fn class(&self) -> Class {
        Class::Bug
    }

    fn code(&self) -> &'static str {
        match self.role {
            Role::Planner => "planner_prompt",
            Role::Mapper => "mapper_prompt",
            Role::Reducer => "reducer_prompt",
            Role::Validator => "validator_prompt",
            Role::Clarifier => "clarifier_prompt",
            Role::Indexer => "indexer_prompt",
            Role::Gateway | Role::Conversation | Role::Retriever => "prompt",
        }
    }
}

impl PromptCall<'_> {
    /// The part of a reply that is the answer, without a repetition of the prompt.
    pub fn answer<'r>(&self, reply: &'r ChatReply) -> &'r str {
        without_prompt(&reply.text, self.prompt.own_text())
    }
}
