//! The mapper's step: it builds the prompt, calls the model and reads the reply. No other module of the crate has
//! asynchronous code.

use crate::findings::{self, Read};
use crate::occurrence::{settle, unsupported};
use crate::options::Options;
use envelope::limits::FACTS_PER_PASSAGE_MAX;
use envelope::{Fallback, Findings, MapTask, Passage, Role};
use llm::{
    Caller, ChatModel, EmbeddedPrompt, Prompt, PromptCall, Prompts, ReplySchema, SetupError,
    StepPromptError,
};
use serde_json::json;
use stage::{Stage, StepContext, StepOutput};
use std::sync::Arc;
use text::one_line;

/// The prompt for what a passage says to the question.
const PROMPT: EmbeddedPrompt = EmbeddedPrompt {
    name: "mapper",
    text: include_str!("../prompts/mapper.md"),
    placeholders: &["question", "source", "title", "text"],
};

/// The mapper.
pub struct Mapper {
    model: Arc<dyn ChatModel>,
    prompt: Prompt,
    options: Options,
}

impl Mapper {
    /// Every prompt with which the mapper asks its model.
    pub const PROMPTS: [EmbeddedPrompt; 1] = [PROMPT];

    /// Makes a mapper that asks `model`. It fails when the prompt or an option is invalid.
    pub fn new(
        model: Arc<dyn ChatModel>,
        prompts: &Prompts,
        options: Options,
    ) -> Result<Self, SetupError> {
        options.validate()?;
        let prompt = prompts.get(&PROMPT)?;
        Ok(Mapper {
            model,
            prompt,
            options,
        })
    }

    fn call(&self, cx: &StepContext, passage: &Passage) -> Result<PromptCall<'_>, StepPromptError> {
        let options = &self.options;
        let caller = Caller::new(Role::Mapper, cx, options.max_tokens, options.call_timeout);
        let inputs = [
            ("question", cx.case.question.best()),
            ("source", &one_line(&passage.source)),
            ("title", &one_line(&passage.heading())),
            ("text", &passage.text),
        ];
        caller.call(&self.prompt, &inputs, Some(schema()))
    }
}

impl Stage for Mapper {
    type In = MapTask;
    type Out = Findings;
    const ROLE: Role = Role::Mapper;

    async fn run(&self, cx: &StepContext, task: MapTask) -> stage::StepResult<Findings> {
        let passage = &task.passage;
        if let Some(limit) = cx.case.budget.spent() {
            let limit = limit.into();
            let mut read = findings::defaulted(passage);
            settle(&mut read, passage, "", 0.0);
            let mut done = StepOutput::new(read.findings, "not read: budget spent");
            done.fallbacks.push(Fallback::BudgetSpent { limit });
            done.fallbacks.extend(facts_trimmed(read.trimmed));
            return Ok(done);
        }
        let call = self.call(cx, passage)?;
        let reply = self.model.chat(&call.request).await?;
        let answer = call.answer(&reply);
        let asked = cx.case.question.best();
        let mut read = findings::read(answer, passage, asked, self.options.relevant_above);
        let own = call.prompt.own_text();
        let dropped = settle(&mut read, passage, own, self.options.fact_support_min);
        let decided = decided(&read, dropped);
        let mut done = StepOutput::new(read.findings, decided)
            .with_model(reply.model, reply.usage)
            .with_prompt(call.prompt.name(), call.prompt.version());
        done.fallbacks.extend(read.fallback);
        done.fallbacks.extend(facts_trimmed(read.trimmed));
        done.fallbacks.extend(unsupported(dropped));
        Ok(done)
    }
}

fn facts_trimmed(trimmed: usize) -> Option<Fallback> {
    let count = u16::try_from(trimmed).unwrap_or(u16::MAX);
    (count > 0).then_some(Fallback::FactsTrimmed { count })
}

fn decided(read: &Read, dropped: usize) -> String {
    let Findings {
        relevant,
        grade,
        facts,
        ..
    } = &read.findings;
    let graded = grade.map_or(String::new(), |grade| format!(" ({grade})"));
    let mut words = match (&read.unread, facts.len()) {
        (Some(why), _) => format!("{why}, taken as relevant"),
        (None, _) if !relevant => format!("not relevant{graded}"),
        (None, 1) => format!("relevant{graded}, 1 fact"),
        (None, facts) => format!("relevant{graded}, {facts} facts"),
    };
    if dropped > 0 {
        words.push_str(&format!(", {dropped} unsupported dropped"));
    }
    words
}

fn schema() -> ReplySchema {
    let facts = json!({
        "type": "array",
        "items": {"type": "string"},
        "maxItems": FACTS_PER_PASSAGE_MAX
    });
    ReplySchema::new(
        "findings",
        json!({"grade": {"type": "number"}, "facts": facts}),
    )
}

#[cfg(test)]
#[path = "stage_tests.rs"]
mod tests;
