//! The step: build the prompt, call, read, compare with earlier plans. The only place that waits.

use crate::fingerprint::Fingerprint;
use crate::options::Options;
use crate::plan;
use envelope::hop::PlannerExit;
use envelope::limits::SUB_QUERIES_MAX;
use envelope::{Class, Classed, Fallback, Plan, PlanTask, Role};
use llm::{ChatModel, ChatRequest, Prompt, PromptError, Prompts, Rendered, Schema};
use serde_json::json;
use stage::{BoxFuture, Cx, Done, Stage};
use std::sync::Arc;

/// Why there is no planner, or no prompt for it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Options that cannot be kept to.
    #[error("planner options: {0}")]
    Options(String),
    /// A prompt that cannot be used.
    #[error(transparent)]
    Prompt(#[from] PromptError),
}

impl Classed for Error {
    fn class(&self) -> Class {
        Class::Bug
    }

    fn code(&self) -> &'static str {
        match self {
            Error::Options(_) => "planner_options",
            Error::Prompt(_) => "planner_prompt",
        }
    }
}

/// The planner.
pub struct Planner {
    model: Arc<dyn ChatModel>,
    first: Prompt,
    refine: Prompt,
    options: Options,
}

impl Planner {
    /// A planner that asks `model` with the prompts `planner` and `planner_refine`; fails when
    /// prompts or options are nonsense.
    pub fn new(
        model: Arc<dyn ChatModel>,
        prompts: &Prompts,
        options: Options,
    ) -> Result<Self, Error> {
        options.validate()?;
        let first = include_str!("../prompts/planner.md");
        let refine = include_str!("../prompts/planner_refine.md");
        let inputs = ["question", "earlier_queries", "feedback"];
        Ok(Planner {
            model,
            first: prompts.get("planner", first, &inputs[..1])?,
            refine: prompts.get("planner_refine", refine, &inputs)?,
            options,
        })
    }

    async fn plan(&self, cx: &Cx, task: PlanTask) -> Result<Done<PlannerExit>, stage::Error> {
        let done = match cx.case.budget.spent() {
            Some(limit) => {
                let limit = limit.into();
                Done::new(Plan::from_question(&cx.case), "the question as it stands")
                    .with_fallback(Fallback::BudgetSpent { limit })
            }
            None => self.ask(cx, &task).await?,
        };
        Ok(match task {
            PlanTask::First | PlanTask::FollowUp { .. } => done.map(PlannerExit::Planned),
            PlanTask::Refine { .. } => progress(done, &cx.case.queries),
        })
    }

    async fn ask(&self, cx: &Cx, task: &PlanTask) -> Result<Done<Plan>, stage::Error> {
        let request = self.request(cx, task)?;
        let reply = self.model.chat(&request).await?;
        let question = cx.case.question.best();
        let done = match plan::read(&reply.text, question, &self.options) {
            Some((plan, trimmed)) => {
                let decided = decided(&plan);
                let mut done = Done::new(plan, decided);
                if trimmed > 0 {
                    done = done.with_fallback(Fallback::SubQueriesTrimmed { count: trimmed });
                }
                done
            }
            None => Done::new(Plan::from_question(&cx.case), "the question as it stands")
                .with_fallback(Fallback::PlanDefault),
        };
        Ok(done.with_model(reply.model, reply.usage))
    }

    fn request(&self, cx: &Cx, task: &PlanTask) -> Result<ChatRequest, Error> {
        let Rendered { system, user } = self.render(cx, task)?;
        Ok(ChatRequest {
            role: Role::Planner,
            model: cx.case.overrides.model.clone(),
            turn: cx.header.turn.clone(),
            tenant: cx.header.tenant.clone(),
            system,
            user,
            max_tokens: self.options.max_tokens,
            schema: Some(schema(task)),
            timeout: self.options.call_timeout.duration().min(cx.time_left()),
        })
    }

    fn render(&self, cx: &Cx, task: &PlanTask) -> Result<Rendered, PromptError> {
        let (question, instead) = (cx.case.question.best(), &cx.case.overrides.prompts);
        match task {
            PlanTask::First | PlanTask::FollowUp { .. } => {
                self.first.or(instead)?.render(&[("question", question)])
            }
            PlanTask::Refine { why } => self.refine.or(instead)?.render(&[
                ("question", question),
                ("earlier_queries", &cx.case.queries.join("\n")),
                ("feedback", why),
            ]),
        }
    }
}

