//! The step: build the prompt, call, read, compare with earlier plans. The only place that waits.

use crate::fingerprint::Fingerprint;
use crate::follow_up::{self, FollowUp};
use crate::options::Options;
use crate::plan;
use crate::routes;
use envelope::hop::PlannerExit;
use envelope::limits::SUB_QUERIES_MAX;
use envelope::{Class, Classed, Doubt, Fallback, History, Plan, PlanRoute, PlanTask, Role};
use llm::{
    ChatModel, ChatReply, ChatRequest, Prompt, PromptError, Prompts, Rendered, Schema, tokens,
};
use serde_json::{Value, json};
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
    follow_up: Prompt,
    refine: Prompt,
    options: Options,
}

impl Planner {
    /// A planner that asks `model` with the prompts `planner`, `planner_follow_up` and `planner_refine`; fails
    /// when prompts or options are nonsense.
    pub fn new(
        model: Arc<dyn ChatModel>,
        prompts: &Prompts,
        options: Options,
    ) -> Result<Self, Error> {
        options.validate()?;
        let first = include_str!("../prompts/planner.md");
        let follow_up = include_str!("../prompts/planner_follow_up.md");
        let refine = include_str!("../prompts/planner_refine.md");
        let inputs = ["question", "earlier_queries", "feedback"];
        let routed = ["question", "history", "routes"];
        Ok(Planner {
            model,
            first: prompts.get("planner", first, &inputs[..1])?,
            follow_up: prompts.get("planner_follow_up", follow_up, &routed)?,
            refine: prompts.get("planner_refine", refine, &inputs)?,
            options,
        })
    }

    async fn plan(&self, cx: &Cx, task: PlanTask) -> Result<Done<PlannerExit>, stage::Error> {
        let mut task = self.routed(task);
        if let Some(limit) = cx.case.budget.spent() {
            let limit = limit.into();
            let done = as_it_stands(cx, &task).with_fallback(Fallback::BudgetSpent { limit });
            return Ok(exit(done, cx, &task));
        }
        let reply = self.ask(cx, &mut task).await?;
        let object = plan::fields(&reply.text);
        let done = match &task {
            PlanTask::First | PlanTask::Refine { .. } => {
                exit(self.read(cx, &task, &object), cx, &task)
            }
            PlanTask::FollowUp { history } => self.read_follow_up(cx, &task, history, &object),
        };
        Ok(done.with_model(reply.model, reply.usage))
    }

    /// The reply of the model. A follow-up whose prompt is too long is asked again with less of what was said before.
    async fn ask(&self, cx: &Cx, task: &mut PlanTask) -> Result<ChatReply, stage::Error> {
        loop {
            let error = match self.model.chat(&self.request(cx, task)?).await {
                Ok(reply) => return Ok(reply),
                Err(error) => error,
            };
            match (&error, &mut *task) {
                (llm::Error::TooLong { .. }, PlanTask::FollowUp { history }) => {
                    match history.shorter() {
                        Some(shorter) => *history = shorter,
                        None => return Err(error.into()),
                    }
                }
                _ => return Err(error.into()),
            }
        }
    }

    /// Where places are kept apart, a question that is asked alone may be one for them.
    fn routed(&self, task: PlanTask) -> PlanTask {
        let history = History::default();
        match task {
            PlanTask::First if !self.options.location_buckets.is_empty() => {
                PlanTask::FollowUp { history }
            }
            other => other,
        }
    }

    fn read(&self, cx: &Cx, task: &PlanTask, object: &Value) -> Done<Plan> {
        match plan::read(object, cx.case.question.best(), &self.options) {
            Some((plan, trimmed)) => planned(plan, trimmed),
            None => as_it_stands(cx, task).with_fallback(Fallback::PlanDefault),
        }
    }

