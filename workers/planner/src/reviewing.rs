//! Calls a large model to review the results of a search before the next one.
//!
//! This module calls the model ([`asking`](crate::asking)), and [`review`](crate::review) reads the reply. If both
//! replies are wrong, the rules decide.

use crate::asking::with;
use crate::evaluation;
use crate::review::{self, Decision, ReviewBy, Reviewed};
use crate::stage::{Planner, progress};
use crate::tools::{Tool, Toolbox};
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
    ) -> stage::StepResult<PlannerExit> {
        let tools = Toolbox::of(&Tool::OF_REVIEW, &self.options, catalog, &cx.case.buckets);
        let by = ReviewBy {
            question: cx.case.question.best(),
            queries: &cx.case.queries,
            tools: &tools,
            may_ask: cx.header.may_ask_back(),
        };
        let request = self.review_request(cx, task, evidence, &by)?;
        let kept = PASSAGE_CALLS + cx.case.answer_calls();
        let read = |text: &str| review::decide(text, &by);
        let asked = self.ask_twice(cx, request, kept, read).await?;
        let refused = |why| Fallback::CallRefused { why };
        let done = match asked.read {
            Ok(reviewed) => {
                let mut done = self.reviewed(cx, reviewed);
                done.fallbacks.extend(asked.first_wrong.map(refused));
                done
            }
            Err(wrong) => self.by_rules(cx, task, refused(asked.first_wrong.unwrap_or(wrong))),
        };
        Ok(with(done, asked.replies))
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
                let plan = call.plan(cx.case.question.best(), &self.options);
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
            ("evaluation", &evaluation::section(evidence)),
            ("missing", why),
            ("score_min", &format!("{:.2}", cx.case.score_min)),
            ("tools", &by.tools.lines()),
            ("statuses", review::statuses(by.may_ask)),
        ];
        let schema = review::schema(by.tools, by.may_ask);
        self.ask_for(cx, &self.review, &inputs, schema, self.options.max_tokens)
    }
}
