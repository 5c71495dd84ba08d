//! Calls a large model to review the results of a search before the next one.
//!
//! This module calls the model, and [`review`](crate::review) reads the reply. If the reply is wrong, the model is
//! told once what is wrong with it. If that does not help, the rules decide.

use crate::evaluation::Evaluation;
use crate::review::{self, Decision, ReviewBy, Reviewed};
use crate::stage::{Planner, once_more, progress, with};
use crate::tools::Toolbox;
use envelope::hop::PlannerExit;
use envelope::lookup::CorpusCatalog;
use envelope::{Fallback, FanOut, PlanTask};
use llm::{ChatRequest, StepPromptError};
use stage::{StepContext, StepOutput};

/// How many calls a search needs to be of use: one passage has to be read. The answer's calls are kept back beside
/// it.
const PASSAGE_CALLS: u32 = 1;

impl Planner {
    /// The step after a search that found too little. It ends in a search, an answer or a question back, whatever the
    /// model says.
    pub(crate) async fn review(
        &self,
        cx: &StepContext,
        task: &PlanTask,
        evidence: &[FanOut],
        catalog: &CorpusCatalog,
    ) -> Result<StepOutput<PlannerExit>, stage::Error> {
        let tools = Toolbox::of(&self.options, catalog, &cx.case.buckets);
        let by = ReviewBy {
            question: cx.case.question.best(),
            queries: &cx.case.queries,
            tools: &tools,
            may_ask: cx.header.may_ask_back(),
        };
        let mut request = self.review_request(cx, task, evidence, &by)?;
        let reply = self.model.chat(&request).await?;
        let wrong = match review::decide(&reply.text, &by) {
            Ok(reviewed) => return Ok(with(self.reviewed(cx, reviewed), reply)),
            Err(wrong) => wrong,
        };
        let refused = Fallback::CallRefused { why: wrong.clone() };
        let left = cx.case.budget.after(&reply.usage);
        let asks_again =
            left.spent().is_none() && left.llm_calls > PASSAGE_CALLS + cx.case.answer_calls();
        if asks_again {
            request.user.push_str(&once_more(&wrong));
            let again = self.model.chat(&request).await?;
            let done = match review::decide(&again.text, &by) {
                Ok(reviewed) => self.reviewed(cx, reviewed).with_fallback(refused),
                Err(_) => self.by_rules(cx, task, refused),
            };
            return Ok(with(with(done, reply), again));
        }
        Ok(with(self.by_rules(cx, task, refused), reply))
    }

    /// The decision by rules: the same search reads on, as it does for a small model that has no better plan.
    fn by_rules(
        &self,
        cx: &StepContext,
        task: &PlanTask,
        refused: Fallback,
    ) -> StepOutput<PlannerExit> {
        let done = self.as_it_stands(cx, task, Fallback::ReviewDefault);
        let mut done = progress(done, &cx.case.queries).map(PlannerExit::Planned);
        done.fallbacks.insert(0, refused);
        done.decided = format!("by rules: {}", done.decided);
        done
    }

    fn reviewed(&self, cx: &StepContext, reviewed: Reviewed) -> StepOutput<PlannerExit> {
        let Reviewed {
            decision,
            reason,
            told,
        } = reviewed;
        let (out, what) = match decision {
            Decision::Enough => (PlannerExit::Enough, "enough".to_owned()),
            Decision::Clarify(doubt) => {
                let what = format!("asks back: {}", doubt.as_str());
                (PlannerExit::Ask(doubt), what)
            }
            Decision::More(call) => {
                let plan = call.plan(cx.case.question.best(), &self.limits(cx), &self.options);
                (PlannerExit::Planned(plan), format!("more: {call}"))
            }
        };
        let what = if told.is_empty() { &what } else { told };
        let decided = match reason.is_empty() {
            true => format!("review: {what}"),
            false => format!("review: {what} ({reason})"),
        };
        StepOutput::new(out, decided)
    }

    fn review_request(
        &self,
        cx: &StepContext,
        task: &PlanTask,
        evidence: &[FanOut],
        by: &ReviewBy<'_>,
    ) -> Result<ChatRequest, StepPromptError> {
        let why = match task {
            PlanTask::Review { why, .. } | PlanTask::Refine { why } => why,
            PlanTask::First | PlanTask::FollowUp { .. } | PlanTask::Act { .. } => "",
        };
        let inputs = [
            ("question", by.question),
            ("earlier_queries", &by.queries.join("\n")),
            ("evaluation", &Evaluation::of(evidence).section()),
            ("missing", why),
            ("score_min", &format!("{:.2}", cx.case.score_min)),
            ("tools", &by.tools.lines()),
            ("statuses", review::statuses(by.may_ask)),
        ];
        let schema = review::schema(by.tools, by.may_ask);
        self.ask_for(cx, &self.review, &inputs, schema, self.options.max_tokens)
    }
}

#[cfg(test)]
#[path = "reviewing_tests.rs"]
mod tests;