    /// Without a route that can be read, the question is searched for as it is.
    fn read_follow_up(
        &self,
        cx: &Cx,
        task: &PlanTask,
        history: &History,
        object: &Value,
    ) -> Done<PlannerExit> {
        let question = &cx.case.question;
        let offered = routes::offered(question, history, &self.options);
        let Some(read) = follow_up::read(object, question.best(), history, &offered) else {
            let done = as_it_stands(cx, task).with_fallback(Fallback::PlanDefault);
            return exit(done, cx, task);
        };
        if read.route == PlanRoute::AskClarification {
            let decided = decided_route(&read, history);
            let doubt = Doubt::Unclear {
                query: question.best().to_owned(),
                reason: read.reason,
            };
            return Done::new(PlannerExit::Ask(doubt), decided);
        }
        let asked = read.rewritten.as_deref().unwrap_or(question.best());
        let plain = Plan {
            query: asked.to_owned(),
            ..Plan::default()
        };
        let (mut plan, trimmed) = plan::read(object, asked, &self.options).unwrap_or((plain, 0));
        if read.route == PlanRoute::LocationSearch {
            plan.filter = plan.filter.and(routes::places(&self.options));
        }
        let mut done = planned(plan, trimmed);
        done.decided = format!("{}; {}", decided_route(&read, history), done.decided);
        done.out.context = history.question_before().to_owned();
        done.out.rewritten = read.rewritten;
        let chunks = history.evidence.clone();
        done.map(|plan| match read.route {
            PlanRoute::DirectAnswer => PlannerExit::Known { plan, chunks },
            PlanRoute::LocationSearch => PlannerExit::Located(plan),
            PlanRoute::Retrieve | PlanRoute::RewriteThenRetrieve | PlanRoute::AskClarification => {
                PlannerExit::Planned(plan)
            }
        })
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
            max_tokens: self.tokens_max(cx, task),
            schema: Some(self.schema(cx, task)),
            timeout: self.options.call_timeout.duration().min(cx.time_left()),
        })
    }

    /// A question that is written anew takes as much again as it has.
    fn tokens_max(&self, cx: &Cx, task: &PlanTask) -> u32 {
        match task {
            PlanTask::First | PlanTask::Refine { .. } => self.options.max_tokens,
            PlanTask::FollowUp { .. } => {
                self.options.max_tokens + tokens::estimate(cx.case.question.best())
            }
        }
    }

    fn schema(&self, cx: &Cx, task: &PlanTask) -> Schema {
        match task {
            PlanTask::First | PlanTask::Refine { .. } => schema(task, &[]),
            PlanTask::FollowUp { history } => schema(
                task,
                &routes::offered(&cx.case.question, history, &self.options),
            ),
        }
    }

    fn render(&self, cx: &Cx, task: &PlanTask) -> Result<Rendered, PromptError> {
        let (question, instead) = (cx.case.question.best(), &cx.case.overrides.prompts);
        match task {
            PlanTask::First => self.first.or(instead)?.render(&[("question", question)]),
            PlanTask::FollowUp { history } => self.follow_up.or(instead)?.render(&[
                ("question", question),
                ("history", &follow_up::section(history)),
                (
                    "routes",
                    &routes::choices(&routes::offered(&cx.case.question, history, &self.options)),
                ),
            ]),
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

/// What follows from a plan: a refined one has to be new.
fn exit(done: Done<Plan>, cx: &Cx, task: &PlanTask) -> Done<PlannerExit> {
    match task {
        PlanTask::First | PlanTask::FollowUp { .. } => done.map(PlannerExit::Planned),
        PlanTask::Refine { .. } => progress(done, &cx.case.queries),
    }
}

/// The question as it is.
fn as_it_stands(cx: &Cx, task: &PlanTask) -> Done<Plan> {
    let words = "the question as it stands";
    match task {
        PlanTask::First | PlanTask::Refine { .. } => {
            Done::new(Plan::from_question(&cx.case), words)
        }
        PlanTask::FollowUp { history } => {
            let route = PlanRoute::Retrieve.as_str();
            let decided = format!("{}: {route}, {words}", follow_up::used(history));
            Done::new(Plan::after(&cx.case, history), decided)
        }
    }
}

fn planned(plan: Plan, trimmed: u16) -> Done<Plan> {
    let decided = decided(&plan);
    let done = Done::new(plan, decided);
    match trimmed {
        0 => done,
        count => done.with_fallback(Fallback::SubQueriesTrimmed { count }),
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

fn decided_route(read: &FollowUp, history: &History) -> String {
    let mut words = format!("{}: {}", follow_up::used(history), read.route.as_str());
    if !read.reason.is_empty() {
        words.push_str(&format!(" ({})", read.reason));
    }
    if let Some(rewritten) = &read.rewritten {
        words.push_str(&format!(" \"{rewritten}\""));
    }
    words
}

fn schema(task: &PlanTask, routes: &[PlanRoute]) -> Schema {
    let hint = json!({"type": ["string", "null"]});
    let mut properties = json!({
        "keywords": {"type": "array", "items": {"type": "string"}, "maxItems": 4},
        "sub_queries": {"type": "array", "items": {"type": "string"}, "maxItems": SUB_QUERIES_MAX},
        "file_filter": hint,
        "source_hint": hint
    });
    let mut required = vec!["keywords", "sub_queries", "file_filter", "source_hint"];
    match task {
        PlanTask::First => {}
        PlanTask::FollowUp { .. } => {
            let routes: Vec<_> = routes.iter().map(|route| route.as_str()).collect();
            properties["question"] = json!({"type": "string"});
            properties["route"] = json!({"type": "string", "enum": routes});
            properties["reason"] = json!({"type": "string"});
            required.splice(0..0, ["question", "route", "reason"]);
        }
        PlanTask::Refine { .. } => {
            properties["query"] = json!({"type": "string"});
            required.insert(0, "query");
        }
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
#[path = "stage_tests.rs"]
mod tests;
