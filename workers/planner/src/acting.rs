//! A step of a loop: a large model sees the earlier actions with their results, and chooses the next action.
//!
//! This module calls the model ([`asking`](crate::asking)), and [`act`](crate::act) reads the reply. If both replies
//! are wrong, or a limit is reached, the loop ends. The trail names the reason for every end.

use crate::act::{self, Acted, Wrong};
use crate::asking::with;
use crate::stage::Planner;
use crate::tool_call::Action;
use crate::tools::{Tool, Toolbox};
use envelope::hop::PlannerExit;
use envelope::lookup::CorpusCatalog;
use envelope::{Doubt, Fallback, FanOut, Plan, ReadMark};
use llm::{ChatRequest, StepPromptError};
use stage::{StepContext, StepOutput};

impl Planner {
    /// The next action of a loop, or its end.
    pub(crate) async fn act(
        &self,
        cx: &StepContext,
        evidence: &[FanOut],
        catalog: &CorpusCatalog,
    ) -> stage::StepResult<PlannerExit> {
        if let Some(limit) = act::limit(cx, evidence.len()) {
            let limit = limit.to_owned();
            let decided = format!("the loop ends: no {limit} left");
            let spent = Fallback::BudgetSpent { limit };
            return Ok(ended(cx, evidence, decided).with_fallback(spent));
        }
        let tools = Toolbox::of(&Tool::OF_LOOP, &self.options, catalog, &cx.case.buckets);
        let request = self.act_request(cx, evidence, &tools)?;
        let read = |text: &str| act::decide(text, &tools, &self.options, evidence);
        let asked = self
            .ask_twice(cx, request, cx.case.answer_calls(), read)
            .await?;
        let done = match asked.read {
            Ok(acted) => {
                let mut done = self.acted(cx, acted, evidence);
                done.fallbacks
                    .extend(asked.first_wrong.as_ref().map(refused));
                done
            }
            Err(wrong) => self.led_on(cx, evidence, &wrong),
        };
        Ok(with(done, asked.replies))
    }

    fn acted(
        &self,
        cx: &StepContext,
        acted: Acted,
        evidence: &[FanOut],
    ) -> StepOutput<PlannerExit> {
        let Acted { action, reason } = acted;
        let because = match reason.is_empty() {
            true => String::new(),
            false => format!(" ({reason})"),
        };
        let step = evidence.len() + 1;
        match action {
            Action::Done => ended(cx, evidence, format!("the loop ends: done{because}")),
            Action::Call(call) => {
                let decided = format!("step {step}: {call}{because}");
                let plan = call.search(&self.options);
                called(cx, plan, call.chunks(), evidence, decided)
            }
        }
    }

    /// What follows where the model says nothing that can be used: one search for the question, or the end of the
    /// loop.
    fn led_on(
        &self,
        cx: &StepContext,
        evidence: &[FanOut],
        wrong: &Wrong,
    ) -> StepOutput<PlannerExit> {
        let done = match wrong {
            Wrong::Repeated(_) => {
                let decided = "the loop ends: no progress".to_owned();
                return ended(cx, evidence, decided)
                    .with_fallback(refused(wrong))
                    .with_fallback(Fallback::NoProgress);
            }
            Wrong::Unusable(_) if act::has_text(evidence) => {
                ended(cx, evidence, "the loop ends: by rules".to_owned())
            }
            Wrong::Unusable(_) => {
                let plan = Plan::from_question(&cx.case);
                let is_done = evidence
                    .iter()
                    .any(|done| done.scatter.plan.query == plan.query);
                match is_done {
                    true => ended(cx, evidence, "the loop ends: by rules".to_owned()),
                    false => {
                        let decided = "by rules: searches for the question".to_owned();
                        called(cx, plan, Vec::new(), evidence, decided)
                    }
                }
            }
        };
        done.with_fallback(refused(wrong))
            .with_fallback(Fallback::ReviewDefault)
    }

    fn act_request(
        &self,
        cx: &StepContext,
        evidence: &[FanOut],
        tools: &Toolbox,
    ) -> Result<ChatRequest, StepPromptError> {
        let inputs = [
            ("question", cx.case.question.best()),
            ("steps", &act::steps(evidence)),
            ("tools", &tools.lines()),
            ("left", &act::left(evidence.len(), cx.case.budget.searches)),
            ("score_min", &format!("{:.2}", cx.case.score_min)),
        ];
        let schema = act::schema(tools);
        self.ask_for(cx, &self.act, &inputs, schema, self.options.max_tokens)
    }
}

/// A call with what the answer needs to know: no action says in which form it is wanted, so rules read that.
fn called(
    cx: &StepContext,
    plan: Plan,
    fetch: Vec<String>,
    evidence: &[FanOut],
    decided: String,
) -> StepOutput<PlannerExit> {
    let form = text::question::read(cx.case.question.best()).form;
    let plan = Plan { form, ..plan };
    let read = ReadMark::of_all(evidence);
    StepOutput::new(PlannerExit::Call { plan, fetch, read }, decided)
}

/// The end of a loop: an answer from what was found or, where nothing was found, a message to the user.
fn ended(cx: &StepContext, evidence: &[FanOut], decided: String) -> StepOutput<PlannerExit> {
    if act::has_text(evidence) {
        return StepOutput::new(PlannerExit::Enough, decided);
    }
    let buckets = cx
        .case
        .buckets
        .iter()
        .map(|one| format!("bucket in {}", one.as_str()));
    let conditions = cx.case.filter.0.iter().map(ToString::to_string);
    let doubt = Doubt::NoResults {
        query: cx.case.question.best().to_owned(),
        narrowed_by: buckets.chain(conditions).collect(),
    };
    StepOutput::new(PlannerExit::Ask(doubt), decided)
}

fn refused(wrong: &Wrong) -> Fallback {
    let why = wrong.as_ref().chars().take(200).collect();
    Fallback::CallRefused { why }
}
