//! Asks the model about the draft that it writes: before, whether the passages answer the question, and after, whether
//! the draft is the right answer. One word is the reply to each, and its probability is what counts. The prompts begin
//! as that of the draft does, so that a node that keeps what it has read reads only their last lines.
//!
//! *Not* here: what follows from the probabilities. The [stage](crate::stage) refuses below a bound, and the validator
//! makes a confidence of them.

use crate::draft::Brief;
use crate::form;
use crate::question;
use crate::stage::Reducer;
use envelope::hop::ReducerExit;
use envelope::{Assessment, Usage};
use llm::{ChatReply, Prompt, StepPromptError, likely};
use stage::{StepContext, StepOutput};

/// Tokens of a reply: a word, and a sign before it.
const TOKENS_MAX: u32 = 2;
/// How many of the likeliest tokens are wanted in each place.
const LIKELY: u8 = 5;
/// How likely a word counts that a node says without its probability.
const SAID: f32 = 0.8;

/// What a model said to a question of yes or no.
pub(crate) struct Said {
    /// How likely yes is, 0 to 1; `None` where it said neither yes nor no.
    pub(crate) yes: Option<f32>,
    reply: ChatReply,
}

impl Said {
    fn of(reply: ChatReply) -> Said {
        let yes = likely::yes(&reply).or_else(|| in_words(&reply.text));
        Said { yes, reply }
    }

    /// Adds what the question cost.
    pub(crate) fn counted(self, done: StepOutput<ReducerExit>) -> StepOutput<ReducerExit> {
        done.with_model(self.reply.model, self.reply.usage)
    }
}

/// The likelihood of yes by the first word of a text.
fn in_words(text: &str) -> Option<f32> {
    let first = text::words::runs(text).next()?.to_lowercase();
    match first.as_str() {
        "yes" => Some(SAID),
        "no" => Some(1.0 - SAID),
        _ => None,
    }
}

impl Reducer {
    /// How likely it is that the passages answer the question.
    pub(crate) async fn suffices(
        &self,
        cx: &StepContext,
        brief: &Brief<'_>,
    ) -> Result<Option<Said>, StepPromptError> {
        match brief.is_assessed {
            true => self.said(cx, &self.suffices, brief, &[]).await,
            false => Ok(None),
        }
    }

    /// How likely it is that a draft is the right answer.
    pub(crate) async fn is_right(
        &self,
        cx: &StepContext,
        brief: &Brief<'_>,
        draft: &str,
    ) -> Result<Option<Said>, StepPromptError> {
        match brief.is_assessed {
            true => {
                self.said(cx, &self.right, brief, &[("answer", draft)])
                    .await
            }
            false => Ok(None),
        }
    }

    /// What the model says; `None` where the budget has no call left for it, or the call failed: a draft needs no
    /// assessment.
    async fn said(
        &self,
        cx: &StepContext,
        prompt: &Prompt,
        brief: &Brief<'_>,
        more: &[(&str, &str)],
    ) -> Result<Option<Said>, StepPromptError> {
        // The draft and its judge come first.
        let kept = Usage {
            calls: cx.case.answer_calls(),
            ..Usage::default()
        };
        if cx.case.budget.after(&kept).spent().is_some() {
            return Ok(None);
        }
        let question = question::shown(&cx.case.question, &brief.parts);
        let section = brief.evidence.section();
        let inputs = [("question", question.as_str()), (brief.section, &section)];
        let mut call = self.call(cx, prompt, &[&inputs, more].concat())?;
        form::add(&mut call.request.system, brief.form);
        call.request.max_tokens = TOKENS_MAX;
        call.request.likely = LIKELY;
        Ok(self.model.chat(&call.request).await.ok().map(Said::of))
    }
}

/// What was said of a draft, where both questions were answered.
pub(crate) fn assessment(suffices: Option<&Said>, right: Option<&Said>) -> Option<Assessment> {
    Some(Assessment {
        suffices: suffices?.yes?,
        right: right?.yes?,
    })
}
