//! Asks the model whether the draft that it wrote is the right answer. One word is the reply, and its probability is
//! what counts. The prompt has the first source of the search and no other: beside all that were read, the model says yes to
//! nearly everything (ADR 0025).
//!
//! *Not* here: what follows from the probability, of which the validator makes a confidence.

use crate::answer::{self, Answer};
use crate::draft::Brief;
use crate::known::{KNOWN, means_something};
use crate::marks;
use crate::question;
use crate::stage::Reducer;
use envelope::hop::ReducerExit;
use envelope::{Assessment, Usage};
use llm::{ChatReply, PromptCall, StepPromptError, likely};
use stage::{StepContext, StepOutput};
use std::time::Duration;

/// Tokens of a reply: a word, and a sign before it.
const TOKENS_MAX: u32 = 2;
/// How many of the likeliest tokens are wanted in each place.
const LIKELY: u8 = 5;
/// How likely a word counts that a node says without its probability. The model said yes to 149 of 168 drafts, of which 78 were
/// right (docs/answers.md): such a yes is no proof, and with this the answer is flagged.
const SAID: f32 = 0.75;
/// Below this the validator withholds an answer by default, so it is found out first whether the model's word means anything.
const DOUBTED: f32 = 0.68;
/// How likely yes counts of a model whose word means nothing: its answer is given, and flagged.
const UNKNOWN: f32 = 0.7;
/// Longest that a call about a known answer may take: a draft is there, and somebody waits for it.
const KNOWN_TIMEOUT: Duration = Duration::from_secs(10);

/// What came of asking a model about its draft.
pub(crate) enum Assessed {
    /// It was not asked: this draft is not assessed, or there is no draft of a model.
    Not,
    /// It could not be asked, for this reason.
    Failed(String),
    /// How likely yes is, 0 to 1, where it said yes or no; and its reply.
    Said(Option<f32>, ChatReply),
    /// It cannot tell known right answers from wrong ones, so what it said counts for nothing; and its reply.
    Guessed(ChatReply),
}

/// Adds to a draft what was said of it, what that cost, and a word of it for the trail.
pub(crate) fn added(
    mut done: StepOutput<ReducerExit>,
    assessed: Assessed,
) -> StepOutput<ReducerExit> {
    let (yes, reply) = match assessed {
        Assessed::Not => return done,
        Assessed::Failed(why) => {
            done.decided.push_str(&format!("; not assessed: {why}"));
            return done;
        }
        Assessed::Guessed(reply) => {
            done.decided
                .push_str("; its model cannot tell right answers from wrong ones");
            (Some(UNKNOWN), reply)
        }
        Assessed::Said(yes, reply) => {
            done.decided.push_str(&match yes {
                Some(right) => format!("; right with {right:.2}, by its model"),
                None => "; not assessed: the model said neither yes nor no".into(),
            });
            (yes, reply)
        }
    };
    if let ReducerExit::Composed(draft) = &mut done.out {
        draft.assessment = yes.map(|right| Assessment { right });
    }
    done.with_model(reply.model, reply.usage)
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
    /// What the model says of the draft in its reply. A draft needs no assessment, so a call that fails is no failure of
    /// the step.
    pub(crate) async fn assessed(
        &self,
        cx: &StepContext,
        brief: &Brief<'_>,
        reply: &ChatReply,
        written: &PromptCall<'_>,
    ) -> Result<Assessed, StepPromptError> {
        let (true, Answer::Text(draft)) = (brief.is_assessed, answer::read(written.answer(reply)))
        else {
            return Ok(Assessed::Not);
        };
        // One call is kept back for who judges the answer.
        let kept = Usage {
            calls: cx.case.answer_calls() - 1,
            ..Usage::default()
        };
        let left = cx.case.budget.after(&reply.usage).after(&kept);
        if let Some(limit) = left.spent() {
            return Ok(Assessed::Failed(format!("no {limit} left")));
        }
        let question = question::shown(&cx.case.question, &brief.parts);
        let (source, answer) = (brief.evidence.first(), marks::removed(&draft));
        let call = self.asking(cx, &source, &question, &answer)?;
        let mut reply = match self.model.chat(&call.request).await {
            Ok(reply) => reply,
            Err(error) => return Ok(Assessed::Failed(error.to_string())),
        };
        let yes = likely::yes(&reply);
        if yes.is_some_and(|yes| yes < DOUBTED) {
            let known = Usage {
                calls: KNOWN.len() as u32,
                ..reply.usage
            };
            let may_ask = left.after(&known).spent().is_none();
            if self
                .is_known_to_guess(cx, may_ask, &mut reply.usage)
                .await?
            {
                return Ok(Assessed::Guessed(reply));
            }
        }
        Ok(Assessed::Said(yes.or_else(|| in_words(&reply.text)), reply))
    }

    /// The call that asks for the model's word on an answer.
    fn asking(
        &self,
        cx: &StepContext,
        source: &str,
        question: &str,
        answer: &str,
    ) -> Result<PromptCall<'_>, StepPromptError> {
        let inputs = [
            ("question", question),
            ("source", source),
            ("answer", answer),
        ];
        let mut call = self.call(cx, &self.right, &inputs)?;
        call.request.max_tokens = TOKENS_MAX;
        call.request.likely = LIKELY;
        Ok(call)
    }

    /// Whether it has been found out that the model's word means nothing. It is asked if it may be, and what that costs is
    /// added. As long as it could not be asked, its word counts.
    async fn is_known_to_guess(
        &self,
        cx: &StepContext,
        may_ask: bool,
        usage: &mut Usage,
    ) -> Result<bool, StepPromptError> {
        match self.word.means_something() {
            Some(means_something) => return Ok(!means_something),
            None if !may_ask => return Ok(false),
            None => {}
        }
        let mut said = [0.0; KNOWN.len()];
        for (said, known) in said.iter_mut().zip(&KNOWN) {
            let mut call = self.asking(cx, known.source, known.question, known.answer)?;
            call.request.timeout = call.request.timeout.min(KNOWN_TIMEOUT);
            let Ok(reply) = self.model.chat(&call.request).await else {
                return Ok(false);
            };
            *usage += reply.usage;
            match likely::yes(&reply) {
                Some(yes) => *said = yes,
                None => return Ok(false),
            }
        }
        Ok(!self.word.found(means_something(&said)))
    }
}
