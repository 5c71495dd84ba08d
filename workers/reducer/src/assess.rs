//! Asks the model whether the draft that it wrote is the right answer. One word is the reply, and its probability is
//! what counts. The prompt begins as that of the draft does, so that a node that keeps what it has read reads only its
//! last lines.
//!
//! *Not* here: what follows from the probability, of which the validator makes a confidence. Whether the passages
//! answer the question is not asked: it tells no more than this (docs/answers.md).

use crate::draft::Brief;
use crate::form;
use crate::question;
use crate::stage::Reducer;
use envelope::hop::ReducerExit;
use envelope::{Assessment, Usage};
use llm::{ChatReply, StepPromptError, likely};
use stage::{StepContext, StepOutput};

/// Tokens of a reply: a word, and a sign before it.
const TOKENS_MAX: u32 = 2;
/// How many of the likeliest tokens are wanted in each place.
const LIKELY: u8 = 5;
/// How likely a word counts that a node says without its probability.
const SAID: f32 = 0.8;

/// What a model said of its draft.
pub(crate) struct Said {
    /// How likely yes is, 0 to 1; `None` where it said neither yes nor no.
    yes: Option<f32>,
    reply: ChatReply,
}

impl Said {
    fn of(reply: ChatReply) -> Said {
        let yes = likely::yes(&reply).or_else(|| in_words(&reply.text));
        Said { yes, reply }
    }

    /// Adds what was said to the draft, and what the call cost.
    pub(crate) fn added(self, mut done: StepOutput<ReducerExit>) -> StepOutput<ReducerExit> {
        if let ReducerExit::Composed(draft) = &mut done.out {
            draft.assessment = self.yes.map(|right| Assessment { right });
        }
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
    /// What the model says of a draft; `None` where it is not asked, the budget has no call left for it, or the call
    /// failed: a draft needs no assessment.
    pub(crate) async fn assessed(
        &self,
        cx: &StepContext,
        brief: &Brief<'_>,
        draft: &str,
        spent: Usage,
    ) -> Result<Option<Said>, StepPromptError> {
        // One call is kept back for who judges the answer.
        let kept = Usage {
            calls: cx.case.answer_calls() - 1,
            ..Usage::default()
        };
        let left = cx.case.budget.after(&spent).after(&kept);
        if !brief.is_assessed || left.spent().is_some() {
            return Ok(None);
        }
        let question = question::shown(&cx.case.question, &brief.parts);
        let section = brief.evidence.section();
        let inputs = [
            ("question", question.as_str()),
            (brief.section, &section),
            ("answer", draft),
        ];
        let mut call = self.call(cx, &self.right, &inputs)?;
        form::add(&mut call.request.system, brief.form);
        call.request.max_tokens = TOKENS_MAX;
        call.request.likely = LIKELY;
        Ok(self.model.chat(&call.request).await.ok().map(Said::of))
    }
}