impl Stage for Planner {
    type In = PlanTask;
    type Out = PlannerExit;
    const ROLE: Role = Role::Planner;

    fn run<'a>(
        &'a self,
        cx: &'a Cx,
        task: PlanTask,
    ) -> BoxFuture<'a, Result<Done<PlannerExit>, stage::Error>> {
        Box::pin(self.plan(cx, task))
    }
}

/// A refined plan, unless it is one of the earlier ones again.
fn progress(done: Done<Plan>, earlier: &[String]) -> Done<PlannerExit> {
    if !Fingerprint::of(&done.out.query).is_among(earlier) {
        return done.map(PlannerExit::Planned);
    }
    let mut done = done
        .map(|_| PlannerExit::NoProgress)
        .with_fallback(Fallback::NoProgress);
    done.decided = "no search that is new".into();
    done
}

fn decided(plan: &Plan) -> String {
    let mut words = match plan.keywords.len() {
        1 => "1 keyword".to_owned(),
        n => format!("{n} keywords"),
    };
    if !plan.sub_queries.is_empty() {
        words.push_str(&format!(", {} sub-queries", plan.sub_queries.len()));
    }
    if !plan.filter.is_empty() {
        words.push_str(&format!(", {}", plan.filter));
    }
    words
}

fn schema(task: &PlanTask) -> Schema {
    let hint = json!({"type": ["string", "null"]});
    let mut properties = json!({
        "keywords": {"type": "array", "items": {"type": "string"}, "maxItems": 4},
        "sub_queries": {"type": "array", "items": {"type": "string"}, "maxItems": SUB_QUERIES_MAX},
        "file_filter": hint,
        "source_hint": hint
    });
    let mut required = vec!["keywords", "sub_queries", "file_filter", "source_hint"];
    if matches!(task, PlanTask::Refine { .. }) {
        properties["query"] = json!({"type": "string"});
        required.insert(0, "query");
    }
    let json = json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false
    });
    Schema { name: "plan", json }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use testkit::model::{ScriptedModel, step};

    const QUESTION: &str = "How long is the guarantee on the Delta pump?";

    async fn run(model: &Arc<ScriptedModel>, cx: &Cx, task: PlanTask) -> Done<PlannerExit> {
        let planner = Planner::new(model.clone(), &Prompts::default(), Options::default());
        planner.unwrap().run(cx, task).await.unwrap()
    }

    fn refine() -> (Cx, PlanTask) {
        let mut cx = step(Role::Planner, QUESTION);
        cx.case.queries = vec![QUESTION.into(), "Delta pump warranty".into()];
        let why = "none of 5 passages helps".into();
        (cx, PlanTask::Refine { why })
    }

    fn shown(model: &ScriptedModel) -> String {
        let [request] = &model.requests()[..] else {
            panic!("one call")
        };
        format!("{}\n======\n{}", request.system, request.user)
    }

    #[tokio::test]
    async fn a_first_plan() {
        let model = ScriptedModel::saying([
            r#"{"keywords": ["guarantee", "Delta pump"], "file_filter": null, "source_hint": null}"#,
        ]);
        let done = run(&model, &step(Role::Planner, QUESTION), PlanTask::First).await;
        let PlannerExit::Planned(plan) = done.out else {
            panic!("no plan")
        };
        assert_eq!(plan.query, QUESTION);
        assert_eq!(plan.keywords, ["guarantee", "Delta pump"]);
        assert_eq!((done.decided.as_str(), done.usage.calls), ("2 keywords", 1));
        assert_eq!(done.fallbacks, []);
        assert_eq!(model.requests()[0].timeout, Duration::from_secs(15));
        insta::assert_snapshot!(shown(&model));
    }

    #[tokio::test]
    async fn a_turn_may_bring_a_model_and_a_prompt() {
        let model = ScriptedModel::saying(["{}", "{}"]);
        let (mut cx, task) = refine();
        cx.case.overrides.model = Some("large".into());
        let own = "Be bold.\n---user---\n{{question}} {{earlier_queries}} {{feedback}}";
        let prompts = [("planner_refine".to_owned(), own.to_owned())];
        cx.case.overrides.prompts = prompts.into();
        run(&model, &cx, task).await;
        run(&model, &cx, PlanTask::First).await;
        let [refined, first] = &model.requests()[..] else {
            panic!("two calls")
        };
        assert_eq!(refined.model.as_deref(), Some("large"));
        assert_eq!(first.model.as_deref(), Some("large"));
        assert_eq!(refined.system, "Be bold.");
        assert_ne!(first.system, "Be bold.", "the other prompt is as it was");
    }

    #[tokio::test]
    async fn a_refined_plan_that_is_new() {
        let model = ScriptedModel::saying([r#"{"query": "service manual Delta series, months"}"#]);
        let (cx, task) = refine();
        let done = run(&model, &cx, task).await;
        assert!(
            matches!(&done.out, PlannerExit::Planned(plan) if plan.query.starts_with("service"))
        );
        insta::assert_snapshot!(shown(&model));
    }

    #[tokio::test]
    async fn a_refined_plan_that_is_old_makes_no_progress() {
        for answer in [r#"{"query": "warranty of delta pumps"}"#, "no idea"] {
            let model = ScriptedModel::saying([answer]);
            let (cx, task) = refine();
            let done = run(&model, &cx, task).await;
            assert_eq!(done.out, PlannerExit::NoProgress, "{answer}");
            assert_eq!(done.fallbacks.last(), Some(&Fallback::NoProgress));
            assert_eq!(done.usage.calls, 1);
        }
    }

    #[tokio::test]
    async fn new_keywords_are_progress_even_without_a_new_query() {
        let model = ScriptedModel::saying([r#"{"keywords": ["maintenance contract"]}"#]);
        let (cx, task) = refine();
        let done = run(&model, &cx, task).await;
        let query = format!("{QUESTION} maintenance contract");
        assert!(matches!(done.out, PlannerExit::Planned(plan) if plan.query == query));
    }

    #[tokio::test]
    async fn malformed_output_is_the_question_itself() {
        let model = ScriptedModel::saying(["The guarantee is 24 months."]);
        let done = run(&model, &step(Role::Planner, QUESTION), PlanTask::First).await;
        let PlannerExit::Planned(plan) = done.out else {
            panic!("no plan")
        };
        assert_eq!(
            plan,
            Plan {
                query: QUESTION.into(),
                ..Plan::default()
            }
        );
        assert_eq!(done.fallbacks, [Fallback::PlanDefault]);
        assert_eq!(
            (done.model.as_deref(), done.usage.calls),
            (Some("scripted"), 1)
        );
    }

    #[tokio::test]
    async fn a_spent_budget_asks_nobody() {
        let model = ScriptedModel::saying(["{}"]);
        let (mut cx, task) = refine();
        cx.case.budget.llm_calls = 0;
        let limit = || Fallback::BudgetSpent {
            limit: "llm_calls".into(),
        };
        let first = run(&model, &cx, PlanTask::First).await;
        assert!(matches!(first.out, PlannerExit::Planned(plan) if plan.query == QUESTION));
        assert_eq!(first.fallbacks, [limit()]);
        let again = run(&model, &cx, task).await;
        assert_eq!(again.out, PlannerExit::NoProgress);
        assert_eq!(again.fallbacks, [limit(), Fallback::NoProgress]);
        assert!(model.requests().is_empty());
    }

    #[tokio::test]
    async fn a_failed_call_is_left_to_the_harness() {
        let model = ScriptedModel::failing(llm::Error::TimedOut(Duration::from_secs(1)));
        let planner = Planner::new(model, &Prompts::default(), Options::default()).unwrap();
        let cx = step(Role::Planner, QUESTION);
        let error = planner.run(&cx, PlanTask::First).await.unwrap_err();
        assert_eq!(
            (error.class, error.code),
            (Class::Transient, "model_timeout")
        );
    }

    #[test]
    fn an_override_that_lacks_an_input_stops_the_start() {
        let texts = [("planner".to_owned(), "---user---\nPlan!".to_owned())];
        let prompts = Prompts::new(texts.into());
        let planner = Planner::new(ScriptedModel::saying([""]), &prompts, Options::default());
        let error = planner.err().map(|e| e.to_string());
        assert_eq!(error.as_deref(), Some("prompt `planner` lacks `question`"));
    }
}
